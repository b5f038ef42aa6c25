// Keys and the wheel: they look back at the game, as on other boards.

// What a key asks for.
const KEYS = {
  ArrowLeft: "back", ArrowRight: "forward", ArrowUp: "first", ArrowDown: "last", Home: "first", End: "last",
  f: "flip", " ": "analyse", t: "threat",
};

// The least milliseconds between two moves of the wheel: a touchpad sends many events.
const WHEEL_INTERVAL = 60;

// Has `act` called with the name of what is asked for. What the board or a control does with a key comes
// first.
export function setUpKeys(board, act) {
  document.addEventListener("keydown", event => {
    const isTaken = event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey
      || document.querySelector("dialog[open]") || event.target.closest("input, select, textarea, summary");
    // A space presses the button that has the focus.
    const isPress = event.key === " " && event.target.closest("button, a");
    if (isTaken || isPress || !(event.key in KEYS)) return;
    event.preventDefault();
    act(KEYS[event.key]);
  });
  let turned = 0;
  board.addEventListener("wheel", event => {
    if (event.ctrlKey || !event.deltaY) return;
    event.preventDefault();
    if (event.timeStamp - turned < WHEEL_INTERVAL) return;
    turned = event.timeStamp;
    act(event.deltaY < 0 ? "back" : "forward");
  }, { passive: false });
}
