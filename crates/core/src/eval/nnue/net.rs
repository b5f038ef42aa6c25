//! The numbers of a net.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use super::lanes::{Columns, Lanes, ONE, ZEROS, activated_dot, blocks, padded};
use crate::game::{InputRows, InputShape, Knowledge, Perspective, Scale, WdlModel};
use crate::memory::HugeSlice;

/// The quantised 1 of output weights.
pub(super) const OUTPUT_ONE: i16 = 64;

/// The greatest magnitude of an output weight.
pub(super) const MAX_OUTPUT_WEIGHT: i16 = 127;

/// The greatest sum of the magnitudes of all weights of an output, for which a sum has 32 bits.
pub(super) const MAX_OUTPUT_WEIGHTS: i64 = i32::MAX as i64 / (ONE as i64 * ONE as i64);

/// The maximum number of neurons of a perspective, and the most outputs.
pub(super) const MAX_SIZES: (usize, usize) = (4_096, 64);

/// The sizes of a net: inputs, in one of `buckets` → `hidden`, for each of the two players, → one of
/// `outputs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalNetSizes {
    /// The board and the inputs of a player.
    pub inputs: InputShape,
    /// King buckets: sets of weights for the inputs, selected by the perspective.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub buckets: u8,
    /// Neurons of a perspective.
    pub hidden: usize,
    /// Output buckets, selected by the material on the board.
    pub outputs: usize,
}

/// The default number of buckets in a file.
fn one() -> u8 {
    1
}

fn is_one(buckets: &u8) -> bool {
    *buckets == 1
}

impl EvalNetSizes {
    /// Rows of weights of the first layer: the inputs of all buckets.
    pub fn rows(&self) -> usize {
        usize::from(self.buckets) * self.inputs.inputs
    }
}

/// The scale of the output of a net.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvalNetScale {
    /// The value, in units of the evaluation, for an output of 1, which stands for an expected result of
    /// 1 / (1 + exp(−1)).
    pub unit: f64,
    /// The unit of the pruning margins of a search, see [`Scale::margin`].
    pub margin: i32,
    /// The a of the model of results, see [`WdlModel`].
    pub a: f64,
    /// The b of the model of results.
    pub b: f64,
}

impl EvalNetScale {
    /// The scale of the values for searches.
    pub fn scale(&self) -> Scale {
        Scale { margin: self.margin, wdl: WdlModel { a: self.a, b: self.b } }
    }
}

/// The quantised parameters of a net, as in its file: 255 stands for 1 in the first layer, 64 in the output
/// weights and their product in the output bias.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalNet {
    /// The sizes.
    pub sizes: EvalNetSizes,
    /// The scale of the output.
    pub scale: EvalNetScale,
    /// Where the numbers come from.
    pub provenance: String,
    /// The weights of each input in the first bucket, then in the others, `hidden` for each.
    pub input_weights: Vec<i16>,
    /// The bias of each neuron.
    pub input_bias: Vec<i16>,
    /// The weights of each output: of the neurons of the side to move, then of those of its opponent.
    pub output_weights: Vec<i16>,
    /// The bias of each output.
    pub output_bias: Vec<i32>,
}

impl EvalNet {
    /// Quantises the parameters of a net. Those that are too large are clamped.
    pub fn quantised(
        sizes: EvalNetSizes,
        scale: EvalNetScale,
        provenance: String,
        [input_weights, input_bias, output_weights, output_bias]: [&[f32]; 4],
    ) -> EvalNet {
        let round = |numbers: &[f32], one: i16, most: i16| {
            let (one, most) = (f32::from(one), f32::from(most));
            numbers.iter().map(|number| (number * one).round().clamp(-most, most) as i16).collect()
        };
        let one = f32::from(ONE) * f32::from(OUTPUT_ONE);
        EvalNet {
            sizes,
            scale,
            provenance,
            input_weights: round(input_weights, ONE, i16::MAX),
            input_bias: round(input_bias, ONE, i16::MAX),
            output_weights: round(output_weights, OUTPUT_ONE, MAX_OUTPUT_WEIGHT),
            output_bias: output_bias.iter().map(|number| (number * one).round() as i32).collect(),
        }
    }

    /// The inverse of [`EvalNet::quantised`].
    pub fn fractions(&self) -> [Vec<f32>; 4] {
        let of = |numbers: &[i16], one: i16| -> Vec<f32> {
            numbers.iter().map(|&number| f32::from(number) / f32::from(one)).collect()
        };
        let one = f32::from(ONE) * f32::from(OUTPUT_ONE);
        [
            of(&self.input_weights, ONE),
            of(&self.input_bias, ONE),
            of(&self.output_weights, OUTPUT_ONE),
            self.output_bias.iter().map(|&number| number as f32 / one).collect(),
        ]
    }

    /// The identity of the net, which versions, records, files of games and `eval` name it by: its checksum in
    /// eight hexadecimal digits. Metadata do not change it.
    pub fn identity(&self) -> String {
        format!("{:08x}", self.checksum())
    }

