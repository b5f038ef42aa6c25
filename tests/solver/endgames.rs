//! Endgame tables of Neighbours: building, comparison with plain methods, errors, and use.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use labrys::game::neighbours::Neighbours;
use labrys::game::{
    Endgames, EndgamesVisitor, Game, GameHistory, Knowledge, SharedTables, TableResult, TablesError, Wdl,
};
use labrys::solver::{BuildError, TableSummary, TablesListener, TablesRequest, build_tables};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tempfile::TempDir;

/// Builds tables, with a checkpoint before each step, and stops as soon as the work on some material starts or
/// has come to a distance.
struct Building<'a> {
    folder: &'a Path,
    pieces: usize,
    stop_at: (&'a str, u8),
    stop: Arc<AtomicBool>,
    /// The first distance of the last material.
    first: Option<(String, u8)>,
    /// The finished material.
    tables: Vec<(TableSummary, bool)>,
}

impl TablesListener for Building<'_> {
    fn progress(&mut self, materials: &str, distance: u8, _: u64, _: u64) {
        if self.first.as_ref().is_none_or(|(of, _)| of != materials) {
            self.first = Some((materials.to_owned(), distance));
        }
        if materials == self.stop_at.0 && distance >= self.stop_at.1 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn table(&mut self, summary: &TableSummary, is_new: bool) {
        self.tables.push((summary.clone(), is_new));
    }
}

impl EndgamesVisitor for &mut Building<'_> {
    type Output = Result<Option<()>, BuildError>;

    fn visit<E: Endgames>(self, endgames: &E) -> Self::Output {
        let (folder, pieces, stop) = (self.folder, self.pieces, Arc::clone(&self.stop));
        let checkpoint = Duration::ZERO;
        let request = TablesRequest { pieces, total: 2 * pieces, threads: 2, memory: 1 << 24, checkpoint };
        build_tables(endgames, folder, request, &stop, self)
    }
}

/// Builds tables with `pieces` per side until the work on `stop_at` starts: whether all are finished,
/// and the finished ones, with whether they are new.
fn build(
    folder: &Path,
    pieces: usize,
    stop_at: &str,
) -> Result<(bool, Vec<(TableSummary, bool)>), BuildError> {
    let (is_complete, building) = build_until(folder, pieces, (stop_at, 0))?;
    Ok((is_complete, building.tables))
}

/// The same until that work has come to a distance; with what has been done.
fn build_until<'a>(
    folder: &'a Path,
    pieces: usize,
    stop_at: (&'a str, u8),
) -> Result<(bool, Building<'a>), BuildError> {
    let mut building =
        Building { folder, pieces, stop_at, stop: Arc::default(), first: None, tables: Vec::new() };
    let built = Neighbours::visit_endgames(&mut building).unwrap()?;
    Ok((built.is_some(), building))
}

fn open(folder: &Path) -> Result<SharedTables<Neighbours>, TablesError> {
    let mut tables = None;
    Neighbours::open_tables(&mut tables, folder.to_str().unwrap())?;
    Ok(tables.unwrap())
}

/// New tables with a number of pieces per side.
fn tables(pieces: usize) -> (TempDir, SharedTables<Neighbours>) {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), pieces, "").unwrap();
    let tables = open(folder.path()).unwrap();
    (folder, tables)
}

/// A position with pieces of White and of Black on some squares.
fn position(white: &[usize], black: &[usize], stm: char, clock: usize) -> Neighbours {
    let letter = |square| match square {
        _ if white.contains(&square) => "P",
        _ if black.contains(&square) => "p",
        _ => "1",
    };
    let rank = |rank: usize| (8 * rank..8 * rank + 8).map(letter).collect::<String>();
    let mut board = (0..8).rev().map(rank).collect::<Vec<_>>().join("/");
    for count in (2..=8).rev() {
        board = board.replace(&"1".repeat(count), &count.to_string());
    }
    Neighbours::from_fen(&format!("{board} {stm} {clock} 1")).unwrap()
}

/// A random position with a number of pieces of each colour.
fn random_position(random: &mut StdRng, [white, black]: [usize; 2], clock: usize) -> Neighbours {
    let mut squares = Vec::new();
    while squares.len() < white + black {
        let square = random.random_range(0..64);
        if !squares.contains(&square) {
            squares.push(square);
        }
    }
    let stm = if random.random() { 'w' } else { 'b' };
    position(&squares[..white], &squares[white..], stm, clock)
}

