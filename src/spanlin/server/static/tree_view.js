// The tree as SVG: drawn from a layout, walked with the keys, every node told to a screen reader as an item of a tree.

import { el, svgEl } from "./dom.js";
import { PILL, PLAIN_LOOK, ROOF_TEXT, WORD_DROP, layoutTree, roof } from "./layout.js";
import { meaning } from "./glossary.js";
import { drawnRoot } from "./tree.js";
import { Viewport } from "./viewport.js";
import { percent, phrase, visible } from "./words.js";

const LONG = 60; // words from which on a tree starts folded: all of it would be many screens wide
const OVERVIEW = 16; // words and folded parts to start with then

export class TreeView {
  /**
   * `frame` is an empty element to draw in. Of `events`, `onpoint(span or null, node, place)` is told what is pointed
   * at or focused, `onpick(node, place)` what is clicked, `onmove()` that all places have moved, and `onfold(count)`
   * how many constituents are folded.
   */
  constructor(frame, { onpoint, onpick, onmove, onfold, name }) {
    this.frame = frame;
    this.events = { onpoint, onpick, onfold };
    this.collapsed = new Set();
    this.look = PLAIN_LOOK;
    this.drawn = new Map();
    this.focusKey = null;
    this.edges = svgEl("g", { class: "edges", "aria-hidden": "true" });
    this.nodes = svgEl("g", { role: "tree", "aria-label": name });
    this.content = svgEl("g", {}, this.edges, this.nodes);
    this.svg = svgEl("svg", { class: "tree-svg" }, this.content);
    frame.replaceChildren(this.svg);
    this.viewport = new Viewport(frame, this.content, onmove);
    this.nodes.addEventListener("pointerover", (event) => this.#point(event.target));
    this.nodes.addEventListener("pointerout", () => this.events.onpoint(null));
    // On the frame: Chromium lets Tab stop at any SVG element that itself listens to the focus.
    frame.addEventListener("focusin", (event) => this.#focused(event.target));
    frame.addEventListener("focusout", () => this.events.onpoint(null));
    this.nodes.addEventListener("click", (event) => this.#click(event));
    frame.addEventListener("keydown", (event) => this.#key(event));
    // A frame that was hidden, or grows with the window, has a new size to fit into.
    new ResizeObserver(() => {
      if (!this.layout) return;
      this.#setHeight();
      this.viewport.show(this.layout, { keep: true });
    }).observe(frame);
  }

  /** Shows the tree of a parse. `marks` may name keys that `differ`, and spans `required` ("left-right"). */
  show(root, parsed, marks = {}) {
    const sameWords = this.parsed && this.parsed.words.join(" ") === parsed.words.join(" ");
    Object.assign(this, { root, parsed, marks });
    if (!sameWords) this.collapsed = parsed.words.length > LONG ? overview(drawnRoot(root), OVERVIEW) : new Set();
    this.#draw({ keep: sameWords });
  }

  /** Fits the tree into its frame again, unless the reader has moved it. */
  refit() {
    this.viewport.show(this.layout, { keep: true });
  }

  /** Draws the tree in another look: see `PLAIN_LOOK`. */
  setLook(look) {
    this.look = look;
    if (this.root) this.#draw({ keep: true });
  }

  toggle(node) {
    if (node.word !== null) return;
    if (!this.collapsed.delete(node.key)) this.collapsed.add(node.key);
    this.#draw({ keep: true });
  }

  expandAll() {
    this.collapsed.clear();
    this.#draw({ keep: false });
  }

  /** Marks the nodes that cover this span, and the words in it. */
  highlight(span, { reveal = false } = {}) {
    for (const { group, edge, place } of this.drawn.values()) {
      const { left, right } = place.node;
      group.classList.toggle("same-span", Boolean(span) && left === span.left && right === span.right);
      const inside = Boolean(span) && left >= span.left && right <= span.right;
      group.classList.toggle("in-span", inside);
      edge.classList.toggle("in-span", inside && !(left === span.left && right === span.right));
    }
    if (span && reveal) {
      const found = [...this.drawn.values()].map(({ place }) => place);
      const target =
        found.find(({ node }) => node.left === span.left && node.right === span.right) ??
        found.find(({ node }) => node.word !== null && node.left === span.left);
      if (target) this.viewport.reveal(target.x, target.y);
    }
  }

  focusRoot() {
    this.#focus(this.layout.places[0]);
  }

  #draw({ keep }) {
    this.layout = layoutTree(drawnRoot(this.root), this.parsed.words, this.collapsed, this.look);
    const next = new Map();
    const ordered = [];
    for (const place of this.layout.places) {
      // What was there before keeps its element, so that it glides to its new place and keeps the focus.
      const old = this.drawn.get(place.node.key);
      const item = old ?? {
        group: svgEl("g", { class: "node new", role: "treeitem", tabindex: "-1" }),
        edge: svgEl("path", { class: "edge new" }),
      };
      item.place = place;
      this.#fill(item);
      next.set(place.node.key, item);
      ordered.push(item);
    }
    for (const [key, { group, edge }] of this.drawn) {
      if (next.has(key)) continue;
      group.remove();
      edge.remove();
    }
    this.drawn = next;
    // Nodes stand in reading order for a screen reader; moving an element would take the focus from it.
    const active = document.activeElement;
    ordered.forEach((item, index) => {
      if (this.nodes.children[index] !== item.group) this.nodes.insertBefore(item.group, this.nodes.children[index] ?? null);
      if (!item.edge.isConnected) this.edges.append(item.edge);
    });
    if (!this.drawn.has(this.focusKey)) this.focusKey = this.layout.places[0].node.key;
    this.drawn.get(this.focusKey).group.setAttribute("tabindex", "0");
    if (active?.isConnected && this.nodes.contains(active) && active !== document.activeElement) active.focus();
    this.#setHeight();
    this.viewport.show(this.layout, { keep });
    this.events.onfold(this.layout.places.filter((place) => place.folded).length);
    requestAnimationFrame(() => {
      for (const { group, edge } of this.drawn.values()) {
        group.classList.remove("new");
        edge.classList.remove("new");
      }
    });
  }

  /** Asks for the height that the tree takes at the width it has; the style sheet says how much of that it gets. */
  #setHeight() {
    if (!this.frame.clientWidth) return;
    const height = Math.ceil(this.layout.height * this.viewport.scaleFor(this.layout));
    this.frame.style.setProperty("--tree-height", `${height}px`);
  }

  #fill(item) {
    const { group, edge, place } = item;
    const { node } = place;
    const isWord = node.word !== null;
    const span = `${node.left}-${node.right}`;
    const differs = this.marks.differ?.has(node.key);
    const required = !isWord && this.marks.required?.has(span);
    group.setAttribute(
      "class",
      ["node", isWord ? "word-node" : `phrase-node ${place.sure}`, differs && "differs", place.folded && "folded",
        required && "required", group.classList.contains("new") && "new"].filter(Boolean).join(" "),
    );
    group.setAttribute("tabindex", node.key === this.focusKey ? "0" : "-1");
    Object.assign(group.dataset, { key: node.key, label: node.label, left: node.left, right: node.right });
    this.#tell(group, place, { differs, required });
    // By the CSS property and not the attribute: only that one glides.
    group.style.transform = `translate(${place.x}px, ${place.y}px)`;
    group.replaceChildren(...this.#shapes(place, { differs, required }));
    edge.setAttribute("d", place.edge);
  }

  /** What a screen reader says of a node, and its place among its siblings. */
  #tell(group, place, { differs, required }) {
    const { node } = place;
    const siblings = place.parent ? place.parent.children : [place];
    const what = [
      [visible(node.label), meaning(node.label, node.word !== null)].filter(Boolean).join(", "),
      phrase(this.parsed.words, node.left, node.right, 120),
      node.probability === null ? "" : `probability ${percent(node.probability)}`,
      differs ? "not in the other tree" : "",
      required ? "required" : "",
    ];
    group.setAttribute("aria-label", what.filter(Boolean).join("; "));
    group.setAttribute("aria-level", place.depth);
    group.setAttribute("aria-posinset", siblings.indexOf(place) + 1);
    group.setAttribute("aria-setsize", siblings.length);
    if (node.word === null) group.setAttribute("aria-expanded", String(!place.folded));
  }

  #shapes(place, { differs, required }) {
    const { node } = place;
    if (node.word !== null) {
      const width = Math.max(place.pill - 10, place.stretch - 12);
      return [
        svgEl("rect", { class: "halo", x: -width / 2, y: -11, width, height: WORD_DROP + 20, rx: 8 }),
        svgEl("text", { class: "tag", y: 4 }, place.title),
        svgEl("text", { class: "word", y: WORD_DROP }, place.text),
      ];
    }
    const half = place.pill / 2;
    const shapes = [svgEl("rect", { class: "pill", x: -half, y: -PILL / 2, width: place.pill, height: PILL, rx: 8 })];
    shapes.push(
      svgEl("text", { class: "label", y: 4.5 }, place.title,
        place.doubt ? svgEl("tspan", { class: "doubt", dx: 6 }, place.doubt) : null),
    );
    if (place.folded) {
      shapes.unshift(svgEl("path", { class: "roof", d: roof(place) }));
      shapes.push(svgEl("text", { class: "word", y: ROOF_TEXT }, place.text));
    }
    if (differs) shapes.push(badge(half, "≠", "badge-differs"));
    if (required) shapes.push(badge(-half, "✓", "badge-required"));
    shapes.push(
      svgEl("g", { class: "toggle", transform: `translate(0 ${PILL / 2})` },
        svgEl("circle", { class: "reach", r: 11 }), svgEl("circle", { r: 6.5 }),
        svgEl("path", { d: place.folded ? "M-3 0H3M0 -3V3" : "M-3 0H3" })),
    );
    return shapes;
  }

