//! The training loop: self-play games, learning from them, and cloning the learner as its new opponent.
//!
//! Games are played in rounds, several at a time. All games of a round are played with the weights at its
//! beginning; then the learner processes them in order. All random numbers of a game depend on the seed and
//! its number only. The result therefore depends neither on the number of threads nor on interruptions.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::observation::{Episode, ObservationSettings};
use super::{Decay, Exploration, Learner, Transition};
use crate::play::{self, Agent, GameSettings};
use crate::run_folder::{JsonState, RunState};
use labrys_core::engine::Playable;
use labrys_core::engine::{GameState, WeightsSource};
use labrys_core::eval::WeightsError;
use labrys_core::game::{Color, Game, Wdl, mixed};
use labrys_core::parallel;
use labrys_core::search::Control;

/// The settings of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingSettings {
    /// Number of games.
    pub games: u64,
    /// Games per round: games played with the same weights.
    pub round: u64,
    /// Seed of everything random.
    pub seed: u64,
    /// Initial learning rate α.
    pub rate: f64,
    /// Decay of the learning rate.
    pub decay: Decay,
    /// Exploration rate of the opponent.
    pub exploration: Exploration,
    /// Maximum length of the random opening in plies; the length is uniformly distributed from 0.
    pub opening_plies: usize,
    /// Settings of the observations.
    pub observation: ObservationSettings,
    /// Steps per period. At the end of a period LSTD solves for the weights and a point is added to the
    /// curve.
    pub period: u64,
    /// Games between cloning matches: learner and opponent play two games, and if the learner wins both, the
    /// opponent becomes a clone of it. `None` for a fixed opponent.
    pub clone_every: Option<u64>,
    /// Games between comparison matches of the learner against each rival; `None` for no such matches.
    pub compare_every: Option<u64>,
    /// Games of a comparison match, an even number.
    pub compare_games: u64,
}

/// The state of a training, which the checkpoint stores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingState {
    /// Games learned from.
    pub games: u64,
    /// Steps: transitions learned from.
    pub steps: u64,
    /// The weights of the learner.
    pub weights: Vec<f64>,
    /// The weights of the opponent, if it is a clone.
    pub opponent: Vec<f64>,
    /// The initial weights.
    pub start: Vec<f64>,
    /// Number of times the opponent has been replaced by a clone.
    pub clones: u64,
    /// Training games won, drawn and lost by the learner.
    pub results: [u64; 3],
    /// Number of periods in which LSTD had no reliable solution.
    pub singular: u64,
    /// The learning curve, with a point for each period.
    pub curve: Vec<CurvePoint>,
    /// Comparison matches so far.
    pub comparisons: Vec<Comparison>,
    /// The state of the learning algorithm.
    pub learner: Learner,
}

/// A point of the learning curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Steps so far.
    pub steps: u64,
    /// The game in which the period ended, from 1.
    pub game: u64,
    /// Clones so far.
    pub clones: u64,
    /// L1 norm of the change of the weights in the period.
    pub change: f64,
    /// The weights.
    pub weights: Vec<f64>,
}

/// Comparison matches of the learner against each rival.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Games learned from before the matches.
    pub games: u64,
    /// Steps learned from before the matches.
    pub steps: u64,
    /// The score of the learner against each rival, from 0 to 1.
    pub scores: Vec<f64>,
}

/// A game to learn from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingGame {
    /// The result for the learner.
    pub result: Wdl,
    /// The transitions of each episode.
    pub episodes: Vec<Vec<Transition>>,
}

impl RunState for TrainingState {
    const FILE: &'static str = "checkpoint.json";
    const RESULTS: &'static [&'static str] = &["weights.json", "curve.csv"];
}

impl JsonState for TrainingState {
    const VERSION: u32 = 3;
}

