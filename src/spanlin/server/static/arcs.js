// What heads say: how high each arc goes, which word of a span is its head, and which words belong to one.
//
// Words count from 1 where they are heads, as the service's JSON has it, and 0 is the head of the root. Spans are half-open.

/** How high each word's arc goes, from 1: above all shorter ones over the same words; the root's goes highest. */
export function arcLevels(heads) {
  const levels = heads.map(() => 0);
  const taken = heads.map(() => 0); // the highest arc so far between each two words
  const arcs = heads.map((head, index) => ({ index, left: Math.min(head - 1, index), right: Math.max(head - 1, index) }));
  arcs.sort((one, two) => one.right - one.left - (two.right - two.left) || one.index - two.index);
  for (const { index, left, right } of arcs) {
    if (heads[index] === 0) continue;
    for (let gap = left; gap < right; gap += 1) levels[index] = Math.max(levels[index], taken[gap] + 1);
    taken.fill(levels[index], left, right);
  }
  const top = 1 + Math.max(0, ...taken);
  return levels.map((level) => level || top);
}

/**
 * For each word the arcs that touch it, from left to right, each by the word that it leads to.
 *
 * Arcs to the left, the shortest first; the root's; arcs to the right, the shortest last: so none crosses another.
 */
export function arcEnds(heads) {
  const lefts = heads.map(() => []);
  const rights = heads.map(() => []);
  heads.forEach((head, index) => {
    if (head === 0) return;
    rights[Math.min(head - 1, index)].push(index);
    lefts[Math.max(head - 1, index)].push(index);
  });
  const length = (index) => Math.abs(heads[index] - 1 - index);
  return heads.map((head, index) => [
    ...lefts[index].sort((one, two) => length(one) - length(two)),
    ...(head === 0 ? [index] : []),
    ...rights[index].sort((one, two) => length(two) - length(one)),
  ]);
}

/** The words of a span, from 0, that nothing in it governs; one, if the dependencies agree that it is a constituent. */
export function headsOfSpan(heads, { left, right }) {
  const found = [];
  for (let index = left; index < right; index += 1) {
    if (heads[index] <= left || heads[index] > right) found.push(index);
  }
  return found;
}

/** The span from the first to the last of the words that a word governs, directly or not, itself included. */
export function spanOfWord(heads, word) {
  let [left, right] = [word, word];
  const within = new Map([[word, true], [-1, false]]);
  heads.forEach((_, start) => {
    const way = [];
    let at = start;
    // A walk upwards ends at the root, where it is already known, or, in heads that are no tree, after too many steps.
    while (!within.has(at) && way.length <= heads.length) {
      way.push(at);
      at = heads[at] - 1;
    }
    const is = within.get(at) ?? false;
    for (const each of way) within.set(each, is);
    if (!is) return;
    left = Math.min(left, start);
    right = Math.max(right, start);
  });
  return { left, right: right + 1 };
}
