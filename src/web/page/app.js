// The page: joins the board and the panels to the server.

import "./board.js";
import { Connection } from "./connection.js";
import { drawing, looksOf, pieceName } from "./looks.js";
import { $, countText, NewGame, playerName, scoreText, showHistory, Strip } from "./panels.js";

const board = document.querySelector("lab-board");
let games = [];
let state = null;       // the last message `game`
let search = null;      // the last message `search`
let isFlipped = false;
let isWaiting = false;  // for the answer to a dialog

const connection = new Connection(hear, isConnected => {
  document.body.classList.toggle("offline", !isConnected);
  if (!isConnected) toast("The connection is lost. Trying again …");
  else $("toast").hidden = true;
});

function hear(message) {
  switch (message.is) {
    case "welcome": games = message.games; break;
    case "game": showGame(message); break;
    case "search": search = message; showSearch(); break;
    case "saved": openSave(message.pgn); break;
    case "error": refused(message.text); break;
  }
}

function ask(request) {
  if (!connection.send(request)) toast("There is no connection.");
}

// Shows the game as it stands.
function showGame(next) {
  const isOther = state?.number !== next.number;
  const before = state;
  state = next;
  if (isWaiting) closeDialogs();
  if (isOther && before?.players.join() !== state.players.join()) {
    isFlipped = state.players[1] === "person" && state.players[0] !== "person";
  }
  $("title").textContent = looksOf(state.game).title;
  const offer = games.find(offer => offer.game === state.game);
  strips.forEach((strip, index) => strip.show(state, offer.levels, (index === 0) === isFlipped ? 0 : 1));
  showBoard();
  showHistory($("history"), state, node => ask({ do: "show", node }));
  $("message").textContent = messageText();
  $("first").disabled = $("back").disabled = state.ply === 0;
  $("last").disabled = $("forward").disabled = state.ply === state.line.length;
  $("take-back").disabled = state.ply === 0;
  $("pause").setAttribute("aria-pressed", state.paused);
  $("pause").textContent = state.paused ? "Go on" : "Pause";
  $("pause").hidden = state.players.every(player => player === "person");
  $("analyse").checked = state.analysing;
  showSearch();
}

function showBoard() {
  board.show({
    fen: state.fen,
    looks: looksOf(state.game),
    moves: state.thinking ? [] : state.moves,
    last: state.last,
    isFlipped,
  });
}

// Whose turn it is, the last move, why the game has ended.
function messageText() {
  const { line, ply, end } = state;
  const name = index => (index ? "Black" : "White");
  const turn = state["side-to-move"] === "black" ? 1 : 0;
  const last = ply > 0 ? `${name((state["first-ply"] + ply - 1) % 2)} played ${line[ply - 1].text}. ` : "";
  if (end) return last + end.text[0].toUpperCase() + end.text.slice(1) + ".";
  if (state.thinking) return `${last}${name(turn)} is thinking.`;
  const isEngine = state.players[turn] !== "person";
  if (isEngine && state.paused) return `${last}Paused: ${playerName(state.players[turn])} is to move.`;
  if (ply < line.length) return `${last}Looking back: play another move here, or go on.`;
  return `${last}${name(turn)} to move.`;
}

// Shows the last search, if it was of the position on the board or of the one before.
function showSearch() {
  const isShown = $("show-search").checked;
  const index = state ? state.line.findIndex(move => move.node === search?.node) + 1 : -1;
  const isOfGame = search && search.number === state?.number;
  const isBefore = (index > 0 || search?.node === 0) && index === state?.ply - 1;
  const isOfLine = isOfGame && (search.node === state.node || isBefore);
  $("bar").hidden = !isShown;
  $("search").hidden = !isShown;
  $("bar").classList.toggle("flipped", isFlipped);
  if (!isOfLine || state.end) {
    const { winner } = state?.end ?? {};
    if (state?.end) $("bar-white").style.height = { white: "100%", black: "0%" }[winner] ?? "50%";
    else if (state?.ply === 0 || !isOfGame) $("bar-white").style.height = "50%";
    $("search").textContent = "";
    $("bar").setAttribute("aria-label", state?.end ? state.end.text : "No evaluation");
    return;
  }
  const share = 100 * search.result;
  $("bar-white").style.height = `${share}%`;
  const score = scoreText(search.score);
  $("bar").setAttribute("aria-label", `Evaluation ${score}, White is expected to score ${share.toFixed(0)} %`);
  const speed = search.seconds > 0.05 ? `, ${countText(Math.round(search.nodes / search.seconds))}/s` : "";
  const details = `depth ${search.depth}, ${countText(search.nodes)} nodes${speed}`;
  const b = document.createElement("b");
  b.textContent = score;
  const small = document.createElement("small");
  small.textContent = details;
  $("search").replaceChildren(b, " ", search.line.slice(0, 12).join(" "), small);
}

