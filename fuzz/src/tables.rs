//! Endgame tables: those of Labrys, with its tables of regions, and those of chess.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use labrys_core::game::chess::Chess;
use labrys_core::game::neighbours::Neighbours;
use labrys_core::game::{
    Endgames, EndgamesVisitor, Game, GameHistory, Knowledge, SharedTables, TableFile, TableName,
};
use labrys_solver::{TableSummary, TablesListener, TablesRequest, build_tables};

use super::scratch::folder;
use super::{Target, game_and_rest, repair, seeds};

/// The first bytes of a file.
const MAGIC: &[u8] = b"\x89LABTBL\n";

/// Results of the tables of regions that are read.
const RESULTS: usize = 100;

/// A table: its kind, then the file, or its results, which are compressed first.
pub(super) const TABLE: Target = Target {
    name: "table",
    run: table,
    seeds: table_seeds,
    words: &["\u{0}\u{10}\u{0}\u{0}", "neighbours", "amazons", "regions-7", "1v1", "\u{1}\u{0}\u{0}\u{0}"],
};

/// A Syzygy table: the number of its file, then the file. Only files that have not changed are asked for
/// positions: the prober trusts what it reads, and no checksum tells.
pub(super) const SYZYGY: Target = Target { name: "syzygy", run: syzygy, seeds: syzygy_seeds, words: &[] };

/// The table of regions.
fn regions() -> TableName {
    TableName { game: "amazons", material: "regions-7".to_owned() }
}

fn table(data: &[u8]) {
    let Some((kind, rest)) = game_and_rest(data) else { return };
    match kind % 2 {
        0 => regions_table(rest),
        _ => endgame_table(rest),
    }
}

/// The file of an input.
fn file(name: &TableName, data: &[u8]) -> Vec<u8> {
    if !data.starts_with(MAGIC) {
        return TableFile::to_bytes(name, data, 1);
    }
    let mut bytes = data.to_vec();
    repaired(&mut bytes);
    bytes
}

/// Corrects the checksums of a file, as far as its lengths lead.
fn repaired(bytes: &mut [u8]) -> Option<()> {
    let mut at = MAGIC.len() + 4;
    for _ in 0..2 {
        at += 1 + usize::from(*bytes.get(at)?);
    }
    let number =
        |bytes: &[u8], at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    let count = number(bytes, at + 12)?;
    let blocks = at + 16;
    let end = blocks.checked_add(count.checked_mul(8)?)?;
    let mut begin = end.checked_add(4)?;
    for index in 0..count {
        let entry = blocks + 8 * index;
        let length = number(bytes, entry)?;
        let sum = crc32fast::hash(bytes.get(begin..begin.checked_add(length)?)?);
        bytes[entry + 4..entry + 8].copy_from_slice(&sum.to_le_bytes());
        begin += length;
    }
    repair::last_bytes(bytes.get_mut(..end + 4)?);
    Some(())
}

fn regions_table(data: &[u8]) {
    let (folder, name) = (folder(), regions());
    let is_plain = !data.starts_with(MAGIC);
    fs::write(name.path(folder.path()), file(&name, data)).expect("a temporary file");
    let len = if is_plain { data.len() } else { RESULTS };
    let Ok(table) = TableFile::open(folder.path(), &name, len as u64) else {
        assert!(!is_plain, "a table that was just written is refused");
        return;
    };
    let Ok(all) = table.all(1) else { return };
    assert_eq!(all.len(), len);
    assert!(!is_plain || all == data);
    for number in (0..len as u64).step_by(7) {
        assert_eq!(table.get(number).ok().map(|result| result.to_byte()).is_some(), {
            let byte = all[number as usize];
            labrys_core::game::TableResult::from_byte(byte).is_some()
        });
    }
}

/// The tables of one piece a side, one of them replaced, are opened and asked for all their positions.
fn endgame_table(data: &[u8]) {
    let folder = folder();
    let names = built(folder.path());
    let Some((&number, rest)) = data.split_first() else { return };
    let name = &names[usize::from(number) % names.len()];
    fs::write(name.path(folder.path()), file(name, rest)).expect("a temporary file");
    let mut tables: Option<SharedTables<Neighbours>> = None;
    if Neighbours::open_tables(&mut tables, &folder.path().display().to_string()).is_err() {
        return;
    }
    let tables = tables.expect("tables that have been opened");
    for fen in ["8/8/8/8/8/8/1p6/P7 w 0 1", "7p/8/8/8/8/8/8/P7 b 3 1", "8/3p4/8/8/8/8/8/P7 w 90 1"] {
        let position = Neighbours::from_fen(fen).expect("a position");
        let moves = position.moves();
        let _ = (tables.probe(&position), tables.without_clock(&position));
        if let Some(best) = tables.best_moves(&position, &GameHistory::new(), &moves) {
            assert!(!best.moves.is_empty() && best.moves.iter().all(|mv| moves.contains(mv)));
        }
    }
}

