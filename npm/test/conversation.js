// A conversation with the engine, and the checks that Node and browsers share.

export const GAMES = ["chess", "amazons", "neighbours", "tucchess"];

export class Conversation {
  #lines = [];
  #wake = () => {};

  constructor(engine) {
    this.engine = engine;
    engine.onmessage = ({ data }) => {
      this.#lines.push(data);
      this.#wake();
    };
  }

  send(...lines) {
    lines.forEach(line => this.engine.postMessage(line));
  }

  // Waits for a line with this prefix, and returns the lines up to it.
  async readUntil(prefix) {
    for (;;) {
      const end = this.#lines.findIndex(line => line.startsWith(prefix));
      if (end >= 0) return this.#lines.splice(0, end + 1);
      await new Promise(resolve => (this.#wake = resolve));
    }
  }

  // All lines that come before the answer to `isready`.
  async rest() {
    this.send("isready");
    return (await this.readUntil("readyok")).slice(0, -1);
  }
}

function check(condition, found) {
  if (!condition) throw new Error(JSON.stringify(found));
}

function count(lines, prefix) {
  return lines.filter(line => line.startsWith(prefix)).length;
}

// Checks that searches end by themselves, by `stop` and by `ponderhit`, each with one answer.
export async function searchesEnd(engine, game) {
  const talk = new Conversation(engine);
  talk.send(`setoption name UCI_Variant value ${game}`, "position startpos", "go depth 4");
  const lines = await talk.readUntil("bestmove ");
  check(lines.some(line => line.startsWith("info depth 4 ")), lines);
  for (let time = 1; time <= 2; time++) {
    talk.send("go infinite");
    check(await talk.readUntil("info depth 2 "), time);
    // It answers `isready` while it computes.
    const before = await talk.rest();
    check(count(before, "bestmove") === 0, before);
    talk.send("position fen nonsense", "stop", "stop");
    const answers = [...await talk.readUntil("bestmove "), ...await talk.rest()];
    check(count(answers, "bestmove") === 1, answers);
    check(count(answers, "info string error: position: not while searching") === 1, answers);
  }
  // The `stop` for one search does not stop the next.
  talk.send("go infinite", "stop", "go depth 3");
  const two = [...await talk.readUntil("bestmove "), ...await talk.readUntil("bestmove ")];
  check(two.some(line => line.startsWith("info depth 3 ")), two);
  talk.send("go ponder depth 60 movetime 1");
  await talk.readUntil("info depth 1 ");
  talk.send("ponderhit");
  const hit = [...await talk.readUntil("bestmove "), ...await talk.rest()];
  check(count(hit, "bestmove") === 1, hit);
  talk.send("perft 12");
  talk.send("stop");
  await talk.readUntil("info string perft stopped");
}
