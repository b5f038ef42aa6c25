//! Games that a net plays against itself, with the positions to learn from.

use std::collections::HashMap;
use std::ops::Range;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use super::{Purpose, Samples, SelfPlaySettings, ZeroSettings};
use crate::play::{Agent, Stopped, play_opening};
use labrys_core::engine::Playable;
use labrys_core::engine::game_loop::{GameDriver, play_out};
use labrys_core::engine::{Board, GameState};
use labrys_core::game::{Color, EncodingShape, Game, Wdl, mixed};
use labrys_core::parallel;
use labrys_core::search::{Control, RootStatistics};

/// The numbers of games won by White, drawn, and won by Black.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfPlayResult {
    /// Games won by White.
    pub white: u64,
    /// Drawn games.
    pub drawn: u64,
    /// Games won by Black.
    pub black: u64,
}

impl SelfPlayResult {
    /// Adds the result of a game.
    fn add(&mut self, winner: Option<Color>) {
        *match winner {
            Some(Color::White) => &mut self.white,
            None => &mut self.drawn,
            Some(Color::Black) => &mut self.black,
        } += 1;
    }

    /// Adds other results.
    pub(crate) fn add_all(&mut self, other: SelfPlayResult) {
        self.white += other.white;
        self.drawn += other.drawn;
        self.black += other.black;
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.white + self.drawn + self.black
    }
}

/// A finished self-play game.
#[derive(Clone, Debug)]
struct SelfPlayGame {
    samples: Samples,
    winner: Option<Color>,
}

/// Games of a generation, to be played.
pub(super) struct Games<'a, G: Game> {
    /// Where they start.
    pub(super) start: &'a GameState<G>,
    pub(super) settings: &'a ZeroSettings,
    /// The sizes and planes of the samples.
    pub(super) shape: EncodingShape,
    pub(super) generation: u32,
    /// The numbers of the games in the generation.
    pub(super) numbers: Range<u64>,
}

impl<G: Playable> Games<'_, G> {
    /// Plays the games. `player` returns the player of a thread. `each` is called after each game with the
    /// number of games and of positions so far. `None` if `control` stops it.
    pub(super) fn play<W: Send>(
        &self,
        workers: &mut [W],
        player: impl Fn(&mut W) -> &mut Agent<G> + Sync,
        control: &Control,
        mut each: impl FnMut(u64, u64),
    ) -> Option<(Samples, SelfPlayResult)> {
        let job = |worker: &mut W, number| self.play_game(player(worker), number, control);
        let (mut games, mut positions) = (0, 0);
        let played = parallel::in_order_with(workers, self.numbers.clone(), job, |game| {
            games += 1;
            positions += game.samples.len() as u64;
            each(games, positions);
        })?;
        let (mut samples, mut result) = (Samples::new(), SelfPlayResult::default());
        for game in played {
            samples.append(&game.samples);
            result.add(game.winner);
        }
        Some((samples, result))
    }

    /// Plays a game with one player for both sides; `None` if `control` stops it. The game depends only on
    /// the player, the settings and its number.
    fn play_game(&self, player: &mut Agent<G>, number: u64, control: &Control) -> Option<SelfPlayGame> {
        let seed = self.settings.seed_of(Purpose::SelfPlay, self.generation, number);
        let settings = &self.settings.selfplay;
        player.new_game(mixed(seed));
        let mut random = StdRng::seed_from_u64(seed);
        let plies = random.random_range(0..=settings.opening_plies) as usize;
        let numbers = (&mut random, None);
        let (mut game, max_plies) =
            play_opening(self.start, plies, max_plies::<G>(settings), numbers, control);
        let (samples, sides) = (Samples::new(), Vec::new());
        let mut driver = Driver { player, control, random, shape: self.shape, samples, sides };
        let end = play_out(&mut game, max_plies, &mut driver).ok()?;
        let Driver { mut samples, sides, .. } = driver;
        for (value, side) in samples.value.iter_mut().zip(sides) {
            *value = (2.0 * Wdl::of(end.winner(), side).value() - 1.0) as f32;
        }
        samples.game_lengths.push(samples.len() as u32);
        Some(SelfPlayGame { samples, winner: end.winner() })
    }
}

/// Plies after which a game is adjudicated.
pub(super) fn max_plies<G: Game>(settings: &SelfPlaySettings) -> Option<u32> {
    G::LONGEST_GAME.into_iter().chain([settings.longest.get()]).min()
}

/// Asks the player for moves and records samples.
struct Driver<'a, G: Game> {
    player: &'a mut Agent<G>,
    control: &'a Control,
    random: StdRng,
    shape: EncodingShape,
    samples: Samples,
    /// The side to move of each position.
    sides: Vec<Color>,
}

impl<G: Playable> GameDriver<G> for Driver<'_, G> {
    type Stop = Stopped;

    fn choose(&mut self, game: &GameState<G>) -> Result<G::Move, Stopped> {
        let found = self.player.search(game, self.control).ok_or(Stopped)?;
        // Every player is a Monte Carlo search, which reports its root statistics.
        let (mv, root) = (found.mv, found.root.ok_or(Stopped)?);
        let position = game.position();
        let policy = target(position, mv, &root);
        let root_value = (2.0 * root.value - 1.0) as f32;
        let occurrences = game.history().occurrences(position);
        self.samples.push(position, occurrences, self.shape, &policy, root_value);
        self.sides.push(game.side_to_move());
        Ok(mv)
    }

    fn random(&mut self) -> f64 {
        self.random.random()
    }
}

/// The policy target of each legal move. In a position proved won it is the move that was played: the visits
/// before the proof say little.
fn target<G: Game>(position: &G, mv: G::Move, root: &RootStatistics<G::Move>) -> Vec<(G::Move, f32)> {
    let shares: HashMap<_, _> = match root.value {
        1.0 => HashMap::from([(mv, 1.0)]),
        _ => root.moves.iter().map(|statistics| (statistics.mv, statistics.policy as f32)).collect(),
    };
    position.moves().into_iter().map(|mv| (mv, shares.get(&mv).copied().unwrap_or(0.0))).collect()
}
