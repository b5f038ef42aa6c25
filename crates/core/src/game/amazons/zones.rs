//! Zones: the squares by each player's distance from them. They are inputs of nets; the terms of the module
//! `territory` count the same squares.

use super::board::{reach, squares};
use super::flood::FloodFill;

/// Queen moves that a player needs to reach a square: one, two, more, or it never does.
pub(super) const DISTANCES: usize = 4;

/// King moves by which a player is nearer: one, or more.
pub(super) const LEADS: usize = 2;

/// The empty squares by distance. Players are in the order of the amazons given.
pub(super) struct Zones {
    /// The squares at each of the [`DISTANCES`] from a player.
    pub(super) queens: [[u128; DISTANCES]; 2],
    /// The squares to which a player is nearer than its opponent, by each of the [`LEADS`].
    pub(super) kings: [[u128; LEADS]; 2],
}

impl Zones {
    /// The zones of a position with these amazons of the players and empty squares.
    #[inline]
    pub(super) fn new(amazons: [u128; 2], empty: u128) -> Zones {
        let flood = FloodFill::new(empty);
        let (kings, reachable) = king_leads(&flood, amazons);
        let queens = [0, 1].map(|player| {
            let reach = |reached, square| reached | reach(square, empty);
            let first = squares(amazons[player]).fold(0, reach);
            let second = flood.queens(first, reachable[player] & !first);
            [first, second, reachable[player] & !first & !second, empty & !reachable[player]]
        });
        Zones { queens, kings }
    }
}

/// The leads by king moves, and the squares that each player can reach in any number of moves.
#[inline]
fn king_leads(flood: &FloodFill, amazons: [u128; 2]) -> ([[u128; LEADS]; 2], [u128; 2]) {
    let (mut nearer, mut by_one) = ([0; 2], [0; 2]);
    let mut new = amazons.map(|amazons| flood.kings(amazons));
    let (mut reached, mut last) = ([0; 2], [0; 2]);
    while new != [0; 2] {
        for player in 0..2 {
            let other = 1 - player;
            nearer[player] |= new[player] & !new[other] & !reached[other];
            // The opponent comes one move later.
            by_one[player] |= nearer[player] & last[player] & new[other];
        }
        reached = [reached[0] | new[0], reached[1] | new[1]];
        last = new;
        new = [0, 1].map(|player| flood.kings(new[player]) & !reached[player]);
    }
    ([0, 1].map(|player| [by_one[player], nearer[player] & !by_one[player]]), reached)
}
