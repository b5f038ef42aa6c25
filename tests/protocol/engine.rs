//! The engine of a game, used as a library.

use labrys::engine::{Engine, OptionError, SearchReport, Settings, SideEffect, WeightsSource, registry};
use labrys::game::MoveError;
use labrys::search::{Control, Limits};

fn neighbours() -> Box<dyn Engine> {
    registry::engine("neighbours", &Settings::default()).unwrap()
}

/// The move that a short search chooses from `moves`.
fn choose(engine: &mut dyn Engine, moves: &[&str]) -> Result<Option<String>, MoveError> {
    let moves: Vec<_> = moves.iter().map(|&mv| mv.to_owned()).collect();
    let best = engine.search(&moves, &Limits::depth(2), &Control::default(), &mut |_: &SearchReport| {});
    best.map(|best| best.best)
}

#[test]
fn a_root_move_that_is_not_legal_is_an_error() {
    let mut engine = neighbours();
    for moves in [&["e1e9"][..], &["e1e3", "e1e2"], &["e1e2", "e1e3"], &["x", ""]] {
        let error = choose(engine.as_mut(), moves).unwrap_err().to_string();
        assert!(moves.iter().any(|mv| error.starts_with(&format!("`{mv}` "))), "{error}");
    }
    assert_eq!(choose(engine.as_mut(), &["c1c3"]), Ok(Some("c1c3".to_owned())));
    assert!(choose(engine.as_mut(), &[]).unwrap().is_some());
    // The game is over, and no move is legal.
    engine.board_mut().set_up(Some("8/8/8/8/8/8/8/P6p w 0 1"), &[]).unwrap();
    assert_eq!(choose(engine.as_mut(), &[]), Ok(None));
    assert!(choose(engine.as_mut(), &["a1a2"]).is_err());
}

#[test]
fn a_root_move_named_twice_counts_once() {
    let mut engine = neighbours();
    let mut scores = |moves: &[&str]| {
        let moves: Vec<_> = moves.iter().map(|&mv| mv.to_owned()).collect();
        let mut scores = Vec::new();
        let mut listener = |report: &SearchReport| scores.push((report.score, report.multipv));
        engine.new_game();
        engine.search(&moves, &Limits::depth(3), &Control::default(), &mut listener).unwrap();
        scores
    };
    assert_eq!(scores(&["e1e3", "e1e3"]), scores(&["e1e3"]));
}

#[test]
fn options_report_their_side_effects() {
    let mut engine = neighbours();
    assert_eq!(engine.set_option("hash", "1").unwrap(), []);
    engine.set_option("Evaluation", "linear").unwrap();
    assert_eq!(engine.set_option("FeatureSet", "set2").unwrap(), [], "the weights were shipped ones");
    let one = WeightsSource::Named(vec![("piecesForMe".to_owned(), "1".to_owned())]);
    assert_eq!(engine.set_weights(&one).unwrap(), []);
    let replaced = SideEffect::Weights { set: "base" };
    assert_eq!(engine.set_option("FeatureSet", "base").unwrap(), [replaced]);
    assert!(matches!(engine.set_option("Depth", "1"), Err(OptionError::Unknown { name }) if name == "Depth"));
}
