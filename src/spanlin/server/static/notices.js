// What the page has to say: an error that stays until it is solved or closed, and a short word that goes by itself.

import { el, icon, refill } from "./dom.js";

const PASSING = 2600;

export class Notices {
  constructor(standing, passing) {
    this.standing = standing;
    this.passing = passing;
  }

  /** Shows an error kindly. With `retry`, there is a button for it; with `seconds` too, it counts down to it. */
  show(title, message, { retry = null, seconds = null } = {}) {
    this.clear();
    const words = el("p", {}, el("strong", {}, title), el("span", { dir: "auto" }, ` ${message}`));
    const button = retry && el("button", { type: "button", class: "plain retry", onclick: () => { this.clear(); retry(); } }, "Try again");
    const close = el("button", { type: "button", class: "plain square", "aria-label": "Close this message", onclick: () => this.clear() }, icon("close"));
    refill(this.standing, el("div", { class: "notice" }, icon("info"), words, button, close));
    if (retry && seconds) this.#countDown(button, seconds, retry);
  }

  clear() {
    clearInterval(this.timer);
    refill(this.standing);
  }

  /** Leaves it to the reader to try again. */
  stopCountdown() {
    clearInterval(this.timer);
    const button = this.standing.querySelector(".retry");
    if (button) button.textContent = "Try again";
  }

  say(text) {
    clearTimeout(this.fading);
    refill(this.passing, el("span", { class: "toast" }, text));
    this.fading = setTimeout(() => refill(this.passing), PASSING);
  }

  #countDown(button, seconds, retry) {
    let left = Math.ceil(seconds);
    const tell = () => { button.textContent = `Try again (in ${left} s)`; };
    // Outside the live region's changes a screen reader should hear of it once, not every second.
    button.setAttribute("aria-label", "Try again");
    tell();
    this.timer = setInterval(() => {
      left -= 1;
      if (left > 0) { tell(); return; }
      this.clear();
      retry();
    }, 1000);
  }
}
