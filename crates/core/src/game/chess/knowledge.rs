//! The knowledge of chess for searches, evaluations and nets.

use cozy_chess::{
    BitBoard, Board, Color as Side, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};

use super::super::zobrist::mixed;
use super::super::{
    Color, EncodingShape, FeatureSet, Game, GameHistory, InputShape, Knowledge, MsdFacts, MsdGains,
    Perspective, PlaneGroup,
};
#[cfg(has_tables)]
use super::super::{SharedTables, TablesError};
use super::classical::phase;
use super::rules::{Chess, ChessMove, append, en_passant_target};
#[cfg(has_tables)]
use super::syzygy;
use super::{encoding, exchange, features, inputs, msd_filter, polyglot};

/// The MVV-LVA penalty for each step in the value of the capturing piece, in thousandths of a pawn.
const ATTACKER_PENALTY: i32 = 10;

/// Odd random factors of [`hash`].
const HASH_FACTORS: [u64; 4] =
    [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x27D4_EB2F_1656_67C5];

impl Knowledge for Chess {
    /// Player, piece and target square.
    const MOVE_KINDS: usize = 2 * 6 * 64;

    /// The captured piece, and no piece for a promotion.
    const CAPTURE_KINDS: usize = Piece::NUM;

    /// The correction keys: the pawns, the other pieces of White, those of Black.
    const CORRECTION_KEYS: usize = 3;

    const KEY_HISTORY: bool = true;

    /// Whether the squares from and to are attacked.
    const THREAT_BUCKETS: usize = 4;

    fn threats(&self) -> u64 {
        attacked_by(self.board(), !self.board().side_to_move()).0
    }

    fn threat_bucket(ChessMove(mv): ChessMove, threats: u64) -> usize {
        let is_attacked = |square: Square| (threats >> square as u64 & 1) as usize;
        2 * is_attacked(mv.from) + is_attacked(mv.to)
    }

