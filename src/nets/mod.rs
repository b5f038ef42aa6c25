//! Policy/value nets: convolutional networks that give a position a policy (logits of its moves) and a value.
//!
//! - `config`: [`NetConfig`], the architecture and its sizes, and which parameters belong to it;
//! - `parameters`: [`Parameters`], the raw parameters as they are learned, and their random initialisation;
//! - `file`: files of parameters;
//! - `inference`: [`Net`], parameters made ready for use, with `layers` and, below them, `matrix`;
//! - `training`: [`NetTrainer`], parameters that learn.
//!
//! How a game becomes numbers is said by [`Encoding`](crate::game::Encoding). Parameters have the names and
//! layouts that are usual in PyTorch, so that other programs can learn them.

mod config;
mod file;
mod inference;
mod layers;
mod matrix;
mod parameters;
mod training;

pub use config::{Architecture, NetConfig, PAPER_CONVOLUTIONS, SizeError};
pub use file::{NetError, NetProblem};
pub(crate) use inference::softmax;
pub use inference::{Net, Outputs};
pub use parameters::{Parameters, Tensor};
pub use training::{Example, Loss, NetTrainer, Optimiser, SettingError, TrainingSettings};
