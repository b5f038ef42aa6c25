// Links that hold a position or a whole game, in the address behind `#`: no server has to know them. The game
// is its PGN text, compressed. A name of a session has no `=` and is something else.

import { $ } from "./elements.js";

// The most bytes of a game.
const LONGEST = 60_000;

// The link that the page was opened with, and what it asks for.
let opened = null;

// Takes the link out of the address, before it is read as the name of a session.
export function takeLink() {
  if (!location.hash.includes("=")) return;
  opened = location.hash.slice(1);
  history.replaceState(null, "", location.pathname + location.search);
}

// Loads the link that the page was opened with, once.
export async function openLink(ask, refuse) {
  if (opened === null) return;
  const link = new URLSearchParams(opened);
  opened = null;
  try {
    if (link.has("pgn")) return ask({ do: "load", pgn: await unpack(link.get("pgn")) });
    const [game, option, fen] = ["game", "option", "fen"].map(key => link.get(key));
    if (!game) throw new Error();
    const position = { ...(option ? { option } : {}), ...(fen ? { fen: fen.replaceAll("_", " ") } : {}) };
    ask({ do: "new", game, ...position, players: ["person", "person"] });
  } catch {
    refuse("The link in the address cannot be read.");
  }
}

// Another link in the address of an open page.
window.addEventListener("hashchange", () => location.hash.includes("=") && location.reload());

const base = () => location.href.split("#")[0];

// The link to a position.
function positionLink({ game, option, fen }) {
  const words = { game, ...(option ? { option } : {}), fen: fen.replaceAll(" ", "_") };
  return `${base()}#${Object.entries(words).map(([key, value]) => `${key}=${encodeURI(value)}`).join("&")}`;
}

// The link to a game.
async function gameLink(pgn) {
  return `${base()}#pgn=${await pack(pgn)}`;
}

async function through(stream, bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    length += part.value.length;
    if (length > LONGEST) throw new Error("it is too long");
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// A text in letters of an address, and back.
async function pack(text) {
  // Tags that say nothing are left out.
  const brief = text.replace(/^\[\w+ "(\?|-|[?.]*|Casual game|Labrys)"\]\n/gm, "");
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(brief));
  const letters = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(letters) {
  const text = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(text, letter => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
}

let isAwaited = false;

// Shows the links to the position on the board and to the game, whose text comes with the answer.
export function showLinks(state, ask) {
  $("position-link").value = positionLink(state);
  $("game-link").value = "";
  $("link-state").textContent = "";
  $("link-dialog").showModal();
  isAwaited = true;
  ask({ do: "save" });
}

// Takes the text of the game, if a link was asked for.
export function takeSaved(pgn) {
  if (!isAwaited) return false;
  isAwaited = false;
  gameLink(pgn).then(link => ($("game-link").value = link), () => ($("game-link").value = "The game is too long."));
  return true;
}

// The buttons that copy.
export function setUpLinks() {
  for (const button of document.querySelectorAll("#link-dialog [data-copies]")) {
    button.addEventListener("click", async () => {
      const field = $(button.dataset.copies);
      field.select();
      // Without a secure connection a browser has no clipboard, but the old way.
      const copied = await (navigator.clipboard?.writeText(field.value).then(() => true, () => false)
        ?? document.execCommand("copy"));
      $("link-state").textContent = copied ? "Copied." : "Copy the marked text.";
    });
  }
}
