// The JSON of a parsed sentence, key by key as the service gives it. As spanlin/parsed.py and spanlin/runtime/results.py.

import type { Constituent, Decoder, ParsedSentence } from "./answers.js";
import type { BoundaryScores } from "./decoding/boundary_scores.js";
import type { SpanTable } from "./decoding/chart.js";
import { asProbability, rounded, spanProbabilities } from "./probabilities.js";
import type { FoundTree } from "./redecoding.js";
import type { Manifest } from "./model/manifest.js";
import type { BracketWriter } from "./trees/brackets.js";
import { Role, allSpans } from "./trees/labelled_tree.js";
import { constituentLabels } from "./trees/labels.js";

const LEAST_MARGINAL = 0.0005; // less is left out

/** Where a sentence's words stand in its text: units of the text, and what is told of them. */
export interface Places {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly told: (unit: number) => number;
}

/** All of a sentence that its trees share. */
export interface SentenceFacts {
  readonly words: readonly string[];
  readonly places: Places | null;
  readonly tags: readonly number[];
  readonly tagLogProbs: readonly number[];
  readonly leftBoundaries: number[] | null;
  readonly rightBoundaries: number[] | null;
}

export interface JsonMaker {
  readonly manifest: Manifest;
  readonly writer: BracketWriter;
}

/** The JSON of one tree of a sentence; `decoder` is the one that was asked for. */
export function treeJson(facts: SentenceFacts, found: FoundTree, decoder: Decoder, maker: JsonMaker): ParsedSentence {
  const { words, places, tags, tagLogProbs } = facts;
  const { manifest, writer } = maker;
  const json: ParsedSentence = {
    text: places ? places.text : words.join(" "),
    words: [...words],
    tags: tags.map((tag) => manifest.tags[tag]!),
    tag_probabilities: tagLogProbs.map((value) => rounded(asProbability(value))),
    offsets: places && words.map((_, word) => [places.told(places.starts[word]!), places.told(places.ends[word]!)]),
    brackets: writer.write(words, found.tree, tags),
    constituents: constituents(facts, found, manifest),
    calibrated: manifest.isCalibrated,
    decoder: found.isLabelled ? "labelled" : decoder,
    certified: found.certified,
    left_boundaries: facts.leftBoundaries,
    right_boundaries: facts.rightBoundaries,
  };
  if (found.probability !== null) json.probability = rounded(found.probability);
  if (found.logProbability !== null) json.log_probability = rounded(found.logProbability);
  return json;
}

/** The JSON of a sentence without words. */
export function emptyJson(decoder: Decoder, manifest: Manifest, has: (name: string) => boolean, scores: boolean): ParsedSentence {
  const json: ParsedSentence = {
    text: "", words: [], tags: [], tag_probabilities: [], offsets: null, brackets: "", constituents: [],
    calibrated: manifest.isCalibrated,
    decoder,
    certified: true,
    left_boundaries: has("left_boundaries") ? [] : null,
    right_boundaries: has("right_boundaries") ? [] : null,
  };
  if (scores) Object.assign(json, { splits: [], left_log_probs: [], right_log_probs: [] });
  if (has("heads")) {
    Object.assign(json, { heads: [], relations: [], universal_tags: [], arc_probabilities: [], dependencies_certified: true });
  }
  return json;
}

export function addScores(json: ParsedSentence, found: FoundTree, scores: BoundaryScores): void {
  const rows = (side: Float64Array) =>
    Array.from({ length: scores.count }, (_, row) =>
      Array.from(side.subarray(row * scores.count, (row + 1) * scores.count), (value) =>
        value === -Infinity ? null : rounded(value),
      ),
    );
  json.splits = found.tree.lefts.map((left, place) => [left, found.tree.rights[place]!]);
  if (scores.left) json.left_log_probs = rows(scores.left);
  if (scores.right) json.right_log_probs = rows(scores.right);
}

/** Left and right edge and probability of each constituent, if it is 0.0005 or more. */
export function marginalSpans(marginals: SpanTable, count: number): [number, number, number][] {
  const found: [number, number, number][] = [];
  marginals.forEach((probability, at) => {
    if (probability >= LEAST_MARGINAL) found.push([Math.floor(at / (count + 1)), at % (count + 1), rounded(probability)]);
  });
  return found;
}

/** The labelled phrases, each before those inside it. */
function constituents({ words, places, tagLogProbs }: SentenceFacts, found: FoundTree, manifest: Manifest): Constituent[] {
  const spans = allSpans(found.tree);
  const labels = [...found.tree.splitLabels, ...found.tree.wordLabels];
  const probabilities = spanProbabilities(
    found.spanLogProbs,
    found.labelLogProbs,
    tagLogProbs,
    spans.map(({ role }) => role === Role.ROOT),
    manifest.calibration,
  );
  return [...spans.keys()]
    .filter((place) => labels[place] !== 0)
    .sort((one, two) => spans[one]!.left - spans[two]!.left || spans[two]!.right - spans[one]!.right)
    .flatMap((place) => {
      const { left, right } = spans[place]!;
      return constituentLabels(manifest.labels[labels[place]!]!).map((label) => ({
        label,
        left,
        right,
        probability: rounded(probabilities[place]!),
        start: places ? places.told(places.starts[left]!) : -1,
        end: places ? places.told(places.ends[right - 1]!) : -1,
        text: places
          ? places.text.slice(places.starts[left]! - places.starts[0]!, places.ends[right - 1]! - places.starts[0]!)
          : words.slice(left, right).join(" "),
      }));
    });
}
