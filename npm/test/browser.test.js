// Tests the package in Chromium, on pages with and without cross-origin isolation.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const CHROMIUM = process.env.CHROMIUM ?? "chromium";
const TYPES = { js: "text/javascript", wasm: "application/wasm", html: "text/html" };
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

const PAGE = `<!doctype html>
<link rel="icon" href="data:,">
<script type="importmap">{"imports": {"labrys-engine": "/node_modules/labrys-engine/browser.js"}}</script>
<script type="module" src="/page.js"></script>`;

const SCRIPT = `
import Labrys from "labrys-engine";
import { GAMES, searchesEnd } from "/conversation.js";
const send = result => {
  const body = JSON.stringify({ isolated: crossOriginIsolated, ...result });
  return fetch("/result", { method: "POST", body });
};
try {
  const failed = new Promise((_, reject) => {
    window.onunhandledrejection = ({ reason }) => reject(reason);
  });
  for (const game of GAMES) {
    const engine = new Labrys();
    engine.onerror = ({ message }) => Promise.reject(new Error(message));
    await Promise.race([searchesEnd(engine, game), failed]);
    engine.terminate();
  }
  await send({});
} catch (error) {
  await send({ error: String(error.stack ?? error) });
}`;

// The result that the page sends when it is served with these headers.
async function resultWith(headers) {
  let deliver;
  const delivered = new Promise(resolve => (deliver = resolve));
  const server = createServer(async (request, response) => {
    if (request.method === "POST") {
      let body = "";
      for await (const part of request) body += part;
      response.end();
      deliver(JSON.parse(body));
      return;
    }
    const send = (name, content) =>
      response.writeHead(200, { "Content-Type": TYPES[name.split(".").at(-1)], ...headers }).end(content);
    if (request.url === "/") return send("index.html", PAGE);
    if (request.url === "/page.js") return send("page.js", SCRIPT);
    try {
      send(request.url, readFileSync(new URL(`.${request.url}`, import.meta.url)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
  const profile = mkdtempSync(join(tmpdir(), "labrys-npm-"));
  const browser = spawn(CHROMIUM, ["--headless", "--no-sandbox", "--disable-gpu",
    `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`],
  { stdio: "ignore", detached: true });
  const ended = new Promise(resolve => browser.once("exit", resolve));
  try {
    return await Promise.race([delivered, ended.then(() => assert.fail("the browser has ended"))]);
  } finally {
    // The processes that it has started write to the profile until they end.
    try {
      process.kill(-browser.pid, "SIGKILL");
    } catch {
      // None is left.
    }
    await ended;
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
}

const skip = spawnSync(CHROMIUM, ["--version"]).status !== 0 && `no ${CHROMIUM}`;

test("searches end on a page that is cross-origin isolated", { skip }, async () => {
  assert.deepEqual(await resultWith(ISOLATION), { isolated: true });
});

test("searches end on any other page", { skip }, async () => {
  assert.deepEqual(await resultWith({}), { isolated: false });
});

test("a page that forbids blob URLs gets an error", { skip }, async () => {
  const { error } = await resultWith({ "Content-Security-Policy": "connect-src 'self'" });
  assert.match(error, /connect-src blob:/);
});
