//! Tables of small regions: upper bounds of their values, kept in a folder.
//!
//! A table has all regions of one size, amazons included, with at least [`LEAST_EMPTY`] empty squares: those
//! with amazons of both players, and the territories of one of them. Regions with fewer empty squares are
//! searched as quickly. Grounds that are equal under translation, rotation and reflection count once.

use std::collections::BTreeSet;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::region_bounds::{Area, MAX_SEARCHED_SQUARES, most_of_sum};
use labrys_core::game::amazons::Amazons;
use labrys_core::game::amazons::board::{SquareSet, squares};
use labrys_core::game::amazons::symmetry::smallest_image;
use labrys_core::game::{Game, TableFile, TableName, TablesError};
use labrys_core::memory::HugeSlice;
use labrys_core::parallel;

use crate::retrograde::write_table;

/// The fewest empty squares of a region in a table.
const LEAST_EMPTY: u32 = MAX_SEARCHED_SQUARES + 1;

/// The squares of the regions of a table, amazons included. With nine, there would be 800 million regions.
const SIZES: RangeInclusive<u32> = LEAST_EMPTY + 1..=8;

/// The tables that have been opened, by the squares of their regions. Their values depend only on the region,
/// so all threads and searches share them.
static TABLES: [OnceLock<RegionTable>; *SIZES.end() as usize + 1] =
    [const { OnceLock::new() }; *SIZES.end() as usize + 1];

/// Whether a table that has been opened has a region.
#[inline]
pub(super) fn has<S: SquareSet>(region: &Area<S>) -> bool {
    table_of(region).is_some()
}

/// The smallest number of moves of a player that a region is not worth more than; `None` if no table has it.
#[inline]
pub(super) fn most<S: SquareSet>(region: &Area<S>, player: usize) -> Option<i32> {
    let table = table_of(region)?;
    let sets = S::on_the_small_board([region.ground(), region.amazons[player], region.empty])?;
    table.most(smallest_image(sets))
}

/// The table that has a region, if it has been opened.
#[inline]
fn table_of<S: SquareSet>(region: &Area<S>) -> Option<&'static RegionTable> {
    if region.empty.count() < LEAST_EMPTY {
        return None;
    }
    TABLES.get(region.ground().count() as usize)?.get()
}

/// Reads the tables of a folder, and builds and writes those that it lacks. Those that are there already stay
/// in use. `false` if it has been stopped; no table is lost then.
///
/// # Errors
/// [`TablesError`] names the file.
pub(super) fn open(folder: &Path, threads: usize, stop: &AtomicBool) -> Result<bool, TablesError> {
    fs::create_dir_all(folder).map_err(|error| TablesError::Io { path: folder.to_owned(), error })?;
    for size in SIZES {
        let table = &TABLES[size as usize];
        if table.get().is_some() {
            continue;
        }
        let Some(opened) = RegionTable::open(folder, size, threads, stop)? else { return Ok(false) };
        // Another thread may have been quicker. Both tables are the same.
        table.get_or_init(|| opened);
    }
    Ok(true)
}

/// The regions of one size.
struct RegionTable {
    /// The grounds in ascending order, each as its smallest image.
    grounds: Vec<u64>,
    occupations: Occupations,
    /// A number for each region, as seen by one of the players: all occupations of the first ground, then
    /// those of the next.
    values: HugeSlice<u8>,
}

impl RegionTable {
    /// Reads the table from a folder, or builds it and writes it there; `None` if it has been stopped.
    fn open(
        folder: &Path,
        size: u32,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Option<RegionTable>, TablesError> {
        let (grounds, occupations) = (grounds(size), Occupations::new(size));
        let name = TableName { game: Amazons::info().name, material: format!("regions-{size}") };
        let path = name.path(folder);
        let values = if path.exists() {
            log::info!("reading `{}`", path.display());
            let len = grounds.len() * occupations.codes.len();
            TableFile::open(folder, &name, len as u64)?.all(threads)?
        } else {
            log::info!("building `{}`", path.display());
            let Some(values) = values(&grounds, &occupations, threads, stop) else { return Ok(None) };
            write_table(folder, &name, &values, threads)?;
            values
        };
        Ok(Some(RegionTable { grounds, occupations, values: HugeSlice::from(&*values) }))
    }

    /// The value of a region by the smallest image of its ground, of a player's amazons and of its empty
    /// squares; `None` where the ground is not connected.
    fn most(&self, [ground, own, empty]: [u64; 3]) -> Option<i32> {
        let index = self.grounds.binary_search(&ground).ok()?;
        let number = self.occupations.number(ground, own, empty)?;
        let value = self.values[index * self.occupations.codes.len() + number];
        Some(i32::from(value as i8))
    }
}

/// The values of all occupations of all grounds; `None` if it has been stopped.
fn values(grounds: &[u64], occupations: &Occupations, threads: usize, stop: &AtomicBool) -> Option<Vec<u8>> {
    let of_ground = |(): &mut (), index: u64| {
        let ground = grounds[index as usize];
        let regions = occupations.codes.iter().map(|&code| region(ground, code));
        (!stop.load(Ordering::Relaxed))
            .then(|| regions.map(|region| most_of_sum(&region, 0) as i8 as u8).collect::<Vec<_>>())
    };
    Some(parallel::in_order(&mut vec![(); threads], 0..grounds.len() as u64, of_ground)?.concat())
}

/// All connected sets of `size` squares, at most eight, as their smallest images, in ascending order.
fn grounds(size: u32) -> Vec<u64> {
    let mut grounds = BTreeSet::from([1]);
    for _ in 1..size {
        let larger = |ground: &u64| {
            // Away from the edges, so that there is room on all sides.
            let ground = ground << 9;
            squares(ground.around() & !ground).map(move |square| smallest_image([ground | 1 << square])[0])
        };
        grounds = grounds.iter().flat_map(larger).collect();
    }
    grounds.into_iter().collect()
}

/// The content of a square of a region, as digits of base 3: an amazon of the player, one of the opponent, or
/// nothing.
const OWN: usize = 0;
const OTHER: usize = 1;
const EMPTY: usize = 2;

/// The ways to occupy a ground, so that enough squares are empty and one is not.
struct Occupations {
    /// The contents of the squares, the lowest one first, as the digits of a number, the last one its units.
    codes: Vec<usize>,
    /// The place in that list of each such number.
    numbers: Vec<Option<u16>>,
}

impl Occupations {
    fn new(size: u32) -> Occupations {
        let all = 3usize.pow(size);
        let is_listed = |code: usize| {
            let empty = digits(code, size).filter(|&digit| digit == EMPTY).count() as u32;
            (LEAST_EMPTY..size).contains(&empty)
        };
        let codes: Vec<_> = (0..all).filter(|&code| is_listed(code)).collect();
        let mut numbers = vec![None; all];
        for (number, &code) in codes.iter().enumerate() {
            numbers[code] = u16::try_from(number).ok();
        }
        Occupations { codes, numbers }
    }

