// A model's files: from an address or, in Node, a folder; kept in the browser's cache; with progress while they come.

import { SpanlinError } from "../errors.js";

/** How far loading has come: bytes of one file, and how many it has if that is known. */
export interface Progress {
  file: string;
  loaded: number;
  total: number | null;
  /** Whether the file was kept from an earlier visit. */
  cached: boolean;
}

export interface FileOptions {
  progress?: ((progress: Progress) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** The name of the cache that files are kept in, or null to keep none; browsers alone have one. */
  cache?: string | null | undefined;
}

export const CACHE = "spanlin-models";

/** The folder as an address that file names can be put behind. */
export function folderUrl(model: string | URL): URL {
  const text = String(model);
  const isNode = typeof process === "object" && Boolean(process.versions?.node) && typeof document === "undefined";
  const isAddress = /^[a-z][a-z0-9+.-]+:/i.test(text);
  if (!isAddress && isNode) return new URL(`file://${encodeURI(absolute(text)).replace(/[?#]/g, encodeURIComponent)}/`);
  const url = new URL(text, typeof location === "object" ? location.href : undefined);
  url.search = "";
  url.hash = "";
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

const absolute = (path: string): string => (path.startsWith("/") ? path : `${process.cwd()}/${path}`);

/** Which version of a file is wanted, by a key that changes with it; with `sum`, the SHA-256 sum that it must have. */
export interface FileVersion {
  key: string;
  sum?: string;
}

/**
 * The bytes of a file. Without a version it is always asked for, and what was kept is for when there is no network, or
 * when something else than the file comes, such as a page to sign in: `check` throws a SpanlinError then.
 */
export async function readFile(
  url: URL,
  version: FileVersion | null,
  options: FileOptions,
  check: (bytes: Uint8Array) => void = () => {},
): Promise<Uint8Array> {
  const name = url.pathname.split("/").at(-1)!;
  if (url.protocol === "file:") {
    const bytes = await readLocal(url);
    options.progress?.({ file: name, loaded: bytes.length, total: bytes.length, cached: false });
    await checkSum(bytes, version?.sum, url);
    return bytes;
  }
  const cache = await openCache(options.cache);
  const key = `${url.href}?version=${encodeURIComponent(version?.key ?? "")}`;
  const readKept = async () => {
    const kept = await cache?.match(key);
    if (!kept) return null;
    const bytes = new Uint8Array(await kept.arrayBuffer());
    options.progress?.({ file: name, loaded: bytes.length, total: bytes.length, cached: true });
    return bytes;
  };
  const kept = version && (await readKept());
  if (kept) return kept;
  let bytes: Uint8Array;
  try {
    bytes = await download(url, name, options);
    check(bytes);
  } catch (error) {
    const older = version || !(error instanceof SpanlinError) ? null : await readKept();
    if (older) return older;
    throw error;
  }
  await checkSum(bytes, version?.sum, url);
  await keep(cache, key, url, bytes);
  return bytes;
}

/** Keeps a file in place of its older versions. */
async function keep(cache: Cache | null, key: string, url: URL, bytes: Uint8Array): Promise<void> {
  if (!cache) return;
  try {
    await cache.delete(url.href, { ignoreSearch: true });
    await cache.put(key, new Response(bytes.slice()));
  } catch {
    // A full disk, or a browser that keeps nothing, is no reason not to parse.
  }
}

async function readLocal(url: URL): Promise<Uint8Array> {
  const { readFile: read } = await import("node:fs/promises");
  try {
    return new Uint8Array(await read(url));
  } catch (error) {
    throw new SpanlinError(`${decodeURI(url.pathname)}: cannot be read: ${(error as Error).message}`);
  }
}

async function openCache(name: string | null | undefined): Promise<Cache | null> {
  if (name === null || typeof caches === "undefined") return null;
  try {
    return await caches.open(name ?? CACHE);
  } catch {
    return null;
  }
}

async function download(url: URL, name: string, { progress, signal }: FileOptions): Promise<Uint8Array> {
  try {
    // Asked for anew: what the browser kept by itself may be of an older version, and would stay under the new one's key.
    const response = await fetch(url, { cache: "no-cache", ...(signal && { signal }) });
    if (!response.ok) throw new SpanlinError(`${url.href}: the server answered with status ${response.status}`);
    return await readBody(response, (loaded, total) => progress?.({ file: name, loaded, total, cached: false }));
  } catch (error) {
    if (error instanceof SpanlinError || signal?.aborted || (error as Error).name === "AbortError") throw error;
    throw new SpanlinError(`${url.href}: cannot be fetched: is the network there, and may this page read from that host?`);
  }
}

async function readBody(response: Response, tell: (loaded: number, total: number | null) => void): Promise<Uint8Array> {
  // What is counted is what comes out, which a compressed answer's length is not.
  const isPlain = !response.headers.get("content-encoding");
  const total = isPlain ? Number(response.headers.get("content-length")) || null : null;
  if (!response.body) return new Uint8Array(await response.arrayBuffer());
  const parts: Uint8Array[] = [];
  let loaded = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    loaded += value.length;
    tell(loaded, total);
  }
  const bytes = new Uint8Array(loaded);
  let place = 0;
  for (const part of parts) {
    bytes.set(part, place);
    place += part.length;
  }
  return bytes;
}

async function checkSum(bytes: Uint8Array, sum: string | undefined, url: URL): Promise<void> {
  // Pages that did not come by HTTPS have no such function.
  if (sum === undefined || !globalThis.crypto?.subtle) return;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (found !== sum) throw new SpanlinError(`${url.href}: damaged: it is not the file that the manifest lists; load it again`);
}
