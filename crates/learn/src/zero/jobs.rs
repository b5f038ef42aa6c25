//! The games of a generation as a job for another machine than the one that trains, as a whole or in shards.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::samples_file::Metadata;
use super::selfplay::Games;
use super::{Purpose, SettingsError, ZeroConfig, ZeroError};
use crate::play::Agent;
use crate::run_folder::RunError;
use labrys_core::engine::GameState;
use labrys_core::engine::Playable;
use labrys_core::nets::{Net, NetConfig, Parameters};
use labrys_core::search::{Control, NetLeaves};
use labrys_support::files::Claim;
use labrys_support::shard::{self, Part, Shard};

/// Settings, and tables of settings, that the games of a generation depend on besides the numbers of the net.
const SETTINGS: [&str; 5] = ["variant", "option", "seed", "net", "selfplay"];

/// The games of a generation.
#[derive(Clone, Debug)]
pub struct GenerationGames<'a> {
    /// The settings of the run.
    pub config: &'a ZeroConfig,
    /// The generation, from 1.
    pub generation: u32,
    /// The best net of the previous generations; `None` for the random net that a run starts with.
    pub net: Option<&'a Path>,
    /// The shard to play; `None` for all games.
    pub shard: Option<Shard>,
    /// Concurrent games.
    pub threads: usize,
    /// The output file of the samples.
    pub out: &'a Path,
}

impl GenerationGames<'_> {
    /// Plays the games from `start` and writes their samples. `each` is called after each game with the
    /// number of games so far, the total, and the number of positions so far. Returns false if `control`
    /// stopped it.
    ///
    /// # Errors
    /// [`ZeroError`] names the setting or the file.
    pub fn play<G: Playable>(
        &self,
        start: &GameState<G>,
        control: &Control,
        mut each: impl FnMut(u64, u64, u64),
    ) -> Result<bool, ZeroError> {
        let settings = &self.config.settings;
        let config = self.config.net(start.position())?;
        let (shape, generation) = (config.shape, self.generation);
        let (net, path) = self.net::<G>(config)?;
        let games = u64::from(settings.selfplay.games.get());
        let job = self.config.games_of(generation, &net)?;
        let part = self.shard.map(|shard| Part::new(shard, games, &job)).transpose()?;
        let numbers = part.map_or(0..games, |part| part.numbers());
        let total = numbers.end - numbers.start;
        let _claim =
            Claim::file(self.out).map_err(|error| RunError::File { path: self.out.to_owned(), error })?;
        let net = Net::new(&net);
        let leaves = || NetLeaves::new(net.clone(), path.clone());
        let player = || {
            let mut player: Agent<G> = self.config.net_player(false)?;
            player.engine.set_net(leaves());
            Ok(player)
        };
        let mut players = (0..self.threads).map(|_| player()).collect::<Result<Vec<_>, SettingsError>>()?;
        let each = |games, positions| each(games, total, positions);
        let games = Games { start, settings, shape, generation, numbers };
        let Some((samples, result)) = games.play(&mut players, |player| player, control, each) else {
            return Ok(false);
        };
        // The job of a part is in the part.
        let job = if part.is_none() { Some(shard::job(&job)?) } else { None };
        samples.save::<G>(self.out, Metadata { shape, generation, result, job, part })?;
        Ok(true)
    }

    /// The net, and its path.
    fn net<G: Playable>(&self, config: NetConfig) -> Result<(Parameters, PathBuf), ZeroError> {
        let Some(path) = self.net else {
            let seed = self.config.settings.seed_of(Purpose::Net, 0, 0);
            let net = Parameters::random::<G>(config, seed).map_err(SettingsError::from)?;
            return Ok((net, PathBuf::from("random net")));
        };
        let net = Parameters::load::<G>(path)?;
        if *net.config() != config {
            return Err(ZeroError::Architecture { path: path.to_owned() });
        }
        Ok((net, path.to_owned()))
    }
}

impl ZeroConfig {
    /// Everything that the games of a generation depend on, which the best net before it plays.
    pub(super) fn games_of(
        &self,
        generation: u32,
        net: &Parameters,
    ) -> Result<Map<String, Value>, ZeroError> {
        let mut settings = self.result_settings()?;
        settings.retain(|name, _| SETTINGS.contains(&name.split('.').next().unwrap_or_default()));
        // By its numbers, whatever its file says of where they come from.
        let mut sum = crc32fast::Hasher::new();
        let numbers = net.tensors().values().flat_map(|tensor| &tensor.values);
        numbers.for_each(|number| sum.update(&number.to_le_bytes()));
        settings.insert("generation".to_owned(), generation.into());
        settings.insert("best net".to_owned(), sum.finalize().into());
        Ok(settings)
    }
}
