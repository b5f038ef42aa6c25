//! Killers, histories and correction history.

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

/// Rows of the history by correction key, a power of two. Keys with the same lowest bits share one.
const KEY_HISTORY_SIZE: usize = 1 << 9;

/// Entries of a correction history table of a player, a power of two.
const CORRECTION_SIZE: usize = 1 << 14;

/// Steps of a correction in a thousandth.
const CORRECTION_GRAIN: i32 = 16;

/// Weight of the old correction and the new one together, and of a new one at most.
const CORRECTION_WEIGHT: i32 = 256;
const CORRECTION_WEIGHT_MAX: i32 = 16;

/// The kinds of the last moves before a node, the last one first; `None` for none and for a null move.
type MoveKinds = [Option<usize>; CONTINUATION_PLIES];

/// The context of a node for the history of quiet moves.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::search) struct Context {
    /// The kinds of the moves before the node.
    pub(in crate::search) continuation: MoveKinds,
    /// The squares that the opponent attacks, see [`Knowledge::threats`].
    threats: u64,
    /// The row of the position in the history by correction key.
    key_row: usize,
}

impl Context {
    /// Sets threats and key of the position, before its quiet moves are searched.
    pub(in crate::search) fn set_position<G: Knowledge>(&mut self, position: &G) {
        self.threats = position.threats();
        if G::KEY_HISTORY {
            self.key_row = (position.correction_key(0) as usize & (KEY_HISTORY_SIZE - 1)) * G::MOVE_KINDS;
        }
    }
}

/// The offsets of the tables of a game in its scores.
struct ScoreLayout<G>(PhantomData<G>);

impl<G: Knowledge> ScoreLayout<G> {
    /// Main history by threat bucket, for White and for Black.
    const HISTORY: usize = 0;

    /// Capture history, by kinds of moves and captures; empty if a game has only one kind of move.
    const CAPTURES: usize = Self::HISTORY + 2 * HISTORY_SIZE * G::THREAT_BUCKETS;

    /// Continuation history, by kinds of earlier moves and of the move; empty if a game has only one kind of
    /// move. Replies to the opponent and to an own move share the table, as kinds distinguish the players.
    const CONTINUATION: usize =
        Self::CAPTURES + if G::MOVE_KINDS > 1 { G::MOVE_KINDS * G::CAPTURE_KINDS } else { 0 };

    /// Entries of the continuation history table.
    const CONTINUATION_SIZE: usize = if G::MOVE_KINDS > 1 { G::MOVE_KINDS * G::MOVE_KINDS } else { 0 };

    /// History by the first correction key and the kind of move (pawn history); empty if the game has none.
    const KEY_HISTORY: usize = Self::CONTINUATION + Self::CONTINUATION_SIZE;

    /// Correction history, by key and for White and for Black to move.
    const CORRECTIONS: usize =
        Self::KEY_HISTORY + if G::KEY_HISTORY { KEY_HISTORY_SIZE * G::MOVE_KINDS } else { 0 };

    /// The number of all scores.
    const END: usize = Self::CORRECTIONS + 2 * CORRECTION_SIZE * G::CORRECTION_KEYS;

    #[inline]
    fn history(stm: Color, mv: G::Move, threats: u64) -> usize {
        let table = stm.index() * G::THREAT_BUCKETS + G::threat_bucket(mv, threats);
        Self::HISTORY + table * HISTORY_SIZE + (mv.to_bits() as usize & (HISTORY_SIZE - 1))
    }

    #[inline]
    fn capture(position: &G, mv: G::Move) -> usize {
        Self::CAPTURES + position.move_kind(mv) * G::CAPTURE_KINDS + position.capture_kind(mv)
    }

