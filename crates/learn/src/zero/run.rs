//! The loop of generations.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::folder::ZeroFolder;
use super::generation::Matches;
use super::worker::Worker;
use super::{Generation, MeanLoss, Purpose, Samples, SettingsError, ZeroConfig, ZeroError, ZeroState};
use crate::save_parameters;
use crate::training::NetTrainer;
use labrys_core::engine::GameState;
use labrys_core::engine::Playable;
use labrys_core::game::{EncodingShape, Game, Symmetry};
use labrys_core::nets::{NetConfig, Parameters};
use labrys_core::search::Control;

/// What a run reports while it works on a generation.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A self-play game is done.
    SelfPlay {
        /// Games so far.
        games: u64,
        /// All games of the generation.
        total: u64,
        /// Positions of the games so far.
        positions: u64,
    },
    /// A step of training is done.
    Training {
        /// All steps of the generation.
        total: u64,
        /// The steps so far and their mean losses.
        loss: MeanLoss,
        /// Positions of the steps so far.
        positions: u64,
    },
    /// A game of a match is done.
    Match {
        /// The opponent.
        opponent: &'a str,
        /// Games so far.
        games: u64,
        /// All games of the match.
        total: u64,
    },
    /// The generation is complete.
    Done(&'a Generation),
}

/// A run: nets learn by self-play, generation by generation.
pub struct ZeroRun<G: Game> {
    pub(super) config: ZeroConfig,
    pub(super) start: GameState<G>,
    pub(super) folder: ZeroFolder,
    pub(super) workers: Vec<Worker<G>>,
    /// The threads of training.
    pub(super) pool: ThreadPool,
    pub(super) state: ZeroState,
    /// The newest net with the state of the optimiser.
    pub(super) trainer: NetTrainer,
    /// The best net.
    pub(super) best: Parameters,
    /// The samples of the last generations.
    pub(super) samples: BTreeMap<u32, Samples>,
    pub(super) symmetries: Vec<Symmetry>,
}

impl<G: Playable> ZeroRun<G> {
    /// Opens a run with games from `start` in a folder: a new run or, with `resume`, an existing one.
    ///
    /// # Errors
    /// [`ZeroError`] names the setting or the file. A run in the folder is an error unless `resume` is set.
    pub fn open(
        config: ZeroConfig,
        start: GameState<G>,
        path: &Path,
        resume: bool,
        threads: usize,
    ) -> Result<ZeroRun<G>, ZeroError> {
        let settings = &config.settings;
        let workers =
            (0..threads).map(|_| Worker::new(&config, start.position())).collect::<Result<Vec<_>, _>>()?;
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let net = config.net(start.position())?;
        let symmetries = start.position().symmetries();
        let folder = ZeroFolder::open(path, config.result_settings()?)?;
        let mut samples = BTreeMap::new();
        let (state, trainer, best) = match folder.read(resume)? {
            None => {
                let seed = settings.seed_of(Purpose::Net, 0, 0);
                let best = Parameters::random::<G>(net, seed).map_err(SettingsError::from)?;
                let (trainer, state) = (NetTrainer::new(best.clone()), ZeroState::default());
                folder.create(0)?;
                save_parameters(&best, &folder.net(0))?;
                trainer.save(&folder.trainer(0))?;
                folder.write(&state)?;
                save_parameters(&best, &folder.best())?;
                (state, trainer, best)
            }
            Some(state) => {
                let done = state.done();
                let path = folder.trainer(config.trainer_of(&state));
                let trainer = NetTrainer::load::<G>(&path)?;
                if *trainer.parameters().config() != net {
                    return Err(ZeroError::Architecture { path });
                }
                let best = load_net::<G>(&folder, state.best, &net)?;
                for number in config.settings.training.window(done + 1).take_while(|&number| number <= done) {
                    let (read, _) = Samples::load::<G>(&folder.samples(number), net.shape, number)?;
                    samples.insert(number, read);
                }
                // It is written after the state, so it may be out of date.
                save_parameters(&best, &folder.best())?;
                (state, trainer, best)
            }
        };
        Ok(ZeroRun { config, start, folder, workers, pool, state, trainer, best, samples, symmetries })
    }

