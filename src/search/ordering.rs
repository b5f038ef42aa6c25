//! Which move is tried first: the table's move, tactical moves, killers, then by history; captures that lose last.

use super::heuristics::{Heuristics, Path};
use crate::eval::Linear;
use crate::game::{Features, GameMove, Knowledge};

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
    /// Those that promise something, by what they promise.
    Promising,
}

/// Which moves have been listed so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    Nothing,
    Tactical,
    All,
}

/// Gives the moves of a position one after the other. It is filled anew at each node, so that it allocates but once; and
/// it lists moves only when what came before has not been enough: the table's move, then the tactical moves that do not
/// lose by exchange.
#[derive(Clone, Debug)]
pub(super) struct MovePicker<M> {
    scope: Scope,
    /// The table's move, as long as it has not been given.
    table_move: Option<M>,
    listed: Listed,
    moves: Vec<M>,
    ranks: Vec<i32>,
    /// Moves that have been given already: they are the first ones of the list.
    given: usize,
    /// Moves with what they promise, on their way into the list.
    promises: Vec<(M, i32)>,
    /// Plies that are left.
    depth: i32,
    /// Killers that have been looked at before there was a list.
    killers: usize,
    /// Positions that have been rated for the list.
    rated: u64,
    /// Moves that come again at the end, and how many of them have.
    deferred: Vec<M>,
    again: usize,
}

impl<M> Default for MovePicker<M> {
    fn default() -> Self {
        MovePicker {
            scope: Scope::All,
            table_move: None,
            listed: Listed::Nothing,
            moves: Vec::new(),
            ranks: Vec::new(),
            given: 0,
            promises: Vec::new(),
            depth: 0,
            killers: 0,
            rated: 0,
            deferred: Vec::new(),
            again: 0,
        }
    }
}

impl<M: GameMove> MovePicker<M> {
    /// Begins with a new position. A table move that is not legal is none.
    pub(super) fn begin<G: Knowledge<Move = M>>(
        &mut self,
        position: &G,
        scope: Scope,
        depth: i32,
        table_move: Option<M>,
    ) {
        self.scope = scope;
        self.depth = depth;
        let fits = |mv| position.is_legal(mv) && (scope != Scope::Tactical || position.is_tactical(mv));
        self.table_move = table_move.filter(|&mv| fits(mv));
        self.clear(Listed::Nothing);
    }

    /// Begins with moves that have their order already.
    pub(super) fn begin_in_order(&mut self, moves: impl Iterator<Item = M>) {
        self.table_move = None;
        self.clear(Listed::All);
        self.moves.extend(moves);
        self.ranks.resize(self.moves.len(), 0);
    }

    /// Forgets the moves of the last position.
    fn clear(&mut self, listed: Listed) {
        self.listed = listed;
        self.moves.clear();
        self.ranks.clear();
        self.given = 0;
        self.killers = 0;
        self.deferred.clear();
        self.again = 0;
    }

    /// The best move not yet given; among equals, the generator's first. The position is the one that it began with,
    /// `path` and `ply` say how it was reached.
    pub(super) fn next<G: Features + Knowledge<Move = M>>(
        &mut self,
        position: &G,
        evaluator: &Linear<G>,
        heuristics: &Heuristics<G>,
        path: Path,
        ply: usize,
    ) -> Option<M> {
        if self.listed == Listed::Nothing {
            if self.moves.is_empty()
                && let Some(mv) = self.table_move
            {
                self.moves.push(mv);
                self.ranks.push(0);
                self.given = 1;
                return Some(mv);
            }
            match self.scope {
                Scope::All | Scope::Tactical => self.list_tactical(position, heuristics),
                Scope::Promising => {
                    if let Some(mv) = self.killer(position, heuristics, ply) {
                        return Some(mv);
                    }
                    self.list_promising(position, evaluator);
                }
            }
        }
        loop {
            let best = self.best();
            let rank = best.map_or(i32::MIN, |best| self.ranks[best]);
            if self.listed == Listed::Tactical && rank < LOSING {
                self.list_quiet(position, heuristics, path, ply);
                continue;
            }
            let Some(best) = best else {
                self.again += 1;
                return self.deferred.get(self.again - 1).copied();
            };
            let mv = self.moves[best];
            if rank > TACTICAL / 2 && !position.see_ge(mv, 0) {
                self.ranks[best] = rank - 2 * TACTICAL;
                continue;
            }
            self.moves.swap(self.given, best);
            self.ranks.swap(self.given, best);
            self.given += 1;
            return Some(mv);
        }
    }