  #item(target) {
    const group = target.closest?.("[role=treeitem]");
    return group ? this.drawn.get(group.dataset.key) : null;
  }

  #point(target) {
    const item = this.#item(target);
    if (item) this.events.onpoint(item.place.node, item.place.node, item.group);
  }

  #focused(target) {
    const item = this.#item(target);
    if (!item) return;
    this.#rove(item.place.node.key);
    if (item.group.matches(":focus-visible")) {
      this.viewport.reveal(item.place.x, item.place.y);
      this.events.onpoint(item.place.node, item.place.node, item.group);
    }
  }

  #rove(key) {
    this.drawn.get(this.focusKey)?.group.setAttribute("tabindex", "-1");
    this.focusKey = key;
    this.drawn.get(key).group.setAttribute("tabindex", "0");
  }

  #focus(place) {
    if (!place) return;
    this.#rove(place.node.key);
    this.drawn.get(place.node.key).group.focus();
  }

  #click(event) {
    const item = this.#item(event.target);
    if (!item) return;
    this.#rove(item.place.node.key);
    if (event.target.closest(".toggle")) this.toggle(item.place.node);
    else this.events.onpick(item.place.node, item.group);
  }

  #key(event) {
    const item = this.#item(event.target);
    if (item && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey && this.#walk(event.key, item)) {
      event.preventDefault();
    } else if (this.viewport.key(event)) {
      event.preventDefault();
    }
  }

  /** Moves the focus as the picture lies: up to the parent, down to the first child, sideways on the same level. */
  #walk(key, { place, group }) {
    if (key === "ArrowUp") this.#focus(place.parent);
    else if (key === "ArrowDown") this.#focus(place.children[0]);
    else if (key === "ArrowLeft") this.#focus(this.#beside(place, -1));
    else if (key === "ArrowRight") this.#focus(this.#beside(place, 1));
    else if (key === "Home") this.#focus(this.layout.places[0]);
    else if (key === "End") this.#focus(this.layout.places.at(-1));
    else if (key === " ") this.toggle(place.node);
    else if (key === "Enter") this.events.onpick(place.node, group);
    else return false;
    return true;
  }

  #beside(place, step) {
    const row = this.layout.places.filter((other) =>
      place.node.word === null ? other.depth === place.depth : other.node.word !== null,
    );
    return row[row.indexOf(place) + step];
  }
}