// A problem with a request: in the dialog that has asked, or on the board.
function refused(text) {
  board.letGo();
  const open = document.querySelector("dialog[open] .problem");
  if (isWaiting && open) open.textContent = text;
  else toast(text);
  isWaiting = false;
}

let toastTimer = 0;
function toast(text) {
  $("toast").textContent = text;
  $("toast").hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    if (!document.body.classList.contains("offline")) $("toast").hidden = true;
  }, 5000);
}

function closeDialogs() {
  isWaiting = false;
  for (const dialog of [$("new-dialog"), $("load-dialog")]) dialog.close();
}

// The moves.
board.addEventListener("step", event => ($("step").textContent = event.detail));
board.addEventListener("move", async event => {
  const { moves, isBlack } = event.detail;
  const node = state.node;
  const move = moves.length === 1 ? moves[0] : await choosePromotion(moves, isBlack);
  if (move) ask({ do: "play", node, move: move.text });
  else board.letGo();
});

function choosePromotion(moves, isBlack) {
  const dialog = $("choice-dialog");
  const looks = looksOf(state.game);
  // The most valuable piece first.
  const letters = Object.keys(looks.pieces).reverse();
  const sorted = moves.toSorted((a, b) => letters.indexOf(a.suffix) - letters.indexOf(b.suffix));
  return new Promise(done => {
    let chosen = null;
    $("choices").replaceChildren(...sorted.map(move => {
      const letter = isBlack ? move.suffix.toLowerCase() : move.suffix.toUpperCase();
      const button = document.createElement("button");
      button.type = "submit";
      button.className = "choice";
      button.setAttribute("aria-label", letter ? pieceName(looks, letter) : move.text);
      button.append(letter ? drawing(looks, letter) : move.text);
      button.addEventListener("click", () => (chosen = move));
      return button;
    }));
    dialog.addEventListener("close", () => done(chosen), { once: true });
    dialog.showModal();
  });
}

// The players.
const strips = [$("strip-top"), $("strip-bottom")].map(element => new Strip(element, (side, player) => {
  const players = [...state.players];
  players[side] = player;
  ask({ do: "players", players });
}));

// The buttons.
function showPly(ply) {
  if (!state || ply < 0 || ply > state.line.length || ply === state.ply) return;
  ask({ do: "show", node: ply === 0 ? 0 : state.line[ply - 1].node });
}
$("first").addEventListener("click", () => showPly(0));
$("back").addEventListener("click", () => showPly(state.ply - 1));
$("forward").addEventListener("click", () => showPly(state.ply + 1));
$("last").addEventListener("click", () => showPly(state.line.length));
$("take-back").addEventListener("click", () => ask({ do: "take-back" }));
$("pause").addEventListener("click", () => ask({ do: "pause", on: !state.paused }));
$("analyse").addEventListener("change", () => ask({ do: "analyse", on: $("analyse").checked }));
$("flip").addEventListener("click", () => {
  isFlipped = !isFlipped;
  if (state) showGame(state);
});

// The aids, which a browser remembers.
for (const aid of ["show-targets", "show-last", "show-coordinates", "show-search"]) {
  const box = $(aid);
  box.checked = localStorage.getItem(aid) !== "off";
  const apply = () => {
    document.body.classList.toggle(aid, box.checked);
    localStorage.setItem(aid, box.checked ? "on" : "off");
    showSearch();
  };
  box.addEventListener("change", apply);
  apply();
}

// The dialogs.
const newGame = new NewGame(request => {
  isWaiting = true;
  ask(request);
});
$("new").addEventListener("click", () => state && newGame.open(games, state));
$("save").addEventListener("click", () => ask({ do: "save" }));
$("load").addEventListener("click", () => {
  $("load-pgn").value = $("load-problem").textContent = $("load-file").value = "";
  $("load-dialog").showModal();
});
$("load-file").addEventListener("change", async () => {
  const [file] = $("load-file").files;
  if (file) $("load-pgn").value = await file.text();
});
$("load-dialog").querySelector("form").addEventListener("submit", event => {
  event.preventDefault();
  isWaiting = true;
  ask({ do: "load", pgn: $("load-pgn").value });
});
for (const button of document.querySelectorAll("dialog .cancel")) {
  button.addEventListener("click", () => {
    isWaiting = false;
    button.closest("dialog").close();
  });
}

let download = null;
function openSave(pgn) {
  $("save-fen").value = state.fen;
  $("save-pgn").value = pgn;
  if (download) URL.revokeObjectURL(download);
  download = URL.createObjectURL(new Blob([pgn], { type: "application/x-chess-pgn" }));
  $("download").href = download;
  $("save-dialog").showModal();
}
