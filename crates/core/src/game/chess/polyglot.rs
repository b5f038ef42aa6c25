//! Keys and moves of opening books in the format of Polyglot.

use cozy_chess::{Color as Side, Move, Piece, Square, get_pawn_attacks};

use super::super::Game;
use super::polyglot_numbers::NUMBERS;
use super::rules::{Chess, ChessMove, en_passant_target};

/// Pieces in the order of the numbers; those of Black come first.
const PIECES: [Piece; 6] =
    [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];

/// Pieces that a pawn is promoted to, in the order of their bits in a move.
const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// Where the numbers of the castling rights, of en passant and of the side to move begin.
const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const WHITE_TO_MOVE: usize = 780;

/// The key of a position. An en passant square counts where a pawn attacks it, whether or not the capture is
/// legal.
pub(super) fn key(position: &Chess) -> u64 {
    let board = position.board();
    let us = board.side_to_move();
    let pieces = PIECES.iter().flat_map(|&piece| [Side::Black, Side::White].map(|side| (piece, side)));
    let men = pieces.enumerate().flat_map(|(kind, (piece, side))| {
        board.colored_pieces(side, piece).into_iter().map(move |square| 64 * kind + square as usize)
    });
    let rights = [Side::White, Side::Black].map(|side| board.castle_rights(side));
    let rights = rights.iter().flat_map(|rights| [rights.short, rights.long]);
    let castling = (CASTLING..).zip(rights).filter_map(|(number, right)| right.map(|_| number));
    let attacked = en_passant_target(board).filter(|&to| {
        let pawns = board.colored_pieces(us, Piece::Pawn);
        !get_pawn_attacks(to, !us).is_disjoint(pawns)
    });
    let en_passant = attacked.map(|to| EN_PASSANT + to.file() as usize);
    let white = (us == Side::White).then_some(WHITE_TO_MOVE);
    men.chain(castling).chain(en_passant).chain(white).fold(0, |key, number| key ^ NUMBERS[number])
}

/// The legal move with these bits: the squares to and from, and the promotion. Castling is the king capturing
/// its own rook.
pub(super) fn parse_move(position: &Chess, bits: u16) -> Option<ChessMove> {
    let square = |shift: u16| Square::index(usize::from(bits >> shift & 63));
    let promotion = match usize::from(bits >> 12) {
        0 => None,
        number => Some(*PROMOTIONS.get(number - 1)?),
    };
    let mv = ChessMove(Move { from: square(6), to: square(0), promotion });
    position.is_legal(mv).then_some(mv)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the description of the format.
    #[test]
    fn keys_are_those_of_the_format() {
        for (moves, expected) in [
            ("", 0x463b_9618_1691_fc9c),
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
            ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
            ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
            ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
            ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
        ] {
            let mut position = Chess::start();
            for text in moves.split_whitespace() {
                let mv = position.parse_move(text).unwrap();
                position.play(mv);
            }
            assert_eq!(key(&position), expected, "{moves}");
        }
    }

    #[test]
    fn moves_are_read() {
        let read = |fen: &str, from: u16, to: u16, promotion: u16| {
            let position = Chess::from_fen(fen).unwrap();
            let mv = parse_move(&position, promotion << 12 | from << 6 | to)?;
            Some(position.move_text(mv))
        };
        let castling = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        assert_eq!(read(castling, 4, 7, 0).as_deref(), Some("e1g1"));
        assert_eq!(read(castling, 4, 5, 0).as_deref(), Some("e1f1"));
        assert_eq!(read(castling, 4, 4, 0), None);
        let pawn = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
        assert_eq!(read(pawn, 48, 56, 1).as_deref(), Some("a7a8n"));
        assert_eq!(read(pawn, 48, 56, 4).as_deref(), Some("a7a8q"));
        assert_eq!([0, 5, 7].map(|promotion| read(pawn, 48, 56, promotion)), [None, None, None]);
    }
}