/// The positions after each move, and whether it captures.
fn children(position: &Neighbours) -> Vec<(Neighbours, bool)> {
    let moves = position.moves();
    let child = |mv| {
        let mut child = *position;
        child.play(mv);
        (child, child.halfmove_clock() == 0)
    };
    moves.into_iter().map(child).collect()
}

/// The result of a position by those of its children, with the rules alone: the winner is as quick as
/// possible, the loser as slow.
fn by_children(position: &Neighbours, of: impl Fn(&Neighbours) -> TableResult) -> TableResult {
    let children = children(position);
    let mut quickest = None;
    let mut slowest = Some(0);
    for (child, is_capture) in children {
        let result = if child.is_terminal() { TableResult::Loss(0) } else { of(&child) };
        let distance = |distance: u8| if is_capture { 1 } else { distance + 1 };
        match result {
            TableResult::Loss(plies) => {
                quickest = quickest.into_iter().chain([distance(plies)]).min();
                slowest = None;
            }
            TableResult::Draw => slowest = None,
            TableResult::Win(plies) => slowest = slowest.map(|slowest| slowest.max(distance(plies))),
        }
    }
    match (quickest, slowest) {
        (Some(plies), _) if plies <= 100 => TableResult::Win(plies),
        (None, Some(plies)) if plies <= 100 => TableResult::Loss(plies),
        _ => TableResult::Draw,
    }
}

/// The result of a position by the tables.
fn by_tables(tables: &SharedTables<Neighbours>, position: &Neighbours) -> TableResult {
    let result = tables.without_clock(position).unwrap();
    let expected = match result {
        TableResult::Draw => Wdl::Draw,
        TableResult::Win(_) => Wdl::Win,
        TableResult::Loss(_) => Wdl::Loss,
    };
    assert_eq!(tables.probe(position), Some(expected), "{}", position.fen());
    result
}

/// The plies to conversion.
fn distance(tables: &SharedTables<Neighbours>, position: &Neighbours) -> Option<u8> {
    tables.without_clock(position)?.distance()
}

/// All positions with these numbers of pieces, both sides to move.
fn all_positions([white, black]: [usize; 2]) -> Vec<Neighbours> {
    let sets = |count: usize, free: &[usize]| -> Vec<Vec<usize>> {
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..count {
            let longer = |set: &Vec<usize>| {
                let least = set.last().map_or(0, |last| last + 1);
                let set = set.clone();
                let more = free.iter().filter(move |&&square| square >= least);
                more.map(move |&square| [&set[..], &[square]].concat()).collect::<Vec<_>>()
            };
            sets = sets.iter().flat_map(longer).collect();
        }
        sets
    };
    let mut positions = Vec::new();
    for white in sets(white, &(0..64).collect::<Vec<_>>()) {
        let free: Vec<_> = (0..64).filter(|square| !white.contains(square)).collect();
        for black in sets(black, &free) {
            positions.extend(['w', 'b'].map(|stm| position(&white, &black, stm, 0)));
        }
    }
    positions
}

#[test]
fn tables_of_two_against_one_agree_with_plain_iteration() {
    let positions: Vec<_> = [[1, 1], [1, 2]].into_iter().flat_map(all_positions).collect();
    // Results are found again and again from those of the last round, until nothing changes.
    let mut results: HashMap<u64, TableResult> = HashMap::new();
    loop {
        let of = |position: &Neighbours| results.get(&position.key()).copied().unwrap_or(TableResult::Draw);
        let next = positions.iter().map(|position| (position.key(), by_children(position, of))).collect();
        if next == results {
            break;
        }
        results = next;
    }
    assert_eq!(results.len(), 2 * (64 * 63 + 64 * 63 * 62 / 2));
    let (_folder, tables) = tables(2);
    for position in &positions {
        assert_eq!(by_tables(&tables, position), results[&position.key()], "{}", position.fen());
    }
    let draws = results.values().filter(|result| **result == TableResult::Draw).count();
    assert!((100..10_000).contains(&draws), "{draws}");
}

