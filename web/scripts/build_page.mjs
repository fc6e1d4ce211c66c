// Builds the page without a server: the service's own page, the package for it in tab/, the packaged models, and the
// service worker that makes it work offline. `npm run page` runs this; `node scripts/build_page.mjs OUT MODELS` writes to
// another folder than web/page, and takes the models from another one than src/spanlin/models.

import { createHash } from "node:crypto";
import { cp, mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const web = fileURLToPath(new URL("..", import.meta.url));
const spanlin = join(web, "..", "src", "spanlin");
const out = process.argv[2] ?? join(web, "page");
const models = process.argv[3] ?? join(spanlin, "models");
const MANIFEST = "manifest.json";
const FIRST = ["en-small", "en"]; // what the page opens with: the first of these that is there
const NEEDLESS = ["card.md"]; // what a manifest lists and the page does not read
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; " +
  "img-src 'self' data: blob:; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'";

/** The models of a folder, the one that the page opens with first: their names, and their files with the sizes. */
async function findModels(folder) {
  const found = [];
  for (const name of await readdir(folder)) {
    let manifest;
    try {
      manifest = JSON.parse(await readFile(join(folder, name, MANIFEST), "utf8"));
    } catch (error) {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") continue; // not a model
      throw error;
    }
    const files = [MANIFEST, ...Object.keys(manifest.files).filter((file) => !NEEDLESS.includes(file))];
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, name, file))).size));
    found.push({ name, files, bytes: sizes.reduce((one, other) => one + other) });
  }
  if (!found.length) throw new Error(`${folder}: there is no model here`);
  const place = ({ name }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return found.sort((one, other) => place(one) - place(other) || one.bytes - other.bytes);
}

/** The service's page with what makes it one without a server; every replacement must find its place. Of a model, the page
 * is told its size, and how many bytes there are to load before it can parse. */
function withoutServer(html, models, wasmBytes) {
  const replace = (text, from, to) => {
    if (!text.includes(from)) throw new Error(`index.html has no ${from}: change build_page.mjs with it`);
    return text.replace(from, to);
  };
  const head = [
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    ...models.map(({ name, bytes }) =>
      `<meta name="spanlin-model" content="models/${name}" data-bytes="${bytes}" data-all-bytes="${bytes + wasmBytes}">`),
    '<link rel="manifest" href="app.webmanifest">',
    '<script type="module" src="tab/offline.js"></script>',
  ].join("\n  ");
  const named = replace(html, '<meta charset="utf-8">', `<meta charset="utf-8">\n  ${head}`);
  const linked = replace(named, 'href="docs"', 'href="../"');
  return replace(linked, "<span>API</span>", "<span>Docs</span>");
}

/** The paths of all files in a folder, from there, as addresses write them. */
async function filesIn(folder) {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((file) => file.isFile()).map((file) => relative(folder, join(file.parentPath ?? file.path, file.name)));
  return paths.map((path) => path.split(sep).join("/")).sort();
}

await rm(out, { recursive: true, force: true });
await mkdir(join(out, "tab"), { recursive: true });
await cp(join(spanlin, "server", "static"), join(out, "static"), { recursive: true });
const index = await readFile(join(out, "static", "index.html"), "utf8");
await rm(join(out, "static", "index.html"));
const found = await findModels(models);
const wasm = join(dirname(createRequire(import.meta.url).resolve("onnxruntime-web/wasm")), "ort-wasm-simd-threaded.wasm");
await cp(wasm, join(out, "tab", "ort-wasm-simd-threaded.wasm"));
await writeFile(join(out, "index.html"), withoutServer(index, found, (await stat(wasm)).size));
await build({
  entryPoints: { spanlin: join(web, "src/page/spanlin.ts"), worker: join(web, "src/worker.ts"), offline: join(web, "src/page/offline.ts") },
  outdir: join(out, "tab"),
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  external: ["node:*"],
  legalComments: "none",
  logLevel: "warning",
});
for (const { name, files } of found) {
  for (const file of files) await cp(join(models, name, file), join(out, "models", name, file));
}
await writeFile(
  join(out, "app.webmanifest"),
  JSON.stringify({
    name: "spanlin – sentences into trees",
    short_name: "spanlin",
    start_url: "./",
    display: "standalone",
    icons: [{ src: "static/favicon.svg", sizes: "any", type: "image/svg+xml" }],
  }),
);

// The shell is what the service worker keeps, manifests too, so that the page meets the models that it was built with; what
// is large is kept by the package itself.
const isKeptByPackage = (path) => path.endsWith(".wasm") || (path.startsWith("models/") && !path.endsWith(`/${MANIFEST}`));
const shell = (await filesIn(out)).filter((path) => !isKeptByPackage(path));
if (!shell.includes("static/app.js")) throw new Error(`${out}: the page has no static/app.js: change build_page.mjs with it`);
const sum = createHash("sha256");
for (const path of shell) {
  const bytes = await readFile(join(out, path));
  sum.update(`${path} ${bytes.length} `).update(bytes);
}
const { outputFiles } = await build({
  entryPoints: [join(web, "src/page/service_worker.ts")],
  bundle: true,
  minify: true,
  write: false,
  define: {
    SHELL: JSON.stringify(["./", ...shell.filter((path) => path !== "index.html")]),
    SHELL_VERSION: JSON.stringify(sum.digest("hex").slice(0, 16)),
  },
});
await writeFile(join(out, "service-worker.js"), outputFiles[0].text);
console.log(`${out}: ${(await filesIn(out)).length} files, models ${found.map(({ name }) => name).join(", ")}`);
