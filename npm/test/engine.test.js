// Tests the installed package in Node.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import Labrys from "labrys-engine";

import { Engine } from "./node_modules/labrys-engine/engine.js";

import { Conversation, GAMES, searchesEnd } from "./conversation.js";

// Starts an engine for a conversation, and ends it afterwards.
async function withEngine(act) {
  const engine = new Labrys();
  try {
    return await act(new Conversation(engine));
  } finally {
    engine.terminate();
  }
}

test("uci names the engine and lists the options", () => withEngine(async talk => {
  talk.send("uci");
  const lines = await talk.readUntil("uciok");
  assert.match(lines[0], /^id name Labrys \d/);
  const variant = lines.find(line => line.startsWith("option name UCI_Variant "));
  GAMES.forEach(game => assert.ok(variant.includes(` var ${game}`), variant));
  assert.ok(lines.includes("option name Threads type spin default 1 min 1 max 1"), lines.join("\n"));
}));

for (const game of GAMES) {
  test(`searches of ${game} end`, () => withEngine(talk => searchesEnd(talk.engine, game)));
}

test("a wrong line is an error and changes nothing", () => withEngine(async talk => {
  talk.send("position startpos moves e2e4", "position startpos moves e2e5", "xyzzy",
    "setoption name Hash value no", "setoption name UCI_Variant value go",
    "setoption name EvalFile value none.safetensors", "perft six", "", "  ");
  const errors = await talk.rest();
  assert.equal(errors.length, 6, errors.join("\n"));
  errors.forEach(line => assert.match(line, /^info string error: /));
  for (const wrong of ["`e2e5`", "`xyzzy`", "`no`", "`go`", "none.safetensors", "`six`"]) {
    assert.ok(errors.some(line => line.includes(wrong)), wrong);
  }
  talk.send("d");
  const board = await talk.rest();
  assert.ok(board.some(line => line.includes("4P3")), board.join("\n"));
}));

test("messages may have several lines, and answers come line by line", () => withEngine(async talk => {
  talk.send("position startpos\nperft 3\r\neval");
  const lines = await talk.readUntil("Nodes searched:");
  assert.equal(lines.at(-1), "Nodes searched: 8902");
  assert.ok(lines.includes("e2e4: 600"));
  const evaluation = await talk.rest();
  assert.ok(evaluation.length > 3 && evaluation.every(line => !line.includes("\n")));
}));

test("asking for more memory than there is gives an error", () => withEngine(async talk => {
  talk.send("setoption name Hash value 1000000", "go depth 1");
  const lines = await talk.readUntil("bestmove ");
  assert.ok(lines.some(line => line.startsWith("info string error: ")), lines.join("\n"));
}));

test("events reach listeners, and quit answers a search and ends the worker", async () => {
  const engine = new Labrys();
  const talk = new Conversation(engine);
  let answers = 0;
  engine.addEventListener("message", ({ data }) => (answers += data.startsWith("bestmove ")));
  talk.send("go infinite", "quit", "isready");
  await talk.readUntil("bestmove ");
  assert.equal(answers, 1);
});

test("isready is answered later and in the order of all answers", () => withEngine(async talk => {
  await talk.rest();
  talk.send("isready", "perft 1");
  const lines = await new Conversation(talk.engine).readUntil("Nodes searched:");
  assert.deepEqual([lines[0], lines.at(-1)], ["readyok", "Nodes searched: 20"]);
}));

test("isready may be sent again by whoever hears the answer", () => withEngine(async talk => {
  await talk.rest();
  let left = 10_000;
  await new Promise(resolve => {
    talk.engine.onmessage = () => (left-- > 0 ? talk.send("isready") : resolve());
    talk.send("isready");
  });
}));

test("bench gives the signature of the native program", () => withEngine(async talk => {
  const expected = readFileSync(new URL("./bench.signature", import.meta.url), "utf8").trim().split("\n");
  talk.send("bench");
  const lines = await talk.readUntil(expected.at(-1).replace("total ", ""));
  for (const line of expected.slice(0, -1)) {
    const [game, nodes] = line.split(" ");
    assert.ok(lines.includes(`${game}: ${nodes} nodes`), lines.slice(-8).join("\n"));
  }
}));

test("a failure is reported or logged, and ends the worker", async context => {
  const heard = [];
  context.mock.method(console, "error", text => heard.push(text));
  const hear = ({ message }) => heard.push(message);
  for (const [listen, expected] of [
    [engine => (engine.onerror = hear), "broken"],
    [engine => engine.addEventListener("error", hear), "broken"],
    [() => {}, "labrys-engine: broken"],
  ]) {
    let receive;
    let ends = 0;
    const start = onMessage => {
      receive = onMessage;
      return { post() {}, terminate: () => ends++ };
    };
    const engine = new Engine(start, { describe() {}, close() {} });
    engine.onmessage = ({ data }) => heard.push(data);
    listen(engine);
    receive({ isDone: true });
    engine.postMessage("isready\ngo");
    receive({ isWorking: true });
    receive({ error: "broken" });
    // Answered while it searches, but not any more.
    engine.postMessage("isready");
    await new Promise(resolve => setTimeout(resolve, 20));
    assert.deepEqual([heard.splice(0), ends], [["readyok", expected], 1]);
  }
});
