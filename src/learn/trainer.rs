//! Training: games against an opponent, what is learned from them, and when the opponent becomes as good.
//!
//! Games are played in rounds, several at a time. All games of a round are played with the weights at its
//! beginning; then the learner goes through them in their order. Everything that is random in a game depends
//! on its number alone. So the result depends neither on the number of threads nor on how often the training
//! was interrupted.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::observation::ObservationSettings;
use super::selfplay::{self, Agent, GameSettings, SelfPlayGame};
use super::{Decay, Exploration, Learner};
use crate::engine::{Play, WeightsSource};
use crate::eval::WeightsError;
use crate::game::{Color, Game, Playable, Points, mixed};
use crate::parallel;
use crate::search::Control;

/// How a training goes.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingSettings {
    /// Games of the training.
    pub games: u64,
    /// Games that are played with the same weights.
    pub round: u64,
    /// What all that is left to chance depends on.
    pub seed: u64,
    /// The learning rate α at the start …
    pub rate: f64,
    /// … and how it falls.
    pub decay: Decay,
    /// How often the opponent plays any move.
    pub exploration: Exploration,
    /// Random moves that a game begins with, up to so many.
    pub opening_plies: usize,
    /// What is observed.
    pub observation: ObservationSettings,
    /// Steps after which a learner that solves does so, and a point of the curve is taken down.
    pub period: u64,
    /// Games after which learner and opponent play a match of two games, which makes the opponent a clone of
    /// the learner if it loses both. Never where the opponent is not to change.
    pub clone_every: Option<u64>,
    /// Games after which the learner plays a match against each of its rivals; never where there is nothing.
    pub compare_every: Option<u64>,
    /// Games of such a match: an even number.
    pub compare_games: u64,
}

/// All that a training has to remember.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingState {
    /// Games that have been learned from.
    pub games: u64,
    /// Steps that have been learned from.
    pub steps: u64,
    /// The weights of the learner.
    pub weights: Vec<f64>,
    /// The weights of the opponent, where they follow the learner's.
    pub opponent: Vec<f64>,
    /// The weights at the start.
    pub start: Vec<f64>,
    /// Clones that have been made.
    pub clones: u64,
    /// Games that the learner has won, drawn and lost.
    pub results: [u64; 3],
    /// Times that there was no solution to trust.
    pub singular: u64,
    /// How it has been going.
    pub curve: Vec<CurvePoint>,
    /// Matches against the rivals.
    pub comparisons: Vec<Comparison>,
    /// What the learner keeps for itself.
    pub learner: Learner,
}

/// A point of the curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Steps so far.
    pub steps: u64,
    /// The game that it lies in, from 1.
    pub game: u64,
    /// Clones so far.
    pub clones: u64,
    /// What the weights have changed in the period: the L1 norm.
    pub change: f64,
    /// The weights.
    pub weights: Vec<f64>,
}

/// Matches against the rivals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Games learned from before them.
    pub games: u64,
    /// Steps learned from before them.
    pub steps: u64,
    /// The score of the learner against each rival, from 0 to 1.
    pub scores: Vec<f64>,
}

impl TrainingState {
    /// A training that has not begun.
    pub fn new(start: Vec<f64>, learner: Learner) -> TrainingState {
        TrainingState {
            games: 0,
            steps: 0,
            weights: start.clone(),
            opponent: start.clone(),
            start,
            clones: 0,
            results: [0; 3],
            singular: 0,
            curve: Vec::new(),
            comparisons: Vec::new(),
            learner,
        }
    }
}

/// The agents that play on one thread.
pub struct Worker<G: Game> {
    /// Where games begin.
    pub start: Play<G>,
    /// The learner and its opponent.
    pub agents: [Agent<G>; 2],
    /// The learner again, as it plays when it is compared with the rivals.
    pub learner: Agent<G>,
    /// Those whom it is compared with, who do not change. The first is itself at the start.
    pub rivals: Vec<Agent<G>>,
}

/// The different purposes of games: their chances have nothing to do with each other.
#[derive(Clone, Copy)]
enum Purpose {
    Training = 1,
    Cloning,
    Comparing,
    FinalMatch,
}

/// A training.
pub struct Trainer<G: Game> {
    settings: TrainingSettings,
    workers: Vec<Worker<G>>,
    state: TrainingState,
}

