//! Expectiminimax: a move is worth the mean of its outcomes, each of which is searched.
//!
//! Outcomes that cannot bring the mean into the window any more are left out: by the bounds that every score
//! has (Star1), and by what a first look at each outcome shows (Star2; B. Ballard, "The *-minimax search
//! procedure for trees containing chance nodes", 1983). The value is exact; the price is the depth.

use super::searcher::Searcher;
use super::window::Window;
use crate::eval::Score;
use crate::game::{Features, Knowledge};

/// The greatest value of a position, and the negative of the least.
const MOST: f64 = Score::WIN.to_bits() as f64;

impl<G: Features + Knowledge> Searcher<'_, G> {
    /// The mean of the values that the outcomes of a move have for its mover.
    pub(super) fn expected(
        &mut self,
        position: &G,
        mv: G::Move,
        depth: i32,
        window: Window,
        ply: usize,
    ) -> Score {
        let mut outcomes = Vec::new();
        position.outcomes(mv, &mut outcomes);
        if let [(mv, _)] = outcomes[..] {
            return self.try_move(position, mv, depth - 1, window, ply);
        }
        let (alpha, beta) = (f64::from(window.alpha.to_bits()), f64::from(window.beta.to_bits()));

        // Star2: after one of its moves the opponent has at least so much of each outcome, we at most the rest.
        let mut most = vec![MOST; outcomes.len()];
        if depth > 1 {
            let mut sum = MOST;
            for (&(mv, probability), most) in outcomes.iter().zip(&mut most) {
                *most = self.first_look(position, mv, depth - 1, ply).min(MOST);
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
            let value = f64::from(self.try_move(position, mv, depth - 1, window, ply).to_bits());
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

    /// An upper bound of one outcome for the mover of its parent: what the answer that looks best leaves.
    fn first_look(&mut self, position: &G, mv: G::Move, depth: i32, ply: usize) -> f64 {
        let child = self.play(position, mv);
        let bound = match self.moves_to_try(&child, ply + 1).first() {
            // The answer of the same player is no bound.
            Some(&answer) if child.mover() != position.mover() => {
                let value = self.expected(&child, answer, depth, Window::FULL, ply + 1);
                -f64::from(value.to_bits())
            }
            _ => MOST,
        };
        self.undo();
        bound
    }
}

/// A value as a score, rounded.
fn score(value: f64) -> Score {
    Score::from_bits(value.clamp(-MOST, MOST).round() as i32)
}
