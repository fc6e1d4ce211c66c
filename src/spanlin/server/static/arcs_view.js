// Dependencies as arcs above the words, in SVG: pointed at, walked with the keys, each told to a screen reader.

import { headsOfSpan, spanOfWord } from "./arcs.js";
import { TAG_DROP, layoutArcs } from "./arcs_layout.js";
import { el, svgEl } from "./dom.js";
import { relationMeaning } from "./relations.js";
import { percent, visible } from "./words.js";

export class ArcsView {
  /**
   * `frame` is an empty element; `onpoint(span or null, word, place)` is told of the arc pointed at, and its words, and
   * `onpick(word, place)` of the word whose arc is clicked.
   */
  constructor(frame, { onpoint, onpick, name }) {
    this.frame = frame;
    this.onpoint = onpoint;
    this.onpick = onpick;
    this.arcs = [];
    this.words = [];
    this.list = svgEl("g", { role: "list", "aria-label": name });
    this.line = svgEl("g", { "aria-hidden": "true" });
    this.svg = svgEl("svg", { class: "arcs-svg" }, this.list, this.line);
    frame.replaceChildren(this.svg);
    this.list.addEventListener("pointerover", (event) => this.#point(event.target));
    this.list.addEventListener("pointerout", () => this.onpoint(null));
    this.list.addEventListener("click", (event) => this.#pick(event.target));
    frame.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && this.#point(event.target));
    frame.addEventListener("focusout", () => this.onpoint(null));
    frame.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Shows the dependencies of a parse, which must have some; `required` are the words, from 1, whose heads are. */
  show(parsed, required = new Set()) {
    this.parsed = parsed;
    this.required = required;
    const { words, arcs, width, height } = layoutArcs(parsed);
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) {
      this.svg.setAttribute(name, value);
    }
    this.words = words.map(({ x, y, text, tag }) => svgEl("g", { class: "arc-word" },
      svgEl("text", { class: "word", x, y }, text), svgEl("text", { class: "tag", x, y: y + TAG_DROP }, tag)));
    this.arcs = arcs.map((arc) => this.#draw(arc));
    this.list.replaceChildren(...this.arcs);
    this.line.replaceChildren(...this.words);
    const root = Math.max(0, parsed.heads.indexOf(0));
    this.arcs[root].setAttribute("tabindex", "0");
  }

  /** Marks the words of a span, the arcs inside it, and what in it nothing in it governs: its head. */
  highlight(span) {
    if (!this.parsed) return;
    const { heads } = this.parsed;
    const top = new Set(span ? headsOfSpan(heads, span) : []);
    const isInside = (word) => Boolean(span) && word >= span.left && word < span.right;
    this.words.forEach((item, word) => {
      item.classList.toggle("lit", isInside(word));
      item.classList.toggle("head", top.size === 1 && top.has(word));
    });
    this.arcs.forEach((item, word) => {
      item.classList.toggle("in-span", isInside(word) && isInside(heads[word] - 1));
      item.classList.toggle("to-head", top.size === 1 && top.has(word));
      item.classList.remove("pointed");
    });
  }

  /** Marks the arc of a word. */
  mark(word) {
    this.arcs[word].classList.add("pointed");
  }

  #draw(arc) {
    const { words } = this.parsed;
    const means = relationMeaning(arc.relation);
    const what = [
      [arc.relation, means].filter(Boolean).join(", "),
      arc.head < 0 ? `${visible(words[arc.word])} is the root` : `${visible(words[arc.word])} depends on ${visible(words[arc.head])}`,
      `probability ${percent(arc.probability)}`,
    ];
    const required = this.required.has(arc.word + 1);
    if (required) what.push("required");
    return svgEl("g", { class: `arc ${arc.sure}${required ? " required" : ""}`, role: "listitem", tabindex: "-1", "data-word": arc.word, "data-head": arc.head, "aria-label": what.join("; ") },
      svgEl("path", { class: "arc-reach", d: arc.path }),
      svgEl("path", { class: "arc-line", d: arc.path }),
      svgEl("path", { class: "arc-tip", d: `M${arc.tip.x} ${arc.tip.y}l-3.5 -7h7z` }),
      svgEl("text", { class: "relation", x: arc.label.x, y: arc.label.y }, arc.relation,
        arc.doubt ? svgEl("tspan", { class: "doubt", dx: 4 }, arc.doubt) : null));
  }

  #point(target) {
    const group = target.closest?.(".arc");
    if (!group) return;
    const word = Number(group.dataset.word);
    this.onpoint(spanOfWord(this.parsed.heads, word), word, group);
    this.mark(word);
  }

  #pick(target) {
    const group = target.closest?.(".arc");
    if (group) this.onpick(Number(group.dataset.word), group);
  }

  /** Left and right go from word to word, up to the head, down to the first word that is governed; Enter picks. */
  #key(event) {
    const group = event.target.closest?.(".arc");
    if (!group || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "Enter") {
      event.preventDefault();
      this.#pick(group);
      return;
    }
    const { heads } = this.parsed;
    const word = Number(group.dataset.word);
    const steps = {
      ArrowLeft: word - 1, ArrowRight: word + 1, ArrowUp: heads[word] - 1, ArrowDown: heads.indexOf(word + 1),
      Home: 0, End: heads.length - 1,
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const next = this.arcs[steps[event.key]];
    if (!next) return;
    group.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  }
}

/** What is told of the arc that leads to a word. */
export function arcCard(parsed, word) {
  const relation = visible(parsed.relations[word]);
  const means = relationMeaning(relation);
  const head = parsed.heads[word] - 1;
  const words = head < 0 ? visible(parsed.words[word]) : `${visible(parsed.words[word])} ← ${visible(parsed.words[head])}`;
  return [
    el("strong", {}, relation),
    means ? el("span", { class: "muted" }, ` ${means}`) : null,
    el("p", { class: "card-words", dir: "auto" }, words),
    el("p", { class: "card-number" }, `${percent(parsed.arc_probabilities[word])} probable`),
  ];
}

/** What is told of a constituent's head; nothing without dependencies. */
export function headLine(parsed, span) {
  if (!parsed.heads || span.right - span.left < 2) return null;
  const found = headsOfSpan(parsed.heads, span).map((word) => visible(parsed.words[word]));
  const text = found.length === 1 ? `head: ${found[0]}` : `no single head: ${found.slice(0, 4).join(", ")}${found.length > 4 ? " …" : ""}`;
  return el("p", { class: "card-number" }, text);
}
