//! Self-play: one game between two agents, with the observations to learn from.

use std::borrow::Cow;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::observation::{
    Episode, Observation, ObservationSettings, Observed, ObservedPosition, sparse_features,
};
use labrys_core::engine::Playable;
use labrys_core::engine::game_loop::{GameDriver, play_out};
use labrys_core::engine::{Board, Play, TypedEngine};
use labrys_core::game::{Color, Game, Knowledge, Points, mixed};
use labrys_core::search::{
    Best, Bound, Control, Limits, Listener, Report, RootMoveStatistics, RootStatistics,
};

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
    pub(super) fn limits(self) -> Limits {
        match self {
            SearchLimit::Depth(plies) => Limits::depth(plies),
            SearchLimit::Nodes(nodes) => Limits::nodes(nodes),
            SearchLimit::Options => Limits::none(),
        }
    }
}

/// A player in self-play.
pub struct Agent<G: Game> {
    /// Its search.
    pub engine: Box<dyn TypedEngine<G>>,
    /// The limit of the search for each move.
    pub limit: SearchLimit,
}

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
    pub result: Points,
    /// The episodes, if observations were requested: those of the first agent, then those of the second.
    pub episodes: Vec<Episode<M>>,
}

/// Plays a game from `start` to its end; `None` if `control` stops it. `observing` are the settings of the
/// observations, if any are wanted.
pub fn play<G: Playable>(
    start: &Play<G>,
    mut agents: [&mut Agent<G>; 2],
    game_settings: &GameSettings,
    observing: Option<&ObservationSettings>,
    control: &Control,
) -> Option<SelfPlayGame<G::Move>> {
    for (agent, number) in agents.iter_mut().zip(1..) {
        agent.engine.new_game();
        agent.engine.set_seed(mixed(game_settings.seed ^ number) >> 1);
    }
    let mut driver = Driver {
        agents,
        game_settings,
        observing,
        control,
        random: StdRng::seed_from_u64(game_settings.seed),
        openings: StdRng::seed_from_u64(game_settings.opening_seed),
        opening_plies: game_settings.opening_plies,
        episodes: [vec![Episode::new()], vec![Episode::new()]],
    };
    let end = play_out(&mut start.clone(), game_settings.longest, &mut driver).ok()?;
    let mut episodes = driver.episodes;
    for (episodes, color) in episodes.iter_mut().zip([game_settings.first, !game_settings.first]) {
        if let (Some(settings), Some(last)) = (observing, episodes.last_mut()) {
            last.reward = Some(settings.reward_of(end.winner(), color));
        }
    }
    Some(SelfPlayGame { result: Points::of(end.winner(), game_settings.first), episodes: episodes.concat() })
}

/// The game was stopped.
struct Interrupted;

/// Requests moves from the agents and records their observations.
struct Driver<'a, G: Game> {
    agents: [&'a mut Agent<G>; 2],
    game_settings: &'a GameSettings,
    observing: Option<&'a ObservationSettings>,
    control: &'a Control,
    random: StdRng,
    openings: StdRng,
    /// Opening moves still to be played.
    opening_plies: usize,
    episodes: [Vec<Episode<G::Move>>; 2],
}

