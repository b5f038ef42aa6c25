// The entry point: connects the board and the panels to the server.

import { setUpAppearance } from "./appearance.js";
import "./board.js";
import { askSettings, forgetSettings, setUpLimits, showSettings } from "./analysis-settings.js";
import { answerText, arrowsOf, showBar, showLines, visitsOf } from "./analysis.js";
import { cancelChecks, onChecked, setUpChecks } from "./check.js";
import { Connection } from "./connection.js";
import {
  closeDialogs, forgetDialog, openRecord, requestRecord, setUpDialogs, showErrorInDialog,
} from "./dialogs.js";
import { Drawings } from "./drawings.js";
import { Editor } from "./editor.js";
import { $, make } from "./elements.js";
import { offerText, setUpEnding, showEnding } from "./ending.js";
import { onExplored, setUpExplorer, showExplorer } from "./explorer.js";
import { openFolder, setUpFolder, showFile, showFiles } from "./folder.js";
import { Graph } from "./graph.js";
import { scrollToCurrent, showHistory } from "./history.js";
import { setUpKeys } from "./keys.js";
import { Lines } from "./lines.js";
import { forgetLink, openLink, setUpLinks, showLinks, takeLink, takeSaved } from "./link.js";
import { looksOf, setLooks } from "./looks.js";
import { NewGame } from "./new-game.js";
import { playerName, setEngines, Strip } from "./players.js";
import { Premove } from "./premove.js";
import { choosePromotion } from "./promotion.js";
import { setUpRecord, showRecord } from "./record.js";
import { Review } from "./review.js";
import { openRules, setUpRules } from "./rules.js";
import { isShared, mayMove, ownSide, setRole, setUpSeats, showSeatLinks, showSeats } from "./seats.js";
import { play as playSound } from "./sounds.js";
import { netOf, showStaticEval } from "./static-eval.js";
import { keep, recall } from "./storage.js";

const board = document.querySelector("lab-board");
let games = [];
let state = null;       // the last message `game`
let search = null;      // the last message `search`
let staticEval = null;  // the last message `static-eval`
let receivedAt = 0;     // when the last message `game` arrived
let aim = null;         // the ply that was asked for and is not shown yet: keys may be faster than answers
let asked = null;       // the players that were asked for, until they or others are there
let isFlipped = false;
let reviewedGame = -1;  // the number of the game whose review was requested

takeLink();
const connection = new Connection(onMessage, (isConnected, reason) => {
  document.body.classList.toggle("offline", !isConnected);
  if (!isConnected) forgetRequests();
  if (!isConnected) toast(reason ? `Not connected: ${reason}.` : "Connection lost. Reconnecting …");
  else $("toast").hidden = true;
});

// The connection is lost: what was asked for will not be answered.
function forgetRequests() {
  aim = asked = null;
  forgetSettings();
  forgetDialog();
  forgetLink();
  review.onError();
  onExplored();
  cancelChecks();
}

function onMessage(message) {
  switch (message.is) {
    case "welcome": return welcome(message);
    case "role": return takeRole(message.role);
    case "seats": return showSeatLinks(message);
    case "game": return showGame(message);
    case "search": return onSearch(message);
    case "static-eval": return onStaticEval(message);
    case "files": return showFiles(message.files, message["left-out"]);
    case "file": return showFile(message);
    case "saved": return takeSaved(message.pgn) || openRecord(state, message.pgn);
    case "checked": return onChecked(message);
    case "explored": return onExplored(message);
    case "error": return onError(message.text);
  }
}

// Sends a request; false without a connection.
function ask(request) {
  const isSent = connection.send(request);
  if (!isSent) toast("Not connected.");
  return isSent;
}

// The page on which the position is inspected.
function inspectLink({ game, option, fen }) {
  return `inspect?${new URLSearchParams({ variant: game, ...(option ? { option } : {}), fen })}`;
}

// Sets the role; a player's own side is at the bottom of the board.
function takeRole(role) {
  if (setRole(role) && ownSide()) isFlipped = ownSide() === "black";
}

function welcome(message) {
  forgetSettings();
  takeRole(message.role);
  $("seats").hidden = !message.seats;
  $("lobby").hidden = !message.lobby;
  $("inspect").hidden = !message.inspections;
  games = message.games;
  setLooks(games);
  $("open").hidden = !message.folder;
  setEngines(message.engines);
  $("analyst").replaceChildren(...message.analysts.map(name => make("option", { value: name }, name)));
  setUpLimits(message);
  if (message.missing.length) toast(`Not available: ${message.missing.join(", ")}. See the log of the server.`);
  openLink(ask, toast);
  if (state) show();
}

