//! Material, piece-square tables, mobility, and terms of single pieces.

use cozy_chess::{
    BitBoard, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves, get_rook_moves,
};

use super::king::ring;
use super::pawns::files;
use super::{Attacks, PIECES, SideView, TermSink, distance, terms};

/// The fourth to sixth rank.
const OUTPOST_RANKS: u64 = 0x0000_FFFF_FF00_0000;

/// The squares d4, e4, d5 and e5.
const CENTRE: BitBoard = BitBoard(0x0000_0018_1800_0000);

impl SideView<'_> {
    /// Counts material, piece-square tables, mobility and terms of single pieces. Returns all attacks.
    #[inline(always)]
    pub(super) fn pieces(&self, player: usize, sink: &mut impl TermSink) -> Attacks {
        let SideView { board, side, ref pawns } = *self;
        let occupied = board.occupied();
        let own_pawns = self.own(Piece::Pawn);
        sink.count(player, terms::MATERIAL, own_pawns);
        for square in own_pawns {
            sink.one(player, terms::PAWN_ON + self.table_index(square));
        }
        let king = board.king(side);
        sink.one(player, terms::KING_ON + self.table_index(king));

        let pawn_attacks = self.unturned(pawns.attacks());
        let mut attacks = Attacks {
            pawns: pawn_attacks,
            king: get_king_moves(king),
            all: pawn_attacks,
            twice: self.unturned(pawns.double_attacks()),
            ..Attacks::default()
        };
        attacks.add(attacks.king);

        let enemy_king = board.king(!side);
        let ring = ring(enemy_king);
        let open = !(own_pawns | king.bitboard() | self.unturned(pawns.enemy_attacks()));
        // X-rays: sliders through queens, rooks through own rooks.
        let behind_queens = occupied ^ board.pieces(Piece::Queen);
        let behind_rooks = behind_queens ^ self.own(Piece::Rook);
        for (n, piece) in PIECES.into_iter().enumerate() {
            let pieces = self.own(piece);
            sink.count(player, terms::MATERIAL + 1 + n, pieces);
            for square in pieces {
                sink.one(player, terms::PIECE_ON[n] + self.table_index(square));
                let reached = match piece {
                    Piece::Knight => get_knight_moves(square),
                    Piece::Bishop => get_bishop_moves(square, behind_queens),
                    Piece::Rook => get_rook_moves(square, behind_rooks),
                    _ => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
                };
                sink.one(player, terms::MOBILITY[n] + (reached & open).len() as usize);
                attacks.pieces[n] |= reached;
                attacks.add(reached);
                attacks.king_attack.add(n, reached, ring, enemy_king);
            }
        }
        self.minor_pieces(&attacks, player, sink);
        self.rooks(player, sink);
        self.pairs(player, sink);
        attacks
    }

    /// Counts terms of knights and bishops.
    #[inline(always)]
    fn minor_pieces(&self, attacks: &Attacks, player: usize, sink: &mut impl TermSink) {
        let SideView { board, side, ref pawns } = *self;
        let own_pawns = self.own(Piece::Pawn);
        let (knights, bishops) = (self.own(Piece::Knight), self.own(Piece::Bishop));
        let outposts = attacks.pawns & self.unturned(!pawns.enemy_attack_span() & OUTPOST_RANKS);
        sink.count(player, terms::OUTPOST, knights & outposts);
        sink.count(player, terms::OUTPOST + 1, bishops & outposts);
        let near = attacks.pieces[0] & outposts & !board.colors(side);
        sink.count(player, terms::OUTPOST_NEAR, near);
        let behind_pawns = self.unturned((pawns.own | pawns.enemies) >> 8);
        let king = board.king(side);
        for (n, pieces) in [knights, bishops].into_iter().enumerate() {
            sink.count(player, terms::BEHIND_PAWN + n, pieces & behind_pawns);
            for square in pieces {
                sink.add(player, terms::FROM_KING + n, f64::from(distance(square, king)));
            }
        }
        let blocked = self.unturned(pawns.rammed());
        let all_pawns = board.pieces(Piece::Pawn);
        for square in bishops {
            let colour = colour_of(square);
            sink.count(player, terms::BISHOP_PAWNS, own_pawns & colour);
            sink.count(player, terms::BISHOP_BLOCKED_PAWNS, blocked & colour);
            if (get_bishop_moves(square, all_pawns) & CENTRE).len() > 1 {
                sink.one(player, terms::BISHOP_DIAGONAL);
            }
        }
    }

    /// Counts terms of rooks.
    #[inline(always)]
    fn rooks(&self, player: usize, sink: &mut impl TermSink) {
        let rooks = self.own(Piece::Rook);
        let closed = BitBoard(files(self.own(Piece::Pawn).0));
        let half_closed = BitBoard(files(self.board.pieces(Piece::Pawn).0));
        sink.count(player, terms::ROOK_OPEN, rooks & !half_closed);
        sink.count(player, terms::ROOK_HALF_OPEN, rooks & !closed & half_closed);
        sink.count(player, terms::ROOK_SEVENTH, rooks & Rank::Seventh.relative_to(self.side).bitboard());
    }

    /// Counts terms of pairs of pieces, whose value depends on other pieces.
    #[inline(always)]
    fn pairs(&self, player: usize, sink: &mut impl TermSink) {
        let number = |piece| f64::from(self.own(piece).len());
        let (knights, bishops, rooks) = (number(Piece::Knight), number(Piece::Bishop), number(Piece::Rook));
        let pair = |count: f64| if count > 1.0 { 1.0 } else { 0.0 };
        sink.add(player, terms::PAIR, pair(knights));
        sink.add(player, terms::PAIR + 1, pair(bishops));
        sink.add(player, terms::PAIR + 2, pair(rooks));
        let pawns = number(Piece::Pawn) - 5.0;
        let rammed = f64::from(self.pawns.rammed().count_ones());
        for (n, count) in [knights, bishops, rooks].into_iter().enumerate() {
            sink.add(player, terms::WITH_PAWNS + n, count * pawns);
            sink.add(player, terms::WITH_RAMMED + n, count * rammed);
        }
    }
}

/// All squares of the colour of a square.
fn colour_of(square: Square) -> BitBoard {
    let light = BitBoard::LIGHT_SQUARES.has(square);
    if light { BitBoard::LIGHT_SQUARES } else { BitBoard::DARK_SQUARES }
}
