//! Learning the weights of linear evaluations, and policy/value nets; tuning the constants of searches.
//!
//! Reinforcement learning from self-play:
//! - [`selfplay`]: plays a game and records the [`Observation`]s of its agents, which yield [`Transition`]s;
//! - [`Learner`]: updates weights from transitions, by [`TemporalDifference`] (TD(λ), TD-leaf(λ)) or
//!   [`LeastSquares`] (LSTD(λ));
//! - `schedule`: [`Decay`] of the learning rate and [`Exploration`] rate over a training;
//! - [`Trainer`]: trains against an opponent, a clone of the learner or a fixed one; [`checkpoint`]: the
//!   training on disk; [`curve`]: the learning curve as a table and as charts.
//!
//! Policy/value nets: [`zero`], which learns them by self-play alone.
//!
//! Supervised learning from game records:
//! - [`Samples`]: feature vectors of the quiet positions of games, with the results of the games;
//! - [`logistic`]: logistic regression of the results;
//! - [`nnue`]: evaluation nets, from games of self-play.
//!
//! [`spsa`] tunes the constants of a search over games that others play.
//!
//! Games are played in their own types. Learners only see features, identified by their index.
//!
//! # Example
//!
//! Two states, the second of which is worth 1; TD(0) finds out:
//!
//! ```
//! use labrys_learn::{TemporalDifference, Transition};
//!
//! let first = Transition { features: vec![(0, 1.0)], reward: 0.0, next: Some(vec![(1, 1.0)]) };
//! let last = Transition { features: vec![(1, 1.0)], reward: 1.0, next: None };
//! let mut learner = TemporalDifference::new(1.0, 0.0, None);
//! let mut weights = [0.0; 2];
//! for _ in 0..100 {
//!     learner.begin_episode();
//!     learner.learn(&first, 0.2, &mut weights);
//!     learner.learn(&last, 0.2, &mut weights);
//! }
//! assert!(weights.iter().all(|weight| (weight - 1.0).abs() < 1e-3), "{weights:?}");
//! ```

pub mod checkpoint;
pub mod curve;
mod learner;
pub mod logistic;
mod lstd;
mod minimum;
mod net_files;
pub mod nnue;
mod observation;
mod samples;
mod schedule;
pub mod selfplay;
pub mod spsa;
mod td;
mod trainer;
pub mod training;
pub mod zero;

pub use learner::{Learner, SparseFeatures, Transition};
pub use lstd::{LeastSquares, SingularMatrix};
pub use net_files::{save_eval_net, save_parameters};
pub use observation::{
    Episode, Observation, ObservationSettings, Observed, ObservedPosition, sparse_features,
};
pub use samples::{RecordedGame, SampleError, Samples};
pub use schedule::{Decay, Exploration};
pub use td::TemporalDifference;
pub use trainer::{Comparison, CurvePoint, Trainer, TrainingGame, TrainingSettings, TrainingState, Worker};
