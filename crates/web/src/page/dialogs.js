// The dialog that saves and loads, and what all dialogs share.

import { Connection } from "./connection.js";
import { $ } from "./elements.js";

// The dialog whose request the server has not answered yet.
let waiting = null;

// Closes the dialog whose request has been done.
export function closeDialogs() {
  waiting?.close();
  waiting = null;
}

// Shows why a request of a dialog was refused; false if none has asked.
export function refuseInDialog(text) {
  const problem = waiting?.querySelector(".problem");
  waiting = null;
  if (problem) problem.textContent = text;
  return !!problem;
}

// Waits for the answer to the request of a dialog.
export function waitFor(dialog) {
  waiting = dialog;
}

export function setUpDialogs(ask) {
  for (const button of document.querySelectorAll("dialog .cancel")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("close", () => (waiting = waiting === dialog ? null : waiting));
  }
  $("record-file").addEventListener("change", async () => {
    const [file] = $("record-file").files;
    if (file) $("record-pgn").value = await file.text();
  });
  for (const id of ["save-annotated", "save-all"]) $(id).addEventListener("change", () => askForRecord(ask));
  $("record-dialog").querySelector("form").addEventListener("submit", event => {
    event.preventDefault();
    const request = { do: "load", pgn: $("record-pgn").value };
    const length = new Blob([JSON.stringify(request)]).size;
    if (length > Connection.longest) {
      $("record-problem").textContent = `The text is too long: ${length} bytes, at most ${Connection.longest} can be sent.`;
      return;
    }
    waitFor($("record-dialog"));
    ask(request);
  });
}

// Asks for the PGN, as the dialog says.
export function askForRecord(ask) {
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
