//! The interface between policy/value nets and a game: planes of a position, indices of moves.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Color, Knowledge, quote};

/// The sizes of an encoding, which depend on the board, and the planes of the encoding that a net has as its
/// input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncodingShape {
    /// Files of the board.
    pub files: usize,
    /// Ranks of the board.
    pub ranks: usize,
    /// Planes of a position; each has one number for each square.
    pub input_planes: usize,
    /// Planes of the policy; each has one number for each square.
    pub policy_planes: usize,
    /// Which planes of the encoding the input planes are. Files have it as names, beside the sizes.
    #[serde(skip)]
    pub selection: PlaneSelection,
}

impl EncodingShape {
    /// The sizes of an encoding on a board, with all planes of these groups.
    pub const fn new(
        (files, ranks): (usize, usize),
        groups: &[PlaneGroup],
        policy_planes: usize,
    ) -> EncodingShape {
        let (mut input_planes, mut index) = (0, 0);
        while index < groups.len() {
            input_planes += groups[index].planes;
            index += 1;
        }
        EncodingShape { files, ranks, input_planes, policy_planes, selection: PlaneSelection::ALL }
    }

    /// Squares of the board.
    pub const fn squares(self) -> usize {
        self.files * self.ranks
    }

    /// Numbers of a position.
    pub const fn input_len(self) -> usize {
        self.input_planes * self.squares()
    }

    /// Indices of moves.
    pub const fn policy_len(self) -> usize {
        self.policy_planes * self.squares()
    }

    /// The sizes with the selected ones of all input planes.
    pub fn select(self, selection: PlaneSelection) -> EncodingShape {
        let input_planes = match selection.is_all() {
            true => self.input_planes,
            false => selection.ranges().map(|planes| planes.len()).sum(),
        };
        EncodingShape { input_planes, selection, ..self }
    }

    /// Writes the input planes of a position, [`EncodingShape::input_len`] numbers that are 0 before.
    /// `occurrences` says how often the position has occurred in the game, 1 where it is new.
    pub fn write_planes(self, position: &impl Knowledge, occurrences: usize, planes: &mut [f32]) {
        if self.selection.is_all() {
            return position.write_planes(occurrences, planes);
        }
        let mut all = vec![0.0; position.encoding_shape().input_len()];
        position.write_planes(occurrences, &mut all);
        let mut begin = 0;
        for range in self.selection.ranges() {
            let range = range.start * self.squares()..range.end * self.squares();
            planes[begin..][..range.len()].copy_from_slice(&all[range.clone()]);
            begin += range.len();
        }
    }
}

/// A group of planes of an encoding, such as the pieces or a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneGroup {
    /// Its name.
    pub name: &'static str,
    /// The number of its planes.
    pub planes: usize,
}

/// The groups of planes that a net has as its input: all by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaneSelection {
    /// All groups of the encoding, in the order of their planes; empty if all are selected.
    groups: &'static [PlaneGroup],
    /// The selected ones, a bit for each.
    selected: u32,
}

/// An error in a selection of planes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlanesError {
    /// The encoding has no group of this name.
    #[error("unknown planes {}, expected {expected}", quote(.name))]
    Unknown {
        /// The name.
        name: String,
        /// The names of all groups.
        expected: String,
    },
    /// A group is named twice.
    #[error("the planes `{name}` are named twice")]
    Repeated {
        /// Its name.
        name: String,
    },
    /// No group is named.
    #[error("no planes, expected some of {expected}")]
    Empty {
        /// The names of all groups.
        expected: String,
    },
}

impl PlaneSelection {
    /// All planes.
    pub const ALL: PlaneSelection = PlaneSelection { groups: &[], selected: 0 };