    /// A checksum of the numbers (CRC-32), to tell nets apart: input weights, input bias and output weights in
    /// 16 bits each, output bias in 32 bits, and the unit, all little-endian.
    pub fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for numbers in [&self.input_weights, &self.input_bias, &self.output_weights] {
            add_to_checksum(&mut hasher, numbers, i16::to_le_bytes);
        }
        add_to_checksum(&mut hasher, &self.output_bias, i32::to_le_bytes);
        hasher.update(&self.scale.unit.to_le_bytes());
        hasher.finalize()
    }

    /// A net with random numbers and one bucket, for the board of a position.
    pub fn random<G: Knowledge>(position: &G, hidden: usize, outputs: usize, seed: u64) -> EvalNet {
        let inputs = position.input_shape();
        EvalNet::random_of_sizes(EvalNetSizes { inputs, buckets: 1, hidden, outputs }, seed)
    }

    /// A net with random numbers.
    pub fn random_of_sizes(sizes: EvalNetSizes, seed: u64) -> EvalNet {
        let EvalNetSizes { hidden, outputs, .. } = sizes;
        let mut random = StdRng::seed_from_u64(seed);
        let mut numbers = |count: usize, most: f32| -> Vec<f32> {
            (0..count).map(|_| random.random_range(-most..=most)).collect()
        };
        let input_weights = numbers(sizes.rows() * hidden, 0.25);
        let input_bias = numbers(hidden, 0.5);
        let output_weights = numbers(2 * hidden * outputs, 1.0 / (hidden as f32).sqrt());
        let output_bias = numbers(outputs, 0.1);
        let Scale { margin, wdl: WdlModel { a, b }, .. } = Scale::UNMEASURED;
        let scale = EvalNetScale { unit: b, margin, a, b };
        let numbers = [&input_weights[..], &input_bias, &output_weights, &output_bias];
        EvalNet::quantised(sizes, scale, format!("random, seed {seed}"), numbers)
    }
}

/// Adds numbers to a checksum in blocks: one by one takes milliseconds.
fn add_to_checksum<T: Copy, const BYTES: usize>(
    hasher: &mut crc32fast::Hasher,
    numbers: &[T],
    bytes: fn(T) -> [u8; BYTES],
) {
    let mut buffer = [[0; BYTES]; 1024];
    for part in numbers.chunks(buffer.len()) {
        let buffer = &mut buffer[..part.len()];
        buffer.iter_mut().zip(part).for_each(|(to, &number)| *to = bytes(number));
        hasher.update(buffer.as_flattened());
    }
}

/// The parameters of a net in the layout of inference.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    /// Blocks of a perspective.
    pub(super) blocks: usize,
    pub(super) outputs: usize,
    rows: InputRows,
    input_weights: HugeSlice<Lanes>,
    pub(super) input_bias: Vec<Lanes>,
    output_weights: Vec<Lanes>,
    output_bias: Vec<i32>,
    /// The value of a step of the output.
    step: f64,
}

impl Layers {
    /// Prepares the parameters of a checked net.
    pub(super) fn new<G: Knowledge>(net: &EvalNet) -> Layers {
        let EvalNetSizes { inputs, buckets, .. } = net.sizes;
        Layers::with_rows(net, InputRows::new::<G>(inputs, buckets))
    }

    fn with_rows(net: &EvalNet, rows: InputRows) -> Layers {
        let EvalNetSizes { hidden, outputs, .. } = net.sizes;
        let mut input_weights = HugeSlice::zeros(net.sizes.rows() * blocks(hidden));
        input_weights.iter_mut().zip(padded(&net.input_weights, hidden)).for_each(|(to, block)| *to = block);
        Layers {
            blocks: blocks(hidden),
            outputs,
            rows,
            input_weights,
            input_bias: padded(&net.input_bias, hidden).collect(),
            output_weights: padded(&net.output_weights, hidden).collect(),
            output_bias: net.output_bias.clone(),
            step: net.scale.unit / (f64::from(ONE) * f64::from(OUTPUT_ONE)),
        }
    }

    /// Whether two perspectives use the same weights.
    #[inline]
    pub(super) fn have_same_weights(&self, one: Perspective, other: Perspective) -> bool {
        self.rows.are_same(one, other)
    }

    /// Sets `to` to the sums `from`, with some inputs added and others removed, in a perspective.
    #[inline]
    pub(super) fn add_and_subtract(
        &self,
        perspective: Perspective,
        from: &[Lanes],
        [added, subtracted]: [&[u16]; 2],
        to: &mut Vec<Lanes>,
    ) {
        to.resize(self.blocks, ZEROS);
        let columns = Columns { weights: &self.input_weights, numbers: self.rows.of(perspective) };
        columns.add_and_subtract(from, added, subtracted, to);
    }

    /// The value of an output, in units of the evaluation, from the accumulators of the side to move and of
    /// its opponent.
    #[inline]
    pub(super) fn value(&self, output: usize, us: &[Lanes], them: &[Lanes]) -> f64 {
        let weights = &self.output_weights[2 * self.blocks * output..][..2 * self.blocks];
        let (ours, theirs) = weights.split_at(self.blocks);
        let sum = activated_dot(us, ours) + activated_dot(them, theirs);
        (f64::from(sum) / f64::from(ONE) + f64::from(self.output_bias[output])) * self.step
    }
}
