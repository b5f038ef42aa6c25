//! A game outside of the library that implements rules and notation only. It passes the checks of every game,
//! and is searched, solved and played by an engine.

use crate::common;

use std::sync::atomic::AtomicBool;

use common::breakthrough::Breakthrough;
use common::minimax::{Plain, result};
use common::suite::{check_damaged_fens, check_damaged_moves, check_position};
use common::{Line, compare_searches, random_game, random_lines, sample};
use labrys::arena::{
    Adjudication, CommentKeys, EngineKind, EngineLimits, EngineSetup, Rules, Seat, Termination, Variation,
    play,
};
use labrys::engine::{Board, GameState, Playable, SearchReport, Settings};
use labrys::eval::WeightsError;
use labrys::game::perft::perft;
use labrys::game::{Color, Ending, Game, GameHistory, Outcome, Wdl};
use labrys::learn::play::{Agent, SearchLimit};
use labrys::learn::{
    self, Decay, Exploration, Learner, ObservationSettings, ObservedPosition, TemporalDifference, Trainer,
    TrainingState, Worker,
};
use labrys::protocol::engine_log::EngineLog;
use labrys::search::{Control, Limits, Options, SearchMode};
use labrys::solver::solve;

/// A board of letters, the lowest rank first, with the player to move.
type Letters = ([[u8; 5]; 5], bool);

/// The board of a valid FEN.
fn letters(fen: &str) -> Letters {
    let (board, rest) = fen.split_once(' ').unwrap();
    let mut letters = [[b'.'; 5]; 5];
    for (row, rank) in board.split('/').zip((0..5).rev()) {
        let empty = |letter: u8| if letter.is_ascii_digit() { usize::from(letter - b'0') } else { 0 };
        let squares = row.bytes().flat_map(|letter| match empty(letter) {
            0 => vec![letter],
            run => vec![b'.'; run],
        });
        letters[rank].iter_mut().zip(squares).for_each(|(square, letter)| *square = letter);
    }
    (letters, rest.starts_with('w'))
}

/// The boards after each move, by a direct implementation of the rules.
fn children((board, white): &Letters) -> Vec<Letters> {
    let (own, other, step, last) = if *white { (b'P', b'p', 1, 4) } else { (b'p', b'P', -1, 0) };
    let is_over = board[4].contains(&b'P')
        || board[0].contains(&b'p')
        || ![b'P', b'p'].iter().all(|pawn| board.iter().flatten().any(|letter| letter == pawn));
    let mut children = Vec::new();
    for (rank, file) in (0..5).flat_map(|rank| (0..5).map(move |file| (rank, file))) {
        if is_over || rank == last || board[rank as usize][file as usize] != own {
            continue;
        }
        for side in [-1, 0, 1] {
            let (to_rank, to_file) = (rank + step, file + side);
            if !(0..5).contains(&to_file) {
                continue;
            }
            let target = board[to_rank as usize][to_file as usize];
            if target == b'.' || (target == other && side != 0) {
                let mut child = *board;
                child[rank as usize][file as usize] = b'.';
                child[to_rank as usize][to_file as usize] = own;
                children.push((child, !white));
            }
        }
    }
    children
}

/// Paths of `depth` moves.
fn paths(board: &Letters, depth: u32) -> u64 {
    if depth == 0 { 1 } else { children(board).iter().map(|child| paths(child, depth - 1)).sum() }
}

#[test]
fn perft_agrees_with_a_plain_count() {
    let count = |position: &Breakthrough, depth| {
        let expected = paths(&letters(&position.fen()), depth);
        assert_eq!(perft(position, depth, &AtomicBool::new(false)), Some(expected), "{}", position.fen());
        expected
    };
    // Three moves for each pawn of the front row, two on the edges. Each pawn that has moved is in the way
    // of one.
    assert_eq!(count(&Breakthrough::start(), 1), 13);
    assert_eq!(count(&Breakthrough::start(), 2), 13 * (13 - 1));
    count(&Breakthrough::start(), 5);
    let mut over = 0;
    for (position, _) in (0..100).map(|seed| random_game::<Breakthrough>(seed, seed as usize % 40, |_, _| {}))
    {
        over += u32::from(count(&position, 4) == 0);
    }
    assert!((10..90).contains(&over), "{over} finished games");
}

#[test]
fn the_game_passes_the_common_checks() {
    for seed in 0..200 {
        random_game::<Breakthrough>(seed, 100, check_position);
    }
    check_damaged_fens::<Breakthrough>(
        2_000,
        &["ranks", "squares", "piece", "side to move", "move number", "the last field"],
    );
    check_damaged_moves::<Breakthrough>(1_000, &[]);
}

#[test]
fn games_end_on_the_last_rank_or_without_pawns() {
    for (fen, winner) in [
        ("P4/5/5/5/5 b 9", Color::White),
        ("4P/5/5/3p1/5 b 9", Color::White),
        ("5/5/2p2/5/5 w 9", Color::Black),
        ("5/5/2P2/5/1p3 w 9", Color::Black),
    ] {
        let outcome = Outcome { winner: Some(winner), ending: Ending::NoMoves };
        let position = Breakthrough::from_fen(fen).unwrap();
        assert_eq!(GameHistory::new().outcome(&position), Some(outcome), "{fen}");
    }
    for fen in ["P4/5/5/5/4p b 9", "5/5/5/5/5 w 9"] {
        let error = Breakthrough::from_fen(fen).unwrap_err().to_string();
        assert!(error.contains("expected a position that one player at most has won"), "{fen}: {error}");
    }
}

