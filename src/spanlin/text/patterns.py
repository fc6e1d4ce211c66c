"""The one expression that cuts a run of visible characters into tokens.

Every alternative consumes what it scanned, or looks ahead a bounded number of characters, so that no input takes more
than linear time.
"""

from __future__ import annotations

import re

from spanlin.text import vocabulary

# Combining marks, vowel signs and joiners, which `\w` leaves out: they go with the letter before them.
_MARKS = (
    r"\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    r"\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0816-\u082d\u08d3-\u0903\u093a-\u094f"
    r"\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a81-\u0a83"
    r"\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83"
    r"\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d57\u0d81-\u0d83\u0dca-\u0ddf\u0df2\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    r"\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f18\u0f19\u0f71-\u0f84\u0f8d-\u0fbc\u102b-\u103e\u1056-\u1059\u135d-\u135f"
    r"\u1712-\u1714\u17b4-\u17d3\u180b-\u180d\u1920-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1ac0\u1b00-\u1b04"
    r"\u1b34-\u1b44\u1dc0-\u1dff\u200c\u200d\u20d0-\u20f0\u302a-\u302f\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f"
)
L = rf"[\w{_MARKS}]"
_APOSTROPHE = "['’]"
_CLITIC = rf"{_APOSTROPHE}(?:s|re|ve|ll|d|m)(?!{L})"
_PICTURE = (
    r"[\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    r"\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
    r"[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\u20e3]*[\U000e0020-\U000e007f]*"
)


def _any_of(words: frozenset[str]) -> str:
    """Return an expression for one of the words, the longest that fits."""
    return "(?:" + "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word))) + ")"


