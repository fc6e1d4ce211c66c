// How sure a parser is of each constituent, as a probability that means what it says.
// As spanlin/runtime/confidence.py and spanlin/model_folder/calibration.py have it.

import { RUNTIME } from "./generated/runtime.js";
import type { Calibration } from "./model/manifest.js";

const { FARTHEST, BEYOND } = RUNTIME.confidence;
const { CERTAIN } = RUNTIME.calibration;

const clip = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** log(p / (1 - p)) from log p, within bounds. */
function logOdds(logProb: number): number {
  const below = Math.min(logProb, -1e-9);
  return clip(below - Math.log(-Math.expm1(below)), -FARTHEST, FARTHEST);
}

/** The probability of each span of a tree with its label; `isRoot` says which spans are the whole sentence. */
export function spanProbabilities(
  spanLogProbs: readonly number[],
  labelLogProbs: readonly number[],
  tagLogProbs: readonly number[],
  isRoot: readonly boolean[],
  weights: Calibration,
): number[] {
  const spans = spanLogProbs.map((value) => clip(value, -BEYOND, 0));
  const tags = tagLogProbs.map((value) => clip(value, -BEYOND, 0));
  const meanTag = sum(tags) / tags.length;
  const meanSpan = sum(spans.map(logOdds)) / spans.length;
  return spans.map((span, place) => {
    const own = logOdds(span + clip(labelLogProbs[place]!, -BEYOND, 0));
    const root = isRoot[place] ? weights.root : 0;
    const odds = own * weights.span + root + meanTag * weights.tags + meanSpan * weights.sentence + weights.offset;
    return 1 / (1 + Math.exp(-clip(odds, -CERTAIN, CERTAIN)));
  });
}

/** A probability from its logarithm, which rounding may have taken past certainty. */
export const asProbability = (logProb: number): number => Math.exp(Math.min(logProb, 0));

/** A number with six decimals. */
export const rounded = (value: number): number => Number(value.toFixed(6));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