    /// The groups of these names among those of a game, [`Knowledge::PLANE_GROUPS`]. The planes stay in the
    /// order of the encoding.
    ///
    /// # Errors
    /// [`PlanesError`] says that a name is unknown or repeated, or that there is none.
    pub fn new(groups: &'static [PlaneGroup], names: &[String]) -> Result<PlaneSelection, PlanesError> {
        let expected = || match groups {
            [] => "all, as this game has no groups of planes".to_owned(),
            _ => groups.iter().map(|group| quote(group.name)).collect::<Vec<_>>().join(", "),
        };
        let mut selected = 0_u32;
        for name in names {
            let unknown = || PlanesError::Unknown { name: name.clone(), expected: expected() };
            let place = groups.iter().position(|group| group.name == name).ok_or_else(unknown)?;
            if selected & 1 << place != 0 {
                return Err(PlanesError::Repeated { name: name.clone() });
            }
            selected |= 1 << place;
        }
        match selected.count_ones() as usize {
            0 => Err(PlanesError::Empty { expected: expected() }),
            all if all == groups.len() => Ok(PlaneSelection::ALL),
            _ => Ok(PlaneSelection { groups, selected }),
        }
    }

    /// Whether all planes are selected.
    pub const fn is_all(self) -> bool {
        self.selected == 0
    }

    /// The names of the selected groups; `None` if all planes are selected.
    pub fn names(self) -> Option<Vec<String>> {
        (!self.is_all()).then(|| self.ranges_by_name().map(|(name, _)| name.to_owned()).collect())
    }

    /// The selected planes; none if all are.
    fn ranges(self) -> impl Iterator<Item = Range<usize>> {
        self.ranges_by_name().map(|(_, planes)| planes)
    }

    /// The selected groups with their planes.
    fn ranges_by_name(self) -> impl Iterator<Item = (&'static str, Range<usize>)> {
        let mut end = 0;
        let ranges = self.groups.iter().map(move |group| {
            end += group.planes;
            (group.name, end - group.planes..end)
        });
        ranges.enumerate().filter(move |(place, _)| self.selected & 1 << place != 0).map(|(_, range)| range)
    }
}

impl fmt::Display for PlaneSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().map_or_else(|| "all".to_owned(), |names| names.join(", ")))
    }
}

/// A symmetry of the rules, as permutations of squares and policy indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    squares: Vec<usize>,
    indices: Vec<usize>,
}

impl Symmetry {
    /// The symmetry that changes nothing.
    pub fn identity(shape: EncodingShape) -> Symmetry {
        Symmetry { squares: (0..shape.squares()).collect(), indices: (0..shape.policy_len()).collect() }
    }

    /// The image of a policy index.
    pub fn index(&self, index: usize) -> usize {
        self.indices[index]
    }

    /// The planes of the symmetrical position.
    pub fn planes(&self, planes: &[f32]) -> Vec<f32> {
        let mut turned = vec![0.0; planes.len()];
        let squares = self.squares.len();
        for (plane, turned) in planes.chunks_exact(squares).zip(turned.chunks_exact_mut(squares)) {
            for (value, &square) in plane.iter().zip(&self.squares) {
                turned[square] = *value;
            }
        }
        turned
    }
}

/// A symmetry of the board: files and ranks are mirrored, then exchanged with each other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BoardSymmetry {
    files: bool,
    ranks: bool,
    exchange: bool,
}

impl BoardSymmetry {
    /// The symmetries of rules that distinguish up from down, but not left from right.
    pub(super) const LEFT_RIGHT: [BoardSymmetry; 2] = [
        BoardSymmetry { files: false, ranks: false, exchange: false },
        BoardSymmetry { files: true, ranks: false, exchange: false },
    ];

    /// The symmetries of rules without directions: eight on a square board, four on another.
    pub(super) fn all(shape: EncodingShape) -> Vec<BoardSymmetry> {
        let exchanges: &[bool] = if shape.files == shape.ranks { &[false, true] } else { &[false] };
        let mirrors = [(false, false), (true, false), (false, true), (true, true)];
        let turn = |exchange| mirrors.map(|(files, ranks)| BoardSymmetry { files, ranks, exchange });
        exchanges.iter().copied().flat_map(turn).collect()
    }