impl TrainingState {
    /// The state before the first game.
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

/// The agents of one thread.
pub struct Worker<G: Game> {
    /// The start position.
    pub start: GameState<G>,
    /// The learner and its opponent.
    pub agents: [Agent<G>; 2],
    /// A second instance of the learner for comparison matches.
    pub learner: Agent<G>,
    /// The fixed opponents of comparison matches. The first one has the learner's initial weights.
    pub rivals: Vec<Agent<G>>,
}

/// The purposes of games. Each has its own sequence of seeds.
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
    /// A training that continues from `state`, with one thread for each worker.
    ///
    /// # Errors
    /// [`WeightsError`] if the weights of the state do not fit the agents' feature set.
    pub fn new(
        settings: TrainingSettings,
        mut workers: Vec<Worker<G>>,
        state: TrainingState,
    ) -> Result<Trainer<G>, WeightsError> {
        set_agent_weights(&mut workers, &settings, &state)?;
        Ok(Trainer { settings, workers, state })
    }

    /// The current state.
    pub fn state(&self) -> &TrainingState {
        &self.state
    }

    /// Runs the training until it is complete or `control` stops it. `each` is called with the state after each
    /// round.
    ///
    /// # Errors
    /// Errors of `each`, and [`WeightsError`] if learned weights are not finite. Both end the training.
    pub fn run<E: From<WeightsError>>(
        &mut self,
        control: &Control,
        mut each: impl FnMut(&TrainingState) -> Result<(), E>,
    ) -> Result<(), E> {
        while !self.next_round().is_empty() {
            // An interrupted round is dropped; a resumed training plays it again.
            let Some(played) = self.play(self.next_round(), control) else { break };
            if !self.learn_from(&played, control)? {
                break;
            }
            each(&self.state)?;
        }
        Ok(())
    }

    /// The numbers of the games of the next round, none at the end. A round ends early where a match is due.
    pub fn next_round(&self) -> Range<u64> {
        let TrainingSettings { games, round, clone_every, compare_every, .. } = self.settings;
        let done = self.state.games;
        let due = [clone_every, compare_every].into_iter().flatten().map(|every| (done / every + 1) * every);
        done..due.fold(games.min(done + round), u64::min)
    }

    /// Plays games of the next round; `None` if `control` stops it.
    pub fn play(&mut self, numbers: Range<u64>, control: &Control) -> Option<Vec<TrainingGame>> {
        let settings = &self.settings;
        parallel::in_order(&mut self.workers, numbers, |worker, number| {
            let seed = settings.seed(Purpose::Training, number);
            let game_settings = GameSettings {
                seed,
                opening_seed: seed ^ 1,
                max_plies: G::LONGEST_GAME,
                opening_plies: (mixed(seed) % (settings.opening_plies as u64 + 1)) as usize,
                first: Color::BOTH[(number % 2) as usize],
                exploration: settings.exploration.rate(number as f64 / settings.games as f64),
            };
            let Worker { start, agents, .. } = worker;
            let observing = Some(&settings.observation);
            let game = play::play(start, agents.each_mut(), &game_settings, observing, control)?;
            let episodes = game.episodes.iter().map(Episode::transitions).collect();
            Some(TrainingGame { result: game.result, episodes })
        })
    }

    /// Learns from `played`, the games of the next round in order, then plays the matches that are due.
    /// Returns false if `control` stops them; the state is then unchanged.
    ///
    /// # Errors
    /// [`WeightsError`] if learned weights are not finite; the training cannot continue then.
    pub fn learn_from(&mut self, played: &[TrainingGame], control: &Control) -> Result<bool, WeightsError> {
        let numbers = self.next_round();
        let mut state = self.state.clone();
        state.games = numbers.end;
        for (game, number) in played.iter().zip(numbers) {
            self.learn(&mut state, game, number);
        }
        set_agent_weights(&mut self.workers, &self.settings, &state)?;
        let is_complete = self.after_round(&mut state, control).is_some();
        if is_complete {
            self.state = state;
        }
        set_agent_weights(&mut self.workers, &self.settings, &self.state)?;
        Ok(is_complete)
    }

