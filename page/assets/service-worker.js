// Keeps the files of the page, so that it works without a network. What stands in capitals is filled in when
// the page is put together: another version is another set of files.

const KEPT = "labrys-VERSION";

self.addEventListener("install", event => {
  event.waitUntil(caches.open(KEPT).then(kept => kept.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", event => {
  const old = name => name.startsWith("labrys-") && name !== KEPT;
  const clean = async () => {
    for (const name of (await caches.keys()).filter(old)) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

self.addEventListener("fetch", event => {
  if (event.request.method !== "GET") return;
  const found = caches.open(KEPT).then(kept => kept.match(event.request, { ignoreSearch: true }));
  event.respondWith(found.then(response => response ?? fetch(event.request)));
});
