// The settings of an analysis: whether it runs, lines, analyst, and its limits: depth, threads, hash.

import { $, make } from "./elements.js";

const LIMITS = ["depth", "threads", "hash"];
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

// What was asked for and the session does not have yet: its messages of before do not undo it.
let asked = null;

// Shows the settings of a session.
export function showSettings(state) {
  const limits = Object.fromEntries(LIMITS.map(id => [id, state[id] ?? 0]));
  const settings = { on: state.analysing, lines: state.lines, analyst: state.analyst, ...limits };
  if (asked && Object.keys(settings).every(key => asked[key] === settings[key])) asked = null;
  if (asked) return;
  $("analyse").checked = settings.on;
  $("line-count").value = settings.lines;
  $("analyst").value = settings.analyst;
  for (const id of LIMITS) {
    const list = $(id);
    const value = String(settings[id]);
    // Another browser may have set a value that is not in the list.
    if (![...list.options].some(option => option.value === value)) list.append(make("option", { value }, value));
    list.value = value;
  }
}

// The selected settings, for a request.
export function askSettings() {
  const limits = Object.fromEntries(LIMITS.map(id => [id, Number($(id).value)]));
  asked = { on: $("analyse").checked, lines: Number($("line-count").value), analyst: $("analyst").value, ...limits };
  return asked;
}

// After a refusal or another welcome the session's settings hold.
export function forgetSettings() {
  asked = null;
}
