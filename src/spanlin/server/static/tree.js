// The tree of a parse as linked nodes, and what two trees do not share. Spans are half-open: words left..right-1.

/**
 * The root of the tree, from the service's JSON of one sentence.
 *
 * A node has label, left, right, probability, parent and children, and a key that stays the same from one parse to
 * the next as long as the constituent does; a leaf also has its word.
 */
export function buildTree(parsed) {
  const wordCount = parsed.words.length;
  const root = node(/^\(([^\s()]*)/.exec(parsed.brackets)?.[1] ?? "", 0, wordCount, null);
  const open = [root];
  const seen = new Map();
  let word = 0;

  // Words that no deeper constituent has taken belong to the innermost one that is still open.
  const takeWords = (end) => {
    const parent = open.at(-1);
    for (; word < end; word += 1) {
      const leaf = node(parsed.tags[word], word, word + 1, parsed.tag_probabilities[word], parent);
      leaf.word = parsed.words[word];
      leaf.key = `word ${word}`;
    }
  };
  for (const found of parsed.constituents) {
    while (open.at(-1).right <= found.left) {
      takeWords(open.at(-1).right);
      open.pop();
    }
    takeWords(found.left);
    const constituent = node(found.label, found.left, found.right, found.probability, open.at(-1));
    // A unary branch may have the same label twice over the same words.
    const name = `${found.label} ${found.left}-${found.right}`;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    constituent.key = `${name} ${seen.get(name)}`;
    open.push(constituent);
  }
  while (open.length) {
    takeWords(open.at(-1).right);
    open.pop();
  }
  return root;
}

function node(label, left, right, probability, parent = null) {
  const made = { label, left, right, probability, parent, children: [], key: "root", word: null };
  parent?.children.push(made);
  return made;
}

/** Where a drawing starts: a root that only repeats its one constituent is left out, as in the literature. */
export function drawnRoot(root) {
  return root.children.length === 1 && root.children[0].word === null ? root.children[0] : root;
}

/** All nodes, each before its children. */
export function* preorder(root) {
  const stack = [root];
  while (stack.length) {
    const next = stack.pop();
    yield next;
    for (let index = next.children.length - 1; index >= 0; index -= 1) stack.push(next.children[index]);
  }
}

/** The constituents below the root, without words. */
export function constituents(root) {
  return [...preorder(root)].filter((found) => found.word === null && found.parent !== null);
}

/** The keys of the constituents of one tree that the other has not. */
export function onlyIn(root, other) {
  const theirs = new Set(constituents(other).map((found) => found.key));
  return new Set(constituents(root).map((found) => found.key).filter((key) => !theirs.has(key)));
}

/** How sure the parser is, in four steps that differ in colour, in line and in wording; of a reader's own tree, who knows. */
export function sureness(probability) {
  if (probability === null) return "unknown";
  if (probability >= 0.95) return "sure";
  if (probability >= 0.8) return "likely";
  return probability >= 0.5 ? "unsure" : "doubtful";
}

/** The probability in a few characters, where the parser is less than sure. */
export function doubt(probability) {
  if (["sure", "unknown"].includes(sureness(probability))) return "";
  return probability < 0.01 ? "<1%" : `${Math.round(100 * probability)}%`;
}
