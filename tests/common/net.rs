//! Policy/value nets in plain loops and double precision.

use std::collections::BTreeMap;

use labrys::game::EncodingShape;
use labrys::nets::{Architecture, NetConfig, PAPER_CONVOLUTIONS, Tensor};

/// By which moments batch normalisation brings numbers to mean 0 and variance 1.
#[derive(Clone, Copy, PartialEq)]
pub enum Moments {
    /// Those of the parameters.
    Running,
    /// Those of the batch.
    Batch,
}

/// The numbers of each position of a batch: planes, then ranks, then files.
type Batch = Vec<Vec<f64>>;

fn relu(batch: Batch) -> Batch {
    batch.into_iter().map(|x| x.into_iter().map(|x| x.max(0.0)).collect()).collect()
}

/// A net, from the raw parameters.
pub struct ReferenceNet<'a>(pub &'a BTreeMap<String, Tensor>);

impl ReferenceNet<'_> {
    fn at(&self, name: &str, indices: &[usize]) -> f64 {
        let Tensor { shape, values } = &self.0[name];
        assert_eq!(shape.len(), indices.len(), "{name}");
        let place = shape.iter().zip(indices).fold(0, |place, (range, index)| place * range + index);
        f64::from(values[place])
    }

    fn shape(&self, name: &str) -> &[usize] {
        &self.0[name].shape
    }

    /// Convolution and batch normalisation, without ReLU.
    fn convolution(&self, number: usize, batch: &Batch, shape: EncodingShape, moments: Moments) -> Batch {
        let outputs = self.shape(&format!("convolution.{number}.weight"))[0];
        let squares = shape.squares();
        let part = |part: &str, output| self.at(&format!("normalisation.{number}.{part}"), &[output]);
        let mut out = vec![Vec::new(); batch.len()];
        for output in 0..outputs {
            let sums: Batch = batch.iter().map(|x| self.plane(number, output, x, shape)).collect();
            let (mean, variance) = match moments {
                Moments::Running => (part("running_mean", output), part("running_var", output)),
                Moments::Batch => {
                    let count = (batch.len() * squares) as f64;
                    let mean = sums.iter().flatten().sum::<f64>() / count;
                    let squared = |sum: &f64| (sum - mean).powi(2);
                    (mean, sums.iter().flatten().map(squared).sum::<f64>() / count)
                }
            };
            let factor = part("weight", output) / (variance + 1e-5).sqrt();
            for (out, sums) in out.iter_mut().zip(sums) {
                out.extend(sums.into_iter().map(|sum| (sum - mean) * factor + part("bias", output)));
            }
        }
        out
    }

    /// A plane of a convolution.
    fn plane(&self, number: usize, output: usize, x: &[f64], shape: EncodingShape) -> Vec<f64> {
        let weight = format!("convolution.{number}.weight");
        let [_, inputs, 3, 3] = *self.shape(&weight) else { panic!("{weight}") };
        let (files, ranks) = (shape.files as isize, shape.ranks as isize);
        let mut out = Vec::new();
        for (rank, file) in (0..ranks).flat_map(|rank| (0..files).map(move |file| (rank, file))) {
            let mut sum = 0.0;
            for (input, dy, dx) in (0..inputs).flat_map(|input| (0..9).map(move |k| (input, k / 3, k % 3))) {
                let (y, x_) = (rank + dy as isize - 1, file + dx as isize - 1);
                if (0..ranks).contains(&y) && (0..files).contains(&x_) {
                    let value = x[input * shape.squares() + (y * files + x_) as usize];
                    sum += value * self.at(&weight, &[output, input, dy, dx]);
                }
            }
            out.push(sum);
        }
        out
    }

    fn linear(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let weight = format!("{name}.weight");
        let [outputs, inputs] = *self.shape(&weight) else { panic!("{weight}") };
        assert_eq!(inputs, x.len(), "{name}");
        let sum = |output| {
            let sum: f64 = (0..inputs).map(|input| x[input] * self.at(&weight, &[output, input])).sum();
            sum + self.at(&format!("{name}.bias"), &[output])
        };
        (0..outputs).map(sum).collect()
    }

    /// All logits and the value of each position, by its planes.
    pub fn evaluate(&self, batch: &[&[f32]], config: &NetConfig, moments: Moments) -> Vec<(Vec<f64>, f64)> {
        let shape = config.shape;
        let numbers = |planes: &&[f32]| planes.iter().map(|&x| f64::from(x)).collect();
        let convolution = |number, x: &Batch| self.convolution(number, x, shape, moments);
        let dense =
            |number, x: &Batch| relu(x.iter().map(|x| self.linear(&format!("dense.{number}"), x)).collect());
        let mut x = relu(convolution(0, &batch.iter().map(numbers).collect()));
        let (logits, hidden): (Batch, Batch) = match config.architecture {
            Architecture::Paper { .. } => {
                for number in 1..PAPER_CONVOLUTIONS {
                    x = relu(convolution(number, &x));
                }
                let hidden = dense(1, &dense(0, &x));
                (hidden.iter().map(|x| self.linear("policy", x)).collect(), hidden)
            }
            Architecture::Residual { blocks, .. } => {
                for block in 0..blocks {
                    let y = convolution(2 * block + 2, &relu(convolution(2 * block + 1, &x)));
                    let sum = |(x, y): (&Vec<f64>, Vec<f64>)| x.iter().zip(y).map(|(x, y)| x + y).collect();
                    x = relu(x.iter().zip(y).map(sum).collect());
                }
                let logits = x.iter().map(|x| {
                    let mut logits = vec![0.0; shape.policy_len()];
                    for square in 0..shape.squares() {
                        let channels: Vec<_> =
                            x.iter().copied().skip(square).step_by(shape.squares()).collect();
                        for (plane, logit) in self.linear("policy", &channels).into_iter().enumerate() {
                            logits[plane * shape.squares() + square] = logit;
                        }
                    }
                    logits
                });
                (logits.collect(), dense(0, &x))
            }
        };
        let value = |hidden: Vec<f64>| self.linear("value", &hidden)[0].tanh();
        logits.into_iter().zip(hidden.into_iter().map(value)).collect()
    }
}
