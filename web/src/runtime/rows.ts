// The rows of word pieces of one sentence, and where in them each of its positions is read.
// As spanlin/runtime/piece_rows.py and windows.py have them.

import { RUNTIME } from "../generated/runtime.js";

/** Rows of pieces, flat, and the index of the first and last piece of each position: start piece, words, stop piece. */
export interface PieceRows {
  readonly pieces: readonly number[];
  readonly rowCount: number;
  readonly pieceCounts: readonly number[];
  readonly firstPieces: readonly number[];
  readonly lastPieces: readonly number[];
}

/** The rows of a sentence from the pieces of its words; `limit` is the longest row, `width` how many words to pad to. */
export function makeRows(
  words: readonly (readonly number[])[],
  { start, stop, limit, width }: { start: number; stop: number; limit: number; width: number },
): PieceRows {
  const pieces = [start];
  const firsts: number[] = [];
  const lasts: number[] = [];
  for (const word of words) {
    firsts.push(pieces.length);
    pieces.push(...word);
    lasts.push(pieces.length - 1);
  }
  pieces.push(stop);
  const padding = new Array<number>(width - words.length).fill(0);
  if (pieces.length <= limit) {
    const end = pieces.length - 1;
    return {
      pieces,
      rowCount: 1,
      pieceCounts: [pieces.length],
      firstPieces: [0, ...firsts, end, ...padding],
      lastPieces: [0, ...lasts, end, ...padding],
    };
  }
  const windows = cutWindows(firsts, lasts, limit - 2);
  const rows = windows.starts.map((left, row) => [start, ...pieces.slice(left, windows.ends[row]), stop]);
  const longest = Math.max(...rows.map((row) => row.length));
  const flat = rows.flatMap((row) => [...row, ...new Array<number>(longest - row.length).fill(0)]);
  const bases = windows.chosen.map((row) => row * longest - (windows.starts[row]! - 1));
  const lastRow = windows.chosen.at(-1)!;
  const end = lastRow * longest + rows[lastRow]!.length - 1;
  return {
    pieces: flat,
    rowCount: rows.length,
    pieceCounts: rows.map((row) => row.length),
    firstPieces: [0, ...firsts.map((first, word) => first + bases[word]!), end, ...padding],
    lastPieces: [0, ...lasts.map((last, word) => last + bases[word]!), end, ...padding],
  };
}

interface Windows {
  readonly starts: number[];
  readonly ends: number[];
  /** The window in which each word is read, where it stands furthest from an edge that is not the sentence's own. */
  readonly chosen: number[];
}

/** Windows of whole words with at most `capacity` pieces, as few as overlap well and of like length. */
function cutWindows(firsts: readonly number[], lasts: readonly number[], capacity: number): Windows {
  const wordEnds = lasts.map((last) => last + 1);
  const total = wordEnds.at(-1)!;
  const overlap = Math.min(RUNTIME.windows.OVERLAP, Math.floor(capacity / 2));
  const starts: number[] = [];
  const ends: number[] = [];
  for (let word = 0; ; ) {
    const start = firsts[word]!;
    starts.push(start);
    const left = total - start;
    if (left <= capacity) {
      ends.push(total);
      break;
    }
    // As many windows as are needed for what is left share it evenly; a full one beside a short one costs more.
    const count = Math.ceil((left - overlap) / (capacity - overlap));
    const length = Math.ceil((left - overlap) / count) + overlap;
    const uncovered = Math.max(word + 1, countUpTo(wordEnds, start + length));
    const end = wordEnds[uncovered - 1]!;
    ends.push(end);
    const following = countUpTo(firsts, end - overlap) - 1;
    word = Math.min(Math.max(following, word + 1), uncovered);
  }
  const chosen = firsts.map((first, word) => {
    let best = 0;
    let most = -Infinity;
    starts.forEach((start, window) => {
      const leftRoom = first - start;
      const rightRoom = ends[window]! - wordEnds[word]!;
      // The sentence itself begins and ends at the outermost edges.
      const room = Math.min(window === 0 ? Infinity : leftRoom, window === starts.length - 1 ? Infinity : rightRoom);
      const inside = leftRoom >= 0 && rightRoom >= 0;
      if ((inside ? room : -1) > most) {
        most = inside ? room : -1;
        best = window;
      }
    });
    return best;
  });
  return { starts, ends, chosen };
}

/** How many of the ascending values are no more than this one. */
function countUpTo(values: readonly number[], limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
