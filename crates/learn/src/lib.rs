//! Learning the weights of linear evaluations, evaluation nets, and policy/value nets; tuning the constants of
//! searches.
//!
//! The methods, each in a folder that holds only what differs:
//! - [`linear`]: weights, by reinforcement learning from self-play ([`Trainer`]) or by logistic regression of
//!   the results of games ([`logistic`]);
//! - [`nnue`]: evaluation nets, from self-play games;
//! - [`zero`]: policy/value nets, by self-play alone; [`training`]: their gradient descent;
//! - [`spsa`]: the constants of a search, from matches that the caller plays.
//!
//! What they share: `adam`, the optimiser; [`play`], agents, random openings and games; [`run_folder`], runs on
//! disk that can be resumed; [`report`], learning curves as tables and charts; [`mod@shard`], merging the files
//! of several machines.
//!
//! Self-play is generic over the game. Learners only see features, identified by their index.
//!
//! # Example
//!
//! Two states, where leaving the second is rewarded with 1: TD(0) learns that both are worth 1.
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

mod adam;
pub mod linear;
mod minimum;
mod net_files;
pub mod nnue;
pub mod play;
pub mod report;
pub mod run_folder;
pub mod shard;
pub mod spsa;
pub mod training;
pub mod zero;

pub use linear::{
    Comparison, CurvePoint, Decay, Episode, Exploration, Learner, LeastSquares, Observation,
    ObservationSettings, Observed, ObservedPosition, RecordedGame, SampleError, Samples, SingularMatrix,
    SparseFeatures, TemporalDifference, Trainer, TrainingGame, TrainingSettings, TrainingState, Transition,
    Worker, choice, logistic, sparse_features,
};
pub use net_files::{save_eval_net, save_parameters};
