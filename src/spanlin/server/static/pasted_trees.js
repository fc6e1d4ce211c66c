// Bracketed trees that a reader pastes instead of a text: the parser gets their words, and its trees are compared with them.

const PARTS = /[()]|[^\s()]+/g;
const FUNCTION_TAGS = /^([^-=]+)[-=].*/; // what follows the label: NP-SBJ-1
const ROOTS = new Set(["", "TOP", "ROOT", "S1", "VROOT"]);
const ESCAPES = { "-LRB-": "(", "-RRB-": ")" };

/**
 * The trees of a text that is nothing but bracketed trees, each as the JSON of a sentence as far as a tree has it; null
 * for any other text. Empty elements and function tags are left out, as a parser gives none.
 */
export function readTrees(text) {
  if (!text.trimStart().startsWith("(")) return null;
  const trees = [];
  const open = []; // constituents that are not closed yet
  let tree = null;
  for (const [part] of text.matchAll(PARTS)) {
    const last = open.at(-1);
    if (part === "(") {
      if (!open.length) tree = { words: [], tags: [], constituents: [] };
      if (last) last.hasChildren = true;
      open.push({ label: null, word: null, hasChildren: false, left: tree.words.length, place: tree.constituents.length });
    } else if (part === ")") {
      if (!last || !close(open.pop(), tree)) return null;
      if (open.length) continue;
      if (!tree.words.length || !last.hasChildren) return null;
      trees.push(finished(tree));
    } else if (!last || last.word !== null || last.hasChildren) {
      return null;
    } else if (last.label === null) {
      last.label = part;
    } else {
      last.word = part;
    }
  }
  return open.length || !trees.length ? null : trees;
}

/** Puts a closed bracket into its tree; tells whether it is one. */
function close({ label, word, hasChildren, left, place }, tree) {
  if (word !== null) {
    if (label !== "-NONE-") {
      tree.words.push(ESCAPES[word] ?? word);
      tree.tags.push(label);
    }
    return true;
  }
  if (!hasChildren) return false;
  const right = tree.words.length;
  const name = (label ?? "").replace(FUNCTION_TAGS, "$1");
  // A constituent stands before those inside it, which were closed first.
  if (right > left && !ROOTS.has(name)) tree.constituents.splice(place, 0, { label: name, left, right, probability: null });
  return true;
}

const finished = (tree) => ({ ...tree, brackets: "(TOP ", tag_probabilities: tree.words.map(() => null) });
