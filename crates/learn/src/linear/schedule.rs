//! Schedules of a training: learning rate and exploration rate.

/// The decay of the learning rate α over a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decay {
    /// No decay.
    Constant,
    /// `1 / (1 + 10 t)`, where t is the fraction of the games played: 1/2 after a tenth of them.
    Inverse,
    /// Linear, to 0 at the end.
    Linear,
}

impl Decay {
    /// The factor of the learning rate when the fraction `progress` of the games, from 0 to 1, has been
    /// played.
    pub fn factor(self, progress: f64) -> f64 {
        match self {
            Decay::Constant => 1.0,
            Decay::Inverse => 1.0 / (1.0 + 10.0 * progress),
            Decay::Linear => 1.0 - progress,
        }
    }
}

/// The exploration rate: the probability that the opponent plays a random move. It falls over the training
/// along a sigmoid (Neighbours thesis §6.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exploration {
    /// The rate long before the midpoint, from 0 to 1.
    pub start: f64,
    /// The rate long after the midpoint, from 0 to 1.
    pub end: f64,
    /// The fraction of the games, from 0 to 1, at which the rate is the mean of `start` and `end`.
    pub midpoint: f64,
    /// Steepness of the sigmoid: most of the change happens within the fraction 4 / `steepness` of the games.
    pub steepness: f64,
}

impl Exploration {
    /// The rate when the fraction `progress` of the games, from 0 to 1, has been played.
    pub fn rate(&self, progress: f64) -> f64 {
        let left = 1.0 / (1.0 + libm::exp(self.steepness * (progress - self.midpoint)));
        self.end + (self.start - self.end) * left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decay_follows_its_formula() {
        let at = |decay: Decay| [0.0, 0.1, 0.5, 1.0].map(|share| decay.factor(share));
        assert_eq!(at(Decay::Constant), [1.0; 4]);
        assert_eq!(at(Decay::Inverse), [1.0, 0.5, 1.0 / 6.0, 1.0 / 11.0]);
        assert_eq!(at(Decay::Linear), [1.0, 0.9, 0.5, 0.0]);
    }

    #[test]
    fn exploration_falls_from_one_end_to_the_other() {
        let exploration = Exploration { start: 0.9, end: 0.1, midpoint: 0.5, steepness: 20.0 };
        let shares = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| exploration.rate(share));
        assert!(shares.is_sorted_by(|before, after| before > after), "{shares:?}");
        assert!((shares[0] - 0.9).abs() < 1e-3 && (shares[4] - 0.1).abs() < 1e-3, "{shares:?}");
        assert!((shares[2] - 0.5).abs() < 1e-12);
    }
}
