//! The input of a search: a position with its history, an evaluation, options and limits.

use super::limits::Limits;
use super::msd::MsdFilter;
use super::options::Options;
use crate::eval::{Evaluator, Score};
use crate::game::{EndgameTables, GameHistory, GameMove, Knowledge, Wdl, mixed};

/// The input of a search.
#[derive(Debug)]
pub struct SearchInput<'a, G: Knowledge, E> {
    /// The position to find a move in.
    pub position: &'a G,
    /// The positions before it.
    pub history: &'a GameHistory<G>,
    /// The static evaluation.
    pub evaluator: &'a E,
    /// The root moves, in the order in which they are tried; `None`: all legal ones. Illegal moves are
    /// ignored, so an empty list finds no move.
    pub root_moves: Option<&'a [G::Move]>,
    /// Endgame tables that a principal variation search probes.
    pub tables: Option<&'a dyn EndgameTables<G>>,
    /// The options of the search.
    pub options: &'a Options,
    /// When to stop.
    pub limits: &'a Limits,
}

impl<G: Knowledge, E> Clone for SearchInput<'_, G, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Knowledge, E> Copy for SearchInput<'_, G, E> {}

impl<'a, G: Knowledge, E> SearchInput<'a, G, E> {
    /// A search among all legal moves, without endgame tables.
    pub fn new(
        position: &'a G,
        history: &'a GameHistory<G>,
        evaluator: &'a E,
        options: &'a Options,
        limits: &'a Limits,
    ) -> SearchInput<'a, G, E> {
        SearchInput { position, history, evaluator, root_moves: None, tables: None, options, limits }
    }
}

impl<G: Knowledge, E: Evaluator<G>> SearchInput<'_, G, E> {
    /// The root moves: those of the caller, or those that the MSD filter keeps. They remain after a draw by
    /// repetition, halfmove clock or insufficient material: a client may play on until a draw is claimed.
    pub(super) fn moves(&self) -> Vec<G::Move> {
        let mut moves = self.position.moves();
        if let Some(chosen) = self.root_moves {
            return chosen.iter().filter(|mv| moves.contains(mv)).copied().collect();
        }
        let Options { msd, seed, .. } = self.options;
        if msd.is_on() {
            let mut filter = MsdFilter::new(msd, self.evaluator, *seed);
            let mut state = E::State::default();
            self.evaluator.reset(self.position, &mut state);
            let volatile = self.position.in_check();
            let history = &mut self.history.clone();
            filter.keep(history, self.position, &state, 0, volatile, &mut moves, &mut || false);
        }
        if msd.random_root {
            let key = mixed(*seed) ^ self.position.key();
            moves.sort_by_key(|mv| mixed(key ^ u64::from(mv.to_bits())));
        }
        moves
    }

    /// Whether the root moves of a search by depth are sorted by the static evaluation after them.
    pub(super) fn sorts_root_by_static_eval(&self) -> bool {
        G::ORDERS_BY_STATIC_EVAL && self.options.selective && self.root_moves.is_none()
    }

    /// The best of some root moves by the static evaluation after them, with its score; `None` without moves.
    /// Once `is_late` returns true, the remaining moves are skipped.
    pub(super) fn best_by_static_eval(
        &self,
        moves: &[G::Move],
        is_late: &mut dyn FnMut() -> bool,
    ) -> Option<(G::Move, Score)> {
        let (evaluator, position, stm) = (self.evaluator, self.position, self.position.side_to_move());
        let [mut state, mut scratch] = [E::State::default(), E::State::default()];
        evaluator.reset(position, &mut state);
        let score = |&mv: &G::Move| {
            let child = position.after(mv);
            match child.outcome() {
                None => evaluator.evaluate_child(position, &state, &child, &mut scratch, stm),
                Some(outcome) => match Wdl::of(outcome.winner, stm) {
                    Wdl::Win => Score::mate_in(1),
                    Wdl::Draw => Score::DRAW,
                    Wdl::Loss => Score::mated_in(1),
                },
            }
        };
        // The first of equals.
        let mut number = 0;
        let in_time = moves.iter().take_while(|_| {
            number += 1;
            number == 1 || !is_late()
        });
        let scores: Vec<_> = in_time.map(score).collect();
        let best = *scores.iter().max()?;
        moves.iter().copied().zip(scores).find(|&(_, score)| score == best)
    }
}
