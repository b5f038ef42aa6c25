//! The knowledge of Amazons for searches, evaluations and nets.

use super::super::zobrist::mixed;
use super::super::{
    Color, EncodingShape, FeatureSet, Game, InputShape, Knowledge, Perspective, PlaneGroup, Symmetry,
};
use super::board::{reach, squares};
use super::rules::{Amazons, AmazonsMove};
use super::{encoding, features, inputs};

/// Amazon moves whose arrows are generated with one, two, and three or more plies left to search.
const MAX_AMAZON_MOVES: [usize; 3] = [6, 10, 16];

impl Knowledge for Amazons {
    /// The correction keys: the amazons of White, those of Black.
    const CORRECTION_KEYS: usize = 2;

    /// There are none, as nothing is captured.
    fn tactical_moves(&self, _moves: &mut Vec<AmazonsMove>) {}

    fn quiet_moves(&self, moves: &mut Vec<AmazonsMove>) {
        self.legal_moves(moves);
    }

    fn correction_key(&self, index: usize) -> u64 {
        let amazons = self.of(Color::BOTH[index]);
        mixed(amazons as u64 ^ mixed((amazons >> 64) as u64))
    }

    /// The start position has 2176 moves, all quiet.
    const ORDERS_BY_STATIC_EVAL: bool = true;

    /// Moves whose first half, the move of the amazon, has one of the best static evaluations.
    fn moves_by_static_eval(
        &self,
        depth: i32,
        static_eval: &mut impl FnMut(&Self) -> i32,
        moves: &mut Vec<(AmazonsMove, i32)>,
    ) {
        let limit = MAX_AMAZON_MOVES[(depth.max(1) as usize - 1).min(MAX_AMAZON_MOVES.len() - 1)];
        let mut amazon_moves = Vec::with_capacity(64);
        for from in squares(self.of(self.side_to_move())) {
            amazon_moves.extend(squares(reach(from, self.empty())).map(|to| (0, from, to)));
        }
        if amazon_moves.len() > limit {
            for (eval, from, to) in &mut amazon_moves {
                *eval = static_eval(&self.moved(*from, *to));
            }
            // The sort is stable: equal ones keep the generator's order.
            amazon_moves.sort_by_key(|(eval, ..)| std::cmp::Reverse(*eval));
            amazon_moves.truncate(limit);
        }
        for (_, from, to) in amazon_moves {
            moves.extend(squares(reach(to, self.empty() | 1 << from)).map(|arrow| {
                let mv = AmazonsMove { from, to, arrow };
                let child = self.after(mv);
                (mv, static_eval(&child))
            }));
        }
    }

    /// Allowed while the players are in contact. After that every move costs its player a square, and a null
    /// move would be better than any move.
    fn null_move(&self) -> Option<Self> {
        self.in_contact().then(|| self.passed())
    }

    /// Leaves are evaluated statically: random playouts hardly tell positions apart.
    const PLAYOUT_PLIES: Option<u32> = Some(0);

    const SETS: &'static [FeatureSet] = features::SETS;

    #[inline]
    fn features(&self, set: usize, visit: impl FnMut(usize, f64)) {
        features::features(self, set, visit);
    }

    const ENCODING_VERSION: u32 = encoding::ENCODING_VERSION;

    const PLANE_GROUPS: &'static [PlaneGroup] = encoding::PLANE_GROUPS;

    fn encoding_shape(&self) -> EncodingShape {
        encoding::encoding_shape(self)
    }

    fn write_planes(&self, occurrences: usize, planes: &mut [f32]) {
        encoding::write_planes(self, occurrences, planes);
    }

    fn policy_indices(&self, mv: AmazonsMove) -> impl Iterator<Item = usize> {
        encoding::policy_indices(self, mv)
    }

    fn symmetries(&self) -> Vec<Symmetry> {
        encoding::symmetries(self)
    }

    type InputPlanes = inputs::InputPlanes;

    const INPUTS_VERSION: u32 = inputs::INPUTS_VERSION;

    const MIRRORS: bool = true;

    fn input_shape(&self) -> InputShape {
        inputs::input_shape(self)
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
