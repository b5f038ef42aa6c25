//! Small regions closed off by arrows.

use labrys_core::game::amazons::board::{SquareSet, components, squares};

/// The maximum number of empty squares of a small region.
const MAX_SMALL: u32 = 3;

/// A region closed off by arrows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region<S> {
    amazons: [S; 2],
    empty: S,
}

/// The regions with amazons of both players and few empty squares.
pub(super) fn small_regions<S: SquareSet>(amazons: [S; 2], empty: S) -> impl Iterator<Item = Region<S>> {
    components(amazons[0] | amazons[1] | empty)
        .map(move |ground| Region { amazons: amazons.map(|amazons| amazons & ground), empty: empty & ground })
        .filter(|region| {
            region.amazons.iter().all(|&amazons| !amazons.is_none()) && region.empty.count() <= MAX_SMALL
        })
}

impl<S: SquareSet> Region<S> {
    pub(super) fn ground(&self) -> S {
        self.amazons[0] | self.amazons[1] | self.empty
    }

    /// The number of empty squares.
    pub(super) fn squares(&self) -> u32 {
        self.empty.count()
    }

    /// The maximum number of spare moves of the opponent with which the player, moving second, wins; negative
    /// if it needs spare moves of its own.
    ///
    /// The opponent moves in the region, or makes a spare move. Then the player has to win with one spare
    /// move of the opponent less, by a move in the region.
    pub(super) fn least(&self, player: usize) -> i32 {
        if self.empty.without_first().is_none() {
            return if self.reaches(1 - player) { -1 } else { i32::from(self.reaches(player)) };
        }
        let worst = self.greatest(1 - player, |after| -after.least_to_move(player)).map(|worst| -worst);
        if let Some(worst) = worst
            && worst <= 0
        {
            return worst;
        }
        let best = self.greatest(player, |after| after.least(player));
        let with_spare = best.map_or(0, |best| (best + 1).max(0));
        worst.map_or(with_spare, |worst| worst.min(with_spare))
    }

    /// The same for the player moving first: it moves in the region, or makes a spare move, if it has one.
    fn least_to_move(&self, player: usize) -> i32 {
        if self.empty.without_first().is_none() {
            return if self.reaches(player) { 0 } else { self.least(player) - 1 };
        }
        match self.greatest(player, |after| after.least(player)) {
            Some(best) if best >= -1 => best,
            best => best.unwrap_or(i32::MIN).max(self.least(player).min(0) - 1),
        }
    }

    /// Whether a player can move onto the only empty square.
    fn reaches(&self, player: usize) -> bool {
        !(self.amazons[player].around() & self.empty).is_none()
    }

    /// The maximum value of the regions after the moves of a player, if there are any.
    #[inline]
    fn greatest(&self, stm: usize, value: impl Fn(Region<S>) -> i32) -> Option<i32> {
        let mut greatest = None;
        for from in squares(self.amazons[stm]) {
            let free = self.empty | S::square(from);
            for to in squares(S::reach(from, self.empty)) {
                let mut after = *self;
                after.amazons[stm] = after.amazons[stm] & !S::square(from) | S::square(to);
                for arrow in squares(S::reach(to, free)) {
                    after.empty = free & !(S::square(to) | S::square(arrow));
                    greatest = greatest.max(Some(value(after)));
                }
            }
        }
        greatest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_core::game::mixed;

    impl Region<u64> {
        /// Whether the player to move wins with spare moves of both beside the region, by all moves.
        fn wins(&self, stm: usize, mut spare: [u32; 2]) -> bool {
            self.greatest(stm, |after| i32::from(!after.wins(1 - stm, spare))) == Some(1)
                || spare[stm] > 0 && {
                    spare[stm] -= 1;
                    !self.wins(1 - stm, spare)
                }
        }
    }

    #[test]
    fn spare_moves_are_counted_right() {
        /// Empty squares: more than in small regions, so that there are zugzwangs.
        const MAX_EMPTY: u32 = 4;
        let (mut random, mut seen) = (1, [0; 2 * MAX_EMPTY as usize + 1]);
        for _ in 0..20_000 {
            random = mixed(random);
            // Twelve squares in three rows: each is an amazon, empty, or an arrow.
            let set = |bits: u32| {
                let rows = random >> bits;
                rows & 0x0F | (rows & 0xF0) << 4 | (rows & 0x0F00) << 8
            };
            let (first, second) = (set(0) & set(12), set(24) & set(36) & !set(0));
            let empty = set(48) & !(first | second);
            if empty.count() > MAX_EMPTY {
                continue;
            }
            let region = Region { amazons: [first, second], empty };
            for player in 0..2 {
                let least = region.least(player);
                seen[(least + MAX_EMPTY as i32) as usize] += 1;
                let wins = |lead: i32| {
                    let mut spare = [0; 2];
                    spare[if lead < 0 { player } else { 1 - player }] = lead.unsigned_abs();
                    !region.wins(1 - player, spare)
                };
                assert!(wins(least) && !wins(least + 1), "{region:?}");
            }
        }
        assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
    }
}
