// Splits words into pieces as the package does, one JSON list of words per line in, the ids of their pieces out, with the
// model folder that is its argument: the tests of the Python package compare them with its own.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { readManifest } from "../dist/model/manifest.js";
import { WordPieces } from "../dist/runtime/pieces.js";

const [folder] = process.argv.slice(2);
const manifest = readManifest(readFileSync(`${folder}/manifest.json`, "utf8"), "manifest.json");
const pieces = new WordPieces(readFileSync(`${folder}/tokenizer.json`, "utf8"), "tokenizer.json", manifest);
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  process.stdout.write(`${JSON.stringify(JSON.parse(line).map((word) => pieces.of(word)))}\n`);
}
