//! Games that learning plays: agents and their searches, random openings, and whole games of two agents.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::linear::{Episode, ObservationSettings};
use labrys_core::engine::Playable;
use labrys_core::engine::game_loop::{GameDriver, play_out};
use labrys_core::engine::{Board, GameState, TypedEngine};
use labrys_core::eval::Score;
use labrys_core::game::{Color, Game, Wdl, mixed};
use labrys_core::search::{Bound, Control, Limits, Listener, Report, RootStatistics};

/// The limit of an agent's search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchLimit {
    /// Depth in plies.
    Depth(u32),
    /// Nodes.
    Nodes(u64),
    /// What the options say, such as `Simulations`.
    Options,
}

impl SearchLimit {
    fn limits(self) -> Limits {
        match self {
            SearchLimit::Depth(plies) => Limits::depth(plies),
            SearchLimit::Nodes(nodes) => Limits::nodes(nodes),
            SearchLimit::Options => Limits::none(),
        }
    }
}

/// A player of games to learn from.
pub struct Agent<G: Game> {
    /// Its search.
    pub engine: Box<dyn TypedEngine<G>>,
    /// The limit of the search for each move.
    pub limit: SearchLimit,
}

/// What the search of an agent has found.
pub(crate) struct Found<M> {
    /// The move to play.
    pub(crate) mv: M,
    /// The reply that is expected.
    pub(crate) ponder: Option<M>,
    /// The last principal variation.
    pub(crate) pv: Vec<M>,
    /// Its score for the side to move.
    pub(crate) score: Option<Score>,
    /// What a Monte Carlo search says of its root.
    pub(crate) root: Option<RootStatistics<M>>,
}

impl<G: Playable> Agent<G> {
    /// Begins a game.
    pub(crate) fn new_game(&mut self, seed: u64) {
        self.engine.new_game();
        self.engine.set_seed(seed >> 1);
    }

    /// Searches in a game that is not over; `None` if `control` stops it.
    pub(crate) fn search(&mut self, game: &GameState<G>, control: &Control) -> Option<Found<G::Move>> {
        let mut recorder = Recorder { pv: Vec::new(), score: None, root: None };
        let best = self.engine.think(game, None, &self.limit.limits(), control, &mut recorder);
        // A search that is not stopped finds a move.
        let mv = best.mv.filter(|_| !control.is_stopped())?;
        let Recorder { pv, score, root } = recorder;
        Some(Found { mv, ponder: best.ponder, pv, score, root })
    }
}

/// Records the last exact report of a search, and what it says of its root.
struct Recorder<M> {
    pv: Vec<M>,
    score: Option<Score>,
    root: Option<RootStatistics<M>>,
}

impl<M: Clone> Listener<M> for Recorder<M> {
    fn report(&mut self, report: Report<M>) {
        // The line of a bound does not lead to the position that the score is of.
        if report.multipv == 1 && report.bound == Bound::Exact {
            (self.pv, self.score) = (report.pv, Some(report.score));
        }
    }

    fn root(&mut self, root: &RootStatistics<M>) {
        self.root = Some(root.clone());
    }
}

/// A game that begins with random moves, and the plies that are left of the `longest` one. Moves and outcomes
/// of chance are drawn as [`GameState::play_random_moves`] does it.
pub(crate) fn opened<G: Playable>(
    start: &GameState<G>,
    plies: usize,
    longest: Option<u32>,
    (random, chance): (&mut StdRng, Option<&mut StdRng>),
    control: &Control,
) -> (GameState<G>, Option<u32>) {
    let mut game = start.clone();
    let plies = longest.map_or(plies, |longest| plies.min(longest as usize));
    let played = game.play_random_moves(plies, random, chance, control).len() as u32;
    (game, longest.map(|longest| longest - played))
}

/// The game was stopped.
pub(crate) struct Stopped;

/// The settings of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameSettings {
    /// Seed of everything random, except the opening.
    pub seed: u64,
    /// Seed of the opening, so that a pair of games can share one.
    pub opening_seed: u64,
    /// Length of the random opening in plies.
    pub opening_plies: usize,
    /// Plies after which the game ends, in favour of its leader; `None`: by the rules only.
    pub longest: Option<u32>,
    /// The colour of the first agent.
    pub first: Color,
    /// Exploration rate: the probability that the second agent plays a random move.
    pub exploration: f64,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlayGame<M> {
    /// The result for the first agent.
    pub result: Wdl,
    /// The episodes, if observations were requested: those of the first agent, then those of the second.
    pub episodes: Vec<Episode<M>>,
}

/// Plays a game from `start` to its end; `None` if `control` stops it. `observing` are the settings of the
/// observations, if any are wanted.
pub fn play<G: Playable>(
    start: &GameState<G>,
    mut agents: [&mut Agent<G>; 2],
    game_settings: &GameSettings,
    observing: Option<&ObservationSettings>,
    control: &Control,
) -> Option<SelfPlayGame<G::Move>> {
    for (agent, number) in agents.iter_mut().zip(1..) {
        agent.new_game(mixed(game_settings.seed ^ number));
    }
    let GameSettings { seed, opening_seed, opening_plies, longest, .. } = *game_settings;
    let (mut random, mut openings) = (StdRng::seed_from_u64(seed), StdRng::seed_from_u64(opening_seed));
    let random_numbers = (&mut openings, Some(&mut random));
    let (mut game, longest) = opened(start, opening_plies, longest, random_numbers, control);
    let mut driver = Driver {
        agents,
        game_settings,
        observing,
        control,
        random,
        episodes: [vec![Episode::new()], vec![Episode::new()]],
    };
    let end = play_out(&mut game, longest, &mut driver).ok()?;
    let mut episodes = driver.episodes;
    for (episodes, color) in episodes.iter_mut().zip([game_settings.first, !game_settings.first]) {
        if let (Some(settings), Some(last)) = (observing, episodes.last_mut()) {
            last.reward = Some(settings.reward_of(end.winner(), color));
        }
    }
    Some(SelfPlayGame { result: Wdl::of(end.winner(), game_settings.first), episodes: episodes.concat() })
}

/// Requests moves from the agents and records their observations.
struct Driver<'a, G: Game> {
    agents: [&'a mut Agent<G>; 2],
    game_settings: &'a GameSettings,
    observing: Option<&'a ObservationSettings>,
    control: &'a Control,
    random: StdRng,
    episodes: [Vec<Episode<G::Move>>; 2],
}

impl<G: Playable> GameDriver<G> for Driver<'_, G> {
    type Stop = Stopped;

    fn choose(&mut self, game: &GameState<G>) -> Result<G::Move, Stopped> {
        let color = game.side_to_move();
        let seat = usize::from(color != self.game_settings.first);
        if seat == 1 && self.random.random_bool(self.game_settings.exploration) {
            // A random move ends the episode: what follows is no consequence of the agent's policy.
            if self.episodes[seat].last().is_some_and(|episode| !episode.observations.is_empty()) {
                self.episodes[seat].push(Episode::new());
            }
            return game.random_move(&mut self.random).ok_or(Stopped);
        }
        let agent = &mut *self.agents[seat];
        let found = agent.search(game, self.control).ok_or(Stopped)?;
        if let Some(settings) = self.observing.filter(|settings| seat == 0 || settings.both) {
            let observation = settings.observation(game, agent.engine.weights().set(), &found);
            if let Some(episode) = self.episodes[seat].last_mut() {
                episode.observations.push(observation);
            }
        }
        Ok(found.mv)
    }

    fn random(&mut self) -> f64 {
        self.random.random()
    }
}
