//! Matches of nets, and whether a new net replaces the best one.

use super::GateSettings;
use super::selfplay::max_plies;
use super::{Purpose, ZeroSettings};
use crate::play::{Agent, GameSettings, play};
use labrys_core::engine::GameState;
use labrys_core::engine::Playable;
use labrys_core::game::{Color, Game};
use labrys_core::parallel;
use labrys_core::search::Control;
use labrys_support::elo::Pairs;

impl GateSettings {
    /// Whether a net with these results replaces the best one: it has to win more than the threshold of the
    /// decided games.
    pub fn accepts(&self, pairs: &Pairs) -> bool {
        let [lost, _, won] = pairs.games.map(|games| games as f64);
        won > self.threshold.0 * (lost + won)
    }
}

/// Plays a match of `games` games, an even number, with each opening played twice. `agents` returns the
/// candidate and its opponent of a thread. `None` if `control` stops it.
pub(super) fn play_match<G: Playable, W: Send>(
    start: &GameState<G>,
    settings: &ZeroSettings,
    workers: &mut [W],
    agents: impl Fn(&mut W) -> [&mut Agent<G>; 2] + Sync,
    (purpose, generation, games): (Purpose, u32, u64),
    control: &Control,
    mut each: impl FnMut(u64),
) -> Option<Pairs> {
    let job = |worker: &mut W, number: u64| {
        let game_settings = game_settings::<G>(settings, purpose, generation, number);
        Some(play(start, agents(worker), &game_settings, None, control)?.result)
    };
    let mut done = 0;
    let results = parallel::in_order_with(workers, 0..games, job, |_| {
        done += 1;
        each(done);
    })?;
    let mut pairs = Pairs::default();
    results.chunks_exact(2).for_each(|pair| pairs.add(pair[0], pair[1]));
    Some(pairs)
}

/// The settings of a game of a match.
fn game_settings<G: Game>(
    settings: &ZeroSettings,
    purpose: Purpose,
    generation: u32,
    number: u64,
) -> GameSettings {
    GameSettings {
        seed: settings.seed_of(purpose, generation, number),
        opening_seed: settings.seed_of(purpose, generation, number / 2) ^ 1,
        opening_plies: settings.matches.opening_plies,
        max_plies: max_plies::<G>(&settings.selfplay),
        first: Color::BOTH[(number % 2) as usize],
        exploration: 0.0,
    }
}
