// Where each node of a tree goes: words on one line at the bottom, each constituent above what it covers.
//
// Pure arithmetic but for the widths of text, which a canvas tells without touching the page; linear in the tree.

import { phrase, shorten, visible } from "./words.js";
import { doubt, sureness } from "./tree.js";

export const FONTS = {
  label: '600 13px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  small: '500 10.5px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  tag: '500 12.5px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  relation: '500 11.5px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  word: '17px ui-serif, "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, serif',
};
export const PILL = 24; // height of a label's pill
export const WORD_DROP = 26; // from the middle of a tag to its word's baseline
const LEVEL = 50; // from a constituent to the one under it
const GAP = 18; // between words
const MARGIN = 16;
const BAR = 12; // from a pill to the line over its children
const CORNER = 7;
const SNAP = 14;
const LONGEST_WORD = 28; // in characters
const FOLDED_TEXT = 26;

const widths = new Map();
let pen = null;

/** How wide a text is. */
export function textWidth(text, font) {
  const key = `${font}|${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    pen ??= document.createElement("canvas").getContext("2d");
    pen.font = font;
    width = pen.measureText(text).width;
    if (widths.size > 20000) widths.clear();
    widths.set(key, width);
  }
  return width;
}

/** How a tree is drawn: with the tags of words and the probabilities of phrases, its branches in right angles. */
export const PLAIN_LOOK = Object.freeze({ tags: true, probabilities: true, slanted: false });

/**
 * The places of all nodes that show, parents first, and the size of the whole drawing.
 *
 * `collapsed` holds the keys of constituents whose inside is hidden under a roof. A place has the node, its level over
 * the words, x and y of its middle, the width of its pill, what is written, and the path from its parent.
 */
export function layoutTree(root, words, collapsed, look = PLAIN_LOOK) {
  const places = [];
  const byNode = new Map();
  const visit = [[root, null, 1]];
  while (visit.length) {
    const [node, parent, depth] = visit.pop();
    const place = makePlace(node, parent, depth, { words, collapsed, look });
    places.push(place);
    byNode.set(node, place);
    parent?.children.push(place);
    if (place.folded) continue;
    for (let index = node.children.length - 1; index >= 0; index -= 1) {
      visit.push([node.children[index], place, depth + 1]);
    }
  }
  for (let index = places.length - 1; index >= 0; index -= 1) measure(places[index]);
  places[0].start = MARGIN;
  for (const place of places) {
    let start = place.start + (place.stretch - place.inner) / 2;
    for (const child of place.children) {
      child.start = start;
      start += child.stretch;
    }
  }
  const top = places[0].level;
  for (let index = places.length - 1; index >= 0; index -= 1) settle(places[index], top);
  const path = look.slanted ? slant : edge;
  for (const place of places) place.edge = place.parent ? path(place.parent, place, look) : "";
  return {
    places,
    byNode,
    width: places[0].stretch + 2 * MARGIN,
    root: places[0].x,
    height: MARGIN * 2 + PILL + top * LEVEL + WORD_DROP + 4,
  };
}

function makePlace(node, parent, depth, { words, collapsed, look }) {
  const isWord = node.word !== null;
  const folded = !isWord && collapsed.has(node.key);
  const isPlain = isWord || node.parent === null || !look.probabilities;
  return {
    node, parent, depth, folded,
    sure: isPlain ? "sure" : sureness(node.probability),
    children: [],
    title: isWord && !look.tags ? "" : visible(node.label) || "—",
    doubt: isPlain ? "" : doubt(node.probability),
    text: isWord ? shorten(visible(node.word), LONGEST_WORD) : folded ? phrase(words, node.left, node.right, FOLDED_TEXT) : "",
    level: 0, start: 0, stretch: 0, inner: 0, x: 0, y: 0, pill: 0, edge: "",
  };
}

function measure(place) {
  const own = textWidth(place.title, place.node.word === null ? FONTS.label : FONTS.tag);
  const extra = place.doubt ? textWidth(place.doubt, FONTS.small) + 6 : 0;
  place.pill = own + extra + 18;
  if (place.node.word !== null) {
    place.stretch = Math.max(place.pill - 10, textWidth(place.text, FONTS.word)) + GAP;
  } else if (place.folded) {
    place.level = 1;
    place.stretch = Math.max(place.pill, textWidth(place.text, FONTS.word)) + GAP;
  } else {
    place.level = 1 + Math.max(...place.children.map((child) => child.level));
    place.inner = place.children.reduce((sum, child) => sum + child.stretch, 0);
    place.stretch = Math.max(place.inner, place.pill + GAP / 2);
  }
}

function settle(place, top) {
  place.y = MARGIN + PILL / 2 + (top - place.level) * LEVEL;
  place.x = place.start + place.stretch / 2;
  if (place.children.length) {
    const middle = (place.children[0].x + place.children.at(-1).x) / 2;
    // Over the middle of its children, but not so far to a side that the pill would lean on a neighbour.
    const room = Math.max(0, (place.stretch - place.pill) / 2 - 2);
    place.x = Math.min(place.x + room, Math.max(place.x - room, middle));
    // A step of a few pixels looks like a mistake: then it stands right over the child.
    const near = place.children.find((child) => Math.abs(child.x - place.x) < SNAP);
    if (near) place.x = near.x;
  }
}

/** Where an edge to a child ends: at its pill, its tag or, if tags are hidden, its word. */
const edgeEnd = (child, look) => child.y + (child.node.word === null ? -PILL / 2 : look.tags ? -9 : 6);

/** Slanted, as in most textbooks, down to the next level, then straight: so it too crosses nothing. */
function slant(parent, child, look) {
  const from = parent.y + PILL / 2;
  const to = edgeEnd(child, look);
  const bend = Math.min(to, parent.y + LEVEL - PILL / 2);
  return `M${n(parent.x)} ${n(from)}L${n(child.x)} ${n(bend)}V${n(to)}`;
}

/** In right angles with round corners: so it crosses nothing, however wide the tree. */
function edge(parent, child, look) {
  const from = parent.y + PILL / 2;
  const to = edgeEnd(child, look);
  const dx = child.x - parent.x;
  if (Math.abs(dx) < 1) return `M${n(parent.x)} ${n(from)}V${n(to)}`;
  const bar = from + BAR;
  const bend = Math.min(CORNER, Math.abs(dx) / 2, to - bar);
  const sign = Math.sign(dx);
  return `M${n(parent.x)} ${n(from)}V${n(bar)}H${n(child.x - sign * bend)}Q${n(child.x)} ${n(bar)} ${n(child.x)} ${n(bar + bend)}V${n(to)}`;
}

/** The triangle that stands for what a collapsed constituent hides. */
export function roof(place) {
  const half = textWidth(place.text, FONTS.word) / 2;
  const top = PILL / 2;
  const base = LEVEL + 6;
  return `M0 ${top}L${n(-half)} ${base}H${n(half)}Z`;
}

export const ROOF_TEXT = LEVEL + WORD_DROP; // baseline of the words under a roof, from the middle of its pill

const n = (value) => Math.round(value * 10) / 10;
