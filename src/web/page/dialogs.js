// The dialogs that save and load, and what all dialogs share.

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
  $("load-file").addEventListener("change", async () => {
    const [file] = $("load-file").files;
    if (file) $("load-pgn").value = await file.text();
  });
  $("load-dialog").querySelector("form").addEventListener("submit", event => {
    event.preventDefault();
    waitFor($("load-dialog"));
    ask({ do: "load", pgn: $("load-pgn").value });
  });
}

export function openLoad() {
  $("load-pgn").value = $("load-file").value = $("load-problem").textContent = "";
  $("load-dialog").showModal();
}

let download = null;
export function openSave(fen, pgn) {
  $("save-fen").value = fen;
  $("save-pgn").value = pgn;
  if (download) URL.revokeObjectURL(download);
  download = URL.createObjectURL(new Blob([pgn], { type: "application/x-chess-pgn" }));
  $("download").href = download;
  $("save-dialog").showModal();
}
