//! Policy/value nets that learn from self-play alone, after AlphaZero (D. Silver et al., 2018) and the
//! chess-zero paper.
//!
//! In each generation the best net plays games against itself (`selfplay`), which yield [`Samples`]; a new net
//! learns from the samples of the last generations (`replay`); it plays a match against the best net (`gate`)
//! and, every few generations, matches against fixed opponents.
//!
//! - `settings`: [`ZeroSettings`]; `options`: engine options in them; `config`: [`ZeroConfig`], reading them;
//! - `samples_file`: files of samples; `folder`: all files of a run; `state`: [`ZeroState`], the results of each
//!   generation; `curve`: these as a table and as charts;
//! - `run`: [`ZeroRun`], the loop; `generation`: the phases of a generation; `worker`: the players of a
//!   thread; `jobs`: [`GenerationGames`], the games of a generation as jobs for other machines.
//!
//! The random numbers of a game or training step depend only on the seed, the generation and its number, and
//! each generation is written when it is complete. So the result depends neither on the number of threads nor
//! on interruptions.

mod config;
mod curve;
mod error;
mod folder;
mod gate;
mod generation;
mod jobs;
mod options;
mod replay;
mod run;
mod samples;
mod samples_file;
mod selfplay;
mod settings;
mod state;
mod worker;

pub use config::ZeroConfig;
pub use error::{SettingsError, ZeroError};
pub use jobs::GenerationGames;
pub use options::EngineOptions;
pub use replay::MeanLoss;
pub use run::{Event, ZeroRun};
pub use samples::{Samples, Variety};
pub use samples_file::SamplesError;
pub(crate) use samples_file::{Metadata, game_and_part};
pub use selfplay::SelfPlayResult;
pub use settings::{
    ComparisonSettings, Even, Fraction, GateSettings, MatchSettings, NetKind, NetSettings, ReplaySettings,
    RivalSettings, SelfPlaySettings, ZeroSettings,
};
pub use state::{Generation, ZeroState};

use labrys_core::game::mixed;

/// The name of the first net as an opponent.
pub const FIRST_NET: &str = "first net";

/// The purposes of random numbers. Each has its own sequence of seeds.
#[derive(Clone, Copy)]
enum Purpose {
    Net = 1,
    SelfPlay,
    Training,
    Gate,
    Comparison,
}

impl ZeroSettings {
    /// The seed of a game, a training step, or anything else that is numbered within a generation.
    fn seed_of(&self, purpose: Purpose, generation: u32, number: u64) -> u64 {
        let begin = mixed(mixed(self.seed) ^ purpose as u64);
        mixed(mixed(begin ^ u64::from(generation)) ^ number)
    }
}
