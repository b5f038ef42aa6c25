// The review of a game: accuracy, better moves, and learning from mistakes.

import { $, make } from "./elements.js";
import { markClass } from "./graph.js";
import { numberText } from "./lines.js";

const NAMES = ["White", "Black"];
const MARKS = ["?!", "?", "??"];

// The side of a move of the line, by its index.
const sideOf = (state, index) => (state["first-ply"] + index) % 2;

// Formats a move with its number, as in `12… Nf6`.
function numbered(state, index, text) {
  return `${numberText(state["first-ply"] + index)} ${text}`;
}

// The indices of a player's marked moves in the line.
function mistakesOf(state, side) {
  return state.line.flatMap((move, index) => (sideOf(state, index) === side && move.review?.better ? [index] : []));
}

export class Review {
  #state = null;
  #side = null;       // the side that learns from its mistakes; null if none
  #index = 0;         // the index of the mistake in the line
  #phase = "find";    // or `wait`, `wrong`, `right`, `shown`
  #tried = null;
  #isLoading = false; // whether the position has been requested, but not received

  // `ask` sends a request; `redraw` is called when the arrows change.
  constructor(ask, redraw) {
    this.ask = ask;
    this.redraw = redraw;
    this.rows = NAMES.map((name, side) => {
      const dot = make("span", { className: `dot ${side ? "black" : "white"}`, title: name });
      const accuracy = make("b");
      const marks = make("span", { className: "marks" });
      const learn = make("button", { type: "button" }, "Learn");
      learn.title = `Learn from the mistakes of ${name}`;
      learn.setAttribute("aria-label", learn.title);
      learn.addEventListener("click", () => this.#start(side));
      $("review-players").append(make("li", {}, dot, accuracy, marks, learn));
      return { accuracy, marks, learn };
    });
    $("learn-solution").addEventListener("click", () => this.#setPhase("shown"));
    $("learn-next").addEventListener("click", () => this.#next());
    $("learn-end").addEventListener("click", () => this.#stop());
  }

  // Whether a move on the board is an answer to the exercise.
  get isLearning() {
    return this.#side !== null;
  }

  // Whether the best move must be hidden.
  get isHidden() {
    return this.isLearning && !["right", "shown"].includes(this.#phase);
  }

  show(state) {
    const before = this.#state;
    this.#state = state;
    const { review, reviewing } = state;
    const all = state.line.length + 1;
    const isWhole = review?.known === all && review.analyst === state.analyst;
    $("review").textContent = reviewing ? "Stop" : "Review the game";
    $("review").disabled = !reviewing && (isWhole || state.line.length === 0);
    $("review-panel").hidden = !review;
    if (review) {
      const count = reviewing || review.known < all ? `, ${review.known} of ${all}` : "";
      $("review-by").textContent = `Reviewed by ${review.analyst}${count}`;
      this.rows.forEach(({ accuracy, marks, learn }, side) => {
        const player = review.players[side];
        accuracy.textContent = player.accuracy === null ? "–" : `${player.accuracy.toFixed(0)} %`;
        accuracy.title = `Accuracy of ${NAMES[side]}`;
        marks.replaceChildren(...player.marks.map((count, index) => {
          const words = ["inaccuracies", "mistakes", "blunders"][index];
          return make("span", { className: count ? markClass(MARKS[index]) : "", title: words }, `${count} ${MARKS[index]}`);
        }));
        learn.disabled = reviewing || mistakesOf(state, side).length === 0;
      });
    }
    if (this.isLearning) this.#update(before);
    this.#showText();
  }

  // Updates the exercise: the answer has been judged, or the user has left the position.
  #update(before) {
    const { state, node } = { state: this.#state, node: this.#node() };
    if (before?.number !== state.number || !state.line[this.#index]?.review?.better) return this.#stop();
    if (state.node !== node) {
      if (!this.#isLoading) this.#stop();
      return;
    }
    this.#isLoading = false;
    const { answer } = state;
    if (this.#phase === "wait" && answer?.about === this.#tried && answer.node === node && answer.verdict) {
      this.#setPhase(answer.verdict === "wrong" ? "wrong" : "right");
    }
  }

  // The node before the mistake.
  #node() {
    return this.#index ? this.#state.line[this.#index - 1].node : 0;
  }

  #start(side) {
    this.#side = side;
    if (this.#state.analysing) this.ask({ do: "analyse", on: false });
    this.#goTo(mistakesOf(this.#state, side)[0]);
  }

  #goTo(index) {
    this.#index = index;
    this.#isLoading = true;
    this.ask({ do: "show", node: this.#node() });
    this.#setPhase("find");
    $("learn").scrollIntoView({ block: "nearest" });
  }

  #next() {
    const next = mistakesOf(this.#state, this.#side).find(index => index > this.#index);
    if (next === undefined) this.#stop();
    else this.#goTo(next);
  }

  #stop() {
    this.#side = null;
    this.#setPhase("find");
  }

  #setPhase(phase) {
    this.#phase = phase;
    if (phase === "find") this.#tried = null;
    this.#showText();
    this.redraw();
  }

  // Submits an answer.
  try(move) {
    if (!this.isHidden) return;
    this.#tried = move;
    this.#setPhase("wait");
    if (!this.ask({ do: "try", node: this.#node(), move })) this.onError();
  }

  // Lets the user try again after a request that was refused or lost.
  onError() {
    if (this.#phase === "wait") this.#setPhase("find");
  }

  // Shows the review of the last move, or the text of the exercise.
  #showText() {
    const state = this.#state;
    document.body.classList.toggle("learning", this.isHidden);
    $("learn").hidden = !this.isLearning;
    if (!this.isLearning) {
      const last = state.line[state.ply - 1];
      $("better").textContent = last?.review?.better ? this.#betterText(state.ply - 1) : "";
      return;
    }
    $("better").textContent = "";
    const all = mistakesOf(state, this.#side);
    const place = `${NAMES[this.#side]}, ${all.indexOf(this.#index) + 1} of ${all.length}. `;
    const { text, review } = state.line[this.#index];
    const best = review.better.line.slice(0, 8).join(" ");
    const tried = state.answer?.line?.[0] ?? "The move";
    $("learn-text").textContent = place + {
      find: `${numbered(state, this.#index, text)}${review.mark} was played. Find a better move.`,
      wait: "…",
      wrong: `${tried} gives away too much. Try another move.`,
      right: state.answer?.verdict === "best" ? `${tried} is the best move.` : `${tried} is good. Best is ${best}.`,
      shown: `The best move is ${best}.`,
    }[this.#phase];
    $("learn-solution").hidden = !this.isHidden;
    $("learn-solution").disabled = this.#phase === "wait";
    $("learn-next").textContent = all.at(-1) === this.#index ? "Finish" : "Next";
  }

  #betterText(index) {
    const { text, review } = this.#state.line[index];
    const kind = markClass(review.mark);
    return `${kind[0].toUpperCase()}${kind.slice(1)}: ${numbered(this.#state, index, text)} gives away `
      + `${review.loss.toFixed(2)} points. Better: ${review.better.line.slice(0, 8).join(" ")}`;
  }

  // The arrows of the better and the tried move.
  arrows() {
    const state = this.#state;
    if (!state) return [];
    const arrow = (move, kind) => ({ move, weight: 0.9, kind });
    if (!this.isLearning) {
      const better = state.line[state.ply - 1]?.review?.better;
      return better ? [arrow(better.move, "better")] : [];
    }
    const best = state.line[this.#index]?.review?.better;
    const tried = this.#tried && this.#phase !== "shown" ? [arrow(this.#tried, this.#phase === "wrong" ? "wrong" : "hint")] : [];
    return this.isHidden || !best ? tried : [...tried, arrow(best.move, "better")];
  }
}
