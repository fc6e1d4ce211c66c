// The sentence as a line of words: they light up with the tree and the table, and a stretch of them can be picked.

import { el, refill } from "./dom.js";
import { visible } from "./words.js";

export class SentenceView {
  /** `onpoint(span or null)` is told of the word pointed at, `onpick(span, box)` of a stretch that was dragged over. */
  constructor(line, { onpoint, onpick }) {
    this.line = line;
    this.events = { onpoint, onpick };
    this.start = null;
    line.addEventListener("pointerover", (event) => this.#over(event));
    line.addEventListener("pointerleave", () => this.start === null && onpoint(null));
    line.addEventListener("pointerdown", (event) => this.#press(event));
    // Outside the line too: a drag may end anywhere.
    addEventListener("pointerup", (event) => this.#release(event));
  }

  show(words) {
    this.items = words.map((word, index) => el("span", { class: "token", "data-index": index }, visible(word)));
    refill(this.line, ...this.items.flatMap((item, index) => (index ? [" ", item] : [item])));
  }

  highlight(span) {
    this.items?.forEach((item, index) => {
      item.classList.toggle("lit", Boolean(span) && index >= span.left && index < span.right);
    });
  }

  #index(event) {
    const item = event.target.closest?.(".token");
    return item && this.line.contains(item) ? Number(item.dataset.index) : null;
  }

  #span(index) {
    return { left: Math.min(this.start ?? index, index), right: Math.max(this.start ?? index, index) + 1 };
  }

  #over(event) {
    const index = this.#index(event);
    if (index !== null) this.events.onpoint(this.#span(index));
  }

  #press(event) {
    const index = this.#index(event);
    if (index === null || event.button !== 0 || event.pointerType === "touch") return;
    this.start = index;
    event.preventDefault(); // a selection of text would lie over our own
  }

  #release(event) {
    if (this.start === null) return;
    const index = this.#index(event);
    const span = index === null ? null : this.#span(index);
    this.start = null;
    if (!span || span.right - span.left < 2) return;
    const box = this.items[span.right - 1].getBoundingClientRect();
    this.events.onpick(span, box);
  }
}
