//! The move picker: table move, tactical moves by MVV-LVA, killers, quiet moves by history, losing captures.
//! `heuristics` has the killers and histories.

mod heuristics;

pub(super) use heuristics::Context;
pub use heuristics::Heuristics;

use super::limits::Deadline;
use crate::eval::Evaluator;
use crate::game::{GameMove, Knowledge};

/// Rank of tactical moves, to which capture value and history score are added.
const TACTICAL: i32 = 1 << 24;

/// Rank of the killers, the latest one a step above.
const KILLER: i32 = 1 << 20;

/// Below this rank are only the tactical moves that lose by exchange.
const LOSING: i32 = -TACTICAL / 2;

/// Which moves of a position are picked, and how they are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All legal moves.
    All,
    /// The tactical moves.
    Tactical,
    /// The candidate moves of the game, by the static evaluation after them.
    ByStaticEval,
}

/// Which moves have been generated so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Nothing,
    Tactical,
    All,
}

/// Picks the moves of a position one by one. It is reused at each node, so that its lists keep their memory,
/// and generates moves in stages: the table move first, then tactical moves, then quiet ones.
#[derive(Clone, Debug)]
pub(super) struct MovePicker<M> {
    scope: Scope,
    table_move: Option<M>,
    stage: Stage,
    /// The generated moves. The first `given` of them have been picked.
    moves: Vec<M>,
    ranks: Vec<i32>,
    given: usize,
    /// Scratch: moves with static evaluations.
    rated: Vec<(M, i32)>,
    /// Plies that are left.
    depth: i32,
    /// Killers that have been tried before the moves were generated.
    killers: usize,
    /// Positions that have been evaluated for the order.
    evaluated: u64,
    /// Moves that are picked again at the end, and how many of them have been.
    deferred: Vec<M>,
    again: usize,
}

impl<M> Default for MovePicker<M> {
    fn default() -> Self {
        MovePicker {
            scope: Scope::All,
            table_move: None,
            stage: Stage::Nothing,
            moves: Vec::new(),
            ranks: Vec::new(),
            given: 0,
            rated: Vec::new(),
            depth: 0,
            killers: 0,
            evaluated: 0,
            deferred: Vec::new(),
            again: 0,
        }
    }
}

impl<M: GameMove> MovePicker<M> {
    /// Starts with a position. An illegal table move is ignored.
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
        self.clear(Stage::Nothing);
    }

    /// Starts with moves in their order.
    pub(super) fn begin_in_order(&mut self, moves: impl Iterator<Item = M>) {
        self.table_move = None;
        self.clear(Stage::All);
        self.moves.extend(moves);
        self.ranks.resize(self.moves.len(), 0);
    }

    /// Forgets the moves of the last position.
    fn clear(&mut self, stage: Stage) {
        self.stage = stage;
        self.moves.clear();
        self.ranks.clear();
        self.given = 0;
        self.killers = 0;
        self.deferred.clear();
        self.again = 0;
    }

    /// The best move not yet picked; among equals, the generator's first. `position` is that of `begin` and
    /// `state` its evaluator state, which must be up to date if moves are ordered by static evaluation. After
    /// the end of the search, the order is arbitrary.
    pub(super) fn next<G: Knowledge<Move = M>, E: Evaluator<G>>(
        &mut self,
        position: &G,
        (evaluator, state): (&E, &E::State),
        heuristics: &Heuristics<G>,
        context: Context,
        ply: usize,
        deadline: &Deadline,
    ) -> Option<M> {
        if self.stage == Stage::Nothing {
            if self.moves.is_empty()
                && let Some(mv) = self.table_move
            {
                self.moves.push(mv);
                self.ranks.push(0);
                self.given = 1;
                return Some(mv);
            }
            match self.scope {
                Scope::All | Scope::Tactical => self.generate_tactical(position, heuristics),
                Scope::ByStaticEval => {
                    if let Some(mv) = self.killer(position, heuristics, ply) {
                        return Some(mv);
                    }
                    self.generate_by_static_eval(position, evaluator, state, deadline);
                }
            }
        }
        loop {
            let best = self.best();
            let rank = best.map_or(i32::MIN, |best| self.ranks[best]);
            if self.stage == Stage::Tactical && rank < LOSING {
                self.generate_quiet(position, heuristics, context, ply);
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

    /// Defers the move just picked until all others have been; false if it has been deferred before.
    pub(super) fn defer(&mut self, mv: M) -> bool {
        if self.again == 0 {
            self.deferred.push(mv);
        }
        self.again == 0
    }

    /// Whether the move just picked has been deferred before.
    pub(super) fn is_deferred(&self) -> bool {
        self.again > 0
    }

    /// Skips all moves but the deferred ones.
    pub(super) fn skip_rest(&mut self) {
        self.given = self.moves.len();
        self.stage = Stage::All;
    }

    /// The index of the best move not yet picked.
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

    /// Generates and ranks the tactical moves of a position.
    fn generate_tactical<G: Knowledge<Move = M>>(&mut self, position: &G, heuristics: &Heuristics<G>) {
        self.stage = if self.scope == Scope::Tactical { Stage::All } else { Stage::Tactical };
        position.tactical_moves(&mut self.moves);
        self.drop_table_move();
        let capture_value = heuristics.constants.capture_value;
        let tactical = &self.moves[self.ranks.len()..];
        self.ranks.extend(tactical.iter().map(|&mv| {
            TACTICAL + capture_value * position.capture_value(mv) + heuristics.capture_history(position, mv)
        }));
    }

    /// Generates and ranks the quiet moves, too.
    fn generate_quiet<G: Knowledge<Move = M>>(
        &mut self,
        position: &G,
        heuristics: &Heuristics<G>,
        context: Context,
        ply: usize,
    ) {
        self.stage = Stage::All;
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
                heuristics.quiet_history(position, mv, context)
            }
        }));
    }

    /// The next killer that is legal and has not been picked. A cutoff by it saves the generation.
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

    /// Generates the candidate moves, after those already picked.
    fn generate_by_static_eval<G: Knowledge<Move = M>, E: Evaluator<G>>(
        &mut self,
        position: &G,
        evaluator: &E,
        state: &E::State,
        deadline: &Deadline,
    ) {
        self.stage = Stage::All;
        self.rated.clear();
        let stm = position.side_to_move();
        let mut scratch = E::State::default();
        let mut poller = deadline.poller();
        let mut static_eval = |child: &G| {
            if poller.is_over() {
                return 0;
            }
            self.evaluated += 1;
            evaluator.evaluate_child(position, state, child, &mut scratch, stm).to_thousandths()
        };
        position.moves_by_static_eval(self.depth, &mut static_eval, &mut self.rated);
        for &(mv, static_eval) in &self.rated {
            if !self.moves[..self.given].contains(&mv) {
                self.moves.push(mv);
                self.ranks.push(static_eval.clamp(-TACTICAL / 2, TACTICAL / 2));
            }
        }
    }

    /// Positions that have been evaluated for the order since the last call.
    pub(super) fn take_evaluated(&mut self) -> u64 {
        std::mem::take(&mut self.evaluated)
    }

    /// Removes the table move, already picked, from the new moves without a rank.
    fn drop_table_move(&mut self) {
        let ranked = self.ranks.len();
        let index = self.moves[ranked..].iter().position(|&mv| Some(mv) == self.table_move);
        if let Some(index) = index {
            self.moves.remove(ranked + index);
        }
    }

    /// Skips the remaining quiet moves, once a generated one has been picked.
    pub(super) fn skip_quiet(&mut self) {
        debug_assert_eq!(self.stage, Stage::All);
        let mut kept = self.given;
        for index in self.given..self.moves.len() {
            if self.ranks[index] < LOSING {
                self.moves.swap(kept, index);
                self.ranks.swap(kept, index);
                kept += 1;
            }
        }
        self.moves.truncate(kept);
        self.ranks.truncate(kept);
    }

    /// Whether the last move picked, and all that follow, lose by exchange.
    pub(super) fn is_losing(&self) -> bool {
        self.given > 0 && self.ranks.get(self.given - 1).is_some_and(|&rank| rank < LOSING)
    }

    /// The moves picked, in their order.
    pub(super) fn picked(&self) -> &[M] {
        &self.moves[..self.given]
    }

    /// The moves generated so far.
    pub(super) fn generated(&self) -> &[M] {
        &self.moves
    }

    /// The number of moves picked.
    pub(super) fn given(&self) -> usize {
        self.given
    }
}

