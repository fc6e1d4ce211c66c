// How a model's files come from an address, and what is kept of them.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SpanlinError } from "../src/index.js";
import { readFile } from "../src/model/files.js";

const MANIFEST = new URL("https://example.org/en/manifest.json");
const VERSION = { key: "1" };

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** An answer whose connection is lost after its first bytes. */
const broken = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(3));
        setTimeout(() => controller.error(new TypeError("network error")));
      },
    }),
  );

const fetched = vi.fn<typeof fetch>();

beforeEach(() => {
  const kept = new Map<string, Response>();
  const cache = {
    match: async (key: string) => kept.get(key)?.clone(),
    delete: async (href: string) => [...kept.keys()].filter((key) => key.startsWith(href)).forEach((key) => kept.delete(key)),
    put: async (key: string, response: Response) => void kept.set(key, response),
  };
  vi.stubGlobal("caches", { open: async () => cache });
  vi.stubGlobal("fetch", fetched);
});

afterEach(() => {
  vi.unstubAllGlobals();
  fetched.mockReset();
});

it("asks past what the browser kept by itself, and for each version once", async () => {
  fetched.mockResolvedValue(new Response("wasm"));
  for (const _ of [1, 2]) expect(text(await readFile(new URL("https://example.org/ort.wasm"), VERSION, {}))).toBe("wasm");
  expect(fetched).toHaveBeenCalledOnce();
  expect(fetched.mock.calls[0]![1]).toEqual({ cache: "no-cache" });
});

it("tells in one line that the connection was lost during a download", async () => {
  fetched.mockResolvedValue(broken());
  const reading = readFile(MANIFEST, VERSION, {});
  await expect(reading).rejects.toThrow(SpanlinError);
  await expect(reading).rejects.toThrow("https://example.org/en/manifest.json: cannot be fetched: is the network there");
});

it("takes the manifest that it kept when the connection is lost", async () => {
  fetched.mockResolvedValueOnce(new Response("{}")).mockResolvedValueOnce(broken());
  for (const _ of [1, 2]) expect(text(await readFile(MANIFEST, null, {}))).toBe("{}");
});

it("takes the manifest that it kept, and keeps it, when something else comes in its place", async () => {
  fetched.mockResolvedValueOnce(new Response("{}")).mockResolvedValueOnce(new Response("<html>")).mockResolvedValueOnce(broken());
  const check = (bytes: Uint8Array) => {
    if (text(bytes) !== "{}") throw new SpanlinError("not a manifest");
  };
  for (const _ of [1, 2, 3]) expect(text(await readFile(MANIFEST, null, {}, check))).toBe("{}");
  await expect(readFile(new URL("https://example.org/new/manifest.json"), null, {}, check)).rejects.toThrow();
});

it("tells what is wrong with a manifest where none was kept", async () => {
  fetched.mockResolvedValueOnce(new Response("<html>"));
  const check = () => {
    throw new SpanlinError("not a manifest");
  };
  await expect(readFile(MANIFEST, null, {}, check)).rejects.toThrow("not a manifest");
});

it("stops as it was told to", async () => {
  const controller = new AbortController();
  fetched.mockImplementation(async () => {
    controller.abort(new Error("enough"));
    throw controller.signal.reason;
  });
  await expect(readFile(MANIFEST, VERSION, { signal: controller.signal })).rejects.toThrow("enough");
});
