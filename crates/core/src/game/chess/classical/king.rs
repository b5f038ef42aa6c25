//! The safety of the king: its shelter of pawns, the storm against it, and the pieces that attack it.

use cozy_chess::{
    BitBoard, Piece, Square, get_between_rays, get_bishop_moves, get_bishop_rays, get_king_moves,
    get_knight_moves, get_rook_moves, get_rook_rays,
};

use super::pawns::FILE_A;
use super::{Attacks, SideView, TermSink, terms};

/// King danger is a sum of units. Its terms are steps of [`DANGER_STEP`] units. (Attacks on the king ring
/// times attackers, and safe checks: Chess Programming Wiki, "King Safety". Numbers half or twice as large
/// change the held-out error of a regression by less than 0.00005.)
const DANGER_STEP: i32 = 12;
/// For each knight, bishop, rook or queen that attacks the ring, times the number of attackers.
const ATTACKER: [i32; 4] = [8, 6, 5, 3];
/// For each attack on a square beside the king.
const ADJACENT: i32 = 7;
/// For each attacked square of the ring that no piece but queen and king protects.
const WEAK: i32 = 24;
/// For a safe check by a knight, bishop, rook or queen.
const CHECK: [i32; 4] = [80, 60, 100, 75];
/// For each square of a knight, bishop or rook from which it could give check, if it is not safe.
const UNSAFE_CHECK: i32 = 12;
/// For each piece that shields the king from a slider.
const PINNED: i32 = 10;
/// For a knight beside the king.
const DEFENDER: i32 = -10;

/// The files near the king, by its file: three at the wings, four in the centre.
const FLANKS: [u64; 8] = {
    let (left, centre) = (0x0707_0707_0707_0707, 0x3C3C_3C3C_3C3C_3C3C);
    [left, left, left << 1, centre, centre, left << 4, left << 5, left << 5]
};

/// The first five ranks.
const CAMP: u64 = 0x0000_00FF_FFFF_FFFF;

/// Attacks on the enemy king.
#[derive(Clone, Copy, Default)]
pub(super) struct KingAttack {
    attackers: i32,
    /// The sum of [`ATTACKER`].
    weight: i32,
    /// Attacks on squares beside the king.
    adjacent: u32,
}

impl KingAttack {
    /// Adds the squares that a piece attacks, by its index in `PIECES`.
    #[inline(always)]
    pub(super) fn add(&mut self, piece: usize, reached: BitBoard, ring: BitBoard, king: Square) {
        if !(reached & ring).is_empty() {
            self.attackers += 1;
            self.weight += ATTACKER[piece];
            self.adjacent += (reached & get_king_moves(king)).len();
        }
    }
}

/// Nine squares around a king, those of a neighbour at the edge.
pub(super) fn ring(king: Square) -> BitBoard {
    let (file, rank) = ((king.file() as u8).clamp(1, 6), (king.rank() as u8).clamp(1, 6));
    BitBoard(0x0007_0707 << (8 * (rank - 1) + file - 1))
}

impl SideView<'_> {
    /// Counts shelter, pawn storm and king danger.
    #[inline(always)]
    pub(super) fn king(&self, own: &Attacks, enemy: &Attacks, player: usize, sink: &mut impl TermSink) {
        self.shelter(player, sink);
        let SideView { board, side, .. } = *self;
        let king = board.king(side);
        let flank = BitBoard(FLANKS[king.file() as usize]);
        if (board.pieces(Piece::Pawn) & flank).is_empty() {
            sink.one(player, terms::PAWNLESS_FLANK);
        }
        let camp = flank & self.unturned(CAMP);
        sink.count(player, terms::FLANK, camp & enemy.all);
        sink.count(player, terms::FLANK + 1, camp & enemy.twice);
        sink.count(player, terms::FLANK + 2, camp & own.all);
        let step = (self.danger(own, enemy) / DANGER_STEP).clamp(0, terms::DANGER_STEPS as i32 - 1);
        sink.one(player, terms::DANGER + step as usize);
    }

    /// Counts own and enemy pawns on the files at and beside the king.
    #[inline(always)]
    fn shelter(&self, player: usize, sink: &mut impl TermSink) {
        let king = self.board.king(self.side);
        let (file, rank) = (king.file() as usize, king.relative_to(self.side).rank() as usize);
        for near in file.saturating_sub(1)..=(file + 1).min(7) {
            let column = FILE_A << near & !0 << (8 * rank);
            // The distance of the nearest pawn in ranks; 7 without one.
            let ranks = |pawns: u64| match pawns & column {
                0 => 7,
                set => set.trailing_zeros() as usize / 8 - rank,
            };
            let (own, enemy) = (ranks(self.pawns.own), ranks(self.pawns.enemies));
            let place = 8 * near.min(7 - near);
            sink.one(player, terms::SHELTER[usize::from(near != file)] + place + own);
            let blocked = own < 7 && own + 1 == enemy;
            sink.one(player, terms::STORM[usize::from(blocked)] + place + enemy);
        }
    }

    /// The danger of the king, in units.
    #[inline(always)]
    fn danger(&self, own: &Attacks, enemy: &Attacks) -> i32 {
        let SideView { board, side, .. } = *self;
        let king = board.king(side);
        let occupied = board.occupied();
        let attack = enemy.king_attack;

        let [knights, bishops, rooks, _] = own.pieces;
        let weak = enemy.all & !(own.strong(enemy) | knights | bishops | rooks);
        let weak_squares = (ring(king) & weak).len() as i32;

        // Squares from which a check would not be answered by a capture.
        let safe = !own.all | (weak & enemy.twice);
        let behind_queens = occupied ^ self.own(Piece::Queen);
        let straight = get_rook_moves(king, behind_queens);
        let diagonal = get_bishop_moves(king, behind_queens);
        let mut units = 0;
        let mut unsafe_checks = BitBoard::EMPTY;
        let checks = [get_knight_moves(king), diagonal, straight, diagonal | straight];
        for (n, from) in checks.into_iter().enumerate() {
            let from = from & enemy.pieces[n] & !board.colors(!side);
            if !(from & safe).is_empty() {
                units += CHECK[n];
            } else if n < 3 {
                unsafe_checks |= from;
            }
        }

        let queens = self.enemies(Piece::Queen);
        let pinners = get_rook_rays(king) & (self.enemies(Piece::Rook) | queens)
            | get_bishop_rays(king) & (self.enemies(Piece::Bishop) | queens);
        let pinned = pinners.iter().filter(|&pinner| (get_between_rays(king, pinner) & occupied).len() == 1);

        units
            + attack.attackers * attack.weight
            + ADJACENT * attack.adjacent as i32
            + WEAK * weak_squares
            + UNSAFE_CHECK * unsafe_checks.len() as i32
            + PINNED * pinned.count() as i32
            + if (own.king & self.own(Piece::Knight)).is_empty() { 0 } else { DEFENDER }
    }
}
