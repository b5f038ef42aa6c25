//! Moves whose outcome is chance's: such a move is worth the mean of its outcomes, each of which is searched.
//!
//! Outcomes that cannot bring the mean into the window any more are left out: by the bounds that every score
//! has (Star1), and by what a first look at each outcome shows (Star2; B. Ballard, "The *-minimax search
//! procedure for trees containing chance nodes", 1983). The value is exact; the price is the depth.

use super::searcher::Searcher;
use super::window::Window;
use crate::eval::Score;
use crate::game::{Features, Knowledge};

/// A search of a position to a depth, within a window, so many plies from the root: its value for its side to move.
pub(super) type Search<'a, G> = fn(&mut Searcher<'a, G>, &G, i32, Window, usize) -> Score;

/// The greatest value of a position, and the negative of the least.
const MOST: f64 = Score::WIN.to_bits() as f64;

impl<'a, G: Features + Knowledge> Searcher<'a, G> {
    /// The value of a move for its side to move, who is at `ply`, with `depth` plies left behind it: the mean of the values of
    /// its outcomes, or below the plies whose chances are weighed, the value of the mean outcome.
    #[inline]
    pub(super) fn try_move(
        &mut self,
        position: &G,
        mv: G::Move,
        depth: i32,
        window: Window,
        ply: usize,
        search: Search<'a, G>,
    ) -> Score {
        match ply < self.chance_plies {
            true => self.expected(position, mv, depth, window, ply, search),
            false => self.outcome(position, mv, depth, window, ply, search),
        }
    }

    /// The mean of the values of the outcomes of a move.
    fn expected(
        &mut self,
        position: &G,
        mv: G::Move,
        depth: i32,
        window: Window,
        ply: usize,
        search: Search<'a, G>,
    ) -> Score {
        let mut outcomes = Vec::new();
        position.outcomes(mv, &mut outcomes);
        if let [(mv, _)] = outcomes[..] {
            return self.outcome(position, mv, depth, window, ply, search);
        }
        let (alpha, beta) = (f64::from(window.alpha.to_bits()), f64::from(window.beta.to_bits()));

        // Star2: after one of its moves the opponent has at least so much of each outcome, we at most the rest.
        let mut most = vec![MOST; outcomes.len()];
        if depth > 0 {
            let mut sum = MOST;
            for (&(mv, probability), most) in outcomes.iter().zip(&mut most) {
                *most = self.first_look(position, mv, depth, ply, search).min(MOST);
                sum -= probability * (MOST - *most);
                if sum <= alpha || self.is_stopped() {
                    return score(sum);
                }
            }
        }

        // Star1: what is known of earlier outcomes, and the bounds of those to come.
        let mut known = 0.0;
        let mut line = None;
        let mut above: f64 =
            outcomes.iter().zip(&most).map(|((_, probability), most)| probability * most).sum();
        let mut below = -MOST;
        for (&(mv, probability), most) in outcomes.iter().zip(most) {
            above -= probability * most;
            below += probability * MOST;
            let low = ((alpha - known - above) / probability).max(-MOST);
            let high = ((beta - known - below) / probability).min(MOST);
            let window =
                Window { alpha: score(low.floor()), beta: score(high.ceil().max(low.floor() + 1.0)) };
            let value = f64::from(self.outcome(position, mv, depth, window, ply, search).to_bits());
            if self.is_stopped() {
                return Score::DRAW;
            }
            // The likeliest outcome comes first: what is expected goes on behind it.
            line.get_or_insert_with(|| self.pv[ply + 1].clone());
            known += probability * value;
            if value <= low {
                return score(known + above);
            }
            if value >= high {
                return score(known + below);
            }
        }
        self.pv[ply + 1] = line.unwrap_or_default();
        score(known)
    }

    /// An upper bound of one outcome for the side to move of its parent: what an answer that looks good leaves.
    fn first_look(
        &mut self,
        position: &G,
        mv: G::Move,
        depth: i32,
        ply: usize,
        search: Search<'a, G>,
    ) -> f64 {
        let child = self.play(position, mv, ply);
        let bound = match self.first_answer(&child) {
            // The answer of the same player is no bound.
            Some(answer) if child.side_to_move() != position.side_to_move() => {
                let value = self.try_move(&child, answer, depth - 1, Window::FULL, ply + 1, search);
                -f64::from(value.to_bits())
            }
            _ => MOST,
        };
        self.undo();
        bound
    }

    /// An answer that looks good: the one that is remembered, else one that changes the balance.
    fn first_answer(&self, position: &G) -> Option<G::Move> {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let known = self.table.probe(position.table_key()).and_then(|entry| entry.best);
        known
            .filter(|mv| moves.contains(mv))
            .or_else(|| moves.iter().copied().find(|&mv| position.is_tactical(mv)))
            .or(moves.first().copied())
    }

    /// The value of one outcome of a move for the side to move of the position.
    #[inline]
    fn outcome(
        &mut self,
        position: &G,
        mv: G::Move,
        depth: i32,
        window: Window,
        ply: usize,
        search: Search<'a, G>,
    ) -> Score {
        let child = self.play(position, mv, ply);
        let score = window.descend(position, &child, |window| search(self, &child, depth, window, ply + 1));
        self.undo();
        score
    }
}

/// A value as a score, rounded.
fn score(value: f64) -> Score {
    Score::from_bits(value.clamp(-MOST, MOST).round() as i32)
}
