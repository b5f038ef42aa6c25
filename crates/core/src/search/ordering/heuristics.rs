//! Killers and history: which moves have refuted positions earlier in the search, and how far static
//! evaluations of similar positions were from what searches made of them.

use std::marker::PhantomData;

use crate::eval::{MAX_PLY, Score};
use crate::game::{Color, Game, GameMove, Knowledge};
use crate::memory::HugeSlice;
use crate::search::constants::EngineConstants;

/// Entries of the history table of a player, a power of two. Moves with the same lowest bits share an entry.
const HISTORY_SIZE: usize = 1 << 12;

/// History scores stay within ± this bound.
const HISTORY_MAX: i32 = 1 << 14;

/// Plies of continuation history: the opponent's last move, and the own move before it.
const CONTINUATION_PLIES: usize = 2;

/// Rows of the history table by structure, a power of two. Structures with the same lowest bits share one.
const STRUCTURE_SIZE: usize = 1 << 9;

/// Entries of a correction history table of a player, a power of two.
const CORRECTION_SIZE: usize = 1 << 14;

/// Steps of a correction in a thousandth.
const CORRECTION_GRAIN: i32 = 16;

/// Weight of the old correction and the new one together, and of a new one at most.
const CORRECTION_WEIGHT: i32 = 256;
const CORRECTION_WEIGHT_MAX: i32 = 16;

/// The kinds of the moves that have led to a node, the last one first; `None` where there was none, or where
/// it was a null move.
type MoveKinds = [Option<usize>; CONTINUATION_PLIES];

/// What the history of quiet moves depends on besides the moves.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::search) struct Context {
    /// The kinds of the moves that led to the node.
    pub(in crate::search) led_by: MoveKinds,
    /// The squares that the opponent attacks, see [`Knowledge::threats`].
    threats: u64,
    /// The row of the position's first structure in the table of those.
    structure: usize,
}

impl Context {
    /// Looks at the position of the node, before its quiet moves are searched.
    pub(in crate::search) fn look_at<G: Knowledge>(&mut self, position: &G) {
        self.threats = position.threats();
        if G::STRUCTURE_HISTORY {
            self.structure = (position.structure(0) as usize & (STRUCTURE_SIZE - 1)) * G::MOVE_KINDS;
        }
    }
}

/// Where the tables of a game begin in its scores.
struct Places<G>(PhantomData<G>);

impl<G: Knowledge> Places<G> {
    /// History scores of moves by their danger, for White and for Black.
    const HISTORY: usize = 0;

    /// History scores of tactical moves by what moves where and what it captures; none where a game has only
    /// one kind of move.
    const CAPTURES: usize = Self::HISTORY + 2 * HISTORY_SIZE * G::DANGERS;

    /// History scores of kinds of moves as replies to kinds of earlier moves; none where a game has only one
    /// kind of move. Replies to the opponent and to an own move share the table: kinds tell the players apart.
    const CONTINUATION: usize =
        Self::CAPTURES + if G::MOVE_KINDS > 1 { G::MOVE_KINDS * G::CAPTURE_KINDS } else { 0 };

    /// Entries of the continuation history table.
    const CONTINUATION_SIZE: usize = if G::MOVE_KINDS > 1 { G::MOVE_KINDS * G::MOVE_KINDS } else { 0 };

    /// History scores of kinds of moves by the first structure of the position; none where a game has none.
    const STRUCTURES: usize = Self::CONTINUATION + Self::CONTINUATION_SIZE;

    /// By how much static evaluations are too low, by structure and for White and for Black to move.
    const CORRECTIONS: usize =
        Self::STRUCTURES + if G::STRUCTURE_HISTORY { STRUCTURE_SIZE * G::MOVE_KINDS } else { 0 };

    /// The number of all scores.
    const END: usize = Self::CORRECTIONS + 2 * CORRECTION_SIZE * G::STRUCTURES;

    #[inline]
    fn history(stm: Color, mv: G::Move, threats: u64) -> usize {
        let table = stm.index() * G::DANGERS + G::danger(mv, threats);
        Self::HISTORY + table * HISTORY_SIZE + (mv.to_bits() as usize & (HISTORY_SIZE - 1))
    }

    #[inline]
    fn capture(position: &G, mv: G::Move) -> usize {
        Self::CAPTURES + position.move_kind(mv) * G::CAPTURE_KINDS + position.capture_kind(mv)
    }

    /// The places of a quiet move, as far as there are such tables and moves before it.
    #[inline(always)]
    fn quiet(position: &G, mv: G::Move, context: Context) -> [Option<usize>; 2 + CONTINUATION_PLIES] {
        let kind = position.move_kind(mv);
        let continuation = |plies: usize| {
            let earlier = context.led_by[plies].filter(|_| G::MOVE_KINDS > 1)?;
            Some(Self::CONTINUATION + earlier * G::MOVE_KINDS + kind)
        };
        [
            Some(Self::history(position.side_to_move(), mv, context.threats)),
            G::STRUCTURE_HISTORY.then_some(Self::STRUCTURES + context.structure + kind),
            continuation(0),
            continuation(1),
        ]
    }