    /// The places of a quiet move in the tables, if there are such tables and moves before it.
    #[inline(always)]
    fn quiet(position: &G, mv: G::Move, context: Context) -> [Option<usize>; 2 + CONTINUATION_PLIES] {
        let kind = position.move_kind(mv);
        let continuation = |plies: usize| {
            let earlier = context.continuation[plies].filter(|_| G::MOVE_KINDS > 1)?;
            Some(Self::CONTINUATION + earlier * G::MOVE_KINDS + kind)
        };
        [
            Some(Self::history(position.side_to_move(), mv, context.threats)),
            G::KEY_HISTORY.then_some(Self::KEY_HISTORY + context.key_row + kind),
            continuation(0),
            continuation(1),
        ]
    }

    #[inline]
    fn correction(position: &G, index: usize) -> usize {
        let table = 2 * index + position.side_to_move().index();
        let entry = position.correction_key(index) as usize & (CORRECTION_SIZE - 1);
        Self::CORRECTIONS + table * CORRECTION_SIZE + entry
    }
}

/// Killers, histories and correction history of one thread.
#[derive(Clone, Debug)]
pub struct Heuristics<G: Game> {
    /// The last two killer moves of each ply.
    killers: Vec<[Option<G::Move>; 2]>,
    /// The scores of all tables, see [`ScoreLayout`].
    scores: HugeSlice<i16>,
    /// Whether a search has written scores: before, their memory is not touched.
    is_used: bool,
    /// The constants of the search.
    pub(in crate::search) constants: EngineConstants,
}

impl<G: Knowledge> Heuristics<G> {
    /// No killers, all scores zero.
    pub fn new() -> Heuristics<G> {
        Heuristics {
            killers: vec![[None; 2]; MAX_PLY + 1],
            scores: HugeSlice::zeros(ScoreLayout::<G>::END),
            is_used: false,
            constants: EngineConstants::DEFAULT,
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.killers.fill([None; 2]);
        self.scores.fill(0);
        self.is_used = false;
    }

    /// Before a new search by these constants: forgets the killers, whose plies have changed, and halves all
    /// history scores.
    pub(in crate::search) fn new_search(&mut self, constants: EngineConstants) {
        self.constants = constants;
        self.killers.fill([None; 2]);
        if std::mem::replace(&mut self.is_used, true) {
            self.scores[..ScoreLayout::<G>::CORRECTIONS].iter_mut().for_each(|score| *score /= 2);
        }
    }

    /// The killer moves of `ply`, the latest one first.
    #[inline]
    pub(in crate::search) fn killers(&self, ply: usize) -> [Option<G::Move>; 2] {
        self.killers[ply]
    }

    /// Rewards `best`, which has caused a beta cutoff at `ply` in a search of `depth` plies, and penalises
    /// the moves searched before it, quiet ones only if `best` is quiet.
    pub(in crate::search) fn update_on_cutoff(
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
            _ => i32::from(self.scores[ScoreLayout::<G>::capture(position, mv)]),
        }
    }

    /// The history score of a quiet move; within ± 4 · 2¹⁴.
    #[inline]
    pub(in crate::search) fn quiet_history(&self, position: &G, mv: G::Move, context: Context) -> i32 {
        let scores = &*self.scores;
        let mut sum = 0;
        for place in ScoreLayout::quiet(position, mv, context) {
            sum += place.map_or(0, |place| i32::from(scores[place]));
        }
        sum
    }

    /// The correction of the static evaluation of a position, by its correction keys.
    #[inline]
    pub(in crate::search) fn correction(&self, position: &G) -> Score {
        let scores = &*self.scores;
        let places = (0..G::CORRECTION_KEYS).map(|index| ScoreLayout::<G>::correction(position, index));
        let sum: i32 = places.map(|place| i32::from(scores[place])).sum();
        Score::from_thousandths(sum / CORRECTION_GRAIN)
    }

    /// Updates the correction history: a search of `depth` plies has found the static evaluation `error` too
    /// low. A correction is at most `most`.
    pub(in crate::search) fn update_correction(
        &mut self,
        position: &G,
        error: Score,
        depth: i32,
        most: Score,
    ) {
        let weight = (depth + 1).min(CORRECTION_WEIGHT_MAX);
        let [error, most] = [error, most].map(|score| score.to_thousandths() * CORRECTION_GRAIN);
        let most = most.min(i16::MAX.into());
        for index in 0..G::CORRECTION_KEYS {
            let entry = &mut self.scores[ScoreLayout::<G>::correction(position, index)];
            let mean =
                (i32::from(*entry) * (CORRECTION_WEIGHT - weight) + error * weight) / CORRECTION_WEIGHT;
            *entry = mean.clamp(-most, most) as i16;
        }
    }

