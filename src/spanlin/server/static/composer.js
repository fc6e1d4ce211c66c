// Where one types: it grows with the text, parses when typing rests, and offers examples.

import { el } from "./dom.js";
import { EXAMPLES } from "./examples.js";

const TYPING_PAUSE = 500;
const MOST_LINES = 5;

export class Composer {
  /**
   * `ontext(text, how)` is told of a new text, with "push" where it is one to come back to and "replace" while it
   * is being typed; `onsubmit(text)` that the reader asked for a parse.
   */
  constructor(form, { ontext, onsubmit }) {
    this.box = form.querySelector("textarea");
    this.typing = null;
    this.box.addEventListener("input", () => {
      this.#grow();
      this.#rest();
      this.typing = setTimeout(() => {
        this.#rest();
        ontext(this.box.value, "replace");
      }, TYPING_PAUSE);
    });
    this.box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      form.requestSubmit();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#rest();
      onsubmit(this.box.value);
    });
    const take = (text) => {
      this.show(text);
      ontext(text, "push");
    };
    // By name where there is a result already, in full where the page is still empty.
    form.querySelector("#examples").append(...EXAMPLES.map(({ name, text }) =>
      el("button", { type: "button", class: "example", title: text, onclick: () => take(text) }, name)));
    document.getElementById("welcome-examples").append(...EXAMPLES.map(({ name, text }) =>
      el("li", {}, el("button", { type: "button", onclick: () => take(text) }, el("small", {}, name), text))));
  }

  /** Whether there is text that the page has not been told of yet. */
  get isTyping() {
    return this.typing !== null;
  }

  show(text) {
    this.#rest();
    // The same text is left alone, or the cursor would jump while one types.
    if (this.box.value !== text) this.box.value = text;
    this.#grow();
  }

  focus() {
    this.box.focus();
  }

  #rest() {
    clearTimeout(this.typing);
    this.typing = null;
  }

  #grow() {
    this.box.style.height = "auto";
    const { lineHeight, paddingTop } = getComputedStyle(this.box);
    const tallest = Number.parseFloat(paddingTop) + MOST_LINES * Number.parseFloat(lineHeight);
    this.box.style.height = `${Math.min(this.box.scrollHeight, tallest)}px`;
  }
}