impl<G: Playable> GameDriver<G> for Driver<'_, G> {
    type Stop = Interrupted;

    fn choose(&mut self, game: &Play<G>) -> Result<G::Move, Interrupted> {
        if self.opening_plies > 0 {
            self.opening_plies -= 1;
            return Ok(random_move(game, &mut self.openings));
        }
        let color = game.side_to_move();
        let seat = usize::from(color != self.game_settings.first);
        if seat == 1 && self.random.random_bool(self.game_settings.exploration) {
            // A random move ends the episode: what follows is no consequence of the agent's policy.
            if self.episodes[seat].last().is_some_and(|episode| !episode.observations.is_empty()) {
                self.episodes[seat].push(Episode::new());
            }
            return Ok(random_move(game, &mut self.random));
        }
        let Agent { engine, limit } = &mut *self.agents[seat];
        let mut recorder = SearchRecorder::default();
        let best = engine.think(game, None, &limit.limits(), self.control, &mut recorder);
        // The game is not over, so a search that is not stopped finds a move.
        let mv = best.mv.filter(|_| !self.control.is_stopped()).ok_or(Interrupted)?;
        if let Some(settings) = self.observing.filter(|settings| seat == 0 || settings.both) {
            let observer = Observer { set: engine.weights().set(), game, color, settings };
            let observation = observer.observation(mv, &best, &recorder);
            if let Some(episode) = self.episodes[seat].last_mut() {
                episode.observations.push(observation);
            }
        }
        Ok(mv)
    }

    fn random(&mut self) -> f64 {
        self.random.random()
    }
}

/// A random legal move in a game that is not over.
pub(super) fn random_move<G: Game>(game: &Play<G>, random: &mut StdRng) -> G::Move {
    let mut moves = Vec::with_capacity(G::MAX_MOVES);
    game.position().legal_moves(&mut moves);
    moves[random.random_range(0..moves.len())]
}

/// Records the last principal variation and the policy of a search.
struct SearchRecorder<M> {
    /// The last principal variation.
    pv: Vec<M>,
    /// The policy that the search recommends, if it has one.
    policy: Vec<(M, f64)>,
}

impl<M> Default for SearchRecorder<M> {
    fn default() -> Self {
        SearchRecorder { pv: Vec::new(), policy: Vec::new() }
    }
}

impl<M: Copy> Listener<M> for SearchRecorder<M> {
    fn report(&mut self, report: Report<M>) {
        // The line of a bound does not lead to the position that the score is of.
        if report.multipv == 1 && report.bound == Bound::Exact {
            self.pv = report.pv;
        }
    }

    fn root(&mut self, root: &RootStatistics<M>) {
        self.policy = root.moves.iter().map(|&RootMoveStatistics { mv, policy, .. }| (mv, policy)).collect();
    }
}

/// Makes the observation of a position in which an agent has searched.
struct Observer<'a, G> {
    /// Index of the feature set.
    set: usize,
    game: &'a Play<G>,
    /// The agent's colour.
    color: Color,
    settings: &'a ObservationSettings,
}

impl<G: Knowledge> Observer<'_, G> {
    fn observation(
        &self,
        mv: G::Move,
        best: &Best<G::Move>,
        recorder: &SearchRecorder<G::Move>,
    ) -> Observation<G::Move> {
        let observed = match self.settings.position {
            ObservedPosition::Root => self.observe(&[]),
            ObservedPosition::Leaf => self.observe(&recorder.pv),
        };
        let reply = best.ponder.filter(|_| self.settings.predicted);
        let predicted = reply.map(|reply| self.observe(&[mv, reply]));
        let policy = match &*recorder.policy {
            [] => vec![(mv, 1.0)],
            policy => policy.to_vec(),
        };
        Observation { observed, predicted, policy }
    }

    /// Observes the position after `moves`.
    fn observe(&self, moves: &[G::Move]) -> Observed {
        let mut game = Cow::Borrowed(self.game);
        for &mv in moves {
            game.to_mut().advance(mv);
        }
        // The game on the board is not over.
        if let Some(outcome) = game.outcome().filter(|_| !moves.is_empty()) {
            return Observed::End(self.settings.reward_of(outcome.winner, self.color));
        }
        let mut features = sparse_features(game.position(), self.set);
        if game.side_to_move() != self.color {
            // The evaluation is antisymmetric: the value for the agent is minus that for its opponent.
            features.iter_mut().for_each(|(_, value)| *value = -*value);
        }
        Observed::Features(features)
    }
}

impl ObservationSettings {
    /// The reward of a player at the end of a game.
    fn reward_of(&self, winner: Option<Color>, player: Color) -> f64 {
        (2.0 * Points::of(winner, player).value() - 1.0) * self.reward
    }
}
