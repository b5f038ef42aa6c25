//! The steps of UCI that only chess has.

use super::UCI;
use crate::compliance::step::{Protocol, Step};

const fn step(id: &'static str, script: &'static str, expects: &'static str, why: &'static str) -> Step {
    Step::new(Protocol::Uci, id, script, expects, why).only("chess")
}

/// The steps.
pub(super) const STEPS: &[Step] = &[
    // The root.
    step(
        "chess/checkmated",
        "position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1\ngo depth 3\n? move\n\
         position startpos moves f2f3 e7e5 g2g4 d8h4\ngo nodes 100\n? move",
        "`bestmove 0000` or `(none)`",
        "lc0 #1209, Stockfish #623",
    ),
    step(
        "chess/stalemated",
        "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo depth 3\n? move\ngo wtime 1000 btime 1000\n\
         ? move",
        "`bestmove 0000` or `(none)`",
        "Stockfish #6442",
    ),
    step(
        "chess/one-legal-move",
        "position fen 7k/8/8/8/8/8/q7/K7 w - - 0 1\ngo wtime 60000 btime 60000\n? move\n\
         ! best a1a2\ngo infinite\n? quiet 200\nstop\n? move\n! best a1a2",
        "the only move, and not before `stop` in an infinite search",
        UCI,
    ),
    step(
        "chess/repetition",
        "position startpos moves {times 2 g1f3 g8f6 f3g1 f6g8}\ngo depth 3\n? move\n\
         position startpos moves {times 5 g1f3 g8f6 f3g1 f6g8}\ngo depth 3\n? move",
        "a legal move: a draw has to be claimed",
        "leela-chess #627; a threefold root was taken for the end",
    ),
    step(
        "chess/fifty-moves",
        "position fen 8/8/4k3/8/8/4K3/4R3/8 w - - 100 80\ngo depth 3\n? move\n\
         position fen 8/8/4k3/8/8/4K3/4R3/8 w - - 99 80\ngo depth 3\n? move",
        "a legal move: a draw has to be claimed",
        "engines without a line at a drawn root answered `0000`",
    ),
    step(
        "chess/bare-kings",
        "position fen 8/8/4k3/8/8/4K3/8/8 w - - 0 1\ngo depth 5\n? move\ngo movetime 50\n? move",
        "a legal move",
        "cutechess #44, fastchess #604: material that cannot mate",
    ),
    step(
        "chess/long-game",
        "position startpos moves {times 700 g1f3 g8f6 f3g1 f6g8} g1f3\ngo depth 2\n? move",
        "a legal move of Black after 2801 plies",
        "meltdown #80; arrays for 1024 plies",
    ),
    // Special moves.
    step(
        "chess/promotion",
        "position fen 8/P7/8/8/8/6k1/5q2/7K w - - 0 1\ngo depth 3\n? move\n\
         ! best a7a8q a7a8r a7a8b a7a8n\nposition fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves a7a8n h7h6\n\
         go depth 1\n? move",
        "a promotion with its letter",
        "UCI specification: e7e8q",
    ),
    step(
        "chess/promotion-of-black",
        "position fen 1n5k/P7/8/8/8/8/8/K7 w - - 0 1 moves a7b8q h8g7\ngo depth 1\n? move\n\
         position fen 7k/8/6Q1/5K2/8/8/p7/1R6 b - - 0 1\ngo depth 3\n? move\n\
         ! best a2a1q a2a1r a2a1b a2a1n a2b1q a2b1r a2b1b a2b1n",
        "a promotion with a small letter for Black too",
        UCI,
    ),
    step(
        "chess/castling",
        "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1c1 e8g8\ngo depth 1\n? move",
        "a legal move after castling",
        UCI,
    ),
    step(
        "chess/castling-move",
        "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\ngo depth 1 searchmoves e1g1\n? move\n\
         ! best e1g1",
        "castling as two squares of the king",
        UCI,
    ),
    step(
        "chess/en-passant",
        "position startpos moves e2e4 a7a6 e4e5 d7d5 e5d6\ngo depth 1\n? move\n\
         position fen rnbqkbnr/ppp1pppp/8/8/3pP3/P6P/1PPP1PP1/RNBQKBNR b KQkq e3 0 3 moves d4e3\n\
         go depth 1\n? move",
        "a legal move after the capture",
        UCI,
    ),
    step(
        "chess/en-passant-move",
        "position startpos moves e2e4 a7a6 e4e5 d7d5\ngo depth 1 searchmoves e5d6\n? move\n\
         ! best e5d6",
        "the capture",
        UCI,
    ),
    // FENs.
    step(
        "chess/fen-en-passant-without-capture",
        "position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1\ngo depth 2\n\
         ? move",
        "a legal move",
        "FEN standard: the square is there after every double step; python-chess #757",
    ),
    step(
        "chess/fen-pinned-en-passant",
        "position fen 8/8/8/8/k2Pp2Q/8/8/4K3 b - d3 0 1\ngo depth 3\n? move",
        "a legal move: the capture is not",
        "cutechess #817, chesslib #39",
    ),
    step(
        "chess/fen-four-fields",
        "position fen 8/8/4k3/8/8/4K3/4R3/8 b - -\ngo depth 1\n? move\n\
         position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - moves e7e5\ngo depth 1\n\
         ? move",
        "a legal move",
        "EPD has no counters; Stockfish #3533",
    )
    .advice(),
    step(
        "chess/fen-move-number-0",
        "position fen 8/8/4k3/8/8/4K3/4R3/8 b - - 0 0\ngo depth 1\n? move",
        "a legal move",
        "pychess mate_in_2, c-chess-cli #38, chess-tui #131, lila #729: common in puzzles",
    )
    .advice(),
    step(
        "chess/fen-large-counters",
        "position fen 8/8/4k3/8/8/4K3/4R3/8 w - - 150 6000\ngo depth 2\n? move",
        "a legal move",
        "counters of a byte",
    )
    .advice(),
    step(
        "chess/fen-impossible",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1\nisready\n? readyok\n\
         position fen KKKKKKKK/8/8/8/8/8/8/kkkkkkkk w - - 0 1\nisready\n? readyok\n\
         position fen rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\nisready\n? readyok\n\
         position fen 4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1\nisready\n? readyok\nposition startpos\n\
         go depth 1\n? move",
        "the engine lives on",
        "Stockfish #2464, #1253, #6786, #4829, #4768: no kings, many kings, ranks of nine, a king to take",
    )
    .advice(),
    step(
        "chess/fen-impossible-castling",
        "position fen 4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1\nisready\n? readyok\nposition startpos\n\
         go depth 1\n? move",
        "the engine lives on",
        "scalachess #495, Stockfish #356: rights without rooks",
    )
    .advice(),
    step(
        "chess/many-moves",
        "position fen R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1\ngo depth 1\n? move\n\
         go nodes 2000\n? move",
        "a legal move",
        "python-chess #34: 218 legal moves, arrays for fewer",
    ),
    step(
        "chess/many-lines",
        "setoption name MultiPV value 218\n\
         position fen R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1\ngo depth 1\n? move",
        "a legal move",
        "python-chess #34",
    )
    .needs(&["MultiPV"])
    .advice(),
    step(
        "chess/many-queens",
        "position fen qqqqqqqk/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQQQQK w - - 0 1\ngo movetime 300\n\
         ? move",
        "a legal move",
        "Stockfish #6975, #6147, #7003, #3911: searches of captures that explode",
    )
    .advice(),
    // Mates.
    step(
        "chess/mate-in-1",
        "position fen 6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1\ngo depth 8\n? move\n! best a1a8\n\
         ! mate 1",
        "mate 1",
        "a search of one ply",
    )
    .advice(),
    step(
        "chess/mated-in-1",
        "position fen k7/8/1K6/8/8/8/8/7R b - - 0 1\ngo depth 10\n? move\n! mate -1",
        "mate -1",
        "UCI specification: negative where the engine is mated",
    )
    .advice(),
    step(
        "chess/score-of-black",
        "position fen 4k3/pppr4/8/8/8/8/PPP5/4K3 b - - 0 1\ngo depth 3\n? move\n! score above 100\n\
         position fen 4k3/pppr4/8/8/8/8/PPP5/4K3 w - - 0 1\ngo depth 3\n? move\n! score below -100",
        "scores from the point of view of the side to move: Black is a rook ahead",
        "UCI specification: the score from the engine's point of view",
    ),
    step(
        "chess/go-mate",
        "position fen 6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1\ngo mate 1\n? move\n! best a1a8\n! mate 1",
        "the mate, without `stop`",
        UCI,
    )
    .advice(),
    step(
        "chess/infinite-mate",
        "position fen 6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1\ngo infinite\n? quiet 500\nstop\n? move",
        "a legal move after `stop`, not before",
        "Stockfish #2667, #5086, #6539, Patricia #161, Rodent #15: the search ended by itself",
    ),
    step(
        "chess/ponder-mate",
        "position fen 6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1\ngo ponder wtime 1000 btime 1000\n\
         ? quiet 500\nponderhit\n? move\n! within 1000",
        "a legal move after `ponderhit`, not before",
        "UCI specification: not even if it is mate",
    )
    .needs(&["Ponder"]),
    step(
        "chess/mate-stopped",
        "position fen r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w - - 0 1\n\
         go nodes 200000\n? move\n! pv\n! score\n! best of pv",
        "a line that ends with a legal move, under its own score",
        "Stockfish #6293, Ethereal #11: mates of an iteration that was stopped",
    )
    .advice(),
    // Repetitions in the search.
    step(
        "chess/one-repetition",
        "position startpos moves e2e4 b8c6 d2d4 c6b8 d4d5 b8c6 g1f3 c6b8 f3g1\ngo nodes 200000\n\
         ? move\n! not b8c6",
        "not b8c6, which loses the knight to d5c6",
        "ddugovic/Stockfish #6, Stockfish #925, #948: one occurrence before the root was a draw, here too",
    )
    .advice(),
    step(
        "chess/dead-draw",
        "position fen 8/8/4k3/8/8/4K3/8/8 w - - 0 1\ngo depth 6\n? move\n! no mate\n\
         ! score above -100\n! score below 100",
        "a score near 0",
        "cutechess #44: kings alone",
    )
    .advice(),
    // Chess960.
    step(
        "chess960/castling",
        "setoption name UCI_Chess960 value true\nposition fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\n\
         go depth 1 searchmoves e1h1\n? move\n! best e1h1\n\
         position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1h1 e8a8\ngo depth 1\n? move",
        "castling as the king that takes its rook",
        UCI,
    )
    .needs(&["UCI_Chess960"]),
    step(
        "chess960/start",
        "setoption name UCI_Chess960 value true\n\
         position fen bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1\ngo depth 3\n? move\n\
         ! pv\nposition fen bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1\ngo depth 3\n\
         ? move",
        "a legal move, for Shredder-FEN and for X-FEN",
        "lila #13254, cutechess #637",
    )
    .needs(&["UCI_Chess960"]),
    step(
        "chess960/inner-rook",
        "setoption name UCI_Chess960 value true\n\
         position fen 1r2k1r1/8/8/8/8/8/8/RR2K1RR w Gb - 0 1\nisready\n? readyok\n\
         position fen 4k3/8/8/8/8/8/8/RR2K3 w B - 0 1\ngo depth 1 searchmoves e1b1\n? move\n\
         ! best e1b1",
        "castling with the inner rook",
        "scalachess #495, Stockfish #3605, cutechess #15",
    )
    .needs(&["UCI_Chess960"])
    .advice(),
    step(
        "chess960/king-stays",
        "setoption name UCI_Chess960 value true\nposition fen 4k3/8/8/8/8/8/8/5RK1 w F - 0 1\n\
         isready\n? readyok\nposition fen 4k3/8/8/8/8/8/8/6KR w H - 0 1\n\
         go depth 1 searchmoves g1h1\n? move\n! best g1h1",
        "castling in which the king stays on its square",
        "Ceres #94, kokopu #29, notnil #102",
    )
    .needs(&["UCI_Chess960"]),
    step(
        "chess960/off-again",
        "setoption name UCI_Chess960 value true\nposition fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\n\
         go depth 1\n? move\nsetoption name UCI_Chess960 value false\n\
         position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\ngo depth 1 searchmoves e1g1\n? move\n\
         ! best e1g1",
        "castling as two squares of the king again",
        "the notation of the game before",
    )
    .needs(&["UCI_Chess960"]),
];
