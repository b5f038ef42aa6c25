//! Searches of each game with several threads, in each way to search. `make tsan` runs them with
//! ThreadSanitizer, which finds what threads do to the same memory without an order.

use std::thread;

use labrys_core::engine::{BestMove, Engine, SearchReport, Settings, registry};
use labrys_core::search::{Control, Limits};

/// A policy/value net, of Amazons on a board of 6×6.
const NET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../nets/amazons-6x6.safetensors");

/// The ways to search: options and values.
const WAYS: [&[(&str, &str)]; 10] = [
    &[],
    &[("SearchMode", "mtdf"), ("MultiPV", "2")],
    &[("SearchMode", "alphabeta")],
    &[("SearchMode", "minimax")],
    &[("SearchMode", "expectiminimax")],
    &[("Evaluation", "linear"), ("Hash", "1")],
    &[("SearchMode", "mcts")],
    &[("SearchMode", "mcts"), ("Selection", "puct"), ("BatchSize", "4"), ("RootSelection", "gumbel")],
    &[("SearchMode", "mcts"), ("Expansion", "one"), ("KeepTree", "true"), ("PlayoutPlies", "4")],
    &[("SearchMode", "mcts"), ("Selection", "puct"), ("AmazonsBoard", "6x6"), ("NetFile", NET)],
];

/// The games.
const GAMES: [&str; 4] = ["chess", "neighbours", "tucchess", "amazons"];

/// An engine of a game that searches in this way. Options and a net that the game does not have are left out.
fn engine(game: &str, way: &[(&str, &str)], threads: &str) -> Box<dyn Engine> {
    let mut engine = registry::engine(game, &Settings::default()).unwrap();
    let known: Vec<_> = engine.options().iter().map(|option| option.name).collect();
    for (name, value) in way.iter().chain([&("Threads", threads)]) {
        // The net is one of Amazons.
        if known.contains(name) && (*name != "NetFile" || game == "amazons") {
            engine.set_option(name, value).unwrap();
        }
    }
    assert_eq!(engine.option_value("Threads").as_deref(), Some(threads));
    engine
}

/// Searches, and plays the best move.
fn search(engine: &mut dyn Engine, limits: &Limits, control: &Control) -> Option<String> {
    let BestMove { best, .. } = engine.search(&[], limits, control, &mut |_: &SearchReport| {}).unwrap();
    if let Some(best) = &best {
        engine.board_mut().play(best).unwrap();
    }
    best
}

#[test]
fn each_game_is_searched_by_several_threads_in_each_way() {
    for game in GAMES {
        for way in WAYS {
            for threads in ["2", "4"] {
                let mut engine = engine(game, way, threads);
                // The second search goes on with what the first one has left.
                for _ in 0..2 {
                    let best = search(&mut *engine, &Limits::nodes(2_000), &Control::default());
                    assert!(best.is_some(), "{game} {way:?}");
                }
            }
        }
    }
}

#[test]
fn searches_of_several_threads_are_stopped_from_outside() {
    for game in GAMES {
        for way in WAYS {
            let mut engine = engine(game, way, "4");
            let control = Control::pondering();
            thread::scope(|scope| {
                let search = scope.spawn(|| search(&mut *engine, &Limits::none(), &control));
                control.ponderhit();
                while control.setup().is_zero() && !search.is_finished() {
                    thread::yield_now();
                }
                control.stop();
                assert!(search.join().unwrap().is_some(), "{game} {way:?}");
            });
        }
    }
}
