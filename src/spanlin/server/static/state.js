// What a link restores, and how it is written after the # of the address.

import { PLAIN_LOOK } from "./layout.js";

export const DEFAULT_STATE = Object.freeze({
  text: "",
  model: "", // the usual one
  decoder: "argmin",
  compare: "",
  sentence: 0,
  required: [],
  forbidden: [],
  requiredArcs: [],
  forbiddenArcs: [],
  side: "left",
  view: "tree",
  look: PLAIN_LOOK,
});

/** What is shown: the tree with all the width, the table of its spans, or both. */
export const VIEWS = ["tree", "table", "both"];

const LONGEST_LINK = 12000; // characters of text in an address; mails and chats break longer ones

export const fitsLink = (state) => state.text.length <= LONGEST_LINK;

/** The state as the part of an address after #; what is at its default is left out, and all where it is too long. */
export function encodeState(state) {
  if (!fitsLink(state)) return "";
  const parts = new URLSearchParams();
  if (state.text) parts.set("text", state.text);
  if (state.model) parts.set("model", state.model);
  if (state.decoder !== DEFAULT_STATE.decoder) parts.set("decoder", state.decoder);
  if (state.compare) parts.set("compare", state.compare);
  // People count sentences from one.
  if (state.sentence) parts.set("sentence", String(state.sentence + 1));
  if (state.required.length) parts.set("require", encodeSpans(state.required));
  if (state.forbidden.length) parts.set("forbid", encodeSpans(state.forbidden));
  if (state.requiredArcs.length) parts.set("require-arcs", encodeArcs(state.requiredArcs));
  if (state.forbiddenArcs.length) parts.set("forbid-arcs", encodeArcs(state.forbiddenArcs));
  if (state.side !== DEFAULT_STATE.side) parts.set("side", state.side);
  if (state.view !== DEFAULT_STATE.view) parts.set("view", state.view);
  const look = Object.keys(PLAIN_LOOK).filter((key) => (state.look ?? PLAIN_LOOK)[key] !== PLAIN_LOOK[key]);
  if (look.length) parts.set("look", look.map((key) => (PLAIN_LOOK[key] ? `no-${key}` : key)).join(" "));
  return parts.toString();
}

/** The state of an address; whatever in it makes no sense is taken as its default. */
export function decodeState(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const name = (key, fallback) => (/^[a-z0-9-]{1,40}$/.test(parts.get(key) ?? "") ? parts.get(key) : fallback);
  const sentence = Number.parseInt(parts.get("sentence") ?? "1", 10);
  return {
    text: parts.get("text") ?? "",
    model: name("model", DEFAULT_STATE.model),
    decoder: name("decoder", DEFAULT_STATE.decoder),
    compare: name("compare", ""),
    sentence: sentence >= 1 ? sentence - 1 : 0,
    required: decodeSpans(parts.get("require")),
    forbidden: decodeSpans(parts.get("forbid")),
    requiredArcs: decodeArcs(parts.get("require-arcs")),
    forbiddenArcs: decodeArcs(parts.get("forbid-arcs")),
    side: parts.get("side") === "right" ? "right" : "left",
    look: decodeLook(parts.get("look") ?? ""),
    view: VIEWS.includes(parts.get("view")) ? parts.get("view") : DEFAULT_STATE.view,
  };
}

function decodeLook(text) {
  const told = new Set(text.split(" "));
  return Object.fromEntries(Object.entries(PLAIN_LOOK).map(([key, usual]) => [key, usual ? !told.has(`no-${key}`) : told.has(key)]));
}

export const sameSpan = (one, two) =>
  one.sentence === two.sentence && one.left === two.left && one.right === two.right;

export const sameArc = (one, two) =>
  one.sentence === two.sentence && one.word === two.word && one.head === two.head;

/** A state without wishes for its tree, which a sentence may not have. */
export const withoutWishes = (state) => {
  const { decoder, compare, required, forbidden, requiredArcs, forbiddenArcs } = DEFAULT_STATE;
  return { ...state, decoder, compare, required, forbidden, requiredArcs, forbiddenArcs };
};

/** Whether two states ask the parser for the same trees and heads. */
export function sameQuestion(one, two) {
  const wishes = (state) => [
    encodeSpans(state.required), encodeSpans(state.forbidden), encodeArcs(state.requiredArcs), encodeArcs(state.forbiddenArcs),
  ].join("|");
  const sameModel = (one.model ?? "") === (two.model ?? ""); // a history entry of an older page has none
  return sameModel && one.text === two.text && one.decoder === two.decoder && wishes(one) === wishes(two);
}

// A span is written sentence.left-right, the sentence from 1, the split points as they are: 1.2-5.
function encodeSpans(spans) {
  return spans.map(({ sentence, left, right }) => `${sentence + 1}.${left}-${right}`).join(" ");
}

// An arc is written sentence.word-head, all from 1, and 0 for the head of the root: 1.2-5.
const encodeArcs = (arcs) => encodeSpans(arcs.map(({ sentence, word, head }) => ({ sentence, left: word, right: head })));

const decodeArcs = (text) =>
  decodeSpans(text)
    .map(({ sentence, left, right }) => ({ sentence, word: left, head: right }))
    .filter(({ word, head }) => word > 0 && word !== head);

function decodeSpans(text) {
  return Array.from((text ?? "").matchAll(/(\d{1,6})\.(\d{1,6})-(\d{1,6})/g), ([, sentence, left, right]) => ({
    sentence: Math.max(0, Number(sentence) - 1),
    left: Number(left),
    right: Number(right),
  }));
}
