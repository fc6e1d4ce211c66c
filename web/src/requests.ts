// Requests as the service takes them, checked, and the sentences in them.

import { DECODERS, type Decoder, type ParseRequest, type SentenceConstraints } from "./answers.js";
import { hasArcs } from "./decoding/arc_rules.js";
import { SpanlinError } from "./errors.js";
import type { Wanted } from "./redecoding.js";
import { splitText, type Sentence } from "./text/segmenter.js";

const OBEDIENT: readonly Decoder[] = ["argmin", "labelled"];
const LONGEST_SENTENCE = 500; // words; longer ones of a text are cut

/** A sentence of a request: its words, where they stand in a text if they come from one, and its constraints. */
export interface Job {
  readonly item: number;
  readonly words: readonly string[];
  readonly sentence: Sentence | null;
  /** Those on constituents and arcs; null if there are none. */
  readonly constraints: SentenceConstraints | null;
}

/** Whether there are constraints on constituents. */
export const hasConstituents = (wanted: SentenceConstraints | null): boolean =>
  Boolean(wanted?.required?.length || wanted?.forbidden?.length);

/** What is wanted of the trees of a request, or a SpanlinError that says what cannot be done. */
export function wantedOf(request: ParseRequest): Wanted {
  const { decoder = "argmin", k_best: kBest = 1, scores = false, marginals = false } = request;
  if (!DECODERS.includes(decoder)) {
    throw new SpanlinError(`unknown decoder '${decoder}': choose one of ${DECODERS.join(", ")}`);
  }
  if (!Number.isInteger(kBest) || kBest < 1 || kBest > 1000) throw new SpanlinError(`k_best must be 1 to 1000, got ${kBest}`);
  if (kBest > 1 && !OBEDIENT.includes(decoder)) {
    throw new SpanlinError(`k_best always uses the decoder 'labelled': leave out '${decoder}'`);
  }
  if (request.constraints?.length && !OBEDIENT.includes(decoder)) {
    throw new SpanlinError(`constraints need the decoder 'labelled': leave out '${decoder}'`);
  }
  if (request.format === "brackets" && (kBest > 1 || scores || marginals)) {
    throw new SpanlinError("format brackets gives one tree per sentence: ask for format json");
  }
  return { decoder, kBest, scores, marginals, rootLabel: request.root_label ?? "" };
}

/** All sentences of a request, and how many items it has. */
export function jobsOf(request: ParseRequest): { jobs: Job[]; itemCount: number } {
  const given = (["text", "texts", "tokens"] as const).filter((name) => request[name] !== undefined);
  if (given.length !== 1) {
    throw new SpanlinError(`give one of text, texts and tokens, got ${given.join(" and ") || "none"}`);
  }
  const texts = request.text === undefined ? request.texts : [request.text];
  const jobs = texts
    ? texts.flatMap((text, item) =>
        splitText(checkedText(text), LONGEST_SENTENCE).map((sentence) => ({ item, words: sentence.words, sentence, constraints: null })),
      )
    : request.tokens!.map((words, item) => ({ item, words: checkedWords(words, item), sentence: null, constraints: null }));
  return { jobs: constrain(jobs, request.constraints ?? []), itemCount: (texts ?? request.tokens!).length };
}

function checkedText(text: unknown): string {
  if (typeof text !== "string") throw new SpanlinError(`a text is a string, not of type ${typeof text}`);
  return text;
}

function checkedWords(words: unknown, item: number): string[] {
  if (Array.isArray(words) && words.every((word) => typeof word === "string")) return words;
  throw new SpanlinError(`tokens[${item}] must be a list of words`);
}

function constrain(jobs: Job[], wanted: readonly SentenceConstraints[]): Job[] {
  const found = [...jobs];
  for (const [place, { item = 0, sentence = 0, ...given }] of wanted.entries()) {
    const numbers = [...found.keys()].filter((number) => found[number]!.item === item);
    const number = numbers[sentence];
    if (number === undefined) {
      throw new SpanlinError(`constraints[${place}]: item ${item} has no sentence ${sentence} (of ${numbers.length}, from 0)`);
    }
    const job = found[number]!;
    if (!hasConstituents(given) && !hasArcs(given)) continue;
    const before = job.constraints;
    found[number] = {
      ...job,
      constraints: {
        required: [...(before?.required ?? []), ...(given.required ?? [])],
        forbidden: [...(before?.forbidden ?? []), ...(given.forbidden ?? [])],
        required_arcs: [...(before?.required_arcs ?? []), ...(given.required_arcs ?? [])],
        forbidden_arcs: [...(before?.forbidden_arcs ?? []), ...(given.forbidden_arcs ?? [])],
      },
    };
  }
  return found;
}
