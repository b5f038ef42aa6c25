//! The knowledge of Neighbours for searches, evaluations and nets.

use super::super::zobrist::mixed;
use super::super::{
    Color, EncodingShape, FeatureSet, Game, InputShape, Knowledge, Perspective, PlaneGroup, Symmetry,
};
#[cfg(has_tables)]
use super::super::{EndgamesVisitor, SharedTables, TablesError};
#[cfg(has_tables)]
use super::endgames::{self, NeighboursEndgames};
use super::rules::{Neighbours, NeighboursMove};
use super::{encoding, features, inputs};

/// No null moves: a player without a move loses, so passing may be the best move.
impl Knowledge for Neighbours {
    /// Player and target square.
    const MOVE_KINDS: usize = 2 * 64;

    /// The correction keys: the pieces of White, those of Black.
    const CORRECTION_KEYS: usize = 2;

    /// Captures.
    fn is_tactical(&self, mv: NeighboursMove) -> bool {
        self.of(!self.side_to_move()) & 1 << mv.to != 0
    }

    fn tactical_moves(&self, moves: &mut Vec<NeighboursMove>) {
        self.moves_to(self.of(!self.side_to_move()), moves);
    }

    fn quiet_moves(&self, moves: &mut Vec<NeighboursMove>) {
        self.moves_to(!self.occupied(), moves);
    }

    fn move_kind(&self, mv: NeighboursMove) -> usize {
        self.side_to_move().index() * 64 + usize::from(mv.to)
    }

    fn correction_key(&self, index: usize) -> u64 {
        mixed(self.of(Color::BOTH[index]))
    }

    #[cfg(has_tables)]
    const TABLES_OPTION: Option<&'static str> = Some("TablePath");

    #[cfg(has_tables)]
    fn open_tables(tables: &mut Option<SharedTables<Neighbours>>, path: &str) -> Result<(), TablesError> {
        endgames::open(tables, path)
    }

    #[cfg(has_tables)]
    fn visit_endgames<V: EndgamesVisitor>(visitor: V) -> Option<V::Output> {
        Some(visitor.visit(&NeighboursEndgames))
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

    fn policy_indices(&self, mv: NeighboursMove) -> impl Iterator<Item = usize> {
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
