// The page of an inspection. Its data are in the page itself, or come from the server of the web board, which
// inspects the position that the address names.

let inspection, appearance, pieces;
let running = null;  // the controller of a request that is under way
const glyphs = { pawn: "♟\uFE0E", knight: "♞", bishop: "♝", rook: "♜", queen: "♛", king: "♚" };
const byId = id => document.getElementById(id);

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// The rows of the board of a FEN: a character for each square, a space where it is empty.
function rows(fen) {
  return fen.split(" ")[0].split("/").map(row =>
    row.replace(/\d+/g, count => " ".repeat(Number(count))));
}

function drawing(letter, x, y) {
  const kind = pieces.get(letter.toLowerCase());
  const isWhite = letter !== letter.toLowerCase();
  const isOwned = letter.toLowerCase() !== letter.toUpperCase();
  const fill = isOwned ? (isWhite ? "#fff" : "#222") : "#b58900";
  const style = `fill="${fill}" stroke="#555" stroke-width=".04"`;
  const [cx, cy] = [x + .5, y + .5];
  if (kind === "disc") return `<circle cx="${cx}" cy="${cy}" r=".38" ${style}/>`;
  if (kind === "coin") return `<circle cx="${cx}" cy="${cy}" r=".22" ${style}/>`;
  if (kind === "tile") return `<rect x="${x + .1}" y="${y + .1}" width=".8" height=".8" ${style}/>`;
  const glyph = glyphs[kind] ?? letter.replace(/[<&]/g, "?");
  return `<text x="${cx}" y="${y + .82}" font-size=".85" text-anchor="middle" ${style}>${glyph}</text>`;
}

function board(fen) {
  const grid = rows(fen);
  const [width, height] = [grid[0].length, grid.length];
  let svg = `<svg viewBox="-.7 0 ${width + .7} ${height + .7}" role="img" aria-label="board">`;
  grid.forEach((row, y) => [...row].forEach((letter, x) => {
    const dark = (x + y) % 2 ? "#8a9a7b" : "#dfe3d0";
    svg += `<rect x="${x}" y="${y}" width="1" height="1" fill="${dark}"/>`;
    if (letter !== " ") svg += drawing(letter, x, y);
  }));
  for (let y = 0; y < height; y++)
    svg += `<text x="-.35" y="${y + .65}" font-size=".4" text-anchor="middle" fill="currentColor">${height - y}</text>`;
  for (let x = 0; x < width; x++)
    svg += `<text x="${x + .5}" y="${height + .5}" font-size=".4" text-anchor="middle" fill="currentColor">${
      String.fromCharCode(97 + x)}</text>`;
  return svg + "</svg>";
}

function show(fen, facts) {
  byId("board").innerHTML = board(fen);
  byId("fen").textContent = fen;
  byId("facts").replaceChildren(...facts);
}

const number = value => value == null ? "–" : value.toFixed(2);

function facts(decision) {
  const list = element("dl");
  const add = (name, value) => { if (value != null && value !== "") list.append(element("dt", name), element("dd", value)); };
  add("Step", decision.step);
  add("Claim", decision.claim);
  add("Value by the reference", decision.value);
  add("Missed", decision.missed);
  add("To blame", decision.blame);
  add("Cost", decision.cost == null ? null : number(decision.cost));
  add("Plies", decision.tested == null ? decision.depth : `${decision.depth}, searched ${decision.tested}`);
  add("Terms", decision.terms.filter(term => term[1]).map(term => `${term[0]} ${term[1]}`).join(", "));
  const rows = decision.moves.slice(0, 60).map(move => [move.move, move.kept == null ? "" : move.kept ? "kept" : "removed",
    move.rating ?? "", move.term ?? "", move.prior == null ? "" : move.prior.toFixed(3)]);
  return rows.length ? [list, table(["move", "", "rating", "term", "prior"], rows)] : [list];
}

function table(head, body) {
  const made = element("table");
  const row = (cells, name) => {
    const line = element("tr");
    line.append(...cells.map(cell => element(name, cell)));
    return line;
  };
  made.append(row(head, "th"), ...body.map(cells => row(cells, "td")));
  return made;
}

// The decisions of a position by their paths.
function tree(decisions) {
  const root = { children: new Map(), decisions: [] };
  for (const decision of decisions) {
    let node = root;
    for (const move of decision.path) {
      if (!node.children.has(move)) node.children.set(move, { children: new Map(), decisions: [] });
      node = node.children.get(move);
    }
    node.decisions.push(decision);
  }
  return root;
}

