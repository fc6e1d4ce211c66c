// What a parser in a worker promises is kept or broken, never left open; the worker here is a stand-in.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SpanlinError, loadInWorker } from "../src/index.js";
import type { Question } from "../src/worker_messages.js";

/** A worker that loads and closes at once, and never parses. */
class SilentWorker extends EventTarget {
  isTerminated = false;

  postMessage({ id, kind }: Question): void {
    const reply = kind === "load" ? { id, kind: "loaded", facts: {} } : { id, kind: "done", value: null };
    if (kind === "load" || kind === "close") setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data: reply })));
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

let worker: SilentWorker;

const start = (signal?: AbortSignal) =>
  loadInWorker("https://example.org/en", { worker: worker as unknown as Worker, ...(signal && { signal }) });

beforeEach(() => {
  worker = new SilentWorker();
  vi.stubGlobal("Worker", SilentWorker);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

it("breaks what was promised, and refuses what is asked later, once it is closed", async () => {
  const parser = await start();
  const waiting = expect(parser.parse("Dogs bark.")).rejects.toThrow("this parser is closed: load the model again");
  await parser.close();
  await waiting;
  expect(worker.isTerminated).toBe(true);
  await expect(parser.parse("Dogs bark.")).rejects.toThrow(SpanlinError);
  await parser.close(); // once more does no harm
});

it("lives on when the signal of its loading is used later", async () => {
  const controller = new AbortController();
  await start(controller.signal);
  controller.abort();
  expect(worker.isTerminated).toBe(false);
});

it("leaves nothing behind in a signal once it has answered", async () => {
  const controller = new AbortController();
  const heard = vi.spyOn(controller.signal, "addEventListener");
  const left = vi.spyOn(controller.signal, "removeEventListener");
  await start(controller.signal);
  expect(heard).toHaveBeenCalledOnce();
  expect(left.mock.calls).toEqual(heard.mock.calls);
});

it("ends the worker when its loading is stopped", async () => {
  const controller = new AbortController();
  const loading = start(controller.signal);
  controller.abort(new Error("enough"));
  await expect(loading).rejects.toThrow("enough");
  expect(worker.isTerminated).toBe(true);
});
