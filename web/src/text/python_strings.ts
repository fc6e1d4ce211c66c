// What Python's methods of strings say of characters, where JavaScript's own differ.

import { SPLITTING } from "../generated/splitting.js";

const SPACE = String.raw`[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;
const LEADING_SPACE = new RegExp(`^${SPACE}+`, "u");
const ONE_SPACE = new RegExp(`^${SPACE}$`, "u");
const LETTERS = /^\p{L}+$/u;
const LETTER_OR_NUMBER = /^[\p{L}\p{N}]/u;
const LETTER = /^\p{L}/u;
const LOWERCASE = /^\p{Lowercase}/u;
const UPPERCASE = /^\p{Uppercase}/u;
const DECIMAL = /^\p{Nd}/u;
const OTHER_DIGITS = new Set(SPLITTING.DIGITS);
const CASED = /[\p{Lowercase}\p{Uppercase}\p{Lt}]/u;
const NOT_UPPERCASE = /[\p{Lowercase}\p{Lt}]/u;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Whether all characters are letters, and there is one. */
export const isAlpha = (text: string): boolean => LETTERS.test(text);

export const startsWithLetter = (text: string): boolean => LETTER.test(text);

export const startsWithLetterOrNumber = (text: string): boolean => LETTER_OR_NUMBER.test(text);

export const startsWithLowercase = (text: string): boolean => LOWERCASE.test(text);

export const startsWithUppercase = (text: string): boolean => UPPERCASE.test(text);

export const startsWithDigit = (text: string): boolean => DECIMAL.test(text) || OTHER_DIGITS.has(firstCharacter(text));

/** Whether there is a cased character, and all of them are uppercase. */
export const isUppercase = (text: string): boolean => CASED.test(text) && !NOT_UPPERCASE.test(text);

export const trimStart = (text: string): string => text.replace(LEADING_SPACE, "");

/** From the end, as an expression for it would try again at each run of spaces. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ONE_SPACE.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

export const firstCharacter = (text: string): string => (text ? String.fromCodePoint(text.codePointAt(0)!) : "");

/** How many units of the text are left when all of these characters, none of them a pair, are taken off its end. */
export function lengthWithout(text: string, characters: string): number {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end -= 1;
  return end;
}

/** How many characters a text has: code points, not units. */
export function characterCount(text: string): number {
  return text.length - (text.match(PAIR)?.length ?? 0);
}
