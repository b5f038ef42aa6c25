//! Retrograde analysis: endgame tables from the end of the game backwards.
//!
//! A table has a byte for each position: its result, or the number of its reversible moves that are not known
//! to lose. Materials that reversible moves lead to in turn are analysed together, in steps: step `d` takes
//! each position whose distance is `d` to those before it. Before a loss is a win with distance `d + 1`;
//! before a win there is one move less that may save the player, and after the last one a loss with that
//! distance. What is left in the end is a draw. Irreversible moves are looked up in tables that have been
//! built before.
//!
//! Ken Thompson, "Retrograde Analysis of Certain Endgames", ICCA Journal 9(3), 1986.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

use labrys_core::game::{Endgames, Game, Initial, TableFile, TableName, TableResult, TablesError, counted};
use labrys_core::parallel;
use labrys_support::files::write_atomically;

/// Positions that a thread takes at a time.
const CHUNK: u64 = 1 << 14;

/// A number that stands for no position.
const UNUSED: u8 = TableResult::NUMBERS;

/// Bytes from here to [`CANNOT_LOSE`] are numbers of moves that are not known to lose: one here, and so on.
const LAST_MOVE: u8 = UNUSED + 1;

/// A position whose player does not lose, and may win.
const CANNOT_LOSE: u8 = u8::MAX;

/// A request for tables.
#[derive(Clone, Copy, Debug)]
pub struct TablesRequest {
    /// The maximum number of pieces of a player.
    pub pieces: usize,
    /// The maximum number of pieces of both players together.
    pub total: usize,
    /// Number of threads.
    pub threads: usize,
    /// Bytes of memory for tables.
    pub memory: u64,
    /// A step that ends this long after the last checkpoint is followed by another one.
    pub checkpoint: Duration,
}

/// The summary of a finished table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableSummary {
    /// Name of the material.
    pub material: String,
    /// Positions, of which symmetric ones count once.
    pub positions: u64,
    /// Wins of the side to move.
    pub wins: u64,
    /// Losses of the side to move. The others are draws.
    pub losses: u64,
    /// The greatest distance of a result.
    pub longest: u8,
    /// A position with that distance, in FEN.
    pub example: String,
}

/// Receives the progress of the building.
pub trait TablesListener {
    /// Called often, while the tables of some materials are built. `decided` of `positions` have a result so
    /// far; `distance` is that of the step.
    fn progress(&mut self, materials: &str, distance: u8, decided: u64, positions: u64);

    /// Called when the table of a material is in its file; `is_new` if it was not there before.
    fn table(&mut self, summary: &TableSummary, is_new: bool);
}

/// Why tables are not built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// A table cannot be read or written.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// There would be too many pieces.
    #[error("no tables with {} a side", counted(.pieces, "piece"))]
    Pieces {
        /// Pieces of a player.
        pieces: usize,
    },
    /// The memory does not suffice.
    #[error("the tables of {materials} need {needed} MiB of memory, and may have {allowed}")]
    Memory {
        /// Names of the materials.
        materials: String,
        /// What they need, in MiB.
        needed: u64,
        /// What is allowed, in MiB.
        allowed: u64,
    },
}

/// Builds the tables that a folder lacks, and checks the others. `None` if it was stopped; the tables that
/// were finished stay, and so does the last checkpoint of those that were not.
///
/// # Errors
/// [`BuildError`] names the file or the materials.
pub fn build_tables<E: Endgames>(
    endgames: &E,
    folder: &Path,
    request: TablesRequest,
    stop: &AtomicBool,
    listener: &mut dyn TablesListener,
) -> Result<Option<()>, BuildError> {
    let TablesRequest { pieces, total, threads, memory, checkpoint } = request;
    let materials = endgames.materials(pieces, total).ok_or(BuildError::Pieces { pieces })?;
    let builder = Builder { endgames, folder, threads, memory, checkpoint, stop };
    for (n, &material) in materials.iter().enumerate() {
        let reversed = endgames.after_reversible(material);
        if materials[..n].contains(&reversed) {
            continue;
        }
        let group = if reversed == material { vec![material] } else { vec![material, reversed] };
        if builder.group(&group, listener)?.is_none() {
            return Ok(None);
        }
    }
    Ok(Some(()))
}

