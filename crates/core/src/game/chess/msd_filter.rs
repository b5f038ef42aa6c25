//! Move ratings for minimax selective deepening: `H_D` of "Minimax Selective Deepening", §2.2.

use cozy_chess::{BitBoard, Board, Color as Side, Move, Piece, Square};

use super::super::msd::{GOOD, REPEATS, WINS, is_last_repetition};
use super::super::{Game, GameHistory, Knowledge, MsdTerms};
use super::classical::phase;
use super::exchange::attackers;
use super::rules::{Chess, ChessMove};

/// A tenth of the paper's values of pawn, knight, bishop, rook, queen and king.
const VALUES: [i32; Piece::NUM] = [1, 3, 3, 5, 9, 0];

/// Appends the rating of each of some legal moves, in hundredths.
///
/// θ counts the moves gained: those that the player would have if it moved again, less those that it has now.
/// A move that gives check gains none, as no null move is allowed in check.
pub(super) fn msd_ratings(
    position: &Chess,
    moves: &[ChessMove],
    terms: &MsdTerms,
    history: &GameHistory<Chess>,
    ratings: &mut Vec<i32>,
) {
    let board = position.board();
    let before = position.count_moves() as i32;
    let (us, occupied) = (board.side_to_move(), board.occupied());
    let phase = phase(board);
    let by_phase = |start: i32, end: Option<i32>| {
        let end = f64::from(end.unwrap_or(start));
        (f64::from(start) * phase + end * (1.0 - phase)).round() as i32
    };
    let theta = by_phase(terms.theta, terms.theta_end);
    let gamma = by_phase(terms.gamma, terms.gamma_end);
    ratings.extend(moves.iter().map(|&mv| {
        let ChessMove(Move { from, to, .. }) = mv;
        let child = position.after(mv);
        let gives_check = child.in_check();
        if terms.win && gives_check && child.is_terminal() {
            return WINS;
        }
        let occupied_after = occupied ^ from.bitboard() | to.bitboard();
        let exposed = is_attacked(board, to, !us, occupied_after);
        if (terms.capture && position.is_tactical(mv))
            || (terms.escape && !exposed && is_attacked(board, from, !us, occupied))
        {
            return GOOD;
        }
        if terms.repetition && is_last_repetition(&child, history) {
            return REPEATS;
        }
        if terms.exposure && exposed {
            return -GOOD;
        }
        let after = child.after_null_move().map_or(before, |again| again.count_moves() as i32);
        let piece = board.piece_on(from).map_or(0, |piece| VALUES[piece as usize]);
        theta * (after - before) + gamma * piece
    }));
}

/// Whether a player attacks a square, given the occupied squares. A piece on the square does not attack it.
fn is_attacked(board: &Board, square: Square, by: Side, occupied: BitBoard) -> bool {
    !attackers(board, square, occupied).is_disjoint(board.colors(by))
}
