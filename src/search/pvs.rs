//! Principal variation search (negamax form, fail soft) with a transposition table.

use super::ordering::MoveList;
use super::searcher::Searcher;
use super::table::{Bound, Entry};
use super::window::Window;
use crate::eval::{MAX_PLY, Score};
use crate::game::{Features, Knowledge};

/// Late move reductions begin at this depth …
const LMR_DEPTH: i32 = 3;
/// … with the move of this number, counted from 1.
const LMR_MOVES: usize = 3;

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
            // 2. Mate distance: nothing here can be worse than losing now or better than winning next ply.
            alpha = alpha.max(Score::lost_in(ply));
            beta = beta.min(Score::won_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // 3. The horizon.
        if depth <= 0 || ply >= MAX_PLY {
            return self.leaf(position, ply);
        }

        // 4. The table: an answer at least as deep as the question ends the search of this node.
        let key = position.table_key();
        let known = self.table.probe::<G::Move>(key);
        if let Some(entry) = known
            && !PV
        {
            let deep_enough =
                if self.selective { i32::from(entry.depth) >= depth } else { i32::from(entry.depth) == depth };
            let score = entry.score.relative_to_root(ply);
            let decides = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
            };
            if deep_enough && decides {
                return score;
            }
        }

        // 5. The moves, one after the other, the most promising first.
        let mut moves = std::mem::replace(&mut self.moves[ply], MoveList::new());
        let table_move = known.and_then(|entry| entry.best);
        if root {
            moves.fill_in_order(self.root_moves());
        } else {
            moves.fill(position, ply, table_move, self.heuristics);
        }
        let score = self.search_moves::<PV>(position, depth, Window { alpha, beta }, ply, &mut moves);
        self.moves[ply] = moves;
        score
    }

    /// Searches the moves of a node that nothing has decided yet, and stores what comes out.
    fn search_moves<const PV: bool>(
        &mut self,
        position: &G,
        depth: i32,
        window: Window,
        ply: usize,
        moves: &mut MoveList<G::Move>,
    ) -> Score {
        let Window { mut alpha, beta } = window;
        let root = ply == 0;
        let mover = position.mover();
        if moves.is_empty() {
            return self.verdict(position, ply);
        }
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut number = 0;
        while let Some(mv) = moves.pick() {
            number += 1;
            let tactical = position.is_tactical(mv);
            let child = self.play(position, mv);
            let full = depth - 1;
            let mut score;
            if number == 1 {
                score = self.descend::<PV>(position, &child, full, Window { alpha, beta }, ply);
            } else {
                // Late moves are searched less deeply, and again if they surprise.
                let mut reduced = full;
                if self.selective && depth >= LMR_DEPTH && number >= LMR_MOVES && !tactical {
                    reduced -= self.reduction::<PV>(depth, number, self.heuristics.history(mover, mv));
                    reduced = reduced.clamp(1, full);
                }
                score = self.descend::<false>(position, &child, reduced, Window::null(alpha), ply);
                if score > alpha && reduced < full {
                    score = self.descend::<false>(position, &child, full, Window::null(alpha), ply);
                }
                if PV && score > alpha && score < beta {
                    score = self.descend::<true>(position, &child, full, Window { alpha, beta }, ply);
                }
            }
            self.undo();
            if self.is_stopped() {
                return best;
            }
            if root {
                let exact = number == 1 || score > alpha;
                if exact {
                    self.raise_pv(ply, mv);
                }
                self.note_root_move(mv, exact.then_some(score));
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    alpha = score;
                    if PV && !root {
                        self.raise_pv(ply, mv);
                    }
                    if score >= beta {
                        self.heuristics.cutoff(mover, mv, tactical, moves.tried(), depth, ply);
                        break;
                    }
                }
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        // (The root is never asked of the table, and its moves may be a choice of the user's.)
        if !root {
            let score = best.relative_to(ply);
            let entry = Entry { best: best_move, score, bound, depth: depth as u8 };
            self.table.store(position.table_key(), entry);
        }
        best
    }

    /// The value of a child for the mover of its parent at `ply`.
    #[inline]
    fn descend<const PV: bool>(&mut self, parent: &G, child: &G, depth: i32, window: Window, ply: usize) -> Score {
        if child.mover() == parent.mover() {
            self.pvs::<PV>(child, depth, window, ply + 1)
        } else {
            -self.pvs::<PV>(child, depth, -window, ply + 1)
        }
    }

    /// Plies by which a late quiet move is reduced.
    fn reduction<const PV: bool>(&self, depth: i32, number: usize, history: i32) -> i32 {
        let r = 0.5 + f64::from(depth).ln() * (number as f64).ln() / 2.0;
        let mut r = r as i32;
        if PV {
            r -= 1;
        }
        r - history / 5000
    }
}
