//! Playing games to learn from: agents and their searches, random openings, and games between two agents.

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
    /// Nodes after which no iteration begins, and nodes at most.
    SoftNodes {
        /// After these no iteration begins.
        soft: u64,
        /// These are not exceeded.
        hard: u64,
    },
    /// Engine options only, such as `Simulations`.
    Options,
}

impl SearchLimit {
    /// At most `hard` nodes, and no iteration that begins after `soft`, where there is such a limit.
    pub fn of_nodes(soft: Option<u64>, hard: u64) -> SearchLimit {
        soft.map_or(SearchLimit::Nodes(hard), |soft| SearchLimit::SoftNodes { soft, hard })
    }

    fn limits(self) -> Limits {
        match self {
            SearchLimit::Depth(plies) => Limits::depth(plies),
            SearchLimit::Nodes(nodes) => Limits::nodes(nodes),
            SearchLimit::SoftNodes { soft, hard } => Limits { soft_nodes: Some(soft), ..Limits::nodes(hard) },
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

/// The result of an agent's search.
pub(crate) struct SearchSummary<M> {
    /// The move to play.
    pub(crate) mv: M,
    /// The expected reply.
    pub(crate) ponder: Option<M>,
    /// The last principal variation.
    pub(crate) pv: Vec<M>,
    /// Its score for the side to move.
    pub(crate) score: Option<Score>,
    /// The root statistics of a Monte Carlo search.
    pub(crate) root: Option<RootStatistics<M>>,
}

impl<G: Playable> Agent<G> {
    /// Starts a new game.
    pub(crate) fn new_game(&mut self, seed: u64) {
        self.engine.new_game();
        self.engine.set_seed(seed >> 1);
    }

    /// Searches in a game that is not over; `None` if `control` stops it.
    pub(crate) fn search(
        &mut self,
        game: &GameState<G>,
        control: &Control,
    ) -> Option<SearchSummary<G::Move>> {
        let mut recorder = Recorder { pv: Vec::new(), score: None, root: None };
        let best = self.engine.think(game, None, &self.limit.limits(), control, &mut recorder);
        // A search that is not stopped finds a move.
        let mv = best.mv.filter(|_| !control.is_stopped())?;
        let Recorder { pv, score, root } = recorder;
        Some(SearchSummary { mv, ponder: best.ponder, pv, score, root })
    }
}

/// Records the last exact report of a search and its root statistics.
struct Recorder<M> {
    pv: Vec<M>,
    score: Option<Score>,
    root: Option<RootStatistics<M>>,
}

impl<M: Clone> Listener<M> for Recorder<M> {
    fn report(&mut self, report: Report<M>) {
        // The line of a bound does not end in the position that the score comes from.
        if report.multipv == 1 && report.bound == Bound::Exact {
            (self.pv, self.score) = (report.pv, Some(report.score));
        }
    }

    fn root(&mut self, root: &RootStatistics<M>) {
        self.root = Some(root.clone());
    }
}

/// Plays a random opening. Returns the game and the plies left of `max_plies`. Moves and chance outcomes are
/// sampled by [`GameState::play_random_moves`].
pub(crate) fn play_opening<G: Playable>(
    start: &GameState<G>,
    plies: usize,
    max_plies: Option<u32>,
    (random, chance): (&mut StdRng, Option<&mut StdRng>),
    control: &Control,
) -> (GameState<G>, Option<u32>) {
    let mut game = start.clone();
    let plies = max_plies.map_or(plies, |max_plies| plies.min(max_plies as usize));
    let played = game.play_random_moves(plies, random, chance, control).len() as u32;
    (game, max_plies.map(|max_plies| max_plies - played))
}

/// The error of a game that `control` has stopped.
pub(crate) struct Stopped;

/// The settings of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameSettings {
    /// Seed of everything random except the opening.
    pub seed: u64,
    /// Seed of the opening, so that a pair of games can share an opening.
    pub opening_seed: u64,
    /// Length of the random opening in plies.
    pub opening_plies: usize,
    /// Plies after which the game is adjudicated in favour of the leader; `None` for no such limit.
    pub max_plies: Option<u32>,
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
    /// The episodes of the first agent, then those of the second, if observations were requested.
    pub episodes: Vec<Episode<M>>,
}

/// Plays a game from `start` to its end; `None` if `control` stops it. `observing` are the settings of
/// observations; `None` for no observations.
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
    let GameSettings { seed, opening_seed, opening_plies, max_plies, .. } = *game_settings;
    let (mut random, mut openings) = (StdRng::seed_from_u64(seed), StdRng::seed_from_u64(opening_seed));
    let random_numbers = (&mut openings, Some(&mut random));
    let (mut game, max_plies) = play_opening(start, opening_plies, max_plies, random_numbers, control);
    let mut driver = Driver {
        agents,
        game_settings,
        observing,
        control,
        random,
        episodes: [vec![Episode::new()], vec![Episode::new()]],
    };
    let end = play_out(&mut game, max_plies, &mut driver).ok()?;
    let mut episodes = driver.episodes;
    for (episodes, color) in episodes.iter_mut().zip([game_settings.first, !game_settings.first]) {
        if let (Some(settings), Some(last)) = (observing, episodes.last_mut()) {
            last.reward = Some(settings.reward_of(end.winner(), color));
        }
    }
    Some(SelfPlayGame { result: Wdl::of(end.winner(), game_settings.first), episodes: episodes.concat() })
}

/// Asks the agents for moves and records observations.
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
            // A random move ends the episode: what follows does not result from the agent's policy.
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