function showGame(next) {
  const before = state;
  state = next;
  if (state.ply === aim || state.number !== before?.number || state.line.length !== before.line.length) aim = null;
  const isAsOld = state.number === before?.number && state.players.join() === before.players.join();
  if (!isAsOld || state.players.join() === asked?.join()) asked = null;
  // With a seat, the opponent is treated like an engine.
  if (ownSide()) state.person = ownSide();
  receivedAt = performance.now();
  closeDialogs();
  if (!ownSide() && before?.number !== state.number && before?.players.join() !== state.players.join()) {
    isFlipped = state.person === "black";
  }
  if (before && before.number !== state.number) premove.cancel();
  show();
  premove.show(state, looksOf(state.game));
  playSound(before, state);
  const isNew = ["node", "number", "analyst"].some(key => before?.[key] !== state[key]);
  if ($("static-eval").open && isNew && !isShared(state)) ask({ do: "static-eval" });
}

function show() {
  $("title").textContent = looksOf(state.game).title;
  const offer = games.find(offer => offer.game === state.game);
  const shown = { ...state, players: asked ?? state.players };
  strips.forEach((strip, index) => strip.show(shown, offer, (index === 0) === isFlipped ? 0 : 1, receivedAt));
  board.show({
    fen: state.fen,
    looks: looksOf(state.game),
    moves: state.thinking || !mayMove(state) ? [] : state.moves,
    last: state.last,
    isFlipped,
    free: premove.choices(state, looksOf(state.game), $("premoves").checked),
  });
  drawings.show(state.fen);
  showEnding(state);
  showSeats(state);
  showHistory($("history"), state, goTo);
  $("message").textContent = messageText() + offerText(state);
  $("message").classList.toggle("is-problem", !!state.problem);
  $("answer").textContent = review.isLearning ? "" : answerText(state);
  $("inspect").href = inspectLink(state);
  showRecord(state);
  showExplorer(state);
  showSteps();
  $("take-back").disabled = state.ply === 0;
  const turn = state["side-to-move"] === "black" ? 1 : 0;
  const hasEngine = state.players.some(player => player !== "person");
  $("pause").setAttribute("aria-pressed", state.paused);
  $("pause").textContent = state.paused ? "Resume" : "Pause";
  $("pause").hidden = $("one-move").hidden = !hasEngine;
  $("one-move").disabled = state.players[turn] === "person" || !!state.end || state.ply < state.line.length;
  $("hint").disabled = state.thinking || !!state.end;
  showSettings(state);
  $("threat").disabled = state.thinking || !!state.end;
  // The search of the opponent engine is hidden until the user looks back, analyses or reviews the game.
  const isOpponent = state.person && !state.paused && !state.end && state.ply === state.line.length;
  const isRequested = state.analysing || reviewedGame === state.number;
  document.body.classList.toggle("hide-engine", !!isOpponent && !isRequested);
  review.show(state);
  graph.show(state);
  showSearch();
}

function onSearch(message) {
  search = message;
  const turn = state?.["side-to-move"] === "black" ? 1 : 0;
  const by = state?.thinking ? state.players[turn] : state?.analyst;
  const eval_ = { result: search.lines[0].result, depth: search.depth, by };
  if (state?.number === search.number && !state.end) {
    // Keeps the graph up to date.
    const move = state.line.find(move => move.node === search.node);
    if (move) move.eval = eval_;
    else if (search.node === 0) state["start-eval"] = eval_;
    graph.show(state);
  }
  showSearch();
}

function onStaticEval(message) {
  staticEval = message;
  showStaticEval(message);
  showSearch();
}

function showSearch() {
  if (!state) return;
  showBar(state, search, isFlipped);
  showLines(lines, state, search, isFlipped);
  const found = $("show-arrows").checked && !review.isLearning ? arrowsOf(state, search) : [];
  const better = $("show-review").checked || review.isLearning ? review.arrows() : [];
  board.setArrows([...found, ...better]);
  const layers = [];
  if ($("show-heat").checked) layers.push(visitsOf(state, search));
  if ($("show-net").checked && $("static-eval").open) layers.push(netOf(state, staticEval));
  board.setHeatMap(layers);
}

// Goes to a node, unless the board is shared.
const goTo = node => !isShared(state) && ask({ do: "show", node });

// The status message: the last move, the side to move, the end of the game.
function messageText() {
  const { line, ply, end, problem } = state;
  if (problem) return `Problem: ${problem}.`;
  const name = index => (index ? "Black" : "White");
  const turn = state["side-to-move"] === "black" ? 1 : 0;
  const last = ply > 0 ? `${name((state["first-ply"] + ply - 1) % 2)} played ${line[ply - 1].text}. ` : "";
  if (end) return last + end.text[0].toUpperCase() + end.text.slice(1) + ".";
  if (state.thinking) return `${last}${name(turn)} is thinking.`;
  const isEngine = state.players[turn] !== "person";
  if (isEngine && state.paused) return `${last}Paused: ${playerName(state.players[turn])} is to move.`;
  if (ply < line.length) return `${last}Looking back: play another move, or go forward.`;
  return `${last}${name(turn)} to move.`;
}