def token_pattern(*, split_hyphens: bool) -> re.Pattern[str]:
    """Return the expression whose matches, one after another, are the tokens of a run without blanks."""
    prefix, suffix = _any_of(vocabulary.HYPHEN_PREFIXES), _any_of(vocabulary.HYPHEN_SUFFIXES)
    units, domain = _any_of(vocabulary.UNITS), _any_of(vocabulary.TOP_LEVEL_DOMAINS)
    # An apostrophe inside a word is part of it (O'Neill), unless a clitic follows (O'Neill's).
    tail = rf"(?:{_APOSTROPHE}(?!(?:s|re|ve|ll|d|m|t)(?!{L})){L}+)*"
    split_word = rf"""
          (?<!{L}) {_any_of(vocabulary.HYPHENATED_WORDS)} (?!{L})
        | (?<![\w-]) {prefix} - (?=[^\W_]) {L}+ {tail}
        | {L}+ - {suffix} (?!{L})
        | {L}+ - (?= [,.?!;:"”]? \Z)  # a word broken off: "th-"
        | {L}+ {tail}"""
    whole_word = rf"""
          {L}+ {tail} (?: [-/] {L}+ {tail} )* (?: - (?= [,.?!;:"”]? \Z) )?"""
    word = split_word if split_hyphens else whole_word
    return re.compile(
        rf"""
          [,"“”%{{}}\[\]] | [()] (?![-':;])  # first, as nothing else starts with them
        | (?: https?:// | ftp:// | www\.(?=\w) ) (?: [^\s<>"“”()] | \( [^\s<>"“”()]* \) )* (?<! [.,;:!?'’\]}}] )
        | [\w.+%-]{{1,64}} @ [\w-]{{1,63}} (?: \.[\w-]{{1,63}} ){{1,8}}
        | doi:10\.\d+/ [^\s<>"“”()]* (?<! [.,;:!?'’\]}}] )
        | (?<![\w.]) (?: [\w][\w-]{{0,62}} \. ){{1,6}} {domain} (?![\w@]|\.\w)
          (?: / (?: [^\s<>"“”()] )* (?<! [.,;:!?'’\]}}] ) )?
        | & (?: \#\d{{1,7}} | \#x[0-9a-f]{{1,6}} | [a-z]{{2,8}} ) ;
        | </? [a-z][\w:-]{{0,30}} /?>
        | [\U0001f1e6-\U0001f1ff]{{2}}
        | [0-9\#*] \ufe0f? \u20e3
        | {_PICTURE} (?: \u200d {_PICTURE} )*
        | (?<!\w) (?: [:;][-'^o]?[)(\]\[dp/\\|*@3] | =[)(dp] | [)(][-']?[:;] | <3+ | xd+ | \^_*\^ | -[_.]-
          | ¯\\_\(ツ\)_/¯ )
          (?= [.,;:!?"”’')]{{0,4}} \Z)
        | (?<!\w) @ \w+ (?:\.\w+)* | \# \w* [^\W\d] \w*
        | (?<!\w) (?: s/he | w/o | b/c | n/a | c/o | a/c | i/o | w/ (?=\Z) ) (?!{L})
        # Numbers
        | \d{{4}}-\d\d-\d\d (?!\w) | (?<![\w-]) (?: \+?\d{{1,3}}- )? (?: \d{{3}}- )? \d{{3}}-\d{{4}} (?![\w-])
        | (?<!\w) \+ \d [\d-]{{5,15}} \d (?!\w)
        | (?<![\w.]) (?: [-−]? \d+ (?: [.:,]\d+ )? (?= {units} (?!\w) ) )
        | (?<![\w)\].%]) [-−]?
          (?: \d{{1,3}} (?: ,\d{{3}} )+ (?: \.\d+ )? (?!\d) (?: st | nd | rd | th )? | \d* (?: \.\d+ )+ (?!\w) )
        | \d+ (?: [.:/]\d+ )+ \w*
        | (?<![\w)\].%]) [-−] \d+ (?: /\d+ )? (?! \w | [.:/]\d )
        | (?<!{L}) {_APOSTROPHE}? \d*0 {_APOSTROPHE} s (?!{L}) | (?<!{L}) {_APOSTROPHE} \d\d s? (?!{L})
        # Abbreviations with a full stop after each letter, and other words with full stops inside
        | (?<!{L}) (?: [^\W\d_] \. )+ [^\W\d_] (?!{L}) \.?
        | (?<!{L}) (?: ph\.d | [mb]\.sc | [mb]\.ed ) (?!{L}) \.?
        | (?<!{L}) [a-z] {{1,4}} (?: & [a-z] {{1,4}} )+ (?![\w;])
        | {L}+ (?: \.(?=[^\W_]) {L}+ )+
        # Contractions
        | n{_APOSTROPHE}t (?!{L}) | {L}+? (?= n{_APOSTROPHE}t (?!{L}) )
        | (?<= [\w{_MARKS}.!?)\]%”"]) {_CLITIC} | \A {_CLITIC}  # "Inc.'s" too
        | (?<!{L}) {_APOSTROPHE} {_any_of(vocabulary.CLIPPED_WORDS)} (?!{L}) (?: (?<=n) {_APOSTROPHE} )?
        | (?<!{L}) (?: {L}* [^\W\daeiou_] in | {L}+ [oeyu] in | ol | th | wi | an | o ) {_APOSTROPHE} (?![\w])
        | (?<!{L}) (?: y'all | d'you | d'ya ) (?!{L})
        | (?<!{L}) (?: {L}+ \+{{1,2}} (?![\w+]) | [cf]\# (?!\w) )
        | (?<!{L}) (?: us | ca | au | nz | hk | [acur] ) \$
        # Words
        | {word}
        # Marks
        | \.{{2,}} | [?!]{{2,}} | \$+ | `` | ''
        | \+/- | <?-+> | <-+ | <?=+> | [<>!:]= | (?-i: ([^\w\s()\[\]{{}}"'’”“‘,;:%]) \1* )
        | .
        """,
        re.VERBOSE | re.IGNORECASE | re.DOTALL,
    )
