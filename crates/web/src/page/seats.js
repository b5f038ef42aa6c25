// Seats: links for playing a side or watching, and the permissions of this page.

import { $ } from "./elements.js";

// What the fragment of a seat's link starts with, before the token.
const SEAT = "#seat=";

// Whether a fragment is the link of a seat.
export const isSeat = hash => hash.startsWith(SEAT);

// The role of this page: owner, white, black or spectator.
let role = "owner";

export const isOwner = () => role === "owner";
export const isSpectator = () => role === "spectator";

// The side that this page plays with a seat, or null.
export const ownSide = () => (role === "white" || role === "black" ? role : null);

// Whether the controls are restricted: during a game with seats, and always if this page is not the owner.
export const isShared = state => !isOwner() || (!!state.seats && !state.end);

// Whether this page may move now.
export const mayMove = state => !isShared(state) || ownSide() === state["side-to-move"];

// Stores the role of this page. Returns whether it has changed.
export function setRole(next) {
  const hasChanged = role !== next;
  role = document.body.dataset.role = next;
  return hasChanged;
}

// Shows who is connected, and hides controls that this page may not use.
export function showSeats(state) {
  const { white, black, spectators } = state.seats ?? {};
  document.body.classList.toggle("is-shared", isShared(state));
  const present = [white && "White", black && "Black"].filter(Boolean);
  if (spectators) present.push(spectators === 1 ? "1 spectator" : `${spectators} spectators`);
  $("presence").hidden = !state.seats;
  $("presence").textContent = present.length ? `Connected: ${present.join(", ")}` : "No one has joined yet";
  if (!state.seats) $("seat-links").hidden = true;
}

export function showSeatLinks(tokens) {
  for (const seat of ["white", "black", "spectators"]) {
    $(`${seat}-link`).value = `${location.href.split("#")[0]}${SEAT}${tokens[seat]}`;
  }
  $("seat-links").hidden = false;
}

export function setUpSeats(ask) {
  $("open-seats").addEventListener("click", () => ask({ do: "seats", on: true }));
  $("close-seats").addEventListener("click", () => ask({ do: "seats", on: false }));
}
