// From raw text to sentences and tokens; nothing of the text is lost or changed.
// The steps of spanlin/text/segmenter.py; the tables and patterns are its own.

import { SPLITTING } from "../generated/splitting.js";
import { CHUNK, Ending, Start, readChunk, type Chunk, type Token } from "./chunks.js";
import { segments } from "./lines.js";
import { Pattern } from "./matching.js";

/** The words of one sentence, the place of each in the text in UTF-16 units, and the stretch that they cover. */
export interface Sentence {
  readonly words: readonly string[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly text: string;
}

const OWN = SPLITTING.segmenter;
const SPEAKER = new Pattern(OWN.SPEAKER);
const INITIAL = new Pattern(OWN.INITIAL);
const COMPANY = new Pattern(OWN.COMPANY);
const CUT_AFTER = new Set(OWN.CUT_AFTER);
const ENDS = new Map<number, Set<number>>();
for (const [ending, starts] of Object.entries(OWN.ENDS_BEFORE)) {
  ENDS.set(Ending[ending as keyof typeof Ending], new Set(starts.map((start) => Start[start as keyof typeof Start])));
}
const CITED: Chunk = { tokens: [], joined: [], ending: Ending.STOP, start: Start.SYMBOL, quoted: false, innerEnds: [] };

/** The sentences of a text; one with more than `longest` tokens is cut, at a comma or the like where there is one. */
export function splitText(text: string, longest = 500): Sentence[] {
  const found: Sentence[] = [];
  for (const [start, end] of segments(text)) {
    for (const sentence of sentencesOf(text, start, end)) {
      if (sentence.words.length <= longest) found.push(sentence);
      else found.push(...cut(sentence, longest));
    }
  }
  return found;
}

class Builder {
  words: string[] = [];
  starts: number[] = [];
  ends: number[] = [];

  add(tokens: readonly Token[], place: number): void {
    for (const [word, left, right] of tokens) {
      this.words.push(word);
      this.starts.push(place + left);
      this.ends.push(place + right);
    }
  }

  /** The sentence; the next one starts. */
  take(text: string): Sentence {
    const { words, starts, ends } = this;
    [this.words, this.starts, this.ends] = [[], [], []];
    return { words, starts, ends, text: text.slice(starts[0], ends.at(-1)) };
  }
}

function* sentencesOf(text: string, start: number, end: number): Generator<Sentence> {
  const sentence = new Builder();
  let waiting: Chunk | null = null; // a run that ends the sentence or not, depending on the next one
  let place = 0; // where that run starts
  for (const match of CHUNK.all(text.slice(start, end))) {
    const at = start + match.index;
    let chunk = readChunk(match[0]);
    if (waiting !== null) {
      const isEnd: boolean = endsSentence(waiting, chunk, text, at, sentence.words.length === 0);
      sentence.add(isEnd ? waiting.tokens : waiting.joined, place);
      const { ending }: Chunk = waiting;
      waiting = null;
      if (isEnd && chunk.start >= Start.CITATION) { // "... in 2014. [4]": the number belongs to the sentence
        sentence.add(chunk.tokens, at);
        waiting = CITED;
        continue;
      }
      if (isEnd) yield sentence.take(text);
      else if (chunk.start === Start.DOT && (ending === Ending.STOP || ending === Ending.ELLIPSIS)) {
        chunk = { ...chunk, ending: Ending.ELLIPSIS }; // "well . . . yes" is like "well... yes"
      }
    }
    place = at;
    if (chunk.innerEnds.length) {
      let done = 0;
      for (const number of chunk.innerEnds) {
        sentence.add(chunk.tokens.slice(done, number), place);
        yield sentence.take(text);
        done = number;
      }
      chunk = { ...chunk, tokens: chunk.tokens.slice(done), joined: chunk.tokens.slice(done) };
    }
    if (chunk.ending !== Ending.NONE) waiting = chunk;
    else sentence.add(chunk.tokens, place);
  }
  if (waiting !== null) sentence.add(waiting.tokens, place);
  if (sentence.words.length) yield sentence.take(text);
}

/** Whether a sentence ends between two runs, the second at `place`; if `isFirst`, the first begins it. */
function endsSentence(chunk: Chunk, following: Chunk, text: string, place: number, isFirst: boolean): boolean {
  if (chunk.ending === Ending.AMBIGUOUS && chunk.tokens.some(([word]) => word === "ID")) return true;
  let { start } = following;
  if ((start === Start.STARTER || start === Start.FIRST_PERSON) && INITIAL.matchAt(text, place)) start = Start.CAPITAL;
  if (!ENDS.get(chunk.ending)!.has(start)) return false;
  if (chunk.quoted && chunk.ending === Ending.STOP && start === Start.LOWER) return false; // "I'm going." she said.
  if (chunk.ending === Ending.MARK && COMPANY.matchAt(text, place)) return false;
  if (isFirst && (chunk.ending === Ending.ITEM || chunk.ending === Ending.INITIAL)) return false;
  return !(chunk.quoted && chunk.ending === Ending.MARK && SPEAKER.matchAt(text, place));
}

/** The sentence in parts of at most so many words. */
function* cut(sentence: Sentence, longest: number): Generator<Sentence> {
  const { words, starts, ends } = sentence;
  for (let left = 0, right: number; left < words.length; left = right) {
    right = Math.min(left + longest, words.length);
    if (right < words.length) {
      const earliest = left + Math.floor(longest / 2);
      for (let place = right; place > earliest; place -= 1) {
        if (!CUT_AFTER.has(words[place - 1]!)) continue;
        right = place;
        break;
      }
    }
    const text = sentence.text.slice(starts[left]! - starts[0]!, ends[right - 1]! - starts[0]!);
    yield { words: words.slice(left, right), starts: starts.slice(left, right), ends: ends.slice(left, right), text };
  }
}