impl<G: Playable> Trainer<G> {
    /// A training from where `state` is, on as many threads as there are workers.
    ///
    /// # Errors
    /// [`WeightsError`] when the state's weights are not of the agents' feature set.
    pub fn new(
        settings: TrainingSettings,
        mut workers: Vec<Worker<G>>,
        state: TrainingState,
    ) -> Result<Trainer<G>, WeightsError> {
        set_agent_weights(&mut workers, &settings, &state)?;
        Ok(Trainer { settings, workers, state })
    }

    /// How it stands.
    pub fn state(&self) -> &TrainingState {
        &self.state
    }

    /// Goes on to the end, or until `control` stops it; `each` sees how it stands after each round.
    ///
    /// # Errors
    /// Those of `each`, which end it; what a learner is driven to that cannot be weights.
    pub fn run<E: From<WeightsError>>(
        &mut self,
        control: &Control,
        mut each: impl FnMut(&TrainingState) -> Result<(), E>,
    ) -> Result<(), E> {
        while self.state.games < self.settings.games {
            let TrainingSettings { games, round, clone_every, compare_every, .. } = self.settings;
            let done = self.state.games;
            let due =
                [clone_every, compare_every].into_iter().flatten().map(|every| (done / every + 1) * every);
            let next = due.fold(games.min(done + round), u64::min);
            // A round that is interrupted counts for nothing: it will be played again.
            let Some(played) = self.play_round(done..next, control) else { break };
            let mut state = self.state.clone();
            for (game, number) in played.iter().zip(done..) {
                self.learn(&mut state, game, number);
            }
            state.games = next;
            set_agent_weights(&mut self.workers, &self.settings, &state)?;
            let is_complete = self.after_round(&mut state, control).is_some();
            if is_complete {
                self.state = state;
            }
            set_agent_weights(&mut self.workers, &self.settings, &self.state)?;
            if !is_complete {
                break;
            }
            each(&self.state)?;
        }
        Ok(())
    }

    /// Plays a match of the learner against the first rival, itself at the start, two games for each opening:
    /// the results for the learner, by pairs. Nothing if `control` stops it.
    pub fn final_match(&mut self, games: u64, control: &Control) -> Option<Vec<[Points; 2]>> {
        let results = self.compare(Purpose::FinalMatch, 0, games, control)?;
        Some(results.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
    }

    fn play_round(&mut self, numbers: Range<u64>, control: &Control) -> Option<Vec<SelfPlayGame<G::Move>>> {
        let settings = &self.settings;
        in_parallel(&mut self.workers, numbers, |worker, number| {
            let seed = settings.seed(Purpose::Training, number);
            let game_settings = GameSettings {
                seed,
                opening_seed: seed ^ 1,
                opening_plies: (mixed(seed) % (settings.opening_plies as u64 + 1)) as usize,
                first: Color::BOTH[(number % 2) as usize],
                exploration: settings.exploration.rate(number as f64 / settings.games as f64),
            };
            let Worker { start, agents, .. } = worker;
            selfplay::play(start, agents.each_mut(), &game_settings, Some(&settings.observation), control)
        })
    }

    /// Learns from the game of that number.
    fn learn(&self, state: &mut TrainingState, game: &SelfPlayGame<G::Move>, number: u64) {
        state.results[Points::Win as usize - game.result as usize] += 1;
        let share = number as f64 / self.settings.games as f64;
        let rate = self.settings.rate * self.settings.decay.factor(share);
        for episode in &game.episodes {
            state.learner.begin_episode();
            for step in episode.transitions() {
                state.learner.learn(&step, rate, &mut state.weights);
                state.steps += 1;
                if state.steps.is_multiple_of(self.settings.period) {
                    end_period(state, number + 1);
                }
            }
        }
    }

    /// Plays the matches that are due, the first of which may make a clone. Nothing if they have been
    /// stopped.
    fn after_round(&mut self, state: &mut TrainingState, control: &Control) -> Option<()> {
        let is_due = |every: Option<u64>| every.is_some_and(|every| state.games.is_multiple_of(every));
        let (clones, compares) = (is_due(self.settings.clone_every), is_due(self.settings.compare_every));
        if clones {
            let settings = &self.settings;
            let first = 2 * state.games;
            let results = in_parallel(&mut self.workers, first..first + 2, |worker, number| {
                let game_settings = settings.even_match(Purpose::Cloning, number, 0);
                let Worker { start, agents, .. } = worker;
                let game = selfplay::play(start, agents.each_mut(), &game_settings, None, control)?;
                Some(game.result)
            });
            if results? == [Points::Win; 2] {
                state.opponent.clone_from(&state.weights);
                state.clones += 1;
            }
        }
        if compares {
            let rivals = self.workers.first().map_or(0, |worker| worker.rivals.len());
            let scores = (0..rivals).map(|rival| {
                let results =
                    self.compare(Purpose::Comparing, rival, self.settings.compare_games, control)?;
                let sum: f64 = results.iter().map(|result| result.value()).sum();
                Some(sum / results.len().max(1) as f64)
            });
            let scores = scores.collect::<Option<_>>()?;
            state.comparisons.push(Comparison { games: state.games, steps: state.steps, scores });
        }
        Some(())
    }

    /// The results of the learner against a rival.
    fn compare(
        &mut self,
        purpose: Purpose,
        rival: usize,
        games: u64,
        control: &Control,
    ) -> Option<Vec<Points>> {
        let settings = &self.settings;
        in_parallel(&mut self.workers, 0..games, |worker, number| {
            let game_settings = settings.even_match(purpose, number, COMPARISON_PLIES);
            let agents = [&mut worker.learner, &mut worker.rivals[rival]];
            Some(selfplay::play(&worker.start, agents, &game_settings, None, control)?.result)
        })
    }
}

/// Random moves that games against rivals begin with.
const COMPARISON_PLIES: usize = 6;

impl TrainingSettings {
    /// What the chances of a game depend on.
    fn seed(&self, purpose: Purpose, number: u64) -> u64 {
        mixed(mixed(mixed(self.seed) ^ purpose as u64) ^ number)
    }

