// What the service worker of the built page keeps.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildPageOfTwoModels } from "./pages.js";

it("keeps the page and the manifests of its models, wherever it is built", () => {
  const worker = readFileSync(join(buildPageOfTwoModels(), "service-worker.js"), "utf8");
  const kept = JSON.parse(/\["\.\/".*?\]/.exec(worker)![0]) as string[];
  expect(kept).toContain("static/app.js");
  expect(kept).toContain("tab/worker.js");
  expect(kept.filter((path) => path.startsWith("models/"))).toEqual(["models/en-small/manifest.json", "models/en/manifest.json"]);
  expect(kept.filter((path) => /\.(wasm|onnx)$/.test(path))).toEqual([]);
});
