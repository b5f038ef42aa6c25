//! The knowledge of TUC-CHESS for searches, evaluations and nets.

use super::super::zobrist::mixed;
use super::super::{
    Color, EncodingShape, FeatureSet, Game, InputShape, Knowledge, Perspective, PlaneGroup, Symmetry,
};
use super::board::{Kind, last_rank, squares};
use super::rules::{MEAN_PRIZE, POINT, TucChess, TucMove};
use super::{encoding, features, inputs};

/// The penalty of a capture for each point of the capturing piece, in thousandths of a point.
const ATTACKER_PENALTY: i32 = 10;

/// No null moves: they cost some 50 Elo.
impl Knowledge for TucChess {
    /// Player, piece and target square.
    const MOVE_KINDS: usize = 2 * 3 * 64;

    /// Nothing, a pawn, a rook and a king.
    const CAPTURE_KINDS: usize = 4;

    /// The correction keys: the pieces of White, those of Black.
    const CORRECTION_KEYS: usize = 2;

    const KEY_HISTORY: bool = true;

    /// Moves that score: captures, prizes, and pawns that leave the board.
    fn is_tactical(&self, mv: TucMove) -> bool {
        let is_pawn = self.pieces(self.side_to_move(), Kind::Pawn) & 1 << mv.from != 0;
        self.scoring(if is_pawn { Kind::Pawn } else { Kind::King }) & 1 << mv.to != 0
    }

    fn tactical_moves(&self, moves: &mut Vec<TucMove>) {
        self.each_piece(|kind, from, targets| {
            moves.extend(squares(targets & self.scoring(kind)).map(|to| TucMove::new(from, to)));
        });
    }

    fn quiet_moves(&self, moves: &mut Vec<TucMove>) {
        self.each_piece(|kind, from, targets| {
            moves.extend(squares(targets & !self.scoring(kind)).map(|to| TucMove::new(from, to)));
        });
    }

    /// The points that the move scores; among those of the same points, the less valuable piece comes first.
    fn capture_value(&self, mv: TucMove) -> i32 {
        let (us, to) = (self.side_to_move(), 1 << mv.to);
        let captured = self.kind_on(!us, to).map_or(0, Kind::points) * POINT;
        let prize = if self.prizes() & to != 0 { MEAN_PRIZE } else { 0 };
        let moved = self.kind_on(us, 1 << mv.from).unwrap_or(Kind::Pawn);
        let leaves = if moved == Kind::Pawn && to & last_rank(us) != 0 { POINT } else { 0 };
        i32::from(captured + prize + leaves) * 1000 / i32::from(POINT)
            - ATTACKER_PENALTY * i32::from(moved.points())
    }

    fn move_kind(&self, mv: TucMove) -> usize {
        let piece = self.kind_on(self.side_to_move(), 1 << mv.from).map_or(0, |kind| kind as usize);
        (self.side_to_move().index() * 3 + piece) * 64 + usize::from(mv.to)
    }

    fn capture_kind(&self, mv: TucMove) -> usize {
        self.kind_on(!self.side_to_move(), 1 << mv.to).map_or(0, |kind| kind as usize + 1)
    }

    fn correction_key(&self, index: usize) -> u64 {
        let [pawns, rooks, kings] = Kind::ALL.map(|kind| self.pieces(Color::BOTH[index], kind));
        mixed(pawns ^ mixed(rooks ^ mixed(kings)))
    }

    const FINE_REDUCTIONS: bool = true;

    /// The "singular extensions" of the report's minimax: capture the king when possible, else defend the
    /// own one when it is attacked. Captures of the more valuable piece are tried first.
    fn rules_of_thumb(&self) -> Option<Vec<TucMove>> {
        let mut moves = self.moves();
        let captured = |mv: &TucMove| self.kind_on(!self.side_to_move(), 1 << mv.to);
        moves.sort_by_key(|mv| std::cmp::Reverse(captured(mv).map_or(0, Kind::points)));
        let wins = |mv: &TucMove| captured(mv) == Some(Kind::King);
        let is_safe = |mv: &TucMove| {
            let child = self.after(*mv);
            !child.attacks_king()
        };
        if moves.iter().any(wins) {
            moves.retain(wins);
        } else if moves.iter().any(is_safe) {
            // Otherwise it must not move onto an attacked square.
            moves.retain(is_safe);
        }
        Some(moves)
    }

    const SETS: &'static [FeatureSet] = features::SETS;

    #[inline]
    fn features(&self, set: usize, visit: impl FnMut(usize, f64)) {
        features::features(self, set, visit);
    }

    const ENCODING_VERSION: u32 = encoding::ENCODING_VERSION;

    const PLANE_GROUPS: &'static [PlaneGroup] = encoding::PLANE_GROUPS;

    fn encoding_shape(&self) -> EncodingShape {
        encoding::SHAPE
    }

    fn write_planes(&self, occurrences: usize, planes: &mut [f32]) {
        encoding::write_planes(self, occurrences, planes);
    }

    fn policy_indices(&self, mv: TucMove) -> impl Iterator<Item = usize> {
        encoding::policy_indices(self, mv)
    }

    fn symmetries(&self) -> Vec<Symmetry> {
        encoding::symmetries()
    }

    type InputPlanes = inputs::InputPlanes;

    const INPUTS_VERSION: u32 = inputs::INPUTS_VERSION;

    const MIRRORS: bool = true;

    fn input_shape(&self) -> InputShape {
        inputs::SHAPE
    }

    #[inline]
    fn input_planes(&self) -> inputs::InputPlanes {
        inputs::input_planes(self)
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