    /// The state after the last complete generation.
    pub fn state(&self) -> &ZeroState {
        &self.state
    }

    /// Runs the remaining generations, or until `control` stops it. After a stop or an error the run has to be
    /// opened again; it then restarts the incomplete generation, from its samples if they are complete.
    ///
    /// # Errors
    /// [`ZeroError`] reports the failure. The state is that after the last complete generation.
    pub fn run(&mut self, control: &Control, each: &mut dyn FnMut(Event)) -> Result<(), ZeroError> {
        while self.state.done() < self.config.settings.generations.get() {
            let Some(generation) = self.generation(self.state.done() + 1, control, each)? else { break };
            each(Event::Done(&generation));
        }
        Ok(())
    }

    /// Runs a generation; `None` if `control` stops it.
    fn generation(
        &mut self,
        number: u32,
        control: &Control,
        each: &mut dyn FnMut(Event),
    ) -> Result<Option<Generation>, ZeroError> {
        self.folder.create(number)?;
        let Some(selfplay) = self.play(number, control, each)? else { return Ok(None) };
        let Some((loss, window)) = self.train(number, control, each)? else { return Ok(None) };
        let mut provenance = format!("labrys zero, seed {}, generation {number}", self.config.settings.seed);
        if !self.config.made_by.is_empty() {
            provenance += &format!("; {}", self.config.made_by);
        }
        let net = self.trainer.parameters().clone().with_provenance(provenance);
        save_parameters(&net, &self.folder.net(number))?;
        self.trainer.save(&self.folder.trainer(number))?;
        let matches = self.matches(number, &net, control, each)?;
        let Some(Matches { gate, is_accepted, comparisons }) = matches else { return Ok(None) };
        let positions = self.samples[&number].len() as u64;
        let variety = Some(self.samples[&number].variety());
        let generation =
            Generation { selfplay, positions, variety, window, loss, gate, is_accepted, comparisons };
        self.commit(number, net, generation.clone())?;
        Ok(Some(generation))
    }

    /// Writes a complete generation, and removes the files that are no longer needed.
    fn commit(&mut self, number: u32, net: Parameters, generation: Generation) -> Result<(), ZeroError> {
        let is_accepted = generation.is_accepted;
        self.state.generations.push(generation);
        if is_accepted {
            self.state.best = number;
            self.best = net;
        }
        self.folder.write(&self.state)?;
        save_parameters(&self.best, &self.folder.best())?;
        let (trainer, first) = (self.config.trainer_of(&self.state), self.window(number + 1));
        if trainer != number {
            self.trainer = NetTrainer::load::<G>(&self.folder.trainer(trainer))?;
        }
        self.samples.retain(|&number, _| number >= first);
        self.folder.clean(number, trainer, first)
    }

    /// The first generation in the window of generation `number`.
    fn window(&self, number: u32) -> u32 {
        *self.config.settings.training.window(number).start()
    }

    /// The sizes of the encoding of positions and of the policy.
    pub(super) fn shape(&self) -> EncodingShape {
        self.best.config().shape
    }
}

impl ZeroConfig {
    /// The generation whose trainer training continues from.
    fn trainer_of(&self, state: &ZeroState) -> u32 {
        if self.settings.gate.revert { state.best } else { state.done() }
    }
}

/// Reads the net of a generation and checks its architecture.
fn load_net<G: Playable>(
    folder: &ZeroFolder,
    generation: u32,
    config: &NetConfig,
) -> Result<Parameters, ZeroError> {
    let path = folder.net(generation);
    let net = Parameters::load::<G>(&path)?;
    if net.config() == config { Ok(net) } else { Err(ZeroError::Architecture { path }) }
}
