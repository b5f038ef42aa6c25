//! Threats against enemy pieces, and space.

use cozy_chess::{Piece, get_bishop_moves, get_knight_moves, get_rook_moves};

use super::pawns::{beside, fill_down};
use super::{Attacks, SideView, TermSink, terms};

/// The squares c2 to f4.
const SPACE: u64 = 0x0000_0000_3C3C_3C00;

impl SideView<'_> {
    /// Counts threats against enemy pieces.
    #[inline(always)]
    pub(super) fn threats(&self, own: &Attacks, enemy: &Attacks, player: usize, sink: &mut impl TermSink) {
        let enemies = |piece| self.enemies(piece);
        let (pawns, rooks, queens) = (enemies(Piece::Pawn), enemies(Piece::Rook), enemies(Piece::Queen));
        let minors = enemies(Piece::Knight) | enemies(Piece::Bishop);
        let pieces = minors | rooks | queens;
        let [by_knights, by_bishops, by_rooks, _] = own.pieces;
        let by_minors = by_knights | by_bishops;
        let strong = enemy.strong(own);
        let weak = own.all & !strong;
        let threatened = [
            own.pawns & minors,
            own.pawns & rooks,
            own.pawns & queens,
            by_minors & weak & pawns,
            by_minors & minors,
            by_minors & rooks,
            by_minors & queens,
            by_rooks & weak & pawns,
            by_rooks & weak & minors,
            by_rooks & queens,
            own.king & weak & (pawns | pieces),
        ];
        for (n, set) in threatened.into_iter().enumerate() {
            sink.count(player, terms::THREAT + n, set);
        }
        let hanging = own.all & !enemy.all;
        for (n, set) in [pawns, minors, rooks, queens].into_iter().enumerate() {
            sink.count(player, terms::HANGING + n, set & hanging);
        }
        sink.count(player, terms::OVERLOADED, weak & pieces & own.twice & enemy.all);
        sink.count(player, terms::QUEEN_GUARDS, weak & (pawns | pieces) & enemy.pieces[3]);
        sink.count(player, terms::RESTRICTED, weak & enemy.all & !self.board.occupied());
        self.future_threats(own, enemy, player, sink);
    }

    /// Counts threats that a quiet move makes: by pawns that advance, and against the queen.
    #[inline(always)]
    fn future_threats(&self, own: &Attacks, enemy: &Attacks, player: usize, sink: &mut impl TermSink) {
        let SideView { board, side, ref pawns } = *self;
        let occupied = board.occupied();
        let safe = !enemy.pawns & (own.all | !enemy.all);
        let pushed = pawns.pushed(self.turned(!occupied)) & self.turned(safe);
        let targets = board.colors(!side) & !self.enemies(Piece::Pawn) & !own.pawns;
        sink.count(player, terms::PUSH_THREAT, self.unturned(beside(pushed << 8)) & targets);
        let queens = self.enemies(Piece::Queen);
        if queens.len() == 1
            && let Some(queen) = queens.next_square()
        {
            let safe = !board.colors(side) & !enemy.strong(own);
            let [knights, bishops, rooks, _] = own.pieces;
            sink.count(player, terms::ON_QUEEN, knights & safe & get_knight_moves(queen));
            let sliders =
                (bishops & get_bishop_moves(queen, occupied)) | (rooks & get_rook_moves(queen, occupied));
            sink.count(player, terms::ON_QUEEN + 1, sliders & safe);
        }
    }

    /// Counts safe squares behind the lines in the centre, which more pieces need more of.
    #[inline(always)]
    pub(super) fn space(&self, enemy: &Attacks, player: usize, sink: &mut impl TermSink) {
        let pawns = self.pawns.own;
        let safe = SPACE & !pawns & self.turned(!enemy.pawns);
        let behind = safe & fill_down(pawns >> 8) & self.turned(!enemy.all);
        let pieces = f64::from(self.board.colors(self.side).len());
        sink.add(player, terms::SPACE, f64::from(safe.count_ones()) * pieces);
        sink.add(player, terms::SPACE + 1, f64::from(behind.count_ones()) * pieces);
    }
}
