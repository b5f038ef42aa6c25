//! Leaves of certificates: positions whose value the reader finds without help.

use super::{Claim, end};
use crate::game::Solvable;

/// The most positions of the search that ends a line by the rules alone.
const SEARCHED: u32 = 200;

/// By what a certificate may end a line before the end of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leaves {
    /// A short search by the rules alone.
    #[default]
    Rules,
    /// A count of moves ([`Solvable::counted_winner`]), too.
    Counting,
}

/// A kind of leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// A search of all moves, of a limited number of positions, has the result.
    Searched,
    /// A count of moves has it.
    Counted,
}

impl Leaf {
    /// The kind of leaf that a position of this claim is, if it is one.
    pub(super) fn of<G: Solvable>(position: &G, claim: Claim, leaves: Leaves) -> Option<Leaf> {
        if leaves == Leaves::Counting && Leaf::Counted.proves(position, claim) {
            return Some(Leaf::Counted);
        }
        Leaf::Searched.proves(position, claim).then_some(Leaf::Searched)
    }

    /// Whether the claim is proven in this way.
    pub(super) fn proves<G: Solvable>(self, position: &G, claim: Claim) -> bool {
        match self {
            Leaf::Searched => {
                let n = std::env::var("SEARCHED").ok().and_then(|t| t.parse().ok()).unwrap_or(SEARCHED);
                search(position, claim, &mut { n }) == Some(true)
            }
            Leaf::Counted => position.counted_winner().is_some_and(|winner| claim.holds(Some(winner))),
        }
    }
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
        let mut child = position.clone();
        child.play(mv);
        if search(&child, claim, positions)? == is_own {
            return Some(is_own);
        }
    }
    Some(!is_own)
}
