//! The interface between a retrograde analysis and a game: positions as numbers.

use std::fmt::{Debug, Display};
use std::hash::Hash;

use super::super::{Game, Wdl};

/// The result of a position under best play for its side to move, when its halfmove clock is 0, with the
/// distance to conversion (DTC): the plies to the next irreversible move or to the end of the game, if the
/// winner is as quick as possible and the loser as slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableResult {
    /// Neither player can win before the draw by lack of progress.
    Draw,
    /// The side to move wins. The distance is at least 1.
    Win(u8),
    /// The other player wins. The distance is 0 where the game is over.
    Loss(u8),
}

impl TableResult {
    /// The greatest distance of a result.
    pub const MAX_DISTANCE: u8 = 100;

    /// Results have numbers below this.
    pub const NUMBERS: u8 = 2 * TableResult::MAX_DISTANCE + 2;

    /// The result as a number: 0 for a draw, then the losses, then the wins.
    pub const fn to_byte(self) -> u8 {
        match self {
            TableResult::Draw => 0,
            TableResult::Loss(distance) => 1 + distance,
            TableResult::Win(distance) => 1 + TableResult::MAX_DISTANCE + distance,
        }
    }

    /// The inverse of [`TableResult::to_byte`]; `None` for a number that no result has.
    pub const fn from_byte(byte: u8) -> Option<TableResult> {
        const LEAST_WIN: u8 = TableResult::Win(1).to_byte();
        match byte {
            0 => Some(TableResult::Draw),
            1..LEAST_WIN => Some(TableResult::Loss(byte - 1)),
            LEAST_WIN..TableResult::NUMBERS => Some(TableResult::Win(byte - LEAST_WIN + 1)),
            _ => None,
        }
    }

    /// The result when the halfmove clock says `clock`, and `limit` plies without an irreversible move draw.
    /// It is exact: the winner is in time as long as clock and distance together stay within the limit.
    pub fn at_clock(self, clock: usize, limit: Option<usize>) -> Wdl {
        let is_in_time = |distance: u8| limit.is_none_or(|limit| clock + usize::from(distance) <= limit);
        match self {
            TableResult::Win(distance) if is_in_time(distance) => Wdl::Win,
            TableResult::Loss(distance) if distance == 0 || is_in_time(distance) => Wdl::Loss,
            _ => Wdl::Draw,
        }
    }

    /// The distance to conversion; `None` in a draw.
    pub fn distance(self) -> Option<u8> {
        match self {
            TableResult::Draw => None,
            TableResult::Win(distance) | TableResult::Loss(distance) => Some(distance),
        }
    }
}

/// The initial state of a position in retrograde analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// The number stands for no position.
    Unused,
    /// The result.
    Decided(TableResult),
    /// The result has to be found.
    Open {
        /// The number of calls for this position by [`Endgames::predecessors`] of all others.
        moves: u8,
        /// Whether the side to move loses when all reversible moves lose.
        may_lose: bool,
    },
}

/// The positions of a game with little material, as numbers. Irreversible moves lead to less material;
/// reversible ones keep it.
pub trait Endgames: Sync {
    /// The game.
    type Game: Game;

    /// The pieces of both players, those of the side to move told apart. In text it names the table.
    type Material: Copy + Eq + Hash + Debug + Display + Send + Sync;

    /// Materials with at most `a_side` pieces a side and `in_all` in all, sorted so that irreversible moves
    /// lead to earlier ones. `None` if tables cannot have so many pieces.
    fn materials(&self, a_side: usize, in_all: usize) -> Option<Vec<Self::Material>>;

    /// The material after a reversible move, with the other player to move.
    fn after_reversible(&self, material: Self::Material) -> Self::Material;

    /// The material after an irreversible move; `None` if the game is over then.
    fn after_irreversible(&self, material: Self::Material) -> Option<Self::Material>;

    /// The numbers of the positions of a material are below this.
    fn numbers(&self, material: Self::Material) -> u64;

    /// The position with a number; `None` if it is unused.
    fn position(&self, material: Self::Material, number: u64) -> Option<Self::Game>;

    /// The initial state of the position with a number. `result_after` gives the results after irreversible
    /// moves, by their numbers in [`Endgames::after_irreversible`].
    fn initial(
        &self,
        material: Self::Material,
        number: u64,
        result_after: &impl Fn(u64) -> TableResult,
    ) -> Initial;

    /// Calls `each` with the numbers of the positions from which reversible moves lead to this one.
    fn predecessors(&self, material: Self::Material, number: u64, each: &mut impl FnMut(u64));
}

/// Work that is generic over [`Endgames`].
pub trait EndgamesVisitor {
    /// The result of the work.
    type Output;

    /// Does the work.
    fn visit<E: Endgames>(self, endgames: &E) -> Self::Output;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_numbers() {
        for byte in 0..=u8::MAX {
            match TableResult::from_byte(byte) {
                Some(result) => assert_eq!(result.to_byte(), byte),
                None => assert!(byte >= TableResult::NUMBERS),
            }
        }
        assert_eq!(TableResult::from_byte(TableResult::NUMBERS - 1), Some(TableResult::Win(100)));
        assert_eq!(TableResult::from_byte(101), Some(TableResult::Loss(100)));
    }

    #[test]
    fn a_win_has_to_be_in_time() {
        let limit = Some(100);
        assert_eq!(TableResult::Win(7).at_clock(93, limit), Wdl::Win);
        assert_eq!(TableResult::Win(7).at_clock(94, limit), Wdl::Draw);
        assert_eq!(TableResult::Win(7).at_clock(94, None), Wdl::Win);
        assert_eq!(TableResult::Loss(2).at_clock(98, limit), Wdl::Loss);
        assert_eq!(TableResult::Loss(2).at_clock(99, limit), Wdl::Draw);
        assert_eq!(TableResult::Loss(0).at_clock(500, limit), Wdl::Loss, "the game was over before");
    }
}
