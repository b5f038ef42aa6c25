// The record of the game: tags, the games of a loaded text, comments and glyphs.

import { waitFor } from "./dialogs.js";
import { $, make } from "./elements.js";
import { GLYPHS, MARKS } from "./glyphs.js";
import { treeOf } from "./history.js";

// The tags that are always in the dialog, in this order.
const TAGS = ["White", "Black", "WhiteElo", "BlackElo", "Event", "Site", "Date", "Round"];

// Labels of tags.
const LABELS = { WhiteElo: "White's rating", BlackElo: "Black's rating" };

// Event and site of games played here, which are not shown.
const DEFAULTS = ["Casual game", "Labrys"];

// The delay in milliseconds after the last key before a comment is sent.
const SEND_DELAY = 700;

let ask = () => {};
let state = null;
let move = { node: 0, children: [] };   // the last move

const tagOf = name => state.record.tags.find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1] ?? "";
const isKnown = value => value && !/^[?.-]+$/.test(value);

export function setUpRecord(request) {
  ask = request;
  $("games-list").addEventListener("change", () => ask({ do: "choose", game: Number($("games-list").value) }));
  $("edit-record").addEventListener("click", openTags);
  $("tags-dialog").querySelector("form").addEventListener("submit", event => {
    event.preventDefault();
    const tags = {};
    for (const field of $("tags").querySelectorAll("[data-tag]")) {
      if (field.value !== field.dataset.before) tags[field.dataset.tag] = field.value;
    }
    if (ask({ do: "record", tags })) waitFor($("tags-dialog"));
  });
  $("glyphs").append(...MARKS.map(number => {
    const [text, words] = GLYPHS.get(number);
    const button = make("button", { type: "button", title: words }, text);
    button.dataset.glyph = number;
    button.setAttribute("aria-label", words);
    button.addEventListener("click", () => setGlyph(number));
    return button;
  }));
  const others = [...GLYPHS].filter(([number]) => !MARKS.includes(number));
  const select = make("select", { id: "glyph-more" });
  select.setAttribute("aria-label", "Other glyphs");
  select.append(make("option", { value: "" }, "more …"));
  select.append(...others.map(([number, [text, words]]) => make("option", { value: number }, `${text} ${words}`)));
  select.addEventListener("change", () => select.value && setGlyph(Number(select.value)));
  $("glyphs").append(select);
  $("comment").addEventListener("change", sendComment);
  $("comment").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(sendComment, SEND_DELAY);
  });
  $("promote").addEventListener("click", () => ask({ do: "promote", node: move.node }));
  $("promote-main").addEventListener("click", () => ask({ do: "promote", node: move.node, main: true }));
  $("delete").addEventListener("click", () => ask({ do: "delete", node: move.node }));
}

let timer = 0;   // sends the comment

// Sends the comment, if it has changed; false without a connection. It belongs to the move that was current
// when typing started.
function sendComment() {
  clearTimeout(timer);
  const { value: comment, dataset } = $("comment");
  if (comment === dataset.sent) return true;
  const isSent = ask({ do: "annotate", node: Number(dataset.node), comment });
  if (isSent) dataset.sent = comment;
  return isSent;
}

// Toggles a glyph of the move.
function setGlyph(number) {
  const own = move.glyphs ?? [];
  const isMark = MARKS.includes(number);
  const others = own.filter(other => other !== number && !(isMark && MARKS.includes(other)));
  ask({ do: "annotate", node: move.node, glyphs: own.includes(number) ? others : [...others, number] });
}

export function showRecord(next) {
  const isSameGame = state?.number === next.number;
  const isOther = !isSameGame || state.node !== next.node;
  state = next;
  const tree = treeOf(state);
  move = tree.get(state.node);
  const { record, games } = state;
  const about = ["Event", "Site", "Date"].map(tagOf).filter(value => isKnown(value) && !DEFAULTS.includes(value)).join(", ");
  $("record-about").textContent = [about, record.result === "*" ? "" : record.result].filter(Boolean).join(" · ");
  const { opening } = state;
  $("opening").textContent = $("opening").title = opening ? `${opening.code} ${opening.name}` : "";
  $("games-label").hidden = !games;
  if (games) showGames(games);
  const field = $("comment");
  // What was typed is not lost, unless the game is another one.
  if ((isOther || document.activeElement !== field) && (!isSameGame || sendComment())) {
    field.value = move.comment ?? "";
    field.dataset.sent = field.value;
    field.dataset.node = state.node;
  }
  const own = move.glyphs ?? [];
  for (const button of $("glyphs").querySelectorAll("button")) {
    button.disabled = state.node === 0;
    button.setAttribute("aria-pressed", own.includes(Number(button.dataset.glyph)));
  }
  const more = $("glyph-more");
  more.disabled = state.node === 0;
  more.value = "";
  const set = own.filter(number => !MARKS.includes(number)).map(number => GLYPHS.get(number)?.[0] ?? `$${number}`);
  more.options[0].textContent = set.length ? set.join(" ") : "more …";
  // The nesting of the current variation.
  let depth = 0;
  for (let node = move; node.node !== 0; node = tree.get(node.parent)) {
    if (tree.get(node.parent).children[0] !== node.node) depth++;
  }
  $("promote").disabled = $("promote-main").disabled = depth === 0;
  $("delete").disabled = state.node === 0;
}

function showGames({ chosen, list }) {
  const select = $("games-list");
  const text = ({ players, result, date }, index) =>
    `${index + 1}. ${players.join(" – ")}, ${result}${isKnown(date) ? `, ${date.split(".")[0]}` : ""}`;
  const texts = list.map(text);
  if (select.dataset.games !== texts.join("\n")) {
    select.dataset.games = texts.join("\n");
    select.replaceChildren(...texts.map((text, value) => make("option", { value }, text)));
  }
  select.value = chosen;
}

function openTags() {
  const names = [...TAGS, ...state.record.tags.map(([name]) => name).filter(name => !TAGS.includes(name))];
  const field = (name, input, value) => {
    input.value = input.dataset.before = value;
    input.dataset.tag = name;
    return make("label", {}, LABELS[name] ?? name, input);
  };
  const text = name => make("input", { autocomplete: "off", maxLength: 255, placeholder: name === "Date" ? "YYYY.MM.DD" : "" });
  const value = name => {
    const known = name === "White" || name === "Black" ? state.record.names[name === "White" ? 0 : 1] : tagOf(name);
    return isKnown(known) ? known : "";
  };
  const results = make("select");
  results.append(...["*", "1-0", "0-1", "1/2-1/2"].map(value => make("option", { value }, value === "*" ? "* (not finished)" : value)));
  $("tags").replaceChildren(...names.map(name => field(name, text(name), value(name))), field("Result", results, state.record.result));
  $("tags-problem").textContent = "";
  $("tags-dialog").showModal();
}
