// Caches the files of the page for offline use. The build replaces VERSION and FILES; each version has its
// own cache.

const CACHE = "labrys-VERSION";

self.addEventListener("install", event => {
  event.waitUntil(caches.open(CACHE).then(cache => cache.addAll(FILES)).then(() => self.skipWaiting()));
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
  event.respondWith(cached.then(response => response ?? fetch(event.request)));
});
