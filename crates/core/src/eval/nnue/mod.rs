//! Efficiently updatable neural networks (NNUE, Yu Nasu 2018), computed in 16-bit integers.
//!
//! The first layer takes the inputs of each player ([`Knowledge`](crate::game::Knowledge)). Its sums, the
//! accumulators, are updated incrementally. The output layer takes the accumulators of the side to move and
//! of its opponent, activated by SCReLU.
//!
//! - [`EvalNet`]: the numbers of a net; `file`: its file;
//! - [`NetEvaluator`]: the evaluation; `accumulator`: its state; `lanes`: the arithmetic;
//! - [`NetBreakdown`]: the contribution of each input.

mod accumulator;
mod breakdown;
mod evaluator;
mod file;
mod lanes;
mod net;

pub use accumulator::Accumulators;
pub use breakdown::{InputValue, NetBreakdown};
pub use evaluator::NetEvaluator;
pub use file::EvalNetError;
pub use net::{EvalNet, EvalNetScale, EvalNetSizes};