    /// Lets the move that has just been given come again when all others have been given; false where that has been done
    /// already.
    pub(super) fn defer(&mut self, mv: M) -> bool {
        if self.again == 0 {
            self.deferred.push(mv);
        }
        self.again == 0
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

    /// Lists the tactical moves of a position and ranks them.
    fn list_tactical<G: Knowledge<Move = M>>(&mut self, position: &G, heuristics: &Heuristics<G>) {
        self.listed = if self.scope == Scope::Tactical { Listed::All } else { Listed::Tactical };
        let stm = position.side_to_move();
        position.tactical_moves(&mut self.moves);
        self.drop_table_move();
        let tactical = &self.moves[self.ranks.len()..];
        self.ranks.extend(
            tactical
                .iter()
                .map(|&mv| TACTICAL + GAIN * position.capture_value(mv) + heuristics.history(stm, mv)),
        );
    }

    /// Lists the other moves, too, and ranks them.
    fn list_quiet<G: Knowledge<Move = M>>(
        &mut self,
        position: &G,
        heuristics: &Heuristics<G>,
        path: Path,
        ply: usize,
    ) {
        self.listed = Listed::All;
        let stm = position.side_to_move();
        let killers = heuristics.killers(ply);
        position.quiet_moves(&mut self.moves);
        self.drop_table_move();
        let quiet = &self.moves[self.ranks.len()..];
        self.ranks.extend(quiet.iter().map(|&mv| {
            if killers[0] == Some(mv) {
                KILLER + 1
            } else if killers[1] == Some(mv) {
                KILLER
            } else {
                heuristics.history(stm, mv) + heuristics.continuation(position, mv, path)
            }
        }));
    }

    /// The next killer that is legal and has not been given: one that does it saves the list.
    fn killer<G: Knowledge<Move = M>>(
        &mut self,
        position: &G,
        heuristics: &Heuristics<G>,
        ply: usize,
    ) -> Option<M> {
        let killers = heuristics.killers(ply);
        while let Some(killer) = killers.get(self.killers) {
            self.killers += 1;
            if let Some(mv) = killer.filter(|mv| !self.moves.contains(mv) && position.is_legal(*mv)) {
                self.moves.push(mv);
                self.ranks.push(0);
                self.given += 1;
                return Some(mv);
            }
        }
        None
    }

    /// Lists the moves that promise something behind those that have been given already.
    fn list_promising<G: Features + Knowledge<Move = M>>(&mut self, position: &G, evaluator: &Linear<G>) {
        self.listed = Listed::All;
        self.promises.clear();
        let stm = position.side_to_move();
        let mut rate = |child: &G| {
            self.rated += 1;
            evaluator.evaluate_for(child, stm).to_thousandths()
        };
        position.moves_by_static_eval(self.depth, &mut rate, &mut self.promises);
        for &(mv, promise) in &self.promises {
            if !self.moves[..self.given].contains(&mv) {
                self.moves.push(mv);
                self.ranks.push(promise.clamp(-TACTICAL / 2, TACTICAL / 2));
            }
        }
    }

    /// Positions that have been rated since the last call: what the list has cost.
    pub(super) fn take_rated(&mut self) -> u64 {
        std::mem::take(&mut self.rated)
    }

    /// Takes the table's move, which has been given, out of the moves that have just been listed and have no rank yet.
    fn drop_table_move(&mut self) {
        let listed = self.ranks.len();
        let place = self.moves[listed..].iter().position(|&mv| Some(mv) == self.table_move);
        if let Some(place) = place {
            self.moves.remove(listed + place);
        }
    }

    /// Whether the last move given, and all that follow, lose by exchange.
    pub(super) fn is_losing(&self) -> bool {
        self.given > 0 && self.ranks.get(self.given - 1).is_some_and(|&rank| rank < LOSING)
    }

    /// Whether a move has been given.
    pub(super) fn has_given(&self) -> bool {
        self.given > 0
    }
}