#[test]
fn every_result_follows_from_those_of_the_children() {
    // Checked for all positions, this is a proof: distances fall on the way to the end of the game, and who
    // has a draw has a move that keeps it.
    let (_folder, tables) = tables(2);
    let mut random = StdRng::seed_from_u64(1);
    let mut longest = 0;
    for n in 0..200_000 {
        let pieces = [[2, 2], [2, 1], [1, 2]][n % 3];
        let position = random_position(&mut random, pieces, 0);
        let result = by_tables(&tables, &position);
        assert_eq!(by_children(&position, |child| tables_of(&tables, child)), result, "{}", position.fen());
        longest = longest.max(result.distance().unwrap_or(0));
    }
    assert!(longest >= 9, "{longest}");
}

/// The result by the tables as if the clock were 0.
fn tables_of(tables: &SharedTables<Neighbours>, position: &Neighbours) -> TableResult {
    let fen = position.fen();
    let board = fen.rsplitn(3, ' ').last().unwrap();
    by_tables(tables, &Neighbours::from_fen(board).unwrap())
}

/// The result under the rules, the halfmove clock included, by plain minimax up to the next capture.
fn minimax(
    position: &Neighbours,
    tables: &SharedTables<Neighbours>,
    seen: &mut HashMap<(u64, usize), Wdl>,
) -> Wdl {
    let clock = position.halfmove_clock();
    if let Some(outcome) = GameHistory::new().outcome(position) {
        return Wdl::of(outcome.winner, position.side_to_move());
    }
    if let Some(&points) = seen.get(&(position.key(), clock)) {
        return points;
    }
    let value = |(child, is_capture): (Neighbours, bool)| match is_capture && !child.is_terminal() {
        true => !tables.probe(&child).unwrap(),
        false => !minimax(&child, tables, seen),
    };
    let best = children(position).into_iter().map(value).max_by_key(|points| *points as u8).unwrap();
    seen.insert((position.key(), clock), best);
    best
}

#[test]
fn the_clock_decides_as_in_plain_minimax() {
    let (_folder, tables) = tables(2);
    let mut random = StdRng::seed_from_u64(2);
    let (mut seen, mut saved) = (HashMap::new(), 0);
    for n in 0..1_600 {
        let position = random_position(&mut random, [2, 2], 89 + n % 13);
        let points = tables.probe(&position).unwrap();
        assert_eq!(points, minimax(&position, &tables, &mut seen), "{}", position.fen());
        saved += u32::from(points == Wdl::Draw && distance(&tables, &position).is_some());
    }
    assert!(saved > 8, "the clock saved {saved} games only");
}

#[test]
fn every_choice_among_the_best_moves_wins() {
    let (_folder, tables) = tables(2);
    let mut random = StdRng::seed_from_u64(3);
    let (mut games, mut repetitions) = (0, 0);
    while games < 1_000 {
        let clock = if games % 2 == 0 { 0 } else { random.random_range(80..95) };
        let start = random_position(&mut random, [2, 2], clock);
        let winner = match tables.probe(&start) {
            Some(Wdl::Win) => start.side_to_move(),
            Some(Wdl::Loss) => !start.side_to_move(),
            _ => continue,
        };
        if distance(&tables, &start) < Some(4) {
            continue;
        }
        games += 1;
        let (mut position, mut history) = (start, GameHistory::new());
        // The least distance of a position that has come up again since the last capture.
        let mut least = u8::MAX;
        let outcome = loop {
            if let Some(outcome) = history.outcome(&position) {
                break outcome;
            }
            if position.halfmove_clock() == 0 {
                least = u8::MAX;
            }
            if history.is_repetition(&position, 0) {
                least = least.min(distance(&tables, &position).unwrap());
                repetitions += 1;
            }
            let mut moves = position.moves();
            if position.side_to_move() == winner {
                let best = tables.best_moves(&position, &history, &moves).unwrap();
                assert_eq!((best.result, best.makes_progress), (Wdl::Win, true));
                moves = best.moves;
                for &mv in &moves {
                    let child = position.after(mv);
                    let is_capture = child.halfmove_clock() == 0;
                    assert!(is_capture || distance(&tables, &child) < Some(least), "{}", position.fen());
                }
            }
            history.push(&position);
            position.play(moves[random.random_range(0..moves.len())]);
        };
        assert_eq!(outcome.winner, Some(winner), "{}: {outcome:?} after {:?}", start.fen(), history.past());
    }
    assert!(repetitions > 0, "no position has come up again");
}

