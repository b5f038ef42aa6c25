//! Architectures of nets and their sizes.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::game::EncodingShape;

/// The convolutions of [`Architecture::Paper`].
pub const PAPER_CONVOLUTIONS: usize = 4;

/// The maximum number of files and ranks of a board.
const MAX_BOARD: usize = 32;

/// The most planes, channels and hidden units.
const MAX_WIDTH: usize = 4096;

/// The maximum number of residual blocks.
const MAX_BLOCKS: usize = 256;

/// The maximum number of parameters: 400 MB.
const MAX_PARAMETERS: usize = 100_000_000;

/// The layers of a net and their widths.
///
/// Convolutions are 3×3, keep the size of the board, and are followed by batch normalisation and ReLU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "architecture", rename_all = "lowercase")]
pub enum Architecture {
    /// That of the chess-zero paper: four convolutions, two dense layers with ReLU, and a linear layer to the
    /// policy and one to the value.
    Paper {
        /// Channels of the convolutions.
        channels: usize,
        /// Units of the two dense layers.
        dense: [usize; 2],
    },
    /// A residual net: a convolution, then blocks of two convolutions with a connection around them. A linear
    /// layer, the same on each square, leads to the planes of the policy. A dense layer with ReLU and a
    /// linear one lead to the value.
    Residual {
        /// Channels of the convolutions.
        channels: usize,
        /// Residual blocks.
        blocks: usize,
        /// Units of the dense layer.
        hidden: usize,
    },
}

/// The architecture of a net, for an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetConfig {
    /// The sizes of positions and policy.
    #[serde(flatten)]
    pub shape: EncodingShape,
    /// The layers.
    #[serde(flatten)]
    pub architecture: Architecture,
}

/// A size out of its range.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what}: {found} is not from 1 to {at_most}")]
pub struct SizeError {
    /// The size.
    pub what: &'static str,
    /// Its value.
    pub found: usize,
    /// The maximum value allowed.
    pub at_most: usize,
}

/// The initialisation of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Init {
    /// All numbers are the same.
    Constant(f32),
    /// Uniform from minus this to this.
    Uniform(f32),
}

/// A parameter of a net.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSpec {
    /// Its name in files.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    pub(super) init: Init,
    /// Whether it is a variance, which is not negative.
    pub is_variance: bool,
    /// Whether it is learned by gradient descent, not a running statistic.
    pub is_learned: bool,
}

impl ParameterSpec {
    /// The number of its elements.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }
}

impl NetConfig {
    /// Checks that all sizes are in their ranges.
    ///
    /// # Errors
    /// [`SizeError`] names the first one that is not.
    pub fn check(&self) -> Result<(), SizeError> {
        let EncodingShape { files, ranks, input_planes, policy_planes, selection: _ } = self.shape;
        let mut sizes = vec![
            ("files", files, MAX_BOARD),
            ("ranks", ranks, MAX_BOARD),
            ("input planes", input_planes, MAX_WIDTH),
            ("policy planes", policy_planes, MAX_WIDTH),
            ("channels", self.channels(), MAX_WIDTH),
        ];
        sizes.extend(self.dense().into_iter().map(|units| ("dense units", units, MAX_WIDTH)));
        if let Architecture::Residual { blocks, .. } = self.architecture {
            sizes.push(("blocks", blocks, MAX_BLOCKS));
        }
        let is_bad = |&(_, found, at_most): &(_, usize, usize)| !(1..=at_most).contains(&found);
        let bad = sizes.into_iter().find(is_bad).or_else(|| {
            let count = self.parameters().iter().map(ParameterSpec::count).sum();
            Some(("parameters", count, MAX_PARAMETERS)).filter(is_bad)
        });
        match bad {
            None => Ok(()),
            Some((what, found, at_most)) => Err(SizeError { what, found, at_most }),
        }
    }

    /// Channels of the convolutions.
    pub fn channels(&self) -> usize {
        match self.architecture {
            Architecture::Paper { channels, .. } | Architecture::Residual { channels, .. } => channels,
        }
    }

    /// The number of convolutions.
    pub fn convolutions(&self) -> usize {
        match self.architecture {
            Architecture::Paper { .. } => PAPER_CONVOLUTIONS,
            Architecture::Residual { blocks, .. } => 1 + 2 * blocks,
        }
    }

    /// Units of the dense layers.
    pub fn dense(&self) -> Vec<usize> {
        match self.architecture {
            Architecture::Paper { dense, .. } => dense.to_vec(),
            Architecture::Residual { hidden, .. } => vec![hidden],
        }
    }

    /// The parameters of the net. Layers before a ReLU are initialised as by K. He et al. (2015), the others
    /// uniformly within one over the root of their inputs, so that the first policy is nearly uniform.
    pub fn parameters(&self) -> Vec<ParameterSpec> {
        let channels = self.channels();
        let mut specs = Vec::new();
        let mut add = |name: String, shape: &[usize], init| {
            let is_variance = name.ends_with("running_var");
            let is_learned = !is_variance && !name.ends_with("running_mean");
            specs.push(ParameterSpec { name, shape: shape.to_vec(), init, is_variance, is_learned });
        };
        let he = |inputs: usize| Init::Uniform((6.0 / inputs as f32).sqrt());
        let small = |inputs: usize| Init::Uniform(1.0 / (inputs as f32).sqrt());
        let mut inputs = self.shape.input_planes;
        for number in 0..self.convolutions() {
            add(format!("convolution.{number}.weight"), &[channels, inputs, 3, 3], he(9 * inputs));
            for (part, start) in [("weight", 1.0), ("bias", 0.0), ("running_mean", 0.0), ("running_var", 1.0)]
            {
                add(format!("normalisation.{number}.{part}"), &[channels], Init::Constant(start));
            }
            inputs = channels;
        }
        inputs = channels * self.shape.squares();
        for (number, units) in self.dense().into_iter().enumerate() {
            add(format!("dense.{number}.weight"), &[units, inputs], he(inputs));
            add(format!("dense.{number}.bias"), &[units], Init::Constant(0.0));
            inputs = units;
        }
        let (policy, policy_inputs) = match self.architecture {
            Architecture::Paper { .. } => (self.shape.policy_len(), inputs),
            Architecture::Residual { .. } => (self.shape.policy_planes, channels),
        };
        add("policy.weight".to_owned(), &[policy, policy_inputs], small(policy_inputs));
        add("policy.bias".to_owned(), &[policy], Init::Constant(0.0));
        add("value.weight".to_owned(), &[1, inputs], small(inputs));
        add("value.bias".to_owned(), &[1], Init::Constant(0.0));
        specs
    }
}