    /// Captures and promotions to a queen.
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
        self.pawn_moves(true, moves);
        // The generator checks the safety of all squares around the king, which seldom can capture.
        let king = board.king(us);
        let idle = if get_king_moves(king).is_disjoint(enemies) { king.bitboard() } else { BitBoard::EMPTY };
        board.generate_moves_for(!(pawns | idle), |mut piece| {
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
        self.pawn_moves(false, moves);
        board.generate_moves_for(!pawns, |mut piece| {
            piece.to &= !enemies;
            append(piece, moves);
            false
        });
    }

    /// MVV-LVA: the material won; among captures of the same piece, the less valuable attacker comes first.
    fn capture_value(&self, ChessMove(mv): ChessMove) -> i32 {
        let piece = self.board().piece_on(mv.from).map_or(0, |piece| piece as i32);
        exchange::material_gain(self.board(), mv) - ATTACKER_PENALTY * piece
    }

    fn see_ge(&self, ChessMove(mv): ChessMove, threshold: i32) -> bool {
        exchange::see_ge(self.board(), mv, threshold)
    }

    fn move_kind(&self, ChessMove(mv): ChessMove) -> usize {
        let piece = self.board().piece_on(mv.from).map_or(0, |piece| piece as usize);
        (self.side_to_move().index() * Piece::NUM + piece) * 64 + mv.to as usize
    }

    /// The kings, which are never captured, stand for no capture.
    fn capture_kind(&self, ChessMove(mv): ChessMove) -> usize {
        exchange::captured(self.board(), mv).unwrap_or(Piece::King) as usize
    }

    fn correction_key(&self, index: usize) -> u64 {
        let board = self.board();
        let pawns = board.pieces(Piece::Pawn);
        match index {
            0 => hash(board, pawns),
            1 => hash(board, board.colors(Side::White) & !pawns),
            _ => hash(board, board.colors(Side::Black) & !pawns),
        }
    }

    const FINE_REDUCTIONS: bool = true;
    const HINDSIGHT: bool = true;

    fn in_check(&self) -> bool {
        !self.board().checkers().is_empty()
    }

    fn null_move(&self) -> Option<Self> {
        self.after_null_move()
    }

    /// True if the side to move has only its king and pawns.
    fn may_be_zugzwang(&self) -> bool {
        let board = self.board();
        let simple = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
        board.colors(board.side_to_move()).is_subset(simple)
    }

    /// True if the side to move has only its king.
    fn cannot_win(&self) -> bool {
        let board = self.board();
        board.colors(board.side_to_move()).is_subset(board.pieces(Piece::King))
    }

    fn msd_facts(&self, mv: ChessMove, child: &Chess, history: &GameHistory<Chess>) -> MsdFacts {
        msd_filter::facts(self, mv, child, history)
    }

    fn msd_gains(&self, mv: ChessMove, child: &Chess) -> Option<MsdGains> {
        Some(msd_filter::gains(self, mv, child))
    }

    fn msd_phase(&self) -> f64 {
        phase(self.board())
    }

    #[cfg(has_tables)]
    const TABLES_OPTION: Option<&'static str> = Some("SyzygyPath");

    #[cfg(has_tables)]
    fn open_tables(tables: &mut Option<SharedTables<Chess>>, path: &str) -> Result<(), TablesError> {
        syzygy::open(tables, path)
    }

    #[cfg(has_tables)]
    const TABLES_HAVE_OPTIONS: bool = true;

    const HAS_BOOKS: bool = true;

    fn book_key(&self) -> u64 {
        polyglot::key(self)
    }

    fn book_move(&self, bits: u16) -> Option<ChessMove> {
        polyglot::parse_move(self, bits)
    }

    const SETS: &'static [FeatureSet] = features::SETS;

    #[inline]
    fn features(&self, set: usize, visit: impl FnMut(usize, f64)) {
        features::features(self, set, visit);
    }

    #[inline]
    fn weigh(&self, set: usize, weights: &[f64]) -> f64 {
        features::weigh(self, set, weights)
    }

    const ENCODING_VERSION: u32 = encoding::ENCODING_VERSION;

    const PLANE_GROUPS: &'static [PlaneGroup] = encoding::PLANE_GROUPS;

    fn encoding_shape(&self) -> EncodingShape {
        encoding::SHAPE
    }

    fn write_planes(&self, occurrences: usize, planes: &mut [f32]) {
        encoding::write_planes(self, occurrences, planes);
    }

    fn policy_indices(&self, mv: ChessMove) -> impl Iterator<Item = usize> {
        encoding::policy_indices(self, mv)
    }

    type InputPlanes = inputs::InputPlanes;

    const INPUTS_VERSION: u32 = inputs::INPUTS_VERSION;

    const BUCKETS: u8 = inputs::BUCKETS;

    fn input_shape(&self) -> InputShape {
        inputs::SHAPE
    }

    #[inline]
    fn input_planes(&self) -> inputs::InputPlanes {
        inputs::input_planes(self)
    }

    #[inline]
    fn perspective(&self, player: Color) -> Perspective {
        inputs::perspective(self, player)
    }

    fn input_index(board: InputShape, perspective: Perspective, plane: usize, bit: usize) -> Option<usize> {
        inputs::input_index(board, perspective, plane, bit)
    }

    fn input_name(&self, plane: usize, bit: usize) -> String {
        inputs::input_name(plane, bit)
    }

    #[inline]
    fn material(&self) -> (usize, usize) {
        inputs::material(self)
    }
}

/// A hash of the pieces on some squares, for which sums of products are good enough.
fn hash(board: &Board, squares: BitBoard) -> u64 {
    let rooks = board.pieces(Piece::Rook);
    let parts = [
        board.colors(Side::White),
        board.pieces(Piece::Knight) | rooks,
        board.pieces(Piece::Bishop) | rooks,
        board.pieces(Piece::King) | rooks,
    ];
    let products = parts.into_iter().zip(HASH_FACTORS);
    mixed(
        products
            .map(|(part, factor)| (part & squares).0.wrapping_mul(factor))
            .fold(squares.0, u64::wrapping_add),
    )
}

impl Chess {
    /// Appends the moves of pawns that are tactical, or those that are quiet.
    #[inline]
    fn pawn_moves(&self, tactical: bool, moves: &mut Vec<ChessMove>) {
        let board = self.board();
        let us = board.side_to_move();
        let last_rank = Rank::Eighth.relative_to(us).bitboard();
        let passed = en_passant_target(board).map_or(BitBoard::EMPTY, Square::bitboard);
        let captures = board.colors(!us) | passed;
        let targets = if tactical { captures } else { !captures };
        board.generate_moves_for(board.colored_pieces(us, Piece::Pawn), |mut piece| {
            if piece.to.is_disjoint(last_rank) {
                piece.to &= targets;
                append(piece, moves);
            } else {
                let promotions = piece.into_iter().map(ChessMove);
                moves.extend(promotions.filter(|&mv| self.is_tactical(mv) == tactical));
            }
            false
        });
    }
}

/// The squares that a player attacks.
fn attacked_by(board: &Board, attacker: Side) -> BitBoard {
    let occupied = board.occupied();
    let pieces = |piece| board.colored_pieces(attacker, piece);
    let queens = pieces(Piece::Queen);
    let pawns = pieces(Piece::Pawn).into_iter().map(|from| get_pawn_attacks(from, attacker));
    let knights = pieces(Piece::Knight).into_iter().map(get_knight_moves);
    let kings = pieces(Piece::King).into_iter().map(get_king_moves);
    let diagonals = (pieces(Piece::Bishop) | queens).into_iter();
    let diagonals = diagonals.map(|from| get_bishop_moves(from, occupied));
    let lines = (pieces(Piece::Rook) | queens).into_iter().map(|from| get_rook_moves(from, occupied));
    let attacks = pawns.chain(knights).chain(kings).chain(diagonals).chain(lines);
    attacks.fold(BitBoard::EMPTY, |all, attacked| all | attacked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threats_are_what_the_opponent_may_capture_on() {
        // The bishop is behind its pawn, the rook protects the knight.
        let position = Chess::from_fen("r3k3/8/n7/4p3/3b4/8/8/4K3 w q - 0 1").unwrap();
        let threats = position.threats();
        let attacked: Vec<_> = BitBoard(threats).into_iter().map(|square| square.to_string()).collect();
        let mut expected: Vec<_> = "a6 a7 b8 c8 d8 e8 d7 e7 f7 f8 b4 c5 c7 b6 a7 e5 c3 b2 a1 e3 f2 g1 d4 f4"
            .split_whitespace()
            .collect();
        expected.sort_by_key(|text| text.parse::<Square>().unwrap() as usize);
        expected.dedup();
        assert_eq!(attacked, expected);
        let danger = |text| Chess::threat_bucket(position.parse_move(text).unwrap(), threats);
        assert_eq!([danger("e1d1"), danger("e1e2")], [0, 0]);
        let position = Chess::from_fen("4k3/8/8/8/8/1b6/2R5/4K3 w - - 0 1").unwrap();
        let danger = |text| Chess::threat_bucket(position.parse_move(text).unwrap(), position.threats());
        assert_eq!(["e1e2", "c2a2", "c2b2"].map(danger), [0, 3, 2]);
        let position = Chess::from_fen("4k3/8/8/8/8/1b6/7R/4K3 w - - 0 1").unwrap();
        let danger = |text| Chess::threat_bucket(position.parse_move(text).unwrap(), position.threats());
        assert_eq!(["h2c2", "h2d2"].map(danger), [1, 0]);
    }
}
