// What goes wrong with a model is told in one line that says what to do.

import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { load, type Progress } from "../src/index.js";
import { folderUrl } from "../src/model/files.js";
import { readManifest } from "../src/model/manifest.js";
import { EN, changed, manifestOf } from "./model_folder.js";

describe("load", () => {
  it("refuses a folder that is not there", async () => {
    await expect(load("/no/such/model")).rejects.toThrow(/manifest.json: cannot be read/);
  });

  it("refuses a file that is not the one in the manifest", async () => {
    const folder = await changed(async (path) => writeFile(join(path, "tokenizer.json"), "{}"));
    await expect(load(folder)).rejects.toThrow(/tokenizer.json: damaged: it is not the file that the manifest lists/);
  });

  it("refuses a manifest that lists no graph", async () => {
    const folder = await changed(manifestOf({ files: {} }));
    await expect(load(folder)).rejects.toThrow(/lists no tokenizer.json/);
  });

  it("refuses a graph that is none", async () => {
    const { createHash } = await import("node:crypto");
    const files = JSON.parse(await readFile(new URL(`${EN.href}/manifest.json`), "utf8")) as { files: Record<string, string> };
    const sum = createHash("sha256").update("no graph").digest("hex");
    const folder = await changed(async (path) => {
      await writeFile(join(path, "graph.onnx"), "no graph");
      await manifestOf({ files: { ...files.files, "graph.onnx": sum } })(path);
    });
    await expect(load(folder)).rejects.toThrow(/graph.onnx: cannot be loaded/);
  });

  it.each(["labels.onnx", "relations.onnx"])("can read %s later if it could not at first", async (name) => {
    const folder = await changed(async (path) => rename(join(path, name), join(path, "away")));
    const parser = await load(folder);
    const parse = () => parser.parse("Dogs bark.", { constraints: [{ required: [[0, 2]], required_arcs: [[2, 1]] }] });
    await expect(parse()).rejects.toThrow(`${name}: cannot be read`);
    await rename(join(folder, "away"), join(folder, name));
    expect(await parse()).toHaveLength(1);
    await parser.close();
  });

  it("reads what comes later though the signal of its loading is used by then", async () => {
    const controller = new AbortController();
    const parser = await load(EN, { signal: controller.signal });
    controller.abort(new Error("loading takes too long"));
    expect(await parser.parse("Dogs bark.", { constraints: [{ required: [[0, 2]] }] })).toHaveLength(1);
    await parser.close();
  });

  it("refuses what is asked after it was closed, though nobody waited for that", async () => {
    const parser = await load(EN);
    const before = parser.parse("Dogs bark.");
    const closing = parser.close();
    await expect(parser.parse("Cats meow.")).rejects.toThrow("this parser is closed: load the model again");
    expect(await before).toHaveLength(1);
    await closing;
    await parser.close(); // once more does no harm
  });

  it("tells how far it has come", async () => {
    const seen: Progress[] = [];
    await (await load(EN, { progress: (progress) => seen.push(progress) })).close();
    const done = seen.filter(({ loaded, total }) => loaded === total).map(({ file }) => file);
    expect(done.sort()).toEqual(["graph.onnx", "manifest.json", "tokenizer.json"]);
  });
});

describe("a manifest", () => {
  it.each([
    ["<html>", "it is not JSON; is the address that of a model folder?"],
    ["{}", "reads manifests of format 2"],
    ['{"format": 2, "input": "lexical"}', "which only the Python package runs"],
    ['{"format": 2}', "calibration.span must be a number"],
  ])("%s is refused", (text, message) => {
    expect(() => readManifest(text, "manifest.json")).toThrow(message);
  });
});

describe("the folder's address", () => {
  it("may be a path, a file's or a server's", () => {
    expect(folderUrl("models/en").href).toBe(`${pathToFileURL("models/en").href}/`);
    expect(folderUrl("/a b/en#1").href).toBe(`${pathToFileURL("/a b/en#1").href}/`);
    expect(folderUrl("https://example.org/models/en").href).toBe("https://example.org/models/en/");
    expect(folderUrl("https://example.org/en/?x#y").href).toBe("https://example.org/en/");
  });
});
