// The paper's Figure 1(c), alive: the span table as a heat map of P(i|j), or of P(j|i) for the right side.
//
// The cell in row i and column j is the span from word i+1 to word j. Words stand on the diagonal, where each is both
// the first word of its row and the last of its column, so a cell's span lies on the diagonal below and left of it.
// Only what is in sight is drawn, on a canvas the size of its frame: a table of 200 words has 20,000 cells.

import { css, readColours } from "./colours.js";
import { drawCell, drawPredicted, drawTreeSpan, drawWish } from "./table_marks.js";
import { predictedBoundaries, treeBoundaries, treeSpans } from "./boundaries.js";
import { percent, phrase, shorten, visible } from "./words.js";

const HEAD = 34; // room for the boundaries along the edge
const PAD = 10;
const SMALLEST = 9;
const LARGEST = 46;
const LEGIBLE = 20; // at least, for cells that are made smaller so that all of them show
const WORD_FONT = 'ui-serif, "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, serif';
const NUMBER_FONT = 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace';

export class TableView {
  /** `frame` scrolls and takes the focus. `onpoint(span or null, event)` and `onpick(span, box)` are told of cells. */
  constructor(frame, { onpoint, onpick, ontell }) {
    this.frame = frame;
    this.events = { onpoint, onpick, ontell };
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.spacer = document.createElement("div");
    this.spacer.className = "table-spacer";
    frame.append(this.spacer, this.canvas);
    this.pen = this.canvas.getContext("2d");
    this.zoomFactor = 1;
    this.cursor = null;
    this.lit = null;
    frame.addEventListener("scroll", () => this.#redraw());
    frame.addEventListener("pointermove", (event) => this.#point(event));
    frame.addEventListener("pointerleave", () => this.#point(null));
    frame.addEventListener("click", (event) => this.#click(event));
    frame.addEventListener("keydown", (event) => this.#key(event));
    frame.addEventListener("focus", () => frame.matches(":focus-visible") && this.#move(0, 0));
    frame.addEventListener("blur", () => this.#leave());
    new ResizeObserver(() => this.#resize()).observe(frame);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
  }

  /** Shows one side of a parse; `wishes` has the sets `required` and `forbidden` of "left-right". */
  show(parsed, root, side, wishes) {
    const count = parsed.words.length;
    const sameWords = this.parsed && this.parsed.words.join(" ") === parsed.words.join(" ");
    Object.assign(this, { parsed, root, side, wishes, count });
    this.logProbs = side === "left" ? parsed.left_log_probs : parsed.right_log_probs;
    this.spans = treeSpans(parsed, root);
    // Left and right children are told apart by the left boundaries on either side of the switch (Prop. 1).
    this.leftChildren = new Set(treeBoundaries(parsed, root, "left").map(name));
    this.chosen = treeBoundaries(parsed, root, side);
    this.predicted = predictedBoundaries(parsed, root, side);
    this.predictedByName = new Map((this.predicted ?? []).map((span) => [name(span), span]));
    this.words = parsed.words.map((word) => shorten(visible(word), 18));
    if (!sameWords) {
      this.cursor = null;
      this.zoomFactor = 1;
      this.frame.scrollTo(0, 0);
    }
    this.recolour();
    this.#resize();
  }

  recolour() {
    this.colours = readColours(this.frame);
    this.#redraw();
  }

  zoom(factor) {
    this.zoomFactor = Math.min(4, Math.max(0.2, this.zoomFactor * factor));
    this.#resize();
  }

  highlight(span) {
    this.lit = span;
    this.#redraw();
  }

  /** P(i|j) of a span on the side that shows, or null where the model gives none. */
  probability({ left, right }) {
    const cell = this.side === "left" ? this.logProbs?.[right - 1]?.[left] : this.logProbs?.[left]?.[right - 1];
    return cell == null ? null : Math.exp(cell);
  }

  /** All that is to be said of a span, in short sentences. */
  describe(span) {
    const { left, right } = span;
    const probability = this.probability(span);
    const facts = [];
    if (probability !== null) {
      const formula = this.side === "left" ? `P(${left} | ${right})` : `P(${right} | ${left})`;
      facts.push(`${formula} = ${percent(probability)}`);
    }
    const inTree = this.spans.get(name(span));
    if (inTree?.labels.length) facts.push(`${inTree.labels.join(" over ")} in the tree`);
    else if (right - left === 1) facts.push("one word");
    else if (inTree) facts.push("in the binary tree, without a label");
    const predicted = this.predictedByName.get(name(span));
    if (predicted) {
      facts.push(this.side === "left" ? `predicted: d${sub(right)} = ${left}` : `predicted: r${sub(left)} = ${right}`);
      if (predicted.crossing) facts.push(`crosses ${predicted.crossing.label} “${this.#phrase(predicted.crossing)}” of the tree`);
      else if (predicted.clash) facts.push(`crosses the prediction “${this.#phrase(predicted.clash)}”`);
    }
    if (this.wishes.required.has(name(span))) facts.push("you require it");
    if (this.wishes.forbidden.has(name(span))) facts.push("you forbid it");
    return { words: this.#phrase(span), facts };
  }

  #phrase({ left, right }) {
    return phrase(this.parsed.words, left, right, 60);
  }

  #resize() {
    if (!this.parsed || !this.frame.clientWidth) return;
    const { clientWidth: width } = this.frame;
    const room = width - 2 * PAD - 8;
    // The gutter must hold the words that start left of their cell; it depends on the cell's size, so settle it twice.
    let size = LARGEST;
    for (let round = 0; round < 3; round += 1) {
      this.gutter = this.#gutter(size);
      const side = this.side === "right" ? HEAD + 8 : 0;
      size = Math.max(15, Math.min(LARGEST, Math.floor((room - this.gutter - side) / this.count)));
    }
    // Where somewhat smaller cells show the whole table, nobody has to scroll for its last rows.
    const tallest = Number.parseFloat(getComputedStyle(this.frame).maxHeight);
    const whole = Math.floor((tallest - PAD * 2 - HEAD - 2) / this.count);
    if (whole >= LEGIBLE) size = Math.min(size, whole);
    this.size = Math.max(SMALLEST, Math.min(80, size * this.zoomFactor));
    this.gutter = this.#gutter(this.size);
    const total = this.count * this.size;
    const extent = { width: PAD * 2 + this.gutter + total + (this.side === "right" ? HEAD + 8 : 0), height: PAD * 2 + HEAD + total };
    // The frame is no taller than its table, nor than CSS allows; asked again below, for it may have changed.
    this.frame.style.height = `${Math.ceil(extent.height) + 2}px`;
    this.spacer.style.width = `${extent.width}px`;
    this.spacer.style.height = `${extent.height}px`;
    this.origin = { x: PAD + this.gutter, y: PAD + HEAD };
    const ratio = Math.min(3, devicePixelRatio || 1);
    this.canvas.width = Math.round(width * ratio);
    const height = this.frame.clientHeight;
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.ratio = ratio;
    this.#redraw();
  }

  #gutter(size) {
    this.pen.font = this.#wordFont(size);
    const over = this.words.map((word, index) => this.pen.measureText(word).width + 8 - index * size);
    return Math.ceil(Math.max(8, ...over));
  }

  #wordFont(size) {
    return `${Math.max(9, Math.min(16, size * 0.62))}px ${WORD_FONT}`;
  }

  #redraw() {
    if (!this.parsed || !this.size || this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = null;
      this.#draw();
    });
  }

  #draw() {
    const { pen, size, count, frame, colours } = this;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = frame;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, clientWidth, clientHeight);
    pen.translate(this.origin.x - scrollLeft, this.origin.y - scrollTop);
    const seen = (start, extent) => [
      Math.max(0, Math.floor(start / size)),
      Math.min(count - 1, Math.floor((start + extent) / size)),
    ];
    const [top, bottom] = seen(scrollTop - this.origin.y, clientHeight);
    const [first, last] = seen(scrollLeft - this.origin.x, clientWidth);
    for (let row = top; row <= bottom; row += 1) {
      for (let column = Math.max(row, first); column <= last; column += 1) {
        const span = { left: row, right: column + 1 };
        drawCell(pen, column * size, row * size, size, this.probability(span) ?? 0, colours);
      }
    }
    const cell = ({ left, right }) => [(right - 1) * size, left * size, size];
    for (const span of this.spans.values()) {
      const isLeft = this.leftChildren.has(name(span));
      const labelled = span.labels.length > 0 || span.right - span.left === 1;
      drawTreeSpan(pen, ...cell(span), { isLeft, labelled, probability: this.probability(span) ?? 0 }, colours);
    }
    this.#drawLit();
    for (const span of this.predicted ?? []) {
      drawPredicted(pen, ...cell(span), Boolean(span.crossing || span.clash), colours);
    }
    for (const kind of ["required", "forbidden"]) {
      for (const wish of this.wishes[kind]) {
        const [left, right] = wish.split("-").map(Number);
        if (right <= count) drawWish(pen, ...cell({ left, right }), kind === "required", colours);
      }
    }
    this.#drawWords();
    this.#drawNumbers();
    if (this.cursor && document.activeElement === frame) {
      pen.strokeStyle = css(colours.select);
      pen.lineWidth = 3;
      pen.strokeRect(...cell(this.cursor).slice(0, 2), size, size);
    }
  }

  /** From the cell in question left to its first word and down to its last one. */
  #drawLit() {
    if (!this.lit) return;
    const { pen, size, colours } = this;
    const { left, right } = this.lit;
    pen.fillStyle = css(colours.select, 0.16);
    pen.fillRect(left * size, left * size, (right - left) * size, size);
    pen.fillRect((right - 1) * size, left * size, size, (right - left) * size);
    pen.strokeStyle = css(colours.select);
    pen.lineWidth = 2;
    pen.strokeRect((right - 1) * size + 1, left * size + 1, size - 2, size - 2);
  }

