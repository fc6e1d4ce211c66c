// Splits texts as the package does, one JSON string per line in, one JSON list of sentences per line out:
// the tests of the Python package compare them with its own.

import { createInterface } from "node:readline";
import { splitText } from "../dist/text/segmenter.js";

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const found = splitText(JSON.parse(line));
  process.stdout.write(`${JSON.stringify(found.map(({ words, starts, ends, text }) => [words, starts, ends, text]))}\n`);
}
