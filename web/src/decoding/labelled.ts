// Labelled trees of any arity: the most probable ones by splits and labels together, and how probable each is.
// As spanlin/decoding/labelled.py.

import { Role, allSpans, type LabelledTree } from "../trees/labelled_tree.js";
import type { BoundaryScores } from "./boundary_scores.js";
import { Chart, highest, logSum, tableOf, type SpanTable } from "./chart.js";
import { rankedTrees } from "./kbest.js";
import type { LabelSet, SpanRules } from "./label_rules.js";

/** A tree with the logarithm of its probability. */
export interface ScoredTree {
  readonly tree: LabelledTree;
  readonly logProb: number;
}

interface RankedSpan {
  /** The numbers of the allowed labels, best first, and their scores. */
  readonly labels: readonly number[];
  readonly scores: readonly number[];
}

const NOTHING: RankedSpan = { labels: [], scores: [] };

/** The best labels of all spans of a sentence, for each role that a span may have in a tree. */
export class RankedLabels {
  readonly totals: readonly SpanTable[];
  readonly shares: readonly SpanTable[];
  readonly #spans: RankedSpan[][];
  readonly #labels: LabelSet;
  readonly #count: number;
  readonly #ranks: number;

  constructor(labels: LabelSet, count: number, ranks: number) {
    this.#labels = labels;
    this.#count = count;
    this.#ranks = ranks;
    this.totals = [0, 1, 2].map(() => tableOf(count, -Infinity));
    this.shares = [0, 1, 2].map(() => tableOf(count, 0));
    this.#spans = [[], [], []];
  }

  /** Rank the labels of a span by the scores of all of them. */
  put(role: Role, left: number, right: number, scores: Float64Array, rules: SpanRules): void {
    const allowed = rules.allowed(left, right, role);
    const at = left * (this.#count + 1) + right;
    if (!allowed) return;
    const values = scores.map((score, label) => (allowed[label] ? score : -Infinity));
    this.#spans[role]![at] = this.#ranked(values);
    const total = logSum(values);
    this.totals[role]![at] = total;
    const own = logSum(values.filter((_, label) => this.#labels.isConstituent[label]));
    this.shares[role]![at] = total === -Infinity ? 0 : Math.exp(own - total);
  }

  of(role: Role, left: number, right: number): RankedSpan {
    return this.#spans[role]![left * (this.#count + 1) + right] ?? NOTHING;
  }

  #ranked(values: Float64Array): RankedSpan {
    let order: number[];
    if (this.#ranks === 1) {
      order = [values.indexOf(highest(values))];
    } else {
      order = Array.from(values.keys()).sort((one, two) => compare(values[two]!, values[one]!)).slice(0, this.#ranks);
    }
    const labels = order.filter((label) => values[label]! > -Infinity);
    return { labels, scores: labels.map((label) => values[label]!) };
  }
}

/** The order of two numbers, of which either may be infinite. */
const compare = (one: number, two: number): number => (one < two ? -1 : Number(one > two));

/** The labelled trees of a sentence. */
export class LabelledProblem {
  readonly #scores: BoundaryScores;
  readonly #ranked: RankedLabels;
  readonly #temperature: number;
  readonly #sums: Chart;

  constructor(scores: BoundaryScores, ranked: RankedLabels, temperature: number) {
    this.#scores = scores;
    this.#ranked = ranked;
    this.#temperature = temperature;
    this.#sums = this.#chart((role, left, right) => ranked.totals[role]![left * (scores.count + 1) + right]!, logSum);
  }

  /** The most probable trees, best first, as far as the ranks of labels reach. */
  *trees(): Generator<ScoredTree> {
    const { count } = this.#scores;
    const best = this.#chart((role, left, right) => this.#ranked.of(role, left, right).scores[0] ?? -Infinity, highest);
    const total = this.#sums.root + this.#ranked.totals[Role.ROOT]![count]!;
    const terms = (role: Role, left: number, right: number) => {
      const boundary = this.#boundary(role, left, right);
      return this.#ranked.of(role, left, right).scores.map((score) => score + boundary).filter((term) => term > -Infinity);
    };
    for (const { tree, splitRanks, wordRanks, score } of rankedTrees(best, terms)) {
      const ranks = [...splitRanks, ...wordRanks];
      const labels = allSpans(tree).map(
        ({ left, right, role }, place) => this.#ranked.of(role, left, right).labels[ranks[place]!]!,
      );
      const splitLabels = labels.slice(0, count - 1);
      yield { tree: { ...tree, splitLabels, wordLabels: labels.slice(count - 1) }, logProb: score - total };
    }
  }

  /** How probable a constituent over the words i to j is, whatever its label. */
  marginals(): SpanTable {
    const { count } = this.#scores;
    const { asLeft, asRight } = this.#sums.childMarginals();
    const [leftShares, rightShares, rootShares] = this.#ranked.shares;
    const found = asLeft.map((own, at) =>
      Math.min(own * leftShares![at]! + asRight[at]! * rightShares![at]!, 1),
    );
    found[count] = rootShares![count]!;
    return found;
  }

  #boundary(role: Role, left: number, right: number): number {
    if (role === Role.ROOT) return 0;
    const own = role === Role.LEFT ? this.#scores.leftAt(left, right) : this.#scores.rightAt(left, right);
    return own / this.#temperature;
  }

  #chart(label: (role: Role, left: number, right: number) => number, combine: (scores: Float64Array) => number): Chart {
    const term = (role: Role) => (left: number, right: number) => label(role, left, right) + this.#boundary(role, left, right);
    return new Chart({ count: this.#scores.count, left: term(Role.LEFT), right: term(Role.RIGHT) }, combine);
  }
}
