//! What a search may know about a game beyond its rules.

use super::msd::{GOOD, REPEATS, WINS, is_last_repetition};
use super::zobrist::mixed;
use super::{Chance, Game, GameHistory, MsdTerms, Prospect};

/// Knowledge for searches. Every item has a default that makes a new game playable at once.
pub trait Knowledge: Chance {
    /// The positions that `bench` searches.
    const BENCH: BenchSuite;

    /// What the margins of a search count as one, in thousandths of the evaluation's unit: the wider evaluations
    /// spread from one move to the next, the more.
    const MARGIN: i32 = 1000;

    /// What an evaluation says of the result, as `(a, b)` in its unit: who stands at `x` wins with probability
    /// `1 / (1 + exp((a − x) / b))` and loses with `1 / (1 + exp((a + x) / b))`. Without anything measured, a hundred Elo
    /// for a unit and no draws.
    const RESULTS: (f64, f64) = (0.0, 4.0 / std::f64::consts::LN_10);

    /// How strong the engine plays with the shipped weights when a move has so many nodes: Elo and nodes, both rising.
    /// Empty where nothing has been measured.
    const STRENGTHS: &'static [(u32, u64)] = &[];

    /// The key under which search results are stored: everything that the value of a position depends
    /// on besides its history has to be in it.
    fn table_key(&self) -> u64 {
        self.key()
    }

    /// Whether a move changes the balance at once (a capture, say), so that it is looked at early
    /// and never reduced.
    fn is_tactical(&self, _mv: Self::Move) -> bool {
        false
    }

    /// Appends the tactical moves, in an order that depends on the position alone.
    fn tactical_moves(&self, moves: &mut Vec<Self::Move>) {
        append_legal(self, moves, |mv| self.is_tactical(mv));
    }

    /// Appends the legal moves that are not tactical, in an order that depends on the position alone.
    fn quiet_moves(&self, moves: &mut Vec<Self::Move>) {
        append_legal(self, moves, |mv| !self.is_tactical(mv));
    }

    /// What a move wins at first sight, in thousandths of the evaluation's unit, for the order of tactical moves.
    fn capture_value(&self, _mv: Self::Move) -> i32 {
        0
    }

    /// Whether a move leaves its player at least so much, in thousandths of the evaluation's unit, when both sides go
    /// on capturing on its target square as long as it pays (static exchange evaluation).
    fn see_ge(&self, _mv: Self::Move, _thousandths: i32) -> bool {
        true
    }

    /// Whether the side to move has to answer a threat that would end the game: such a position is not judged as it stands.
    fn in_check(&self) -> bool {
        false
    }

    /// The position after the side to move has passed, where a search may draw conclusions from it: `None` where passing makes
    /// no sense, or where it may well be better than any move.
    fn null_move(&self) -> Option<Self> {
        None
    }

    /// Whether it may be a disadvantage to have to move here, so that conclusions from passing have to be verified.
    fn may_be_zugzwang(&self) -> bool {
        false
    }

    /// The number of kinds of moves, see [`Knowledge::move_kind`].
    const MOVE_KINDS: usize = 1;

    /// The kind of a legal move, below [`Knowledge::MOVE_KINDS`]: which piece goes where, say. What a search
    /// learns about replies to moves, it learns about kinds.
    fn move_kind(&self, _mv: Self::Move) -> usize {
        0
    }

    /// Whether there are so many moves that a selective search looks at promising ones only, see
    /// [`Knowledge::moves_by_static_eval`].
    const ORDERS_BY_STATIC_EVAL: bool = false;

    /// Appends the moves that are worth a look with what they promise: what `rate` says of the position after each, for
    /// the player who has moved. Where moves are made of parts, those whose first part ratings little are left
    /// out, the more the less `depth` a search has left, in plies; at least one move is there if one is legal.
    fn moves_by_static_eval(
        &self,
        _depth: i32,
        rate: &mut impl FnMut(&Self) -> i32,
        moves: &mut Vec<(Self::Move, i32)>,
    ) {
        let mut legal = Vec::with_capacity(Self::MAX_MOVES.min(256));
        self.legal_moves(&mut legal);
        moves.extend(legal.into_iter().map(|mv| {
            let mut child = self.clone();
            child.play(mv);
            (mv, rate(&child))
        }));
    }

    /// Appends what each of some legal moves ratings at first sight, for a filter that leaves moves out: the more, the better.
    /// `history` ends with this position, and `rate` says what a position is worth to the player who has moved, in
    /// thousandths of the evaluation's unit. Of the terms, a game makes what it can: here those for wins, captures and repetition, and all
    /// other moves promise what the position after them is worth.
    fn msd_ratings(
        &self,
        moves: &[Self::Move],
        terms: &MsdTerms,
        history: &GameHistory<Self>,
        rate: &mut impl FnMut(&Self) -> i32,
        ratings: &mut Vec<i32>,
    ) {
        let player = self.side_to_move();
        ratings.extend(moves.iter().map(|&mv| {
            let mut child = self.clone();
            child.play(mv);
            if terms.win && child.outcome().is_some_and(|outcome| outcome.winner == Some(player)) {
                WINS
            } else if terms.capture && self.is_tactical(mv) {
                GOOD
            } else if terms.repetition && is_last_repetition(&child, history) {
                REPEATS
            } else {
                rate(&child).clamp(1 - GOOD, GOOD - 1)
            }
        }));
    }

    /// Plies of random moves before a Monte Carlo search evaluates a position; none where it does without evaluation and
    /// plays on to the end of the game.
    const PLAYOUT_PLIES: Option<u32> = None;

    /// Whether a game may end in a draw.
    const CAN_BE_DRAWN: bool = true;

    /// What a solver may know of a position that is not the end of the game. Its key has to hold all that the result depends
    /// on, but for repetition. With the plies since the last move that cannot be undone in it, no line of play comes back to
    /// a key.
    fn prospect(&self) -> Prospect {
        let plies = mixed(self.halfmove_clock() as u64 + 1);
        let moves = self.count_moves().max(1) as u32;
        Prospect::Open { key: self.key() ^ plies, effort: [1, moves] }
    }

    /// Puts the legal moves in the order in which a simple agent of the game's literature tries them, and leaves
    /// out those that its rules of thumb forbid; at least one stays.
    fn rules_of_thumb(&self, _moves: &mut Vec<Self::Move>) {}
}

/// Appends the legal moves that are wanted.
fn append_legal<G: Game>(position: &G, moves: &mut Vec<G::Move>, wanted: impl Fn(G::Move) -> bool) {
    let before = moves.len();
    position.legal_moves(moves);
    let mut index = 0;
    moves.retain(|&mv| {
        index += 1;
        index <= before || wanted(mv)
    });
}

/// A fixed list of positions, searched to a fixed depth.
#[derive(Clone, Copy, Debug)]
pub struct BenchSuite {
    /// Depth in plies.
    pub depth: u32,
    /// The positions.
    pub fens: &'static [&'static str],
}