/// Builds the tables of one piece a side in a folder.
fn built(folder: &Path) -> Vec<TableName> {
    struct Build<'a>(&'a Path);

    impl EndgamesVisitor for Build<'_> {
        type Output = ();

        fn visit<E: Endgames>(self, endgames: &E) {
            let request = TablesRequest {
                pieces: 1,
                total: 2,
                threads: 1,
                memory: 64 << 20,
                checkpoint: Duration::MAX,
            };
            build_tables(endgames, self.0, request, &AtomicBool::new(false), &mut Nobody)
                .expect("tables of few pieces");
        }
    }

    Neighbours::visit_endgames(Build(folder)).expect("a game with endgames");
    let files = fs::read_dir(folder).expect("a folder").filter_map(Result::ok);
    let names = files.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let material = name.strip_prefix("neighbours-")?.strip_suffix(".table")?.to_owned();
        Some(TableName { game: "neighbours", material })
    });
    let mut names: Vec<_> = names.collect();
    names.sort_by(|one, other| one.material.cmp(&other.material));
    names
}

/// Listens to nothing.
struct Nobody;

impl TablesListener for Nobody {
    fn progress(&mut self, _: &str, _: u8, _: u64, _: u64) {}

    fn table(&mut self, _: &TableSummary, _: bool) {}
}

fn table_seeds() -> Vec<Vec<u8>> {
    let results: Vec<_> = (0..RESULTS as u8).collect();
    let mut all =
        vec![seeds::of_game(0, &results), seeds::of_game(0, TableFile::to_bytes(&regions(), &results, 1))];
    let folder = folder();
    for (number, name) in (0..).zip(built(folder.path())) {
        let bytes = fs::read(name.path(folder.path())).expect("a table");
        all.push(seeds::of_game(1, seeds::of_game(number, bytes)));
    }
    all
}

/// The Syzygy files of the tests.
fn syzygy_files() -> Vec<std::path::PathBuf> {
    [seeds::files("tests/data/syzygy", "rtbw"), seeds::files("tests/data/syzygy", "rtbz")].concat()
}

fn syzygy(data: &[u8]) {
    let Some((number, rest)) = game_and_rest(data) else { return };
    let (folder, files) = (folder(), syzygy_files());
    let chosen = &files[usize::from(number) % files.len()];
    let stem = chosen.file_stem().expect("a file with a name");
    let is_whole = fs::read(chosen).expect("a table") == rest;
    // Both tables of the material, one of them replaced.
    for path in files.iter().filter(|path| path.file_stem() == Some(stem)) {
        let to = folder.path().join(path.file_name().expect("a file with a name"));
        let bytes = if path == chosen { rest.to_vec() } else { fs::read(path).expect("a table") };
        fs::write(to, bytes).expect("a temporary file");
    }
    let mut tables: Option<SharedTables<Chess>> = None;
    if Chess::open_tables(&mut tables, &folder.path().display().to_string()).is_err() {
        return;
    }
    let tables = tables.expect("tables that have been opened");
    if !is_whole {
        return;
    }
    let piece = stem.to_string_lossy()[1..2].to_owned();
    for (square, stm) in [(0, "w"), (1, "b"), (2, "w"), (3, "b")] {
        let file = 1 + square;
        let rank = format!("{file}{piece}{}", 7 - file);
        let fen = format!("k7/8/8/{rank}/8/8/8/2K5 {stm} - - 0 1");
        let Ok(position) = Chess::from_fen(&fen) else { continue };
        let moves = position.moves();
        let _ = tables.probe(&position);
        if let Some(best) = tables.best_moves(&position, &GameHistory::new(), &moves) {
            assert!(!best.moves.is_empty() && best.moves.iter().all(|mv| moves.contains(mv)));
        }
    }
}

fn syzygy_seeds() -> Vec<Vec<u8>> {
    let files = (0..).zip(syzygy_files());
    files.map(|(number, path)| seeds::of_game(number, fs::read(path).expect("a table"))).collect()
}
