//! How weights are found.
//!
//! From experience:
//! - [`selfplay`]: one game, and the [`Step`]s that a player sees in it;
//! - [`Learner`]: what is made of steps: [`TemporalDifference`] (TD(λ), TD-leaf(λ)) or [`LeastSquares`] (LSTD(λ));
//! - [`schedule`](self): what changes over a training ([`Decay`], [`Exploration`]);
//! - [`Trainer`]: many games against an opponent, cloned or fixed; [`curve`]: what people look at.
//!
//! From records:
//! - [`Samples`]: what an evaluation sees in the quiet positions of games, and how the games ended;
//! - [`logistic`]: weights by logistic regression of the results.
//!
//! A game goes by the facade of its engine: learning knows features by their numbers only.

pub mod curve;
mod learner;
pub mod logistic;
mod lstd;
mod samples;
mod schedule;
pub mod selfplay;
mod td;
mod trainer;

pub use learner::{Learner, Sparse, Step};
pub use lstd::{LeastSquares, Singular};
pub use samples::{SampleError, Samples};
pub use schedule::{Decay, Exploration};
pub use td::TemporalDifference;
pub use trainer::{Comparison, Point, Settings, State, Table, Trainer};
