//! Principal variation search (negamax form, fail soft) with a transposition table.
//!
//! Steps marked *selective* save nodes on a guess and may change the value; `Selective` switches
//! them off. What each is worth was measured in matches of 400 games at 20,000 nodes a move in
//! Neighbours with hand-set weights, 4 to 7 random plies played with both colours (2026-11-21).

use std::array;
use std::sync::LazyLock;

use super::ordering::{MovePicker, Scope};
use super::searcher::Searcher;
use super::table::{Bound, Entry};
use super::window::Window;
use crate::eval::{MAX_PLY, Score};
use crate::game::{Features, Knowledge};

/// Reverse futility up to this depth: a node is given up as too good for the opponent …
const REVERSE_FUTILITY_DEPTH: i32 = 6;
/// … when it is above β by this much for each ply that is left, in thousandths. +76 ± 31 Elo.
const REVERSE_FUTILITY_MARGIN: i32 = 200;

/// Without a table move, nodes from this depth on are searched a ply less deeply. +2 ± 30 Elo by itself,
/// but a third fewer nodes to a depth.
const REDUCTION_WITHOUT_TABLE_MOVE: i32 = 4;

/// Futility pruning up to this depth: quiet moves are left out …
const FUTILITY_DEPTH: i32 = 3;
/// … when the node is below α by this much for each ply that is left and one more, in thousandths. +75 ± 32 Elo.
const FUTILITY_MARGIN: i32 = 300;

/// Late move pruning up to this depth: quiet moves are left out …
const LATE_PRUNING_DEPTH: i32 = 4;
/// … behind this many moves and the square of the depth. +94 ± 33 Elo on top of all others.
const LATE_PRUNING_MOVES: i32 = 4;

/// Late move reductions, +18 ± 30 Elo on top of all others, begin at this depth …
const LATE_REDUCTION_DEPTH: i32 = 3;
/// … with the move of this number, counted from 1.
const LATE_REDUCTION_MOVES: usize = 3;
/// A history count of this size saves a move from a ply of reduction, or costs it one.
const LATE_REDUCTION_HISTORY: i32 = 5_000;

