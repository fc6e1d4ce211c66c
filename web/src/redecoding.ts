// The wanted trees of one sentence from what the graph says of it: its own tree, or others from its scores.
// As spanlin/runtime/redecoding.py and tree_spans.py.

import type { Decoder, SentenceConstraints } from "./answers.js";
import { BoundaryScores } from "./decoding/boundary_scores.js";
import { decode } from "./decoding/by_boundaries.js";
import type { SpanTable } from "./decoding/chart.js";
import { SpanRules, type LabelSet } from "./decoding/label_rules.js";
import { LabelledProblem, RankedLabels, type ScoredTree } from "./decoding/labelled.js";
import { runLabels, type Found, type Graph, type Output } from "./runtime/graphs.js";
import { Role, allSpans, type BinaryTree, type LabelledTree } from "./trees/labelled_tree.js";

/** Which trees are wanted; what is not asked for is at its default. */
export interface Wanted {
  readonly decoder: Decoder;
  readonly rootLabel: string;
  readonly kBest: number;
  readonly scores: boolean;
  readonly marginals: boolean;
}

/** A tree, and how sure the network is of its spans: those divided at split points, then the words. */
export interface FoundTree {
  readonly tree: LabelledTree;
  readonly spanLogProbs: readonly number[];
  readonly labelLogProbs: readonly number[];
  readonly certified: boolean;
  readonly isLabelled: boolean;
  /** Of the tree with its labels, if it was searched with them. */
  readonly probability: number | null;
  /** Of the tree without its labels, if there are scores. */
  readonly logProbability: number | null;
}

const TREE: Output[] = ["lefts", "rights", "split_labels", "word_labels", "tags"];
const CONFIDENCE: Output[] = ["span_log_probs", "label_log_probs", "tag_log_probs"];
const BOUNDARIES: Output[] = ["left_boundaries", "right_boundaries"];
const SCORES: Output[] = ["left_log_probs", "right_log_probs"];
const HALVES: Output[] = ["label_lefts", "label_rights"];
const MOST_SPANS = 8192; // labelled together

/** What the graph has to be asked for. */
export function outputsFor(wanted: Wanted, isConstrained: boolean, known: ReadonlySet<string>): Output[] {
  const isGreedy = wanted.decoder === "argmin" && wanted.kBest === 1 && !isConstrained;
  const outputs = [...TREE, ...CONFIDENCE, ...BOUNDARIES];
  if (!isGreedy || wanted.marginals || wanted.scores) outputs.push(...SCORES);
  if (!isGreedy || wanted.marginals || wanted.rootLabel) outputs.push(...HALVES);
  return outputs.filter((name) => known.has(name));
}

/** Finds the trees of one sentence that the graph was run for. */
export class Redecoder {
  readonly scores: BoundaryScores | null;
  readonly leftBoundaries: number[] | null;
  readonly rightBoundaries: number[] | null;
  readonly #own: LabelledTree;
  readonly #spanLogProbs: number[];
  readonly #labelLogProbs: number[];