/// Writes a table: bytes of results in the order of their numbers.
///
/// # Errors
/// [`TablesError::Io`] names the file. An old file stays.
pub(crate) fn write_table(
    folder: &Path,
    name: &TableName,
    results: &[u8],
    threads: usize,
) -> Result<(), TablesError> {
    let path = name.path(folder);
    let bytes = TableFile::to_bytes(name, results, threads);
    write_atomically(&path, bytes).map_err(|error| TablesError::Io { path, error })
}

/// The builder of a folder of tables.
struct Builder<'a, E> {
    endgames: &'a E,
    folder: &'a Path,
    threads: usize,
    memory: u64,
    checkpoint: Duration,
    stop: &'a AtomicBool,
}

impl<E: Endgames> Builder<'_, E> {
    fn name(&self, material: E::Material) -> TableName {
        TableName { game: E::Game::info().name, material: material.to_string() }
    }

    fn open(&self, material: E::Material) -> Result<TableFile, TablesError> {
        TableFile::open(self.folder, &self.name(material), self.endgames.numbers(material))
    }

    /// Builds the tables of a group of materials, unless their files exist.
    fn group(
        &self,
        group: &[E::Material],
        listener: &mut dyn TablesListener,
    ) -> Result<Option<()>, BuildError> {
        let is_there = |material: E::Material| self.name(material).path(self.folder).exists();
        // Those that are there are read in any case: a file is only replaced by the same table.
        let there = group.iter().filter(|&&material| is_there(material));
        let there = there.map(|&material| self.open(material)?.all(self.threads));
        let mut tables = there.collect::<Result<Vec<_>, _>>()?;
        let is_new = tables.len() < group.len();
        if is_new {
            // They are solved together.
            drop(tables);
            match self.build(group, listener)? {
                Some(built) => tables = built,
                None => return Ok(None),
            }
        }
        for (&material, results) in group.iter().zip(&tables) {
            if is_new {
                write_table(self.folder, &self.name(material), results, self.threads)?;
            }
            listener.table(&self.summary(material, results), is_new);
        }
        self.remove_checkpoints(group, None)?;
        Ok(Some(()))
    }

    /// The file that holds the bytes of an unfinished table before a step.
    fn checkpoint_name(&self, material: E::Material, step: u8) -> TableName {
        TableName { material: format!("{material}-step-{step}"), ..self.name(material) }
    }

    /// The step that comes after the last checkpoint of a group, if there is one.
    fn last_checkpoint(&self, group: &[E::Material]) -> Option<u8> {
        let exists = |&material: &_, step| self.checkpoint_name(material, step).path(self.folder).exists();
        (0..=TableResult::MAX_DISTANCE)
            .rev()
            .find(|&step| group.iter().all(|material| exists(material, step)))
    }

    /// The bytes of an unfinished table before a step.
    fn read_checkpoint(&self, material: E::Material, step: u8) -> Result<Vec<u8>, TablesError> {
        let (name, numbers) = (self.checkpoint_name(material, step), self.endgames.numbers(material));
        TableFile::open(self.folder, &name, numbers)?.all(self.threads)
    }

    /// Writes a checkpoint before a step, and removes the earlier ones.
    fn write_checkpoint(&self, tables: &[Table<E::Material>], step: u8) -> Result<(), TablesError> {
        for Table { material, bytes, .. } in tables {
            let bytes: Vec<u8> = bytes.iter().map(|byte| byte.load(Ordering::Relaxed)).collect();
            write_table(self.folder, &self.checkpoint_name(*material, step), &bytes, self.threads)?;
        }
        let group: Vec<_> = tables.iter().map(|table| table.material).collect();
        self.remove_checkpoints(&group, Some(step))
    }

    /// Removes the checkpoints of a group, but for one.
    fn remove_checkpoints(&self, group: &[E::Material], but: Option<u8>) -> Result<(), TablesError> {
        for &material in group {
            for step in (0..=TableResult::MAX_DISTANCE).filter(|&step| Some(step) != but) {
                let path = self.checkpoint_name(material, step).path(self.folder);
                if path.exists() {
                    fs::remove_file(&path).map_err(|error| TablesError::Io { path, error })?;
                }
            }
        }
        Ok(())
    }

    /// The results of the materials of a group, as bytes.
    fn build(
        &self,
        group: &[E::Material],
        listener: &mut dyn TablesListener,
    ) -> Result<Option<Vec<Vec<u8>>>, BuildError> {
        let after_irreversible = |&material: &_| self.endgames.after_irreversible(material);
        let sizes = group.iter().copied().chain(group.iter().filter_map(after_irreversible));
        let needed: u64 = sizes.map(|material| self.endgames.numbers(material)).sum();
        let names = group.iter().map(E::Material::to_string).collect::<Vec<_>>().join(", ");
        if needed > self.memory {
            let [needed, allowed] = [needed.div_ceil(1 << 20), self.memory >> 20];
            return Err(BuildError::Memory { materials: names, needed, allowed });
        }
        let first = self.last_checkpoint(group);
        let tables = group.iter().map(|material| {
            let bytes = match first {
                Some(step) => self.read_checkpoint(*material, step)?,
                None => vec![UNUSED; self.endgames.numbers(*material) as usize],
            };
            let after_irreversible = match after_irreversible(material).filter(|_| first.is_none()) {
                Some(material) => self.open(material)?.all(self.threads)?,
                None => Vec::new(),
            };
            let reversed = self.endgames.after_reversible(*material);
            let before = group.iter().position(|material| *material == reversed).unwrap_or(0);
            let bytes = bytes.into_iter().map(AtomicU8::new).collect();
            Ok(Table { material: *material, after_irreversible, before, bytes })
        });
        let tables = tables.collect::<Result<Vec<_>, TablesError>>()?;
        let analysis = Analysis { endgames: self.endgames, tables, threads: self.threads, stop: self.stop };
        let mut last = Instant::now();
        let mut each_step = |step| {
            if last.elapsed() >= self.checkpoint {
                self.write_checkpoint(&analysis.tables, step)?;
                last = Instant::now();
            }
            Ok(())
        };
        let is_complete = analysis.run(&names, first, &mut each_step, listener)?.is_some();
        Ok(is_complete.then(|| analysis.tables.into_iter().map(Table::into_results).collect()))
    }

    fn summary(&self, material: E::Material, results: &[u8]) -> TableSummary {
        let mut summary = TableSummary { material: material.to_string(), ..TableSummary::default() };
        let mut longest = None;
        for (number, &byte) in (0..).zip(results) {
            let result = match TableResult::from_byte(byte) {
                // Unused numbers are written as draws.
                Some(TableResult::Draw) | None => {
                    summary.positions += u64::from(self.endgames.position(material, number).is_some());
                    continue;
                }
                Some(result) => result,
            };
            summary.positions += 1;
            match result {
                TableResult::Win(_) => summary.wins += 1,
                _ => summary.losses += 1,
            }
            if longest.is_none() || result.distance() > Some(summary.longest) {
                summary.longest = result.distance().unwrap_or(0);
                longest = Some(number);
            }
        }
        let example = longest.and_then(|number| self.endgames.position(material, number));
        TableSummary { example: example.map_or(String::new(), |position| position.fen()), ..summary }
    }
}

