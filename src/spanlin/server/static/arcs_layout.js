// Where words and arcs go: words on one line at the bottom, far enough apart for the relations over them.

import { arcEnds, arcLevels } from "./arcs.js";
import { FONTS, textWidth } from "./layout.js";
import { doubt, sureness } from "./tree.js";
import { shorten, visible } from "./words.js";

const LEVEL = 30; // from an arc to the one above it
const PORT = 7; // between the ends of two arcs at a word
const CORNER = 6;
const GAP = 18; // between words
const MARGIN = 14;
const TOP = 22; // over the highest arc, for its relation
const WORD = 22; // from the tips of the arrows to the words' baseline
export const TAG_DROP = 18; // from a word's baseline to its tag's
const LONGEST_WORD = 28; // in characters

/**
 * The places of a sentence's words and arcs, and the size of the drawing.
 *
 * A word has x and y of its middle and baseline, its text and tag. An arc has its word and head, from 0 and -1 for the
 * root's, its path, the point of its arrow, and its relation with the place of that, and how sure it is.
 */
export function layoutArcs(parsed) {
  const { heads } = parsed;
  const levels = arcLevels(heads);
  const ends = arcEnds(heads);
  const port = (word, arc) => (ends[word].indexOf(arc) - (ends[word].length - 1) / 2) * PORT;
  const words = parsed.words.map((word, index) => {
    const made = { text: shorten(visible(word), LONGEST_WORD), tag: visible(parsed.universal_tags[index]), x: 0, y: 0 };
    const width = Math.max(textWidth(made.text, FONTS.word), textWidth(made.tag, FONTS.tag), ends[index].length * PORT);
    return { ...made, half: (width + GAP) / 2 };
  });
  const arcs = heads.map((head, word) => makeArc(parsed, word, head - 1));
  place(words, arcs, port);
  const foot = TOP + (Math.max(...levels) - 1) * LEVEL + 18;
  for (const word of words) word.y = foot + WORD;
  for (const arc of arcs) {
    const bar = TOP + (Math.max(...levels) - levels[arc.word]) * LEVEL;
    const end = words[arc.word].x + port(arc.word, arc.word);
    const start = arc.head < 0 ? end : words[arc.head].x + port(arc.head, arc.word);
    Object.assign(arc, { path: path(start, end, bar, foot), tip: { x: n(end), y: n(foot + 4) }, label: { x: n((start + end) / 2), y: n(bar - 5) } });
  }
  const last = words.at(-1);
  return { words, arcs, width: last.x + last.half + MARGIN, height: last.y + TAG_DROP + MARGIN };
}

function makeArc(parsed, word, head) {
  const probability = parsed.arc_probabilities[word];
  return { word, head, probability, sure: sureness(probability), doubt: doubt(probability), relation: visible(parsed.relations[word]) };
}

/** Puts each word as far to the left as its width and the relations of the arcs that end there allow. */
function place(words, arcs, port) {
  const endingAt = words.map(() => []);
  for (const arc of arcs) if (arc.head >= 0) endingAt[Math.max(arc.word, arc.head)].push(arc);
  words.forEach((word, index) => {
    const before = words[index - 1];
    word.x = before ? before.x + before.half + word.half : MARGIN + word.half;
    for (const arc of endingAt[index]) {
      const other = Math.min(arc.word, arc.head);
      const width = textWidth(`${arc.relation} ${arc.doubt}`, FONTS.relation) + 12;
      word.x = Math.max(word.x, words[other].x + port(other, arc.word) - port(index, arc.word) + width);
    }
  });
}

/** In right angles with round corners: so it crosses nothing, however long. */
function path(start, end, bar, foot) {
  if (start === end) return `M${n(start)} ${n(bar)}V${n(foot)}`;
  const turn = Math.sign(end - start) * CORNER;
  return (
    `M${n(start)} ${n(foot)}V${n(bar + CORNER)}Q${n(start)} ${n(bar)} ${n(start + turn)} ${n(bar)}` +
    `H${n(end - turn)}Q${n(end)} ${n(bar)} ${n(end)} ${n(bar + CORNER)}V${n(foot)}`
  );
}

const n = (value) => Math.round(value * 10) / 10;
