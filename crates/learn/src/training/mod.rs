//! Learning the parameters of nets by gradient descent.
//!
//! - [`NetTrainer`]: parameters and the state of their optimiser; one step for each batch of [`Example`]s;
//! - `settings`: [`TrainingSettings`]; `optimiser`: SGD and Adam;
//! - `pass`: a batch on its way through the net and back; below it `normalisation` (batch normalisation),
//!   `dense` and `heads` (policy, value and their loss).
//!
//! A batch is computed on all threads of the ambient pool of `rayon`. Sums are added up in the same order
//! whatever their number, so that the result is the same to the bit.

mod dense;
mod heads;
mod normalisation;
mod optimiser;
mod pass;
mod settings;

use std::collections::BTreeMap;
use std::path::Path;

pub use heads::Loss;
use optimiser::OptimiserState;
pub use settings::{Optimiser, SettingError, TrainingSettings};

use crate::net_files::save_with_optimiser;
use labrys_core::game::Knowledge;
use labrys_core::nets::{NetError, NetProblem, Parameters};

/// A position to learn from.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The planes of the position.
    pub planes: Vec<f32>,
    /// The indices of its legal moves on the policy, the same number for each move, move after move.
    pub indices: Vec<u32>,
    /// The probability that each move should have; they add up to 1.
    pub policy: Vec<f32>,
    /// The value that the position should have for the side to move, from −1, a loss, to 1, a win.
    pub value: f32,
}

impl Example {
    /// The moves, each by its indices.
    fn moves(&self) -> impl Iterator<Item = &[u32]> {
        // A position to learn from has moves.
        self.indices.chunks_exact(self.indices.len() / self.policy.len())
    }
}

/// The gradient of each parameter that is learned, by its name.
type Gradients = BTreeMap<String, Vec<f32>>;

/// A net that learns: its parameters and the state of their optimiser.
#[derive(Clone, Debug, PartialEq)]
pub struct NetTrainer {
    parameters: Parameters,
    optimiser: OptimiserState,
}

impl NetTrainer {
    /// Begins to train a net.
    pub fn new(parameters: Parameters) -> NetTrainer {
        NetTrainer { parameters, optimiser: OptimiserState::default() }
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Learns from a batch of positions of the net's encoding: one step down the gradient of their mean loss.
    /// Returns the loss before the step. `seed` is that of the dropout.
    ///
    /// # Errors
    /// [`NetProblem::Diverged`] if the loss is not finite, [`NetProblem::Value`] if a parameter would not be;
    /// the parameters are then as before.
    pub fn step(
        &mut self,
        settings: &TrainingSettings,
        batch: &[&Example],
        seed: u64,
    ) -> Result<Loss, NetProblem> {
        let pass::Passed { loss, gradients, moments } =
            pass::forward_and_back(&self.parameters, settings, batch, seed);
        if !loss.total(settings).is_finite() {
            return Err(NetProblem::Diverged { loss: loss.total(settings) });
        }
        let mut next = self.clone();
        next.optimiser.step(settings, &gradients, &mut next.parameters);
        normalisation::update_running(&mut next.parameters, &moments);
        next.parameters.check_values()?;
        *self = next;
        Ok(loss)
    }

    /// Writes parameters and state to a file, from which [`NetTrainer::load`] goes on to the same result.
    ///
    /// # Errors
    /// [`NetError`] with what the system says; the old file stays.
    pub fn save(&self, path: &Path) -> Result<(), NetError> {
        save_with_optimiser(&self.parameters, &self.optimiser.tensors(), path)
    }

    /// Reads a file of a net of the game `G` that learns.
    ///
    /// # Errors
    /// [`NetError`] names the file and what is wrong with it.
    pub fn load<G: Knowledge>(path: &Path) -> Result<NetTrainer, NetError> {
        let (parameters, rest) = Parameters::load_with::<G>(path)?;
        let optimiser = OptimiserState::from_tensors(&parameters, rest)
            .map_err(|problem| NetError::new(path, problem))?;
        Ok(NetTrainer { parameters, optimiser })
    }
}