    /// Plays a match of the learner against the first rival, which has its initial weights. Returns the
    /// learner's results in pairs of games; `None` if `control` stops it.
    pub fn final_match(&mut self, games: u64, control: &Control) -> Option<Vec<[Wdl; 2]>> {
        let results = self.compare(Purpose::FinalMatch, 0, games, control)?;
        Some(results.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
    }

    /// Learns from the training game `number`.
    fn learn(&self, state: &mut TrainingState, game: &TrainingGame, number: u64) {
        state.results[Wdl::Win as usize - game.result as usize] += 1;
        let progress = number as f64 / self.settings.games as f64;
        let rate = self.settings.rate * self.settings.decay.factor(progress);
        for episode in &game.episodes {
            state.learner.begin_episode();
            for step in episode {
                state.learner.learn(step, rate, &mut state.weights);
                state.steps += 1;
                if state.steps.is_multiple_of(self.settings.period) {
                    end_period(state, number + 1);
                }
            }
        }
    }

    /// Plays the cloning match and the comparison matches that are due. `None` if `control` stops them.
    fn after_round(&mut self, state: &mut TrainingState, control: &Control) -> Option<()> {
        let is_due = |every: Option<u64>| every.is_some_and(|every| state.games.is_multiple_of(every));
        let (clones, compares) = (is_due(self.settings.clone_every), is_due(self.settings.compare_every));
        if clones {
            let settings = &self.settings;
            let first = 2 * state.games;
            let results = parallel::in_order(&mut self.workers, first..first + 2, |worker, number| {
                let game_settings = settings.match_game(Purpose::Cloning, number, 0, G::LONGEST_GAME);
                let Worker { start, agents, .. } = worker;
                let game = play::play(start, agents.each_mut(), &game_settings, None, control)?;
                Some(game.result)
            });
            if results? == [Wdl::Win; 2] {
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

    /// Plays a match of the learner against a rival and returns the learner's results.
    fn compare(&mut self, purpose: Purpose, rival: usize, games: u64, control: &Control) -> Option<Vec<Wdl>> {
        let settings = &self.settings;
        parallel::in_order(&mut self.workers, 0..games, |worker, number| {
            let game_settings = settings.match_game(purpose, number, COMPARISON_PLIES, G::LONGEST_GAME);
            let agents = [&mut worker.learner, &mut worker.rivals[rival]];
            Some(play::play(&worker.start, agents, &game_settings, None, control)?.result)
        })
    }
}

/// Length of the random opening of games against rivals, in plies.
const COMPARISON_PLIES: usize = 6;

impl TrainingSettings {
    /// The seed of a game.
    fn seed(&self, purpose: Purpose, number: u64) -> u64 {
        mixed(mixed(mixed(self.seed) ^ purpose as u64) ^ number)
    }

    /// The settings of game `number` of a match in which each opening is played twice.
    fn match_game(
        &self,
        purpose: Purpose,
        number: u64,
        opening_plies: usize,
        max_plies: Option<u32>,
    ) -> GameSettings {
        GameSettings {
            seed: self.seed(purpose, number),
            opening_seed: self.seed(purpose, number / 2) ^ 1,
            opening_plies,
            max_plies,
            first: Color::BOTH[(number % 2) as usize],
            exploration: 0.0,
        }
    }
}

/// Ends a period in game `game`: lets the learner solve, and adds a point to the curve.
fn end_period(state: &mut TrainingState, game: u64) {
    if let Err(error) = state.learner.end_period(&mut state.weights) {
        log::info!("game {game}, step {}: {error}", state.steps);
        state.singular += 1;
    }
    let before = state.curve.last().map_or(&state.start, |point| &point.weights);
    let change = state.weights.iter().zip(before).map(|(new, old)| (new - old).abs()).sum();
    let (steps, clones, weights) = (state.steps, state.clones, state.weights.clone());
    state.curve.push(CurvePoint { steps, game, clones, change, weights });
}

/// Sets the weights of the learner, and those of the opponent if it is a clone, on all workers.
fn set_agent_weights<G: Playable>(
    workers: &mut [Worker<G>],
    settings: &TrainingSettings,
    state: &TrainingState,
) -> Result<(), WeightsError> {
    let source = |weights: &[f64]| WeightsSource::Values(weights.iter().map(f64::to_string).collect());
    let (learned, cloned) = (source(&state.weights), source(&state.opponent));
    for Worker { agents: [learner, opponent], learner: again, .. } in workers {
        learner.engine.set_weights(&learned)?;
        again.engine.set_weights(&learned)?;
        if settings.clone_every.is_some() {
            opponent.engine.set_weights(&cloned)?;
        }
    }
    Ok(())
}
