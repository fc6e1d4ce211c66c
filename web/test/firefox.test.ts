// The page without a server in a real Firefox, which puppeteer-core drives by WebDriver BiDi.

import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser, Page } from "puppeteer-core";
import { serveFolder, type StaticServer } from "../scripts/static_server.mjs";
import { PAGE, programOf } from "./pages.js";

const FIREFOX = programOf("SPANLIN_FIREFOX", "firefox-esr", "firefox");
const canRun = FIREFOX !== undefined && existsSync(`${PAGE}/index.html`);
if (!canRun) console.log("Firefox was not tried: it needs Firefox and the page that `npm run page` builds");

describe.skipIf(!canRun)("the page in Firefox", () => {
  let browser: Browser;
  let page: Page;
  let server: StaticServer;
  const problems: string[] = [];

  const visit = async (state: string) => {
    await page.goto("about:blank"); // else only what is after # changes
    await page.goto(`${server.url}#${state}`);
    await page.waitForSelector("#tree-frame [role=treeitem]");
    return labels();
  };
  const labels = async (frame = "#tree-frame") =>
    (await page.$$eval(`${frame} .phrase-node`, (nodes) => nodes.map((node) => (node as HTMLElement).dataset.label))).sort();

  beforeAll(async () => {
    const { launch } = (await import("puppeteer-core")).default;
    server = await serveFolder(PAGE, { isolated: false });
    browser = await launch({ browser: "firefox", executablePath: FIREFOX!, headless: true });
    page = await browser.newPage();
    page.setDefaultTimeout(50_000);
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url) && !/^(blob|data|about):/.test(request.url())) problems.push(request.url());
    });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it("parses in a worker, without isolation headers", async () => {
    expect(await visit("text=She+loves+writing+code.")).toEqual(["NP", "NP", "S", "S", "VP", "VP"]);
    expect(page.workers().map((worker) => worker.url())).toEqual([`${server.url}tab/worker.js`]);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
    expect(await page.$eval("#model", ({ textContent }) => textContent)).toContain("It runs in this tab");
  });

  it("takes another decoder and a constraint", async () => {
    expect(await visit("text=She+loves+writing+code.&decoder=cky")).toEqual(["NP", "NP", "S", "S", "VP", "VP"]);
    await visit("text=She+loves+writing+code.&decoder=labelled&require=1.0-2");
    expect(await page.$("#tree-frame .phrase-node[data-left='0'][data-right='2']")).not.toBeNull();
  });

  it("works offline at the second visit, with other readings too", async () => {
    await page.evaluate(async () => (await navigator.serviceWorker.ready) && null);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await server.close();
    expect(await visit("text=She+loves+writing+code.&compare=reading-2")).toEqual(["NP", "NP", "S", "S", "VP", "VP"]);
    await page.waitForSelector("#other-frame [role=treeitem]");
  });

  it("has no trouble, and asks no other host", () => {
    expect(problems).toEqual([]);
  });
});