#[test]
fn a_loser_takes_a_draw_by_the_rules() {
    let (_folder, tables) = tables(2);
    let best = |position: &Neighbours, history: &GameHistory<Neighbours>| {
        let moves = position.moves();
        tables.best_moves(position, history, &moves).unwrap()
    };
    // White loses in some plies, and is saved by a position that has occurred twice.
    let mut random = StdRng::seed_from_u64(4);
    let lost = std::iter::repeat_with(|| random_position(&mut random, [2, 2], 8));
    let is_long = |position: &Neighbours| {
        tables.probe(position) == Some(Wdl::Loss) && distance(&tables, position) >= Some(4)
    };
    let lost = { lost }.find(is_long).unwrap();
    assert_eq!(best(&lost, &GameHistory::new()).result, Wdl::Loss);
    let (child, _) = children(&lost).into_iter().find(|(_, is_capture)| !is_capture).unwrap();
    let mut history = GameHistory::new();
    // Any other positions stand between the two earlier occurrences.
    for n in 0..8 {
        history.push(if n % 4 == 1 { &child } else { &lost });
    }
    let saved = best(&lost, &history);
    assert_eq!((saved.result, saved.moves.len()), (Wdl::Draw, 1));
    assert!({
        let after = lost.after(saved.moves[0]);
        after.same_position(&child)
    });
}

#[test]
fn finished_tables_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let names = |tables: &[(TableSummary, bool)]| -> Vec<(String, bool)> {
        tables.iter().map(|(table, is_new)| (table.material.clone(), *is_new)).collect()
    };
    let (is_complete, first) = build(folder.path(), 2, "2v2").unwrap();
    assert!(!is_complete);
    assert_eq!(
        names(&first),
        [("1v1", true), ("1v2", true), ("2v1", true)].map(|(name, new)| (name.to_owned(), new))
    );
    let (is_complete, second) = build(folder.path(), 2, "").unwrap();
    assert!(is_complete);
    let kept: Vec<_> = second[..3].iter().map(|(table, is_new)| (table.clone(), !is_new)).collect();
    assert_eq!(kept, first);
    let (table, is_new) = &second[3];
    assert!(*is_new);
    assert_eq!((table.positions, table.wins, table.losses, table.longest), (477_590, 180_197, 276_760, 13));
    // With one thread and without interruptions, the files are the same.
    let again = tempfile::tempdir().unwrap();
    build(again.path(), 2, "").unwrap();
    for file in fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap()) {
        assert_eq!(fs::read(file.path()).unwrap(), fs::read(again.path().join(file.file_name())).unwrap());
    }
    let error = build(again.path(), 7, "").unwrap_err();
    assert_eq!(error.to_string(), "no tables with 7 pieces a side");
    let error = build(again.path(), 3, "").unwrap_err();
    assert_eq!(error.to_string(), "the tables of 2v3, 3v2 need 21 MiB of memory, and may have 16");
    assert!(again.path().join("neighbours-1v3.table").exists(), "what fits is built");
}

#[test]
fn unfinished_tables_go_on_from_their_checkpoint() {
    let whole = tempfile::tempdir().unwrap();
    build(whole.path(), 2, "").unwrap();
    for distance in [0, 1, 5] {
        let folder = tempfile::tempdir().unwrap();
        for stop_at in ["1v2, 2v1", "2v2"] {
            let (is_complete, _) = build_until(folder.path(), 2, (stop_at, distance)).unwrap();
            assert!(!is_complete, "{stop_at}, {distance}");
        }
        let (is_complete, building) = build_until(folder.path(), 2, ("", 0)).unwrap();
        assert!(is_complete);
        assert_eq!(building.first, Some(("2v2".to_owned(), distance)));
        let names = |folder: &Path| -> Vec<_> {
            let mut names: Vec<_> =
                fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(folder.path()), names(whole.path()), "no checkpoints are left");
        for name in names(whole.path()) {
            let [new, expected] = [folder.path(), whole.path()].map(|folder| folder.join(&name));
            assert_eq!(fs::read(new).unwrap(), fs::read(expected).unwrap(), "{name:?}, {distance}");
        }
    }
}

