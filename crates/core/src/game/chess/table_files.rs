//! The files of Syzygy tables: which exist, and whether they are complete.
//!
//! The prober maps them into memory and trusts what it reads there, so that a damaged file may crash it.
//! [`TableFiles::find`] refuses files of the wrong size or header ([`table_header`](super::table_header)).
//! The checksum at the end of a file is not verified: large tables would take minutes.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::io::{self, BufReader, Read, Seek};
use std::path::{Component, Path, PathBuf};

use cozy_chess::{Board, Color as Side, Piece};

use super::super::TablesError;
use super::table_header::least_size;
use crate::input;

/// The maximum number of men of a table.
const MAX_MEN: usize = 7;

/// The pieces of a table besides the kings, in the order of file names.
const PIECES: [(Piece, char); 5] =
    [(Piece::Queen, 'Q'), (Piece::Rook, 'R'), (Piece::Bishop, 'B'), (Piece::Knight, 'N'), (Piece::Pawn, 'P')];

/// The index of the pawn in [`PIECES`].
const PAWN: usize = 4;

/// A kind of table.
struct Kind {
    /// The extension of its files.
    extension: &'static str,
    /// The first bytes of its files.
    magic: [u8; 4],
    /// Whether it has results; otherwise it has distances.
    has_results: bool,
}

/// Tables of results: win, draw or loss.
const WDL: Kind = Kind { extension: "rtbw", magic: [0x71, 0xE8, 0x23, 0x5D], has_results: true };

/// Tables of the plies to the next capture or pawn move.
const DTZ: Kind = Kind { extension: "rtbz", magic: [0xD7, 0x66, 0x0C, 0xA5], has_results: false };

/// Bytes of a block of a table.
const BLOCK: u64 = 64;

/// bytes of the checksum after the blocks.
const CHECKSUM: u64 = 16;

/// How many pieces of each kind there are besides the kings, of White and of Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Material([[u8; PIECES.len()]; 2]);

impl Material {
    /// The material of a board.
    pub(super) fn of(board: &Board) -> Material {
        let count = |side, piece| board.colored_pieces(side, piece).len() as u8;
        Material([Side::White, Side::Black].map(|side| PIECES.map(|(piece, _)| count(side, piece))))
    }

    /// The material of a table by its name, such as `KRPvKR`; `None` where no table has the name.
    fn parse(name: &str) -> Option<Material> {
        let (one, other) = name.split_once('v')?;
        let count = |side: &str| PIECES.map(|(_, letter)| side.matches(letter).count() as u8);
        let material = Material([count(one), count(other)]);
        (material.name() == name && (3..=MAX_MEN).contains(&material.men())).then_some(material)
    }

    /// The name of the table with this material. The stronger side comes first.
    fn name(self) -> String {
        let mut sides = self.0;
        sides.sort_by_key(|side| std::cmp::Reverse((side.iter().sum::<u8>(), *side)));
        let side = |counts: [u8; PIECES.len()]| {
            let pieces = PIECES.iter().zip(counts);
            pieces.fold("K".to_owned(), |side, (&(_, letter), count)| {
                side + &letter.to_string().repeat(count.into())
            })
        };
        sides.map(side).join("v")
    }

    /// The number of men, kings included.
    pub(super) fn men(self) -> usize {
        2 + self.0.iter().flatten().map(|&count| usize::from(count)).sum::<usize>()
    }

    /// The pawns of White and of Black.
    pub(super) fn pawns(self) -> [u8; 2] {
        self.0.map(|side| side[PAWN])
    }

    /// The same with the colours exchanged.
    fn reversed(self) -> Material {
        let Material([white, black]) = self;
        Material([black, white])
    }

    /// The material after each capture or promotion, except bare kings.
    fn successors(self) -> Vec<Material> {
        let mut successors = Vec::new();
        for (side, piece) in (0..2).flat_map(|side| (0..PIECES.len()).map(move |piece| (side, piece))) {
            if self.0[side][piece] == 0 {
                continue;
            }
            let mut without = self;
            without.0[side][piece] -= 1;
            successors.extend((without.men() > 2).then_some(without));
            if piece == PAWN {
                successors.extend((0..PAWN).map(|promotion| {
                    let mut promoted = without;
                    promoted.0[side][promotion] += 1;
                    promoted
                }));
            }
        }
        successors
    }
}

/// The tables that can be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TableFiles {
    /// The folders, as the prober takes them.
    pub(super) folders: String,
    /// The maximum number of men of a table.
    pub(super) most_men: usize,
    /// Materials with tables of results, for themselves and for all that captures and promotions lead to.
    pub(super) wdl: HashSet<Material>,
    /// Materials with tables of distances.
    pub(super) dtz: HashSet<Material>,
}

impl TableFiles {
    /// Looks for tables in a list of folders, which are separated as the system separates paths.
    pub(super) fn find(path: &str) -> Result<TableFiles, TablesError> {
        let [mut wdl, mut dtz] = [HashSet::new(), HashSet::new()];
        let mut folders = Vec::new();
        for folder in env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty()) {
            let found = in_folder(&folder, &WDL, &mut wdl)? + in_folder(&folder, &DTZ, &mut dtz)?;
            if found == 0 {
                return Err(TablesError::Empty { path: folder });
            }
            folders.push(for_prober(&folder)?);
        }
        let wdl = complete(&wdl)?;
        let most_men = wdl.iter().map(|material| material.men()).max();
        let most_men = most_men.ok_or_else(|| TablesError::Empty { path: path.into() })?;
        Ok(TableFiles { folders: folders.join(":"), most_men, wdl, dtz })
    }
}

