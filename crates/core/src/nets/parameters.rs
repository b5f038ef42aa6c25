//! The raw parameters of a net.

use std::collections::{BTreeMap, BTreeSet};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::config::{Init, ParameterSpec};
use super::{NetConfig, NetProblem, SizeError};
use crate::game::Knowledge;

/// A parameter: numbers in the order of their indices, the last one running fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// The ranges of the indices.
    pub shape: Vec<usize>,
    /// The numbers, as many as the product of the ranges.
    pub values: Vec<f32>,
}

/// The raw parameters of a net for a game, as they are learned: weights, biases, and the statistics of batch
/// normalisation. They are exactly those of the configuration, and all are finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    pub(super) game: String,
    pub(super) encoding: u32,
    pub(super) config: NetConfig,
    pub(super) provenance: String,
    pub(super) tensors: BTreeMap<String, Tensor>,
}

impl Parameters {
    /// Parameters for a game, with their provenance.
    ///
    /// # Errors
    /// [`NetProblem`] names a size that is out of its range, or a parameter that is missing, unknown, of the
    /// wrong shape or not a number.
    pub fn new<G: Knowledge>(
        config: NetConfig,
        provenance: String,
        tensors: BTreeMap<String, Tensor>,
    ) -> Result<Parameters, NetProblem> {
        Parameters::of_game(G::info().name, G::ENCODING_VERSION, config, provenance, tensors)
    }

    /// The same for a game by name, with the version of its encoding.
    pub(super) fn of_game(
        game: &str,
        encoding: u32,
        config: NetConfig,
        provenance: String,
        tensors: BTreeMap<String, Tensor>,
    ) -> Result<Parameters, NetProblem> {
        config.check()?;
        let specs = config.parameters();
        let known: BTreeSet<_> = specs.iter().map(|spec| spec.name.as_str()).collect();
        if let Some(name) = tensors.keys().find(|name| !known.contains(name.as_str())) {
            return Err(NetProblem::Unknown { name: name.clone() });
        }
        for ParameterSpec { name, shape: expected, .. } in specs {
            let Some(Tensor { shape, values }) = tensors.get(&name) else {
                return Err(NetProblem::Missing { name });
            };
            if *shape != expected || values.len() != expected.iter().product::<usize>() {
                return Err(NetProblem::Shape { name, found: shape.clone(), expected });
            }
        }
        let parameters = Parameters { game: game.to_owned(), encoding, config, provenance, tensors };
        parameters.check_values()?;
        Ok(parameters)
    }

    /// Checks that all numbers are finite and no variance is negative.
    pub fn check_values(&self) -> Result<(), NetProblem> {
        for ParameterSpec { name, is_variance, .. } in self.config.parameters() {
            let is_bad = |value: &&f32| !value.is_finite() || is_variance && **value < 0.0;
            if let Some(&found) = self.values(&name).iter().find(is_bad) {
                return Err(NetProblem::Value { name, found });
            }
        }
        Ok(())
    }

    /// Random parameters for a game.
    ///
    /// # Errors
    /// [`SizeError`] names a size that is out of its range.
    pub fn random<G: Knowledge>(config: NetConfig, seed: u64) -> Result<Parameters, SizeError> {
        config.check()?;
        let mut random = StdRng::seed_from_u64(seed);
        let mut initialise = |ParameterSpec { name, shape, init, .. }| {
            let draw = |_| match init {
                Init::Constant(value) => value,
                Init::Uniform(bound) => random.random_range(-bound..=bound),
            };
            let values = (0..shape.iter().product()).map(draw).collect();
            (name, Tensor { shape, values })
        };
        let tensors = config.parameters().into_iter().map(&mut initialise).collect();
        let provenance = format!("random, seed {seed}");
        let (game, encoding) = (G::info().name.to_owned(), G::ENCODING_VERSION);
        Ok(Parameters { game, encoding, config, provenance, tensors })
    }

    /// The architecture.
    pub fn config(&self) -> &NetConfig {
        &self.config
    }

    /// Where the parameters come from.
    pub fn provenance(&self) -> &str {
        &self.provenance
    }

    /// The same parameters with another provenance.
    pub fn with_provenance(self, provenance: String) -> Parameters {
        Parameters { provenance, ..self }
    }

    /// The number of parameters.
    pub fn count(&self) -> usize {
        self.tensors.values().map(|tensor| tensor.values.len()).sum()
    }

    /// The parameters by name.
    pub fn tensors(&self) -> &BTreeMap<String, Tensor> {
        &self.tensors
    }

    /// The numbers of a parameter of the configuration, to be changed.
    pub fn values_mut(&mut self, name: &str) -> &mut [f32] {
        &mut self.tensors.get_mut(name).expect("there are exactly the parameters of the configuration").values
    }

    /// The numbers of a parameter of the configuration.
    pub fn values(&self, name: &str) -> &[f32] {
        &self.tensors[name].values
    }
}
