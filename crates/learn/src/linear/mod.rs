//! Learning the weights of linear evaluations.
//!
//! Reinforcement learning from self-play:
//! - `observation`: the [`Observation`]s of agents in a game, which yield [`Transition`]s;
//! - [`Learner`]: updates weights from transitions, by [`TemporalDifference`] (TD(λ), TD-leaf(λ)) or
//!   [`LeastSquares`] (LSTD(λ));
//! - `schedule`: [`Decay`] of the learning rate and [`Exploration`] rate over a training;
//! - [`Trainer`]: trains against an opponent, a clone of the learner or a fixed one; `curve`: its learning
//!   curve.
//!
//! Supervised learning from game records:
//! - [`Samples`]: feature vectors of the quiet positions of games, with the results of the games;
//! - [`logistic`]: logistic regression of the results;
//! - [`choice`]: which of several alternatives is the best, for filters of moves.

pub mod choice;
mod curve;
mod learner;
pub mod logistic;
mod lstd;
mod observation;
mod samples;
mod schedule;
mod td;
mod trainer;

pub use learner::{Learner, SparseFeatures, Transition};
pub use lstd::{LeastSquares, SingularMatrix};
pub use observation::{
    Episode, Observation, ObservationSettings, Observed, ObservedPosition, sparse_features,
};
pub use samples::{RecordedGame, SampleError, Samples};
pub use schedule::{Decay, Exploration};
pub use td::TemporalDifference;
pub use trainer::{Comparison, CurvePoint, Trainer, TrainingGame, TrainingSettings, TrainingState, Worker};
