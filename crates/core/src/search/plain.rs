//! Plain searches, as in the textbook: minimax, α-β and expectiminimax, without table and without pruning on
//! a guess; and no search at all. They are the reference of principal variation search, and can be selected
//! for comparison (`SearchMode`).
//!
//! Principal variation search uses the same chance nodes: the value of a move with chance is the mean of its
//! outcomes, each of which is searched. Outcomes that cannot bring the mean into the window any more are cut
//! off: by the bounds of scores (Star1), and by a probe of one reply to each outcome (Star2; B. Ballard, "The
//! *-minimax search procedure for trees containing chance nodes", 1983). The value is exact.

use super::input::SearchInput;
use super::observer::Observer;
use super::options::SearchMode;
use super::report::SearchResult;
use super::searcher::{Search, Searcher};
use super::window::Window;
use crate::eval::{Evaluator, MAX_PLY, Score};
use crate::game::{Knowledge, mixed};

/// The maximum value of a position, and the negative of the least.
const MAX_VALUE: f64 = Score::WIN.to_thousandths() as f64;

impl<G: Knowledge, E: Evaluator<G>, O: Observer<G::Move>> Searcher<'_, G, E, O> {
    /// Searches all moves to the same depth: the value of the position at `ply` for its side to move if it
    /// lies in the window, otherwise a bound of it (fail soft). Minimax searches every move, the other modes
    /// cut off at β.
    pub(super) fn full_width(&mut self, depth: i32, window: Window, ply: usize) -> Score {
        self.stack[ply].pv.clear();
        if self.visit(ply) {
            return Score::DRAW;
        }
        if ply > 0
            && let Some(score) = self.draw_score(ply)
        {
            return score;
        }
        let depth = self.msd_depth(depth, ply);
        if depth <= 0 || ply >= MAX_PLY {
            return self.leaf_score(ply);
        }
        let mut moves = std::mem::take(&mut self.stack[ply].kept);
        self.list_moves(ply, &mut moves);
        if ply > 0 && self.msd_filters() {
            self.show_filter(ply, &moves, depth);
        }
        let score = match moves[..] {
            [] => self.terminal_score(ply),
            _ => self.full_width_moves(&moves, depth, window, ply),
        };
        self.stack[ply].kept = moves;
        score
    }

    /// Searches the moves of the position at `ply`.
    fn full_width_moves(&mut self, moves: &[G::Move], depth: i32, mut window: Window, ply: usize) -> Score {
        let (mut best, whole) = (-Score::INFINITE, window);
        for (&mv, number) in moves.iter().zip(1..) {
            if ply == 0 {
                self.announce_root_move(mv, number);
            }
            let nodes = self.budget.own_nodes();
            let searched = if self.mode == SearchMode::Minimax { Window::FULL } else { window };
            let score = self.search_move(ply, mv, depth - 1, searched, Searcher::full_width);
            if self.is_stopped() {
                return best;
            }
            let is_better = score > best;
            if is_better {
                best = score;
                self.update_pv(ply, mv);
            }
            if ply == 0 {
                self.note_root_move(mv, is_better.then(|| (score, whole.bound_of(score))), nodes);
            }
            window.alpha = window.alpha.max(score);
            if self.mode != SearchMode::Minimax && window.alpha >= window.beta {
                break;
            }
        }
        best
    }

    /// Lists the moves of a node that are searched. Where cutoffs save moves, tactical moves come first.
    fn list_moves(&mut self, ply: usize, moves: &mut Vec<G::Move>) {
        moves.clear();
        if ply == 0 {
            moves.extend(self.root.open_moves());
            return;
        }
        let position = self.position(ply);
        if self.mode == SearchMode::Minimax {
            position.legal_moves(moves);
        } else {
            position.tactical_moves(moves);
            position.quiet_moves(moves);
        }
        self.msd_keep(ply, moves);
    }
}

impl<'a, G: Knowledge, E: Evaluator<G>, O: Observer<G::Move>> Searcher<'a, G, E, O> {
    /// The value of a move at `ply` for its player, with `depth` plies left after it: the mean of the values
    /// of its outcomes, or below the chance plies, the value of the mean outcome.
    #[inline(always)]
    pub(super) fn search_move(
        &mut self,
        ply: usize,
        mv: G::Move,
        depth: i32,
        window: Window,
        search: impl Fn(&mut Self, i32, Window, usize) -> Score,
    ) -> Score {
        match G::HAS_CHANCE && ply < self.chance_plies {
            true => self.search_chance(ply, mv, depth, window, &search),
            false => self.search_outcome(ply, mv, depth, window, search),
        }
    }