function branch(node) {
  const parts = node.decisions.map(decision => {
    const moves = decision.moves.filter(move => move.kept !== false).slice(0, 4).map(move => move.move).join(" ");
    const mark = { right: "✓", wrong: "✗", unknown: "?" }[decision.verdict];
    const text = `${mark} ${decision.step} ${moves} ${decision.blame ? `(${decision.blame})` : ""}`;
    const button = element("button", text, { class: `decision ${decision.verdict}`, type: "button" });
    button.addEventListener("click", () => show(decision.fen, facts(decision)));
    return button;
  });
  for (const [move, child] of node.children) {
    const details = element("details");
    details.append(element("summary", move), ...branch(child));
    parts.push(details);
  }
  return parts;
}

function fill() {
  const all = byId("all").checked;
  byId("tree").replaceChildren(...inspection.positions.map((position, index) => {
    const details = element("details");
    if (index === 0) details.open = true;
    const over = position.outcome ? `: the game is over, ${position.outcome}` : "";
    const summary = element("summary", `${position.fen} (${position.phase})${over}`);
    summary.addEventListener("click", () => show(position.fen, []));
    const searches = table(["search", "nodes", "score", "move", "loss"], position.searches.map(search =>
      [search.search, search.nodes, search.score ?? "–", search.move ?? "–", search.is_best ? "best" : number(search.loss)]));
    details.append(summary, searches, ...branch(tree(position.decisions.filter(decision =>
      all || decision.verdict === "wrong"))));
    return details;
  }));
}

const titles = { all: "By step", depth: "By depth", phase: "By phase", term: "By term" };

// The share of wrong decisions, with its error where there is one.
function share({ share, share_error: error }) {
  if (share === null) return "–";
  return `${(100 * share).toFixed(2)}${error === null ? "" : ` ± ${(100 * error).toFixed(2)}`} %`;
}

function showInspection(data) {
  ({ inspection, appearance } = data);
  pieces = new Map(appearance.pieces.map(piece => [piece.letter, piece.drawing]));
  byId("about").textContent = `${appearance.title}, ${inspection.evaluation}, depth ${inspection.depth}, reference ${
    inspection.reference}`;
  byId("tables").replaceChildren();
  for (const [group, title] of Object.entries(titles)) {
    const rows = inspection.summary.filter(row => row.group === group);
    if (!rows.length) continue;
    const details = element("details");
    if (group === "all") details.open = true;
    details.append(element("summary", title), table(
      ["step", "decisions", "checked", "wrong", "share", "a million nodes", "cost"],
      rows.map(row => [row.value ? `${row.step}: ${row.value}` : row.step, Math.round(row.decisions), row.judged, row.wrong,
        share(row), number(row.per_million), number(row.cost)])));
    byId("tables").append(details);
  }
  fill();
  if (inspection.positions.length) show(inspection.positions[0].fen, []);
}

// The answer of the server to a query: an inspection, or why there is none.
async function ask(words, signal) {
  try {
    const answer = await fetch(`inspect.json?${words}`, { signal });
    return answer.ok ? { data: await answer.json() } : { problem: await answer.text() };
  } catch {
    return { problem: signal.aborted ? "Stopped." : "The server does not answer." };
  }
}

// Puts the chosen depth and reference into the address.
function choose() {
  const words = new URLSearchParams(location.search);
  for (const id of ["depth", "reference"]) words.set(id, byId(id).value);
  history.replaceState(null, "", `?${words}`);
}

// Has the server inspect what the address names, or say what is wrong with it.
async function request() {
  running?.abort();
  const own = running = new AbortController();
  byId("stop").disabled = false;
  byId("state").textContent = "Inspecting …";
  const { data, problem } = await ask(new URLSearchParams(location.search), own.signal);
  if (own !== running) return;
  byId("stop").disabled = true;
  if (data) showInspection(data);
  const cut = "The time is over: this is what has been seen so far.";
  byId("state").textContent = problem ?? (data.inspection.complete ? "" : cut);
}

function setUpRequests() {
  const words = new URLSearchParams(location.search);
  if (words.has("depth")) byId("depth").value = words.get("depth");
  const reference = words.get("reference");
  if (reference !== null) {
    const options = [...byId("reference").options].map(option => option.value);
    if (!options.includes(reference)) byId("reference").append(element("option", reference, { value: reference }));
    byId("reference").value = reference;
  }
  byId("ask").hidden = false;
  byId("ask").addEventListener("submit", event => {
    event.preventDefault();
    choose();
    request();
  });
  byId("stop").addEventListener("click", () => running?.abort());
  request();
}

byId("all").addEventListener("change", () => inspection && fill());
if (globalThis.inspected) showInspection(globalThis.inspected);
else setUpRequests();
