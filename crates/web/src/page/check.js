// Asks the server whether a game can start from a position. Answers arrive in the order of the requests.

const pending = [];
let ask = () => {};

export function setUpChecks(send) {
  ask = send;
}

// The answer: a complete `fen`, or a `problem`; neither without a connection.
export function check(position) {
  return new Promise(done => {
    if (ask({ do: "check", ...position })) pending.push(done);
    else done({});
  });
}

// Cancels the requests of a lost connection.
export function cancelChecks() {
  for (const done of pending.splice(0)) done({});
}

export function onChecked(message) {
  pending.shift()?.(message);
}