impl<G: Features + Knowledge> Searcher<'_, G> {
    /// The value of a position for its mover, searched `depth` plies deep: exact within the window, a
    /// bound outside. `PV`: the node may lie on the principal variation; elsewhere the window is empty.
    pub(super) fn pvs<const PV: bool>(
        &mut self,
        position: &G,
        depth: i32,
        window: Window,
        ply: usize,
    ) -> Score {
        let Window { mut alpha, mut beta } = window;
        let root = ply == 0;
        self.pv[ply].clear();
        if self.enter(ply) {
            return Score::DRAW;
        }

        if !root {
            // 1. Draws by repetition and lack of progress.
            if let Some(score) = self.drawn(position, ply) {
                return score;
            }
            // 2. Mate distance: nothing here is worse than losing now or better than winning by the next ply.
            alpha = alpha.max(Score::lost_in(ply));
            beta = beta.min(Score::won_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }
        let window = Window { alpha, beta };

        // 3. The horizon.
        if ply >= MAX_PLY || (depth <= 0 && !self.selective) {
            return self.leaf(position, ply);
        }
        if depth <= 0 {
            return self.quiescence(position, window, ply);
        }

        // 4. The table: an answer at least as deep as the question ends the search of this node. (The
        //    principal variation is walked to its end, so that all of its moves are known.)
        let known = self.table.probe::<G::Move>(position.table_key());
        if let Some(entry) = known
            && !PV
            && self.is_deep_enough(entry.depth, depth)
        {
            let score = entry.score.relative_to_root(ply);
            let decides = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
            };
            if decides {
                return score;
            }
        }
        let table_move = known.and_then(|entry| entry.best);

        // What the evaluation says of a node that may be pruned by it.
        let prunable = self.selective && !PV && depth <= REVERSE_FUTILITY_DEPTH.max(FUTILITY_DEPTH + 1);
        let value = prunable.then(|| self.evaluator.evaluate(position));

        let mut depth = depth;
        if self.selective && !root {
            // 5. Reverse futility (selective): so far ahead that the opponent will not let it come to this.
            if let Some(value) = value
                && depth <= REVERSE_FUTILITY_DEPTH
                && beta.plies_to_end().is_none()
                && value - Score::from_thousandths(REVERSE_FUTILITY_MARGIN * depth) >= beta
                && !position.is_over()
            {
                return value;
            }
            // 6. Internal iterative reduction (selective): a node that nobody has cared about yet.
            if depth >= REDUCTION_WITHOUT_TABLE_MOVE && table_move.is_none() {
                depth -= 1;
            }
        }

        // 7. The moves, one after the other, the most promising first.
        let mut moves = std::mem::take(&mut self.moves[ply]);
        if root {
            moves.begin_in_order(self.root_moves());
        } else {
            moves.begin(position, Scope::All, table_move);
        }
        let score = self.search_moves::<PV>(position, depth, window, ply, value, &mut moves);
        self.moves[ply] = moves;
        score
    }

    /// Searches the moves of a node that nothing has decided yet, and stores what comes out. `value` is
    /// its evaluation, where it may be pruned by it.
    fn search_moves<const PV: bool>(
        &mut self,
        position: &G,
        depth: i32,
        window: Window,
        ply: usize,
        value: Option<Score>,
        moves: &mut MovePicker<G::Move>,
    ) -> Score {
        let Window { mut alpha, beta } = window;
        let root = ply == 0;
        let mover = position.mover();
        let margin = Score::from_thousandths(FUTILITY_MARGIN * (depth + 1));
        let hopeless = depth <= FUTILITY_DEPTH
            && alpha.plies_to_end().is_none()
            && value.is_some_and(|value| value + margin <= alpha);
        let enough_moves = match self.selective && !PV && depth <= LATE_PRUNING_DEPTH {
            true => (LATE_PRUNING_MOVES + depth * depth) as usize,
            false => usize::MAX,
        };

        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut number = 0;
        let path = self.path(ply);
        while let Some(mv) = moves.next(position, self.heuristics, path, ply) {
            number += 1;
            let tactical = position.is_tactical(mv);

            // 8. Futility and late move pruning (selective): quiet moves that will not help, once one has
            //    been searched that does not lose.
            let secure = number > 1 && best.plies_to_end().is_none();
            if secure && !tactical && (hopeless || number > enough_moves) {
                continue;
            }

            let full = depth - 1;
            let mut score;
            if number == 1 {
                score = self.try_move(position, mv, full, Window { alpha, beta }, ply, Searcher::pvs::<PV>);
            } else {
                // 9. Late move reduction (selective): searched less deeply, and again if they surprise.
                let mut reduced = full;
                if self.selective
                    && depth >= LATE_REDUCTION_DEPTH
                    && number >= LATE_REDUCTION_MOVES
                    && !tactical
                {
                    let learned =
                        self.heuristics.history(mover, mv) + self.heuristics.continuation(position, mv, path);
                    reduced -= reduction::<PV>(depth, number, learned);
                    reduced = reduced.clamp(1, full);
                }
                score =
                    self.try_move(position, mv, reduced, Window::null(alpha), ply, Searcher::pvs::<false>);
                if score > alpha && reduced < full {
                    score =
                        self.try_move(position, mv, full, Window::null(alpha), ply, Searcher::pvs::<false>);
                }
                // 10. The null window has failed: a new principal variation.
                if PV && score > alpha && score < beta {
                    score =
                        self.try_move(position, mv, full, Window { alpha, beta }, ply, Searcher::pvs::<true>);
                }
            }
            if self.is_stopped() {
                return best;
            }

            if PV && (score > alpha || (root && number == 1)) {
                self.raise_pv(ply, mv);
            }
            if root {
                self.note_root_move(mv, (score > alpha || number == 1).then_some(score));
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    alpha = score;
                    if score >= beta {
                        self.heuristics.cutoff(position, mv, moves.tried(), path, depth, ply);
                        break;
                    }
                }
            }
        }

        if number == 0 {
            return self.verdict(position, ply);
        }
        // The root is never asked of the table, and its moves may be the user's choice.
        if !root {
            let bound = match best_move {
                Some(_) if best >= beta => Bound::Lower,
                Some(_) => Bound::Exact,
                None => Bound::Upper,
            };
            let score = best.relative_to(ply);
            let entry = Entry { best: best_move, score, bound, depth: depth as u8 };
            self.table.store(position.table_key(), entry);
        }
        best
    }

    /// Whether a stored result of depth `stored` answers a question of depth `asked`. One of greater
    /// depth is better, but another value than the one of plain minimax.
    fn is_deep_enough(&self, stored: u8, asked: i32) -> bool {
        let stored = i32::from(stored);
        if self.selective { stored >= asked } else { stored == asked }
    }
}

/// Plies by which a late quiet move is reduced: the more, the deeper the search and the later the move, and the less
/// it has been worth so far.
fn reduction<const PV: bool>(depth: i32, number: usize, learned: i32) -> i32 {
    let reduction = 0.5 + LOGARITHMS[depth.min(255) as usize] * LOGARITHMS[number.min(255)] / 2.0;
    reduction as i32 - i32::from(PV) - learned / LATE_REDUCTION_HISTORY
}

/// Natural logarithms of whole numbers, that of 0 being 0.
static LOGARITHMS: LazyLock<[f64; 256]> = LazyLock::new(|| array::from_fn(|n| (n.max(1) as f64).ln()));
