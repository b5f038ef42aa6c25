//! Inference.

use std::path::Path;

use super::layers::{Boards, Convolution, Dense};
use super::matrix::{dot, padded};
use super::{Architecture, NetConfig, NetError, Parameters};
use crate::game::{EncodingShape, Knowledge};

/// A net for inference: batch normalisation is folded into the convolutions, and weights lie in the order of
/// their use.
#[derive(Clone, Debug)]
pub struct Net {
    config: NetConfig,
    convolutions: Vec<Convolution>,
    dense: Vec<Dense>,
    /// A linear layer, output by output, and its biases.
    policy: Vec<f32>,
    policy_bias: Vec<f32>,
    value: Vec<f32>,
    value_bias: f32,
}

/// The output of a net for a batch of positions. Logits are computed lazily, as a position has far fewer
/// legal moves than the policy has indices.
#[derive(Clone, Debug)]
pub struct Outputs<'a> {
    net: &'a Net,
    /// The channels of each square after the last convolution.
    squares: Vec<f32>,
    /// The units of the last dense layer.
    hidden: Vec<f32>,
}

impl Net {
    /// Prepares parameters for inference.
    pub fn new(parameters: &Parameters) -> Net {
        let config = *parameters.config();
        let channels = config.channels();
        let stride = padded(channels);
        let convolutions = (0..config.convolutions()).map(|number| {
            let inputs = if number == 0 { config.shape.input_planes } else { stride };
            Convolution::new(parameters, number, inputs)
        });
        // In the parameter, squares run fastest; here, channels do, and some are unused.
        let squares = config.shape.squares();
        let flat =
            |input| Some(input % stride).filter(|&c| c < channels).map(|c| c * squares + input / stride);
        let mut dense = vec![Dense::new(parameters, 0, squares * stride, flat)];
        for (number, units) in (1..).zip(config.dense()).take(config.dense().len() - 1) {
            let used = |input| Some(input).filter(|&input| input < units);
            dense.push(Dense::new(parameters, number, padded(units), used));
        }
        Net {
            config,
            convolutions: convolutions.collect(),
            dense,
            policy: parameters.values("policy.weight").to_vec(),
            policy_bias: parameters.values("policy.bias").to_vec(),
            value: parameters.values("value.weight").to_vec(),
            value_bias: parameters.values("value.bias")[0],
        }
    }

    /// Reads a file of parameters for the game `G` and prepares them for inference.
    ///
    /// # Errors
    /// [`NetError`] names the file and the problem.
    pub fn load<G: Knowledge>(path: &Path) -> Result<Net, NetError> {
        Ok(Net::new(&Parameters::load::<G>(path)?))
    }

    /// The architecture.
    pub fn config(&self) -> &NetConfig {
        &self.config
    }

    /// Numbers of a position between two layers.
    pub fn layer_len(&self) -> usize {
        Boards::new(self.config.shape).len(1, padded(self.config.channels()))
    }

    /// Evaluates a batch of positions, given by the planes of one after the other.
    pub fn evaluate(&self, planes: &[f32]) -> Outputs<'_> {
        self.evaluate_until(planes, &mut || false).expect("it is never stopped")
    }

    /// The same; `None` once `is_over` returns true. It is called every few to some hundred microseconds.
    pub fn evaluate_until(&self, planes: &[f32], is_over: &mut dyn FnMut() -> bool) -> Option<Outputs<'_>> {
        let shape = self.config.shape;
        let batch = planes.len() / shape.input_len();
        let (boards, channels) = (Boards::new(shape), padded(self.config.channels()));
        let [mut x, mut y] = [(); 2].map(|()| vec![0.0; boards.len(batch, channels)]);
        let (first, rest) = self.convolutions.split_at(1);
        let inputs = with_channels_side_by_side(planes, shape, batch);
        first[0].apply(boards, batch, &inputs, &mut x, false, is_over)?;
        match self.config.architecture {
            Architecture::Paper { .. } => {
                for convolution in rest {
                    convolution.apply(boards, batch, &x, &mut y, false, is_over)?;
                    std::mem::swap(&mut x, &mut y);
                }
            }
            Architecture::Residual { .. } => {
                for block in rest.chunks_exact(2) {
                    block[0].apply(boards, batch, &x, &mut y, false, is_over)?;
                    block[1].apply(boards, batch, &y, &mut x, true, is_over)?;
                }
            }
        }
        let rows = boards.squares(batch, channels);
        let squares: Vec<f32> = rows.into_iter().flat_map(|row| &x[row..][..channels]).copied().collect();
        let (first, rest) = self.dense.split_at(1);
        let mut hidden = first[0].apply(batch, &squares, is_over)?;
        for dense in rest {
            hidden = dense.apply(batch, &hidden, is_over)?;
        }
        Some(Outputs { net: self, squares, hidden })
    }
}

/// The planes of positions as boards whose squares have their channels side by side.
pub fn with_channels_side_by_side(planes: &[f32], shape: EncodingShape, batch: usize) -> Vec<f32> {
    let (boards, inputs) = (Boards::new(shape), shape.input_planes);
    let mut x = vec![0.0; boards.len(batch, inputs)];
    let rows = boards.squares(batch, inputs);
    for (planes, rows) in planes.chunks_exact(shape.input_len()).zip(rows.chunks_exact(shape.squares())) {
        for (channel, plane) in planes.chunks_exact(shape.squares()).enumerate() {
            for (value, row) in plane.iter().zip(rows) {
                x[row + channel] = *value;
            }
        }
    }
    x
}

impl Outputs<'_> {
    /// The value of a position, for the side to move: from −1, a loss, to 1, a win.
    pub fn value(&self, position: usize) -> f32 {
        let weights = &self.net.value;
        (dot(weights, &self.hidden(position)[..weights.len()]) + self.net.value_bias).tanh()
    }

    /// The logit of a position's policy at an index.
    pub fn logit(&self, position: usize, index: usize) -> f32 {
        let net = self.net;
        let (row, x) = match net.config.architecture {
            Architecture::Paper { .. } => (index, self.hidden(position)),
            Architecture::Residual { channels, .. } => {
                let (squares, channels) = (net.config.shape.squares(), padded(channels));
                let square = squares * position + index % squares;
                (index / squares, &self.squares[square * channels..])
            }
        };
        let inputs = net.policy.len() / net.policy_bias.len();
        dot(&net.policy[row * inputs..][..inputs], &x[..inputs]) + net.policy_bias[row]
    }

    /// The units of the last dense layer.
    fn hidden(&self, position: usize) -> &[f32] {
        let units = self.net.dense.last().map_or(0, Dense::outputs);
        &self.hidden[position * units..][..units]
    }
}

/// Turns logits into probabilities: uniform if some logits are not finite.
pub fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter_mut().for_each(|logit| *logit = (*logit - most).exp());
    let sum: f32 = logits.iter().sum();
    match sum.is_finite() {
        true => logits.iter_mut().for_each(|share| *share /= sum),
        false => logits.fill(1.0 / logits.len() as f32),
    }
}
