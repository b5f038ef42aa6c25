//! Minimax selective deepening: what the terms of `H_D` ask ("Minimax Selective Deepening", §2.2).

use cozy_chess::{BitBoard, Board, Color as Side, File, Move, Piece, Square};

use super::super::msd::is_last_repetition;
use super::super::{Game, GameHistory, Knowledge, MsdFacts, MsdGains};
use super::exchange::{attackers, captured};
use super::rules::{Chess, ChessMove};

/// A tenth of the paper's values of pawn, knight, bishop, rook, queen and king.
const VALUES: [i32; Piece::NUM] = [1, 3, 3, 5, 9, 0];

/// What holds for a move.
pub(super) fn facts(
    position: &Chess,
    mv: ChessMove,
    child: &Chess,
    history: &GameHistory<Chess>,
) -> MsdFacts {
    let ChessMove(Move { from, to, .. }) = mv;
    let board = position.board();
    let (us, occupied) = (board.side_to_move(), board.occupied());
    // The square that is entered, and what is occupied then. Castling is a move of the king to its rook.
    let (entered, after) = match board.colors(us).has(to) {
        true => {
            let files = if to.file() > from.file() { [File::G, File::F] } else { [File::C, File::D] };
            let [king, rook] = files.map(|file| Square::new(file, from.rank()));
            let left = from.bitboard() | to.bitboard();
            (king, (occupied & !left) | king.bitboard() | rook.bitboard())
        }
        false => (to, occupied ^ from.bitboard() | to.bitboard()),
    };
    let exposed = is_attacked(board, entered, !us, after);
    MsdFacts {
        wins: child.in_check() && child.is_terminal(),
        captures: captured(board, mv.0).is_some() || position.is_tactical(mv),
        escapes: !exposed && is_attacked(board, from, !us, occupied),
        repeats: is_last_repetition(child, history),
        exposed,
    }
}

/// What a move gains. A move that gives check gains no moves, as no null move is allowed in check.
pub(super) fn gains(position: &Chess, mv: ChessMove, child: &Chess) -> MsdGains {
    let board = position.board();
    MsdGains {
        next_moves: child.after_null_move().map(|again| again.count_moves()),
        piece: board.piece_on(mv.0.from).map_or(0, |piece| VALUES[piece as usize]),
    }
}

/// Whether a player attacks a square, given the occupied squares. A piece on the square does not attack it.
fn is_attacked(board: &Board, square: Square, by: Side, occupied: BitBoard) -> bool {
    !attackers(board, square, occupied).is_disjoint(board.colors(by))
}
