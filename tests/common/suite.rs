//! The tests of every game: rules, keys and notation along random games, known perft counts, and texts with
//! errors.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::atomic::AtomicBool;

use labrys::game::perft::{parse_suite, perft};
use labrys::game::{FenError, Game, GameHistory, GameMove, Knowledge, MoveError, quote};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::{random_game, random_game_from};

/// Properties of every position of every game.
pub fn check_position<G: Knowledge>(position: &G, history: &GameHistory<G>) {
    let moves = position.moves();
    check_rules(position, history, &moves);
    check_hints(position, &moves);
}

/// Rules, key and notation.
fn check_rules<G: Game>(position: &G, history: &GameHistory<G>, moves: &[G::Move]) {
    let fen = position.fen();
    assert!(moves.len() <= G::MAX_MOVES, "{fen}");
    assert_eq!(moves.len(), position.count_moves(), "{fen}");
    assert_eq!(moves.is_empty(), position.is_terminal(), "{fen}");
    assert_eq!(position.key(), position.key_from_scratch(), "{fen}");

    let read = G::from_fen(&fen).unwrap();
    assert_eq!(read.fen(), fen);
    assert_eq!(read.key(), position.key(), "{fen}");
    assert!(read.same_position(position), "{fen}");
    assert_eq!(read.halfmove_clock(), position.halfmove_clock(), "{fen}");

    let mut texts = HashSet::new();
    for &mv in moves {
        let text = position.move_text(mv);
        assert_eq!(position.parse_move(&text), Ok(mv), "{fen}");
        assert!(texts.insert(text), "two moves of the same text in {fen}");
        assert!((1..1 << 24).contains(&mv.to_bits()));
        assert_eq!(G::Move::from_bits(mv.to_bits()), mv);
        assert!(position.is_legal(mv), "{mv:?} in {fen}");
        for bit in 0..24 {
            let other = G::Move::from_bits(mv.to_bits() ^ 1 << bit);
            assert_eq!(position.is_legal(other), moves.contains(&other), "{other:?} in {fen}");
        }
        let child = position.after(mv);
        assert_ne!(child.key(), position.key(), "{fen}");
        assert!(!child.same_position(position), "{fen}");
    }
    if moves.is_empty() {
        assert_eq!(history.outcome(position), Some(position.terminal_outcome()), "{fen}");
    }
}

/// Methods that a search calls without listing the legal moves.
fn check_hints<G: Knowledge>(position: &G, moves: &[G::Move]) {
    let fen = position.fen();
    let (expected_tactical, expected_quiet): (Vec<_>, Vec<_>) =
        moves.iter().partition(|&&mv| position.is_tactical(mv));
    let mut tactical = Vec::new();
    position.tactical_moves(&mut tactical);
    assert_eq!(tactical, expected_tactical, "{fen}");
    let mut quiet = Vec::new();
    position.quiet_moves(&mut quiet);
    let sorted = |moves: &[G::Move]| moves.iter().map(|mv| mv.to_bits()).collect::<BTreeSet<_>>();
    assert_eq!((quiet.len(), sorted(&quiet)), (expected_quiet.len(), sorted(&expected_quiet)), "{fen}");
    for mv in moves {
        assert!(position.move_kind(*mv) < G::MOVE_KINDS, "{fen}");
    }
    // The search counts replies to both players' moves in one table.
    let child = moves.first().map(|&mv| position.after(mv));
    let turned = child.filter(|child| G::MOVE_KINDS > 1 && child.side_to_move() != position.side_to_move());
    if let Some(child) = turned {
        let replies = child.moves();
        let own: BTreeSet<_> = moves.iter().map(|&mv| position.move_kind(mv)).collect();
        assert!(!replies.iter().any(|&mv| own.contains(&child.move_kind(mv))), "{fen}");
    }
    if let Some(passed) = position.null_move() {
        assert_eq!(passed.key(), passed.key_from_scratch(), "{fen}");
        assert!(passed.side_to_move() != position.side_to_move() && !passed.same_position(position), "{fen}");
    }
}

