//! Learning of weights, nets and search constants.

mod net_training;
mod nnue_generations;
mod nnue_records;
mod nnue_training;
mod pytorch;
#[cfg(feature = "tuning")]
mod spsa;
mod train;
mod tune;
mod zero_train;

#[path = "../common/mod.rs"]
mod common;
