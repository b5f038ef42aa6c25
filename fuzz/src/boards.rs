//! Positions of each game, their moves, and test suites of them.

use std::cell::RefCell;

use labrys_core::engine::{Board, Engine, Playable, Settings, registry, suite};
use labrys_core::game::{GameMove, Knowledge};

use super::{Target, game_and_rest, seeds, with_game};

/// Moves of a position that are tried, from the first and the last one.
const TRIED: usize = 24;

/// Moves of an input that are played.
const PLAYED: usize = 64;

/// FEN and moves: the game and its option, a FEN, then moves, on a line of their own.
pub(super) const FEN: Target = Target {
    name: "fen",
    run: fen,
    seeds: fen_seeds,
    words: &[
        "w", "b", "-", "KQkq", "HAha", "/", "0 1", "e3", "*", "O-O", "O-O-O", "=Q", "=1", "+c5", "+", "#",
        "x", "0.5",
    ],
};

/// A suite: the game, then lines of EPD.
pub(super) const EPD: Target = Target {
    name: "epd",
    run: epd,
    seeds: epd_seeds,
    words: &[
        "bm", "am", "dm", "c0", "c8", "c9", "id", "pv", "ce", "acd", ";", "\"", "\\\"", "#3", "=10", ",",
        "D1 20",
    ],
};

fn fen(data: &[u8]) {
    let Some((game, rest)) = game_and_rest(data) else { return };
    let text = String::from_utf8_lossy(rest);
    with_game!(game, position(usize::from(game / 4), &text));
}

fn position<G: Playable>(choice: usize, text: &str) {
    let (fen, moves) = text.split_once('\n').unwrap_or((text, ""));
    let Ok(mut position) = G::from_fen(fen) else { return };
    let choices = G::info().option.map_or(1, |option| option.choices.len());
    position.choose(choice % choices);
    check(&position, choice % choices);
    for word in moves.split_whitespace().take(PLAYED) {
        if let Ok(mv) = position.parse_san(word) {
            position.play(mv);
            check(&position, choice % choices);
        }
    }
    evaluate::<G>(&position.fen());
}

/// Checks what holds for all positions.
fn check<G: Knowledge>(position: &G, choice: usize) {
    let fen = position.fen();
    let mut again = G::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    again.choose(choice);
    assert_eq!(again.fen(), fen);
    assert!(again.same_position(position), "{fen}");
    assert_eq!(again.key(), position.key(), "{fen}");
    assert_eq!(position.key(), position.key_from_scratch(), "{fen}");
    let moves = position.moves();
    assert!(moves.len() <= G::MAX_MOVES, "{fen}: {} moves", moves.len());
    assert_eq!(position.count_moves(), moves.len(), "{fen}");
    assert_eq!(position.outcome().is_some(), moves.is_empty(), "{fen}");
    assert!(!position.diagram().is_empty());
    let last = moves.len().saturating_sub(TRIED).max(TRIED.min(moves.len()));
    for &mv in moves[..TRIED.min(moves.len())].iter().chain(&moves[last..]) {
        let text = position.move_text(mv);
        assert!(position.is_legal(mv), "{fen}: {text}");
        assert_eq!(G::Move::from_bits(mv.to_bits()), mv, "{fen}: {text}");
        assert_eq!(position.parse_move(&text).ok(), Some(mv), "{fen}: {text}");
        let san = position.san(mv);
        assert_eq!(position.parse_san(&san).ok(), Some(mv), "{fen}: {text}, {san}");
        let after = position.after(mv);
        assert_eq!(after.key(), after.key_from_scratch(), "{fen}: {text}");
        assert_ne!(after.side_to_move(), position.side_to_move(), "{fen}: {text}");
    }
}

/// Sets an engine up, with its evaluations and descriptions.
fn evaluate<G: Playable>(fen: &str) {
    thread_local!(static ENGINES: RefCell<Vec<Box<dyn Engine>>> = const { RefCell::new(Vec::new()) });
    ENGINES.with_borrow_mut(|engines| {
        let name = G::info().name;
        let place = engines.iter().position(|engine| engine.board().variant() == name).unwrap_or_else(|| {
            engines.push(registry::engine(name, &Settings::default()).expect("a game of the registry"));
            engines.len() - 1
        });
        let engine = engines[place].as_mut();
        engine.board_mut().set_up(Some(fen), &[]).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(engine.board().fen(), fen);
        assert!(engine.board().describe().contains(fen));
        let _ = (engine.eval_breakdown(), engine.net_breakdown(), engine.board().outcome());
    });
}

fn epd(data: &[u8]) {
    let Some((game, rest)) = game_and_rest(data) else { return };
    let text = String::from_utf8_lossy(rest);
    let mut board = registry::board(seeds::GAMES[usize::from(game % 4)]).expect("a game of the registry");
    let lines = text.lines().count();
    for found in suite::read(&text, board.as_mut()) {
        match found {
            Err(error) => assert!((1..=lines).contains(&error.line), "{error}"),
            Ok(position) => check_suite(board.as_mut(), &position, lines),
        }
    }
}

fn check_suite(board: &mut dyn Board, position: &suite::SuitePosition, lines: usize) {
    assert!((1..=lines).contains(&position.line));
    board.set_up(Some(&position.fen), &[]).unwrap_or_else(|error| panic!("{}: {error}", position.fen));
    let described = position.goal.describe(board);
    assert!(described.is_ok(), "{described:?}");
    assert!(
        position
            .points
            .iter()
            .all(|(mv, points)| board.check_move(mv).is_ok() && *points <= position.most_points())
    );
}

fn fen_seeds() -> Vec<Vec<u8>> {
    let files = [(0, "chess"), (4, "chess960"), (1, "neighbours"), (2, "tucchess"), (3, "amazons")];
    let mut all = Vec::new();
    for (game, name) in files {
        for line in seeds::text(&format!("perft/{name}.epd")).lines().filter(|line| !line.starts_with('#')) {
            all.push(seeds::of_game(game, line.split(';').next().unwrap_or_default().trim()));
        }
    }
    let moves = "e2e4 e7e5 Ng1f3 Nb8c6 Bb5 a6 O-O";
    all.push(seeds::of_game(0, format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n{moves}")));
    all.push(seeds::of_game(2, "prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 1\na3a4=1+c5 a5a4"));
    all.push(seeds::of_game(3, "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1\nd1d7,d7g7"));
    all
}

fn epd_seeds() -> Vec<Vec<u8>> {
    let suites =
        [(0, "chess-mates"), (0, "chess-tactics"), (1, "neighbours"), (2, "tucchess"), (3, "amazons")];
    let mut all = Vec::new();
    for (game, name) in suites {
        let text = seeds::text(&format!("suites/{name}.epd"));
        all.extend(text.lines().filter(|line| !line.starts_with('#')).map(|line| seeds::of_game(game, line)));
    }
    all
}
