// Pages without a server for tests in browsers: the one that `npm run page` built, and one that has two models.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EN } from "./model_folder.js";

export const PAGE = fileURLToPath(new URL("../page", import.meta.url));
const SCRIPT = fileURLToPath(new URL("../scripts/build_page.mjs", import.meta.url));

/** The program of the first of these names that is there, or what the variable says. */
export const programOf = (variable: string, ...names: string[]): string | undefined =>
  process.env[variable] ?? names.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));

/** Builds a page with `en` under two names, of which it opens with the first. */
export function buildPageOfTwoModels(): string {
  const folder = mkdtempSync(join(tmpdir(), "spanlin-page-"));
  const models = join(folder, "models");
  mkdirSync(models);
  for (const name of ["en-small", "en"]) symlinkSync(fileURLToPath(EN), join(models, name));
  const page = join(models, "page"); // a path that looks like a model's
  execFileSync(process.execPath, [SCRIPT, page, models]);
  return page;
}
