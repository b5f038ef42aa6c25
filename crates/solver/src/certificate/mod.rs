//! Certificates: proofs that can be checked with the rules alone.
//!
//! A certificate proves one claim (a player wins, or does not lose) for a win or a loss, and two for a draw.
//! It holds a tree: in each position of the player the move that it plays, in each position of the opponent
//! all replies. A line ends where the rules end the game, in a [leaf](leaf), in a position that has been
//! proven earlier in the file, or in one that another certificate proves. A position counts as proven once
//! its whole tree has been read, so that nothing is proven by itself.
//!
//! **Repetition.** Positions are the same if board, side to move and halfmove clock are. Earlier positions of
//! a line are not part of it, which is right for both claims: see the [solver](super).
//!
//! [`writer`] makes a certificate from a prover, [`verifier`] checks it without one.

mod file;
mod leaf;
#[cfg(test)]
mod tests;
mod verifier;
mod writer;

use labrys_core::game::{Color, Game, GameHistory, Outcome, Wdl, mixed};

pub(super) use file::is_certificate;
pub use file::{CertificateError, Counts, Header, header_of};
pub use leaf::Leaves;
pub use verifier::{Verified, Verifier};
pub(super) use writer::write;
pub use writer::{WriteError, Written};

/// A claim about a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Claim {
    player: Color,
    /// Whether the player wins, not only does not lose.
    strict: bool,
}

impl Claim {
    /// The claims that make up a value, for this side to move.
    fn of(value: Wdl, stm: Color) -> Vec<Claim> {
        match value.winner(stm) {
            Some(player) => vec![Claim { player, strict: true }],
            None => Color::BOTH.map(|player| Claim { player, strict: false }).to_vec(),
        }
    }

    /// Whether a game with this winner is as claimed.
    fn holds(self, winner: Option<Color>) -> bool {
        winner.map_or(!self.strict, |winner| winner == self.player)
    }
}

/// The end of the game by the rules, without earlier positions.
pub(super) fn end<G: Game>(position: &G) -> Option<Outcome> {
    GameHistory::new().outcome(position)
}

/// A hash of a canonical position with its halfmove clock.
pub(super) fn hash<G: Game>(canonical: &G) -> u64 {
    canonical.key() ^ mixed(canonical.halfmove_clock() as u64)
}

/// Whether two canonical positions are the same.
pub(super) fn is_same<G: Game>(one: &G, other: &G) -> bool {
    one.halfmove_clock() == other.halfmove_clock() && one.same_position(other)
}
