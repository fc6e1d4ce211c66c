// Python's ways to use a pattern: at one place, anywhere, or all its matches.

export class Pattern {
  readonly #sticky: RegExp;
  readonly #global: RegExp;

  /** `source` is for the flag `u`, as `python -m web.generate` writes it. */
  constructor(source: string) {
    this.#sticky = new RegExp(source, "uy");
    this.#global = new RegExp(source, "gu");
  }

  /** The match that starts right at a place; as a pattern with `$` sees it, the text ends where it ends. */
  matchAt(text: string, place = 0): RegExpExecArray | null {
    this.#sticky.lastIndex = place;
    return this.#sticky.exec(text);
  }

  isIn(text: string): boolean {
    this.#global.lastIndex = 0;
    return this.#global.test(text);
  }

  all(text: string): IterableIterator<RegExpExecArray> {
    return text.matchAll(this.#global);
  }

  replaceIn(text: string, by: (found: string) => string): string {
    return text.replace(this.#global, by);
  }
}
