//! The phases of a generation: self-play, training, matches.

use super::gate::play_match;
use super::replay::Replay;
use super::run::{Event, ZeroRun};
use super::samples_file::Metadata;
use super::selfplay::Games;
use super::worker::set_net;
use super::{FIRST_NET, MeanLoss, Purpose, Samples, SelfPlayResult, ZeroError};
use crate::training::Example;
use labrys_core::engine::Playable;
use labrys_core::nets::Parameters;
use labrys_core::search::Control;
use labrys_support::elo::Pairs;
use labrys_support::shard::job;

/// The matches of a generation.
pub(super) struct Matches {
    /// The match of the new net against the best one, if it was played.
    pub(super) gate: Option<Pairs>,
    /// Whether the new net becomes the best one.
    pub(super) is_accepted: bool,
    /// The matches against the fixed opponents.
    pub(super) comparisons: Vec<(String, Pairs)>,
}

impl<G: Playable> ZeroRun<G> {
    /// Plays the games of a generation, or reads them if they have been played already.
    pub(super) fn play(
        &mut self,
        number: u32,
        control: &Control,
        each: &mut dyn FnMut(Event),
    ) -> Result<Option<SelfPlayResult>, ZeroError> {
        let (shape, path) = (self.shape(), self.folder.samples(number));
        let settings = &self.config.settings;
        let total = u64::from(settings.selfplay.games.get());
        let job = job(&self.config.games_of(number, &self.best)?)?;
        if path.exists() {
            let (samples, result) = Samples::load_of::<G>(&path, shape, number, Some((&job, total)))?;
            self.samples.insert(number, samples);
            return Ok(Some(result));
        }
        set_net(
            &mut self.workers,
            |worker| &mut worker.player,
            &self.best,
            &self.folder.net(self.state.best),
        );
        let each = |games, positions| each(Event::SelfPlay { games, total, positions });
        let games = Games { start: &self.start, settings, shape, generation: number, numbers: 0..total };
        let played = games.play(&mut self.workers, |worker| &mut worker.player, control, each);
        let Some((samples, result)) = played else { return Ok(None) };
        if samples.is_empty() {
            return Err(ZeroError::NoPositions { generation: number });
        }
        samples
            .save::<G>(&path, Metadata { shape, generation: number, result, job: Some(job), part: None })?;
        self.samples.insert(number, samples);
        Ok(Some(result))
    }

    /// Learns from the games of the window. Returns the losses and the number of positions.
    pub(super) fn train(
        &mut self,
        number: u32,
        control: &Control,
        each: &mut dyn FnMut(Event),
    ) -> Result<Option<(MeanLoss, u64)>, ZeroError> {
        let shape = self.shape();
        let settings = &self.config.settings;
        let seed = |purpose| settings.seed_of(Purpose::Training, number, purpose);
        let window = settings.training.window(number).map(|number| &self.samples[&number]);
        let replay = Replay {
            settings: &settings.training,
            shape,
            symmetries: &self.symmetries,
            window: window.collect(),
            seed: seed(0),
        };
        let (total, mut loss) = (replay.steps(), MeanLoss::default());
        for (batch, step) in replay.batches().zip(1..) {
            if control.is_stopped() {
                return Ok(None);
            }
            let batch: Vec<&Example> = batch.iter().collect();
            let trainer = &mut self.trainer;
            let found = self.pool.install(|| trainer.step(&settings.learning, &batch, seed(step)));
            loss.add(found.map_err(|problem| ZeroError::Step { generation: number, step, problem })?);
            each(Event::Training { total, loss, positions: loss.steps * batch.len() as u64 });
        }
        Ok(Some((loss, replay.positions() as u64)))
    }

    /// Plays the match of a new net against the best one, and those against the fixed opponents that are due.
    pub(super) fn matches(
        &mut self,
        number: u32,
        net: &Parameters,
        control: &Control,
        each: &mut dyn FnMut(Event),
    ) -> Result<Option<Matches>, ZeroError> {
        let (gate, comparison) = (self.config.settings.gate, self.config.settings.comparison);
        let new = self.folder.net(number);
        let best = self.folder.net(self.state.best);
        set_net(&mut self.workers, |worker| &mut worker.candidate, net, &new);
        let mut matches = Matches { gate: None, is_accepted: true, comparisons: Vec::new() };
        if gate.on {
            set_net(&mut self.workers, |worker| &mut worker.opponent, &self.best, &best);
            let Some(pairs) = play_match(
                &self.start,
                &self.config.settings,
                &mut self.workers,
                |worker| [&mut worker.candidate, &mut worker.opponent],
                (Purpose::Gate, number, gate.games.0),
                control,
                |games| each(Event::Match { opponent: "the best net", games, total: gate.games.0 }),
            ) else {
                return Ok(None);
            };
            matches.is_accepted = gate.accepts(&pairs);
            matches.gate = Some(pairs);
        }
        if comparison.every == 0 || !number.is_multiple_of(comparison.every) {
            return Ok(Some(matches));
        }
        if !matches.is_accepted {
            set_net(&mut self.workers, |worker| &mut worker.candidate, &self.best, &best);
        }
        for opponent in self.config.opponents() {
            if opponent == FIRST_NET {
                let path = self.folder.net(0);
                let first = Parameters::load::<G>(&path)?;
                set_net(&mut self.workers, |worker| &mut worker.opponent, &first, &path);
            }
            let Some(pairs) = play_match(
                &self.start,
                &self.config.settings,
                &mut self.workers,
                |worker| worker.comparison(&opponent),
                (Purpose::Comparison, number, comparison.games.0),
                control,
                |games| each(Event::Match { opponent: &opponent, games, total: comparison.games.0 }),
            ) else {
                return Ok(None);
            };
            matches.comparisons.push((opponent, pairs));
        }
        Ok(Some(matches))
    }
}
