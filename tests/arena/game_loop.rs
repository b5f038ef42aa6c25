//! The game loop, with test drivers.

use labrys::engine::Playable;
use labrys::engine::game_loop::{GameDriver, GameEnd, play_out};
use labrys::engine::registry;
use labrys::engine::{Board, GameState, SearchReport, Settings, TypedEngine};
use labrys::game::neighbours::Neighbours;
use labrys::game::{Color, Game};
use labrys::search::{Control, Limits, Report};
use labrys::with_games;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Length of the random opening in plies.
const OPENING: u32 = 4;

/// Length limit of the games in plies.
const MAX_PLIES: u32 = 40;

/// Search depths of the two players.
const DEPTHS: [u32; 2] = [2, 1];

fn engine<G: Playable>() -> Box<dyn TypedEngine<G>> {
    let mut engine = G::engine(&Settings::default());
    engine.set_option("Hash", "1").unwrap();
    engine
}

/// Two searches that play each other, and the moves played.
struct Searches<G: Game> {
    engines: [Box<dyn TypedEngine<G>>; 2],
    random: StdRng,
    plies: u32,
    line: Vec<String>,
}

impl<G: Playable> GameDriver<G> for Searches<G> {
    type Stop = ();

    fn choose(&mut self, game: &GameState<G>) -> Result<G::Move, ()> {
        self.plies += 1;
        if self.plies <= OPENING {
            let moves = game.position().moves();
            return Ok(moves[self.random.random_range(0..moves.len())]);
        }
        let player = game.side_to_move().index();
        let limits = Limits::depth(DEPTHS[player]);
        let listener = &mut |_: Report<G::Move>| {};
        self.engines[player].think(game, None, &limits, &Control::default(), listener).mv.ok_or(())
    }

    fn random(&mut self) -> f64 {
        self.random.random()
    }

    fn sampled(&mut self, mv: G::Move, game: &GameState<G>) {
        assert!(game.position().fen() == game.fen() && game.outcome().is_none());
        self.line.push(game.position().move_text(mv));
    }
}

/// Plays a typed game of two searches: its moves, final position and winner.
fn in_types<G: Playable>(seed: u64) -> (Vec<String>, String, Option<Color>) {
    let mut game = GameState::<G>::start();
    let mut driver = Searches {
        engines: [engine(), engine()],
        random: StdRng::seed_from_u64(seed),
        plies: 0,
        line: Vec::new(),
    };
    let end = play_out(&mut game, Some(MAX_PLIES), &mut driver).unwrap();
    if let GameEnd::Length { plies, .. } = end {
        assert_eq!((plies, driver.line.len() as u32), (MAX_PLIES, MAX_PLIES));
    }
    (driver.line, game.fen(), end.winner())
}

/// Plays the same game with engines in text.
fn in_text(variant: &str, seed: u64) -> (Vec<String>, String, Option<Color>) {
    let engine = || {
        let mut engine = registry::engine(variant, &Settings::default()).unwrap();
        engine.set_option("Hash", "1").unwrap();
        engine
    };
    let (mut engines, mut board) = ([engine(), engine()], registry::board(variant).unwrap());
    let (mut random, mut line): (_, Vec<String>) = (StdRng::seed_from_u64(seed), Vec::new());
    loop {
        if let Some(outcome) = board.outcome() {
            return (line, board.fen(), outcome.winner);
        }
        if line.len() as u32 == MAX_PLIES {
            return (line, board.fen(), board.leader());
        }
        let mv = if (line.len() as u32) < OPENING {
            let moves = board.legal_moves();
            moves[random.random_range(0..moves.len())].clone()
        } else {
            let player = board.side_to_move().index();
            let engine = &mut engines[player];
            engine.board_mut().set_up(None, &line).unwrap();
            let limits = Limits::depth(DEPTHS[player]);
            let best = engine.search(&[], &limits, &Control::default(), &mut |_: &SearchReport| {}).unwrap();
            best.best.unwrap()
        };
        let mv = board.sample(&mv, &mut || random.random()).unwrap();
        board.play(&mv).unwrap();
        line.push(mv);
    }
}

/// The typed game equals the game in text.
fn check<G: Playable>() {
    let variant = G::info().name;
    for seed in [1, 2] {
        assert_eq!(in_types::<G>(seed), in_text(variant, seed), "{variant}");
    }
    assert_eq!(in_types::<G>(1), in_types::<G>(1), "{variant}: the seed decides");
    assert_ne!(in_types::<G>(1).0, in_types::<G>(2).0, "{variant}");
}

#[test]
fn a_game_in_types_is_the_game_in_text() {
    macro_rules! check {
        ($($game:ty),+ $(,)?) => { $(check::<$game>());+ };
    }
    with_games!(check);
}

#[test]
fn an_unknown_game_is_named() {
    let error = registry::board("ludo").map(drop).unwrap_err();
    assert!(error.to_string().starts_with("unknown variant `ludo`, expected one of: chess, "), "{error}");
}

/// Plays the first legal move, and stops after a number of moves or positions.
struct Stopping {
    /// The numbers of moves it chooses and of positions in which it continues, before it stops.
    chosen: u32,
    passed: u32,
}

impl GameDriver<Neighbours> for Stopping {
    type Stop = &'static str;

    fn choose(&mut self, game: &GameState<Neighbours>) -> Result<<Neighbours as Game>::Move, &'static str> {
        self.chosen = self.chosen.checked_sub(1).ok_or("no move")?;
        let moves = game.position().moves();
        Ok(moves[0])
    }

    fn random(&mut self) -> f64 {
        panic!("Neighbours is no game of chance")
    }

    fn adjudicate(&mut self, _: &GameState<Neighbours>) -> Result<(), &'static str> {
        self.passed = self.passed.checked_sub(1).ok_or("adjudicated")?;
        Ok(())
    }
}

#[test]
fn a_driver_can_stop_a_game_at_once() {
    for (chosen, passed, longest, stop, plies) in [
        (3, 9, None, Err("no move"), 3),
        (9, 3, None, Err("adjudicated"), 3),
        // The start counts too, and the driver is asked before the length limit.
        (9, 3, Some(3), Err("adjudicated"), 3),
        (9, 4, Some(3), Ok(GameEnd::Length { leader: None, plies: 3 }), 3),
        (9, 9, Some(0), Ok(GameEnd::Length { leader: None, plies: 0 }), 0),
    ] {
        let mut game = GameState::<Neighbours>::start();
        let end = play_out(&mut game, longest, &mut Stopping { chosen, passed });
        assert_eq!((end, game.history().past().len()), (stop, plies));
    }
}

#[test]
fn the_rules_take_precedence() {
    let mut game = GameState::<Neighbours>::start();
    game.set_up(Some("p6p/8/8/8/8/8/8/PP6 b 0 1"), &[]).unwrap();
    let end = play_out(&mut game, Some(0), &mut Stopping { chosen: 0, passed: 0 });
    assert!(matches!(end, Ok(GameEnd::Rules(_))), "{end:?}");
    assert_eq!(end.unwrap().winner(), Some(Color::White));
}
