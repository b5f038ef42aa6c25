// The limits of an analysis: depth, threads, hash.

import { $, make } from "./elements.js";

const DEPTHS = [10, 15, 20, 25, 30, 40];
const HASH_SIZES = [16, 64, 256, 1024, 4096];

// Fills the lists up to the limits of the server. 0 stands for the default of the analyst.
export function setUpLimits({ threads, hash }) {
  const fill = (id, none, values, text) => {
    const options = values.map(value => make("option", { value }, text(value)));
    $(id).replaceChildren(make("option", { value: 0 }, none), ...options);
  };
  fill("depth", "no limit", DEPTHS, String);
  const counts = Array.from({ length: 16 }, (_, power) => 2 ** power).filter(count => count < threads);
  fill("threads", "default", threads > 1 ? [...counts, threads] : [], String);
  fill("hash", "default", HASH_SIZES.filter(size => size <= hash), size => (size < 1024 ? `${size} MB` : `${size / 1024} GB`));
  $("threads").disabled = threads < 2;
}

export function showLimits(state) {
  for (const id of ["depth", "threads", "hash"]) {
    const list = $(id);
    const value = String(state[id] ?? 0);
    // Another browser may have set a value that is not in the list.
    if (![...list.options].some(option => option.value === value)) list.append(make("option", { value }, value));
    list.value = value;
  }
}

// The selected limits, for a request.
export const limits = () => Object.fromEntries(["depth", "threads", "hash"].map(id => [id, Number($(id).value)]));