    /// The place of an occupation in the list.
    fn number(&self, ground: u64, own: u64, empty: u64) -> Option<usize> {
        let digit = |square: u8| match 1 << square {
            square if empty & square != 0 => EMPTY,
            square if own & square != 0 => OWN,
            _ => OTHER,
        };
        let code = squares(ground).fold(0, |code, square| 3 * code + digit(square));
        self.numbers[code].map(usize::from)
    }
}

/// The digits of a number, the last one first.
fn digits(code: usize, count: u32) -> impl Iterator<Item = usize> {
    (0..count).scan(code, |rest, _| {
        let digit = *rest % 3;
        *rest /= 3;
        Some(digit)
    })
}

/// A region, its player being White.
fn region(ground: u64, code: usize) -> Area<u64> {
    let mut sets = [0; 3];
    let mut rest = ground;
    for digit in digits(code, ground.count()) {
        let last = 1 << rest.ilog2();
        sets[digit] |= last;
        rest ^= last;
    }
    Area { amazons: [sets[OWN], sets[OTHER]], empty: sets[EMPTY] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_core::game::amazons::symmetry::{in_the_corner, mirror, transpose};

    /// Whether a player who moves first wins a region with `beside` moves of the opponent beside it, or of
    /// its own if negative. By the rules alone.
    fn wins_first(region: &Area<u64>, player: usize, beside: i32) -> bool {
        let other = 1 - player;
        let in_region = region.moves(player).any(|mv| !wins_first(&region.after(player, mv), other, -beside));
        in_region || (beside < 0 && !wins_first(region, other, -(beside + 1)))
    }

    /// The values of the occupations of one ground.
    fn table(ground: u64) -> RegionTable {
        let occupations = Occupations::new(ground.count_ones());
        let values = values(&[ground], &occupations, 1, &AtomicBool::new(false)).unwrap();
        RegionTable { grounds: vec![ground], occupations, values: HugeSlice::from(&*values) }
    }

    #[test]
    fn values_are_those_of_plain_play() {
        let (mut compared, mut wholes) = (0, [0; 2]);
        for size in SIZES {
            let grounds = grounds(size);
            // A step coprime to their numbers, and a sample of each size.
            for index in 0..6 {
                let ground = grounds[(index * 7919) % grounds.len()];
                let table = table(ground);
                for code in table.occupations.codes.iter().copied().step_by(7) {
                    let region = region(ground, code);
                    if region.empty.count() > 5 {
                        continue;
                    }
                    let most = table.most([ground, region.amazons[0], region.empty]).unwrap();
                    assert!(wins_first(&region, 0, most - 1), "{region:?} is not worth {most}, but less");
                    assert!(!wins_first(&region, 0, most), "{region:?} is worth more than {most}");
                    compared += 1;
                    wholes[usize::from(region.owner().is_some())] += 1;
                }
            }
        }
        assert!(compared > 1_000 && wholes.iter().all(|&count| count > 100), "{compared}, {wholes:?}");
    }

    #[test]
    fn grounds_are_all_connected_sets_but_for_images() {
        // Fixed polyplets (A006770) by number of squares, from the images of those that are listed.
        for (size, fixed) in [(1, 1), (2, 4), (3, 20), (4, 110), (5, 638), (6, 3832)] {
            let images = grounds(size).into_iter().flat_map(|ground| {
                let reflected = [ground, ground.swap_bytes()];
                let all = [reflected, reflected.map(mirror)].concat();
                let turned: Vec<_> = all.iter().map(|&set| transpose(set)).collect();
                [all, turned].concat().into_iter().map(|set| in_the_corner([set]).0)
            });
            assert_eq!(images.collect::<BTreeSet<_>>().len(), fixed, "{size} squares");
        }
    }
}
