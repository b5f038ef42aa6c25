//! Playing self-play games to learn from: random openings, short searches, adjudication.

use std::collections::BTreeMap;
use std::mem;
use std::ops::{Range, RangeInclusive};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::games::{BLOCK, GamesError, GamesHeader, GamesProblem, GamesWriter, PlayedGame, opening_bits};
use crate::play::{Agent, SearchLimit};
use labrys_core::engine::Playable;
use labrys_core::engine::{Board, GameState, TypedEngine};
use labrys_core::eval::{Score, WdlModel};
use labrys_core::game::{Color, Game, Wdl, mixed};
use labrys_core::parallel;
use labrys_core::search::Control;

/// A game is adjudicated won at this expected result …
const WIN_EXPECTED: f64 = 0.995;
/// … for this many plies in a row.
const WIN_PLIES: u32 = 4;

/// A game that can be drawn is adjudicated drawn from this ply on …
const DRAW_FROM_PLY: usize = 80;
/// … if the score is within this many thousandths of 0 …
const DRAW_SCORE: i32 = 50;
/// … for this many plies in a row.
const DRAW_PLIES: u32 = 10;

/// Attempts at the random opening of a game; an attempt fails if it ends the game.
const ATTEMPTS: usize = 1000;

/// All percent.
const PERCENT: u32 = 100;

/// Why a game was not completed.
enum Incomplete {
    /// The work was stopped.
    Stopped,
    /// Every opening of this length ended the game.
    NoOpening,
}

/// The settings of self-play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfPlaySettings {
    /// Nodes per move at most.
    pub nodes: u64,
    /// Nodes after which a search begins no further iteration; `None` for no such limit.
    pub soft_nodes: Option<u64>,
    /// Number of random plies at the start of a game.
    pub random_plies: RangeInclusive<usize>,
    /// The largest score, in units of the evaluation, that a search may see for a player after the random
    /// plies; otherwise others are drawn. `None` for any.
    pub max_start_score: Option<u32>,
    /// Percent of the games with a [drawn start](labrys_core::game::Game::drawn_start), the same set-up for both
    /// players and one for each.
    pub drawn_starts: [u32; 2],
    /// The seed of everything random.
    pub seed: u64,
}

impl Default for SelfPlaySettings {
    fn default() -> Self {
        SelfPlaySettings {
            nodes: 1_000,
            soft_nodes: None,
            random_plies: 6..=9,
            max_start_score: None,
            drawn_starts: [0; 2],
            seed: 1,
        }
    }
}

impl SelfPlaySettings {
    fn limit(&self) -> SearchLimit {
        SearchLimit::of_nodes(self.soft_nodes, self.nodes)
    }

    /// Sets what the header of a file says about the games.
    pub fn describe_in(&self, header: &mut GamesHeader) {
        header.soft_nodes = self.soft_nodes;
        header.max_start_score = self.max_start_score;
        header.drawn_starts = self.drawn_starts;
    }
}

/// The progress of self-play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelfPlayProgress {
    /// Games in the file.
    pub games: u64,
    /// Positions with a score that were added to it.
    pub positions: u64,
}

/// Plays the games `numbers` from `start`, on one thread per engine, except those that the file already has.
/// A game depends only on the settings and its number. Games are written in order; games that are unfinished
/// when `control` stops the work are dropped. The last block may then have fewer games, and is filled when
/// the work goes on: the file is that of an uninterrupted run.
///
/// # Errors
/// [`GamesError`] names the file if it cannot be written or the same games come again, or reports that random
/// openings of this length always end the game. The games written before are kept.
pub fn play_games<G: Playable>(
    start: &GameState<G>,
    engines: Vec<Box<dyn TypedEngine<G>>>,
    settings: &SelfPlaySettings,
    numbers: Range<u64>,
    writer: &mut GamesWriter,
    control: &Control,
    report: &mut dyn FnMut(SelfPlayProgress),
) -> Result<(), GamesError> {
    let mut played = SelfPlayProgress { games: writer.games(), positions: 0 };
    let limit = settings.limit();
    let mut agents: Vec<_> = engines.into_iter().map(|engine| Agent { engine, limit }).collect();
    let Some(first) = agents.first_mut() else { return Ok(()) };
    let missing = missing(start, first, settings, numbers, writer.openings(), control);
    let mut next = 0;
    let (mut waiting, mut block) = (BTreeMap::new(), Vec::new());
    let (mut result, mut written) = (Ok(()), Ok(()));
    let job = |agent: &mut Agent<G>, (place, number): (usize, u64)| match play_game(
        start, agent, settings, number, control,
    ) {
        Err(Incomplete::Stopped) => None,
        game => Some((place, game.ok())),
    };
    let path = writer.path().to_owned();
    parallel::run(agents, missing.into_iter().enumerate(), job, |(place, game)| {
        let Some(game) = game else {
            let (plies, attempts) = (settings.random_plies.clone(), ATTEMPTS);
            let error = GamesError { path: path.clone(), problem: GamesProblem::Opening { plies, attempts } };
            result = mem::replace(&mut result, Ok(())).and(Err(error));
            return control.stop();
        };
        waiting.insert(place, game);
        while let Some(game) = waiting.remove(&next) {
            next += 1;
            played.games += 1;
            played.positions += game.moves.len() as u64;
            block.push(game);
            if block.len() < writer.room() {
                continue;
            }
            // Behind games that could not be written others would be out of order.
            if written.is_ok() {
                written = writer.add::<G>(&block);
                if written.is_err() {
                    control.stop();
                }
            }
            block.clear();
        }
        report(played);
    });
    // Games that were complete before one without an opening are kept, too.
    written.and_then(|()| writer.add::<G>(&block)).and(result)
}

