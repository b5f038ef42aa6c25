//! Leaves of certificates: positions whose value the verifier computes.

use super::{Claim, end};
use crate::Solvable;
use labrys_core::game::GameMove;

/// The maximum number of positions of the search that ends a line by the rules alone.
const SEARCHED: u32 = 100;

/// The maximum number of killer replies.
const MAX_KILLERS: usize = 16;

/// How a certificate ends a line before the end of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leaves {
    /// By the rules alone: a search of all moves, of a limited number of positions, has the result.
    #[default]
    Searched,
    /// A count of moves has it ([`Solvable::is_won_by_count`]): at once, or, if the loser is to move, after
    /// each of its moves or after a reply.
    Counted,
}

impl Leaves {
    /// Whether the claim is proven in this position, so that a line may end.
    pub(super) fn prove<G: Solvable>(
        self,
        position: &G,
        claim: Claim,
        killers: &mut KillerReplies<G::Move>,
    ) -> bool {
        match self {
            Leaves::Searched => search(position, claim, &mut { SEARCHED }) == Some(true),
            Leaves::Counted if position.side_to_move() == claim.player => {
                position.is_won_by_count(claim.player)
            }
            Leaves::Counted => position.is_won_by_count(claim.player) || killers.show(position, claim),
        }
    }
}

/// Killer replies to moves of the loser, after which a count has proven a claim, the last one at the end.
#[derive(Debug)]
pub(super) struct KillerReplies<M>(Vec<M>);

impl<M: GameMove> KillerReplies<M> {
    pub(super) fn new() -> KillerReplies<M> {
        KillerReplies(Vec::with_capacity(MAX_KILLERS + 1))
    }

    /// Whether a count proves the claim after each move of the loser, who is to move, or after a reply to it.
    fn show<G: Solvable<Move = M>>(&mut self, position: &G, claim: Claim) -> bool {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        moves.into_iter().all(|mv| {
            let child = position.after(mv);
            holds(&child, claim) || self.answer(&child, claim)
        })
    }

    /// Whether a count proves the claim after a move of the player.
    fn answer<G: Solvable<Move = M>>(&mut self, position: &G, claim: Claim) -> bool {
        let known =
            |&place: &usize| position.is_legal(self.0[place]) && holds(&position.after(self.0[place]), claim);
        if let Some(place) = (0..self.0.len()).rev().find(known) {
            self.0[place..].rotate_left(1);
            return true;
        }
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let found = moves.into_iter().find(|mv| !self.0.contains(mv) && holds(&position.after(*mv), claim));
        self.0.extend(found);
        if self.0.len() > MAX_KILLERS {
            self.0.remove(0);
        }
        found.is_some()
    }
}

/// Whether a claim is true by the rules, if they have ended the game, or by a count of moves.
fn holds<G: Solvable>(position: &G, claim: Claim) -> bool {
    end(position)
        .map_or_else(|| position.is_won_by_count(claim.player), |outcome| claim.holds(outcome.winner))
}

/// Whether the claim is true, by a search of all moves; `None` if it takes more than `positions` positions.
fn search<G: Solvable>(position: &G, claim: Claim, positions: &mut u32) -> Option<bool> {
    if let Some(outcome) = end(position) {
        return Some(claim.holds(outcome.winner));
    }
    *positions = positions.checked_sub(1)?;
    let is_own = position.side_to_move() == claim.player;
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    for mv in moves {
        if search(&position.after(mv), claim, positions)? == is_own {
            return Some(is_own);
        }
    }
    Some(!is_own)
}
