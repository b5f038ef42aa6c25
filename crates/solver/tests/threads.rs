//! Proofs by several threads, which share the table, the counts of busy positions and the end of the search.
//! `make tsan` runs them with ThreadSanitizer, which finds what threads do to the same memory without an
//! order.

use std::thread;
use std::time::Duration;

use labrys_core::game::Wdl;
use labrys_core::game::amazons::Amazons;
use labrys_core::game::chess::Chess;
use labrys_core::search::{Control, Limits};
use labrys_solver::{Resources, Solvable, solve};

/// The start position on 6×6, whose proof takes long.
const HARD: &str = "2q3/5q/6/6/Q5/3Q2 w";

/// The value of a position that this many threads prove.
fn value<G: Solvable>(fen: &str, threads: usize, limits: &Limits, control: &Control) -> Option<Wdl> {
    let resources = Resources { threads, ..1.into() };
    solve(&G::from_fen(fen).unwrap(), resources, limits, control).unwrap().value
}

#[test]
fn several_threads_prove_the_value_that_one_proves() {
    fn check<G: Solvable>(fen: &str, expected: Wdl) {
        for threads in [1, 2, 4] {
            let found = value::<G>(fen, threads, &Limits::none(), &Control::default());
            assert_eq!(found, Some(expected), "{fen} with {threads} threads");
        }
    }
    check::<Amazons>("1q1q1/q3q/Q3Q/1Q1Q1 w", Wdl::Win);
    check::<Amazons>("1qq1/q2q/Q2Q/1QQ1 w", Wdl::Loss);
    check::<Chess>("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", Wdl::Win);
    check::<Chess>("8/8/8/8/8/k7/p7/K7 w - - 0 1", Wdl::Draw);
}

#[test]
fn a_limit_of_nodes_ends_all_threads() {
    for threads in [2, 4] {
        assert_eq!(value::<Amazons>(HARD, threads, &Limits::nodes(100), &Control::default()), None);
    }
}

#[test]
fn all_threads_end_when_the_time_is_over() {
    let limits = Limits { movetime: Some(Duration::from_millis(50)), ..Limits::none() };
    assert_eq!(value::<Amazons>(HARD, 4, &limits, &Control::default()), None);
}

#[test]
fn all_threads_end_after_stop() {
    let control = Control::default();
    thread::scope(|scope| {
        let search = scope.spawn(|| value::<Amazons>(HARD, 4, &Limits::none(), &control));
        thread::yield_now();
        control.stop();
        assert_eq!(search.join().unwrap(), None);
    });
}