#[cfg(test)]
mod tests {
    use crate::clock::Instant;

    use super::*;
    use crate::eval::Linear;
    use crate::game::Game;
    use crate::game::chess::Chess;
    use crate::search::limits::{Control, TimeManager};

    #[test]
    fn deferred_moves_come_last_also_if_the_rest_is_skipped() {
        let position = Chess::start();
        let moves: Vec<_> = ["e2e4", "d2d4", "c2c4"].map(|text| position.parse_move(text).unwrap()).into();
        let (evaluator, heuristics, state) = (Linear::shipped(0).unwrap(), Heuristics::new(), ());
        let control = Control::default();
        let deadline = Deadline::new(&control, Instant::now(), TimeManager::default());
        let mut picker = MovePicker::default();
        picker.begin_in_order(moves.iter().copied());
        let next = |picker: &mut MovePicker<_>| {
            picker.next(&position, (&evaluator, &state), &heuristics, Context::default(), 0, &deadline)
        };
        assert_eq!(next(&mut picker), Some(moves[0]));
        assert!(picker.defer(moves[0]) && !picker.is_deferred());
        assert_eq!(next(&mut picker), Some(moves[1]));
        picker.skip_rest();
        assert_eq!(next(&mut picker), Some(moves[0]));
        assert!(picker.is_deferred() && !picker.defer(moves[0]));
        assert_eq!(next(&mut picker), None);
    }

    #[test]
    fn without_quiet_moves_only_losing_captures_are_left() {
        // The queen may take a protected pawn, the rook an unprotected one.
        let position = Chess::from_fen("4k3/8/2p5/3p4/8/p7/3Q4/R3K3 w - - 0 1").unwrap();
        let (evaluator, heuristics) = (Linear::shipped(0).unwrap(), Heuristics::new());
        // A linear evaluation has no state.
        let state = ();
        let control = Control::default();
        let deadline = Deadline::new(&control, Instant::now(), TimeManager::default());
        let next = |picker: &mut MovePicker<_>| {
            picker.next(&position, (&evaluator, &state), &heuristics, Context::default(), 0, &deadline)
        };
        let text = |mv| position.move_text(mv);
        let mut picker = MovePicker::default();
        picker.begin(&position, Scope::All, 5, None);
        assert_eq!(next(&mut picker).map(text).as_deref(), Some("a1a3"));
        let quiet = next(&mut picker).unwrap();
        assert!(!position.is_tactical(quiet));
        picker.skip_quiet();
        assert_eq!(next(&mut picker).map(text).as_deref(), Some("d2d5"));
        assert_eq!(next(&mut picker), None);
    }
}
