// Measures the parser in Node and in Chromium, for `python -m bench browser`, which tells on stdin what to parse:
// {"model": FOLDER, "page": FOLDER, "chromium": PROGRAM, "sentences": [...], "timed": [...], "calls": NUMBER}.

import { basename } from "node:path";
import { text } from "node:stream/consumers";
import { chromium } from "playwright-core";
import { load } from "../dist/index.js";
import { serveFolder } from "./static_server.mjs";

const WARM_UP = 10;
const { model, page: folder, chromium: executablePath, sentences, timed, calls } = JSON.parse(await text(process.stdin));

/** The times of so many calls of one sentence, in milliseconds, and the trees of all sentences; runs in a page too. */
async function measure(parser, { sentences, timed, calls, warmUp }) {
  const times = [];
  for (let call = 0; call < calls + warmUp; call += 1) {
    const started = performance.now();
    await parser.parseTokens([timed]);
    if (call >= warmUp) times.push(performance.now() - started);
  }
  const started = performance.now();
  const trees = [];
  for (const words of sentences) {
    const { results } = await parser.answer({ tokens: [words], format: "brackets" });
    trees.push(results[0].brackets[0]);
  }
  return { times, trees, seconds: (performance.now() - started) / 1000 };
}

async function inNode() {
  const started = performance.now();
  const parser = await load(model);
  await parser.parseTokens([timed]);
  const firstTree = performance.now() - started;
  const found = await measure(parser, { sentences, timed, calls, warmUp: WARM_UP });
  await parser.close();
  return { ...found, firstTree };
}

async function inChromium(isolated) {
  const server = await serveFolder(folder, { isolated });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(0);
  await page.addInitScript(`globalThis.spanlinMeasure = ${measure};`);
  const name = basename(model);
  const visit = async () => {
    const started = performance.now();
    await page.goto("about:blank");
    await page.goto(`${server.url}#${new URLSearchParams({ text: timed.join(" "), model: name })}`);
    await page.waitForSelector("[role=treeitem]", { state: "attached" });
    return performance.now() - started;
  };
  const firstTree = await visit();
  const bytes = server.requests.reduce((sum, request) => sum + request.bytes, 0);
  const secondVisit = await visit();
  // The page's policy allows no code from a string, so the function is given to the page before it loads.
  const given = { name, sentences: isolated ? [] : sentences, timed, calls, warmUp: WARM_UP };
  const found = await page.evaluate(async (given) => {
    const { loadInWorker } = await import(new URL("tab/spanlin.js", location.href).href);
    const worker = new Worker("tab/worker.js", { type: "module" });
    const threads = crossOriginIsolated ? 2 : 1;
    const parser = await loadInWorker(`models/${given.name}`, { worker, threads, wasmUrl: "tab/ort-wasm-simd-threaded.wasm" });
    return globalThis.spanlinMeasure(parser, given);
  }, given);
  const version = browser.version();
  await browser.close();
  await server.close();
  return { ...found, firstTree, secondVisit, bytes, version };
}

const node = await inNode();
const plain = await inChromium(false);
const isolated = await inChromium(true);
process.stdout.write(JSON.stringify({ node: { ...node, version: process.version }, chromium: plain, isolated }));