/// The counts of a perft suite up to a depth; there have to be `counts` of them.
pub fn check_perft<G: Game>(suite: &str, deepest: u32, counts: usize) {
    let mut checked = 0;
    for case in parse_suite(suite).unwrap() {
        let position = G::from_fen(&case.fen).unwrap();
        assert_eq!(position.fen(), case.fen);
        for (depth, paths) in case.counts.into_iter().filter(|&(depth, _)| depth <= deepest) {
            let found = perft(&position, depth, &AtomicBool::new(false));
            assert_eq!(found, Some(paths), "{} depth {depth}", case.fen);
            checked += 1;
        }
    }
    assert_eq!(checked, counts, "the suite has lost counts");
}

/// Valid FENs with an error in one field each. An accepted FEN has to give a valid position with the board of
/// the text. The error of a refused one has to quote a part of the text or name a missing field. Every one of
/// `fields` has to be refused at least once.
pub fn check_damaged_fens<G: Knowledge>(count: u64, fields: &[&str]) {
    let mut accepted = 0;
    let mut refused = BTreeMap::new();
    for seed in 0..count {
        let mut random = StdRng::seed_from_u64(seed);
        let (position, _) = random_game::<G>(seed, random.random_range(0..60), |_, _| {});
        let text = damaged_fen(&position.fen(), &mut random);
        match G::from_fen(&text) {
            Ok(position) => {
                let written = spelled_out(&position.fen(), 10);
                // On boards that need no numbers of two digits, each digit is a number.
                let is_wide = written.0.find('/').is_some_and(|files| files > 9);
                assert_eq!(written, spelled_out(&text, if is_wide { 10 } else { 1 }), "{text:?}");
                check_position(&position, &GameHistory::new());
                random_game_from(position, seed, 20, |position, _| {
                    assert_eq!(position.key(), position.key_from_scratch());
                });
                accepted += 1;
            }
            Err(error) => *refused.entry(check_fen_error(&text, &error)).or_insert(0) += 1,
        }
    }
    assert!(accepted > count / 20, "{}: {accepted} accepted, {refused:?}", G::info().name);
    for field in fields {
        assert!(refused.contains_key(field), "{}: nothing wrong with {field}: {refused:?}", G::info().name);
    }
}

/// A FEN with one field changed, left out, added or put elsewhere.
fn damaged_fen(fen: &str, random: &mut StdRng) -> String {
    /// Fields of other games, numbers at and beyond the limits, and invalid text.
    const FIELDS: [&str; 25] = [
        "-", "w", "b", "0", "1", "+1", "-1", "9999", "10000", "65536", "1e2", "inf", "NaN", "0.25", "½",
        "KQkq", "HAha", "QQ", "a3", "e6", "i9", "8/8", "/", "🙂", "\u{1}",
    ];
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    let at = random.random_range(0..fields.len());
    match random.random_range(0..10) {
        0 => fields[at] = (*FIELDS.choose(random).unwrap()).to_owned(),
        1 => fields.insert(at + 1, (*FIELDS.choose(random).unwrap()).to_owned()),
        2 => drop(fields.remove(at)),
        3 => fields.truncate(at),
        4 => fields.swap(0, at),
        // The board has more possible errors than the other fields.
        5 | 6 => fields[0] = damaged(&fields[0], random),
        _ => fields[at] = damaged(&fields[at], random),
    }
    fields.join(" ")
}

/// A text with one character changed, added, left out, or exchanged for another one of the text.
fn damaged(text: &str, random: &mut StdRng) -> String {
    const LETTERS: &str = "pPrRnNbBqQkK*wabcdefgh0123456789/-+=,é½\u{0}\u{301}🙂";
    let mut letters: Vec<char> = text.chars().collect();
    let letter = LETTERS.chars().collect::<Vec<_>>().choose(random).copied().unwrap();
    let at = random.random_range(0..letters.len());
    match random.random_range(0..5) {
        0 => letters[at] = letter,
        1 => letters.insert(at, letter),
        2 => drop(letters.remove(at)),
        3 => letters[at] = *letters.choose(random).unwrap(),
        _ => letters.swap(at, random.random_range(0..text.chars().count())),
    }
    letters.into_iter().collect()
}

