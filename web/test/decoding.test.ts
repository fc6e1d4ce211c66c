// Every decoder finds the trees that Python's finds; test/samples/decodings.json has them.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Decoder } from "../src/answers.js";
import { BoundaryScores } from "../src/decoding/boundary_scores.js";
import { decode } from "../src/decoding/by_boundaries.js";
import { bestHeads, isTree } from "../src/decoding/heads.js";
import { LabelSet, SpanRules } from "../src/decoding/label_rules.js";
import { LabelledProblem, RankedLabels } from "../src/decoding/labelled.js";
import type { Role } from "../src/trees/labelled_tree.js";

type Rows = number[][];
interface Sample {
  left: Rows | null;
  right: Rows | null;
  labels: number[][][][];
  trees: Record<Exclude<Decoder, "labelled">, { spans: Rows; certified: boolean; log_prob: number } | { error: string }>;
  labelled: { spans: Rows; labels: number[]; log_prob: number }[];
  marginals: Rows;
  arcs: Rows;
  heads: number[];
}
const file = new URL("samples/decodings.json", import.meta.url);
const found = JSON.parse(readFileSync(file, "utf8")) as {
  labels: string[];
  temperatures: { splits: number; labels: number };
  samples: Sample[];
};

function scoresOf({ left, right }: Sample): BoundaryScores {
  const count = (left ?? right)!.length;
  return BoundaryScores.of(count, count, left && left.flat(), right && right.flat());
}

function problemOf(sample: Sample): LabelledProblem {
  const scores = scoresOf(sample);
  const labels = new LabelSet(found.labels);
  const rules = new SpanRules(labels, scores.count, null, "");
  const ranked = new RankedLabels(labels, scores.count, found.labels.length);
  sample.labels.forEach((table, role) => {
    for (let left = 0; left < scores.count; left += 1) {
      for (let right = left + 1; right <= scores.count; right += 1) {
        const values = table[left]![right]!.map((value) => value / found.temperatures.labels);
        ranked.put(role as Role, left, right, Float64Array.from(values), rules);
      }
    }
  });
  return new LabelledProblem(scores, ranked, found.temperatures.splits);
}

const spansOf = ({ lefts, rights }: { lefts: readonly number[]; rights: readonly number[] }) =>
  lefts.map((left, place) => [left, rights[place]]);

describe.each(found.samples.map((sample, number) => ({ sample, number })))("sample $number", ({ sample }) => {
  it("has the tree of every decoder, and its certificate", () => {
    const scores = scoresOf(sample);
    for (const [decoder, wanted] of Object.entries(sample.trees)) {
      const run = () => decode(scores, decoder as Exclude<Decoder, "labelled">);
      if ("error" in wanted) {
        expect(run, decoder).toThrow(wanted.error);
        continue;
      }
      const { tree, certified } = run();
      expect({ spans: spansOf(tree), certified }, decoder).toEqual({ spans: wanted.spans, certified: wanted.certified });
      expect(scores.treeLogProb(tree), decoder).toBeCloseTo(wanted.log_prob, 9);
    }
  });

  it("has the same labelled trees in the same order, and their probabilities", () => {
    const trees = problemOf(sample).trees();
    for (const wanted of sample.labelled) {
      const { tree, logProb } = trees.next().value!;
      expect(spansOf(tree)).toEqual(wanted.spans);
      expect([...tree.splitLabels, ...tree.wordLabels]).toEqual(wanted.labels);
      expect(logProb).toBeCloseTo(wanted.log_prob, 6);
    }
  });

  it("has the same probabilities of constituents", () => {
    const marginals = problemOf(sample).marginals();
    sample.marginals.flat().forEach((wanted, at) => expect(marginals[at]).toBeCloseTo(wanted, 6));
  });

  it("has the same best heads, which are a tree", () => {
    const heads = bestHeads(sample.arcs.length, (word, head) => sample.arcs[word - 1]![head]!);
    expect(isTree(heads)).toBe(true);
    const score = (chosen: readonly number[]) => chosen.reduce((sum, head, word) => sum + sample.arcs[word]![head]!, 0);
    expect(score(heads)).toBeCloseTo(score(sample.heads), 9);
  });
});
