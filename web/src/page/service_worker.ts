// Keeps the page itself, with the manifests of its models, for when there is no network. The rest of a model is kept by the
// package, in a cache of its own.

declare const SHELL: string[];
declare const SHELL_VERSION: string;

const scope = self as unknown as ServiceWorkerGlobalScope;
const PREFIX = "spanlin-page-";
const CACHE = PREFIX + SHELL_VERSION;

scope.addEventListener("install", (event) => {
  const fresh = SHELL.map((path) => new Request(path, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)).then(() => scope.skipWaiting()));
});

scope.addEventListener("activate", (event) => {
  const isOld = (name: string) => name.startsWith(PREFIX) && name !== CACHE;
  const clear = async () => {
    for (const name of (await caches.keys()).filter(isOld)) await caches.delete(name);
    await scope.clients.claim();
  };
  event.waitUntil(clear());
});

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== scope.location.origin) return;
  const answer = async (): Promise<Response> => {
    const cache = await caches.open(CACHE);
    return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
  };
  event.respondWith(answer());
});
