//! What move ordering, selectivity and MSD ask of chess.

use cozy_chess::{Piece, Rank};

use super::super::{
    Game, GameHistory, MoveOrdering, MsdTerms, Playouts, SelectiveDeepening, Selectivity, Solvable,
};
use super::exchange;
use super::msd_filter;
use super::rules::{Chess, ChessMove, append};

/// How much less a capture by the next more valuable piece seems to win, in thousandths of a pawn.
const LESSER_FIRST: i32 = 10;

impl MoveOrdering for Chess {
    /// Player, piece and target square.
    const MOVE_KINDS: usize = 2 * 6 * 64;

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

    fn move_kind(&self, ChessMove(mv): ChessMove) -> usize {
        let piece = self.board().piece_on(mv.from).map_or(0, |piece| piece as usize);
        (self.side_to_move().index() * Piece::NUM + piece) * 64 + mv.to as usize
    }
}

impl Selectivity for Chess {
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
}

impl SelectiveDeepening for Chess {
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
}

impl Playouts for Chess {}

impl Solvable for Chess {}
