// A conversation with the engine, and what is asked of it in Node as in a browser.

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

  say(...lines) {
    lines.forEach(line => this.engine.postMessage(line));
  }

  // The lines up to the next one that begins like this.
  async hear(beginning) {
    for (;;) {
      const end = this.#lines.findIndex(line => line.startsWith(beginning));
      if (end >= 0) return this.#lines.splice(0, end + 1);
      await new Promise(resolve => (this.#wake = resolve));
    }
  }

  // The line that begins like this.
  async hearOf(beginning) {
    return (await this.hear(beginning)).at(-1);
  }

  // All lines that come before the answer to `isready`.
  async rest() {
    this.say("isready");
    return (await this.hear("readyok")).slice(0, -1);
  }
}

function check(condition, found) {
  if (!condition) throw new Error(JSON.stringify(found));
}

function count(lines, beginning) {
  return lines.filter(line => line.startsWith(beginning)).length;
}

// Searches end by themselves, by `stop` and by `ponderhit`, each with one answer.
export async function searchesEnd(engine, game) {
  const talk = new Conversation(engine);
  talk.say(`setoption name UCI_Variant value ${game}`, "position startpos", "go depth 4");
  const lines = await talk.hear("bestmove ");
  check(lines.some(line => line.startsWith("info depth 4 ")), lines);
  for (let time = 1; time <= 2; time++) {
    talk.say("go infinite");
    check(await talk.hear("info depth 2 "), time);
    // It answers while it computes.
    const before = await talk.rest();
    check(count(before, "bestmove") === 0, before);
    talk.say("position fen nonsense", "stop", "stop");
    const answers = [...await talk.hear("bestmove "), ...await talk.rest()];
    check(count(answers, "bestmove") === 1, answers);
    check(count(answers, "info string error: position: not while searching") === 1, answers);
  }
  // The stop of one search is not that of the next.
  talk.say("go infinite", "stop", "go depth 3");
  const two = [...await talk.hear("bestmove "), ...await talk.hear("bestmove ")];
  check(two.some(line => line.startsWith("info depth 3 ")), two);
  talk.say("go ponder depth 60 movetime 1");
  await talk.hear("info depth 1 ");
  talk.say("ponderhit");
  const hit = [...await talk.hear("bestmove "), ...await talk.rest()];
  check(count(hit, "bestmove") === 1, hit);
  talk.say("perft 12");
  talk.say("stop");
  await talk.hear("info string perft stopped");
}
