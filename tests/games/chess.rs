//! Chess positions checked by hand: special moves, endings, notation, exchanges.

use labrys::game::chess::Chess;
use labrys::game::{Ending, FenError, Game, GameHistory, GameMove, Knowledge, MoveError, Outcome};

fn position(fen: &str) -> Chess {
    Chess::from_fen(fen).unwrap()
}

/// The texts of the legal moves, in alphabetical order.
fn moves(position: &Chess) -> Vec<String> {
    let moves = position.moves();
    let mut texts: Vec<_> = moves.iter().map(|&mv| position.move_text(mv)).collect();
    texts.sort();
    texts
}

/// Whether a move is legal.
fn allows(fen: &str, mv: &str) -> bool {
    position(fen).parse_move(mv).is_ok()
}

/// Plays moves from a FEN.
fn play(fen: &str, moves: &str) -> (Chess, GameHistory<Chess>) {
    let (mut position, mut history) = (position(fen), GameHistory::new());
    for text in moves.split_whitespace() {
        let mv = position.parse_move(text).unwrap();
        history.push(&position);
        position.play(mv);
    }
    (position, history)
}

fn draw(ending: Ending) -> Option<Outcome> {
    Some(Outcome { winner: None, ending })
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn castling_neither_out_of_nor_through_nor_into_check() {
    // A position, and whether White may castle to g1 and to c1.
    for (fen, short, long) in [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", true, true),
        ("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", false, false),
        ("4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1", false, true),
        ("4k3/8/8/8/6r1/8/8/R3K2R w KQ - 0 1", false, true),
        ("4k3/8/8/8/7r/8/8/R3K2R w KQ - 0 1", true, true),
        ("4k3/8/8/8/3r4/8/8/R3K2R w KQ - 0 1", true, false),
        ("4k3/8/8/8/2r5/8/8/R3K2R w KQ - 0 1", true, false),
        // The king does not cross b1.
        ("4k3/8/8/8/1r6/8/8/R3K2R w KQ - 0 1", true, true),
        ("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1", false, false),
        ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", false, false),
        ("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", false, true),
    ] {
        assert_eq!(allows(fen, "e1g1"), short, "{fen}");
        assert_eq!(allows(fen, "e1c1"), long, "{fen}");
        // The other notation of castling gives the same move.
        assert_eq!(allows(fen, "e1h1"), short, "{fen}");
        assert_eq!(allows(fen, "e1a1"), long, "{fen}");
    }
}

#[test]
fn castling_rights_go_with_king_and_rooks() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (moves, after) in [
        ("e1g1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"),
        ("e1c1", "r3k2r/8/8/8/8/8/8/2KR3R b kq - 1 1"),
        ("e1e2", "r3k2r/8/8/8/8/8/4K3/R6R b kq - 1 1"),
        ("a1b1", "r3k2r/8/8/8/8/8/8/1R2K2R b Kkq - 1 1"),
        ("h1h8", "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 1"),
        ("h1h8 e8e7 h8a8", "R7/4k3/8/8/8/8/8/R3K3 b Q - 0 2"),
    ] {
        assert_eq!(play(fen, moves).0.fen(), after);
    }
}

#[test]
fn castling_is_written_as_the_option_says() {
    let mut position = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    assert!(moves(&position).contains(&"e1g1".to_owned()) && !moves(&position).contains(&"e1h1".to_owned()));
    position.choose(1);
    assert!(moves(&position).contains(&"e1h1".to_owned()) && !moves(&position).contains(&"e1g1".to_owned()));
    let mut same = position.clone();
    position.play(position.parse_move("e1g1").unwrap());
    same.play(same.parse_move("e1h1").unwrap());
    assert_eq!(position.fen(), same.fen());
    position.choose(0);
    assert!(moves(&position).contains(&"e8c8".to_owned()), "Black castles in the same way");
    assert_eq!(Chess::info().option.unwrap().choices, ["false", "true"]);
}