    /// The symmetry of an encoding whose policy planes are sets of directions, each with `distances`
    /// distances.
    pub(super) fn symmetry(self, shape: EncodingShape, distances: usize) -> Symmetry {
        let turned = |[file, rank]: [isize; 2]| if self.exchange { [rank, file] } else { [file, rank] };
        let square = |square: usize| {
            let mirrored = |place, length, mirror| if mirror { length - 1 - place } else { place };
            let file = mirrored(square % shape.files, shape.files, self.files);
            let rank = mirrored(square / shape.files, shape.ranks, self.ranks);
            let [file, rank] = turned([file as isize, rank as isize]);
            rank as usize * shape.files + file as usize
        };
        let direction = |direction: usize| {
            let [file, rank] = parts_of_direction(direction);
            let mirrored = |part: isize, mirror| if mirror { -part } else { part };
            direction_of_parts(turned([mirrored(file, self.files), mirrored(rank, self.ranks)]))
        };
        let index = |index: usize| {
            let (plane, place) = (index / shape.squares(), index % shape.squares());
            let (set, distance) = (plane / distances, plane % distances);
            let set = set / DIRECTIONS * DIRECTIONS + direction(set % DIRECTIONS);
            (distances * set + distance) * shape.squares() + square(place)
        };
        Symmetry {
            squares: (0..shape.squares()).map(square).collect(),
            indices: (0..shape.policy_len()).map(index).collect(),
        }
    }
}

/// The number of directions of [`Orientation::step`].
pub(super) const DIRECTIONS: usize = 8;

/// The number of the direction of a step, by the signs of its files and ranks: 0 is south west, 7 north east.
fn direction_of_parts([file, rank]: [isize; 2]) -> usize {
    // The fifth of nine would be no step.
    let number = (3 * (rank + 1) + file + 1) as usize;
    number - usize::from(number > 4)
}

/// The inverse of [`direction_of_parts`].
fn parts_of_direction(direction: usize) -> [isize; 2] {
    let number = (direction + usize::from(direction >= 4)) as isize;
    [number % 3 - 1, number / 3 - 1]
}

/// A board from the side of a player, who plays up the board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Orientation {
    files: usize,
    ranks: usize,
    player: Color,
}

impl Orientation {
    /// The board of an encoding, for a player.
    pub(super) fn new(shape: EncodingShape, player: Color) -> Orientation {
        Orientation { files: shape.files, ranks: shape.ranks, player }
    }

    /// The index of a square of the real board.
    pub(super) fn square(self, file: usize, rank: usize) -> usize {
        let rank = match self.player {
            Color::White => rank,
            Color::Black => self.ranks - 1 - rank,
        };
        rank * self.files + file
    }

    /// Direction, below [`DIRECTIONS`], and length of a step between two different squares, given by their
    /// indices, along a file, a rank or a diagonal.
    pub(super) fn step(self, from: usize, to: usize) -> (usize, usize) {
        let part = |one: usize, other: usize| (other as isize - one as isize).signum();
        let (from_file, from_rank) = (from % self.files, from / self.files);
        let (to_file, to_rank) = (to % self.files, to / self.files);
        let direction = direction_of_parts([part(from_file, to_file), part(from_rank, to_rank)]);
        let length = from_file.abs_diff(to_file).max(from_rank.abs_diff(to_rank));
        (direction, length)
    }

    /// The index of a number on a plane.
    pub(super) fn on_plane(self, plane: usize, square: usize) -> usize {
        plane * self.files * self.ranks + square
    }
}

/// Planes that are being written.
pub(super) struct PlaneWriter<'a> {
    /// The board from the side to move.
    pub(super) orientation: Orientation,
    planes: &'a mut [f32],
}

impl<'a> PlaneWriter<'a> {
    /// A writer of the planes of a position.
    pub(super) fn new(position: &impl Knowledge, planes: &'a mut [f32]) -> PlaneWriter<'a> {
        PlaneWriter {
            orientation: Orientation::new(position.encoding_shape(), position.side_to_move()),
            planes,
        }
    }

    /// Sets a square of the real board to 1.
    pub(super) fn mark(&mut self, plane: usize, file: usize, rank: usize) {
        let index = self.orientation.on_plane(plane, self.orientation.square(file, rank));
        self.planes[index] = 1.0;
    }

    /// Sets all squares of a plane.
    pub(super) fn fill(&mut self, plane: usize, value: f32) {
        let squares = self.orientation.files * self.orientation.ranks;
        self.planes[plane * squares..][..squares].fill(value);
    }
}