  #drawWords() {
    const { pen, size, colours } = this;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.font = this.#wordFont(size);
    this.words.forEach((word, index) => {
      const isLit = this.lit && index >= this.lit.left && index < this.lit.right;
      pen.fillStyle = css(isLit ? colours.select : colours.ink);
      pen.fillText(word, index * size - 6, index * size + size / 2 + 0.5);
    });
  }

  /** The boundaries that the tree has along the edge; one that the tree changed is struck by a prime. */
  #drawNumbers() {
    const { pen, size, colours, side } = this;
    const every = size >= 15 ? 1 : Math.ceil(22 / size);
    pen.font = `${Math.max(9, Math.min(13, size * 0.5))}px ${NUMBER_FONT}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    this.chosen.forEach((span, index) => {
      const changed = this.predicted && name(this.predicted[index]) !== name(span);
      if (index % every && !changed) return;
      pen.fillStyle = css(changed ? colours.danger : colours["left-child"]);
      const text = `${side === "left" ? span.left : span.right}${changed ? "′" : ""}`;
      if (side === "left") pen.fillText(text, index * size + size / 2, -HEAD / 2 + 2);
      else pen.fillText(text, this.count * size + HEAD / 2 + 2, index * size + size / 2);
    });
    pen.fillStyle = css(colours.muted);
    pen.font = `italic 14px ${WORD_FONT}`;
    if (side === "left") {
      pen.textAlign = "right";
      pen.fillText("dⱼ", -6, -HEAD / 2 + 2);
    } else {
      pen.fillText("rᵢ", this.count * size + HEAD / 2 + 2, -HEAD / 2 + 2);
    }
  }

  #cellAt(event) {
    if (!this.parsed || !this.size) return null;
    const box = this.frame.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left + this.frame.scrollLeft - this.origin.x) / this.size);
    const row = Math.floor((event.clientY - box.top + this.frame.scrollTop - this.origin.y) / this.size);
    if (row < 0 || column >= this.count || row >= this.count) return null;
    // A word's own name, left of the diagonal, is as good as its cell.
    if (column < row) return (row - column) * this.size < 120 ? { left: row, right: row + 1 } : null;
    return { left: row, right: column + 1 };
  }

  #cellBox({ left, right }) {
    const box = this.frame.getBoundingClientRect();
    const x = box.left + this.origin.x + (right - 1) * this.size - this.frame.scrollLeft;
    const y = box.top + this.origin.y + left * this.size - this.frame.scrollTop;
    return new DOMRect(x, y, this.size, this.size);
  }

  #point(event) {
    const span = event && this.#cellAt(event);
    this.frame.classList.toggle("on-cell", Boolean(span));
    this.events.onpoint(span || null, span ? this.#cellBox(span) : null);
  }

  #click(event) {
    const span = this.#cellAt(event);
    if (!span) return;
    this.cursor = span;
    this.events.onpick(span, this.#cellBox(span));
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (event.key in steps) this.#move(...steps[event.key]);
    else if (event.key === "Home") this.#move(-Infinity, 0);
    else if (event.key === "+" || event.key === "=") this.zoom(1.25);
    else if (event.key === "-") this.zoom(0.8);
    else if ((event.key === "Enter" || event.key === " ") && this.cursor) {
      this.events.onpick(this.cursor, this.#cellBox(this.cursor));
    } else return;
    event.preventDefault();
  }

  #move(rows, columns) {
    if (!this.parsed) return;
    const from = this.cursor ?? { left: 0, right: this.count };
    let [left, right] = [Math.max(0, from.left + rows), from.right + columns];
    // Over the diagonal there is no span; the cursor slides along it.
    if (columns && right <= left) left = right - 1;
    if (rows && left >= right) right = left + 1;
    if (left < 0 || right > this.count || right <= left) [left, right] = [from.left, from.right];
    this.cursor = { left, right };
    this.#scrollTo(this.cursor);
    this.events.onpoint(this.cursor, this.#cellBox(this.cursor));
    const { words, facts } = this.describe(this.cursor);
    this.events.ontell([words, ...facts].join("; "));
    this.#redraw();
  }

  #scrollTo({ left, right }) {
    const x = this.origin.x + (right - 1) * this.size;
    const y = this.origin.y + left * this.size;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.frame;
    const into = (at, start, extent) => (at < start + 40 ? at - 40 : at + this.size > start + extent - 20 ? at + this.size - extent + 20 : start);
    this.frame.scrollTo(into(x, scrollLeft, clientWidth), into(y, scrollTop, clientHeight));
  }

  #leave() {
    this.events.onpoint(null, null);
    this.#redraw();
  }
}

const name = ({ left, right }) => `${left}-${right}`;

const sub = (number) => String(number).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);
