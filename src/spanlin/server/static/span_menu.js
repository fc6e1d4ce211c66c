// What one can do with a span: require it, forbid it, take that back, fold it away.

import { sameSpan } from "./state.js";

/**
 * The items of a span's menu.
 *
 * `wish(kind, span)` is called with "required", "forbidden" or "" (neither); `fold` only where a node was picked.
 */
export function spanItems(span, { state, words, isFolded, wish, fold, copy }) {
  const items = [];
  const here = { sentence: state.sentence, left: span.left, right: span.right };
  const isRequired = state.required.some((other) => sameSpan(other, here));
  const isForbidden = state.forbidden.some((other) => sameSpan(other, here));
  if (span.right - span.left === words.length) {
    items.push({ label: "The whole sentence is in every tree.", note: true });
  } else {
    items.push(
      isRequired
        ? { label: "No longer require it", icon: "close", act: () => wish("", here) }
        : { label: "Require this phrase", icon: "check", act: () => wish("required", here) },
      isForbidden
        ? { label: "No longer forbid it", icon: "close", act: () => wish("", here) }
        : { label: "Forbid this phrase", icon: "ban", act: () => wish("forbidden", here) },
    );
  }
  if (fold) items.push({ label: isFolded ? "Unfold" : "Fold", icon: isFolded ? "plus" : "minus", act: fold });
  items.push({ label: "Copy the words", icon: "copy", act: copy });
  return items;
}
