//! One game between two agents, and what there is to learn from it.

use std::borrow::Cow;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::observation::{
    Episode, Observation, ObservationSettings, Observed, ObservedPosition, sparse_features,
};
use crate::engine::game_loop::{GameDriver, play_out};
use crate::engine::{Board, Play, Thinker};
use crate::game::{Chance, Color, Features, Game, Playable, Points, mixed};
use crate::search::{Best, Control, Limits, Listener, Report};

/// How long a move is thought about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchLimit {
    /// To a depth in plies.
    Depth(u32),
    /// For so many nodes.
    Nodes(u64),
}

impl SearchLimit {
    fn limits(self) -> Limits {
        match self {
            SearchLimit::Depth(plies) => Limits::depth(plies),
            SearchLimit::Nodes(nodes) => Limits::nodes(nodes),
        }
    }
}

/// A player in self-play.
pub struct Agent<G: Game> {
    /// Its search.
    pub thinker: Thinker<G>,
    /// How long it thinks.
    pub limit: SearchLimit,
}

/// How a game is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameSettings {
    /// What all that is left to chance depends on.
    pub seed: u64,
    /// What the first moves depend on, so that two games may begin alike.
    pub opening_seed: u64,
    /// Random moves that the game begins with.
    pub opening_plies: usize,
    /// The colour of the first agent.
    pub first: Color,
    /// How likely the second agent plays a random move.
    pub exploration: f64,
}

/// A game that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlayGame<M> {
    /// The result for the first agent.
    pub result: Points,
    /// What has been observed, where that was asked for: first the episodes of the first agent, then those of
    /// the second.
    pub episodes: Vec<Episode<M>>,
}

