// The best trees of one sentence, found lazily (Huang & Chiang 2005, algorithm 3). As spanlin/decoding/kbest.py.

import { Role, type BinaryTree } from "../trees/labelled_tree.js";
import type { Chart } from "./chart.js";

/** What a span adds to the score of a tree by itself, one term for each of its labels, best first. */
export type SpanTerms = (role: Role, left: number, right: number) => readonly number[];

export interface RankedTree {
  readonly tree: BinaryTree;
  readonly splitRanks: readonly number[];
  readonly wordRanks: readonly number[];
  readonly score: number;
}

/** A subtree; its split is known by the width of its right child, 0 for a word. */
interface Subtree {
  readonly score: number;
  readonly rightWidth: number;
  readonly leftRank: number;
  readonly rightRank: number;
  readonly termRank: number;
}

/** A span in a role, the subtrees found for it, and the candidates for the next one. */
interface Item {
  readonly left: number;
  readonly right: number;
  readonly role: Role;
  readonly terms: readonly number[];
  readonly found: Subtree[];
  readonly candidates: Subtree[];
  exhausted: boolean;
}

/** All trees of a chart, best first; the chart's maxima are over the same terms. */
export function* rankedTrees(chart: Chart, terms: SpanTerms): Generator<RankedTree> {
  const forest = new Forest(chart, terms);
  for (let rank = 0; forest.find(rank); rank += 1) yield forest.tree(rank);
}

/** The order of candidates: best first, then the largest split, then the lowest ranks. */
function isBefore(one: Subtree, two: Subtree): boolean {
  const keys = [two.score - one.score, one.rightWidth - two.rightWidth, one.leftRank - two.leftRank,
    one.rightRank - two.rightRank, one.termRank - two.termRank];
  return (keys.find((key) => key !== 0) ?? 0) < 0;
}

class Forest {
  readonly #chart: Chart;
  readonly #terms: SpanTerms;
  readonly #items = new Map<number, Item>();
  readonly #root: Item;

  constructor(chart: Chart, terms: SpanTerms) {
    this.#chart = chart;
    this.#terms = terms;
    this.#root = this.#item(0, chart.count, Role.ROOT);
  }

  /** Find the trees up to this rank; return whether there are that many. */
  find(rootRank: number): boolean {
    const tasks: [Item, number][] = [[this.#root, rootRank]];
    while (tasks.length) {
      const [item, rank] = tasks.at(-1)!;
      if (isSettled(item, rank)) {
        tasks.pop();
        continue;
      }
      // What follows the last subtree depends on whether its children have another subtree each.
      const last = item.found.at(-1)!;
      const [left, right] = this.#children(item, last.rightWidth);
      const wanted: [Item, number][] = [[right, last.rightRank + 1]];
      if (last.rightRank === 0) wanted.push([left, last.leftRank + 1]); // else it would come in by two ways
      const unsettled = wanted.filter(([child, childRank]) => !isSettled(child, childRank));
      if (unsettled.length) {
        tasks.push(...unsettled);
        continue;
      }
      for (const [child, childRank] of wanted) {
        if (childRank >= child.found.length) continue;
        if (child === left) this.#addCandidate(item, { ...last, leftRank: childRank });
        else this.#addCandidate(item, { ...last, rightRank: childRank });
      }
      if (last.leftRank === 0 && last.rightRank === 0 && last.termRank + 1 < item.terms.length) {
        this.#addCandidate(item, { ...last, termRank: last.termRank + 1 });
      }
      takeBest(item);
    }
    return rootRank < this.#root.found.length;
  }

  /** A tree that has been found. */
  tree(rootRank: number): RankedTree {
    const { count } = this.#chart;
    const lefts = new Array<number>(count - 1).fill(0);
    const rights = new Array<number>(count - 1).fill(0);
    const splitRanks = new Array<number>(count - 1).fill(0);
    const wordRanks = new Array<number>(count).fill(0);
    const stack: [Item, number][] = [[this.#root, rootRank]];
    for (let task = stack.pop(); task; task = stack.pop()) {
      const [item, rank] = task;
      const subtree = item.found[rank]!;
      if (!subtree.rightWidth) {
        wordRanks[item.left] = subtree.termRank;
        continue;
      }
      const split = item.right - subtree.rightWidth;
      lefts[split - 1] = item.left;
      rights[split - 1] = item.right;
      splitRanks[split - 1] = subtree.termRank;
      const [left, right] = this.#children(item, subtree.rightWidth);
      stack.push([left, subtree.leftRank], [right, subtree.rightRank]);
    }
    return { tree: { lefts, rights }, splitRanks, wordRanks, score: this.#root.found[rootRank]!.score };
  }

  #children(item: Item, rightWidth: number): [Item, Item] {
    const split = item.right - rightWidth;
    return [this.#item(item.left, split, Role.LEFT), this.#item(split, item.right, Role.RIGHT)];
  }

  /** An item with its best subtree found; the best subtree of each split is a candidate first. */
  #item(left: number, right: number, role: Role): Item {
    const key = (left * (this.#chart.count + 1) + right) * 3 + role;
    let item = this.#items.get(key);
    if (item) return item;
    const terms = this.#terms(role, left, right);
    item = { left, right, role, terms, found: [], candidates: [], exhausted: false };
    this.#items.set(key, item);
    if (right - left === 1) {
      const words = terms.map((score, termRank) => ({ score, rightWidth: 0, leftRank: 0, rightRank: 0, termRank }));
      item.found.push(...words);
      item.exhausted = true;
      return item;
    }
    if (terms.length) {
      this.#chart.splitScores(left, right).forEach((score, place) => {
        if (score === -Infinity) return;
        item.candidates.push({ score: score + terms[0]!, rightWidth: place + 1, leftRank: 0, rightRank: 0, termRank: 0 });
      });
    }
    takeBest(item);
    return item;
  }

  #addCandidate(item: Item, subtree: Subtree): void {
    const [left, right] = this.#children(item, subtree.rightWidth);
    const children = left.found[subtree.leftRank]!.score + right.found[subtree.rightRank]!.score;
    const score = children + item.terms[subtree.termRank]!;
    if (score > -Infinity) item.candidates.push({ ...subtree, score });
  }
}

const isSettled = (item: Item, rank: number): boolean => rank < item.found.length || item.exhausted;

function takeBest(item: Item): void {
  if (!item.candidates.length) {
    item.exhausted = true;
    return;
  }
  let best = 0;
  for (let place = 1; place < item.candidates.length; place += 1) {
    if (isBefore(item.candidates[place]!, item.candidates[best]!)) best = place;
  }
  const [taken] = item.candidates.splice(best, 1);
  item.found.push(taken!);
}
