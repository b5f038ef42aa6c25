//! The inputs for efficiently updatable nets: the three kinds of own pieces and of the opponent's and the
//! prizes on 35 squares, and the leads in points of the player and of the opponent, in thermometer encoding.

use super::super::fen::square_name;
use super::super::{Color, InputShape, Perspective};
use super::board::{FILES, Kind, RANKS};
use super::rules::{POINT, TucChess};

const SQUARES: usize = FILES * RANKS;

/// Planes of a player's pieces.
const KINDS: usize = Kind::ALL.len();

// The planes after the pieces of White and Black.
const PRIZES: usize = 2 * KINDS;
const WHITE_LEADS: usize = PRIZES + 1;
const BLACK_LEADS: usize = PRIZES + 2;

/// Levels of a lead: any lead, then half a point and each point more.
const LEVELS: usize = 24;

/// Tenths of a point.
const TENTHS: usize = POINT as usize;

/// Pieces of both players at the start.
const ALL_PIECES: usize = 20;

impl TucChess {
    /// The levels that the lead of a player reaches.
    fn lead_levels(&self, player: Color) -> u128 {
        let tenths = i32::from(self.points(player)) - i32::from(self.points(!player));
        match usize::try_from(tenths) {
            Ok(tenths @ 1..) => (1 << (1 + (tenths + TENTHS / 2) / TENTHS).min(LEVELS)) - 1,
            _ => 0,
        }
    }
}

/// The version of the inputs.
pub(super) const INPUTS_VERSION: u32 = 1;

/// White's pieces, Black's pieces, prizes, White's lead, Black's lead.
pub(super) type InputPlanes = [u128; BLACK_LEADS + 1];

/// The sizes of the inputs.
pub(super) const SHAPE: InputShape =
    InputShape { files: FILES, ranks: RANKS, inputs: WHITE_LEADS * SQUARES + 2 * LEVELS };

#[inline]
pub(super) fn input_planes(position: &TucChess) -> [u128; BLACK_LEADS + 1] {
    std::array::from_fn(|plane| match plane {
        PRIZES => position.prizes().into(),
        WHITE_LEADS => position.lead_levels(Color::White),
        BLACK_LEADS => position.lead_levels(Color::Black),
        _ => {
            let owner = if plane < KINDS { Color::White } else { Color::Black };
            position.pieces(owner, Kind::ALL[plane % KINDS]).into()
        }
    })
}

pub(super) fn input_index(
    _: InputShape,
    perspective: Perspective,
    plane: usize,
    bit: usize,
) -> Option<usize> {
    let is_black = perspective.player == Color::Black;
    if plane >= WHITE_LEADS {
        let is_other = (plane == BLACK_LEADS) != is_black;
        return (bit < LEVELS).then_some(SQUARES * WHITE_LEADS + LEVELS * usize::from(is_other) + bit);
    }
    if bit >= SQUARES {
        return None;
    }
    let (file, rank) = (bit % FILES, bit / FILES);
    let file = if perspective.mirrored { FILES - 1 - file } else { file };
    let rank = if is_black { RANKS - 1 - rank } else { rank };
    let plane = if is_black && plane < PRIZES { (plane + KINDS) % PRIZES } else { plane };
    Some(SQUARES * plane + FILES * rank + file)
}

pub(super) fn input_name(plane: usize, bit: usize) -> String {
    match ["P", "R", "K", "p", "r", "k", "*"].get(plane) {
        Some(letter) => format!("{letter} {}", square_name(bit % FILES, bit / FILES)),
        None => {
            let player = if plane == WHITE_LEADS { Color::White } else { Color::Black };
            format!("{player} leads, level {bit}")
        }
    }
}

#[inline]
pub(super) fn material(position: &TucChess) -> (usize, usize) {
    (position.occupied().count_ones() as usize, ALL_PIECES)
}
