// The dialog to save and load, and code shared by all dialogs.

import { Connection } from "./connection.js";
import { $ } from "./elements.js";
import { readText } from "./text-file.js";

// The dialog whose request has not been answered yet.
let pending = null;

// Whether the answer is a change of the game.
let changesGame = true;

// Closes the dialog whose request to change the game has succeeded.
export function closeDialogs() {
  if (!changesGame) return;
  pending?.close();
  pending = null;
}

// Shows an error in the dialog that sent the request; false if there is none.
export function showErrorInDialog(text) {
  const problem = pending?.querySelector(".problem");
  pending = null;
  if (problem) problem.textContent = text;
  return !!problem;
}

// Marks a dialog as pending for an answer: a change of the game, which closes it, or another one.
export function waitFor(dialog, isForGame = true) {
  pending = dialog;
  changesGame = isForGame;
}

// Forgets the request of a dialog: the connection is lost.
export function forgetDialog() {
  pending = null;
}

export function setUpDialogs(ask) {
  for (const button of document.querySelectorAll("dialog .cancel")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("close", () => (pending = pending === dialog ? null : pending));
  }
  $("record-file").addEventListener("change", async () => {
    const [file] = $("record-file").files;
    if (!file) return;
    const { text, problem } = await readText(file).then(text => ({ text }), problem => ({ problem }));
    // Meanwhile another file was chosen, or the dialog opened again.
    if ($("record-file").files[0] !== file) return;
    $("record-problem").textContent = problem?.message ?? "";
    if (!problem) $("record-pgn").value = text;
  });
  for (const id of ["save-annotated", "save-all"]) $(id).addEventListener("change", () => requestRecord(ask));
  $("record-dialog").querySelector("form").addEventListener("submit", event => {
    event.preventDefault();
    const request = { do: "load", pgn: $("record-pgn").value };
    const length = new Blob([JSON.stringify(request)]).size;
    if (length > Connection.maxBytes) {
      $("record-problem").textContent = `The text is too long: ${length} bytes; the maximum is ${Connection.maxBytes}.`;
      return;
    }
    if (ask(request)) waitFor($("record-dialog"));
  });
}

// Requests the PGN with the settings of the dialog.
export function requestRecord(ask) {
  ask({ do: "save", annotated: $("save-annotated").checked, all: $("save-all").checked });
}

let download = null;
export function openRecord({ fen, review, games }, pgn) {
  $("record-fen").value = fen;
  $("save-annotated-label").hidden = !review;
  $("save-all-label").hidden = !games;
  $("record-pgn").value = pgn;
  $("record-file").value = $("record-problem").textContent = "";
  if (download) URL.revokeObjectURL(download);
  download = URL.createObjectURL(new Blob([pgn], { type: "application/x-chess-pgn" }));
  $("download").href = download;
  if (!$("record-dialog").open) $("record-dialog").showModal();
}
