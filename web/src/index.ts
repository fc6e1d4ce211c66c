/**
 * A constituency parser for the browser and Node.
 *
 * ```js
 * const parser = await load("https://example.org/models/en");
 * const [sentence] = await parser.parse("She loves writing code.");
 * sentence.brackets; // (TOP (S (NP (PRP She)) ...
 * ```
 */

import { Model, type LoadOptions } from "./model/model.js";
import { Parser } from "./parser.js";

export type * from "./answers.js";
export { DECODERS } from "./answers.js";
export { SpanlinError } from "./errors.js";
export type { Progress } from "./model/files.js";
export type { LoadOptions } from "./model/model.js";
export { Parser } from "./parser.js";
export { splitText, type Sentence } from "./text/segmenter.js";
export { VERSION } from "./version.js";
export { WorkerParser, loadInWorker, type WorkerLoadOptions } from "./worker_parser.js";

/** The parser of a model folder at an address or, in Node, in the file system. */
export async function load(model: string | URL, options: LoadOptions = {}): Promise<Parser> {
  return new Parser(await Model.load(model, options));
}
