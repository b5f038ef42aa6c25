// Keyboard shortcuts, and the wheel to step through the game.

// The action of each key.
const KEYS = {
  ArrowLeft: "back", ArrowRight: "forward", ArrowUp: "first", ArrowDown: "last", Home: "first", End: "last",
  f: "flip", " ": "analyse", t: "threat",
};

// The minimum time between two steps of the wheel, and of a key that is held, in milliseconds: a touchpad
// sends many events, some systems repeat keys as fast, and the server ends connections with more.
const INTERVAL = 60;

// `act` is called with the name of an action. Keys handled by the board or a control are ignored.
export function setUpKeys(board, act) {
  let pressed = 0;
  document.addEventListener("keydown", event => {
    const isTaken = event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey
      || document.querySelector("dialog[open]") || event.target.closest("input, select, textarea, summary");
    // Space presses a focused button.
    const isPress = event.key === " " && event.target.closest("button, a");
    if (isTaken || isPress || !(event.key in KEYS)) return;
    event.preventDefault();
    if (event.repeat && event.timeStamp - pressed < INTERVAL) return;
    pressed = event.timeStamp;
    act(KEYS[event.key]);
  });
  let turned = 0;
  board.addEventListener("wheel", event => {
    if (event.ctrlKey || !event.deltaY) return;
    event.preventDefault();
    if (event.timeStamp - turned < INTERVAL) return;
    turned = event.timeStamp;
    act(event.deltaY < 0 ? "back" : "forward");
  }, { passive: false });
}
