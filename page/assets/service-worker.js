// Caches the files of the page for offline use, and adds the headers that isolate it from other origins: only
// then may its workers share memory. The build replaces VERSION and FILES. Each version has its own cache,
// and waits until no page of the one before is open: such a page would load new files beside its old ones.

const CACHE = "labrys-VERSION";

const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

self.addEventListener("install", event => {
  // The browser may have files of the version before in its own cache.
  const files = FILES.map(file => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then(cache => cache.addAll(files)));
});

self.addEventListener("activate", event => {
  const isOld = name => name.startsWith("labrys-") && name !== CACHE;
  const clean = async () => {
    for (const name of (await caches.keys()).filter(isOld)) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

self.addEventListener("fetch", event => {
  if (event.request.method !== "GET") return;
  const cached = caches.open(CACHE).then(cache => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(cached.then(async response => isolated(response ?? await fetch(event.request))));
});

function isolated(response) {
  const { status, statusText } = response;
  // What another origin does not reveal cannot be changed.
  if (status === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ISOLATION)) headers.set(name, value);
  return new Response(response.body, { status, statusText, headers });
}