    /// Game `number` of a match in which each opening is played twice.
    fn even_match(&self, purpose: Purpose, number: u64, opening_plies: usize) -> GameSettings {
        GameSettings {
            seed: self.seed(purpose, number),
            opening_seed: self.seed(purpose, number / 2) ^ 1,
            opening_plies,
            first: Color::BOTH[(number % 2) as usize],
            exploration: 0.0,
        }
    }
}

/// Ends a period, in a game: solves, and takes down a point of the curve.
fn end_period(state: &mut TrainingState, game: u64) {
    if let Err(error) = state.learner.end_period(&mut state.weights) {
        log::warn!("game {game}, step {}: {error}", state.steps);
        state.singular += 1;
    }
    let before = state.curve.last().map_or(&state.start, |point| &point.weights);
    let change = state.weights.iter().zip(before).map(|(new, old)| (new - old).abs()).sum();
    let (steps, clones, weights) = (state.steps, state.clones, state.weights.clone());
    state.curve.push(CurvePoint { steps, game, clones, change, weights });
}

/// Gives all who change the weights that they have in a state.
fn set_agent_weights<G: Playable>(
    workers: &mut [Worker<G>],
    settings: &TrainingSettings,
    state: &TrainingState,
) -> Result<(), WeightsError> {
    let source = |weights: &[f64]| WeightsSource::Values(weights.iter().map(f64::to_string).collect());
    let (learned, cloned) = (source(&state.weights), source(&state.opponent));
    for Worker { agents: [learner, opponent], learner: again, .. } in workers {
        learner.thinker.set_weights(&learned)?;
        again.thinker.set_weights(&learned)?;
        if settings.clone_every.is_some() {
            opponent.thinker.set_weights(&cloned)?;
        }
    }
    Ok(())
}

/// Plays the games of these numbers, on as many threads as there are workers; the results in the order of the
/// numbers, or none if one of them is missing.
fn in_parallel<G: Game, T: Send>(
    workers: &mut [Worker<G>],
    numbers: Range<u64>,
    play: impl Fn(&mut Worker<G>, u64) -> Option<T> + Sync,
) -> Option<Vec<T>> {
    let mut results = Vec::new();
    let play = |worker: &mut &mut Worker<G>, number| Some((number, play(worker, number)?));
    parallel::run(workers.iter_mut(), numbers.clone(), play, |result| results.push(result));
    results.sort_by_key(|(number, _)| *number);
    let is_complete = results.len() as u64 == numbers.end - numbers.start;
    is_complete.then(|| results.into_iter().map(|(_, result)| result).collect())
}
