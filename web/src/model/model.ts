// A model folder with its graphs; those that few need are loaded when they are first asked for.

import { SpanlinError } from "../errors.js";
import { Graph, WASM_VERSION, prepareWasm } from "../runtime/graphs.js";
import { WordPieces } from "../runtime/pieces.js";
import { folderUrl, readFile, type FileOptions } from "./files.js";
import { readManifest, type Manifest } from "./manifest.js";

const LABEL_GRAPH = "labels.onnx";
const RELATION_GRAPH = "relations.onnx";
const OTHER_GRAPHS = [LABEL_GRAPH, RELATION_GRAPH];

export interface LoadOptions extends FileOptions {
  /** How many threads a run may use, one by default; more only where the page is isolated from other origins. */
  threads?: number;
  /** Where onnxruntime-web's `ort-wasm-simd-threaded.wasm` is; without it, beside its script. */
  wasmUrl?: string | URL;
  /** Whether to load at once what only decoders other than `argmin` need, so that they work without a network later. */
  everything?: boolean;
}

export class Model {
  #labelGraph: Promise<Graph> | null = null;
  #relationGraph: Promise<Graph> | null = null;

  private constructor(
    readonly name: string,
    readonly manifest: Manifest,
    readonly pieces: WordPieces,
    readonly graph: Graph,
    private readonly open: (file: string) => Promise<Graph>,
  ) {}

  static async load(model: string | URL, options: LoadOptions = {}): Promise<Model> {
    const folder = folderUrl(model);
    const name = decodeURIComponent(folder.pathname.split("/").at(-2) ?? "");
    const manifestUrl = new URL("manifest.json", folder);
    const manifestOf = (bytes: Uint8Array) => readManifest(new TextDecoder().decode(bytes), manifestUrl.href);
    const manifest = manifestOf(await readFile(manifestUrl, null, options, manifestOf));
    const { signal: _, ...later } = options; // what stops the loading is not about graphs that are read later
    const read = (file: string, how: LoadOptions = options) => {
      const sum = manifest.files.get(file);
      if (!sum) throw new SpanlinError(`${manifestUrl.href}: lists no ${file}: export the model again`);
      return readFile(new URL(file, folder), { key: sum, sum }, how);
    };
    const open = async (file: string) => Graph.open(await read(file, later), new URL(file, folder).href);
    const [tokenizer, graph, wasm] = await Promise.all([
      read("tokenizer.json"),
      read("graph.onnx"),
      options.wasmUrl ? readFile(new URL(options.wasmUrl, globalThis.location?.href), WASM_VERSION, options) : undefined,
    ]);
    if (options.everything) await Promise.all(OTHER_GRAPHS.filter((file) => manifest.files.has(file)).map((file) => read(file)));
    prepareWasm({ threads: options.threads, wasm });
    const source = new URL("tokenizer.json", folder).href;
    const pieces = new WordPieces(new TextDecoder().decode(tokenizer), source, manifest);
    return new Model(name, manifest, pieces, await Graph.open(graph, new URL("graph.onnx", folder).href), open);
  }

  /** The graph of labels, for trees other than the first graph's own. */
  labelGraph(): Promise<Graph> {
    this.#labelGraph ??= this.open(LABEL_GRAPH).catch((error: unknown) => {
      this.#labelGraph = null; // it may come another time
      throw error;
    });
    return this.#labelGraph;
  }

  /** The graph of relations, of a model with dependencies. */
  relationGraph(): Promise<Graph> {
    this.#relationGraph ??= this.open(RELATION_GRAPH).catch((error: unknown) => {
      this.#relationGraph = null;
      throw error;
    });
    return this.#relationGraph;
  }

  async close(): Promise<void> {
    const graphs = [this.graph, await this.#labelGraph, await this.#relationGraph];
    await Promise.all(graphs.map((graph) => graph?.close()));
  }
}
