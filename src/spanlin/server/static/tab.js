// The parser in this tab, on a page without a server: each <meta name="spanlin-model"> names the folder of a model, the
// first of which is the usual one, and the npm package, built for the page, is beside the page in tab/.

import { ParserError } from "./parser_error.js";

/** The models that the page can load, by name, with their sizes in bytes, and with all that they need besides; none if a
 * service parses. */
export const models = Array.from(document.querySelectorAll("meta[name=spanlin-model]"), ({ content, dataset }) => ({
  name: content.split("/").at(-1),
  folder: content,
  bytes: Number(dataset.bytes),
  allBytes: Number(dataset.allBytes),
}));

export const isInTab = models.length > 0;

const here = (path) => new URL(path, document.baseURI).href;
const loading = new Map(); // by model, its parser or what it will be
let chosen = models[0];

/** Starts loading the chosen model, once; after a failure the next call tries again. */
function load(tell = () => {}) {
  const model = chosen;
  if (!loading.has(model)) {
    const parser = start(model, tell).catch((error) => {
      loading.delete(model);
      throw error;
    });
    loading.set(model, parser);
  }
  return loading.get(model);
}

async function start({ folder, allBytes }, tell) {
  const { loadInWorker } = await import(here("tab/spanlin.js"));
  const worker = new Worker(here("tab/worker.js"), { type: "module" });
  const files = new Map(); // how many bytes of each have come
  return loadInWorker(here(folder), {
    worker,
    everything: true,
    wasmUrl: here("tab/ort-wasm-simd-threaded.wasm"),
    progress({ file, loaded }) {
      files.set(file, loaded);
      const done = [...files.values()].reduce((sum, bytes) => sum + bytes, 0);
      tell(Math.min(1, done / allBytes));
    },
  });
}

function failure(title, error, more) {
  if (error.name === "AbortError") return error;
  const message = /[.?!]$/.test(error.message) ? error.message : `${error.message}.`;
  return new ParserError({ title, message, ...more });
}

/** Why a model could not be loaded; without a network, what to do about that is worth more than an address. */
function loadFailure(error) {
  const offline = new Error("There is no network. Load this model once with a network, and it will work without one");
  return failure("The parser could not be loaded", navigator.onLine ? error : offline, { retryAfter: 0 });
}

export const parserInTab = {
  async fetchModel(tell, name) {
    chosen = models.find((model) => model.name === name) ?? models[0];
    try {
      return (await load(tell)).facts;
    } catch (error) {
      throw loadFailure(error);
    }
  },

  async fetchParses(question, signal) {
    let parser;
    try {
      parser = await load();
    } catch (error) {
      throw loadFailure(error);
    }
    try {
      const { results } = await parser.answer(question, signal);
      return results.flatMap(({ sentences }) => sentences);
    } catch (error) {
      throw failure("That cannot be done", error, { status: error.name === "SpanlinError" ? 422 : 500 });
    }
  },
};