    #[inline]
    fn correction(position: &G, structure: usize) -> usize {
        let table = 2 * structure + position.side_to_move().index();
        let entry = position.structure(structure) as usize & (CORRECTION_SIZE - 1);
        Self::CORRECTIONS + table * CORRECTION_SIZE + entry
    }
}

/// Killers, histories and correction history of one thread.
#[derive(Clone, Debug)]
pub struct Heuristics<G: Game> {
    /// The last two quiet moves that have refuted a position at each ply.
    killers: Vec<[Option<G::Move>; 2]>,
    /// The scores of all tables, one behind the other, see [`Places`].
    scores: HugeSlice<i16>,
    /// Whether a search has written scores: before, there is no need to touch their memory.
    is_used: bool,
    /// The constants of the search.
    pub(in crate::search) constants: EngineConstants,
}

impl<G: Knowledge> Heuristics<G> {
    /// No killers, all scores zero.
    pub fn new() -> Heuristics<G> {
        Heuristics {
            killers: vec![[None; 2]; MAX_PLY + 1],
            scores: HugeSlice::zeros(Places::<G>::END),
            is_used: false,
            constants: EngineConstants::DEFAULT,
        }
    }

    /// Before a new search by these constants: forgets the killers, whose plies have changed, and halves all
    /// history scores.
    pub(in crate::search) fn new_search(&mut self, constants: EngineConstants) {
        self.constants = constants;
        self.killers.fill([None; 2]);
        if std::mem::replace(&mut self.is_used, true) {
            self.scores[..Places::<G>::CORRECTIONS].iter_mut().for_each(|score| *score /= 2);
        }
    }

    /// The last two quiet moves that have refuted a position at `ply`, the latest one first.
    #[inline]
    pub(in crate::search) fn killers(&self, ply: usize) -> [Option<G::Move>; 2] {
        self.killers[ply]
    }

    /// Rewards `best`, which has refuted the position at `ply` in a search of `depth` plies, and punishes the
    /// moves that had been searched before it; quiet ones only if a quiet move was better.
    pub(in crate::search) fn cutoff(
        &mut self,
        position: &G,
        best: G::Move,
        failed: &[G::Move],
        context: Context,
        depth: i32,
        ply: usize,
    ) {
        let bonus = self.bonus(depth);
        let is_quiet = !position.is_tactical(best);
        self.update(position, best, context, bonus);
        for &mv in failed {
            if is_quiet || position.is_tactical(mv) {
                self.update(position, mv, context, -bonus);
            }
        }
        let killers = &mut self.killers[ply];
        if is_quiet && killers[0] != Some(best) {
            *killers = [Some(best), killers[0]];
        }
    }

    /// The history score of a tactical move; within ± 2¹⁴.
    #[inline]
    pub(in crate::search) fn capture_history(&self, position: &G, mv: G::Move) -> i32 {
        match G::MOVE_KINDS {
            1 => self.history(position.side_to_move(), mv, 0),
            _ => i32::from(self.scores[Places::<G>::capture(position, mv)]),
        }
    }

    /// The history score of a quiet move; within ± 4 · 2¹⁴.
    #[inline]
    pub(in crate::search) fn quiet_history(&self, position: &G, mv: G::Move, context: Context) -> i32 {
        let scores = &*self.scores;
        let mut sum = 0;
        for place in Places::quiet(position, mv, context) {
            sum += place.map_or(0, |place| i32::from(scores[place]));
        }
        sum
    }

    /// By how much the static evaluation of a position is too low, as far as is known from positions of the
    /// same structure.
    #[inline]
    pub(in crate::search) fn correction(&self, position: &G) -> Score {
        let scores = &*self.scores;
        let places = (0..G::STRUCTURES).map(|structure| Places::<G>::correction(position, structure));
        let sum: i32 = places.map(|place| i32::from(scores[place])).sum();
        Score::from_thousandths(sum / CORRECTION_GRAIN)
    }

    /// Learns that the static evaluation of a position was `error` too low, as a search of `depth` plies has
    /// found. A correction is at most `most`, however wrong it was.
    pub(in crate::search) fn correct(&mut self, position: &G, error: Score, depth: i32, most: Score) {
        let weight = (depth + 1).min(CORRECTION_WEIGHT_MAX);
        let [error, most] = [error, most].map(|score| score.to_thousandths() * CORRECTION_GRAIN);
        let most = most.min(i16::MAX.into());
        for structure in 0..G::STRUCTURES {
            let entry = &mut self.scores[Places::<G>::correction(position, structure)];
            let mean =
                (i32::from(*entry) * (CORRECTION_WEIGHT - weight) + error * weight) / CORRECTION_WEIGHT;
            *entry = mean.clamp(-most, most) as i16;
        }
    }

