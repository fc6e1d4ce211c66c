// The parser answers as Python's does; test/samples/parses.json has its answers.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SpanlinError, load, type ParseRequest, type Parser } from "../src/index.js";
import { readManifest } from "../src/model/manifest.js";
import { EN, changed, treesAlone } from "./model_folder.js";

const file = new URL("samples/parses.json", import.meta.url);
const samples = JSON.parse(readFileSync(file, "utf8")) as { request: ParseRequest; results: unknown[] }[];
// int8 turns the last bit of a sum, which depends on the processor, into something larger.
const PROBABILITY = 0.1;
const LOG_PROBABILITY = 0.5;

/** All numbers that the processor may change, in a row. */
function numbersOf(value: unknown): number[] {
  const numbers: number[] = [];
  JSON.parse(JSON.stringify(value), (_, one: unknown) => {
    if (typeof one === "number" && !Number.isInteger(one)) numbers.push(one);
    return one;
  });
  return numbers;
}

/** A value with something plain in place of such numbers. */
function shapeOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, one: unknown) => {
    if (/probabilit|_log_probs/.test(key) && Array.isArray(one)) return one.length;
    if (/probability/.test(key)) return "a number";
    return key === "marginals" ? "spans" : one;
  }) as unknown;
}

let parser: Parser;
beforeAll(async () => {
  parser = await load(EN);
});
afterAll(async () => parser.close());

describe.each(samples)("$request", ({ request, results }) => {
  it("has the answer that Python gives", async () => {
    const answer = JSON.parse(JSON.stringify((await parser.answer(request)).results)) as unknown[];
    expect(shapeOf(answer)).toEqual(shapeOf(results));
    const wanted = numbersOf(results);
    numbersOf(answer).forEach((number, place) => {
      const other = wanted[place]!;
      expect(Math.abs(number - other)).toBeLessThan(other < 0 ? LOG_PROBABILITY * Math.max(1, -other / 4) : PROBABILITY);
    });
  });
});

describe("a parser", () => {
  it("gives offsets that slice the text", async () => {
    const text = "👩🏽‍🚀 waved. I ❤️ NY!";
    for (const { words, offsets, constituents } of await parser.parse(text)) {
      expect(offsets!.map(([start, end]) => text.slice(start, end))).toEqual(words);
      for (const one of constituents) expect(text.slice(one.start, one.end)).toBe(one.text);
    }
  });

  it("parses sentences that are longer than the encoder's rows", async () => {
    const words = Array.from({ length: 700 }, (_, place) => ["the", "dog", "saw", "a", "cat", "and"][place % 6]!);
    const [found] = await parser.parseTokens([words]);
    expect(found!.tags.length).toBe(700);
    expect(found!.brackets.match(/\(/g)!.length).toBe(found!.brackets.match(/\)/g)!.length);
  });

  it("answers requests that come at once, each with its own", async () => {
    const texts = ["Dogs bark.", "She loves writing code.", "Birds sing."];
    const found = await Promise.all(texts.map((text) => parser.parse(text)));
    expect(found.map(([sentence]) => sentence!.text)).toEqual(texts);
  });

  it("says what its model is", () => {
    const { relations, universalTags } = readManifest(readFileSync(new URL(`${EN.href}/manifest.json`), "utf8"), "en");
    expect(parser.facts).toMatchObject({ name: "en", precision: "int8", calibrated: true, relations, universal_tags: universalTags });
    expect(parser.facts.labels).toContain("NP");
  });

  it("gives no dependencies, and takes no arcs, if its model was trained on trees alone", async () => {
    const alone = await load(await changed(treesAlone));
    expect(alone.facts.relations).toEqual([]);
    const [found] = await alone.parse("Dogs bark.");
    expect(Object.keys(found!)).not.toContain("heads");
    const failure = alone.parse("Dogs bark.", { constraints: [{ required_arcs: [[1, 2]] }] });
    await expect(failure).rejects.toThrow("en: this model was trained on trees alone");
    await alone.close();
  });

  it("stops when it is told to", async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(parser.parse("Dogs bark.", {}, controller.signal)).rejects.toThrow(/abort/i);
    expect(await parser.parse("Dogs bark.")).toHaveLength(1);
  });

  it.each([
    [{}, "give one of text, texts and tokens, got none"],
    [{ text: "a", tokens: [["a"]] }, "got text and tokens"],
    [{ text: "Dogs bark.", decoder: "best" }, "unknown decoder 'best': choose one of argmin"],
    [{ text: "Dogs bark.", decoder: "cky", k_best: 2 }, "leave out 'cky'"],
    [{ text: "Dogs bark.", k_best: 0 }, "k_best must be 1 to 1000"],
    [{ text: "Dogs bark.", format: "brackets", scores: true }, "ask for format json"],
    [{ text: "Dogs bark.", constraints: [{ sentence: 1 }] }, "item 0 has no sentence 1 (of 1, from 0)"],
    [{ text: "Dogs bark.", constraints: [{ required: [[0, 9]] }] }, "does not lie within the words 0..3"],
    [{ text: "Dogs bark.", constraints: [{ required: [[0, 2], [1, 3]] }] }, "(0, 2) and (1, 3) cross"],
    [{ text: "Dogs bark.", constraints: [{ required: [[0, 2, "QQ"]] }] }, "no label 'QQ': the model knows ADJP"],
    [{ text: "Dogs bark.", root_label: "QQ" }, "no root label 'QQ'"],
  ])("refuses %j in one line", async (request, message) => {
    const failure = parser.answer(request as ParseRequest);
    await expect(failure).rejects.toThrow(SpanlinError);
    await expect(failure).rejects.toThrow(message);
  });
});