// Shows an error in the dialog that sent the request, or as a toast.
function onError(text) {
  board.deselect();
  aim = asked = null;
  forgetSettings();
  review.onError();
  forgetLink();
  onExplored();
  // A choice that was refused is taken back.
  if (state) show();
  if (!showErrorInDialog(text)) toast(text);
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

const lines = new Lines($("lines"), (node, moves) => ask({ do: "play-line", node, moves }));
const premove = new Premove(board, move => ask({ do: "play", node: state.node, move }));
const drawings = new Drawings(board, () => premove.cancel());

board.addEventListener("step", event => ($("step").textContent = event.detail));
board.addEventListener("move", async event => {
  const { moves, isBlack } = event.detail;
  const node = state.node;
  const move = moves.length === 1 ? moves[0] : await choosePromotion(moves, isBlack, looksOf(state.game));
  if (move && review.isLearning) review.try(move.text);
  // The position that is the answer ends the selection.
  const isSent = move && !review.isLearning && ask({ do: "play", node, move: move.text });
  if (!isSent) board.deselect();
});

// "Why not this move": asks for the continuation after the move under the pointer or the focus.
let hoverTimer = 0;
function onHover(event) {
  clearTimeout(hoverTimer);
  if (!$("show-why").checked || !state || isShared(state)) return;
  const square = event.target.closest?.("[data-square]")?.dataset.square;
  const move = square ? board.moveTo(square) : event.target.dataset?.move;
  if (!move || state.answer?.about === move) return;
  hoverTimer = setTimeout(() => ask({ do: "ask", node: state.node, move }), 250);
}
for (const place of [board, $("history"), $("static-eval"), $("explorer-moves")]) {
  place.addEventListener("pointerover", onHover);
  place.addEventListener("focusin", onHover);
}

// The list shrinks when the lines of a search appear.
new ResizeObserver(() => scrollToCurrent($("history"))).observe($("history"));

const strips = [$("strip-top"), $("strip-bottom")].map(element => new Strip(element, (side, player) => {
  // The other player may be changed before the answer arrives.
  const players = [...(asked ?? state.players)];
  players[side] = player;
  if (ask({ do: "players", players })) asked = players;
}));
setInterval(() => strips.forEach(strip => strip.tick()), 100);

const aimedPly = () => aim ?? state.ply;

function showPly(ply) {
  if (!state || ply < 0 || ply > state.line.length || ply === aimedPly()) return;
  if (goTo(ply === 0 ? 0 : state.line[ply - 1].node)) aim = ply;
  showSteps();
}

// Enables the buttons that step through the game.
function showSteps() {
  $("first").disabled = $("back").disabled = aimedPly() === 0;
  $("last").disabled = $("forward").disabled = aimedPly() === state.line.length;
}
const graph = new Graph($("graph"), showPly);
const review = new Review(ask, () => showSearch());
const analyse = () => ask({ do: "analyse", ...askSettings() });
for (const [id, act] of Object.entries({
  first: () => showPly(0),
  back: () => showPly(aimedPly() - 1),
  forward: () => showPly(aimedPly() + 1),
  last: () => showPly(state.line.length),
  "take-back": () => ask({ do: "take-back" }),
  pause: () => ask({ do: "pause", on: !state.paused }),
  "one-move": () => ask({ do: "step" }),
  hint: () => ask({ do: "ask", node: state.node }),
  review: () => {
    reviewedGame = state.number;
    ask({ do: "review", on: !state.reviewing });
  },
  flip: () => {
    isFlipped = !isFlipped;
    show();
  },
  new: () => newGame.open(games, state),
  record: () => requestRecord(ask),
  link: () => showLinks(state, ask),
  threat: () => ask({ do: "ask", node: state.node, threat: true }),
  rules: () => openRules(games.map(({ game }) => game), state.game),
  open: () => openFolder(games),
})) {
  $(id).addEventListener("click", () => state && act());
}
setUpKeys(board, name => {
  const isOff = $(name).disabled || (state && isShared(state) && $(name).closest(".unshared"));
  if (!isOff) $(name).click();
});
for (const id of ["analyse", "line-count", "analyst", "depth", "threads", "hash"]) $(id).addEventListener("change", analyse);
$("static-eval").addEventListener("toggle", () => {
  if ($("static-eval").open) ask({ do: "static-eval" });
  else showSearch();
});

// The preferences, stored in the browser.
for (const box of document.querySelectorAll(".preferences input")) {
  const name = box.id;
  box.checked = (recall(name) ?? (box.defaultChecked ? "on" : "off")) === "on";
  const apply = () => {
    document.body.classList.toggle(name, box.checked);
    keep(name, box.checked ? "on" : "off");
    if (state) show();
  };
  box.addEventListener("change", apply);
  apply();
}

const newGame = new NewGame(ask, new Editor());
setUpAppearance();
setUpChecks(ask);
setUpEnding(ask, () => state);
setUpExplorer(ask);
setUpLinks();
setUpSeats(ask);
setUpRules();
setUpDialogs(ask);
setUpRecord(ask);
setUpFolder(ask);
