// The dependencies of one sentence: the graph's own heads where they are a tree, else the best tree of its scores.
// As spanlin/runtime/dependency_decoding.py.

import type { SentenceConstraints } from "./answers.js";
import { constrainArcs, hasArcs, impossibleArcs } from "./decoding/arc_rules.js";
import { bestHeads, isTree } from "./decoding/heads.js";
import type { Manifest } from "./model/manifest.js";
import { arcProbabilities, rounded } from "./probabilities.js";
import { runRelations, type Found, type Graph, type Output } from "./runtime/graphs.js";

export const DEPENDENCY_OUTPUTS: Output[] = [
  "heads", "relations", "universal_tags", "arc_log_probs", "relation_heads", "relation_dependents",
];

/** The keys that dependencies add to the JSON of a sentence. */
export interface Dependencies {
  heads: number[];
  relations: string[];
  universal_tags: string[];
  arc_probabilities: number[];
  dependencies_certified: boolean;
  dependencies_calibrated: boolean;
}

/** Heads, relations and universal tags of a sentence of so many words, under its constraints on arcs if it has any. */
export async function findDependencies(
  count: number,
  found: ReadonlyMap<Output, Found>,
  manifest: Manifest,
  constraints: SentenceConstraints | null,
  relationGraph: () => Promise<Graph>,
): Promise<Dependencies> {
  const numbers = (name: Output) => Array.from(found.get(name)!.data as ArrayLike<number | bigint>, Number).slice(0, count);
  const own = numbers("heads");
  const arcs = found.get("arc_log_probs")!;
  const logProb = (word: number, head: number) => (arcs.data as Float32Array)[(word - 1) * arcs.shape[1]! + head]!;
  const heads = decodeHeads(own, logProb, constraints);
  const relations = numbers("relations");
  const moved = [...heads.keys()].filter((word) => heads[word] !== own[word]);
  if (moved.length) {
    const rows = (name: Output, row: (word: number) => number) => {
      const { data, shape } = found.get(name)!;
      const width = shape[1]!;
      const values = new Float32Array(moved.length * width);
      moved.forEach((word, place) => {
        values.set((data as Float32Array).subarray(row(word) * width, (row(word) + 1) * width), place * width);
      });
      return values;
    };
    const scored = await runRelations(await relationGraph(), {
      heads: rows("relation_heads", (word) => heads[word]!),
      dependents: rows("relation_dependents", (word) => word),
      areRoots: moved.map((word) => heads[word] === 0),
    });
    const size = manifest.relations.length;
    moved.forEach((word, place) => {
      const own = scored.subarray(place * size, (place + 1) * size);
      relations[word] = own.indexOf(Math.max(...own));
    });
  }
  const arcLogProbs = heads.map((head, word) => logProb(word + 1, head));
  return {
    heads,
    relations: relations.map((relation) => manifest.relations[relation]!),
    universal_tags: numbers("universal_tags").map((tag) => manifest.universalTags[tag]!),
    arc_probabilities: arcProbabilities(arcLogProbs, numbers("tag_log_probs"), manifest.arcCalibration).map(rounded),
    dependencies_certified: true,
    dependencies_calibrated: manifest.dependenciesCalibrated,
  };
}

/** The best heads of all words that are a tree with one root; if each word's best are one, no other is better. */
function decodeHeads(
  own: number[],
  logProb: (word: number, head: number) => number,
  constraints: SentenceConstraints | null,
): number[] {
  if (!hasArcs(constraints)) return isTree(own) ? own : bestHeads(own.length, logProb);
  const allowed = constrainArcs(own.length, logProb, constraints!);
  const heads = bestHeads(own.length, allowed);
  const isPossible = isTree(heads) && heads.every((head, word) => allowed(word + 1, head) > -Infinity);
  if (!isPossible) throw impossibleArcs(own.length, constraints!);
  return heads;
}
