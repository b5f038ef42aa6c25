//! Policy/value nets: convolutional networks that give a position a policy (logits of its moves) and a value.
//!
//! - `config`: [`NetConfig`], the architecture and its sizes, and which parameters belong to it;
//! - `parameters`: [`Parameters`], the raw parameters as they are learned, and their random initialisation;
//! - `file`: files of parameters;
//! - `inference`: [`Net`], parameters prepared for inference, with `layers` and, below them, `matrix`.
//!
//! [`Knowledge`](crate::game::Knowledge) encodes positions and moves. Parameters have the names and layouts
//! of PyTorch, so that other programs can train them.

mod config;
mod file;
mod inference;
pub mod layers;
pub mod matrix;
mod parameters;

pub use config::{Architecture, NetConfig, PAPER_CONVOLUTIONS, ParameterSpec, SizeError};
pub use file::{NetError, NetProblem};
pub use inference::{Net, Outputs, softmax, with_channels_side_by_side};
pub use parameters::{Parameters, Tensor};
