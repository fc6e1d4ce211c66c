// Answers requests as the service does, one JSON request per line in, one JSON answer per line out, with the model folder
// that is its argument: the tests of the Python package compare the answers with its own.

import { createInterface } from "node:readline";
import { load } from "../dist/index.js";

const parser = await load(process.argv[2]);
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  let answer;
  try {
    answer = await parser.answer(JSON.parse(line));
  } catch (error) {
    if (error.name !== "SpanlinError") throw error;
    answer = { error: error.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