/// A table that is being built.
struct Table<M> {
    material: M,
    /// The results after irreversible moves; empty if the game is over then, and where they have been looked
    /// up already.
    after_irreversible: Vec<u8>,
    /// The index of the table with the positions before reversible moves to this one.
    before: usize,
    bytes: Vec<AtomicU8>,
}

impl<M> Table<M> {
    fn into_results(self) -> Vec<u8> {
        let result = |byte: AtomicU8| match byte.into_inner() {
            byte if byte < TableResult::NUMBERS => byte,
            _ => TableResult::Draw.to_byte(),
        };
        self.bytes.into_iter().map(result).collect()
    }
}

/// The tables of a group that are being built.
struct Analysis<'a, E: Endgames> {
    endgames: &'a E,
    tables: Vec<Table<E::Material>>,
    threads: usize,
    stop: &'a AtomicBool,
}

impl<E: Endgames> Analysis<'_, E> {
    /// Finds all results, from the step `first` on if earlier ones have been done; `None` if it was stopped.
    /// `each_step` is called before each step.
    fn run(
        &self,
        names: &str,
        first: Option<u8>,
        each_step: &mut dyn FnMut(u8) -> Result<(), TablesError>,
        listener: &mut dyn TablesListener,
    ) -> Result<Option<()>, TablesError> {
        let positions = self.tables.iter().map(|table| table.bytes.len() as u64).sum();
        let mut decided = 0;
        let mut tell = |distance, count| {
            decided += count;
            listener.progress(names, distance, decided, positions);
        };
        let begun = match first {
            Some(step) => self.each_chunk(count_decided, |count| tell(step, count)),
            None => self.each_chunk(|table, numbers| self.begin(table, numbers), |count| tell(0, count)),
        };
        if begun.is_none() {
            return Ok(None);
        }
        for distance in first.unwrap_or(0)..TableResult::MAX_DISTANCE {
            each_step(distance)?;
            let mut found = 0;
            let step = |table: &Table<_>, numbers| self.step(table, numbers, distance);
            let done = self.each_chunk(step, |[at_distance, count]| {
                found += at_distance;
                tell(distance, count);
            });
            if done.is_none() {
                return Ok(None);
            }
            // Positions with distance 1 are not only those before distance 0.
            if found == 0 && distance > 0 {
                break;
            }
        }
        Ok(Some(()))
    }

    /// Does the work on all positions, chunk by chunk; `None` if it was stopped.
    fn each_chunk<R: Send>(
        &self,
        work: impl Fn(&Table<E::Material>, Range<usize>) -> R + Sync,
        mut each: impl FnMut(R),
    ) -> Option<()> {
        let chunks = self.tables.iter().flat_map(|table| {
            let len = table.bytes.len();
            (0..len).step_by(CHUNK as usize).map(move |begin| (table, begin..len.min(begin + CHUNK as usize)))
        });
        let job = |(): &mut (), (table, numbers): (&Table<_>, Range<usize>)| {
            (!self.stop.load(Ordering::Relaxed)).then(|| work(table, numbers))
        };
        parallel::run(vec![(); self.threads], chunks, job, &mut each);
        (!self.stop.load(Ordering::Relaxed)).then_some(())
    }

    /// Sets the initial state of positions. Returns the number of decided ones.
    fn begin(&self, table: &Table<E::Material>, numbers: Range<usize>) -> u64 {
        let result_after = |number: u64| {
            TableResult::from_byte(table.after_irreversible[number as usize])
                .expect("the bytes of a table are results")
        };
        let mut decided = 0;
        for number in numbers {
            let byte = match self.endgames.initial(table.material, number as u64, &result_after) {
                Initial::Unused => UNUSED,
                Initial::Decided(result) => {
                    decided += 1;
                    result.to_byte()
                }
                Initial::Open { may_lose: false, .. } => CANNOT_LOSE,
                Initial::Open { moves, .. } => {
                    let byte =
                        UNUSED.checked_add(moves).filter(|byte| (LAST_MOVE..CANNOT_LOSE).contains(byte));
                    byte.expect("fewer than 53 reversible moves")
                }
            };
            table.bytes[number].store(byte, Ordering::Relaxed);
        }
        decided
    }

    /// Propagates positions with a distance to their predecessors. Returns the number of these positions, and
    /// of those that are decided by them.
    fn step(&self, table: &Table<E::Material>, numbers: Range<usize>, distance: u8) -> [u64; 2] {
        let loss = TableResult::Loss(distance).to_byte();
        let win = if distance > 0 { TableResult::Win(distance).to_byte() } else { loss };
        let (win_before, loss_before) =
            (TableResult::Win(distance + 1).to_byte(), TableResult::Loss(distance + 1).to_byte());
        let before = &self.tables[table.before].bytes;
        let (mut found, mut decided) = (0, 0);
        for number in numbers {
            let byte = table.bytes[number].load(Ordering::Relaxed);
            if byte != loss && byte != win {
                continue;
            }
            found += 1;
            let change = |before: u8| match before {
                0..=UNUSED => None,
                _ if byte == loss => Some(win_before),
                CANNOT_LOSE => None,
                LAST_MOVE => Some(loss_before),
                moves => Some(moves - 1),
            };
            self.endgames.predecessors(table.material, number as u64, &mut |number| {
                let changed =
                    before[number as usize].fetch_update(Ordering::Relaxed, Ordering::Relaxed, change);
                decided += u64::from(changed.is_ok_and(|old| byte == loss || old == LAST_MOVE));
            });
        }
        [found, decided]
    }
}

/// The number of decided positions.
fn count_decided<M>(table: &Table<M>, numbers: Range<usize>) -> u64 {
    let is_decided = |byte: &&AtomicU8| byte.load(Ordering::Relaxed) < UNUSED;
    table.bytes[numbers].iter().filter(is_decided).count() as u64
}
