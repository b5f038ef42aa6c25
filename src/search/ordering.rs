//! Which move is tried first: the table's move, tactical moves, killers, then by history; captures that lose last.

use super::heuristics::{Heuristics, Path};
use crate::game::{GameMove, Knowledge};

/// Tactical moves come before quiet ones, by what they gain and by their history …
const TACTICAL: i32 = 1 << 24;
/// … where a thousandth of gain is worth so many counts.
const GAIN: i32 = 16;

/// Then the killers, the latest one first.
const KILLER: i32 = 1 << 20;

/// Below this rank are only the tactical moves that lose by exchange.
const LOSING: i32 = -TACTICAL / 2;

/// Which moves of a position are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All legal ones.
    All,
    /// The tactical ones.
    Tactical,
}

/// Gives the moves of a position one after the other. It is filled anew at each node, so that it allocates but once; and
/// it lists the moves only when the table's move has not been enough.
#[derive(Clone, Debug)]
pub(super) struct MovePicker<M> {
    scope: Scope,
    /// The table's move, as long as it has not been given.
    table_move: Option<M>,
    /// Whether the moves are listed.
    listed: bool,
    moves: Vec<M>,
    ranks: Vec<i32>,
    /// Moves that have been given already: they are the first ones of the list.
    given: usize,
}

impl<M> Default for MovePicker<M> {
    fn default() -> Self {
        MovePicker {
            scope: Scope::All,
            table_move: None,
            listed: false,
            moves: Vec::new(),
            ranks: Vec::new(),
            given: 0,
        }
    }
}

impl<M: GameMove> MovePicker<M> {
    /// Begins with a new position. A table move that is not legal is none.
    pub(super) fn begin<G: Knowledge<Move = M>>(
        &mut self,
        position: &G,
        scope: Scope,
        table_move: Option<M>,
    ) {
        self.scope = scope;
        let fits = |mv| position.is_legal(mv) && (scope == Scope::All || position.is_tactical(mv));
        self.table_move = table_move.filter(|&mv| fits(mv));
        self.listed = false;
        self.moves.clear();
        self.ranks.clear();
        self.given = 0;
    }

    /// Begins with moves that have their order already.
    pub(super) fn begin_in_order(&mut self, moves: impl Iterator<Item = M>) {
        self.table_move = None;
        self.listed = true;
        self.moves.clear();
        self.moves.extend(moves);
        self.ranks.clear();
        self.ranks.resize(self.moves.len(), 0);
        self.given = 0;
    }

    /// The best move not yet given; among equals, the generator's first. The position is the one that it began with,
    /// `path` and `ply` say how it was reached.
    pub(super) fn next<G: Knowledge<Move = M>>(
        &mut self,
        position: &G,
        heuristics: &Heuristics<G>,
        path: Path,
        ply: usize,
    ) -> Option<M> {
        if !self.listed {
            if self.moves.is_empty()
                && let Some(mv) = self.table_move
            {
                self.moves.push(mv);
                self.given = 1;
                return Some(mv);
            }
            self.list(position, heuristics, path, ply);
        }
        loop {
            let best = self.best()?;
            let mv = self.moves[best];
            let rank = self.ranks[best];
            if rank > TACTICAL / 2 && !position.exchange_reaches(mv, 0) {
                self.ranks[best] = rank - 2 * TACTICAL;
                continue;
            }
            self.moves.swap(self.given, best);
            self.ranks.swap(self.given, best);
            self.given += 1;
            return Some(mv);
        }
    }

    /// The place of the best move not yet given.
    #[inline]
    fn best(&self) -> Option<usize> {
        let rest = self.ranks.get(self.given..)?;
        let mut best = 0;
        let mut most = *rest.first()?;
        for (index, &rank) in rest.iter().enumerate().skip(1) {
            if rank > most {
                (best, most) = (index, rank);
            }
        }
        Some(self.given + best)
    }

    /// Lists the moves of a position and ranks them.
    fn list<G: Knowledge<Move = M>>(
        &mut self,
        position: &G,
        heuristics: &Heuristics<G>,
        path: Path,
        ply: usize,
    ) {
        self.listed = true;
        self.moves.clear();
        let mover = position.mover();
        match self.scope {
            Scope::All => {
                let killers = heuristics.killers(ply);
                position.legal_moves(&mut self.moves);
                self.ranks.extend(self.moves.iter().map(|&mv| {
                    let history = heuristics.history(mover, mv);
                    if position.is_tactical(mv) {
                        TACTICAL + GAIN * position.gain(mv) + history
                    } else if killers[0] == Some(mv) {
                        KILLER + 1
                    } else if killers[1] == Some(mv) {
                        KILLER
                    } else {
                        history + heuristics.continuation(position, mv, path)
                    }
                }));
            }
            Scope::Tactical => {
                position.tactical_moves(&mut self.moves);
                self.ranks.extend(
                    self.moves
                        .iter()
                        .map(|&mv| TACTICAL + GAIN * position.gain(mv) + heuristics.history(mover, mv)),
                );
            }
        }
        // The table's move has been given.
        if let Some(place) = self.moves.iter().position(|&mv| Some(mv) == self.table_move) {
            self.moves.swap(0, place);
            self.ranks.swap(0, place);
        }
    }

    /// Whether the last move given, and all that follow, lose by exchange.
    pub(super) fn is_losing(&self) -> bool {
        self.given > 0 && self.ranks.get(self.given - 1).is_some_and(|&rank| rank < LOSING)
    }

    /// The moves given before the last one.
    pub(super) fn tried(&self) -> &[M] {
        &self.moves[..self.given.saturating_sub(1)]
    }
}