#[test]
fn all_searches_find_the_minimax_value() {
    let modes = [SearchMode::AlphaBeta, SearchMode::Pvs, SearchMode::Mtdf, SearchMode::Expectiminimax];
    let decided = compare_searches::<Breakthrough>(100, 30, 5, &modes);
    assert!(decided >= 30, "too few forced ends: {decided}");
}

fn line(fen: &str) -> Line<Breakthrough> {
    (Breakthrough::from_fen(fen).unwrap(), GameHistory::new())
}

#[test]
fn monte_carlo_search_finds_a_win_in_one() {
    for (fen, best) in
        [("pppp1/3pP/5/1P3/PP1P1 w 9", ["e4d5", "e4e5"]), ("pppp1/5/5/p2P1/PP3 b 9", ["a2b1", "a2b1"])]
    {
        let line = line(fen);
        let (found, _) = sample(&line, &Options::default(), &Limits::nodes(50_000), 1 << 20);
        let found = line.0.move_text(found.mv.unwrap());
        assert!(best.contains(&found.as_str()), "{found} in {fen}");
    }
}

#[test]
fn positions_are_solved_as_by_minimax() {
    let mut found = [0; 2];
    for (position, _) in random_lines::<Breakthrough>(200, 40) {
        let Some(expected) = result(&position, &mut Plain::new(20_000)) else { continue };
        let solution = solve(&position, 16, &Limits::nodes(1_000_000), &Control::default()).unwrap();
        let value = if expected > 0 { Wdl::Win } else { Wdl::Loss };
        assert_eq!(solution.value, Some(value), "{}", position.fen());
        found[usize::from(expected > 0)] += 1;
    }
    assert!(found.iter().all(|&count| count >= 10), "{found:?}");
}

#[test]
fn an_engine_plays_the_game() {
    for search in ["pvs", "mcts"] {
        let mut engine = Breakthrough::engine(&Settings::default());
        engine.set_option("SearchMode", search).unwrap();
        engine.set_option("Hash", "1").unwrap();
        let mut referee = GameState::<Breakthrough>::start();
        while referee.outcome().is_none() {
            let (limits, control) = (Limits::nodes(2_000), Control::default());
            let best =
                engine.search(&[], &limits, &control, &mut |_: &SearchReport| {}).unwrap().best.unwrap();
            for board in [engine.board_mut(), &mut referee] {
                board.play(&best).unwrap();
            }
        }
        assert_eq!(engine.board().fen(), referee.fen());
        assert!(referee.outcome().unwrap().winner.is_some(), "{search}: {}", referee.fen());
    }
}

/// An agent that looks two plies ahead.
fn agent() -> Agent<Breakthrough> {
    let mut engine = Breakthrough::engine(&Settings::default());
    engine.set_option("Hash", "1").unwrap();
    Agent { engine, limit: SearchLimit::Depth(2) }
}

#[test]
fn weights_are_learned_for_it() {
    let settings = learn::TrainingSettings {
        games: 200,
        round: 10,
        seed: 3,
        rate: 0.01,
        decay: Decay::Linear,
        exploration: Exploration { start: 0.5, end: 0.1, midpoint: 0.5, steepness: 10.0 },
        opening_plies: 4,
        observation: ObservationSettings {
            both: true,
            position: ObservedPosition::Root,
            predicted: false,
            reward: 1.0,
        },
        period: 100,
        clone_every: Some(50),
        compare_every: Some(200),
        compare_games: 40,
    };
    let worker = || Worker {
        start: GameState::start(),
        agents: [agent(), agent()],
        learner: agent(),
        rivals: vec![agent()],
    };
    let learner = Learner::Td(TemporalDifference::new(0.95, 0.0, None));
    let state = TrainingState::new(vec![0.0], learner);
    let mut trainer = Trainer::new(settings, vec![worker(), worker()], state).unwrap();
    trainer.run(&Control::default(), |_| Ok::<_, WeightsError>(())).unwrap();
    let state = trainer.state();
    // By default its only feature is mobility, and more of it is better.
    assert_eq!(state.games, 200);
    assert!(state.weights[0] > 0.0, "{:?}", state.weights);
    let score = state.comparisons[0].scores[0];
    assert!(score > 0.5, "{score} against weights of zero");
}

#[test]
fn the_referee_lets_engines_play_it() {
    let variant = Breakthrough::info().name.to_owned();
    let rules = Rules { variant, option: None };
    let setup = |search: &str| EngineSetup {
        kind: EngineKind::InProcess,
        options: vec![("SearchMode".to_owned(), search.to_owned()), ("Hash".to_owned(), "1".to_owned())],
        timeout: std::time::Duration::from_secs(10),
        restart: false,
        ponders: false,
    };
    let limits = EngineLimits { nodes: Some(5_000), ..EngineLimits::default() };
    let mut wins = [0; 2];
    for seed in 0..10 {
        let mut players = ["pvs", "random"]
            .map(|search| setup(search).player::<Breakthrough>(&rules, &EngineLog::default()));
        let (opening, _) = random_game::<Breakthrough>(seed, 2, |_, _| {});
        let opening = Variation { fen: opening.fen(), moves: Vec::new() };
        let [strong, weak] =
            players.each_mut().map(|player| Seat { player: player.as_mut(), limits: &limits });
        let played = play(
            &mut GameState::start(),
            &opening,
            [strong, weak],
            &Adjudication::default(),
            &CommentKeys::default(),
            &mut || 0.5,
            &Control::default(),
        )
        .unwrap();
        assert_eq!(played.end.termination, Termination::Rules, "{}", played.end.details);
        wins[usize::from(played.end.winner != Some(Color::White))] += 1;
    }
    assert!(wins[0] >= 9, "pvs against random moves: {wins:?}");
}
