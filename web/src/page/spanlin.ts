// What the page without a server loads of the package on its own side; the parser itself is in the worker.

export { loadInWorker } from "../worker_parser.js";
