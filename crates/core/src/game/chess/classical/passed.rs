//! Passed pawns, and pawns that may become passed.

use cozy_chess::{Piece, Square, get_rook_moves};

use super::pawns::{FILE_A, fill_up};
use super::{Attacks, SideView, TermSink, distance, terms};

/// The greatest distance of a king that counts.
const FAR: u8 = 5;

impl SideView<'_> {
    /// Counts passed pawns and candidates.
    #[inline(always)]
    pub(super) fn passed(&self, enemy: &Attacks, player: usize, sink: &mut impl TermSink) {
        let SideView { board, side, ref pawns } = *self;
        let occupied = board.occupied();
        for square in self.unturned(pawns.candidates()) {
            sink.one(player, terms::CANDIDATE + square.relative_to(side).rank() as usize - 1);
        }
        for square in self.unturned(pawns.passed()) {
            let place = square.relative_to(side) as usize;
            let rank = place / 8;
            let next = Square::index(place + 8).relative_to(side);
            let step = rank - 1;
            sink.one(player, terms::PASSED + step);
            if !occupied.has(next) {
                sink.one(player, terms::PASSED_FREE + step);
                if !enemy.all.has(next) {
                    sink.one(player, terms::PASSED_SAFE + step);
                }
            }
            let path = self.unturned(fill_up(1 << (place + 8)) & FILE_A << (place % 8));
            if (path & (occupied | enemy.all)).is_empty() {
                sink.one(player, terms::PASSED_CLEAR + step);
            }
            for (n, king) in [board.king(side), board.king(!side)].into_iter().enumerate() {
                let distance = f64::from(distance(king, next).min(FAR));
                sink.add(player, terms::PASSED_KING[n] + step, distance);
            }
            // Rooks and queens behind the pawn on its file.
            let behind = get_rook_moves(square, occupied)
                & square.file().bitboard()
                & self.unturned(!(!0 << (8 * rank)));
            let heavy = (board.pieces(Piece::Rook) | board.pieces(Piece::Queen)) & behind;
            sink.count(player, terms::PASSED_BEHIND, heavy & board.colors(side));
            sink.count(player, terms::PASSED_BEHIND + 1, heavy & board.colors(!side));
        }
    }
}
