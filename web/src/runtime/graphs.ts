// The graphs of a model folder in onnxruntime-web: arrays of one sentence in, arrays out.

import * as ort from "onnxruntime-web/wasm";
import { SpanlinError } from "../errors.js";
import type { PieceRows } from "./rows.js";

/** What the graph of trees can be asked for; see spanlin/runtime/backend.py. */
export type Output =
  | "lefts" | "rights" | "split_labels" | "word_labels" | "tags"
  | "span_log_probs" | "label_log_probs" | "tag_log_probs"
  | "left_boundaries" | "right_boundaries" | "left_log_probs" | "right_log_probs"
  | "label_lefts" | "label_rights"
  | "heads" | "relations" | "universal_tags" | "arc_log_probs" | "relation_heads" | "relation_dependents";

/** One output: its numbers in a row, and its shape without the batch. */
export interface Found {
  readonly data: Float32Array | BigInt64Array;
  readonly shape: readonly number[];
}

export interface WasmOptions {
  /** How many threads a run may use; more than one only where the page is isolated from other origins. */
  threads?: number | undefined;
  /** The bytes of onnxruntime-web's wasm file, if they are at hand. */
  wasm?: Uint8Array | undefined;
}

/** What changes with onnxruntime-web's wasm file. */
export const WASM_VERSION = { key: ort.env.versions.web ?? ort.env.versions.common };

/** Settings are onnxruntime's own and shared: those of the first model that is loaded count. */
export function prepareWasm({ threads = 1, wasm }: WasmOptions): void {
  // By default one: a sentence is so little work that two wait for each other longer than they save.
  ort.env.wasm.numThreads = threads;
  if (wasm) ort.env.wasm.wasmBinary = wasm.slice().buffer;
}

const SESSION: ort.InferenceSession.SessionOptions = {
  executionProviders: ["wasm"],
  logSeverityLevel: 3,
  // As in Python, where both are slower fused.
  extra: { optimization: { disable_specified_optimizers: "SkipLayerNormFusion;BiasGeluFusion" } },
};

/** A loaded graph. Runs wait for one another: onnxruntime-web does one at a time. */
export class Graph {
  readonly #session: ort.InferenceSession;
  readonly #source: string;

  private constructor(session: ort.InferenceSession, source: string) {
    this.#session = session;
    this.#source = source;
  }

  static async open(bytes: Uint8Array, source: string): Promise<Graph> {
    try {
      return new Graph(await ort.InferenceSession.create(bytes, SESSION), source);
    } catch (error) {
      throw new SpanlinError(`${source}: cannot be loaded: ${firstLine(error)}`);
    }
  }

  get outputs(): ReadonlySet<string> {
    return new Set(this.#session.outputNames);
  }

  async run(inputs: Record<string, ort.Tensor>, outputs: readonly string[]): Promise<Record<string, ort.Tensor>> {
    try {
      return await this.#session.run(inputs, outputs as string[]);
    } catch (error) {
      throw new SpanlinError(`${this.#source}: failed: ${firstLine(error)}`);
    }
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}

const firstLine = (error: unknown): string => String((error as Error)?.message ?? error).split("\n")[0]!.slice(0, 300);

const integers = (values: readonly number[], shape: readonly number[]): ort.Tensor =>
  new ort.Tensor("int64", BigInt64Array.from(values, BigInt), shape);

/** What the graph of trees says of one sentence. */
export async function runTrees(
  graph: Graph,
  rows: PieceRows,
  wordCount: number,
  outputs: readonly Output[],
): Promise<Map<Output, Found>> {
  const positions = rows.firstPieces.length;
  const found = await graph.run(
    {
      pieces: integers(rows.pieces, [rows.rowCount, rows.pieces.length / rows.rowCount]),
      piece_counts: integers(rows.pieceCounts, [rows.rowCount]),
      first_pieces: integers(rows.firstPieces, [1, positions]),
      last_pieces: integers(rows.lastPieces, [1, positions]),
      word_counts: integers([wordCount], [1]),
    },
    outputs,
  );
  return new Map(
    outputs.map((name) => {
      const tensor = found[name]!;
      return [name, { data: tensor.data as Float32Array | BigInt64Array, shape: tensor.dims.slice(1) }];
    }),
  );
}

/** The log-probabilities of the labels of some spans, [spans, labels] in a row. */
export async function runLabels(
  graph: Graph,
  { lefts, rights, areLeftChildren, areRoots, width }: {
    lefts: Float32Array;
    rights: Float32Array;
    areLeftChildren: readonly boolean[];
    areRoots: readonly boolean[];
    width: number;
  },
): Promise<Float32Array> {
  const count = areRoots.length;
  const flags = (values: readonly boolean[]) => new ort.Tensor("bool", Uint8Array.from(values, Number), [count]);
  const found = await graph.run(
    {
      label_lefts: new ort.Tensor("float32", lefts, [count, width]),
      label_rights: new ort.Tensor("float32", rights, [count, width]),
      are_left_children: flags(areLeftChildren),
      are_roots: flags(areRoots),
    },
    ["label_log_probs"],
  );
  return found.label_log_probs!.data as Float32Array;
}

/** The log-probabilities of the relations of some arcs, [arcs, relations] in a row. */
export async function runRelations(
  graph: Graph,
  { heads, dependents, count }: { heads: Float32Array; dependents: Float32Array; count: number },
): Promise<Float32Array> {
  const found = await graph.run(
    {
      relation_heads: new ort.Tensor("float32", heads, [count, heads.length / count]),
      relation_dependents: new ort.Tensor("float32", dependents, [count, dependents.length / count]),
    },
    ["relation_log_probs"],
  );
  return found.relation_log_probs!.data as Float32Array;
}
