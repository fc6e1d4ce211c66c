// Words between brackets, and words as ordinary text spells them. As spanlin/trees/escapes.py and shapes.py have them.

import { RUNTIME } from "../generated/runtime.js";
import { Pattern } from "../text/matching.js";
import { isUppercase, startsWithUppercase, firstCharacter } from "../text/python_strings.js";

const SPECIAL = new Pattern(RUNTIME.escapes.SPECIAL);
const TO_ESCAPE = new Pattern(RUNTIME.escapes.TO_ESCAPE);
const SPELLINGS = new Map(Object.entries(RUNTIME.escapes.TREEBANK_SPELLINGS));
const LONE_SURROGATE = /[\ud800-\udfff]/gu;
const LETTER = /\p{L}/gu;

/** The word as it is written in bracketed text. */
export function escapeWord(word: string): string {
  if (!SPECIAL.isIn(word)) return word;
  return TO_ESCAPE.replaceIn(word, (found) => Array.from(found, escapeCharacter).join("")) || "-U-";
}

function escapeCharacter(char: string): string {
  if (char === "(") return "-LRB-";
  if (char === ")") return "-RRB-";
  return `-U${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}-`;
}

/** A word as ordinary text spells it, for encoders that have never seen a treebank. */
export function plainWord(word: string): string {
  const spelling = SPELLINGS.get(word) ?? word.replaceAll("\\/", "/").replaceAll("\\*", "*");
  return spelling.replace(LONE_SURROGATE, "?");
}

/** How a word uses capitals: 0 not at all, 1 Like this, 2 one letter, 3 ALL OVER, 4 in a mixedWay. */
export function wordShape(word: string): number {
  if (word.toLowerCase() === word) return 0;
  if (isUppercase(word)) return (word.match(LETTER)?.length ?? 0) > 1 ? 3 : 2;
  const rest = word.slice(firstCharacter(word).length);
  return startsWithUppercase(word) && rest.toLowerCase() === rest ? 1 : 4;
}
