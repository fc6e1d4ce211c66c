// Pan and zoom of a drawing inside its frame: drag, wheel, pinch, buttons and keys.

const SMALLEST = 0.08;
const LARGEST = 4;
const READABLE = [0.5, 0.8]; // at the first, words can still be made out; at the second, read at ease
const DRAG = 4; // pixels before a press becomes a drag, so that a click with a shaky hand stays one
const STEP = 60;
const LARGEST_FIT = 1.35; // by itself a drawing is never shown larger
const NARROW = 500; // pixels of a phone's window
const LEAST_ON_PHONES = 0.5; // phones are held closer to the eye

export class Viewport {
  /** `frame` is what one sees through, `content` the SVG group that moves; `onmove` is told of every change. */
  constructor(frame, content, onmove = () => {}) {
    this.frame = frame;
    this.content = content;
    this.onmove = onmove;
    this.x = this.y = 0;
    this.scale = 1;
    this.size = { width: 1, height: 1 };
    this.touched = false;
    this.partner = null; // another viewport that shows its drawing at the same scale
    this.pointers = new Map();
    frame.addEventListener("pointerdown", (event) => this.#press(event));
    frame.addEventListener("pointermove", (event) => this.#drag(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      frame.addEventListener(end, (event) => this.#release(event));
    }
    frame.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    // A click that ends a drag is none.
    frame.addEventListener("click", (event) => this.dragged && event.stopPropagation(), { capture: true });
  }

  /** Shows a drawing of this size: the whole of it if that can be read, else its beginning at a readable size. */
  show(size, { keep = false } = {}) {
    this.size = size;
    if (keep && this.touched) this.#apply();
    else this.fit({ readable: true });
  }

  /** How large a drawing of this size is shown if there is height enough: its width fits, or can at least be read. */
  scaleFor(size) {
    return Math.min(LARGEST_FIT, Math.max(this.#least(), this.frame.clientWidth / size.width));
  }

  /** How small words may be. */
  #least() {
    return this.frame.clientWidth < NARROW ? LEAST_ON_PHONES : READABLE[0];
  }

  fit({ readable = false } = {}) {
    const { clientWidth: width, clientHeight: height } = this.frame;
    this.scale = Math.min(this.#fitting(readable), this.partner?.frame.clientWidth ? this.partner.#fitting(readable) : LARGEST_FIT);
    const [drawnWidth, drawnHeight] = [this.size.width * this.scale, this.size.height * this.scale];
    this.x = Math.max(0, (width - drawnWidth) / 2);
    this.y = Math.max(0, (height - drawnHeight) / 2);
    if (width < NARROW && drawnWidth > width) {
      // Of a phone's small window on it, the root is what tells most.
      this.x = Math.min(0, Math.max(width - drawnWidth, width / 2 - this.size.root * this.scale));
      this.y = 0;
    } else if (drawnHeight > height) {
      // A tall tree that does not fit starts with its words: they are where a reader starts.
      this.y = height - drawnHeight;
    }
    this.touched = false;
    this.#apply();
  }

  /** The scale at which the whole drawing shows, or as much of it as can be read. */
  #fitting(readable) {
    const { clientWidth: width, clientHeight: height } = this.frame;
    const [byWidth, byHeight] = [width / this.size.width, height / this.size.height];
    const least = readable ? Math.min(READABLE[1], Math.max(this.#least(), byHeight)) : SMALLEST;
    return Math.min(LARGEST_FIT, Math.max(least, Math.min(byWidth, byHeight)));
  }

  zoom(factor, x = this.frame.clientWidth / 2, y = this.frame.clientHeight / 2) {
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.touched = true;
    this.#apply();
  }

  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.touched = true;
    this.#apply();
  }

  /** Moves as little as it takes to have a place of the drawing in sight. */
  reveal(x, y, margin = 60) {
    const { clientWidth: width, clientHeight: height } = this.frame;
    const shift = (at, extent) => {
      const room = Math.min(margin, extent / 2 - 1);
      return at < room ? room - at : at > extent - room ? extent - room - at : 0;
    };
    const dx = shift(this.x + x * this.scale, width);
    const dy = shift(this.y + y * this.scale, height);
    if (dx || dy) {
      this.x += dx;
      this.y += dy;
      this.#apply();
    }
  }

  /** Handles a key that pans or zooms; tells whether it did. */
  key(event) {
    const arrows = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key in arrows) this.pan(...arrows[event.key].map((part) => part * STEP));
    else if (event.key === "+" || event.key === "=") this.zoom(1.25);
    else if (event.key === "-" || event.key === "_") this.zoom(0.8);
    else if (event.key === "0") this.fit();
    else return false;
    return true;
  }

  #apply() {
    // At least a corner of the drawing stays in sight, wherever one drags it.
    const { clientWidth: width, clientHeight: height } = this.frame;
    const hold = (at, extent, room) => Math.min(room - 40, Math.max(40 - extent * this.scale, at));
    this.x = hold(this.x, this.size.width, width);
    this.y = hold(this.y, this.size.height, height);
    this.content.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`);
    this.onmove();
  }

  #press(event) {
    if (event.button !== 0) return;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.dragged = false;
    this.origin = { x: event.clientX, y: event.clientY };
  }

  #drag(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    if (!event.buttons) {
      this.#release(event); // it was let go outside, before it was a drag
      return;
    }
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    if (!this.dragged && Math.hypot(event.clientX - this.origin.x, event.clientY - this.origin.y) < DRAG) return;
    if (!this.dragged) {
      this.dragged = true;
      this.frame.setPointerCapture(event.pointerId);
      this.frame.classList.add("dragging");
    }
    if (this.pointers.size === 2) {
      const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const before = Math.hypot(last.x - other.x, last.y - other.y);
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      const box = this.frame.getBoundingClientRect();
      this.zoom(after / (before || 1), (event.clientX + other.x) / 2 - box.left, (event.clientY + other.y) / 2 - box.top);
      this.pan(dx / 2, dy / 2);
    } else {
      this.pan(dx, dy);
    }
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  #release(event) {
    this.pointers.delete(event.pointerId);
    if (!this.pointers.size) this.frame.classList.remove("dragging");
  }

  #wheel(event) {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.pan(-(event.deltaX || event.deltaY), 0);
      return;
    }
    const box = this.frame.getBoundingClientRect();
    const lines = event.deltaMode === 1 ? 16 : 1;
    // A pinch on a touchpad comes as a wheel with ctrl, in finer steps.
    const speed = event.ctrlKey ? 0.01 : 0.0022;
    this.zoom(Math.exp(-event.deltaY * lines * speed), event.clientX - box.left, event.clientY - box.top);
  }
}
