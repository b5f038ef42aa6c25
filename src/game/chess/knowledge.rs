//! What a search knows about chess.

use cozy_chess::{Piece, Rank};

use super::super::zobrist::random_table;
use super::super::{BenchSuite, Game, GameHistory, Knowledge, MsdTerms};
use super::exchange;
use super::msd_filter;
use super::rules::{Chess, ChessMove, NO_PROGRESS, append};

/// From here on, the plies without progress make a difference to what a position is worth to a search.
const NEAR_DRAW: usize = NO_PROGRESS - 20;

/// Numbers of the plies without progress beyond [`NEAR_DRAW`], for the search's table.
static PROGRESS_KEYS: [u64; NO_PROGRESS - NEAR_DRAW] = random_table(0x4669_6674);

/// How much less a capture by the next more valuable piece seems to win, in thousandths of a pawn.
const LESSER_FIRST: i32 = 10;

impl Knowledge for Chess {
    /// Positions of games of this engine, from the opening to the last pieces.
    const BENCH: BenchSuite = BenchSuite {
        depth: 10,
        fens: &[
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 5",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            "bnrkrnbq/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/BNRKRNBQ w ECec - 0 2",
            "2r2rk1/1b2qppp/p3p3/1p1nP3/3N4/P2B4/1P2QPPP/2RR2K1 w - - 0 20",
            "8/5pk1/1p2p1p1/p1r1P2p/P1R2P1P/1P2K1P1/8/8 w - - 4 40",
            "8/2k5/1p1p2p1/pPpP1pPp/P1P2P1P/3K4/8/8 w - - 0 50",
            "8/8/4k3/3nP3/3K4/8/5B2/8 w - - 10 70",
        ],
    };

    /// A pawn is a unit, and a quiet move changes more than in games whose unit is a piece.
    const MARGIN: i32 = 3000;

    /// Fitted to the scores and results of 200 games of the engine against itself at 2+0.02 s, 24,985 positions (2026-11-21).
    const RESULTS: (f64, f64) = (1.6, 1.2);

    /// The scale is that of Stockfish 15.1's `UCI_Elo`: with so many nodes the score against it is a half. From matches of 100
    /// games each (2026-11-22), Stockfish as deep as it needs to choose its move: 100 nodes 12.0 % and 300 nodes 69.5 % against 1400,
    /// 1,000 nodes 85.0 % against 1700, 3,000 nodes 43.0 % against 1900, 10,000 nodes 33.5 % against 2000, 30,000
    /// nodes 30.0 % against 2100, carried to a half by the engine's gain from more nodes against itself (366 to 585 Elo
    /// for three times as many); error bars are about 80 Elo. Below 1400 it is extrapolated.
    const STRENGTHS: &'static [(u32, u64)] =
        &[(1050, 100), (1400, 220), (1700, 370), (1900, 3_400), (2000, 14_000), (2100, 47_000)];

    /// A position close to the draw by lack of progress is another one for the table.
    fn table_key(&self) -> u64 {
        match self.halfmove_clock().checked_sub(NEAR_DRAW) {
            None => self.key(),
            Some(beyond) => self.key() ^ PROGRESS_KEYS[beyond.min(PROGRESS_KEYS.len() - 1)],
        }
    }

    /// Captures, and pawns that become queens.
    fn is_tactical(&self, ChessMove(mv): ChessMove) -> bool {
        match mv.promotion {
            None => exchange::captured(self.board(), mv).is_some(),
            Some(piece) => piece == Piece::Queen,
        }
    }

    fn tactical_moves(&self, moves: &mut Vec<ChessMove>) {
        let board = self.board();
        let us = board.side_to_move();
        let enemies = board.colors(!us);
        let pawns = board.colored_pieces(us, Piece::Pawn);
        let last_rank = Rank::Eighth.relative_to(us).bitboard();
        let passed = board.en_passant().map(|file| file.bitboard() & Rank::Sixth.relative_to(us).bitboard());
        let pawn_targets = enemies | last_rank | passed.unwrap_or_default();
        board.generate_moves_for(pawns, |mut piece| {
            piece.to &= pawn_targets;
            if piece.to.is_disjoint(last_rank) {
                append(piece, moves);
                return false;
            }
            let queens = piece.into_iter().filter(|mv| mv.promotion.is_none_or(|to| to == Piece::Queen));
            moves.extend(queens.map(ChessMove));
            false
        });
        board.generate_moves_for(!pawns, |mut piece| {
            piece.to &= enemies;
            append(piece, moves);
            false
        });
    }

    fn quiet_moves(&self, moves: &mut Vec<ChessMove>) {
        let board = self.board();
        let us = board.side_to_move();
        let enemies = board.colors(!us);
        let pawns = board.colored_pieces(us, Piece::Pawn);
        board.generate_moves_for(pawns, |piece| {
            moves.extend(piece.into_iter().map(ChessMove).filter(|&mv| !self.is_tactical(mv)));
            false
        });
        board.generate_moves_for(!pawns, |mut piece| {
            piece.to &= !enemies;
            append(piece, moves);
            false
        });
    }

    /// What is taken and what a pawn becomes; of two that take the same, the lesser piece comes first.
    fn capture_value(&self, ChessMove(mv): ChessMove) -> i32 {
        let piece = self.board().piece_on(mv.from).map_or(0, |piece| piece as i32);
        exchange::wins_at_once(self.board(), mv) - LESSER_FIRST * piece
    }

    fn see_ge(&self, ChessMove(mv): ChessMove, thousandths: i32) -> bool {
        exchange::see_ge(self.board(), mv, thousandths)
    }

    fn in_check(&self) -> bool {
        !self.board().checkers().is_empty()
    }

    fn null_move(&self) -> Option<Self> {
        self.after_null_move()
    }

    /// The side to move has nothing but king and pawns.
    fn may_be_zugzwang(&self) -> bool {
        let board = self.board();
        let simple = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
        board.colors(board.side_to_move()).is_subset(simple)
    }

    fn msd_ratings(
        &self,
        moves: &[ChessMove],
        terms: &MsdTerms,
        history: &GameHistory<Chess>,
        _rate: &mut impl FnMut(&Chess) -> i32,
        promises: &mut Vec<i32>,
    ) {
        msd_filter::msd_ratings(self, moves, terms, history, promises);
    }

    /// Player, piece and target square.
    const MOVE_KINDS: usize = 2 * 6 * 64;

    fn move_kind(&self, ChessMove(mv): ChessMove) -> usize {
        let piece = self.board().piece_on(mv.from).map_or(0, |piece| piece as usize);
        (self.side_to_move().index() * Piece::NUM + piece) * 64 + mv.to as usize
    }
}
