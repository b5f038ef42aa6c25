//! Endgames of Neighbours: their positions as numbers, and the tables that are built of them.
//!
//! Both colours have the same rules, so a position consists of the pieces of the side to move and those of
//! the opponent. Its number is `class · columns + column`: the class of the opponent's pieces ([`sets`]),
//! then the number of the own pieces on the squares that are left, after the symmetry that takes the
//! opponent's pieces to the representative. Where that is kept by several symmetries, the least of the
//! numbers counts. All positions from which moves lead to a position are in one row of this table, because
//! the pieces of the side to move have not moved.
//!
//! **Draws.** A capture sets the halfmove clock to 0 and cannot be taken back, so tables are built from few
//! pieces to many, and each has the plies to the next capture or to the end of the game (distance to
//! conversion, DTC). With D plies to go, the player wins if and only if clock + D ≤ 100: the last ply is
//! played in a position whose clock is below 100, and an end without moves takes precedence over the draw. A
//! lower clock never harms the winner, so the shortest win decides, and the results are exact for every
//! clock. A win that takes more than 100 plies is a draw, also after captures.
//!
//! **Repetition.** Along the shortest win D falls with every ply, so no position occurs twice, and repetition
//! never helps the winner. The results are therefore exact wherever no position since the last capture has
//! occurred twice. Where one has, the winner avoids it: see [`tables`].

mod sets;
mod tables;

use std::fmt;
use std::sync::Arc;

use self::sets::{Class, Sets, choose, expand, image, image_of, rank, squeeze};
use super::super::{Color, Endgames, Game, Initial, SharedTables, TableResult, TablesError};
use super::attacks::{self, NeighbourCounts, squares};
use super::rules::Neighbours;

/// The pieces of the side to move and of the opponent, one or more each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Material {
    own: usize,
    other: usize,
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.own, self.other)
    }
}

/// The pieces of the side to move, and those of the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pieces {
    own: u64,
    other: u64,
}

impl Pieces {
    fn of(position: &Neighbours) -> Pieces {
        let stm = position.side_to_move();
        Pieces { own: position.of(stm), other: position.of(!stm) }
    }

    /// The material; `None` if no table has it.
    fn material(self) -> Option<Material> {
        let [own, other] = [self.own, self.other].map(|set| set.count_ones() as usize);
        let is_tabled = |count| (1..=sets::MAX_PIECES).contains(&count);
        (is_tabled(own) && is_tabled(other)).then_some(Material { own, other })
    }

    /// The number of the position in the table of its material, which has one.
    #[inline]
    fn number(self) -> u64 {
        Row::of(self.other, self.own.count_ones() as usize).number(|symmetry| image(self.own, symmetry))
    }

    /// Whether the number that the position would have stands for it. The opponent's pieces are a
    /// representative with these symmetries.
    fn is_first(self, class: &Class) -> bool {
        let column = |symmetry| rank(squeeze(image(self.own, symmetry), self.other));
        class.symmetries.is_trivial() || class.symmetries.iter().all(|symmetry| column(symmetry) >= column(0))
    }
}

/// The positions of a table with the same pieces of the opponent.
#[derive(Clone, Copy)]
struct Row {
    class: Class,
    /// Maps the opponent's pieces to the representative.
    symmetry: usize,
    /// The number of the first position.
    first: u64,
}

impl Row {
    /// The row of the opponent's pieces in the table with `own` pieces of the side to move.
    #[inline]
    fn of(other: u64, own: usize) -> Row {
        let count = other.count_ones() as usize;
        let sets = Sets::of(count);
        let (class, symmetry) = sets.class_of(other);
        Row { class: sets.classes[class], symmetry, first: class as u64 * choose(64 - count, own) }
    }

    /// The number of a position in the row. `own` gives the images of its pieces under symmetries.
    #[inline]
    fn number(&self, own: impl Fn(usize) -> u64) -> u64 {
        let Class { representative, symmetries } = self.class;
        let own = own(self.symmetry);
        let column = |own| rank(squeeze(own, representative));
        let column = match symmetries.is_trivial() {
            true => column(own),
            false => symmetries.iter().map(|symmetry| column(image(own, symmetry))).min().unwrap_or(0),
        };
        self.first + column as u64
    }
}

/// The endgames of Neighbours, for retrograde analysis.
#[derive(Debug)]
pub(super) struct NeighboursEndgames;