#[test]
fn chess960_castling_takes_the_rook() {
    // King and rook next to each other in the corner: castling and a king's move must not be confused.
    let fen = "4k3/8/8/8/8/8/8/5KR1 w G - 0 1";
    assert_eq!(play(fen, "f1g1").0.fen(), "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
    // The king stays where it is.
    let fen = "4k3/8/8/8/8/8/8/1R4KR w HB - 0 1";
    assert_eq!(play(fen, "g1h1").0.fen(), "4k3/8/8/8/8/8/8/1R3RK1 b - - 1 1");
    assert_eq!(play(fen, "g1b1").0.fen(), "4k3/8/8/8/8/8/8/2KR3R b - - 1 1");
    // The rook on b1 shields the king from the one on a1.
    let fen = "4k3/8/8/8/8/8/8/rRK5 w B - 0 1";
    assert!(!allows(fen, "c1b1"));
    // The king stands on e1, the rook not in the corner: both notations are read, the second one is written.
    let position = position("4k3/8/8/8/8/8/8/4KR2 w F - 0 1");
    assert!(moves(&position).contains(&"e1f1".to_owned()));
    assert_eq!(position.parse_move("e1g1"), position.parse_move("e1f1"));
}

#[test]
fn castling_rights_are_read_in_every_form() {
    for (rights, read) in [
        ("KQkq", "KQkq"),
        ("HAha", "KQkq"),
        ("HQhq", "KQkq"),
        ("Kq", "Kq"),
        ("qK", "Kq"),
        ("-", "-"),
        ("A", "Q"),
    ] {
        let fen = format!("r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 3 9");
        assert_eq!(position(&fen).fen(), format!("r3k2r/8/8/8/8/8/8/R3K2R w {read} - 3 9"));
    }
    // `K` means the outermost rook.
    let fen = "1r2k1rr/8/8/8/8/8/8/1R2KRR1 w KQkq - 0 1";
    assert_eq!(position(fen).fen(), "1r2k1rr/8/8/8/8/8/8/1R2KRR1 w GBkb - 0 1");
    let fen = "4k3/8/8/8/8/8/8/1R2KRR1 w F - 0 1";
    assert_eq!(position(fen).fen(), fen);
}

#[test]
fn en_passant_only_at_once_and_never_into_check() {
    let fen = "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1";
    let (after, _) = play(fen, "d7d5");
    assert_eq!(after.fen(), "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2");
    assert_eq!(play(fen, "d7d5 e5d6").0.fen(), "4k3/8/3P4/8/8/8/8/4K3 b - - 0 2");
    assert!(play(fen, "d7d5 e1e2 e8e7").0.parse_move("e5d6").is_err());
    // Both pawns leave the rank: the rook would attack the king.
    let pinned = "4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 2";
    assert!(!allows(pinned, "e5d6"));
    // So the square does not distinguish positions.
    assert_eq!(position(pinned).fen(), "4k3/8/8/K2pP2r/8/8/8/8 w - - 0 2");
    let without = position("4k3/8/8/K2pP2r/8/8/8/8 w - - 0 2");
    assert!(without.same_position(&position(pinned)));
    assert_eq!(without.key(), position(pinned).key());
    // Nor does it if only a bishop can move there.
    let (with, without) =
        (position("4k3/8/8/3pB3/8/8/8/4K3 w - d6 0 2"), position("4k3/8/8/3pB3/8/8/8/4K3 w - - 0 2"));
    assert!(with.same_position(&without) && with.key() == without.key());
    // With a legal en passant capture the positions differ.
    let (with, without) =
        (position("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"), position("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 2"));
    assert!(!with.same_position(&without) && with.key() != without.key());
    // The pawn that gives check may be captured en passant, and the capture may not uncover another check.
    assert!(allows("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", "e4d3"));
    assert!(!allows("8/8/8/8/k2Pp2Q/8/8/4K3 b - d3 0 1", "e4d3"));
    assert!(!allows("4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"));
}

#[test]
fn an_en_passant_square_without_a_capture_is_forgotten() {
    assert_eq!(
        position("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1").fen(),
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    );
    assert_eq!(play(START, "e2e4").0.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
}

#[test]
fn pawns_become_any_piece() {
    let fen = "1n2k3/P7/8/8/8/8/8/4K3 w - - 7 9";
    let found: Vec<_> = moves(&position(fen)).into_iter().filter(|mv| mv.starts_with('a')).collect();
    assert_eq!(found, ["a7a8b", "a7a8n", "a7a8q", "a7a8r", "a7b8b", "a7b8n", "a7b8q", "a7b8r"]);
    assert_eq!(play(fen, "a7b8n").0.fen(), "1N2k3/8/8/8/8/8/8/4K3 b - - 0 9");
    assert_eq!(play(fen, "a7b8N").0.fen(), play(fen, "a7b8n").0.fen());
    let mut queens = Vec::new();
    position(fen).tactical_moves(&mut queens);
    let queens: Vec<_> = queens.iter().map(|&mv| position(fen).move_text(mv)).collect();
    assert_eq!(queens, ["a7a8q", "a7b8q"]);
}

#[test]
fn games_end_by_mate_and_stalemate() {
    let mate = |winner| Some(Outcome { winner: Some(winner), ending: Ending::Checkmate });
    let (position, history) = play(START, "f2f3 e7e5 g2g4 d8h4");
    assert!(position.is_terminal());
    assert_eq!(history.outcome(&position), mate(labrys::game::Color::Black));
    assert_eq!(history.outcome(&position).unwrap().to_string(), "Black wins: checkmate");
    let (position, history) = play("7k/8/6Q1/8/8/8/8/K7 w - - 0 1", "g6f7");
    assert!(position.is_terminal());
    assert_eq!(history.outcome(&position), draw(Ending::Stalemate));
}

#[test]
fn a_mate_counts_on_the_hundredth_ply() {
    let fen = "7k/8/6K1/8/8/8/8/R7 w - - 99 80";
    let (position, history) = play(fen, "a1a8");
    assert_eq!(history.outcome(&position).map(|outcome| outcome.ending), Some(Ending::Checkmate));
    let (position, history) = play(fen, "a1a7");
    assert_eq!(position.halfmove_clock(), 100);
    assert_eq!(history.outcome(&position), draw(Ending::NoProgress));
    // The counters continue after the draw.
    let (position, _) = play(fen, "a1a7 h8g8 a7a8");
    assert_eq!(position.fen(), "R5k1/8/6K1/8/8/8/8/8 b - - 102 81");
    // A pawn move and a capture reset the clock.
    assert_eq!(play("7k/p7/8/8/8/8/8/KR6 b - - 99 80", "a7a6").0.halfmove_clock(), 0);
    assert_eq!(play("7k/8/8/8/8/8/1r6/K7 w - - 99 80", "a1b2").0.halfmove_clock(), 0);
}

#[test]
fn the_third_occurrence_draws() {
    let there_and_back = "g1f3 g8f6 f3g1 f6g8 ";
    let (position, history) = play(START, there_and_back);
    assert_eq!((history.occurrences(&position), history.outcome(&position)), (2, None));
    let (position, history) = play(START, &there_and_back.repeat(2));
    assert_eq!(history.outcome(&position), draw(Ending::Repetition));
    // The right to castle is lost, so the first position was a different one.
    let fen = "r3k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let round = "h1h2 a8b8 h2h1 b8a8 ";
    let (position, history) = play(fen, &round.repeat(2));
    assert_eq!((history.occurrences(&position), history.outcome(&position)), (2, None));
    let (position, history) = play(fen, &round.repeat(3));
    assert_eq!(history.outcome(&position), draw(Ending::Repetition));
    // The same holds for the right to capture en passant.
    let fen = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2";
    let round = "e1e2 e8e7 e2e1 e7e8 ";
    let (position, history) = play(fen, &round.repeat(2));
    assert_eq!((history.occurrences(&position), history.outcome(&position)), (2, None));
}

#[test]
fn nobody_mates_without_the_pieces() {
    for (fen, dead) in [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
        ("4k3/8/8/8/8/8/8/4KB2 w - - 0 1", true),
        ("4kn2/8/8/8/8/8/8/4K3 w - - 0 1", true),
        // Bishops of both players on squares of one colour.
        ("4k3/8/8/8/8/4b3/8/2B1K3 w - - 0 1", true),
        ("4k3/8/8/8/8/B3b3/8/2B1K3 w - - 0 1", true),
        ("4k3/8/8/8/8/4b3/8/4KB2 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", false),
        ("4kn2/8/8/8/8/8/8/4KB2 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", false),
        ("4k3/4p3/8/8/8/8/8/4K3 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", false),
    ] {
        let position = position(fen);
        assert_eq!(position.is_dead(), dead, "{fen}");
        assert!(!position.is_terminal() && position.count_moves() > 0);
        let outcome = if dead { draw(Ending::InsufficientMaterial) } else { None };
        assert_eq!(GameHistory::new().outcome(&position), outcome, "{fen}");
    }
}

#[test]
fn fens_are_refused_with_a_reason() {
    let error = |fen: &str| Chess::from_fen(fen).unwrap_err().to_string();
    let king = |rest: &str| error(&format!("4k3/8/8/8/8/8/8/4K3 {rest}"));
    assert!(error("").starts_with("FEN: missing board"));
    assert_eq!(error("8/8 w - -"), "FEN: the board has 2 ranks, expected 8");
    assert_eq!(error("8/8/9/8/8/8/8/8 w - -"), "FEN: rank 6 `9` has 9 squares, expected 8");
    assert_eq!(
        error("4k3/8/3x4/8/8/8/8/4K3 w - -"),
        "FEN: 'x' on rank 6 is no piece, expected one of `PNBRQKpnbrqk` or a number"
    );
    assert!(matches!(
        Chess::from_fen("4k2P/8/8/8/8/8/8/4K3 w - -"),
        Err(FenError::Piece { letter: 'P', rank: 8, .. })
    ));
    assert_eq!(error("8/8/8/8/8/8/8/4K3 w - -"), "FEN: missing black king, expected one on the board");
    assert_eq!(error("4k3/8/8/8/8/8/8/K3K3 w - -"), "FEN: 2 white kings, expected at most 1");
    assert_eq!(error("4k3/pppppppp/p7/8/8/8/8/4K3 w - -"), "FEN: 9 black pawns, expected at most 8");
    assert_eq!(error("4k3/8/8/8/8/QQQQQQQQ/QQQQQQQQ/4K3 b - -"), "FEN: 17 white pieces, expected at most 16");
    assert_eq!(
        error("4k3/8/8/8/4R3/8/8/4K3 w - -"),
        "FEN: side to move `w`: expected `b`, the king of Black being attacked"
    );
    assert_eq!(
        error("8/8/8/8/8/8/4k3/4K3 w - -"),
        "FEN: board `8/8/8/8/8/8/4k3/4K3`: expected kings that are not next to each other"
    );
    assert_eq!(king(""), "FEN: missing side to move, expected `w` or `b`");
    assert_eq!(king("x - - 0 1"), "FEN: side to move `x`: expected `w` or `b`");
    assert!(
        king("w xyz -")
            .starts_with("FEN: castling rights `xyz`: expected `-` or letters of `KQkq`, or `A` to")
    );
    assert!(king("w e2e4 e7e5").starts_with("FEN: castling rights `e2e4`: expected"));
    assert_eq!(king("w - e2e4"), "FEN: en passant square `e2e4`: expected `-` or a square");
    assert_eq!(king("w - - x 1"), "FEN: halfmove clock `x`: expected a number from 0 to 9999");
    assert_eq!(king("w - - e1e2 e8e7"), "FEN: halfmove clock `e1e2`: expected a number from 0 to 9999");
    assert_eq!(king("w - - 0 x"), "FEN: move number `x`: expected a number from 0 to 9999");
    assert_eq!(king("w - - 0 1 x"), "FEN: `x` after the last field");
    assert_eq!(king("w - - 0 1 e1e2"), "FEN: `e1e2` after the last field");
}

#[test]
fn fens_of_others_are_read_as_other_programs_read_them() {
    // Fields that are missing, from the end of the text on.
    for (fields, all) in [
        ("b", "b - - 0 1"),
        ("w KQ", "w KQ - 0 1"),
        ("w - -", "w - - 0 1"),
        ("b Q - 7", "b Q - 7 1"),
        ("b - - 7 0", "b - - 7 1"),
        ("w KQ - 0 0", "w KQ - 0 1"),
    ] {
        let board = "4k3/8/8/8/8/8/8/R3K2R";
        assert_eq!(position(&format!("{board} {fields}")).fen(), format!("{board} {all}"));
    }
    assert_eq!(position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w").fen(), START.replace("KQkq", "-"));
    // En passant squares that no pawn can use: none has passed, none is beside, the rank is the other one,
    // it is the turn of the other side, a piece stands there or behind, the capture is not legal.
    for (fen, kept) in [
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", false),
        ("4k3/8/8/8/8/8/8/4K3 w - a1 0 1", false),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", false),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", true),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d3 0 1", false),
        ("4k3/8/8/3pP3/8/8/8/4K3 b - d6 0 1", false),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - e6 0 1", false),
        ("4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1", false),
        ("4k3/3n4/8/3pP3/8/8/8/4K3 w - d6 0 1", false),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", true),
        ("4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1", false),
    ] {
        let square = fen.split(' ').nth(3).unwrap();
        let expected = if kept { fen.to_owned() } else { fen.replace(&format!(" {square} "), " - ") };
        assert_eq!(position(fen).fen(), expected);
        assert_eq!(position(fen).key(), position(&expected).key(), "{fen}");
    }
}

#[test]
fn rights_that_contradict_the_board_are_dropped() {
    for (board, rights, read) in [
        ("rnbqkbn1/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "KQkq", "KQq"),
        ("rnbq1bnr/ppppkppp/8/4p3/4P3/8/PPPPKPPP/RNBQ1BNR", "KQkq", "-"),
        ("4k3/8/8/8/8/8/4K3/R6R", "Q", "-"),
        ("4k3/8/8/8/8/8/8/4K3", "HAha", "-"),
        ("r3k2r/8/8/8/8/8/8/R3K2R", "KKqq", "Kq"),
        ("r3k2r/8/8/8/8/8/8/R3K2R", "KHkh", "Kk"),
        ("r3k2r/8/8/8/8/8/8/R3K2R", "KQkq-", "KQkq"),
        ("r3k2r/8/8/8/8/8/8/R3K2R", "--", "-"),
        ("r3k2r/8/8/8/8/8/8/R3K2R", "0", "-"),
        ("r3k2r/8/8/8/8/8/8/R3K2R", "X", "-"),
        ("r3k2r/8/8/8/8/8/8/R3K2R", "?", "-"),
    ] {
        let fen = |rights| format!("{board} w {rights} - 0 1");
        assert_eq!(position(&fen(rights)).fen(), fen(read), "{rights}");
    }
    for square in ["e9", "0", "x", "--", "E3", "a", "??", "i6", "d9"] {
        let fen = format!("4k3/8/8/3pP3/8/8/8/4K3 w - {square} 0 1");
        assert_eq!(position(&fen).fen(), "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "{square}");
    }
}

#[test]
fn counters_are_read_from_any_text() {
    for (counters, read) in [
        ("- -", "0 1"),
        ("- 7", "0 7"),
        ("7 -", "7 1"),
        ("0 -5", "0 1"),
        ("-3 4", "0 4"),
        ("0 10000", "0 9999"),
        ("0 65536", "0 9999"),
        ("10000 1", "9999 1"),
        ("99999999999999999999999 1", "9999 1"),
        ("0.5 2", "0 2"),
        ("+4 3.", "4 3"),
        ("? ?", "0 1"),
        ("½ 3", "0 3"),
        // What a line of an EPD file has behind the position.
        ("bm Ke2;", "0 1"),
        ("bm Ke2", "0 1"),
        ("xyz 3; id \"a; b\";", "0 1"),
        ("0 1;", "0 1"),
        ("3 4 bm Ke2; id \"x\";", "3 4"),
        ("3; id \"x\"", "3 1"),
        (";", "0 1"),
    ] {
        let fen = format!("4k3/8/8/8/8/8/8/4K3 w - - {counters}");
        assert_eq!(position(&fen).fen(), format!("4k3/8/8/8/8/8/8/4K3 w - - {read}"), "{counters}");
    }
    for counters in ["0\0 1", "\u{7} 1", "3 1\u{1b}[2J"] {
        let refused = Chess::from_fen(&format!("4k3/8/8/8/8/8/8/4K3 w - - {counters}")).unwrap_err();
        assert!(refused.to_string().contains("expected a number from"), "{counters:?}: {refused}");
    }
}

#[test]
fn adjacent_digits_of_a_fen_add_up() {
    let board = "8/4k3/8/8/8/8/8/4K3";
    for other in [
        "11111111/4k3/8/8/8/8/8/4K3",
        "44/13k21/08/80/0008/8/8/4K3",
        "8/4k3/8/8/8/8/8/4K3/",
        "8/4k003/8/8/8/8/8/04K3",
    ] {
        assert_eq!(position(&format!("{other} w - - 0 1")).fen(), format!("{board} w - - 0 1"), "{other}");
    }
    for other in
        ["54/4k3/8/8/8/8/8/4K3", "8/4k3/8/8/8/8/8/4K3//", "8/4k3/8/8/8/8/8/4K3/8", "1111111/8/8/8/8/8/8/8"]
    {
        assert!(Chess::from_fen(&format!("{other} w - - 0 1")).is_err(), "{other}");
    }
    let long = format!("{}/8/8/8/8/8/8/8 w", "9".repeat(1000));
    assert!(Chess::from_fen(&long).is_err());
}

#[test]
fn errors_of_illegal_moves_name_the_rule() {
    let error = |fen: &str, text: &str| match position(fen).parse_move(text).unwrap_err() {
        MoveError::Illegal { reason, .. } => reason,
        error => error.to_string(),
    };
    for text in ["", "e2", "e2e9", "e2e4k", "e2e4qq", "é2e4", "0000", "E7e8"] {
        assert!(error(START, text).contains("is no move: expected two squares, as in `e2e4`"), "{text}");
    }
    assert_eq!(error(START, "e7e5"), "White, to move, has no piece on e7");
    assert_eq!(error(START, "e4e5"), "White, to move, has no piece on e4");
    assert_eq!(error(START, "a1a2"), "White has a piece of its own on a2");
    assert_eq!(error(START, "e1g1"), "White may not castle this way here");
    assert_eq!(error(START, "b1b3"), "the knight on b1 cannot go to b3");
    assert_eq!(error(START, "e2d3"), "the pawn on e2 cannot go to d3");
    assert_eq!(error(START, "e2e4q"), "the pawn on e2 is not promoted on e4");
    assert_eq!(error("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8"), "the pawn on a7 is promoted, as in `a7a8q`");
    assert_eq!(error("4k3/8/8/8/4r3/8/4R3/4K3 w - - 0 1", "e2d2"), "the king of White would be attacked");
    assert_eq!(error("4k3/8/8/8/4r3/8/8/4K3 w - - 0 1", "e1e2"), "the king of White would be attacked");
    assert_eq!(error("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "g8h8"), "the game is over: checkmate");
}

#[test]
fn an_illegal_move_changes_nothing() {
    let position = position(START);
    let mut legal = 0;
    for bits in 0..1 << 15 {
        let mv = <Chess as Game>::Move::from_bits(bits);
        let after = position.after(mv);
        assert_eq!(after.fen() == START, !position.is_legal(mv), "{mv:?}");
        legal += usize::from(position.is_legal(mv) && mv.to_bits() == bits);
    }
    assert_eq!(legal, 20);
    let (mut here, there) = (self::position(START), self::position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"));
    here.play(there.parse_move("e1g1").unwrap());
    assert_eq!(here.fen(), START);
}

#[test]
fn passing_changes_the_side_to_move() {
    let passed = position("4k3/8/8/3pP3/8/8/8/4K3 w - d6 40 2").null_move().unwrap();
    assert_eq!(passed.fen(), "4k3/8/8/3pP3/8/8/8/4K3 b - - 0 2");
    assert_eq!(passed.key(), passed.key_from_scratch());
    assert!(position("4k3/8/8/8/4r3/8/8/4K3 w - - 0 1").null_move().is_none());
    assert!(position("4k3/8/8/8/4r3/8/8/4K3 w - - 0 1").in_check());
    assert!(position("4k3/8/8/8/4r3/8/P7/3K4 w - - 0 1").may_be_zugzwang());
    assert!(!position("4k3/8/8/8/4r3/8/P7/3K4 b - - 0 1").may_be_zugzwang());
}

/// Moves with the result of their exchange in thousandths of a pawn, computed by hand: pawn 1000, knight and
/// bishop 3250, rook 5000, queen 9750.
const EXCHANGES: &[(&str, &str, i32)] = &[
    // No recapture.
    ("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 1_000),
    // A quiet move to a safe square, to one that a pawn attacks, and one that is attacked and protected.
    ("4k3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d5", 0),
    ("4k3/8/2p5/8/8/8/8/3RK3 w - - 0 1", "d1d5", -5_000),
    ("4k3/8/2p5/8/4P3/8/8/3RK3 w - - 0 1", "d1d5", -4_000),
    // A protected pawn, captured by a pawn, a knight, a rook and a queen.
    ("4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0),
    ("4k3/8/2p5/3p4/8/2N5/8/4K3 w - - 0 1", "c3d5", -2_250),
    ("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", -4_000),
    ("4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1", "d1d5", -8_750),
    // A rook behind the rook, on both sides.
    ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 1_000),
    ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", -4_000),
    // A queen behind a bishop, a bishop behind a queen: the less valuable one captures first if it stands in
    // front.
    ("4k3/8/2p5/3p4/4B3/5Q2/8/4K3 w - - 0 1", "e4d5", -1_250),
    ("6k1/8/4p3/3p4/4Q3/5B2/8/4K3 w - - 0 1", "e4d5", -7_750),
    // The bishop stands behind the pawn that recaptures, so the rook should not capture.
    ("4k1b1/8/4p3/3p4/8/2N5/8/3RK3 w - - 0 1", "c3d5", -2_250),
    // A recapture with the knight would lose it.
    ("4k3/8/5n2/3p4/4P3/2N5/8/4K3 w - - 0 1", "e4d5", 1_000),
    // The king captures an unprotected piece, and not a protected one.
    ("8/8/3k4/3p4/8/2N5/8/4K3 w - - 0 1", "c3d5", -2_250),
    ("8/8/3k4/3p4/8/1BN5/8/4K3 w - - 0 1", "c3d5", 1_000),
    // En passant, with and without a recapture by a pawn.
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 1_000),
    ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0),
    ("3rk3/8/8/3pP3/8/8/8/3RK3 w - d6 0 1", "e5d6", 1_000),
    // Promotions: quiet, with a capture, onto a protected square, and by the recapturing pawn.
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 8_750),
    ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", 13_750),
    ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -1_000),
    ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", -1_000),
    ("4k3/8/8/8/8/8/2p5/1b1RK3 w - - 0 1", "d1b1", 3_250 - 5_000 - 8_750),
    // Castling.
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 0),
];

#[test]
fn exchanges_have_the_results_computed_by_hand() {
    for &(fen, mv, result) in EXCHANGES {
        let position = position(fen);
        let mv_read = position.parse_move(mv).unwrap();
        assert!(position.see_ge(mv_read, result), "{fen} {mv}: expected {result}, found less");
        assert!(!position.see_ge(mv_read, result + 1), "{fen} {mv}: expected {result}, found more");
    }
}

#[test]
fn gains_prefer_the_greater_victim_and_the_lesser_attacker() {
    let position = position("4k3/8/2q1r3/3P4/4N3/7n/6P1/3K2R1 w - - 0 1");
    let capture_value = |text: &str| position.capture_value(position.parse_move(text).unwrap());
    assert!(
        capture_value("d5c6") > capture_value("d5e6")
            && capture_value("d5e6") > capture_value("g2h3")
            && capture_value("g2h3") > capture_value("e4g5")
    );
}
