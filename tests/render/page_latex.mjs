// Reads a list of parses as the service gives them, and prints the LaTeX that the page makes of each.
// node page_latex.mjs FOLDER, where FOLDER has the page's modules.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.argv[2]}/`);
const { latexText } = await import(new URL("formats.js", folder));
const { buildTree } = await import(new URL("tree.js", folder));

const parses = JSON.parse(readFileSync(0, "utf-8"));
process.stdout.write(JSON.stringify(parses.map((parsed) => latexText(buildTree(parsed)))));
