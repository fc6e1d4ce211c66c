// The rules of splitting; that they are Python's is tested from Python, over 20,000 lines.

import { expect, it } from "vitest";
import { splitText } from "../src/index.js";

const wordsOf = (text: string, longest?: number) => splitText(text, longest).map(({ words }) => words);

it("splits text into sentences and tokens", () => {
  expect(wordsOf("Mr. Hu can't come. Why?")).toEqual([["Mr.", "Hu", "ca", "n't", "come", "."], ["Why", "?"]]);
});

it("keeps the place of every token", () => {
  const text = "  Yes!\n\n👍🏿 it's 5km\u00a0away. ";
  for (const { words, starts, ends, text: own } of splitText(text)) {
    expect(words.map((_, place) => text.slice(starts[place], ends[place]))).toEqual(words);
    expect(text.slice(starts[0], ends.at(-1))).toBe(own);
  }
});

it("ends sentences at headings, list items and blank lines", () => {
  expect(wordsOf("# Title\nOne\n- two\n- three\n\nfour")).toEqual([["#", "Title"], ["One"], ["-", "two"], ["-", "three"], ["four"]]);
});

it("cuts a sentence that is too long, at a comma where there is one", () => {
  expect(wordsOf("a b, c d e", 4)).toEqual([["a", "b", ","], ["c", "d", "e"]]);
});

it("finds nothing in nothing", () => {
  expect(splitText("")).toEqual([]);
  expect(splitText(" \u200b\n\t")).toEqual([]);
});

it("takes linear time for what could take more", () => {
  const started = performance.now();
  for (const part of ["a.", "-", "(", "http://", "x@", "'s", "1,", "\u0300"]) splitText(part.repeat(20_000));
  expect(wordsOf(`a${" ".repeat(300_000)}b\nc`)).toEqual([["a", "b", "c"]]);
  expect(performance.now() - started).toBeLessThan(20_000);
});