/** The keys to fold so that about so many items are left on the bottom line, the largest constituents open. */
function overview(root, limit) {
  const folded = new Set([root]);
  let items = 1;
  while (items < limit) {
    let largest = null;
    for (const node of folded) if (!largest || node.right - node.left > largest.right - largest.left) largest = node;
    if (!largest || largest.right - largest.left < 2) break;
    folded.delete(largest);
    items += largest.children.length - 1;
    for (const child of largest.children) if (child.word === null) folded.add(child);
  }
  return new Set([...folded].filter((node) => node.right - node.left > 2).map((node) => node.key));
}

function badge(x, sign, name) {
  return svgEl("g", { class: `badge ${name}`, transform: `translate(${x} ${-PILL / 2})` },
    svgEl("circle", { r: 7.5 }), svgEl("text", { y: 3.5 }, sign));
}

/** What is told of a node when it is pointed at. */
export function nodeCard(node, words) {
  const isWord = node.word !== null;
  const means = meaning(node.label, isWord);
  return [
    el("strong", {}, visible(node.label) || "—"),
    means ? el("span", { class: "muted" }, ` ${means}`) : null,
    el("p", { class: "card-words", dir: "auto" }, phrase(words, node.left, node.right, 110)),
    node.probability === null ? null : el("p", { class: "card-number" }, `${percent(node.probability)} probable`),
  ];
}
