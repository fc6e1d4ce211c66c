// Word pieces for pretrained encoders, word by word and kept. As spanlin/runtime/pieces.py has them.

import { Tokenizer } from "@huggingface/tokenizers";
import { SpanlinError } from "../errors.js";
import { RUNTIME } from "../generated/runtime.js";
import { plainWord, wordShape } from "../trees/words.js";

const MOST_WORDS = 2 ** 16; // that are kept

/** Splits words as a tokenizer.json does; every word has at least one piece. */
export class WordPieces {
  readonly start: number;
  readonly stop: number;
  readonly #tokenizer: Tokenizer;
  readonly #shapeStep: number;
  readonly #most: number;
  readonly #prefix: string;
  readonly #unknown: number;
  readonly #kept = new Map<string, readonly number[]>();

  constructor(text: string, source: string, { shapeStep, pieceLimit }: { shapeStep: number; pieceLimit: number }) {
    let description: { pre_tokenizer?: unknown; model?: { unk_token?: string } };
    let edges: number[];
    try {
      description = JSON.parse(text) as typeof description;
      this.#tokenizer = new Tokenizer(description, {});
      edges = this.#tokenizer.encode("", { add_special_tokens: true }).ids;
    } catch (error) {
      throw new SpanlinError(`${source}: not a tokenizer: ${(error as Error).message}`);
    }
    if (edges.length < 2) throw new SpanlinError(`${source}: the tokenizer adds no start and stop pieces`);
    this.start = edges[0]!;
    this.stop = edges.at(-1)!;
    this.#shapeStep = shapeStep;
    // A word must fit between the start and the stop piece of a row.
    this.#most = Math.min(RUNTIME.pieces.MAX_PIECES, pieceLimit - 2);
    // Byte-level pieces mark the start of a word by the space before it.
    this.#prefix = JSON.stringify(description.pre_tokenizer ?? null).includes("ByteLevel") ? " " : "";
    const unknown = description.model?.unk_token;
    this.#unknown = (unknown && this.#tokenizer.token_to_id(unknown)) || this.stop;
  }

  /** The ids of a word's pieces. */
  of(word: string): readonly number[] {
    let ids = this.#kept.get(word);
    if (ids === undefined) {
      ids = this.#split(word);
      if (this.#kept.size >= MOST_WORDS) this.#kept.clear();
      this.#kept.set(word, ids);
    }
    return ids;
  }

  #split(word: string): number[] {
    let ids: number[] = this.#tokenizer.encode(this.#prefix + plainWord(word), { add_special_tokens: false }).ids;
    // Control characters and the like vanish in normalization; the word must not.
    if (!ids.length) ids = [this.#unknown];
    if (ids.length > this.#most) {
      const half = Math.floor(this.#most / 2);
      ids = [...ids.slice(0, half), ...ids.slice(half - this.#most)];
    }
    const shape = this.#shapeStep ? this.#shapeStep * wordShape(word) : 0;
    return ids.map((id) => id + shape);
  }
}
