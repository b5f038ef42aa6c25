// The appearance of the board and the pieces, stored in the browser.

import { $ } from "./elements.js";
import { keep, recall } from "./storage.js";

export function setUpAppearance() {
  for (const id of ["board-look", "piece-look"]) {
    const list = $(id);
    const apply = () => (document.body.dataset[id === "board-look" ? "board" : "pieces"] = list.value);
    const kept = recall(id);
    if ([...list.options].some(option => option.value === kept)) list.value = kept;
    list.addEventListener("change", () => {
      keep(id, list.value);
      apply();
    });
    apply();
  }
}
