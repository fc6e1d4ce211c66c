// The two things that float over the page: a card about what is pointed at, and the menu of a span.

import { el, icon, refill } from "./dom.js";

/** Puts an element over or under a box of the page, on the other side where there is no room, never out of sight. */
function place(element, box, { above = false, gap = 8 } = {}) {
  const { offsetWidth: width, offsetHeight: height } = element;
  const [roomX, roomY] = [document.documentElement.clientWidth, document.documentElement.clientHeight];
  const [over, under] = [box.top - height - gap, box.bottom + gap];
  const fits = above ? over >= 4 : under + height <= roomY - 4;
  const top = above === fits ? over : under;
  const left = box.left + box.width / 2 - width / 2;
  element.style.left = `${Math.max(8, Math.min(left, roomX - width - 8))}px`;
  element.style.top = `${Math.max(8, Math.min(top, roomY - height - 8))}px`;
}

export class Card {
  constructor(element) {
    this.element = element;
  }

  show(box, ...children) {
    refill(this.element, ...children);
    this.element.hidden = false;
    // Over it: what a node covers is drawn under it.
    place(this.element, box, { above: true, gap: 10 });
  }

  hide() {
    this.element.hidden = true;
  }
}

export class Menu {
  constructor(element) {
    this.element = element;
    this.openAt = { x: 0, y: 0 };
    element.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("pointerdown", (event) => {
      if (!element.hidden && !element.contains(event.target)) this.close();
    });
    addEventListener("resize", () => this.close());
    addEventListener("scroll", () => {
      // The page may have scrolled just before: browsers say so a frame later.
      if (scrollX !== this.openAt.x || scrollY !== this.openAt.y) this.close();
    });
  }

  /** Opens beside a box. An item is {label, icon, act} or {label, note: true} for a line that only tells. */
  open(box, title, items) {
    this.returnTo = document.activeElement;
    this.openAt = { x: scrollX, y: scrollY };
    const lines = items.map(({ label, icon: sign, act, note }) =>
      note
        ? el("p", { class: "menu-note" }, label)
        : el("button", { type: "button", role: "menuitem", tabindex: "-1", onclick: () => { this.close(); act(); } }, icon(sign), label));
    refill(this.element, el("p", { class: "menu-title", dir: "auto" }, title), ...lines);
    this.element.setAttribute("aria-label", title);
    this.element.hidden = false;
    place(this.element, box);
    (this.#buttons()[0] ?? this.element).focus({ preventScroll: true });
  }

  close() {
    if (this.element.hidden) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = true;
    if (hadFocus && this.returnTo?.isConnected) this.returnTo.focus({ preventScroll: true });
  }

  #buttons() {
    return [...this.element.querySelectorAll("button")];
  }

  #key(event) {
    const buttons = this.#buttons();
    const at = buttons.indexOf(document.activeElement);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1 + buttons.length, Home: 0, End: buttons.length - 1 };
    if (event.key === "Escape" || event.key === "Tab") this.close();
    else if (event.key in steps && buttons.length) buttons[steps[event.key] % buttons.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