  constructor(
    private readonly count: number,
    private readonly found: ReadonlyMap<Output, Found>,
    private readonly labels: LabelSet,
    private readonly labelGraph: () => Promise<Graph>,
    private readonly temperatures: { splits: number; labels: number },
  ) {
    const width = found.get("word_labels")!.data.length;
    const spans = (name: Output): number[] => {
      const values = this.#numbers(name);
      return [...values.slice(0, count - 1), ...values.slice(width - 1, width - 1 + count)];
    };
    this.#own = {
      lefts: this.#numbers("lefts").slice(0, count - 1),
      rights: this.#numbers("rights").slice(0, count - 1),
      splitLabels: this.#numbers("split_labels").slice(0, count - 1),
      wordLabels: this.#numbers("word_labels").slice(0, count),
    };
    this.#spanLogProbs = spans("span_log_probs");
    this.#labelLogProbs = spans("label_log_probs");
    const [left, right] = SCORES.map((name) => (found.get(name)?.data as Float32Array | undefined) ?? null);
    this.scores = left || right ? BoundaryScores.of(count, width, left!, right!) : null;
    // Those of the whole sentence are never in question.
    this.leftBoundaries = found.has("left_boundaries") ? [...this.#numbers("left_boundaries").slice(0, count - 1), 0] : null;
    this.rightBoundaries = found.has("right_boundaries") ? [count, ...this.#numbers("right_boundaries").slice(1, count)] : null;
  }

  /** The wanted trees, best first, and the marginals of constituents if asked for. */
  async trees(wanted: Wanted, constraints: SentenceConstraints | null): Promise<{ trees: FoundTree[]; marginals: SpanTable | null }> {
    const isLabelled = wanted.decoder === "labelled" || wanted.kBest > 1 || constraints !== null;
    let marginals: SpanTable | null = null;
    let trees: FoundTree[] | null = null;
    if (isLabelled || wanted.marginals) {
      const rules = new SpanRules(this.labels, this.count, constraints, wanted.rootLabel);
      const ranked = await this.#rank(rules, wanted.kBest);
      const problem = new LabelledProblem(this.scores!, ranked, this.temperatures.splits);
      if (isLabelled) trees = await this.#labelled(problem, wanted.kBest);
      if (wanted.marginals) marginals = problem.marginals();
    }
    return { trees: trees ?? [await this.#byBoundaries(wanted)], marginals };
  }

  #numbers(name: Output): number[] {
    return Array.from(this.found.get(name)!.data as ArrayLike<number | bigint>, Number);
  }

  /** Whether the most probable boundaries are a tree's own, so that no tree is more probable. */
  #isCertified({ lefts, rights }: BinaryTree): boolean {
    const { leftBoundaries, rightBoundaries } = this;
    return (
      (!leftBoundaries || lefts.every((left, place) => left === leftBoundaries[place])) &&
      (!rightBoundaries || rights.every((right, place) => right === rightBoundaries[place + 1]))
    );
  }

  async #byBoundaries({ decoder, rootLabel }: Wanted): Promise<FoundTree> {
    let tree: BinaryTree = this.#own;
    let certified = false;
    if (decoder !== "argmin" && decoder !== "labelled") ({ tree, certified } = decode(this.scores!, decoder));
    const isMoved = tree.lefts.some((left, place) => left !== this.#own.lefts[place] || tree.rights[place] !== this.#own.rights[place]);
    const rest = {
      isLabelled: false,
      probability: null,
      logProbability: this.scores?.treeLogProb(tree) ?? null,
      certified: certified || this.#isCertified(tree),
      spanLogProbs: isMoved ? this.#spanLogProbsOf(tree) : this.#spanLogProbs,
    };
    if (!isMoved && !rootLabel) return { ...rest, tree: this.#own, labelLogProbs: this.#labelLogProbs };
    const table = await this.#labelScores(allSpans(tree));
    const roots = rootLabel ? this.labels.underRoot(rootLabel) : null;
    const chosen = allSpans(tree).map(({ role }, span) => {
      let best = -1;
      for (let label = 0; label < this.labels.size; label += 1) {
        if (role === Role.ROOT && roots && !roots[label]) continue;
        if (best < 0 || table.at(span, label) > table.at(span, best)) best = label;
      }
      return best;
    });
    return {
      ...rest,
      tree: { ...tree, splitLabels: chosen.slice(0, this.count - 1), wordLabels: chosen.slice(this.count - 1) },
      labelLogProbs: chosen.map((label, span) => table.at(span, label)),
    };
  }

  async #labelled(problem: LabelledProblem, most: number): Promise<FoundTree[]> {
    const found: FoundTree[] = [];
    const known = new Set<string>();
    for (const { tree, logProb } of problem.trees()) {
      const key = this.#keyOf(tree);
      if (known.has(key)) continue;
      known.add(key);
      found.push(await this.#withConfidence({ tree, logProb }, found.length === 0));
      if (found.length === most) break;
    }
    return found;
  }

  /** What two trees share that differ in nothing but the mark of the root, which is not a constituent. */
  #keyOf(tree: LabelledTree): string {
    const chains = [...tree.splitLabels, ...tree.wordLabels].map((label) => this.labels.chains[label]!.join("+") || String(label === 0));
    return JSON.stringify([tree.lefts, tree.rights, chains]);
  }

  async #withConfidence({ tree, logProb }: ScoredTree, isBest: boolean): Promise<FoundTree> {
    const table = await this.#labelScores(allSpans(tree));
    return {
      tree,
      spanLogProbs: this.#spanLogProbsOf(tree),
      labelLogProbs: [...tree.splitLabels, ...tree.wordLabels].map((label, span) => table.at(span, label)),
      certified: isBest,
      isLabelled: true,
      probability: Math.exp(Math.min(logProb, 0)),
      logProbability: this.scores!.treeLogProb(tree),
    };
  }

