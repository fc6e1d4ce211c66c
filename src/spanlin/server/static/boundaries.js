// The paper's linearization (Wei et al. 2020, sec. 2), read off a drawn tree, and where predictions break it.
//
// "left" is the paper's D: for each split point j = 1..n the left end of the longest span that ends there. "right" is
// its mirror image: for each split point i = 0..n-1 the right end of the longest span that starts there.

import { constituents } from "./tree.js";

export const crosses = (a, b) =>
  (a.left < b.left && b.left < a.right && a.right < b.right) ||
  (b.left < a.left && a.left < b.right && b.right < a.right);

/**
 * The spans of the binary tree, by "left-right", with the labels of the constituents over each.
 *
 * The service tells them where scores were asked for. Without, they are those of the tree's right binarization: a
 * constituent of k children gives k-2 spans without a label, each from a middle child to the constituent's end.
 */
export function treeSpans(parsed, root) {
  const spans = new Map();
  const add = (left, right, label) => {
    const key = `${left}-${right}`;
    if (!spans.has(key)) spans.set(key, { left, right, labels: [] });
    if (label) spans.get(key).labels.push(label);
  };
  for (const found of [root, ...constituents(root)]) {
    add(found.left, found.right, found === root ? "" : found.label);
    if (!parsed.splits) for (const child of found.children.slice(1, -1)) add(child.left, found.right, "");
    for (const child of found.children) if (child.word !== null) add(child.left, child.right, "");
  }
  for (const [left, right] of parsed.splits ?? []) add(left, right, "");
  return spans;
}

/** The tree's own boundaries on one side, as spans, one a split point. */
export function treeBoundaries(parsed, root, side) {
  const spans = parsed.words.map((_, word) => ({ left: word, right: word + 1 }));
  for (const { left, right } of treeSpans(parsed, root).values()) {
    const place = side === "left" ? right - 1 : left;
    const longest = spans[place];
    if (right - left > longest.right - longest.left) spans[place] = { left, right };
  }
  return spans;
}

/**
 * The predicted boundaries on one side as spans, each with what is wrong with it.
 *
 * `crossing` is the constituent that it crosses, if any: the decoder had to overrule it. `clash` is another predicted
 * span that it crosses: the two cannot stand in one tree (Prop. 2), so the prediction is illegal.
 */
export function predictedBoundaries(parsed, root, side) {
  const numbers = side === "left" ? parsed.left_boundaries : parsed.right_boundaries;
  if (!numbers) return null;
  const chosen = constituents(root);
  const spans = numbers.map((number, index) =>
    side === "left" ? { left: number, right: index + 1 } : { left: index, right: number },
  );
  return spans.map((span) => ({
    ...span,
    crossing: chosen.find((found) => crosses(span, found)) ?? null,
    clash: spans.find((other) => crosses(span, other)) ?? null,
  }));
}

/** How the predictions of one side fare: how many the tree keeps, how many cross it, or null where there are none. */
export function tally(parsed, root, side) {
  const predicted = predictedBoundaries(parsed, root, side);
  if (!predicted) return null;
  const chosen = treeBoundaries(parsed, root, side);
  const isKept = (span, index) => span.left === chosen[index].left && span.right === chosen[index].right;
  return {
    kept: predicted.filter(isKept).length,
    crossing: predicted.filter((span) => span.crossing || span.clash).length,
    count: predicted.length,
  };
}
