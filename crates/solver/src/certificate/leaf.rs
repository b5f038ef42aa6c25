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
        position.moves().into_iter().all(|mv| {
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
        let moves = position.moves();
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
    for mv in position.moves() {
        if search(&position.after(mv), claim, positions)? == is_own {
            return Some(is_own);
        }
    }
    Some(!is_own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_core::game::amazons::Amazons;
    use labrys_core::game::{Color, Game};

    const WHITE: Claim = Claim { player: Color::White, strict: true };
    const BLACK: Claim = Claim { player: Color::Black, strict: true };

    fn position(fen: &str) -> Amazons {
        Amazons::from_fen(fen).unwrap()
    }

    #[test]
    fn a_search_takes_one_position_for_each_that_is_open() {
        for (fen, positions, winner) in [
            // White has no move; one, which wins; one, after which Black has one, which wins.
            ("Qq w", 0, BLACK),
            ("Q1q w", 1, WHITE),
            ("Q1*q1 w", 2, BLACK),
        ] {
            for claim in [WHITE, BLACK] {
                let searched = |mut positions| search(&position(fen), claim, &mut positions);
                assert_eq!(searched(positions), Some(claim == winner), "{fen} {claim:?}");
                assert!(positions == 0 || searched(positions - 1).is_none(), "{fen} {claim:?}");
                let is_proven = Leaves::Searched.prove(&position(fen), claim, &mut KillerReplies::new());
                assert_eq!(is_proven, claim == winner, "{fen} {claim:?}");
            }
        }
        // Of four moves, one wins.
        let mixed = position("Q2q w");
        assert_eq!([WHITE, BLACK].map(|claim| search(&mixed, claim, &mut 100)), [Some(true), Some(false)]);
        assert_eq!(search(&Amazons::start(), WHITE, &mut { SEARCHED }), None);
    }

    #[test]
    fn a_count_proves_a_claim_at_once_or_after_a_reply() {
        for (fen, claim, is_proven) in [
            // Two moves to one.
            ("Q2*q1 w", WHITE, true),
            ("Q2*q1 w", BLACK, false),
            ("Q1*q2 w", BLACK, true),
            ("Q1*q2 w", WHITE, false),
            ("Q2*q1 b", WHITE, true),
            // Black can close the way to the squares in the middle, and White to move can do so first.
            ("Q4q w", WHITE, false),
        ] {
            let found = Leaves::Counted.prove(&position(fen), claim, &mut KillerReplies::new());
            assert_eq!(found, is_proven, "{fen} {claim:?}");
        }
    }

    /// All open positions of one amazon each on three files and two ranks, with the killer replies of those
    /// before.
    #[test]
    fn replies_of_other_positions_prove_nothing_false() {
        let squares = [0, 1, 2, 11, 12, 13].map(|square| 1u128 << square);
        let mut killers = [(); 2].map(|()| KillerReplies::new());
        let mut after_a_reply = 0;
        for (place, arrows) in (0..36).flat_map(|place| (0u32..64).map(move |arrows| (place, arrows))) {
            let amazons = [squares[place / 6], squares[place % 6]];
            let arrows = (0..6).filter(|bit| arrows >> bit & 1 == 1).fold(0, |set, bit| set | squares[bit]);
            if amazons[0] & amazons[1] != 0 || (amazons[0] | amazons[1]) & arrows != 0 {
                continue;
            }
            for (stm, claim) in Color::BOTH.into_iter().flat_map(|stm| [(stm, WHITE), (stm, BLACK)]) {
                let position = Amazons::new((3, 2), amazons, arrows, stm, 0, 1);
                if end(&position).is_some() {
                    continue;
                }
                let children = |position: &Amazons| {
                    position.moves().into_iter().map(|mv| position.after(mv)).collect::<Vec<_>>()
                };
                let has_reply = |child: &Amazons| children(child).iter().any(|child| holds(child, claim));
                let is_counted = position.is_won_by_count(claim.player);
                let is_proven = is_counted
                    || stm != claim.player
                        && children(&position).iter().all(|child| holds(child, claim) || has_reply(child));
                let killers = &mut killers[claim.player.index()];
                let found = Leaves::Counted.prove(&position, claim, killers);
                assert_eq!(found, is_proven, "{} {claim:?}", position.fen());
                after_a_reply += u32::from(is_proven && !is_counted);
            }
        }
        assert!(after_a_reply > 0);
    }

    #[test]
    fn the_end_of_a_game_counts_before_a_count() {
        assert!(holds(&position("Qq w"), BLACK) && !holds(&position("Qq w"), WHITE));
        assert!(holds(&position("Q2*q1 w"), WHITE) && !holds(&position("Q2*q1 w"), BLACK));
    }
}
