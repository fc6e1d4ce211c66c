// The best dependency tree of a sentence, by Chu-Liu/Edmonds with exactly one root. As spanlin/decoding/arborescence.py.

/** Whether heads, counted from 1 and 0 for the root, are a tree with one root. */
export function isTree(heads: readonly number[]): boolean {
  if (heads.filter((head) => head === 0).length !== 1) return false;
  return heads.every((_, word) => {
    let node = word + 1;
    for (let steps = 0; node !== 0; steps += 1) {
      if (steps > heads.length) return false;
      node = heads[node - 1]!;
    }
    return true;
  });
}

/** A score in two parts, of which the first counts before the second: impossible arcs and roots, then log-probability. */
type Pair = readonly [cost: number, logProb: number];

const isBetter = ([cost, logProb]: Pair, [otherCost, otherLogProb]: Pair): boolean =>
  cost > otherCost || (cost === otherCost && logProb > otherLogProb);

interface TreeNode {
  /** The score of each word, and of the root at 0, as its head; null for its own members. */
  readonly incoming: (Pair | null)[];
  /** The word that each such head enters it by. */
  readonly entries: readonly number[];
  readonly members: ReadonlySet<number>;
  readonly cycle: readonly TreeNode[];
  chosen: number;
}

/** The head of each word in the best tree with one root; `logProb(word, head)` counts words from 1. */
export function bestHeads(count: number, logProb: (word: number, head: number) => number): number[] {
  const nodes: TreeNode[] = [];
  const outermost: (TreeNode | null)[] = [null];
  for (let word = 1; word <= count; word += 1) {
    const incoming = Array.from({ length: count + 1 }, (_, head): Pair | null => {
      if (head === word) return null;
      const value = logProb(word, head);
      const isImpossible = value === -Infinity;
      return [-(isImpossible ? count + 1 : 0) - Number(head === 0), isImpossible ? 0 : value];
    });
    const entries = new Array<number>(count + 1).fill(word);
    const node: TreeNode = { incoming, entries, members: new Set([word]), cycle: [], chosen: 0 };
    nodes.push(node);
    outermost.push(node);
  }
  const done = new Set<TreeNode | null>([null]);
  for (let word = 1; word <= count; word += 1) {
    let node = outermost[word]!;
    const path: TreeNode[] = [];
    while (!done.has(node)) {
      const place = path.indexOf(node);
      if (place >= 0) node = contract(path.splice(place), count, outermost);
      path.push(node);
      node.chosen = bestPlace(node.incoming);
      node = outermost[node.chosen]!;
    }
    for (const each of path) done.add(each);
  }
  return opened(count, new Set(outermost.slice(1) as TreeNode[]));
}

function bestPlace(scores: readonly (Pair | null)[]): number {
  let best = -1;
  scores.forEach((score, place) => {
    if (score && (best < 0 || isBetter(score, scores[best]!))) best = place;
  });
  return best;
}

/** The cycle as one node: a head for it replaces the one that a member has in the cycle. */
function contract(cycle: readonly TreeNode[], count: number, outermost: (TreeNode | null)[]): TreeNode {
  const members = new Set(cycle.flatMap((node) => [...node.members]));
  const incoming: (Pair | null)[] = [];
  const entries: number[] = [];
  for (let head = 0; head <= count; head += 1) {
    let best: Pair | null = null;
    let entry = 0;
    for (const node of cycle) {
      const score = node.incoming[head];
      if (members.has(head) || !score) continue;
      const [cost, logProb] = node.incoming[node.chosen]!;
      const gain: Pair = [score[0] - cost, score[1] - logProb];
      if (best && !isBetter(gain, best)) continue;
      best = gain;
      entry = node.entries[head]!;
    }
    incoming.push(best);
    entries.push(entry);
  }
  const node: TreeNode = { incoming, entries, members, cycle, chosen: 0 };
  for (const member of members) outermost[member] = node;
  return node;
}

function opened(count: number, waiting: Set<TreeNode>): number[] {
  const heads = new Array<number>(count + 1).fill(0);
  const stack = [...waiting];
  for (let node = stack.pop(); node; node = stack.pop()) {
    const word = node.entries[node.chosen]!;
    heads[word] = node.chosen;
    // The member that the head enters by loses its own; the others keep theirs.
    for (let inner = node; inner.cycle.length; ) {
      const entered: TreeNode = inner.cycle.find((member) => member.members.has(word))!;
      stack.push(...inner.cycle.filter((member) => member !== entered));
      inner = entered;
    }
  }
  return heads.slice(1);
}
