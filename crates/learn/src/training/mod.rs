//! Learning the parameters of nets by gradient descent.
//!
//! - [`NetTrainer`]: parameters and the state of their optimiser; one step for each batch of [`Example`]s;
//! - `settings`: [`TrainingSettings`]; `optimiser`: SGD and Adam;
//! - `pass`: the forward and backward pass of a batch, with `normalisation` (batch normalisation), `dense` and
//!   `heads` (policy, value and their loss).
//!
//! A batch is computed on all threads of the current `rayon` pool. Sums are added in the same order whatever
//! the number of threads, so that the result is the same to the bit.

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
    /// The policy indices of its legal moves, move by move, the same number for each.
    pub indices: Vec<u32>,
    /// The target probability of each move; they sum to 1.
    pub policy: Vec<f32>,
    /// The target value for the side to move, from −1, a loss, to 1, a win.
    pub value: f32,
}

impl Example {
    /// The moves, each by its indices.
    fn moves(&self) -> impl Iterator<Item = &[u32]> {
        // A position to learn from has moves.
        self.indices.chunks_exact(self.indices.len() / self.policy.len())
    }
}

/// The gradient of each learned parameter, by name.
type Gradients = BTreeMap<String, Vec<f32>>;

/// A net in training: its parameters and the state of the optimiser.
#[derive(Clone, Debug, PartialEq)]
pub struct NetTrainer {
    parameters: Parameters,
    optimiser: OptimiserState,
}

impl NetTrainer {
    /// Starts to train a net.
    pub fn new(parameters: Parameters) -> NetTrainer {
        NetTrainer { parameters, optimiser: OptimiserState::default() }
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Learns from a batch of positions in the encoding of the net: one step of gradient descent on their mean
    /// loss. Returns the loss before the step. `seed` is the seed of the dropout.
    ///
    /// # Errors
    /// [`NetProblem::Diverged`] if the loss is not finite, [`NetProblem::Value`] if a parameter would not be;
    /// the parameters are then unchanged.
    pub fn step(
        &mut self,
        settings: &TrainingSettings,
        batch: &[&Example],
        seed: u64,
    ) -> Result<Loss, NetProblem> {
        let pass::BatchResult { loss, gradients, moments } =
            pass::forward_backward(&self.parameters, settings, batch, seed);
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

    /// Writes the parameters and the state of the optimiser to a file.
    ///
    /// # Errors
    /// [`NetError`] names the file; an existing file is left unchanged.
    pub fn save(&self, path: &Path) -> Result<(), NetError> {
        save_with_optimiser(&self.parameters, &self.optimiser.tensors(), path)
    }

    /// Reads a file written by [`NetTrainer::save`], of a net of the game `G`.
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
