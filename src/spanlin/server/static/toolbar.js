// What stands over the tree: which sentence, which decoder, what it promises, and the reader's own constraints.

import { arcText } from "./arc_menu.js";
import { el, icon, refill } from "./dom.js";
import { DECODERS, decoderName, readings } from "./decoders.js";
import { constituents, onlyIn } from "./tree.js";
import { percent, phrase, plural } from "./words.js";

/** Fills the two decoder lists once the service has told its decoders. */
export function fillDecoders(main, other, names) {
  const options = (keys) => keys.map((key) => el("option", { value: key }, decoderName(key)));
  refill(main, ...options(names));
  refill(other,
    el("option", { value: "" }, "Only this tree"),
    el("optgroup", { label: "Other readings" }, ...options(readings)),
    el("optgroup", { label: "Other decoders" }, ...options(names)));
}

/** Fills the list of models, if the page has several: a larger one is slower to load, and more often right. */
export function fillModels(list, models) {
  const size = (bytes) => `${Math.max(1, Math.round(bytes / 1e6))} MB`;
  refill(list, ...models.map(({ name, bytes }) => el("option", { value: name }, `${name} (${size(bytes)})`)));
}

/** Shows which sentence is open, if there are several. */
export function showPicker(picker, sentences, current) {
  picker.hidden = sentences.length < 2;
  refill(picker.querySelector("select"), ...sentences.map((parsed, index) =>
    el("option", { value: index, selected: index === current }, `${index + 1}. ${phrase(parsed.words, 0, parsed.words.length, 40)}`)));
  picker.querySelector("output").textContent = `${current + 1} of ${sentences.length}`;
  picker.querySelector("[data-step='-1']").disabled = current === 0;
  picker.querySelector("[data-step='1']").disabled = current === sentences.length - 1;
}

/** Says in a line what is known of a tree as a whole. */
export function promise(parsed, isConstrained) {
  const under = isConstrained ? " under your constraints" : "";
  const [name, sign, text, why] = parsed.certified
    ? ["proved", "check", `Most probable tree${under}`, `Provably no tree${under} is more probable.`]
    : ["unproved", "info", "Not proved to be the best", `Another tree${under} may be more probable; “Exact (CKY)” finds the best one.`];
  const odds = parsed.probability == null ? "" : ` Probability of the whole tree: ${percent(parsed.probability)}.`;
  return el("span", { class: `promise ${name}`, title: why + odds, "data-certified": String(Boolean(parsed.certified)) },
    icon(sign), text, el("span", { class: "visually-hidden" }, `. ${why}${odds}`));
}

/** Says in a line what is known of the dependencies as a whole. */
export function arcsPromise(parsed, isConstrained) {
  const [name, sign, text] = parsed.dependencies_certified
    ? ["proved", "check", `Most probable dependency tree${isConstrained ? " under your constraints" : ""}`]
    : ["unproved", "info", "Not proved to be the best"];
  return el("span", { class: `promise ${name}`, "data-certified": String(Boolean(parsed.dependencies_certified)) }, icon(sign), text);
}

/** Says in a line how probable one of several readings is. */
export function readingOdds(parsed) {
  return el("span", { class: "promise reading" }, icon("info"), `Probability: ${percent(parsed.probability)}`);
}

/** Says what a decoder does. */
export const aboutDecoder = (key) => DECODERS[key]?.about ?? "";

/** Lists the constraints of the open sentence, phrases and arcs; a click on one takes it back. */
export function showChips(list, words, state, { onremove, onremoveArc }) {
  const chip = (kind, sign, describe, remove) => (wished) => {
    const text = describe(wished);
    return el("li", { class: `chip ${kind}` }, icon(sign),
      el("span", { class: "chip-kind" }, kind), el("span", { class: "chip-words", dir: "auto" }, text),
      el("button", { type: "button", "aria-label": `Remove: ${kind} ${text}`, onclick: () => remove(wished) }, icon("close")));
  };
  const here = ({ sentence }) => sentence === state.sentence;
  const spanText = (span) => phrase(words, span.left, span.right, 40);
  const textOfArc = (arc) => arcText(words, arc);
  const chips = [["required", "check"], ["forbidden", "ban"]].flatMap(([kind, sign]) => [
    ...state[kind].filter(here).map(chip(kind, sign, spanText, onremove)),
    ...state[`${kind}Arcs`].filter(here).map(chip(kind, sign, textOfArc, onremoveArc)),
  ]);
  list.hidden = chips.length === 0;
  refill(list, ...chips);
}

/** What differs between two trees: the keys on either side, and a sentence that tells. */
export function compareTrees(root, other) {
  const [mine, theirs] = [onlyIn(root, other), onlyIn(other, root)];
  const count = mine.size + theirs.size;
  const text = count === 0
    ? "Both trees are the same."
    : `${plural(count, "constituent")} ${count === 1 ? "differs" : "differ"}: ${mine.size} only above, ${theirs.size} only below.`;
  return { mine, theirs, count, text };
}

/** Says how much of a tree that was pasted the parser's has: F1 of labelled constituents. */
export function agreement(root, pasted) {
  const [mine, theirs] = [constituents(root).length, constituents(pasted).length];
  const shared = mine - onlyIn(root, pasted).size;
  return el("span", { class: "promise reading" }, icon("info"), `Agreement: F1 ${percent(mine + theirs ? (2 * shared) / (mine + theirs) : 1)}`);
}

/** Says how the predictions of one side fare. */
export function tallyText(side, told) {
  if (!told) return "";
  const crossing = told.crossing ? `, ${told.crossing} ${told.crossing === 1 ? "crosses" : "cross"}` : "";
  return `Of the ${side} boundaries the tree keeps ${told.kept} of ${told.count}${crossing}.`;
}
