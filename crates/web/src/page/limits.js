// How far an analysis goes, and with how many threads and how large a table.

import { $, make } from "./elements.js";

const DEPTHS = [10, 15, 20, 25, 30, 40];
const TABLES = [16, 64, 256, 1024, 4096];

// Fills the lists with what the server has room for. 0 stands for what the analyst does by itself.
export function setUpLimits({ threads, hash }) {
  const fill = (id, none, values, text) => {
    const options = values.map(value => make("option", { value }, text(value)));
    $(id).replaceChildren(make("option", { value: 0 }, none), ...options);
  };
  fill("depth", "no limit", DEPTHS, String);
  const counts = Array.from({ length: 16 }, (_, power) => 2 ** power).filter(count => count < threads);
  fill("threads", "usual", threads > 1 ? [...counts, threads] : [], String);
  fill("hash", "usual", TABLES.filter(size => size <= hash), size => (size < 1024 ? `${size} MB` : `${size / 1024} GB`));
  $("threads").disabled = threads < 2;
}

export function showLimits(state) {
  for (const id of ["depth", "threads", "hash"]) {
    const list = $(id);
    const value = String(state[id] ?? 0);
    // Another browser may have chosen what is not in the list.
    if (![...list.options].some(option => option.value === value)) list.append(make("option", { value }, value));
    list.value = value;
  }
}

// What is chosen, for a request.
export const limits = () => Object.fromEntries(["depth", "threads", "hash"].map(id => [id, Number($(id).value)]));
