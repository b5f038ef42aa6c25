//! Limited strength: levels of Elo, between strengths that have been measured.

use crate::game::{Strength, mixed};

/// How an engine of limited strength plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Level {
    /// Nodes a move at most.
    pub(super) nodes: u64,
    /// Moves in a thousand that are random.
    random: u32,
}

impl Level {
    /// The level of a strength of `elo`. Between two measured strengths the logarithm of the nodes and the
    /// share of random moves are linear in Elo; outside of all, the nearest one counts. `None` where no
    /// strength has been measured.
    pub(super) fn of(strengths: &[Strength], elo: u32) -> Option<Level> {
        let (first, last) = (strengths.first()?, strengths.last()?);
        let elo = elo.clamp(first.elo, last.elo);
        let above = strengths.iter().position(|strength| elo <= strength.elo)?;
        let (below, above) = (&strengths[above.saturating_sub(1)], &strengths[above]);
        let span = f64::from((above.elo - below.elo).max(1));
        let share = f64::from(elo - below.elo) / span;
        let factor = above.nodes as f64 / below.nodes as f64;
        let random = f64::from(below.random) + share * (f64::from(above.random) - f64::from(below.random));
        Some(Level {
            nodes: (below.nodes as f64 * factor.powf(share)).round() as u64,
            random: random.round() as u32,
        })
    }

    /// Whether this move is a random one. `number` stands for the position, the game and the seed.
    pub(super) fn is_random(self, number: u64) -> bool {
        mixed(!number) % 1_000 < u64::from(self.random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_lie_between_measured_strengths() {
        let strengths = [(1000, 100, 200), (1500, 1_000, 0), (2000, 100_000, 0)]
            .map(|(elo, nodes, random)| Strength { elo, nodes, random });
        for (elo, nodes, random) in [
            (0, 100, 200),
            (1000, 100, 200),
            (1250, 316, 100), // half way from 2 to 3 on the scale of logarithms
            (1500, 1_000, 0),
            (1750, 10_000, 0),
            (2000, 100_000, 0),
            (u32::MAX, 100_000, 0),
        ] {
            assert_eq!(Level::of(&strengths, elo), Some(Level { nodes, random }), "{elo}");
        }
        assert_eq!(Level::of(&[], 1000), None);
    }

    #[test]
    fn the_share_of_random_moves_is_that_of_the_level() {
        for random in [0, 50, 400, 1_000] {
            let level = Level { nodes: 1, random };
            let count = (0..10_000).filter(|&number| level.is_random(number)).count();
            assert!(count.abs_diff(10 * random as usize) < 300, "{random}: {count}");
        }
    }
}
