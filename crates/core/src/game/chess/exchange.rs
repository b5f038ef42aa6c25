//! Capture values and static exchange evaluation (SEE).

use super::rules::en_passant_target;
use cozy_chess::{
    BitBoard, Board, Color as Side, Move, Piece, Rank, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_rook_moves,
};

/// Values of pawn, knight, bishop, rook, queen and king in thousandths of a pawn: Larry Kaufman, "The
/// evaluation of material imbalances", 1999, with one value for knight and bishop. The king cannot be
/// captured.
const VALUES: [i32; 6] = [1_000, 3_250, 3_250, 5_000, 9_750, 0];

/// The gain in material of a promotion to a queen.
const QUEENING: i32 = value(Piece::Queen) - value(Piece::Pawn);

const fn value(piece: Piece) -> i32 {
    VALUES[piece as usize]
}

/// The piece that a legal move captures.
pub(super) fn captured(board: &Board, mv: Move) -> Option<Piece> {
    let us = board.side_to_move();
    if board.colors(!us).has(mv.to) {
        return board.piece_on(mv.to);
    }
    is_en_passant(board, mv).then_some(Piece::Pawn)
}

/// Whether a legal move captures en passant.
fn is_en_passant(board: &Board, mv: Move) -> bool {
    Some(mv.to) == en_passant_target(board) && board.pieces(Piece::Pawn).has(mv.from)
}

/// The material that a legal move wins by capture and promotion, in thousandths of a pawn.
pub(super) fn material_gain(board: &Board, mv: Move) -> i32 {
    let promotion = mv.promotion.map_or(0, |piece| value(piece) - value(Piece::Pawn));
    captured(board, mv).map_or(0, value) + promotion
}

/// Static exchange evaluation: whether a legal move wins at least `threshold` thousandths of a pawn. After
/// the move, both sides capture on its target square with their least valuable attacker as long as it pays.
/// X-ray attackers take part; pins are ignored.
pub(super) fn see_ge(board: &Board, mv: Move, threshold: i32) -> bool {
    let us = board.side_to_move();
    if board.colors(us).has(mv.to) {
        // Castling.
        return threshold <= 0;
    }
    // The balance of the player who moved last relative to the threshold.
    let mut margin = material_gain(board, mv) - threshold;
    if margin < 0 {
        return false;
    }
    let Some(moved) = mv.promotion.or_else(|| board.piece_on(mv.from)) else { return false };
    // The value of the piece on the target square.
    let mut at_risk = value(moved);
    // A capture on the last rank may win a promotion besides the piece.
    let queening = [Rank::First, Rank::Eighth].contains(&mv.to.rank());
    let bonus = if queening { QUEENING } else { 0 };
    if margin >= at_risk + bonus {
        return true;
    }

    let mut occupied = (board.occupied() ^ mv.from.bitboard()) | mv.to.bitboard();
    if is_en_passant(board, mv) {
        occupied ^= Square::new(mv.to.file(), mv.from.rank()).bitboard();
    }
    let diagonal = board.pieces(Piece::Bishop) | board.pieces(Piece::Queen);
    let straight = board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    let mut attackers = attackers(board, mv.to, occupied);
    let mut side = !us;
    // `side` captures or accepts the balance of the opponent.
    loop {
        attackers &= occupied;
        let own = attackers & board.colors(side);
        let Some((piece, from)) = least_valuable(board, own) else { return side != us };
        if piece == Piece::King && !(attackers & board.colors(!side)).is_empty() {
            return side != us;
        }
        let queens = piece == Piece::Pawn && queening;
        // One less: a balance of exactly 0 succeeds for the player of the move and fails for the opponent.
        margin = at_risk + if queens { QUEENING } else { 0 } - margin - 1;
        at_risk = value(if queens { Piece::Queen } else { piece });
        if margin < 0 {
            return side != us;
        }
        if margin >= at_risk + bonus {
            return side == us;
        }
        occupied ^= from.bitboard();
        if matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Queen) {
            attackers |= get_bishop_moves(mv.to, occupied) & diagonal;
        }
        if matches!(piece, Piece::Rook | Piece::Queen) {
            attackers |= get_rook_moves(mv.to, occupied) & straight;
        }
        side = !side;
    }
}

/// The pieces of both players that attack a square, given the occupied squares.
pub(super) fn attackers(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let pieces = |piece| board.pieces(piece);
    let pawns = |side: Side| get_pawn_attacks(square, !side) & board.colored_pieces(side, Piece::Pawn);
    pawns(Side::White)
        | pawns(Side::Black)
        | get_knight_moves(square) & pieces(Piece::Knight)
        | get_bishop_moves(square, occupied) & (pieces(Piece::Bishop) | pieces(Piece::Queen))
        | get_rook_moves(square, occupied) & (pieces(Piece::Rook) | pieces(Piece::Queen))
        | get_king_moves(square) & pieces(Piece::King)
}

/// The least valuable of some pieces, with its square.
fn least_valuable(board: &Board, among: BitBoard) -> Option<(Piece, Square)> {
    let find = |piece: Piece| (among & board.pieces(piece)).next_square().map(|square| (piece, square));
    if among.is_empty() { None } else { Piece::ALL.into_iter().find_map(find) }
}
