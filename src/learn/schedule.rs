//! What changes over a training.

/// How the learning rate α changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decay {
    /// Not at all.
    Constant,
    /// As 1/t: half of it is left after a tenth of the games, a third after two tenths.
    Inverse,
    /// In a straight line, to nothing at the end.
    Linear,
}

impl Decay {
    /// What is left of the rate when a share of the games, from 0 to 1, has been played.
    pub fn factor(self, share: f64) -> f64 {
        match self {
            Decay::Constant => 1.0,
            Decay::Inverse => 1.0 / (1.0 + 10.0 * share),
            Decay::Linear => 1.0 - share,
        }
    }
}

/// How likely the opponent plays any move instead of its best: a falling sigmoid (Neighbours thesis §6.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exploration {
    /// The likelihood well before the middle …
    pub start: f64,
    /// … and well behind it.
    pub end: f64,
    /// The share of the games at which it is half way.
    pub midpoint: f64,
    /// How steeply it falls there: most of the way lies within 4 / `steepness` of the games.
    pub steepness: f64,
}

impl Exploration {
    /// The likelihood when a share of the games, from 0 to 1, has been played.
    pub fn probability(&self, share: f64) -> f64 {
        let left = 1.0 / (1.0 + libm::exp(self.steepness * (share - self.midpoint)));
        self.end + (self.start - self.end) * left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_fall_as_they_are_named() {
        let at = |decay: Decay| [0.0, 0.1, 0.5, 1.0].map(|share| decay.factor(share));
        assert_eq!(at(Decay::Constant), [1.0; 4]);
        assert_eq!(at(Decay::Inverse), [1.0, 0.5, 1.0 / 6.0, 1.0 / 11.0]);
        assert_eq!(at(Decay::Linear), [1.0, 0.9, 0.5, 0.0]);
    }

    #[test]
    fn exploration_falls_from_one_end_to_the_other() {
        let exploration = Exploration { start: 0.9, end: 0.1, midpoint: 0.5, steepness: 20.0 };
        let shares = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| exploration.probability(share));
        assert!(shares.is_sorted_by(|before, after| before > after), "{shares:?}");
        assert!((shares[0] - 0.9).abs() < 1e-3 && (shares[4] - 0.1).abs() < 1e-3, "{shares:?}");
        assert!((shares[2] - 0.5).abs() < 1e-12);
    }
}
