// Runs of visible characters and what can be said of each alone: its tokens, how it ends, how it starts.
// The steps of spanlin/text/chunks.py; the tables and patterns are its own.

import { SPLITTING } from "../generated/splitting.js";
import { Pattern } from "./matching.js";
import {
  isAlpha,
  lengthWithout,
  startsWithDigit,
  startsWithLetter,
  startsWithLetterOrNumber,
  startsWithLowercase,
  startsWithUppercase,
} from "./python_strings.js";

const { chunks: OWN, vocabulary: VOCABULARY } = SPLITTING;
export const { Ending, Start } = OWN;
export const CHUNK = new Pattern(OWN.CHUNK);

/** A token with its place, in UTF-16 units from the start of its run. */
export type Token = readonly [word: string, start: number, end: number];

/** A run of visible characters; see `Chunk` in spanlin/text/chunks.py. */
export interface Chunk {
  readonly tokens: readonly Token[];
  readonly joined: readonly Token[];
  readonly ending: number;
  readonly start: number;
  readonly quoted: boolean;
  readonly innerEnds: readonly number[];
}

const TOKEN = new Pattern(SPLITTING.TOKEN);
const OPENING = new Pattern(OWN.OPENING);
const LONE_DOT = new Pattern(OWN.LONE_DOT);
const ONLY_CLOSERS = new Pattern(OWN.ONLY_CLOSERS);
const CITATION = new Pattern(OWN.CITATION);
const DASH = new Pattern(OWN.DASH);
const ITEM = new Pattern(OWN.ITEM);
const FIRST_WORD = new Pattern(OWN.FIRST_WORD);
const INNER_END = new Pattern(OWN.INNER_END);
const WORD_AND_MARK = new Pattern(OWN.WORD_AND_MARK);
const NO_PROSE = new Pattern(OWN.NO_PROSE);
const FUSED_WORDS = new Map(Object.entries(VOCABULARY.FUSED_WORDS));
const LEADING = new Set(VOCABULARY.LEADING_ABBREVIATIONS);
const NUMBERED = new Set(VOCABULARY.NUMBERED_ABBREVIATIONS);
const AMBIGUOUS = new Set(VOCABULARY.AMBIGUOUS_ABBREVIATIONS);
const TRAILING = new Set(VOCABULARY.TRAILING_ABBREVIATIONS);
const SHORTENED = new Set(VOCABULARY.SHORTENED_WORDS);
const STARTERS = new Set(VOCABULARY.SENTENCE_STARTERS);
const FIRST_PERSON = new Set(VOCABULARY.FIRST_PERSON);
const UNDECIDED_INSIDE = new Set([Ending.NUMBERED, Ending.AMBIGUOUS, Ending.INITIAL, Ending.SHORTENED]);
const UNDECIDED = new Set([...UNDECIDED_INSIDE, Ending.ITEM]);

const remembered = new Map<string, Chunk>();

/** The chunk of a run, kept if it is short. */
export function readChunk(text: string): Chunk {
  let chunk = remembered.get(text);
  if (chunk === undefined) {
    chunk = read(text);
    if (text.length <= OWN.REMEMBERED_LENGTH) {
      if (remembered.size >= OWN.REMEMBERED_CHUNKS) remembered.clear();
      remembered.set(text, chunk);
    }
  }
  return chunk;
}

function read(text: string): Chunk {
  if (isAlpha(text) && !FUSED_WORDS.has(text.toLowerCase())) {
    const tokens: Token[] = [[text, 0, text.length]];
    return { tokens, joined: tokens, ending: Ending.NONE, start: startOf(text), quoted: false, innerEnds: [] };
  }
  const found: Token[] = [];
  let innerEnds: number[] = [];
  let left = 0;
  // Sentence ends inside the run come first: "him.It" could also be the name of a host.
  for (const right of [...innerEndsOf(text), text.length]) {
    found.push(...tokensOf(text.slice(left, right), left));
    innerEnds.push(found.length);
    left = right;
  }
  const [ending, last] = endingOf(text, found);
  const tokens = joinAbbreviations(found, last);
  // Joining shifts the numbers of tokens, so the ends are found again by their offsets.
  if (innerEnds.length > 1) {
    const ends = new Set(innerEnds.slice(0, -1).map((number) => found[number - 1]![2]));
    innerEnds = tokens.flatMap((token, place) => (ends.has(token[2]) ? [place + 1] : []));
  } else {
    innerEnds = [];
  }
  const joined = UNDECIDED.has(ending) ? joinLastStop(tokens, lengthWithout(text, OWN.CLOSERS)) : tokens;
  const quoted = "\"'”’".includes(text.at(-1)!);
  return { tokens, joined, ending, start: startOf(text), quoted, innerEnds };
}

function innerEndsOf(text: string): number[] {
  return NO_PROSE.isIn(text) ? [] : Array.from(INNER_END.all(text), (match) => match.index);
}

