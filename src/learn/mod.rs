//! How weights are found.
//!
//! From experience:
//! - [`selfplay`]: one game, and the [`Observation`]s of its agents, which make [`Transition`]s;
//! - [`Learner`]: what is made of steps: [`TemporalDifference`] (TD(λ), TD-leaf(λ)) or [`LeastSquares`]
//!   (LSTD(λ));
//! - [`schedule`](self): what changes over a training ([`Decay`], [`Exploration`]);
//! - [`Trainer`]: many games against an opponent, cloned or fixed; [`checkpoint`]: a training on the disk;
//!   [`curve`]: what people look at.
//!
//! From records:
//! - [`Samples`]: what an evaluation sees in the quiet positions of games, and how the games ended;
//! - [`logistic`]: weights by logistic regression of the results.
//!
//! Games are played in their own types; what is learned from them is features, known by their numbers.

pub mod checkpoint;
pub mod curve;
mod learner;
pub mod logistic;
mod lstd;
mod observation;
mod samples;
mod schedule;
pub mod selfplay;
mod td;
mod trainer;

pub use learner::{Learner, SparseFeatures, Transition};
pub use lstd::{LeastSquares, SingularMatrix};
pub use observation::{
    Episode, Observation, ObservationSettings, Observed, ObservedPosition, sparse_features,
};
pub use samples::{SampleError, Samples};
pub use schedule::{Decay, Exploration};
pub use td::TemporalDifference;
pub use trainer::{Comparison, CurvePoint, Trainer, TrainingSettings, TrainingState, Worker};