/// The numbers of the games that are still to be played, where those with these openings have been. Usually
/// these are the first ones, unless some were lost with damaged blocks.
fn missing<G: Playable>(
    start: &GameState<G>,
    agent: &mut Agent<G>,
    settings: &SelfPlaySettings,
    numbers: Range<u64>,
    openings: &[Vec<u32>],
    control: &Control,
) -> Vec<u64> {
    let mut bits = |number| {
        let Opened { setups, opening, .. } = open_game(start, agent, settings, number, control).ok()?;
        Some(opening_bits(setups, &opening))
    };
    let next = numbers.start + openings.len() as u64;
    let first = openings.len().saturating_sub(BLOCK);
    let mut last = openings[first..].iter().zip(numbers.start + first as u64..);
    if last.all(|(opening, number)| bits(number).as_ref() == Some(opening)) {
        return (next..numbers.end).collect();
    }
    let mut played: BTreeMap<&[u32], usize> = BTreeMap::new();
    openings.iter().for_each(|opening| *played.entry(opening).or_default() += 1);
    let mut is_missing = |number: &u64| {
        let games = bits(*number).and_then(|bits| played.get_mut(&*bits).filter(|games| **games > 0));
        games.map(|games| *games -= 1).is_none()
    };
    numbers.filter(|number| is_missing(number)).collect()
}

/// A game after its random opening.
struct Opened<G: Game> {
    game: GameState<G>,
    /// The set-ups of a drawn start.
    setups: Option<[u32; 2]>,
    opening: Vec<G::Move>,
    /// What is random in the rest of the game.
    random: StdRng,
}

/// Plays the opening of a game.
fn open_game<G: Playable>(
    start: &GameState<G>,
    agent: &mut Agent<G>,
    settings: &SelfPlaySettings,
    number: u64,
    control: &Control,
) -> Result<Opened<G>, Incomplete> {
    let mut random = StdRng::seed_from_u64(mixed(settings.seed) ^ mixed(!number));
    let setups = draw_setups::<G>(settings.drawn_starts, &mut random);
    let start = setups.map_or_else(|| start.clone(), |setups| start.at(G::drawn_start(setups)));
    // An opening that ends the game, or decides it, is tried again.
    for _ in 0..ATTEMPTS {
        let opened = random_opening(&start, &settings.random_plies, &mut random, control);
        if control.is_stopped() {
            return Err(Incomplete::Stopped);
        }
        let Some((game, opening)) = opened else { continue };
        if let Some(max) = settings.max_start_score {
            agent.new_game(random.random());
            let found = agent.search(&game, control).ok_or(Incomplete::Stopped)?;
            if found.score.unwrap_or(Score::DRAW).to_thousandths().unsigned_abs() > max.saturating_mul(1000) {
                continue;
            }
        }
        return Ok(Opened { game, setups, opening, random });
    }
    Err(Incomplete::NoOpening)
}

/// Draws whether the start of a game is drawn, and its set-ups. Nothing is drawn where no game has such a
/// start.
fn draw_setups<G: Playable>([same, different]: [u32; 2], random: &mut StdRng) -> Option<[u32; 2]> {
    if same + different == 0 || G::DRAWN_SETUPS == 0 {
        return None;
    }
    let percent = random.random_range(0..PERCENT);
    let [white, black] = [(); 2].map(|()| random.random_range(0..G::DRAWN_SETUPS));
    match percent {
        _ if percent < same => Some([white; 2]),
        _ if percent < same + different => Some([white, black]),
        _ => None,
    }
}