function tokensOf(part: string, offset: number): Token[] {
  const simple = WORD_AND_MARK.matchAt(part)?.groups;
  if (simple && !FUSED_WORDS.has(simple.g1!.toLowerCase())) {
    const end = offset + part.length;
    return [[simple.g1!, offset, end - 1], [simple.g2!, end - 1, end]];
  }
  const found: Token[] = [];
  for (const match of TOKEN.all(part)) {
    const word = match[0];
    const start = match.index + offset;
    const end = start + word.length;
    const cut = word.length < 10 ? FUSED_WORDS.get(word.toLowerCase().replaceAll("’", "'")) : undefined;
    if (cut) found.push([word.slice(0, cut), start, start + cut], [word.slice(cut), start + cut, end]);
    else found.push([word, start, end]);
  }
  return found;
}

/** What a word before a full stop is. */
function abbreviation(word: string): number {
  const lower = word.toLowerCase();
  if (isAlpha(word) && word.length === String.fromCodePoint(word.codePointAt(0)!).length) {
    return word === "p" || word === "n" ? Ending.NUMBERED : Ending.INITIAL;
  }
  if (ITEM.matchAt(word)) return Ending.ITEM;
  if (SHORTENED.has(word)) return Ending.SHORTENED;
  if (NUMBERED.has(lower)) return Ending.NUMBERED;
  if (AMBIGUOUS.has(lower)) return startsWithUppercase(word) ? Ending.AMBIGUOUS : Ending.STOP;
  if (LEADING.has(lower)) return Ending.LEADING;
  if (TRAILING.has(lower)) return Ending.TRAILING;
  return Ending.STOP;
}

/** How the run ends, and the number of the token that ends it. */
function endingOf(text: string, tokens: readonly Token[]): [ending: number, last: number] {
  const core = lengthWithout(text, OWN.CLOSERS);
  let last = tokens.length - 1;
  if (!core || !OWN.STOPS.includes(text[core - 1]!)) return [DASH.matchAt(text) ? Ending.DASH : Ending.NONE, last];
  while (tokens[last]![1] >= core) last -= 1;
  const [mark, start, end] = tokens[last]!;
  if (end !== core) return [Ending.NONE, last]; // the stop is inside a token
  if (startsWithLetter(mark) && mark.endsWith(".")) {
    return [LEADING.has(mark.slice(0, -1).toLowerCase()) ? Ending.LEADING : Ending.TRAILING, last];
  }
  if (mark === ".") {
    const before = tokens[last - 1];
    return [before && before[2] === start ? abbreviation(before[0]) : Ending.STOP, last];
  }
  if (startsWithLetterOrNumber(mark)) return [Ending.NONE, last];
  return [mark.endsWith(".") || mark.endsWith("…") ? Ending.ELLIPSIS : Ending.MARK, last];
}

/** The tokens with full stops joined to the abbreviations before them; one that ends the run may wait. */
function joinAbbreviations(tokens: readonly Token[], last: number): Token[] {
  const joined: Token[] = [];
  tokens.forEach((token, number) => {
    const before = joined.at(-1);
    if (token[0] === "." && before && before[2] === token[1]) {
      const kind = abbreviation(before[0]);
      const joins = kind === Ending.LEADING || kind === Ending.TRAILING;
      if (joins || (number !== last && UNDECIDED_INSIDE.has(kind))) {
        joined[joined.length - 1] = [`${before[0]}.`, before[1], token[2]];
        return;
      }
    }
    joined.push(token);
  });
  return joined;
}

function joinLastStop(tokens: readonly Token[], core: number): readonly Token[] {
  const number = tokens.findIndex((token) => token[2] === core);
  if (number < 1) return tokens;
  const [word, start] = tokens[number - 1]!;
  return [...tokens.slice(0, number - 1), [`${word}.`, start, core], ...tokens.slice(number + 1)];
}

function startOf(text: string): number {
  const at = OPENING.matchAt(text)?.[0].length ?? 0;
  if (at === text.length) return Start.SYMBOL;
  const rest = text.slice(at);
  if (startsWithLowercase(rest)) return Start.LOWER;
  if (startsWithLetter(rest)) {
    const word = FIRST_WORD.matchAt(text, at)?.[0];
    if (word === undefined) return Start.CAPITAL;
    if (rest[0] === "I" && FIRST_PERSON.has(word)) return Start.FIRST_PERSON;
    return STARTERS.has(word.replaceAll("’", "'")) ? Start.STARTER : Start.CAPITAL;
  }
  if (CITATION.matchAt(text)) return Start.CITATION;
  if (startsWithDigit(rest)) return Start.NUMBER;
  if (LONE_DOT.matchAt(text)) return Start.DOT;
  return ONLY_CLOSERS.matchAt(text) ? Start.CLOSER : Start.SYMBOL;
}
