//! A proof by counting moves: the lemma by which certificates may end.
//!
//! It shares only queen moves with the bounds of the solver, so that a bug there does not confirm itself.
//! (The lemma: M. Müller, "Solving 5×5 Amazons", 2001. Guards: J. Song and M. Müller, "An enhanced solver for
//! the game of Amazons", 2014, where they are called blockers. `docs/certificates.md` has the proof.)
//!
//! **Lemma.** Call a square of a player safe if the player's amazons reach it over empty squares in any
//! number of moves while all amazons stay, and the opponent's do not. Let the player keep to moves from safe
//! squares to safe squares with an arrow on a safe square. Its amazons next to an amazon of the opponent, or
//! to a square that the opponent reaches, are guards: a guard stays, or it goes to a safe square and shoots
//! at the square that it has left. Then the opponent never enters a safe square. So the opponent has at most
//! as many moves as its amazons could make on the squares that they reach if they were alone there, and the
//! player has at least as many as it finds on its safe squares. With equal numbers of moves the side to move
//! loses.
//!
//! **Small regions.** Regions closed off by arrows are independent. If the player, moving second, wins a
//! region with n spare moves of the opponent beside it, the region counts for at least n moves of the player:
//! it answers where the opponent has moved. In regions with few empty squares n is found by trying all moves.

mod filling;
mod region;

pub(super) use filling::CachedSquares;

use filling::Filling;
use region::small_regions;

use labrys_core::game::amazons::board::floods;

/// The maximum number of squares by which a count may be short before the moves are searched.
const MAX_SHORT: i32 = 2;

/// Whether a count shows that a player, 0 or 1, wins. `amazons` are those of both players, `stm` is to move.
pub(super) fn wins<S: CachedSquares>(amazons: [S; 2], empty: S, stm: usize, player: usize) -> bool {
    let (other, needed) = (1 - player, i32::from(player == stm));
    let small: Vec<_> = small_regions(amazons, empty).collect();
    let closed = small.iter().fold(S::NONE, |closed, region| closed | region.ground());
    let (amazons, empty) = (amazons.map(|amazons| amazons & !closed), empty & !closed);
    let reached = floods(amazons, empty);
    let (safe, open) = (reached[player] & !reached[other], reached[other]);
    let lead = safe.count() as i32 - open.count() as i32;
    let is_far = |small: i32| lead + small + MAX_SHORT < needed;
    if is_far(small.iter().map(|region| region.squares() as i32).sum()) {
        return false;
    }
    let small = small.iter().map(|region| region.least(player)).sum();
    if is_far(small) {
        return false;
    }
    let guards = amazons[player] & (open | amazons[other]).around();
    let own = Filling { amazons: amazons[player] & !guards, guards, empty: safe };
    let alone = Filling { amazons: amazons[other], guards: S::NONE, empty: open };
    let exceeds = |moves: u32| own.has_moves(moves as i32 + needed - small);
    // The opponent may have fewer moves than squares.
    exceeds(open.count()) || {
        let most = alone.most();
        most < open.count() && exceeds(most)
    }
}
