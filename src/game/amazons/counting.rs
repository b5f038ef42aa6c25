//! A count of moves that shows who wins: the lemma by which certificates may end.
//!
//! It shares nothing with the bounds of the solver's search but the moves of a queen, so that a mistake there
//! does not confirm itself. (The lemma: M. Müller, "Solving 5×5 Amazons", 2001. Guards: J. Song and M.
//! Müller, "An enhanced solver for the game of Amazons", 2014, where they are called blockers.)
//!
//! **Lemma.** Call a square of a player safe if the player's amazons reach it over empty squares in any
//! number of moves while all amazons stay, and the opponent's do not. Let the player keep to moves from safe
//! squares to safe squares with an arrow on a safe square. Its amazons next to an amazon of the opponent, or
//! to a square that the opponent reaches, are guards: a guard stays, or it goes to a safe square and shoots
//! at the square that it has left. Then the opponent never enters a safe square. So the opponent has at most
//! as many moves as its amazons could make on the squares that they reach if they were alone there, and the
//! player has at least as many as it finds on its safe squares. With the same number of moves left, who has
//! to move loses.
//!
//! **Small regions.** Nothing that happens in a region that arrows close off changes the others. If the player,
//! moving second, wins a region with n spare moves of the opponent beside it, the region counts for at least n
//! moves of the player: it answers where the opponent has moved. In regions with few empty squares n is found
//! by trying all moves.

use super::board::{around, components, flood, reach, squares};

/// The most squares by which a count may be short before the moves are searched.
const MAX_SHORT: i32 = 2;

/// The most nodes of a search for a sequence of moves.
const NODES: u32 = 300;

/// The most empty squares of a small region.
const MAX_SMALL: u32 = 3;

/// The winner, 0 or 1, if a count shows who it is. `amazons` are those of both players, `stm` is to move.
pub(super) fn winner(amazons: [u128; 2], empty: u128, stm: usize) -> Option<usize> {
    let small: Vec<_> = regions(amazons, empty).filter(Region::is_small).collect();
    let closed = small.iter().fold(0, |closed, region| closed | region.ground());
    let (amazons, empty) = (amazons.map(|amazons| amazons & !closed), empty & !closed);
    let reached = amazons.map(|amazons| flood(amazons, empty));
    let contested: i32 = small.iter().map(|region| region.empty.count_ones() as i32).sum();
    (0..2).find(|&player| {
        let other = 1 - player;
        let (safe, open) = (reached[player] & !reached[other], reached[other]);
        let needed = i32::from(player == stm);
        let lead = safe.count_ones() as i32 - open.count_ones() as i32;
        if lead + contested + MAX_SHORT < needed {
            return false;
        }
        let small: i32 = small.iter().map(|region| region.least(player)).sum();
        if lead + small + MAX_SHORT < needed {
            return false;
        }
        let guards = amazons[player] & around(open | amazons[other]);
        let own = Filling { amazons: amazons[player] & !guards, guards, empty: safe };
        let alone = Filling { amazons: amazons[other], guards: 0, empty: open };
        let exceeds = |moves: u32| own.has_moves(moves as i32 + needed - small);
        // The opponent may have fewer moves than squares.
        exceeds(open.count_ones()) || {
            let most = alone.most();
            most < open.count_ones() && exceeds(most)
        }
    })
}

/// The regions that arrows close off.
fn regions(amazons: [u128; 2], empty: u128) -> impl Iterator<Item = Region> {
    components(amazons[0] | amazons[1] | empty)
        .map(move |ground| Region { amazons: amazons.map(|amazons| amazons & ground), empty: empty & ground })
}

/// A region that arrows close off.
#[derive(Clone, Copy)]
struct Region {
    amazons: [u128; 2],
    empty: u128,
}

impl Region {
    fn ground(&self) -> u128 {
        self.amazons[0] | self.amazons[1] | self.empty
    }

    /// Whether both players have amazons, and there are few empty squares.
    fn is_small(&self) -> bool {
        self.amazons.iter().all(|&amazons| amazons != 0) && self.empty.count_ones() <= MAX_SMALL
    }

    /// The most spare moves of the opponent with which the player, moving second, wins; negative if it needs
    /// spare moves of its own. With one for each empty square it always wins.
    fn least(&self, player: usize) -> i32 {
        let most = self.empty.count_ones() as i32;
        let spare = |lead: i32| {
            let mut spare = [0; 2];
            spare[if lead < 0 { player } else { 1 - player }] = lead.unsigned_abs();
            spare
        };
        (-most..=most).rev().find(|&lead| !self.wins(1 - player, spare(lead))).unwrap_or(-most)
    }

