// Seats: links by which others play a side or watch, and what this page may do with the link that it has.

import { $ } from "./elements.js";

// What this page is in its session: its owner, a player or a spectator.
let role = "owner";

export const isOwner = () => role === "owner";
export const isSpectator = () => role === "spectator";

// The side that this page has a seat for; null if it has none.
export const ownSide = () => (role === "white" || role === "black" ? role : null);

// Whether the game is for others to change: it has seats and goes on, or this page does not own it.
export const isShared = state => !isOwner() || (!!state.seats && !state.end);

// Whether moves may be made on the board now.
export const mayMove = state => !isShared(state) || ownSide() === state["side-to-move"];

// Takes what the server says of this page.
export function setRole(next) {
  role = next;
  document.body.dataset.role = role;
}

// Shows who is there, and hides what cannot be done with this link.
export function showSeats(state) {
  const { white, black, spectators } = state.seats ?? {};
  document.body.classList.toggle("is-shared", isShared(state));
  const present = [white && "White", black && "Black"].filter(Boolean);
  if (spectators) present.push(spectators === 1 ? "1 spectator" : `${spectators} spectators`);
  $("presence").hidden = !state.seats;
  $("presence").textContent = present.length ? `Connected: ${present.join(", ")}` : "Nobody has opened a link yet";
  if (!state.seats) $("seat-links").hidden = true;
}

// Shows the links of the seats.
export function showSeatLinks(tokens) {
  for (const seat of ["white", "black", "spectators"]) {
    $(`${seat}-link`).value = `${location.href.split("#")[0]}#seat=${tokens[seat]}`;
  }
  $("seat-links").hidden = false;
}

export function setUpSeats(ask) {
  $("open-seats").addEventListener("click", () => ask({ do: "seats", on: true }));
  $("close-seats").addEventListener("click", () => ask({ do: "seats", on: false }));
}
