// What one can do with an arc: require it, forbid it, take that back, make its word the root.

import { sameArc } from "./state.js";
import { shorten, visible } from "./words.js";

const LONGEST_WORD = 40; // in characters

/** An arc in words, with word and head counted from 1, 0 for the root's. */
export function arcText(words, { word, head }) {
  const text = (number) => shorten(visible(words[number - 1] ?? ""), LONGEST_WORD);
  return head === 0 ? `${text(word)} is the root` : `${text(word)} ← ${text(head)}`;
}

/** The items of an arc's menu. `wish(kind, arc)` is called with "required", "forbidden" or "" (neither). */
export function arcItems(arc, { state, words, wish }) {
  const here = { sentence: state.sentence, word: arc.word, head: arc.head };
  const isRequired = state.requiredArcs.some((other) => sameArc(other, here));
  const what = arc.head === 0 ? "root" : "head";
  const items = [
    isRequired
      ? { label: "No longer require it", icon: "close", act: () => wish("", here) }
      : { label: `Require this ${what}`, icon: "check", act: () => wish("required", here) },
    // What is forbidden is not drawn; it is taken back where it is listed.
    { label: `Forbid this ${what}`, icon: "ban", act: () => wish("forbidden", here) },
  ];
  if (arc.head !== 0 && words.length > 1) {
    const root = { ...here, head: 0 };
    items.push({ label: `Make “${shorten(visible(words[arc.word - 1]), LONGEST_WORD)}” the root`, icon: "check", act: () => wish("required", root) });
  }
  return items;
}