    /// Whether the player to move wins with spare moves of both beside the region.
    fn wins(&self, stm: usize, mut spare: [u32; 2]) -> bool {
        let after = |from: u8, to: u8, arrow: u8| {
            let mut after = *self;
            after.amazons[stm] = after.amazons[stm] & !(1 << from) | 1 << to;
            after.empty = (after.empty | 1 << from) & !(1 << to | 1 << arrow);
            after
        };
        for from in squares(self.amazons[stm]) {
            let free = self.empty | 1 << from;
            for to in squares(reach(from, self.empty)) {
                if squares(reach(to, free)).any(|arrow| !after(from, to, arrow).wins(1 - stm, spare)) {
                    return true;
                }
            }
        }
        spare[stm] > 0 && {
            spare[stm] -= 1;
            !self.wins(1 - stm, spare)
        }
    }
}

/// Squares that one player fills.
#[derive(Clone, Copy)]
struct Filling {
    amazons: u128,
    guards: u128,
    empty: u128,
}

impl Filling {
    /// Whether sequences of so many moves have been found, all parts together.
    fn has_moves(self, wanted: i32) -> bool {
        let parts = || self.parts().map(|part| (part, part.reachable().count_ones() as i32));
        // The squares that may be left empty.
        let mut spare = parts().map(|(_, squares)| squares).sum::<i32>() - wanted;
        spare >= 0
            && parts().all(|(part, squares)| {
                let needed = (squares - spare).max(0) as u32;
                // Shorter sequences are not looked at.
                let mut longest = needed.saturating_sub(1);
                part.search(0, &mut longest, &mut { NODES });
                spare -= squares - longest as i32;
                longest >= needed
            })
    }

    /// A number of moves that no sequence exceeds.
    fn most(self) -> u32 {
        let most = |part: Filling| {
            let (mut longest, mut nodes) = (0, NODES);
            part.search(0, &mut longest, &mut nodes);
            if nodes > 0 { longest } else { part.reachable().count_ones() }
        };
        self.parts().map(most).sum()
    }

    /// The parts that are not connected.
    fn parts(self) -> impl Iterator<Item = Filling> {
        components(self.amazons | self.guards | self.empty).map(move |part| Filling {
            amazons: self.amazons & part,
            guards: self.guards & part,
            empty: self.empty & part,
        })
    }

    /// The squares that can still be filled.
    fn reachable(self) -> u128 {
        flood(self.amazons | self.guards, self.empty)
    }

    /// Looks for a sequence longer than `longest`, after `made` moves. With nodes left over at the end, there
    /// is none.
    fn search(self, made: u32, longest: &mut u32, nodes: &mut u32) {
        *longest = made.max(*longest);
        let empty = self.reachable();
        if made + empty.count_ones() <= *longest || *nodes == 0 {
            return;
        }
        *nodes -= 1;
        if *nodes == 0 {
            return;
        }
        // Squares with few empty neighbours first: they are the hardest to fill later.
        let mut later = Vec::new();
        for (neighbours, after) in self.fillings(empty) {
            if neighbours > 0 {
                later.push((neighbours, after));
                continue;
            }
            after.search(made + 1, longest, nodes);
            if made + empty.count_ones() <= *longest || *nodes == 0 {
                return;
            }
        }
        later.sort_by_key(|(neighbours, _)| *neighbours);
        for (_, after) in later {
            after.search(made + 1, longest, nodes);
            if made + empty.count_ones() <= *longest || *nodes == 0 {
                return;
            }
        }
    }

    /// What one move can leave of these squares, with the empty neighbours of the square that it fills.
    fn fillings(self, empty: u128) -> impl Iterator<Item = (u32, Filling)> {
        let neighbours = |square: u8, left: u128| (around(1 << square) & left).count_ones();
        let moves = squares(self.amazons).flat_map(move |from| {
            let free = empty | 1 << from;
            squares(reach(from, empty)).flat_map(move |to| {
                squares(reach(to, free)).map(move |arrow| {
                    let amazons = self.amazons & !(1 << from) | 1 << to;
                    let left = free & !(1 << to | 1 << arrow);
                    (neighbours(arrow, left), Filling { amazons, empty: left, ..self })
                })
            })
        });
        let steps = squares(self.guards).flat_map(move |from| {
            squares(reach(from, empty)).map(move |to| {
                let (amazons, guards) = (self.amazons | 1 << to, self.guards & !(1 << from));
                let left = empty & !(1 << to);
                (neighbours(from, left), Filling { amazons, guards, empty: left })
            })
        });
        moves.chain(steps)
    }
}