    /// The mean of the values of the outcomes of a move.
    fn search_chance(
        &mut self,
        ply: usize,
        mv: G::Move,
        depth: i32,
        window: Window,
        search: Search<'_, 'a, G, E, O>,
    ) -> Score {
        let mut outcomes = Vec::new();
        self.position(ply).outcomes(mv, &mut outcomes);
        if let [(mv, _)] = outcomes[..] {
            return self.search_outcome(ply, mv, depth, window, search);
        }
        let (mean, pv) = self.search_outcomes(ply, &outcomes, depth, window, search);
        self.stack[ply + 1].pv = pv;
        mean
    }

    /// The mean of the values of outcomes, and the line of the first one if its score is no bound.
    fn search_outcomes(
        &mut self,
        ply: usize,
        outcomes: &[(G::Move, f64)],
        depth: i32,
        window: Window,
        search: Search<'_, 'a, G, E, O>,
    ) -> (Score, Vec<G::Move>) {
        let (alpha, beta) =
            (f64::from(window.alpha.to_thousandths()), f64::from(window.beta.to_thousandths()));

        // Star2: one reply to each outcome bounds its value from above.
        let mut upper = vec![MAX_VALUE; outcomes.len()];
        if depth > 0 {
            let mut sum = MAX_VALUE;
            for (&(mv, probability), upper) in outcomes.iter().zip(&mut upper) {
                *upper = self.probe_outcome(ply, mv, depth, search).min(MAX_VALUE);
                sum -= probability * (MAX_VALUE - *upper);
                if sum <= alpha || self.is_stopped() {
                    return (score(sum), Vec::new());
                }
            }
        }

        // Star1: the values of the outcomes searched so far, and the bounds of those to come.
        let mut mean = 0.0;
        let mut pv = None;
        let mut most: f64 =
            outcomes.iter().zip(&upper).map(|((_, probability), upper)| probability * upper).sum();
        let mut least = -MAX_VALUE;
        for (&(mv, probability), upper) in outcomes.iter().zip(upper) {
            most -= probability * upper;
            least += probability * MAX_VALUE;
            let low = ((alpha - mean - most) / probability).max(-MAX_VALUE);
            let high = ((beta - mean - least) / probability).min(MAX_VALUE);
            let window =
                Window { alpha: score(low.floor()), beta: score(high.ceil().max(low.floor() + 1.0)) };
            let value = f64::from(self.search_outcome(ply, mv, depth, window, search).to_thousandths());
            if self.is_stopped() {
                return (Score::DRAW, Vec::new());
            }
            // The principal variation is that of the most probable outcome, the first.
            pv.get_or_insert_with(|| self.stack[ply + 1].pv.clone());
            mean += probability * value;
            if value <= low {
                return (score(mean + most), Vec::new());
            }
            if value >= high {
                return (score(mean + least), Vec::new());
            }
        }
        (score(mean), pv.unwrap_or_default())
    }

    /// An upper bound of an outcome for the player who moved: the value of one good reply.
    fn probe_outcome(&mut self, ply: usize, mv: G::Move, depth: i32, search: Search<'_, 'a, G, E, O>) -> f64 {
        self.play(ply, mv);
        let is_same_player = self.position(ply + 1).side_to_move() == self.position(ply).side_to_move();
        let bound = match self.good_reply(ply + 1) {
            // A reply by the same player is no upper bound.
            Some(reply) if !is_same_player => {
                let value = self.search_move(ply + 1, reply, depth - 1, Window::FULL, search);
                -f64::from(value.to_thousandths())
            }
            _ => MAX_VALUE,
        };
        self.undo();
        bound
    }

    /// The table move, else a tactical move, else any.
    fn good_reply(&self, ply: usize) -> Option<G::Move> {
        let position = self.position(ply);
        let moves = position.moves();
        let table_move = self.tt_entry(ply).and_then(|entry| entry.best);
        table_move
            .filter(|mv| moves.contains(mv))
            .or_else(|| moves.iter().copied().find(|&mv| position.is_tactical(mv)))
            .or(moves.first().copied())
    }

    /// The value of one outcome of a move at `ply` for its player.
    #[inline(always)]
    fn search_outcome(
        &mut self,
        ply: usize,
        mv: G::Move,
        depth: i32,
        window: Window,
        search: impl Fn(&mut Self, i32, Window, usize) -> Score,
    ) -> Score {
        self.play(ply, mv);
        let score = self.search_child(ply, depth, window, search);
        self.undo();
        score
    }
}

/// A value as a score, rounded.
fn score(value: f64) -> Score {
    Score::from_thousandths(value.clamp(-MAX_VALUE, MAX_VALUE).round() as i32)
}

/// A random root move, by the seed, the position and the number of positions before it.
pub fn random<G: Knowledge, E: Evaluator<G>>(input: &SearchInput<G, E>) -> SearchResult<G::Move> {
    let moves = input.moves();
    let plies = input.history.past().len() as u64;
    let number = mixed(input.options.seed ^ mixed(plies)) ^ input.position.key();
    let mv = moves.get(mixed(number).checked_rem(moves.len() as u64).unwrap_or(0) as usize).copied();
    SearchResult { mv, ponder: None, nodes: moves.len() as u64 }
}
