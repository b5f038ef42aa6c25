//! Limited strength: levels of Elo, between strengths that have been measured.

use super::Settings;
use super::options::MAX_SKILL;
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
    /// The level that is asked for: that of `UCI_Elo`, or else that of `Skill Level`, which goes from the lowest
    /// strength up in equal steps. `None` where strength is not limited or has not been measured.
    pub(super) fn asked_for(strengths: &[Strength], settings: &Settings) -> Option<Level> {
        let Settings { limit_strength, elo, skill_level, .. } = *settings;
        if !settings.is_limited() {
            return None;
        }
        let (first, last) = (strengths.first()?.elo, strengths.last()?.elo);
        let by_skill = first + (last - first) * skill_level / MAX_SKILL;
        Level::of(strengths, if limit_strength { elo } else { by_skill })
    }

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
    fn skill_levels_go_up_in_equal_steps() {
        let strengths = [(1000, 100), (3000, 10_000)];
        let strengths = strengths.map(|(elo, nodes)| Strength { elo, nodes, random: 0 });
        let level = |settings: Settings| Level::asked_for(&strengths, &settings);
        let of = |elo| Level::of(&strengths, elo);
        let skill = |skill_level| level(Settings { skill_level, ..Settings::default() });
        assert_eq!([0, 1, 10, 19].map(skill), [1000, 1100, 2000, 2900].map(of));
        assert_eq!(skill(20), None);
        assert_eq!(level(Settings::default()), None);
        let both = Settings { skill_level: 3, limit_strength: true, elo: 1500, ..Settings::default() };
        assert_eq!(level(both), of(1500), "UCI_Elo comes first");
        assert_eq!(Level::asked_for(&[], &Settings { skill_level: 3, ..Settings::default() }), None);
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
