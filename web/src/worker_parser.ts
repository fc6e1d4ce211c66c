// The parser as a page sees it that has it run in a worker, so that the page never freezes.

import type { ModelFacts, ParseAnswer, ParseOptions, ParseRequest, ParsedSentence } from "./answers.js";
import { SpanlinError } from "./errors.js";
import type { Progress } from "./model/files.js";
import type { LoadOptions } from "./model/model.js";
import type { Question, Reply, WorkerLoad } from "./worker_messages.js";

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
  progress?: ((progress: Progress) => void) | undefined;
}

type Unnumbered<One> = One extends { id: number } ? Omit<One, "id"> : never;

export interface WorkerLoadOptions extends LoadOptions {
  /** The worker to use, if it is not to be started from this package's own `worker.js`. */
  worker?: Worker;
}

/** The parser of a model folder, in a Web Worker; in browsers alone. */
export async function loadInWorker(model: string | URL, options: WorkerLoadOptions = {}): Promise<WorkerParser> {
  if (typeof Worker === "undefined") throw new SpanlinError("there are no Web Workers here: use load instead");
  const worker = options.worker ?? new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const talk = new Talk(worker);
  const here = globalThis.location?.href;
  const load: WorkerLoad = { model: new URL(model, here).href };
  if (options.threads !== undefined) load.threads = options.threads;
  if (options.everything !== undefined) load.everything = options.everything;
  if (options.cache !== undefined) load.cache = options.cache;
  if (options.wasmUrl !== undefined) load.wasmUrl = new URL(options.wasmUrl, here).href;
  try {
    const facts = await talk.ask<ModelFacts>({ kind: "load", load }, { progress: options.progress, signal: options.signal });
    return new WorkerParser(talk, facts);
  } catch (error) {
    talk.end(error as Error);
    throw error;
  }
}

/** What `Parser` is, in a worker. */
export class WorkerParser {
  constructor(
    private readonly talk: Talk,
    readonly facts: ModelFacts,
  ) {}

  /** The parses of a text's sentences. Offsets count units of the string, so `text.slice(start, end)` is the word. */
  async parse(text: string, options: ParseOptions = {}, signal?: AbortSignal): Promise<ParsedSentence[]> {
    return this.#sentences({ offsets: "utf-16", ...options, text }, signal);
  }

  /** The parse of each tokenized sentence. */
  async parseTokens(tokens: readonly (readonly string[])[], options: ParseOptions = {}, signal?: AbortSignal): Promise<ParsedSentence[]> {
    return this.#sentences({ ...options, tokens }, signal);
  }

  /** The answer that the service gives to a request to /v1/parse. */
  async answer(request: ParseRequest, signal?: AbortSignal): Promise<ParseAnswer> {
    return this.talk.ask<ParseAnswer>({ kind: "answer", request }, { signal });
  }

  /** End the worker; what it has not answered by then is rejected. */
  async close(): Promise<void> {
    if (this.talk.hasEnded) return;
    try {
      await this.talk.ask({ kind: "close" }, {});
    } finally {
      this.talk.end(new SpanlinError("this parser is closed: load the model again"));
    }
  }

  async #sentences(request: ParseRequest, signal?: AbortSignal): Promise<ParsedSentence[]> {
    const { results } = await this.answer(request, signal);
    return results.flatMap((result) => ("sentences" in result ? result.sentences : []));
  }
}

/** Questions to a worker and their answers, by number. */
class Talk {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  #ended: Error | null = null;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.addEventListener("message", (event: MessageEvent<Reply>) => this.#hear(event.data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      const reason = event.message || "its script could not be loaded";
      this.#rejectAll(new SpanlinError(`the worker failed: ${reason}`));
    });
  }

  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  /** Ends the worker; what waits for it, and what is asked later, is rejected for this reason. */
  end(reason: Error): void {
    this.#ended ??= reason;
    this.#worker.terminate();
    this.#rejectAll(this.#ended);
  }

  async ask<Value>(
    question: Unnumbered<Question>,
    { progress, signal }: { progress?: Waiting["progress"]; signal?: AbortSignal | undefined },
  ): Promise<Value> {
    signal?.throwIfAborted();
    if (this.#ended) throw this.#ended;
    const id = (this.#count += 1);
    let stop = () => {};
    const answered = new Promise<Value>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: never) => void, reject, progress });
      stop = () => {
        if (!this.#waiting.delete(id)) return;
        this.#worker.postMessage({ id: (this.#count += 1), kind: "stop", stopped: id } satisfies Question);
        reject(signal!.reason as Error);
      };
      signal?.addEventListener("abort", stop);
      this.#worker.postMessage({ ...question, id });
    });
    return answered.finally(() => signal?.removeEventListener("abort", stop));
  }

  #rejectAll(reason: Error): void {
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  #hear(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if (!waiting) return;
    if (reply.kind === "progress") {
      waiting.progress?.(reply.progress);
      return;
    }
    this.#waiting.delete(reply.id);
    if (reply.kind === "failed") {
      waiting.reject(reply.name === "SpanlinError" ? new SpanlinError(reply.message) : new Error(reply.message));
    } else {
      waiting.resolve((reply.kind === "loaded" ? reply.facts : reply.value) as never);
    }
  }
}