impl NeighboursEndgames {
    /// The pieces of the position with a number, with their class; `None` if it is unused.
    #[inline]
    fn pieces(&self, material: Material, number: u64) -> Option<(Pieces, &'static Class)> {
        let columns = choose(64 - material.other, material.own);
        let class = &Sets::of(material.other).classes[(number / columns) as usize];
        let column = (number % columns) as usize;
        let other = class.representative;
        let own = expand(Sets::of(material.own).by_number[column], other);
        let pieces = Pieces { own, other };
        pieces.is_first(class).then_some((pieces, class))
    }
}

impl Endgames for NeighboursEndgames {
    type Game = Neighbours;
    type Material = Material;

    fn materials(&self, a_side: usize, in_all: usize) -> Option<Vec<Material>> {
        if a_side > sets::MAX_PIECES {
            return None;
        }
        let sides = (1..=a_side).flat_map(|own| (1..=a_side).map(move |other| Material { own, other }));
        let mut materials: Vec<_> =
            sides.filter(|material| material.own + material.other <= in_all).collect();
        materials
            .sort_by_key(|material| (material.own + material.other, material.own.abs_diff(material.other)));
        Some(materials)
    }

    fn after_reversible(&self, material: Material) -> Material {
        Material { own: material.other, other: material.own }
    }

    fn after_irreversible(&self, material: Material) -> Option<Material> {
        (material.other > 1).then(|| Material { own: material.other - 1, other: material.own })
    }

    fn numbers(&self, material: Material) -> u64 {
        Sets::of(material.other).classes.len() as u64 * choose(64 - material.other, material.own)
    }

    fn position(&self, material: Material, number: u64) -> Option<Neighbours> {
        let (Pieces { own, other }, _) = self.pieces(material, number)?;
        Some(Neighbours::new([own, other], Color::White, 0, 1))
    }

    fn initial(
        &self,
        material: Material,
        number: u64,
        result_after: &impl Fn(u64) -> TableResult,
    ) -> Initial {
        let Some((Pieces { own, other }, class)) = self.pieces(material, number) else {
            return Initial::Unused;
        };
        let occupied = own | other;
        let reach = attacks::reach(own, occupied, &NeighbourCounts::new(occupied));
        let all = reach.iter().fold(0, |all, targets| all | targets);
        if all == 0 {
            return Initial::Decided(TableResult::Loss(0));
        }
        let mut may_lose = true;
        if all & other != 0 {
            for from in squares(own) {
                for to in squares(attacks::targets(from, occupied) & other) {
                    let (own, other) = (own & !(1 << from) | 1 << to, other & !(1 << to));
                    let result = match other {
                        0 => TableResult::Loss(0),
                        _ => result_after(Pieces { own: other, other: own }.number()),
                    };
                    match result {
                        TableResult::Loss(_) => return Initial::Decided(TableResult::Win(1)),
                        TableResult::Draw => may_lose = false,
                        TableResult::Win(_) => (),
                    }
                }
            }
        }
        let mut moves: u32 = reach.iter().map(|targets| (targets & !other).count_ones()).sum();
        if !class.symmetries.is_trivial() {
            // A symmetric position stands for fewer positions than others, and so do its moves: each counts
            // with the ratio.
            let after = |from: u32| {
                let targets = attacks::targets(from, occupied) & !occupied;
                squares(targets).map(move |to| own & !(1 << from) | 1 << to)
            };
            let weight: u32 = squares(own).flat_map(after).map(|own| class.symmetries.of(own).count()).sum();
            moves = weight / class.symmetries.of(own).count();
        }
        match moves {
            0 if may_lose => Initial::Decided(TableResult::Loss(1)),
            0 => Initial::Decided(TableResult::Draw),
            _ => Initial::Open { moves: moves as u8, may_lose },
        }
    }

    #[inline]
    fn predecessors(&self, material: Material, number: u64, each: &mut impl FnMut(u64)) {
        let Some((Pieces { own, other }, _)) = self.pieces(material, number) else { return };
        // The opponent has moved one of its pieces, and had `own` for its opponent.
        let row = Row::of(own, material.other);
        for to in squares(other) {
            let rest = other & !(1 << to);
            for from in squares(attacks::origins(to, own | rest)) {
                each(row.number(|symmetry| image(rest, symmetry) | image_of(from, symmetry)));
            }
        }
    }
}

/// Opens the tables of a folder, see [`Knowledge::open_tables`](super::super::Knowledge).
pub(super) fn open(tables: &mut Option<SharedTables<Neighbours>>, path: &str) -> Result<(), TablesError> {
    *tables = Some(Arc::new(tables::open(path)?));
    Ok(())
}
