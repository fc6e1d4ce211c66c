// Log-probabilities of the boundaries of one sentence, and what they say of a tree. As spanlin/decoding/scores.py.

import { SpanlinError } from "../errors.js";
import type { BinaryTree } from "../trees/labelled_tree.js";

/** `left` has log P(i|j) at [j-1, i], `right` log P(j|i) at [i, j-1], each n by n in a row; -Infinity where i >= j. */
export class BoundaryScores {
  constructor(
    readonly count: number,
    readonly left: Float64Array | null,
    readonly right: Float64Array | null,
  ) {
    if (!left && !right) throw new SpanlinError("this model gives no scores of boundaries: export it again");
  }

  /** The scores of a sentence from those of a graph, whose rows may be padded to `width` words. */
  static of(count: number, width: number, left: ArrayLike<number> | null, right: ArrayLike<number> | null): BoundaryScores {
    const side = (values: ArrayLike<number> | null, isPossible: (row: number, column: number) => boolean) => {
      if (!values) return null;
      const found = new Float64Array(count * count).fill(-Infinity);
      for (let row = 0; row < count; row += 1) {
        for (let column = 0; column < count; column += 1) {
          if (isPossible(row, column)) found[row * count + column] = values[row * width + column]!;
        }
      }
      if (found.some(Number.isNaN)) throw new SpanlinError("the graph gives scores that are not numbers: export it again");
      return found;
    };
    return new BoundaryScores(count, side(left, (row, column) => column <= row), side(right, (row, column) => column >= row));
  }

  leftAt(left: number, right: number): number {
    return this.left ? this.left[(right - 1) * this.count + left]! : 0;
  }

  rightAt(left: number, right: number): number {
    return this.right ? this.right[left * this.count + right - 1]! : 0;
  }

  /** The most probable left boundaries, but the root's always 0; ties go to the longest span. */
  predictedLeft(): number[] {
    return Array.from({ length: this.count }, (_, row) => {
      if (row === this.count - 1) return 0;
      let best = 0;
      for (let column = 1; column <= row; column += 1) {
        if (this.left![row * this.count + column]! > this.left![row * this.count + best]!) best = column;
      }
      return best;
    });
  }

  /** The most probable right boundaries, but the root's always n. */
  predictedRight(): number[] {
    return Array.from({ length: this.count }, (_, row) => {
      if (row === 0) return this.count;
      let best = this.count - 1;
      for (let column = best - 1; column >= row; column -= 1) {
        if (this.right![row * this.count + column]! > this.right![row * this.count + best]!) best = column;
      }
      return best + 1;
    });
  }

  /** The score of a tree without the root's terms. */
  treeScore({ lefts, rights }: BinaryTree): number {
    let score = 0;
    if (this.left) lefts.forEach((left, place) => { score += this.leftAt(left, place + 1); });
    if (this.right) rights.forEach((right, place) => { score += this.rightAt(place + 1, right); });
    return score;
  }

  /** log P(0|n) + log P(n|0). */
  rootTerms(): number {
    return this.leftAt(0, this.count) + this.rightAt(0, this.count);
  }

  treeLogProb(tree: BinaryTree): number {
    return this.treeScore(tree) + this.rootTerms();
  }
}
