//! The settings of gradient descent.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The optimiser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Optimiser {
    /// Stochastic gradient descent with momentum, as in the chess-zero paper.
    Sgd,
    /// Adam (D. Kingma and J. Ba, 2015).
    Adam,
}

/// Settings of the training of a net.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingSettings {
    /// The optimiser.
    pub optimiser: Optimiser,
    /// The learning rate, above 0.
    pub rate: f32,
    /// Steps over which the learning rate rises from 0 to its value. With large first steps Adam drives all
    /// values to ±1, where tanh has no slope: nets of Neighbours never recovered.
    pub warmup: u32,
    /// The momentum of SGD, or β₁ of Adam, from 0 to below 1.
    pub momentum: f32,
    /// Weight decay: the factor c of the penalty `c‖θ‖²`, at least 0.
    pub decay: f32,
    /// The dropout rate of the dense layers, from 0 to below 1.
    pub dropout: f32,
    /// The weight of the value loss relative to that of the policy, at least 0.
    pub value_weight: f32,
}

impl Default for TrainingSettings {
    fn default() -> Self {
        TrainingSettings {
            optimiser: Optimiser::Adam,
            rate: 0.001,
            warmup: 200,
            momentum: 0.9,
            decay: 1e-4,
            dropout: 0.0,
            value_weight: 1.0,
        }
    }
}

/// A setting out of its range.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{name}: {found} is not {expected}")]
pub struct SettingError {
    /// The setting.
    pub name: &'static str,
    /// Its value.
    pub found: f32,
    /// What it has to be.
    pub expected: &'static str,
}

impl TrainingSettings {
    /// Checks that all settings are in their ranges.
    ///
    /// # Errors
    /// [`SettingError`] names the first one that is not.
    pub fn check(&self) -> Result<(), SettingError> {
        let TrainingSettings { optimiser: _, rate, warmup: _, momentum, decay, dropout, value_weight } =
            *self;
        let at_least_0 = |value: f32| value >= 0.0 && value.is_finite();
        let share = |value: f32| (0.0..1.0).contains(&value);
        let checks = [
            ("rate", rate, at_least_0(rate) && rate > 0.0, "above 0"),
            ("momentum", momentum, share(momentum), "from 0 to below 1"),
            ("decay", decay, at_least_0(decay), "at least 0"),
            ("dropout", dropout, share(dropout), "from 0 to below 1"),
            ("value_weight", value_weight, at_least_0(value_weight), "at least 0"),
        ];
        match checks.into_iter().find(|&(_, _, is_good, _)| !is_good) {
            None => Ok(()),
            Some((name, found, _, expected)) => Err(SettingError { name, found, expected }),
        }
    }
}