/// Plays a game from `start` to its end; none if `control` stops it.
pub fn play<G: Playable>(
    start: &Play<G>,
    mut agents: [&mut Agent<G>; 2],
    game_settings: &GameSettings,
    observing: Option<&ObservationSettings>,
    control: &Control,
) -> Option<SelfPlayGame<G::Move>> {
    for (agent, number) in agents.iter_mut().zip(1..) {
        agent.thinker.new_game();
        agent.thinker.set_seed(mixed(game_settings.seed ^ number) >> 1);
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
    let end = play_out(&mut start.clone(), G::LONGEST_GAME, &mut driver).ok()?;
    let mut episodes = driver.episodes;
    for (episodes, color) in episodes.iter_mut().zip([game_settings.first, !game_settings.first]) {
        if let (Some(settings), Some(last)) = (observing, episodes.last_mut()) {
            last.reward = Some(settings.reward_of(end.winner(), color));
        }
    }
    Some(SelfPlayGame { result: Points::of(end.winner(), game_settings.first), episodes: episodes.concat() })
}

/// The game has been called off.
struct Interrupted;

/// Lets two agents play, and observes them.
struct Driver<'a, G: Game> {
    agents: [&'a mut Agent<G>; 2],
    game_settings: &'a GameSettings,
    observing: Option<&'a ObservationSettings>,
    control: &'a Control,
    random: StdRng,
    openings: StdRng,
    /// Moves of the opening that are still to be played.
    opening_plies: usize,
    episodes: [Vec<Episode<G::Move>>; 2],
}

impl<G: Playable> GameDriver<G> for Driver<'_, G> {
    type Stop = Interrupted;

    fn choose(&mut self, game: &Play<G>) -> Result<G::Move, Interrupted> {
        if self.opening_plies > 0 {
            self.opening_plies -= 1;
            return Ok(any_move(game, &mut self.openings));
        }
        let color = game.side_to_move();
        let seat = usize::from(color != self.game_settings.first);
        if seat == 1 && self.random.random_bool(self.game_settings.exploration) {
            // Nobody learns from what comes of a random move.
            if self.episodes[seat].last().is_some_and(|episode| !episode.observations.is_empty()) {
                self.episodes[seat].push(Episode::new());
            }
            return Ok(any_move(game, &mut self.random));
        }
        let Agent { thinker, limit } = &mut *self.agents[seat];
        let mut findings = SearchRecorder::default();
        let best = thinker.think(game, None, &limit.limits(), self.control, &mut findings);
        // A search that is not stopped finds a move: the game is not over.
        let mv = best.mv.filter(|_| !self.control.is_stopped()).ok_or(Interrupted)?;
        if let Some(settings) = self.observing.filter(|settings| seat == 0 || settings.both) {
            let observer = Observer { set: thinker.weights().set(), game, color, settings };
            let observation = observer.observation(mv, &best, &findings);
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

/// Any legal move of a game that is not over.
fn any_move<G: Game>(game: &Play<G>, random: &mut StdRng) -> G::Move {
    let mut moves = Vec::with_capacity(G::MAX_MOVES);
    game.position().legal_moves(&mut moves);
    moves[random.random_range(0..moves.len())]
}

/// What a search tells of a move.
struct SearchRecorder<M> {
    /// The last line that it has found.
    line: Vec<M>,
    /// Visits of the moves, where it counts them.
    visits: Vec<(M, u32)>,
}

impl<M> Default for SearchRecorder<M> {
    fn default() -> Self {
        SearchRecorder { line: Vec::new(), visits: Vec::new() }
    }
}

impl<M: Copy> Listener<M> for SearchRecorder<M> {
    fn report(&mut self, report: Report<M>) {
        if report.multipv == 1 {
            self.line = report.pv;
        }
    }

    fn root_visits(&mut self, visits: &[(M, u32)]) {
        self.visits = visits.to_vec();
    }
}

/// Looks at a position in which an agent has thought about its move.
struct Observer<'a, G> {
    /// The feature set.
    set: usize,
    game: &'a Play<G>,
    /// The agent's colour.
    color: Color,
    settings: &'a ObservationSettings,
}

impl<G: Chance + Features> Observer<'_, G> {
    fn observation(
        &self,
        mv: G::Move,
        best: &Best<G::Move>,
        findings: &SearchRecorder<G::Move>,
    ) -> Observation<G::Move> {
        let observed = match self.settings.position {
            ObservedPosition::Root => self.observe(&[]),
            ObservedPosition::Leaf => self.observe(&findings.line),
        };
        let reply = best.ponder.filter(|_| self.settings.predicted);
        let predicted = reply.map(|reply| self.observe(&[mv, reply]));
        Observation { observed, predicted, policy: policy(mv, &findings.visits) }
    }

    /// What the agent sees after some more moves.
    fn observe(&self, moves: &[G::Move]) -> Observed {
        let mut game = Cow::Borrowed(self.game);
        for &mv in moves {
            game.to_mut().advance(mv);
        }
        // On the board the game is not over.
        if let Some(outcome) = game.outcome().filter(|_| !moves.is_empty()) {
            return Observed::End(self.settings.reward_of(outcome.winner, self.color));
        }
        let mut features = sparse_features(game.position(), self.set);
        if game.side_to_move() != self.color {
            // What is good for the other is bad for the agent: the evaluation of the one is minus that of the
            // other.
            features.iter_mut().for_each(|(_, value)| *value = -*value);
        }
        Observed::Features(features)
    }
}

/// The policy target of a move that was chosen by a search with these visits.
fn policy<M: Copy>(mv: M, visits: &[(M, u32)]) -> Vec<(M, f64)> {
    match visits.iter().map(|&(_, count)| f64::from(count)).sum() {
        0.0 => vec![(mv, 1.0)],
        total => visits.iter().map(|&(mv, count)| (mv, f64::from(count) / total)).collect(),
    }
}

impl ObservationSettings {
    /// The reward of a player for a result.
    fn reward_of(&self, winner: Option<Color>, player: Color) -> f64 {
        (2.0 * Points::of(winner, player).value() - 1.0) * self.reward
    }
}
