// The seat of a person who plays in the lobby: who it is, its board, and the WebSocket to its games.

import { $ } from "./elements.js";
import { confirm } from "./ending.js";
import { GameBoard } from "./lobby-board.js";
import { looksOf } from "./looks.js";
import { choosePromotion } from "./promotion.js";

// The delay before reconnecting, in milliseconds; it doubles with each failure.
const MIN_DELAY = 250, MAX_DELAY = 8000;

// The reason with which the server closes a connection whose name or token it does not take.
const REFUSED = "refused";

const own = new GameBoard(false);
let person = null;    // name and token
let socket = null;
let seat = null;      // the last message `seat`
let delay = MIN_DELAY;

// The person of the address of the page, `#name=…&token=…`: the link by which to come back.
function personOfLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  const [name, token] = [link.get("name"), link.get("token")];
  return name && token ? { name, token } : null;
}

// A random token, also where the page is not trusted (by plain HTTP from another machine).
function newToken() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, "0")).join("");
}

function join(who) {
  person = who;
  $("own-problem").textContent = "";
  connect();
}

function connect() {
  const address = new URL("seat", location.href);
  address.protocol = "ws:";
  address.hash = "";
  socket = new WebSocket(address);
  socket.addEventListener("open", () => ask(person));
  socket.addEventListener("message", event => {
    const message = JSON.parse(event.data);
    if (message.is === "seat") return show(message);
    $("own-problem").textContent = message.text;
    own.board.deselect();
  });
  socket.addEventListener("close", ({ reason }) => {
    // A move may be lost.
    own.board.deselect();
    if (reason === REFUSED) return leave();
    if (seat) $("own-problem").textContent = "Connection lost. Your seat is kept. Reconnecting …";
    setTimeout(connect, delay);
    delay = Math.min(2 * delay, MAX_DELAY);
  });
}

// Sends a request; false without a connection.
function ask(request) {
  if (socket.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(request));
  return true;
}

// The seat was refused.
function leave() {
  person = seat = null;
  $("join").hidden = false;
  $("own").hidden = true;
}

function show(next) {
  const before = seat;
  seat = next;
  delay = MIN_DELAY;
  history.replaceState(null, "", "#" + new URLSearchParams(person));
  $("own-link").value = location.href;
  $("own-problem").textContent = "";
  $("join").hidden = true;
  $("own").hidden = false;
  const { game, variant } = seat;
  own.element.hidden = !game && !before?.game && own.element.hidden;
  if (game) own.show(variant, game, game.moves, game.side);
  else if (before?.game) {
    own.show(variant, before.game, [], before.game.side);
    own.stop();
  }
  const isTurn = !!game && game.turn === game.side;
  document.title = `${isTurn ? "Your move – " : ""}Lobby – Labrys`;
  $("own-message").textContent = messageText(isTurn);
  $("own-resign").hidden = !game;
  $("own-draw").hidden = !game?.["can-draw"];
  const isOffered = isTurn && !!game.offer && game.offer !== game.side;
  $("own-draw").textContent = isOffered ? "Accept the draw" : "Offer a draw";
  $("own-draw").disabled = !!game && game.offer === game.side;
  $("own-away").textContent = seat["is-away"] ? "Play on" : "Take a break";
}

function messageText(isTurn) {
  const { game, last, name } = seat;
  if (game) {
    const offer = game.offer && game.offer !== game.side ? " Your opponent offers a draw." : "";
    return (isTurn ? `${name}, it is your move.` : "Your opponent is to move.") + offer;
  }
  const end = last ? `${last}. ` : "";
  return end + (seat["is-away"] ? "You take a break." : "You are called when it is your turn to play.");
}

export function setUpSeat() {
  own.element.hidden = true;
  $("own-board").append(own.element);
  setInterval(() => own.tick(), 100);
  own.board.addEventListener("move", async event => {
    const { moves, isBlack } = event.detail;
    const { game, variant } = seat;
    const move = moves.length === 1 ? moves[0] : await choosePromotion(moves, isBlack, looksOf(variant));
    const isSent = move && game && ask({ do: "play", id: game.id, plies: game.plies, move: move.text });
    if (!isSent) own.board.deselect();
  });
  $("join").addEventListener("submit", event => {
    event.preventDefault();
    join({ name: $("join-name").value, token: newToken() });
  });
  $("own-resign").addEventListener("click", () => {
    const { id } = seat.game;
    confirm("Resign?", () => ask({ do: "resign", id }));
  });
  $("own-draw").addEventListener("click", () => ask({ do: "draw", id: seat.game.id }));
  $("own-away").addEventListener("click", () => ask({ do: "away", on: !seat["is-away"] }));
  const known = personOfLink();
  if (known) join(known);
}
