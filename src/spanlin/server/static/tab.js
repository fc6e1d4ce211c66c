// The parser in this tab, on a page without a server: <meta name="spanlin-model"> names the folder of its model, and the
// npm package, built for the page, is beside the page in tab/.

import { ParserError } from "./parser_error.js";

const model = document.querySelector("meta[name=spanlin-model]")?.content ?? "";

export const isInTab = model !== "";

const here = (path) => new URL(path, document.baseURI).href;
let loading = null; // the parser, or what it will be

/** Starts loading the parser, once; after a failure the next call tries again. */
function load(tell = () => {}) {
  loading ??= start(tell).catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function start(tell) {
  const { loadInWorker } = await import(here("tab/spanlin.js"));
  const worker = new Worker(here("tab/worker.js"), { type: "module" });
  const files = new Map();
  return loadInWorker(here(model), {
    worker,
    everything: true,
    wasmUrl: here("tab/ort-wasm-simd-threaded.wasm"),
    progress({ file, loaded, total }) {
      if (total) files.set(file, [loaded, total]);
      const [done, all] = [...files.values()].reduce(([one, two], [more, most]) => [one + more, two + most], [0, 0]);
      tell(all ? done / all : 0);
    },
  });
}

const failure = (title, error, more) =>
  error.name === "AbortError" ? error : new ParserError({ title, message: `${error.message}.`, ...more });

export const parserInTab = {
  async fetchModel(tell) {
    try {
      return (await load(tell)).facts;
    } catch (error) {
      throw failure("The parser could not be loaded", error, { retryAfter: 0 });
    }
  },

  async fetchParses(question, signal) {
    let parser;
    try {
      parser = await load();
    } catch (error) {
      throw failure("The parser could not be loaded", error, { retryAfter: 0 });
    }
    try {
      const { results } = await parser.answer(question, signal);
      return results.flatMap(({ sentences }) => sentences);
    } catch (error) {
      throw failure("That cannot be done", error, { status: error.name === "SpanlinError" ? 422 : 500 });
    }
  },
};
