//! The first proof and disproof number of a position, for the solver: estimates of the size of a proof.
//!
//! The fewer moves the bounds lack, and the more squares the player reaches that the opponent does not, the
//! smaller a proof of a win is. The more squares are contested, the longer it is; and the more moves the
//! opponent has, the wider, for all of them have to be refuted. The numbers grow by 5 % with each step. The
//! weights are those with few nodes on 38 positions of 5×5, 6×4, 5×6 and 6×5
//! (`experiments/search-trials.md`, "Solver").

use super::region_bounds::Area;
use labrys_core::game::amazons::board::{SquareSet, squares};

/// Steps for a move that the bounds lack, and for a square of the opponent's lead.
const LEAD: i32 = 20;

/// Steps for a move of an amazon of the opponent.
const MOVE: i32 = 2;

/// Steps for a square that both reach.
const CONTESTED: i32 = 8;

/// Steps for the right to move.
const TEMPO: i32 = 24;

/// The greatest deficit that counts: larger ones are all far from proven.
const MAX_DEFICIT: i32 = 13;

/// The maximum number of steps, more than positions of six files and ranks have. The sum of many of its
/// powers, 5e12, is still less than an infinite proof number.
const MAX_STEPS: usize = 600;

/// Powers of 1.05, one for each number of steps.
static POWERS: [u64; MAX_STEPS + 1] = {
    const FRACTION: u32 = 20;
    let mut powers = [1; MAX_STEPS + 1];
    let (mut power, mut steps) = (1u64 << FRACTION, 0);
    while steps <= MAX_STEPS {
        powers[steps] = power >> FRACTION;
        power += power / 20;
        steps += 1;
    }
    powers
};

/// The squares that the players reach with one move of an amazon in open regions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Squares that White reaches, less those that Black does.
    lead: i32,
    /// Moves of the amazons of White and of Black, the arrows not counted: a square that two amazons reach
    /// counts twice.
    moves: [i32; 2],
    /// Squares that both reach.
    contested: i32,
}

impl Reach {
    /// In these regions.
    #[inline]
    pub(super) fn new<S: SquareSet>(area: &Area<S>) -> Reach {
        let (mut reached, mut moves) = ([S::NONE; 2], [0; 2]);
        for player in [0, 1] {
            for from in squares(area.amazons[player]) {
                let to = S::reach(from, area.empty);
                moves[player] += to.count() as i32;
                reached[player] = reached[player] | to;
            }
        }
        let count = |set: S| set.count() as i32;
        Reach {
            lead: count(reached[0]) - count(reached[1]),
            moves,
            contested: count(reached[0] & reached[1]),
        }
    }
}

/// The proof and disproof number of the side to move, from the moves, at least 1, by which the bounds of
/// White and of Black fail to prove a win, White's lead in closed regions, and what both reach in the others.
#[inline]
pub(super) fn proof_numbers(stm: usize, deficits: [i32; 2], lead: i32, reach: Reach) -> [u64; 2] {
    let number = |player: usize, tempo: i32| {
        let lead = if player == 0 { lead + reach.lead } else { -lead - reach.lead };
        let steps = LEAD * (deficits[player].min(MAX_DEFICIT) - 1 - lead)
            + MOVE * reach.moves[1 - player]
            + CONTESTED * reach.contested
            - tempo;
        POWERS[steps.clamp(0, MAX_STEPS as i32) as usize]
    };
    [number(stm, TEMPO), number(1 - stm, -TEMPO)]
}
