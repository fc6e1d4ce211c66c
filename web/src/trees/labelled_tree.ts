/** A binary tree by its split points 1..n-1: the span that each divides, its label, and the labels of the words. */
export interface LabelledTree {
  readonly lefts: readonly number[];
  readonly rights: readonly number[];
  readonly splitLabels: readonly number[];
  readonly wordLabels: readonly number[];
}

/** A binary tree without labels. */
export type BinaryTree = Pick<LabelledTree, "lefts" | "rights">;

/** What a span is in its tree. */
export const Role = { LEFT: 0, RIGHT: 1, ROOT: 2 } as const;
export type Role = (typeof Role)[keyof typeof Role];

/** All 2n - 1 spans of a tree, the divided ones by split point and then the words, each with its role. */
export function allSpans(tree: BinaryTree): { left: number; right: number; role: Role }[] {
  const count = tree.lefts.length + 1;
  const edges = [
    ...tree.lefts.map((left, place) => [left, tree.rights[place]!] as const),
    ...Array.from({ length: count }, (_, place) => [place, place + 1] as const),
  ];
  return edges.map(([left, right]) => {
    if (left === 0 && right === count) return { left, right, role: Role.ROOT };
    // The left boundary at its right end is its own left edge if it is a left child.
    const boundary = right === count ? 0 : tree.lefts[right - 1]!;
    return { left, right, role: boundary === left ? Role.LEFT : Role.RIGHT };
  });
}
