// Written by `python -m web.generate` from the Python modules of the same names: change those.

export const RUNTIME = {
 "calibration": {
  "CERTAIN": 500.0
 },
 "confidence": {
  "BEYOND": 500.0,
  "FARTHEST": 12.0
 },
 "escapes": {
  "ESCAPED": "-(?:LRB|RRB|U[0-9A-F]{4,6}|U)-",
  "SPECIAL": "(?:[\\-\\(\\)\\u{9}\\u{a}\\u{b}\\u{c}\\u{d}\\u{d800}-\\u{dfff}]|^ | (?=\\n?$)|  |^(?=\\n?$))",
  "TO_ESCAPE": "(?:-(?=(?:LRB|RRB|U(?:[0-9A-F]{4,6})?)[\\-\\(\\)\\u{9}\\u{a}\\u{b}\\u{c}\\u{d}\\u{d800}-\\u{dfff} ])|[\\(\\)\\u{9}\\u{a}\\u{b}\\u{c}\\u{d}\\u{d800}-\\u{dfff}]|(?:^| ) +| +(?=\\n?$)|^ )",
  "TREEBANK_SPELLINGS": {
   "''": "\"",
   "-LCB-": "{",
   "-LSB-": "[",
   "-RCB-": "}",
   "-RSB-": "]",
   "``": "\""
  }
 },
 "pieces": {
  "MAX_PIECES": 48
 },
 "transforms": {
  "EMPTY_LABEL": "\u2205",
  "ESCAPED_EMPTY": "\\\\*\\u{2205}",
  "FUNCTION_TAGS": "^(?<g1>[^\\-=]+)[\\-=][^]*",
  "ROOT_LABELS": [
   "",
   "ROOT",
   "S1",
   "TOP",
   "VROOT"
  ],
  "UNARY_JOIN": "+"
 },
 "windows": {
  "OVERLAP": 128
 }
};
