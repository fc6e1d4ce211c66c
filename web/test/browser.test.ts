// The page without a server in a real browser, from a static host with and without isolation headers.

import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveFolder, type StaticServer } from "../scripts/static_server.mjs";
import { PAGE, buildPageOfTwoModels, programOf } from "./pages.js";

const CHROMIUM = programOf("SPANLIN_CHROMIUM", "chromium", "chromium-browser");
const canRun = CHROMIUM !== undefined && existsSync(`${PAGE}/index.html`);
const CODE = "#text=She+loves+writing+code.";

const WAYS = [
  { isolated: false, hasTwoModels: false },
  { isolated: true, hasTwoModels: true },
];

describe.skipIf(!canRun).each(WAYS)("the page, isolated: $isolated, two models: $hasTwoModels", ({ isolated, hasTwoModels }) => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let server: StaticServer;
  const problems: string[] = [];

  const labels = () => page.locator("#tree-frame .phrase-node").evaluateAll((nodes) => nodes.map((node) => (node as HTMLElement).dataset.label));
  const tree = async () => {
    await page.waitForSelector("#tree-frame [role=treeitem]", { state: "attached" });
    return (await labels()).sort();
  };

  /** Keeps pictures of the page as it is, if someone wants to look at them. */
  const keepPictures = async () => {
    const folder = process.env.SPANLIN_SCREENSHOTS;
    if (!folder) return;
    for (const colorScheme of ["light", "dark"] as const) {
      for (const [name, width, height] of [["desktop", 1440, 900], ["phone", 390, 844]] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height });
        await page.waitForTimeout(300); // until the trees fit again
        await page.screenshot({ path: `${folder}/tab-offline-${name}-${colorScheme}.png`, fullPage: true });
      }
    }
  };

  beforeAll(async () => {
    server = await serveFolder(hasTwoModels ? buildPageOfTwoModels() : PAGE, { isolated });
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ["--no-sandbox", "--disable-gpu"] });
    context = await browser.newContext();
    context.setDefaultTimeout(50_000);
    page = await context.newPage();
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && problems.push(message.text()));
    page.on("request", (request) => request.url().startsWith(server.url) || /^(blob|data):/.test(request.url()) || problems.push(request.url()));
    await page.goto(server.url + CODE);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it("shows the tree of a link", async () => {
    expect(await tree()).toEqual(["NP", "NP", "S", "S", "VP", "VP"]);
    expect(await page.textContent("#model")).toContain("It runs in this tab");
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(isolated);
  });

  it("loads the model once, and no byte more than it needs", () => {
    const names = server.requests.map(({ path }) => path);
    for (const file of ["graph.onnx", "tokenizer.json", "ort-wasm-simd-threaded.wasm"]) {
      expect(names.filter((name) => name.endsWith(file)), file).toHaveLength(1);
    }
    expect(server.requests.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(45_000_000);
  });

  it("takes every decoder and tells what cannot be done", async () => {
    for (const decoder of ["largest", "cky", "min-change", "minimum-risk", "labelled"]) {
      await page.selectOption("#decoder", decoder);
      await page.waitForFunction((name) => location.hash.includes(`decoder=${name}`) && !document.body.classList.contains("busy"), decoder);
      expect(await tree(), decoder).toEqual(["NP", "NP", "S", "S", "VP", "VP"]);
    }
    expect(await page.textContent("#notices")).toBe("");
  });

  it.runIf(isolated)("parses with two threads", async () => {
    // As text: vitest would turn the import into one of its own.
    const brackets = await page.evaluate<string>(`(async () => {
      const { loadInWorker } = await import(new URL("tab/spanlin.js", location.href).href);
      const worker = new Worker("tab/worker.js", { type: "module" });
      const parser = await loadInWorker(document.querySelector("meta[name=spanlin-model]").content, { worker, threads: 2, wasmUrl: "tab/ort-wasm-simd-threaded.wasm" });
      const [sentence] = await parser.parse("Dogs bark.");
      await parser.close();
      return sentence.brackets;
    })()`);
    expect(brackets).toBe("(TOP (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))");
  });

  it.runIf(hasTwoModels)("says what to do about a model that was never loaded, without a network", async () => {
    const known = problems.length;
    await context.setOffline(true);
    await page.selectOption("#model-choice", "en");
    await page.locator("#notices", { hasText: "There is no network. Load this model once with a network" }).waitFor();
    await context.setOffline(false);
    await page.goBack();
    await page.waitForFunction(() => document.querySelector("#notices")!.textContent === "");
    problems.splice(known); // the browser's own words on the missing network
  });

  it.runIf(hasTwoModels)("loads the other model when it is chosen, and names it in the link", async () => {
    const graphs = () => server.requests.map(({ path }) => path).filter((path) => path.endsWith("/graph.onnx"));
    expect(await page.textContent("#model")).toContain("Model en-small");
    expect(graphs()).toEqual(["/models/en-small/graph.onnx"]);
    const told = await page.evaluateHandle(() => {
      const parts: number[] = [];
      const bar = document.querySelector<HTMLProgressElement>("#loading progress")!;
      new MutationObserver(() => parts.push(bar.value)).observe(document.querySelector("#loading span")!, { childList: true });
      return parts;
    });
    await page.evaluate(() => (location.hash += "&require-arcs=1.4-3"));
    await page.locator("#chips .required").waitFor();
    await page.selectOption("#model-choice", "en");
    await page.waitForFunction(() => document.querySelector("#model")!.textContent!.startsWith("Model en,"));
    expect(page.url()).toContain("model=en");
    await page.waitForFunction(() => !document.body.classList.contains("busy"));
    expect(await page.locator("#chips .required").count()).toBe(1); // the other model has dependencies too
    expect(await tree()).toEqual(["NP", "NP", "S", "S", "VP", "VP"]);
    expect(graphs()).toEqual(["/models/en-small/graph.onnx", "/models/en/graph.onnx"]);
    const parts = await told.jsonValue();
    expect(parts).toEqual([...parts].sort((one, other) => one - other));
    expect(parts[0]).toBeLessThan(0.1);
    expect(parts.at(-1)).toBe(1);
    await page.goBack();
    await page.waitForFunction(() => !location.hash.includes("model="));
    // At once, not only with the tree.
    expect(await page.inputValue("#model-choice")).toBe("en-small");
    await page.waitForFunction(() => document.querySelector("#model")!.textContent!.startsWith("Model en-small,"));
    expect(await page.inputValue("#model-choice")).toBe("en-small");
  });

  it("has a choice of models only where it has several", async () => {
    expect(await page.isVisible("#model-field")).toBe((await page.locator("meta[name=spanlin-model]").count()) > 1);
  });

  it("works offline after the first visit", async () => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await server.close();
    await page.goto("about:blank");
    await page.goto(`${server.url}${CODE}&compare=reading-2`);
    expect(await tree()).toEqual(["NP", "NP", "S", "S", "VP", "VP"]);
    await page.waitForSelector("#other-frame [role=treeitem]", { state: "attached" });
    await keepPictures();
    if (!hasTwoModels) return;
    await page.goto("about:blank");
    await page.goto(`${server.url}${CODE}&model=en`);
    expect(await tree()).toEqual(["NP", "NP", "S", "S", "VP", "VP"]);
    expect(await page.textContent("#model")).toContain("Model en,");
  });

  it("has no trouble, and asks no other host", () => {
    expect(problems).toEqual([]);
  });
});
