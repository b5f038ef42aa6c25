//! Efficiently updatable neural networks (NNUE, Yu Nasu 2018), computed in 16-bit integers.
//!
//! The first layer sees the [`Knowledge`](crate::game::Knowledge) of each of the two players. Its sums, the
//! accumulators, are updated from a position to its child by the few inputs that change. Behind them is one
//! more layer: the accumulator of the side to move and that of its opponent, activated by SCReLU, give the
//! output.
//!
//! - [`EvalNet`]: the numbers of a net; `file`: its file;
//! - [`NetEvaluator`]: the evaluation; `accumulator`: its state; `lanes`: the arithmetic;
//! - [`NetBreakdown`]: what each piece contributes to a value.

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