  /** How sure the network is of each span, given the span around it; a side that is missing is spoken for by the other. */
  #spanLogProbsOf(tree: BinaryTree): number[] {
    const scores = this.scores!;
    const byLeft = (split: number) => scores.leftAt(tree.lefts[split - 1]!, split);
    const byRight = (split: number) => scores.rightAt(split, tree.rights[split - 1]!);
    return allSpans(tree).map(({ left, right, role }) => {
      if (role === Role.ROOT) return 0;
      if (role === Role.LEFT) return scores.left ? byLeft(right) : byRight(right);
      return scores.right ? byRight(left) : byLeft(left);
    });
  }

  /** The labels of all spans in all roles, ranked. */
  async #rank(rules: SpanRules, ranks: number): Promise<RankedLabels> {
    const ranked = new RankedLabels(this.labels, this.count, ranks);
    const spans: { left: number; right: number; role: Role }[] = [{ left: 0, right: this.count, role: Role.ROOT }];
    for (const role of [Role.LEFT, Role.RIGHT]) {
      for (let left = 0; left < this.count; left += 1) {
        for (let right = left + 1; right <= this.count; right += 1) spans.push({ left, right, role });
      }
    }
    const temperature = Math.fround(this.temperatures.labels);
    for (let start = 0; start < spans.length; start += MOST_SPANS) {
      const some = spans.slice(start, start + MOST_SPANS);
      const table = await this.#labelScores(some);
      some.forEach(({ left, right, role }, span) => {
        ranked.put(role, left, right, table.row(span).map((value) => Math.fround(value / temperature)), rules);
      });
    }
    return ranked;
  }

  async #labelScores(spans: readonly { left: number; right: number; role: Role }[]): Promise<LabelScores> {
    const graph = await this.labelGraph();
    const [lefts, rights] = HALVES.map((name) => this.found.get(name)!);
    const width = lefts!.shape.at(-1)!;
    const parts: Float32Array[] = [];
    for (let start = 0; start < spans.length; start += MOST_SPANS) {
      const some = spans.slice(start, start + MOST_SPANS);
      const gather = (half: Found, edge: (span: { left: number; right: number }) => number) => {
        const rows = new Float32Array(some.length * width);
        some.forEach((span, place) => {
          const row = edge(span) * width;
          rows.set((half.data as Float32Array).subarray(row, row + width), place * width);
        });
        return rows;
      };
      parts.push(
        await runLabels(graph, {
          lefts: gather(lefts!, ({ left }) => left),
          rights: gather(rights!, ({ right }) => right),
          areLeftChildren: some.map(({ role }) => role !== Role.RIGHT),
          areRoots: some.map(({ role }) => role === Role.ROOT),
          width,
        }),
      );
    }
    return new LabelScores(parts, this.labels.size);
  }
}

/** The log-probabilities of the labels of some spans. */
class LabelScores {
  constructor(
    private readonly parts: readonly Float32Array[],
    private readonly size: number,
  ) {}

  at(span: number, label: number): number {
    return this.parts[Math.floor(span / MOST_SPANS)]![(span % MOST_SPANS) * this.size + label]!;
  }

  row(span: number): Float64Array {
    const start = (span % MOST_SPANS) * this.size;
    return Float64Array.from(this.parts[Math.floor(span / MOST_SPANS)]!.subarray(start, start + this.size));
  }
}
