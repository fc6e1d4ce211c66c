// The dependencies of one sentence: the graph's own heads where they are a tree, else the best tree of its scores.
// As spanlin/runtime/dependency_decoding.py.

import { bestHeads, isTree } from "./decoding/heads.js";
import { asProbability, rounded } from "./probabilities.js";
import { runRelations, type Found, type Graph, type Output } from "./runtime/graphs.js";

export const DEPENDENCY_OUTPUTS: Output[] = [
  "heads", "relations", "universal_tags", "arc_log_probs", "relation_heads", "relation_dependents",
];
const ROOT = "root";

/** The keys that dependencies add to the JSON of a sentence. */
export interface Dependencies {
  heads: number[];
  relations: string[];
  universal_tags: string[];
  arc_probabilities: number[];
  dependencies_certified: boolean;
}

/** Heads, relations and universal tags of a sentence; the root alone has the relation `root`, if the network knows it. */
export async function findDependencies(
  count: number,
  found: ReadonlyMap<Output, Found>,
  names: { relations: readonly string[]; universalTags: readonly string[] },
  relationGraph: () => Promise<Graph>,
): Promise<Dependencies> {
  const numbers = (name: Output) => Array.from(found.get(name)!.data as ArrayLike<number | bigint>, Number).slice(0, count);
  const own = numbers("heads");
  const relations = numbers("relations");
  const arcs = found.get("arc_log_probs")!;
  const logProb = (word: number, head: number) => (arcs.data as Float32Array)[(word - 1) * arcs.shape[1]! + head]!;
  const heads = isTree(own) ? own : bestHeads(count, logProb);
  const root = names.relations.indexOf(ROOT);
  const moved: number[] = [];
  heads.forEach((head, word) => {
    const isMisnamed = root >= 0 && relations[word] === root && head !== 0;
    if (root >= 0 && head === 0) relations[word] = root;
    else if (isMisnamed || head !== own[word]) moved.push(word);
  });
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
      count: moved.length,
    });
    const size = names.relations.length;
    moved.forEach((word, place) => {
      let best = -1;
      for (let relation = 0; relation < size; relation += 1) {
        if (relation === root) continue;
        if (best < 0 || scored[place * size + relation]! > scored[place * size + best]!) best = relation;
      }
      relations[word] = best;
    });
  }
  return {
    heads,
    relations: relations.map((relation) => names.relations[relation]!),
    universal_tags: numbers("universal_tags").map((tag) => names.universalTags[tag]!),
    arc_probabilities: heads.map((head, word) => rounded(asProbability(logProb(word + 1, head)))),
    dependencies_certified: true,
  };
}
