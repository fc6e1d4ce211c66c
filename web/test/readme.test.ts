// The JavaScript in the README files and in the guide runs, and prints what the comments below its lines say.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { EN } from "./model_folder.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGES = ["README.md", "web/README.md", "docs/browser.md"];
const BLOCK = /^```js\n(.*?)^```$/gms;

const samples = PAGES.flatMap((page) =>
  Array.from(readFileSync(join(ROOT, page), "utf8").matchAll(BLOCK), (found, number) => ({ page, number, code: found[1]! })),
);

it("finds examples on every page", () => {
  expect(new Set(samples.map(({ page }) => page))).toEqual(new Set(PAGES));
});

it.each(samples)("$page, example $number", ({ code }) => {
  const folder = mkdtempSync(join(tmpdir(), "spanlin-readme-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(ROOT, "web"), join(folder, "node_modules", "spanlin"));
  for (const place of ["models", "src/spanlin/models"]) {
    mkdirSync(join(folder, place), { recursive: true });
    symlinkSync(fileURLToPath(EN), join(folder, place, "en"));
  }
  writeFileSync(join(folder, "example.mjs"), code);
  expect(existsSync(join(ROOT, "web", "dist", "index.js"))).toBe(true);
  const printed = execFileSync(process.execPath, ["example.mjs"], { cwd: folder, encoding: "utf8" });
  const shown = code.split("\n").filter((line) => line.startsWith("// ")).map((line) => line.slice(3));
  expect(printed.trim().split("\n")).toEqual(shown);
});
