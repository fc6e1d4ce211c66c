// A server of plain files, for tests and figures: `node scripts/static_server.mjs FOLDER [PORT] [--isolated]`.
// With isolation headers a page may use several threads.

import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { pathToFileURL } from "node:url";

const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json",
  ".svg": "image/svg+xml", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json",
};
const ISOLATION = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

/** Serve a folder on a port of its own; `requests` lists what was asked for, with the bytes of each answer. */
export async function serveFolder(folder, { port = 0, isolated = false } = {}) {
  const requests = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const file = normalize(join(folder, path.endsWith("/") ? `${path}index.html` : path));
    let size;
    try {
      const found = statSync(file);
      if (!found.isFile() || !file.startsWith(normalize(folder + sep))) throw new Error("not a file");
      size = found.size;
    } catch {
      response.writeHead(404).end();
      return;
    }
    requests.push({ path, bytes: size });
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "Content-Type": type, "Content-Length": size, "Cache-Control": "no-cache", ...(isolated ? ISOLATION : {}) });
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(port, "127.0.0.1", ready));
  const close = () => new Promise((done) => { server.close(done); server.closeAllConnections(); });
  return { url: `http://127.0.0.1:${server.address().port}/`, requests, close };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder, port] = process.argv.slice(2).filter((one) => !one.startsWith("--"));
  const { url } = await serveFolder(folder, { port: Number(port ?? 8000), isolated: process.argv.includes("--isolated") });
  console.log(url);
}
