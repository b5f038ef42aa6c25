//! The inputs for efficiently updatable nets: amazons, arrows, and for each empty square how soon each player
//! reaches it, as a small net cannot learn distances. Their number depends on the size of the board.

use super::super::fen::square_name;
use super::super::{Color, InputShape, Perspective};
use super::board::MAX_SIZE;
use super::rules::Amazons;
use super::zones::{DISTANCES, LEADS, Zones};

// The planes after the amazons of White and Black.
const ARROWS: usize = 2;
/// One plane for each pair of queen distances, White's and Black's.
const QUEENS: usize = ARROWS + 1;
/// The leads of White and of Black by king moves.
const KINGS: usize = QUEENS + DISTANCES * DISTANCES;
const PLANES: usize = KINGS + 2 * LEADS;

/// The version of the inputs.
pub(super) const INPUTS_VERSION: u32 = 2;

pub(super) type InputPlanes = [u128; PLANES];

pub(super) fn input_shape(position: &Amazons) -> InputShape {
    let (files, ranks) = position.size();
    InputShape { files, ranks, inputs: PLANES * files * ranks }
}

#[inline]
pub(super) fn input_planes(position: &Amazons) -> [u128; PLANES] {
    let amazons = Color::BOTH.map(|player| position.of(player));
    let zones = Zones::new(amazons, position.empty());
    let mut planes = [0; PLANES];
    planes[..ARROWS].copy_from_slice(&amazons);
    planes[ARROWS] = position.arrows();
    for (white, &near) in zones.queens[0].iter().enumerate() {
        for (black, &far) in zones.queens[1].iter().enumerate() {
            planes[QUEENS + DISTANCES * white + black] = near & far;
        }
    }
    planes[KINGS..].copy_from_slice(zones.kings.as_flattened());
    planes
}

pub(super) fn input_index(
    board: InputShape,
    perspective: Perspective,
    plane: usize,
    bit: usize,
) -> Option<usize> {
    let InputShape { files, ranks, .. } = board;
    let (file, rank) = (bit % MAX_SIZE, bit / MAX_SIZE);
    if file >= files || rank >= ranks {
        return None;
    }
    let file = if perspective.mirrored { files - 1 - file } else { file };
    let (plane, rank) = match perspective.player {
        Color::White => (plane, rank),
        Color::Black => (other_side(plane), ranks - 1 - rank),
    };
    Some((plane * ranks + rank) * files + file)
}

pub(super) fn input_name(plane: usize, bit: usize) -> String {
    let what = match plane {
        0..=ARROWS => ["Q", "q", "*"][plane].to_owned(),
        QUEENS..KINGS => {
            let [white, black] = pair(plane).map(|distance| ["1", "2", "3", "-"][distance]);
            format!("{white}:{black}")
        }
        _ => ["K", "KK", "k", "kk"][plane - KINGS].to_owned(),
    };
    format!("{what} {}", square_name(bit % MAX_SIZE, bit / MAX_SIZE))
}

/// The empty squares: arrows only become more.
#[inline]
pub(super) fn material(position: &Amazons) -> (usize, usize) {
    let (files, ranks) = position.size();
    (position.empty().count_ones() as usize, files * ranks)
}

/// White's and Black's distance of a plane of queen distances.
fn pair(plane: usize) -> [usize; 2] {
    [(plane - QUEENS) / DISTANCES, (plane - QUEENS) % DISTANCES]
}

/// The plane that has for Black what `plane` has for White.
fn other_side(plane: usize) -> usize {
    match plane {
        0..ARROWS => 1 - plane,
        ARROWS => ARROWS,
        QUEENS..KINGS => {
            let [white, black] = pair(plane);
            QUEENS + DISTANCES * black + white
        }
        _ => KINGS + (plane - KINGS + LEADS) % (2 * LEADS),
    }
}
