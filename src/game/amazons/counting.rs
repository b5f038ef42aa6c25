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

use std::ops::ControlFlow;

use super::board::{SquareSet, components, flood, squares};

/// The most squares by which a count may be short before the moves are searched.
const MAX_SHORT: i32 = 2;

/// The most nodes of a search for a sequence of moves.
const NODES: u32 = 300;

/// The most empty squares of a small region.
const MAX_SMALL: u32 = 3;

/// The winner, 0 or 1, if a count shows who it is. `amazons` are those of both players, `stm` is to move.
pub(super) fn winner<S: SquareSet>(amazons: [S; 2], empty: S, stm: usize) -> Option<usize> {
    let small: Vec<_> = regions(amazons, empty).filter(Region::is_small).collect();
    let closed = small.iter().fold(S::NONE, |closed, region| closed | region.ground());
    let (amazons, empty) = (amazons.map(|amazons| amazons & !closed), empty & !closed);
    let reached = amazons.map(|amazons| flood(amazons, empty));
    let contested: i32 = small.iter().map(|region| region.empty.count() as i32).sum();
    (0..2).find(|&player| {
        let other = 1 - player;
        let (safe, open) = (reached[player] & !reached[other], reached[other]);
        let needed = i32::from(player == stm);
        let lead = safe.count() as i32 - open.count() as i32;
        if lead + contested + MAX_SHORT < needed {
            return false;
        }
        let small: i32 = small.iter().map(|region| region.least(player)).sum();
        if lead + small + MAX_SHORT < needed {
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
    })
}

/// The regions that arrows close off.
fn regions<S: SquareSet>(amazons: [S; 2], empty: S) -> impl Iterator<Item = Region<S>> {
    components(amazons[0] | amazons[1] | empty)
        .map(move |ground| Region { amazons: amazons.map(|amazons| amazons & ground), empty: empty & ground })
}

/// A region that arrows close off.
#[derive(Clone, Copy)]
struct Region<S> {
    amazons: [S; 2],
    empty: S,
}

impl<S: SquareSet> Region<S> {
    fn ground(&self) -> S {
        self.amazons[0] | self.amazons[1] | self.empty
    }

    /// Whether both players have amazons, and there are few empty squares.
    fn is_small(&self) -> bool {
        self.amazons.iter().all(|&amazons| !amazons.is_none()) && self.empty.count() <= MAX_SMALL
    }

    /// The most spare moves of the opponent with which the player, moving second, wins; negative if it needs
    /// spare moves of its own. With one for each empty square it always wins.
    fn least(&self, player: usize) -> i32 {
        let most = self.empty.count() as i32;
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
            after.amazons[stm] = after.amazons[stm] & !S::square(from) | S::square(to);
            after.empty = (after.empty | S::square(from)) & !(S::square(to) | S::square(arrow));
            after
        };
        for from in squares(self.amazons[stm]) {
            let free = self.empty | S::square(from);
            for to in squares(S::reach(from, self.empty)) {
                if squares(S::reach(to, free)).any(|arrow| !after(from, to, arrow).wins(1 - stm, spare)) {
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
struct Filling<S> {
    amazons: S,
    guards: S,
    empty: S,
}

impl<S: SquareSet> Filling<S> {
    /// Whether sequences of so many moves have been found, all parts together.
    fn has_moves(self, wanted: i32) -> bool {
        // The squares that may be left empty.
        let mut spare = self.reachable().count() as i32 - wanted;
        let mut parts = self.parts().peekable();
        while spare >= 0
            && let Some(part) = parts.next()
        {
            let squares = part.reachable().count();
            let needed = squares.saturating_sub(spare as u32);
            // The last part need not be filled further.
            let enough = if parts.peek().is_some() { squares } else { needed };
            // Shorter sequences are not looked at.
            let search = Search::run(part, needed.saturating_sub(1), enough);
            if search.longest < needed {
                return false;
            }
            spare -= (squares - search.longest) as i32;
        }
        spare >= 0
    }

    /// A number of moves that no sequence exceeds.
    fn most(self) -> u32 {
        let most = |part: Filling<S>| {
            let squares = part.reachable().count();
            let search = Search::run(part, 0, squares);
            if search.nodes > 0 { search.longest } else { squares }
        };
        self.parts().map(most).sum()
    }

    /// The parts that are not connected.
    fn parts(self) -> impl Iterator<Item = Filling<S>> {
        components(self.amazons | self.guards | self.empty).map(move |part| Filling {
            amazons: self.amazons & part,
            guards: self.guards & part,
            empty: self.empty & part,
        })
    }

    /// The squares that can still be filled.
    fn reachable(self) -> S {
        flood(self.amazons | self.guards, self.empty)
    }

    /// What one move can leave of these squares, with the empty neighbours of the square that it fills.
    fn fillings(self, empty: S) -> impl Iterator<Item = (u32, Filling<S>)> {
        let neighbours = |square: u8, left: S| (S::square(square).around() & left).count();
        let moves = squares(self.amazons).flat_map(move |from| {
            let free = empty | S::square(from);
            squares(S::reach(from, empty)).flat_map(move |to| {
                squares(S::reach(to, free)).map(move |arrow| {
                    let amazons = self.amazons & !S::square(from) | S::square(to);
                    let left = free & !(S::square(to) | S::square(arrow));
                    (neighbours(arrow, left), Filling { amazons, empty: left, ..self })
                })
            })
        });
        let steps = squares(self.guards).flat_map(move |from| {
            squares(S::reach(from, empty)).map(move |to| {
                let (amazons, guards) = (self.amazons | S::square(to), self.guards & !S::square(from));
                let left = empty & !S::square(to);
                (neighbours(from, left), Filling { amazons, guards, empty: left })
            })
        });
        moves.chain(steps)
    }
}

/// A search for a long sequence of moves.
struct Search {
    /// The moves of the longest sequence found.
    longest: u32,
    /// So many moves are enough.
    enough: u32,
    /// The nodes left. With some at the end, and fewer moves than enough, there is no longer sequence.
    nodes: u32,
}

impl Search {
    /// Looks for a sequence longer than `longest`.
    fn run<S: SquareSet>(filling: Filling<S>, longest: u32, enough: u32) -> Search {
        let mut search = Search { longest, enough, nodes: NODES };
        search.fill(filling, 0);
        search
    }

    /// Goes on after `made` moves.
    fn fill<S: SquareSet>(&mut self, filling: Filling<S>, made: u32) {
        self.longest = made.max(self.longest);
        let empty = filling.reachable();
        let most = made + empty.count();
        if self.is_over(most) {
            return;
        }
        self.nodes -= 1;
        // Squares with few empty neighbours first: they are the hardest to fill later.
        let mut later = Vec::new();
        let _ = filling.fillings(empty).try_for_each(|(neighbours, after)| {
            match neighbours {
                0 => self.fill(after, made + 1),
                _ => later.push((neighbours, after)),
            }
            if self.is_over(most) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        later.sort_by_key(|(neighbours, _)| *neighbours);
        for (_, after) in later {
            if self.is_over(most) {
                return;
            }
            self.fill(after, made + 1);
        }
    }

    /// Whether there is nothing to look for where no sequence has more than `most` moves.
    fn is_over(&self, most: u32) -> bool {
        self.longest >= self.enough.min(most) || self.nodes == 0
    }
}