    /// The main history score of a move; within ± 2¹⁴.
    #[inline]
    fn history(&self, stm: Color, mv: G::Move, threats: u64) -> i32 {
        i32::from(self.scores[ScoreLayout::<G>::history(stm, mv, threats)])
    }

    /// Rewards the quiet move that has led to a position in which all replies failed low at `depth` plies.
    /// `position` and `context` are those before it.
    pub(in crate::search) fn reward_quiet(
        &mut self,
        position: &G,
        mv: G::Move,
        context: Context,
        depth: i32,
    ) {
        self.update(position, mv, context, self.bonus(depth));
    }

    /// Updates the history of a quiet move by its gain in static evaluation, in thousandths of the margins.
    pub(in crate::search) fn update_by_eval(
        &mut self,
        position: &G,
        mv: G::Move,
        context: Context,
        won: i32,
    ) {
        let constants = &self.constants;
        let most = i64::from(constants.history_eval_max);
        let bonus = (i64::from(won) * i64::from(constants.history_eval) / 100).clamp(-most, most);
        let place = ScoreLayout::<G>::history(position.side_to_move(), mv, context.threats);
        add_bonus(&mut self.scores[place], bonus as i32);
    }

    /// The history bonus of a cutoff in a search of `depth` plies.
    fn bonus(&self, depth: i32) -> i32 {
        let constants = &self.constants;
        let bonus = constants.history_bonus_square * depth * depth + constants.history_bonus_linear * depth;
        bonus.min(constants.history_bonus_max)
    }

    /// Adds `bonus` to the scores of a move.
    fn update(&mut self, position: &G, mv: G::Move, context: Context, bonus: i32) {
        if G::MOVE_KINDS > 1 && position.is_tactical(mv) {
            add_bonus(&mut self.scores[ScoreLayout::<G>::capture(position, mv)], bonus);
            return;
        }
        let scores = &mut *self.scores;
        for place in ScoreLayout::quiet(position, mv, context).into_iter().flatten() {
            add_bonus(&mut scores[place], bonus);
        }
    }
}

impl<G: Knowledge> Default for Heuristics<G> {
    fn default() -> Self {
        Heuristics::new()
    }
}

/// Adds `bonus` to a score, less of it the nearer the score is to its bound (history gravity).
fn add_bonus(score: &mut i16, bonus: i32) {
    let old = i32::from(*score);
    *score = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::chess::Chess;

    /// A pawn captures a knight, or advances.
    const FEN: &str = "4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1";

    #[test]
    fn quiet_moves_are_not_punished_for_a_capture_that_refutes() {
        let position = Chess::from_fen(FEN).unwrap();
        let [capture, quiet] = ["e4d5", "e4e5"].map(|text| position.parse_move(text).unwrap());
        let (mut heuristics, context) = (Heuristics::new(), Context::default());
        heuristics.update_on_cutoff(&position, capture, &[quiet], context, 5, 0);
        assert!(heuristics.capture_history(&position, capture) > 0);
        assert_eq!(heuristics.quiet_history(&position, quiet, context), 0);
        assert_eq!(heuristics.killers(0), [None; 2]);
        let before = heuristics.capture_history(&position, capture);
        heuristics.update_on_cutoff(&position, quiet, &[capture], context, 5, 0);
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
            heuristics.update_correction(&position, error, 8, most);
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
            heuristics.update_correction(&position, Score::from_thousandths(1_000_000), 64, most);
        }
        assert!(
            heuristics.correction(&position) <= Score::from_thousandths(500 * Chess::CORRECTION_KEYS as i32)
        );
    }
}
