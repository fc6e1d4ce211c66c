// The chart behind the exact decoders: all spans of a sentence, one width after the other. As spanlin/decoding/chart.py.

import { SpanlinError } from "../errors.js";
import type { BinaryTree } from "../trees/labelled_tree.js";

/** A table of spans (i, j), 0 <= i < j <= n, in a row. */
export type SpanTable = Float64Array;

export const tableOf = (count: number, value: number): SpanTable => new Float64Array((count + 1) * (count + 1)).fill(value);

export interface ChartTerms {
  readonly count: number;
  /** What a span adds as a left child, as a right child, and wherever it is used. */
  readonly left: (left: number, right: number) => number;
  readonly right: (left: number, right: number) => number;
  readonly span?: (left: number, right: number) => number;
}

/** Scores of all spans, and with what they add as children; a split is known by the width of its right child. */
export class Chart {
  readonly count: number;
  readonly spans: SpanTable;
  readonly #asLeft: SpanTable;
  readonly #asRight: SpanTable;

  /** `combine` makes the score of a span of those of its splits. */
  constructor({ count, left, right, span }: ChartTerms, combine: (scores: Float64Array) => number) {
    this.count = count;
    this.spans = tableOf(count, -Infinity);
    this.#asLeft = tableOf(count, -Infinity);
    this.#asRight = tableOf(count, -Infinity);
    for (let width = 1; width <= count; width += 1) {
      for (let start = 0; start + width <= count; start += 1) {
        const end = start + width;
        const at = start * (count + 1) + end;
        const score = (width === 1 ? 0 : combine(this.splitScores(start, end))) + (span?.(start, end) ?? 0);
        this.spans[at] = score;
        this.#asLeft[at] = score + left(start, end);
        this.#asRight[at] = score + right(start, end);
      }
    }
    if (this.root === -Infinity) throw new SpanlinError("every tree has log-probability -inf");
  }

  get root(): number {
    return this.spans[this.count]!;
  }

  /** The scores of a span's splits, by the width of the right child from 1 on. */
  splitScores(left: number, right: number): Float64Array {
    const scores = new Float64Array(right - left - 1);
    for (let width = 1; width < right - left; width += 1) {
      const split = right - width;
      scores[width - 1] = this.#asLeft[left * (this.count + 1) + split]! + this.#asRight[split * (this.count + 1) + right]!;
    }
    return scores;
  }

  /** The best tree, from the root down; of equal splits the largest, as the paper's argmin rule does. */
  best(): BinaryTree {
    const lefts = new Array<number>(this.count - 1).fill(0);
    const rights = new Array<number>(this.count - 1).fill(0);
    const open: [number, number][] = [[0, this.count]];
    for (let span = open.pop(); span; span = open.pop()) {
      const [left, right] = span;
      if (right - left < 2) continue;
      const scores = this.splitScores(left, right);
      let width = 1;
      for (let other = 2; other <= scores.length; other += 1) if (scores[other - 1]! > scores[width - 1]!) width = other;
      const split = right - width;
      lefts[split - 1] = left;
      rights[split - 1] = right;
      open.push([left, split], [split, right]);
    }
    return { lefts, rights };
  }

  /** Of a chart of sums, the probability of each span as a left child, and as a right one. */
  childMarginals(): { asLeft: SpanTable; asRight: SpanTable } {
    const { count } = this;
    const asLeft = tableOf(count, 0);
    const asRight = tableOf(count, 0);
    for (let width = count; width > 1; width -= 1) {
      for (let start = 0; start + width <= count; start += 1) {
        const end = start + width;
        const at = start * (count + 1) + end;
        const own = width === count ? 1 : Math.min(asLeft[at]! + asRight[at]!, 1);
        if (this.spans[at] === -Infinity || own === 0) continue;
        this.splitScores(start, end).forEach((score, place) => {
          const split = end - place - 1;
          const handedOn = Math.exp(score - this.spans[at]!) * own;
          asLeft[start * (count + 1) + split]! += handedOn;
          asRight[split * (count + 1) + end]! += handedOn;
        });
      }
    }
    return { asLeft, asRight };
  }
}

export const highest = (scores: Float64Array): number => scores.reduce((best, score) => Math.max(best, score), -Infinity);

export function logSum(scores: Float64Array): number {
  const shift = highest(scores);
  if (shift === -Infinity) return -Infinity;
  return Math.log(scores.reduce((total, score) => total + Math.exp(score - shift), 0)) + shift;
}