/// Plays a game.
fn play_game<G: Playable>(
    start: &GameState<G>,
    agent: &mut Agent<G>,
    settings: &SelfPlaySettings,
    number: u64,
    control: &Control,
) -> Result<PlayedGame<G::Move>, Incomplete> {
    let Opened { mut game, setups, opening, mut random } =
        open_game(start, agent, settings, number, control)?;
    agent.new_game(random.random());
    let model = agent.engine.scale(start.position()).wdl;
    let (mut moves, mut adjudicator) = (Vec::new(), Adjudicator::new::<G>(model));
    let winner = loop {
        if let Some(outcome) = game.outcome() {
            break outcome.winner;
        }
        if G::LONGEST_GAME.is_some_and(|longest| opening.len() + moves.len() >= longest as usize)
            || moves.len() == usize::from(u16::MAX)
        {
            break game.leader();
        }
        let found = agent.search(&game, control).ok_or(Incomplete::Stopped)?;
        let (mv, score, stm) = (found.mv, found.score.unwrap_or(Score::DRAW), game.side_to_move());
        let mv = game.position().sample(mv, &mut || random.random());
        moves.push((mv, score));
        game.advance(mv);
        if let Some(winner) = adjudicator.add(stm, score, opening.len() + moves.len()) {
            break winner;
        }
    };
    Ok(PlayedGame { start: setups, opening, moves, result: Wdl::of(winner, Color::White) })
}

/// Plays a random opening; `None` if it ends the game.
fn random_opening<G: Playable>(
    start: &GameState<G>,
    plies: &RangeInclusive<usize>,
    random: &mut StdRng,
    control: &Control,
) -> Option<(GameState<G>, Vec<G::Move>)> {
    let (mut game, plies) = (start.clone(), random.random_range(plies.clone()));
    let opening = game.play_random_moves(plies, random, None, control);
    (opening.len() == plies && game.outcome().is_none()).then_some((game, opening))
}

/// Adjudicates games whose result is clear.
struct Adjudicator {
    model: WdlModel,
    has_draws: bool,
    /// Consecutive plies in which White, or Black, has been winning.
    winning: [u32; 2],
    /// Consecutive plies with a score near 0.
    level: u32,
}

impl Adjudicator {
    fn new<G: Playable>(model: WdlModel) -> Adjudicator {
        let has_draws = G::DRAW_RULES.repetitions.is_some();
        Adjudicator { model, has_draws, winning: [0; 2], level: 0 }
    }

    /// Adds the score of the side to move, `stm`. Returns the winner, or `Some(None)` for a draw, if the game
    /// is adjudicated.
    fn add(&mut self, stm: Color, score: Score, plies: usize) -> Option<Option<Color>> {
        for (player, score) in [(stm, score), (!stm, -score)] {
            let winning = &mut self.winning[player.index()];
            *winning = if score.win_rate(self.model) >= WIN_EXPECTED { *winning + 1 } else { 0 };
            if *winning >= WIN_PLIES {
                return Some(Some(player));
            }
        }
        self.level = if score.to_thousandths().abs() <= DRAW_SCORE { self.level + 1 } else { 0 };
        (self.has_draws && plies >= DRAW_FROM_PLY && self.level >= DRAW_PLIES).then_some(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_core::game::Scale;
    use labrys_core::game::amazons::Amazons;
    use labrys_core::game::chess::Chess;

    /// The verdict after the last of `scores`, with Black to move at each of them.
    fn verdict<G: Playable>(scores: &[i32], plies: usize) -> Option<Option<Color>> {
        let mut adjudicator = Adjudicator::new::<G>(Scale::UNMEASURED.wdl);
        let mut add = |&score| adjudicator.add(Color::Black, Score::from_thousandths(score), plies);
        scores.iter().map(&mut add).last().unwrap()
    }

    #[test]
    fn clear_results_end_games() {
        assert_eq!(verdict::<Chess>(&[20_000; 4], 10), Some(Some(Color::Black)));
        assert_eq!(verdict::<Chess>(&[-20_000; 4], 10), Some(Some(Color::White)));
        assert_eq!(verdict::<Chess>(&[-20_000, -20_000, -20_000], 10), None);
        assert_eq!(verdict::<Chess>(&[-20_000, -20_000, -20_000, 0, -20_000], 10), None);
        assert_eq!(verdict::<Chess>(&[3; 10], 80), Some(None));
        assert_eq!(verdict::<Chess>(&[3; 10], 79), None);
        assert_eq!(verdict::<Chess>(&[3; 9], 80), None);
        assert_eq!(verdict::<Amazons>(&[3; 10], 80), None);
    }
}