#[test]
fn a_damaged_checkpoint_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    build_until(folder.path(), 2, ("2v2", 3)).unwrap();
    let path = folder.path().join("neighbours-2v2-step-3.table");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    let error = format!("`{}`: damaged table, the checksum of a block is wrong", path.display());
    assert_eq!(build(folder.path(), 2, "").unwrap_err().to_string(), error);
}

#[test]
fn damaged_and_foreign_tables_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), 2, "").unwrap();
    let path = folder.path().join("neighbours-2v2.table");
    let good = fs::read(&path).unwrap();
    let damaged = |problem: &str| {
        let error = format!("`{}`: damaged table, {problem}", path.display());
        assert_eq!(open(folder.path()).unwrap_err().to_string(), error);
        assert_eq!(build(folder.path(), 2, "").unwrap_err().to_string(), error, "nor is it replaced");
    };
    for len in [0, 1, 20, 60, 300, good.len() / 2, good.len() - 1] {
        fs::write(&path, &good[..len]).unwrap();
        damaged("it ends too early");
    }
    fs::write(&path, [&good[..], b"x"].concat()).unwrap();
    damaged("there is more after its end");
    let mut random = StdRng::seed_from_u64(5);
    for _ in 0..200 {
        let mut bytes = good.clone();
        bytes[random.random_range(0..good.len())] ^= 1 << random.random_range(0..8);
        fs::write(&path, bytes).unwrap();
        let error = open(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("`{}`: damaged table, ", path.display())), "{error}");
    }
    for (foreign, problem) in [
        (
            fs::read(folder.path().join("neighbours-2v1.table")).unwrap(),
            "it is the table of another game or material",
        ),
        (b"P6 640 480 255 and so on".to_vec(), "its first bytes are not those of a table"),
        ([&good[..8], &[2], &good[9..]].concat(), "it is of another version"),
    ] {
        fs::write(&path, foreign).unwrap();
        damaged(problem);
    }
    fs::write(&path, &good).unwrap();
    // Nor if another table that is built with it is missing.
    let [other, missing] = ["1v2", "2v1"].map(|name| folder.path().join(format!("neighbours-{name}.table")));
    let bytes = fs::read(&other).unwrap();
    let removed = fs::read(&missing).unwrap();
    fs::write(&other, "precious").unwrap();
    fs::remove_file(&missing).unwrap();
    let error = build(folder.path(), 2, "").unwrap_err().to_string();
    assert!(error.starts_with(&format!("`{}`: damaged table, ", other.display())), "{error}");
    assert_eq!(fs::read_to_string(&other).unwrap(), "precious");
    fs::write(&other, bytes).unwrap();
    build(folder.path(), 2, "").unwrap();
    assert_eq!(fs::read(&missing).unwrap(), removed);
    let tables = open(folder.path()).unwrap();
    // A file that changes while it is open: no result, and no crash.
    let in_place = fs::OpenOptions::new().write(true).open(&path).unwrap();
    in_place.set_len(100).unwrap();
    assert_eq!(tables.probe(&position(&[0, 1], &[62, 63], 'w', 0)), None);
    assert!(tables.probe(&position(&[0, 1], &[62], 'w', 0)).is_some());

    let empty = tempfile::tempdir().unwrap();
    let name = empty.path().display().to_string();
    assert_eq!(open(empty.path()).unwrap_err().to_string(), format!("`{name}`: no endgame tables"));
    let error = open(&empty.path().join("missing")).unwrap_err().to_string();
    assert!(error.starts_with(&format!("`{name}/missing`: ")), "{error}");
}

#[test]
fn positions_outside_the_tables_have_no_result() {
    let (_folder, tables) = tables(1);
    assert_eq!(tables.probe(&position(&[0], &[1], 'w', 0)), Some(Wdl::Win), "a1b1 captures");
    assert_eq!(tables.probe(&position(&[0], &[2], 'w', 0)), Some(Wdl::Loss), "no move");
    for (white, black) in [(&[0, 1][..], &[2][..]), (&[0], &[1, 2]), (&[], &[1]), (&[0], &[])] {
        assert_eq!(tables.probe(&position(white, black, 'w', 0)), None);
    }
}
