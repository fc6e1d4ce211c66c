// Which labels the spans of a sentence may have, under its constraints if it has any. As spanlin/decoding/constituents.py.

import type { SentenceConstraints, WantedConstituent } from "../answers.js";
import { SpanlinError } from "../errors.js";
import { Role } from "../trees/labelled_tree.js";
import { constituentLabels, isRootLabel, labelParts } from "../trees/labels.js";

const NAMED_LABELS = 12; // in an error message

/** The labels of a model, the empty one first, and where each may stand. */
export class LabelSet {
  readonly chains: string[][];
  readonly isConstituent: boolean[];
  readonly isInner: boolean[];
  readonly isRoot: boolean[];

  constructor(labels: readonly string[]) {
    this.chains = labels.map(constituentLabels);
    this.isConstituent = this.chains.map((chain) => chain.length > 0);
    this.isInner = labels.map((label) => !labelParts(label).some(isRootLabel));
    this.isRoot = labels.map((_, place) => place > 0);
  }

  get size(): number {
    return this.chains.length;
  }

  /** Which labels are this constituent or a chain with it. */
  having(label: string): boolean[] {
    const found = this.chains.map((chain) => chain.includes(label));
    if (!found.includes(true)) throw new SpanlinError(`no label '${label}': the model knows ${listed(this.chains.flat())}`);
    return found;
  }

  /** Which labels put this constituent right below the root. */
  underRoot(label: string): boolean[] {
    const found = this.chains.map((chain) => chain[0] === label);
    const tops = this.chains.flatMap((chain) => chain.slice(0, 1));
    if (!found.includes(true)) throw new SpanlinError(`no root label '${label}': the model knows ${listed(tops)}`);
    return found;
  }
}

export class SpanRules {
  readonly #labels: LabelSet;
  readonly #count: number;
  readonly #special = new Map<string, { left: number; right: number; mask: boolean[] }>();
  readonly #required: (readonly [number, number])[] = [];

  constructor(labels: LabelSet, count: number, wanted: SentenceConstraints | null, rootLabel: string) {
    this.#labels = labels;
    this.#count = count;
    if (rootLabel) this.#allow(0, count, labels.underRoot(rootLabel));
    for (const [kind, items] of [["required", wanted?.required ?? []], ["forbidden", wanted?.forbidden ?? []]] as const) {
      for (const item of items) this.#add(kind, item);
    }
    this.#check();
  }

  /** The labels that a span may have in this role; null if it may not be in the tree. */
  allowed(left: number, right: number, role: Role): boolean[] | null {
    if (this.#required.some(([a, b]) => (left < a && a < right && right < b) || (a < left && left < b && b < right))) return null;
    const labels = this.#labels;
    let mask = role === Role.ROOT ? labels.isRoot : labels.isInner;
    // Of the binary tree's spans only right children, and words, may be empty: the mark of right binarization.
    if (role === Role.LEFT && right - left > 1) mask = both(mask, labels.isConstituent);
    const special = this.#special.get(`${left} ${right}`);
    return special ? both(mask, special.mask) : mask;
  }

  #add(kind: "required" | "forbidden", item: WantedConstituent): void {
    const [left, right, label = ""] = item;
    if (!(Number.isInteger(left) && Number.isInteger(right) && left >= 0 && left < right && right <= this.#count)) {
      const shown = `(${left}, ${right}${label ? `, '${label}'` : ""})`;
      throw new SpanlinError(`${kind} constituent ${shown} does not lie within the words 0..${this.#count}`);
    }
    const mask = label ? this.#labels.having(label) : this.#labels.isConstituent;
    this.#allow(left, right, kind === "required" ? mask : mask.map((is) => !is));
    if (kind === "required") this.#required.push([left, right]);
  }

  #allow(left: number, right: number, mask: boolean[]): void {
    const key = `${left} ${right}`;
    const before = this.#special.get(key);
    this.#special.set(key, { left, right, mask: before ? both(before.mask, mask) : mask });
  }

  #check(): void {
    const ordered = [...this.#required].sort(([a, b], [c, d]) => a - c || b - d);
    for (const [place, [a, b]] of ordered.entries()) {
      const other = ordered.slice(place + 1).find(([c, d]) => a < c && c < b && b < d);
      if (other) {
        throw new SpanlinError(`required constituents (${a}, ${b}) and (${other[0]}, ${other[1]}) cross: no tree has both`);
      }
    }
    for (const { left, right, mask } of this.#special.values()) {
      const isWhole = left === 0 && right === this.#count;
      if (both(mask, isWhole ? this.#labels.isRoot : this.#labels.isInner).includes(true)) continue;
      throw new SpanlinError(`no label of the model is left for the words ${left}..${right}: require or forbid less there`);
    }
  }
}

const both = (one: readonly boolean[], two: readonly boolean[]): boolean[] => one.map((is, place) => is && two[place]!);

function listed(names: readonly string[]): string {
  const known = [...new Set(names)].sort();
  return known.slice(0, NAMED_LABELS).join(", ") + (known.length > NAMED_LABELS ? " ..." : "");
}
