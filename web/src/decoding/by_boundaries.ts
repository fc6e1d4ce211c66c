// The decoders that go by boundaries alone. As spanlin/decoding/decode.py, greedy.py, exact.py and legalization.py.

import type { Decoder } from "../answers.js";
import { SpanlinError } from "../errors.js";
import type { BinaryTree } from "../trees/labelled_tree.js";
import type { BoundaryScores } from "./boundary_scores.js";
import { Chart, highest, logSum } from "./chart.js";

/** A tree; `certified` if provably none is more probable. */
export interface DecodedTree {
  readonly tree: BinaryTree;
  readonly certified: boolean;
}

const MARGINAL_UNIT = 2 ** -40; // marginals are rounded to this, so that equally good trees tie

/** The tree of a decoder other than `labelled`. */
export function decode(scores: BoundaryScores, decoder: Exclude<Decoder, "labelled">): DecodedTree {
  if (decoder === "min-change") return nearest(scores);
  if (decoder === "minimum-risk") return { tree: minimumRisk(scores), certified: false };
  const found = greedy(scores, decoder === "cky" ? "argmin" : decoder);
  return decoder === "cky" && !found.certified ? { tree: bestTree(scores), certified: true } : found;
}

type Rule = "argmin" | "largest" | "strict";

function greedy(scores: BoundaryScores, rule: Rule): DecodedTree {
  const sides: DecodedTree[] = [];
  if (scores.left) sides.push(readOff(scores.predictedLeft(), rule, "left"));
  if (scores.right) {
    const mirrored = readOff(mirror(scores.predictedRight()), rule, "right");
    sides.push({ tree: mirrorTree(mirrored.tree), certified: mirrored.certified });
  }
  const [one, two] = sides;
  if (!two) return one!;
  const same = one!.tree.lefts.every((left, place) => left === two.tree.lefts[place]);
  const better = scores.treeScore(two.tree) > scores.treeScore(one!.tree);
  return { tree: (better ? two : one!).tree, certified: one!.certified && two.certified && same };
}

function readOff(boundaries: readonly number[], rule: Rule, side: "left" | "right"): DecodedTree {
  const tree = greedyTree(boundaries, rule === "largest" ? "largest" : "argmin");
  const certified = tree.lefts.every((left, place) => left === boundaries[place]);
  if (rule === "strict" && !certified) {
    const count = boundaries.length;
    let spans = crossingPair(boundaries)!;
    if (side === "right") spans = spans.map(([left, right]) => [count - right, count - left] as const).reverse();
    const shown = spans.map(([left, right]) => `(${left}, ${right})`).join(" and ");
    throw new SpanlinError(`no tree has these ${side} boundaries: ${shown} cross`);
  }
  return { tree, certified };
}

/** The tree that a rule reads off left boundaries, in linear time. */
export function greedyTree(boundaries: readonly number[], rule: "argmin" | "largest"): BinaryTree {
  const count = boundaries.length;
  const lefts = [-1, ...new Array<number>(count - 1).fill(0)];
  const rights = new Array<number>(count).fill(count);
  const keys = rule === "largest" ? lefts : [-1, ...boundaries];
  for (let split = 1; split < count; split += 1) {
    let entry = split - 1;
    while (keys[entry]! >= boundaries[split - 1]!) {
      rights[entry] = split;
      entry = lefts[entry]!;
    }
    lefts[split] = entry;
  }
  return { lefts: lefts.slice(1), rights: rights.slice(1) };
}

const mirror = (boundaries: readonly number[]): number[] =>
  boundaries.map((boundary) => boundaries.length - boundary).reverse();

function mirrorTree({ lefts, rights }: BinaryTree): BinaryTree {
  const count = lefts.length + 1;
  const reversed = (edges: readonly number[]) => edges.map((edge) => count - edge).reverse();
  return { lefts: reversed(rights), rights: reversed(lefts) };
}

/** The first two spans that cross, the one that ends first in front. */
function crossingPair(boundaries: readonly number[]): (readonly [number, number])[] | null {
  const open: [number, number][] = [];
  for (const [place, boundary] of boundaries.entries()) {
    while (open.length && open.at(-1)![0] >= boundary) open.pop();
    const last = open.at(-1);
    if (last && last[1] > boundary) return [last, [boundary, place + 1]];
    open.push([boundary, place + 1]);
  }
  return null;
}

function bestTree(scores: BoundaryScores): BinaryTree {
  return chartOf(scores, highest).best();
}

function chartOf(scores: BoundaryScores, combine: (values: Float64Array) => number): Chart {
  const { count } = scores;
  return new Chart({ count, left: (i, j) => scores.leftAt(i, j), right: (i, j) => scores.rightAt(i, j) }, combine);
}

function minimumRisk(scores: BoundaryScores): BinaryTree {
  const { count } = scores;
  const { asLeft, asRight } = chartOf(scores, logSum).childMarginals();
  const span = (left: number, right: number): number => {
    const at = left * (count + 1) + right;
    const own = right - left === count ? 1 : Math.min(asLeft[at]! + asRight[at]!, 1);
    return Math.round(own / MARGINAL_UNIT) * MARGINAL_UNIT;
  };
  return new Chart({ count, left: () => 0, right: () => 0, span }, highest).best();
}

/** The tree that changes the fewest of the predicted boundaries; certified if it changes none. */
function nearest(scores: BoundaryScores): DecodedTree {
  const { count } = scores;
  const lefts = scores.left && scores.predictedLeft();
  const rights = scores.right && scores.predictedRight();
  const left = (start: number, end: number) => Number(lefts?.[end - 1] === start);
  const right = (start: number, end: number) => Number(rights?.[start] === end);
  const tree = new Chart({ count, left, right }, highest).best();
  const certified =
    (!lefts || tree.lefts.every((start, place) => start === lefts[place])) &&
    (!rights || tree.rights.every((end, place) => end === rights[place + 1]));
  return { tree, certified };
}
