// Asks whether a game can begin from a position. Answers come in the order of the questions.

const waiting = [];
let ask = () => {};

export function setUpChecks(send) {
  ask = send;
}

// The answer: `fen`, complete, or `problem`.
export function check(position) {
  return new Promise(done => {
    if (ask({ do: "check", ...position })) waiting.push(done);
    else done({});
  });
}

// Gives up what was asked before a connection was lost.
export function forgetChecks() {
  for (const done of waiting.splice(0)) done({});
}

export function checked(message) {
  waiting.shift()?.(message);
}
