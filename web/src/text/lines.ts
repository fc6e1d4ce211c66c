// Where a line break ends a sentence: blank lines, headings, items of a list, rows of a table.
// The steps of spanlin/text/lines.py; the patterns and widths are its own.

import { SPLITTING } from "../generated/splitting.js";
import { Pattern } from "./matching.js";
import { characterCount, startsWithLowercase, trimEnd, trimStart } from "./python_strings.js";

const OWN = SPLITTING.lines;
const LINE_BREAK = new Pattern(OWN.LINE_BREAK);
const PARAGRAPH_BREAK = new Pattern(OWN.PARAGRAPH_BREAK);
const BULLET = new Pattern(OWN.BULLET);
const NUMBERED = new Pattern(OWN.NUMBERED);
const HEADING = new Pattern(OWN.HEADING);
const ROW = new Pattern(OWN.ROW);
const RULE = new Pattern(OWN.RULE);
const FIRST_WORD = new Pattern(OWN.FIRST_WORD);
const ENDS_BEFORE_NUMBER = [".", ":", ";", "!", "?"];

/** A stretch of a text, or a line: where it starts and ends. */
export type Place = readonly [start: number, end: number];

/** The segments of a text whose edges no sentence crosses. */
export function* segments(text: string): Generator<Place> {
  let start = 0;
  for (const match of PARAGRAPH_BREAK.all(text)) {
    yield* segmentsOfParagraph(text, start, match.index);
    start = match.index + match[0].length;
  }
  yield* segmentsOfParagraph(text, start, text.length);
}

function* segmentsOfParagraph(text: string, start: number, end: number): Generator<Place> {
  const lines = linePlaces(text, start, end);
  let width = OWN.SHORTEST_WIDTH;
  for (const [first, after] of blocks(text, lines)) {
    for (const [left, right] of lines.slice(first, after)) width = Math.max(width, characterCount(text.slice(left, right)));
    for (let number = first; number < Math.min(after, lines.length - 1); number += 1) {
      const [left, right] = lines[number]!;
      const [nextLeft, nextRight] = lines[number + 1]!;
      if (endsSentence(text.slice(left, right), text.slice(nextLeft, nextRight), width)) {
        yield [start, right];
        start = nextLeft;
      }
    }
  }
  yield [start, end];
}

function linePlaces(text: string, start: number, end: number): Place[] {
  const places: Place[] = [];
  let left = start;
  for (const match of LINE_BREAK.all(text.slice(start, end))) {
    places.push([left, start + match.index]);
    left = start + match.index + match[0].length;
  }
  places.push([left, end]);
  return places;
}

/** The numbers of a paragraph's lines in blocks: the width counts up to the end of a block. */
function* blocks(text: string, lines: readonly Place[]): Generator<Place> {
  let first = 0;
  let characters = 0;
  for (let number = 1; number <= lines.length; number += 1) {
    const [left, right] = lines[number - 1]!;
    const following = lines[number]?.[0] ?? right;
    const size = characters + characterCount(text.slice(left, right));
    characters += characterCount(text.slice(left, following));
    if (number - first === OWN.BLOCK_LINES || size >= OWN.BLOCK_CHARACTERS) {
      yield [first, number];
      first = number;
      characters = 0;
    }
  }
  if (first < lines.length) yield [first, lines.length];
}

/** Whether the break between two lines of a paragraph ends a sentence. */
function endsSentence(line: string, following: string, width: number): boolean {
  if (HEADING.matchAt(line) || BULLET.matchAt(following) || ROW.matchAt(following) || ROW.matchAt(line)) return true;
  if (RULE.matchAt(line) || RULE.matchAt(following)) return true;
  const before = trimEnd(line);
  const after = trimStart(following);
  const word = FIRST_WORD.matchAt(after);
  if (!word) return false;
  const room = characterCount(before) + 1 + characterCount(word[0]);
  const fits = room <= width || width > OWN.LONGEST_WIDTH;
  if (NUMBERED.matchAt(after)) {
    if (fits || ENDS_BEFORE_NUMBER.some((mark) => before.endsWith(mark)) || NUMBERED.matchAt(before)) return true;
  }
  const continues = OWN.CONTINUES.some((mark) => before.endsWith(mark));
  return fits && !continues && !startsWithLowercase(word.groups!.g1!);
}
