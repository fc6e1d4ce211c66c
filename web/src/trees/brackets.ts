// A tree as one line of brackets, straight from its spans.

import { isRootLabel, labelParts } from "./labels.js";
import { escapeWord } from "./words.js";
import type { LabelledTree } from "./labelled_tree.js";

/** Writes trees for one set of labels and tags. */
export class BracketWriter {
  readonly #chains: string[][];
  readonly #tags: readonly string[];

  constructor(labels: readonly string[], tags: readonly string[]) {
    this.#chains = labels.map(labelParts);
    this.#tags = tags;
  }

  /** The line of a tree over these words, under TOP. */
  write(words: readonly string[], tree: LabelledTree, tags: readonly number[]): string {
    const count = words.length;
    const opens: string[] = new Array<string>(count).fill("");
    const depths: number[] = new Array<number>(count).fill(1);
    const rootSpan = tree.lefts.findIndex((left, place) => left === 0 && tree.rights[place] === count);
    const rootChain = this.#chains[count === 1 ? tree.wordLabels[0]! : tree.splitLabels[rootSpan]!]!;
    // A root label that was trained as a constituent, with several children right under TOP, is the root itself.
    const isRoot = rootChain.length > 0 && isRootLabel(rootChain[0]!);
    // Of the spans that start at one word, the one divided furthest to the right is the outermost.
    for (let place = count - 2; place >= 0; place -= 1) {
      const chain = this.#chains[tree.splitLabels[place]!]!;
      const left = tree.lefts[place]!;
      opens[left] += chain.map((part) => `(${part} `).join("");
      depths[tree.rights[place]! - 1]! += chain.length;
    }
    const parts = words.map((word, place) => {
      const chain = this.#chains[tree.wordLabels[place]!]!;
      const label = chain.map((part) => `(${part} `).join("");
      const closing = ")".repeat(depths[place]! + chain.length);
      return `${opens[place]}${label}(${this.#tags[tags[place]!]} ${escapeWord(word)}${closing}`;
    });
    return isRoot ? parts.join(" ") : `(TOP ${parts.join(" ")})`;
  }
}