/// Board and side to move of a FEN, a point for each empty square. A digit before another one counts `tens`.
fn spelled_out(fen: &str, tens: usize) -> (String, String) {
    let mut fields = fen.split_whitespace().map(str::to_owned);
    let (board, side) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    let (mut squares, mut run) = (String::new(), 0);
    for letter in board.strip_suffix('/').unwrap_or(&board).chars().chain(['/']) {
        match letter.to_digit(10) {
            Some(digit) => run = tens * run + digit as usize,
            None => squares += &(".".repeat(std::mem::take(&mut run)) + &letter.to_string()),
        }
    }
    (squares, side)
}

/// Checks that the error quotes the invalid text and names its part of the FEN.
fn check_fen_error(text: &str, error: &FenError) -> &'static str {
    let message = error.to_string();
    assert!(message.starts_with("FEN: ") && !message.contains(char::is_control), "{text:?}: {message}");
    let quotes = |found: &str| {
        assert!(text.contains(found) && message.contains(&quote(found)), "{text:?}: {message}");
    };
    match error {
        FenError::Missing { field, .. } => {
            assert!(message.contains(field), "{text:?}: {message}");
            field
        }
        FenError::Field { field, found, .. } => {
            quotes(found);
            field
        }
        FenError::Trailing { found } => {
            quotes(found);
            "the last field"
        }
        FenError::Ranks { found, expected } => {
            assert_eq!(*found, text.split(' ').next().unwrap().split('/').count(), "{text:?}: {message}");
            assert_ne!(found, expected);
            "ranks"
        }
        FenError::Squares { row, found, expected, .. } => {
            quotes(row);
            assert_ne!(found, expected);
            "squares"
        }
        FenError::Piece { letter, .. } => {
            assert!(
                text.contains(*letter) && message.contains(&format!("{letter:?}")),
                "{text:?}: {message}"
            );
            "piece"
        }
        FenError::TooMany { what, found, at_most } => {
            assert!(found > at_most && message.contains(what), "{text:?}: {message}");
            "too many"
        }
    }
}

/// Moves that were legal two plies ago, and such moves with an error. An accepted move has to be legal and,
/// except for `other_forms`, in the notation that the game writes. The error of a refused one has to quote
/// it.
pub fn check_damaged_moves<G: Knowledge>(count: u64, other_forms: &[&str]) {
    let (mut accepted, mut syntax, mut illegal) = (0, 0, 0);
    for seed in 0..count {
        let mut random = StdRng::seed_from_u64(seed);
        let (before, _) = random_game::<G>(seed, random.random_range(0..60), |_, _| {});
        let (position, _) = random_game_from(before.clone(), seed, 2, |_, _| {});
        let Some(mut text) = texts(&before).choose(&mut random).cloned() else { continue };
        let legal = texts(&position);
        if seed % 2 == 0 {
            text = damaged(&text, &mut random);
        }
        match position.parse_move(&text) {
            Ok(mv) => {
                let found = position.move_text(mv);
                let is_legal = legal.contains(&found)
                    // A move with a chance outcome.
                    || G::HAS_CHANCE && legal.iter().any(|legal| found.starts_with(legal));
                let is_same = found == text || other_forms.contains(&text.as_str());
                assert!(is_legal && is_same, "{text:?}, read as {found}, in {}", position.fen());
                accepted += 1;
            }
            Err(error) => {
                assert!(!legal.contains(&text), "{text:?} in {}: {error}", position.fen());
                let message = error.to_string();
                assert!(
                    message.starts_with(&quote(&text)) && !message.contains(char::is_control),
                    "{message}"
                );
                match error {
                    MoveError::Syntax { .. } => syntax += 1,
                    MoveError::Illegal { .. } => illegal += 1,
                }
            }
        }
    }
    let least = count / 20;
    assert!(
        accepted > least && syntax > least && illegal > least,
        "{}: {accepted} accepted, {syntax} no moves, {illegal} illegal",
        G::info().name
    );
}

/// The legal moves in text.
fn texts<G: Game>(position: &G) -> Vec<String> {
    position.moves().into_iter().map(|mv| position.move_text(mv)).collect()
}