    /// The history score of a move, whatever came before it; within ± 2¹⁴.
    #[inline]
    fn history(&self, stm: Color, mv: G::Move, threats: u64) -> i32 {
        i32::from(self.scores[Places::<G>::history(stm, mv, threats)])
    }

    /// Rewards the quiet move that has led to a position which a search of `depth` plies found bad for its
    /// side to move. `position` and `context` are those before it.
    pub(in crate::search) fn refuted(&mut self, position: &G, mv: G::Move, context: Context, depth: i32) {
        self.update(position, mv, context, self.bonus(depth));
    }

    /// Rewards or punishes a quiet move by what it has won, in thousandths of the margins, by static
    /// evaluation.
    pub(in crate::search) fn evaluated(&mut self, position: &G, mv: G::Move, context: Context, won: i32) {
        let constants = &self.constants;
        let most = i64::from(constants.history_eval_max);
        let bonus = (i64::from(won) * i64::from(constants.history_eval) / 100).clamp(-most, most);
        let place = Places::<G>::history(position.side_to_move(), mv, context.threats);
        add_bonus(&mut self.scores[place], bonus as i32);
    }

    /// The history score of a cutoff in a search of `depth` plies.
    fn bonus(&self, depth: i32) -> i32 {
        let constants = &self.constants;
        let bonus = constants.history_bonus_square * depth * depth + constants.history_bonus_linear * depth;
        bonus.min(constants.history_bonus_max)
    }

    /// Moves the scores of a move by `bonus`.
    fn update(&mut self, position: &G, mv: G::Move, context: Context, bonus: i32) {
        if G::MOVE_KINDS > 1 && position.is_tactical(mv) {
            add_bonus(&mut self.scores[Places::<G>::capture(position, mv)], bonus);
            return;
        }
        let scores = &mut *self.scores;
        for place in Places::quiet(position, mv, context).into_iter().flatten() {
            add_bonus(&mut scores[place], bonus);
        }
    }
}

impl<G: Knowledge> Default for Heuristics<G> {
    fn default() -> Self {
        Heuristics::new()
    }
}

/// Moves a score by `bonus`, the less the nearer it is to its bound (history gravity).
fn add_bonus(score: &mut i16, bonus: i32) {
    let old = i32::from(*score);
    *score = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::chess::Chess;

    /// A pawn captures a knight, or goes on.
    const FEN: &str = "4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1";

    #[test]
    fn quiet_moves_are_not_punished_for_a_capture_that_refutes() {
        let position = Chess::from_fen(FEN).unwrap();
        let [capture, quiet] = ["e4d5", "e4e5"].map(|text| position.parse_move(text).unwrap());
        let (mut heuristics, context) = (Heuristics::new(), Context::default());
        heuristics.cutoff(&position, capture, &[quiet], context, 5, 0);
        assert!(heuristics.capture_history(&position, capture) > 0);
        assert_eq!(heuristics.quiet_history(&position, quiet, context), 0);
        assert_eq!(heuristics.killers(0), [None; 2]);
        let before = heuristics.capture_history(&position, capture);
        heuristics.cutoff(&position, quiet, &[capture], context, 5, 0);
        assert!(heuristics.capture_history(&position, capture) < before);
        assert!(heuristics.quiet_history(&position, quiet, context) > 0);
        assert_eq!(heuristics.killers(0), [Some(quiet), None]);
    }

    #[test]
    fn corrections_near_the_error_of_positions_with_the_same_structure() {
        let position = Chess::from_fen(FEN).unwrap();
        let mut heuristics = Heuristics::new();
        let (error, most) = (Score::from_thousandths(200), Score::from_thousandths(500));
        let mut last = heuristics.correction(&position);
        assert_eq!(last, Score::DRAW);
        for _ in 0..20 {
            heuristics.correct(&position, error, 8, most);
            let correction = heuristics.correction(&position);
            assert!(correction > last);
            last = correction;
        }
        // The king has moved, the pawns and the enemy's pieces are the same.
        let similar = Chess::from_fen("4k3/8/8/3n4/4P3/8/8/3K4 w - - 0 1").unwrap();
        assert!(heuristics.correction(&similar) > Score::DRAW && heuristics.correction(&similar) < last);
        let other = Chess::from_fen("4k3/8/8/3b4/8/4P3/8/3K4 w - - 0 1").unwrap();
        assert_eq!(heuristics.correction(&other), Score::DRAW);
        let black = Chess::from_fen("4k3/8/8/3n4/4P3/8/8/4K3 b - - 0 1").unwrap();
        assert_eq!(heuristics.correction(&black), Score::DRAW, "each side has its own");
        for _ in 0..1000 {
            heuristics.correct(&position, Score::from_thousandths(1_000_000), 64, most);
        }
        assert!(heuristics.correction(&position) <= Score::from_thousandths(500 * Chess::STRUCTURES as i32));
    }
}
