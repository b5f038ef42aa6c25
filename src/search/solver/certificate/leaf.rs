//! Leaves of certificates: positions whose value the reader finds without help.

use super::super::prover::after;
use super::{Claim, end};
use crate::game::Solvable;

/// The most positions of the search that ends a line by the rules alone.
const SEARCHED: u32 = 100;

/// How a certificate ends a line before the end of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leaves {
    /// By the rules alone: a search of all moves, of a limited number of positions, has the result.
    #[default]
    Searched,
    /// A count of moves has it ([`Solvable::counted_winner`]): at once, or, where the loser is to move, after
    /// each of its moves or after an answer to it.
    Counted,
}

impl Leaves {
    /// Whether a line may end in this position as the claim is proven there.
    pub(super) fn prove<G: Solvable>(self, position: &G, claim: Claim) -> bool {
        match self {
            Leaves::Searched => search(position, claim, &mut { SEARCHED }) == Some(true),
            Leaves::Counted => {
                let is_own = position.side_to_move() == claim.player;
                counted(position, claim, if is_own { 0 } else { 2 })
            }
        }
    }
}

/// Whether a count of moves shows that the claim is true, at most so many plies ahead.
fn counted<G: Solvable>(position: &G, claim: Claim, plies: u32) -> bool {
    if let Some(winner) = position.counted_winner() {
        return claim.holds(Some(winner));
    }
    let Some(plies) = plies.checked_sub(1) else { return false };
    let holds = |mv: G::Move| {
        let child = after(position, mv);
        end(&child).map_or_else(|| counted(&child, claim, plies), |outcome| claim.holds(outcome.winner))
    };
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let mut moves = moves.into_iter();
    if position.side_to_move() == claim.player { moves.any(holds) } else { moves.all(holds) }
}

/// Whether the claim is true, by a search of all moves; `None` if it takes more than so many positions.
fn search<G: Solvable>(position: &G, claim: Claim, positions: &mut u32) -> Option<bool> {
    if let Some(outcome) = end(position) {
        return Some(claim.holds(outcome.winner));
    }
    *positions = positions.checked_sub(1)?;
    let is_own = position.side_to_move() == claim.player;
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    for mv in moves {
        if search(&after(position, mv), claim, positions)? == is_own {
            return Some(is_own);
        }
    }
    Some(!is_own)
}