/// Adds the materials of the tables of a kind in a folder, under both colours. The number of files.
fn in_folder(folder: &Path, kind: &Kind, found: &mut HashSet<Material>) -> Result<usize, TablesError> {
    let failed = |error| TablesError::Io { path: folder.to_owned(), error };
    let mut count = 0;
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_stem().and_then(|stem| stem.to_str());
        let is_of_kind = path.extension().is_some_and(|extension| extension == kind.extension);
        if let Some(material) = name.filter(|_| is_of_kind).and_then(Material::parse) {
            check(&path, material, kind)?;
            found.extend([material, material.reversed()]);
            count += 1;
        }
    }
    Ok(count)
}

/// Checks that a file may be the table of a material by its first bytes, its size and its header.
fn check(path: &Path, material: Material, kind: &Kind) -> Result<(), TablesError> {
    let problem = problem(path, material, kind);
    match problem.map_err(|error| TablesError::Io { path: path.to_owned(), error })? {
        Some(problem) => Err(TablesError::Damaged { path: path.to_owned(), problem }),
        None => Ok(()),
    }
}

/// The problem of a file, if any.
fn problem(path: &Path, material: Material, kind: &Kind) -> io::Result<Option<&'static str>> {
    let mut file = BufReader::new(input::open(path)?);
    let size = file.get_ref().metadata()?.len();
    if size < BLOCK || size % BLOCK != CHECKSUM {
        return Ok(Some("its size is not a multiple of 64 bytes and a checksum of 16"));
    }
    let mut magic = [0; 4];
    file.read_exact(&mut magic)?;
    if magic != kind.magic {
        return Ok(Some("its first bytes are not those of such a table"));
    }
    file.rewind()?;
    let least = least_size(file, material, kind.has_results)?;
    let is_large_enough = least.is_some_and(|least| least + CHECKSUM <= size);
    Ok((!is_large_enough).then_some("its header and its size do not fit"))
}

/// The path of a folder for the prober, which takes `:` for the end of a path on every system.
fn for_prober(folder: &Path) -> Result<String, TablesError> {
    // The drive need not be named if it is the current one.
    let drive = |path: &Path| {
        path.components()
            .next()
            .filter(|part| matches!(part, Component::Prefix(_)))
            .map(|part| part.as_os_str().to_owned())
    };
    let is_current = env::current_dir().is_ok_and(|current| drive(&current) == drive(folder));
    let without_drive = |part: &Component| !(is_current && matches!(part, Component::Prefix(_)));
    let path: PathBuf = folder.components().filter(without_drive).collect();
    let text = path.to_str().filter(|text| !text.contains(':'));
    text.map(str::to_owned).ok_or_else(|| TablesError::Path { path: folder.to_owned() })
}

/// The materials of which all successors are complete, too.
fn complete(found: &HashSet<Material>) -> Result<HashSet<Material>, TablesError> {
    let mut materials: Vec<_> = found.iter().copied().collect();
    // Captures leave fewer men, promotions fewer pawns.
    materials.sort_by_key(|material| (material.men(), material.pawns().iter().sum::<u8>()));
    let mut complete = HashSet::new();
    let mut incomplete = None;
    for material in materials {
        match material.successors().into_iter().find(|successor| !complete.contains(successor)) {
            None => _ = complete.insert(material),
            Some(missing) => _ = incomplete.get_or_insert((material, missing)),
        }
    }
    match incomplete {
        Some((table, missing)) if complete.is_empty() => {
            Err(TablesError::Incomplete { table: table.name(), missing: missing.name() })
        }
        _ => Ok(complete),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_files() {
        for name in ["KQvK", "KRPvKR", "KQvKP", "KBBvKN", "KPPPvKPP", "KQQvKRR", "KRvKB"] {
            let material = Material::parse(name).unwrap();
            assert_eq!((material.name().as_str(), material.reversed().name().as_str()), (name, name));
            assert_eq!(material.men(), name.len() - 1);
        }
        for name in ["KvK", "KvKQ", "KPvKQ", "KBRvK", "KQKvK", "KQvKv", "QvK", "KQQQvKQQQ", "kqvk", "KQ", ""]
        {
            assert_eq!(Material::parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_table_needs_those_behind_captures_and_promotions() {
        let set = |names: &[&str]| -> HashSet<Material> {
            let materials = names.iter().map(|name| Material::parse(name).unwrap());
            materials.flat_map(|material| [material, material.reversed()]).collect()
        };
        let pieces = set(&["KQvK", "KRvK", "KBvK", "KNvK"]);
        let lacks_knight = set(&["KQvK", "KRvK", "KBvK", "KPvK", "KQvKQ", "KQvKR", "KQvKP"]);
        let rest = set(&["KQvK", "KRvK", "KBvK", "KQvKQ", "KQvKR"]);
        assert_eq!(complete(&pieces).unwrap(), pieces);
        assert_eq!(complete(&lacks_knight).unwrap(), rest);
        let error = complete(&set(&["KPvK"])).unwrap_err().to_string();
        assert!(error.starts_with("table KPvK needs K"), "{error}");
    }
}
