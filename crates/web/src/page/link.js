// Links that contain a position, or a game as compressed PGN, in the fragment of the address, so that no
// server needs to store them. Names of sessions, also in the fragment, contain no `=`.

import { $ } from "./elements.js";
import { isSeat } from "./seats.js";

// The maximum size of a game in bytes.
const MAX_BYTES = 60_000;

// The link with which the page was opened.
let opened = null;

// Whether the fragment is a link to a game or a position, not a seat.
const hasLink = () => location.hash.includes("=") && !isSeat(location.hash);

// Removes the link from the address, before it is taken for the name of a session.
export function takeLink() {
  if (!hasLink()) return;
  opened = location.hash.slice(1);
  history.replaceState(null, "", location.pathname + location.search);
}

// Loads the link with which the page was opened, once.
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

// A link entered into the address of an open page.
window.addEventListener("hashchange", () => location.hash.includes("=") && location.reload());

const base = () => location.href.split("#")[0];

function positionLink({ game, option, fen }) {
  const words = { game, ...(option ? { option } : {}), fen: fen.replaceAll(" ", "_") };
  return `${base()}#${Object.entries(words).map(([key, value]) => `${key}=${encodeURI(value)}`).join("&")}`;
}

async function gameLink(pgn) {
  return `${base()}#pgn=${await pack(pgn)}`;
}

// Passes bytes through a compression stream, up to the maximum size.
async function pipe(stream, bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    length += part.value.length;
    if (length > MAX_BYTES) throw new Error("it is too long");
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// Compresses a text to base64url, and back.
async function pack(text) {
  // Omits tags without information.
  const brief = new TextEncoder().encode(text.replace(/^\[\w+ "(\?|-|[?.]*|Casual game|Labrys)"\]\n/gm, ""));
  // `unpack` would refuse it.
  if (brief.length > MAX_BYTES) throw new Error("it is too long");
  const bytes = await pipe(new CompressionStream("deflate-raw"), brief);
  const letters = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(letters) {
  const text = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(text, letter => letter.charCodeAt(0));
  return new TextDecoder().decode(await pipe(new DecompressionStream("deflate-raw"), bytes));
}

let isLinkPending = false;

// Shows the links to the position and to the game, whose PGN it requests.
export function showLinks(state, ask) {
  if (state.seats && !$("seats").hidden) ask({ do: "seats", on: true });
  $("position-link").value = positionLink(state);
  $("game-link").value = "";
  $("link-state").textContent = "";
  $("link-dialog").showModal();
  isLinkPending = ask({ do: "save" });
}

// Forgets the request: it was refused, or the connection is lost.
export function forgetLink() {
  isLinkPending = false;
}

// Takes the PGN, if it was requested for a link.
export function takeSaved(pgn) {
  if (!isLinkPending) return false;
  isLinkPending = false;
  gameLink(pgn).then(link => ($("game-link").value = link), () => ($("game-link").value = "The game is too long."));
  return true;
}

export function setUpLinks() {
  for (const button of document.querySelectorAll("#link-dialog [data-copies]")) {
    button.addEventListener("click", async () => {
      const field = $(button.dataset.copies);
      field.select();
      // The clipboard API needs a secure context.
      const copied = await (navigator.clipboard?.writeText(field.value).then(() => true, () => false)
        ?? document.execCommand("copy"));
      $("link-state").textContent = copied ? "Copied." : "Copy the selected text.";
    });
  }
}
