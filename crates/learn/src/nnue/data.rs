//! The data of a training: files of self-play games, which are read anew in each epoch, so that memory does not
//! grow with them.
//!
//! An epoch goes through the blocks of all files in random order. As many of them as make a portion, some
//! million positions, are read, replayed and shuffled together, by a thread that is one portion ahead of the
//! training. Data of a few portions stay in memory.
//!
//! Which games are held out depends on the games alone, not on their files and places there: a game that occurs
//! twice is on one side.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use super::dataset::{Counts, Dataset, Target};
use super::games::{
    BlockPlace, GamesError, GamesHeader, GamesProblem, GamesReader, PlayedGame, open_games, read_block,
    start_of,
};
use super::scale::MAX_LABELS;
use labrys_core::game::{GameMove, Knowledge, Wdl, counted, mixed};

/// One game in this many is held out.
const HELD_OUT: u64 = 20;

/// Blocks that are replayed at a time when files are opened.
const GROUP: usize = 256;

/// Files that are named where the data is described.
const NAMED_FILES: usize = 8;

/// The sizes of what is kept in memory, in positions of about 80 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimits {
    /// The most positions that are held out. If more would be, only the games with the lowest hashes are.
    pub held_out: usize,
    /// The most positions that are kept from epoch to epoch.
    pub kept: usize,
    /// The positions of a portion. Three of them are in memory at a time.
    pub portion: usize,
}

impl Default for MemoryLimits {
    fn default() -> Self {
        MemoryLimits { held_out: 2_000_000, kept: 6_000_000, portion: 2_000_000 }
    }
}

/// What a net needs to know of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputSizes {
    /// Input buckets.
    pub buckets: u8,
    /// Output buckets.
    pub outputs: usize,
}

/// A file of games.
#[derive(Debug)]
struct GamesFile {
    path: PathBuf,
    header: GamesHeader,
    games: u64,
}

/// A block of a file.
#[derive(Clone, Copy, Debug)]
struct Block {
    file: usize,
    place: BlockPlace,
    /// The number of games in the file before it.
    first: usize,
    /// Quiet positions of the games that are not held out.
    positions: usize,
}

/// A game that may be held out.
#[derive(Debug)]
struct Candidate<G> {
    hash: u64,
    block: usize,
    positions: Dataset<G>,
}

/// The label of a position, with the hash of its game.
type Labelled = (u64, (f64, Wdl));

/// The data of a training.
#[derive(Debug)]
pub struct TrainingData<G> {
    files: Vec<GamesFile>,
    blocks: Vec<Block>,
    board: G,
    sizes: InputSizes,
    limits: MemoryLimits,
    counts: Counts,
    /// Games with hashes below are held out.
    threshold: u64,
    /// The lowest hash of all games.
    lowest: u64,
    held_out: Dataset<G>,
    /// Labels of positions to learn from: those of the games with the lowest hashes.
    labels: Vec<(f64, Wdl)>,
    max_inputs: usize,
}

/// Positions of an epoch that are shuffled together.
pub(super) struct Portion<G> {
    /// The positions, and their targets.
    pub(super) positions: Arc<(Dataset<G>, Vec<f32>)>,
    /// Their numbers in random order.
    pub(super) order: Vec<u32>,
    /// The seed of everything else that is random with them.
    pub(super) seed: u64,
}

/// What is found of a game when its file is opened.
struct Scanned<G> {
    hash: u64,
    counts: Counts,
    positions: Dataset<G>,
}

impl<G: Knowledge> TrainingData<G> {
    /// Opens files and checks all games in them.
    ///
    /// # Errors
    /// [`GamesError`] names the file, and the block or the move that is wrong.
    pub fn open(
        paths: &[PathBuf],
        sizes: InputSizes,
        limits: MemoryLimits,
    ) -> Result<TrainingData<G>, GamesError> {
        let mut data: Option<TrainingData<G>> = None;
        let (mut candidates, mut labels) = (Vec::new(), Vec::new());
        for path in paths {
            let refuse = |problem| GamesError { path: path.clone(), problem };
            let mut reader = open_games::<G>(path).map_err(refuse)?;
            let board: G = start_of(reader.header()).map_err(refuse)?;
            let data = data.get_or_insert_with(|| TrainingData::new(board, sizes, limits));
            data.files.push(GamesFile { path: path.clone(), header: reader.header().clone(), games: 0 });
            data.scan(&mut reader, &mut candidates, &mut labels).map_err(refuse)?;
        }
        let mut data = data.ok_or_else(|| GamesError {
            path: PathBuf::new(),
            problem: GamesProblem::NoGame { wanted: 1, games: 0 },
        })?;
        data.hold_out(&mut candidates, &mut labels, true);
        candidates.sort_by_key(|candidate| candidate.hash);
        candidates.into_iter().for_each(|candidate| data.held_out.append(candidate.positions));
        shorten(&mut labels);
        data.labels = labels.into_iter().map(|(_, label)| label).collect();
        Ok(data)
    }

    fn new(board: G, sizes: InputSizes, limits: MemoryLimits) -> TrainingData<G> {
        let held_out = Dataset::new(board.clone(), sizes.buckets);
        TrainingData {
            files: Vec::new(),
            blocks: Vec::new(),
            board,
            sizes,
            limits,
            counts: Counts::default(),
            threshold: u64::MAX / HELD_OUT,
            lowest: u64::MAX,
            held_out,
            labels: Vec::new(),
            max_inputs: 0,
        }
    }

    /// Adds all blocks of the last file.
    fn scan(
        &mut self,
        reader: &mut GamesReader<BufReader<File>>,
        candidates: &mut Vec<Candidate<G>>,
        labels: &mut Vec<Labelled>,
    ) -> Result<(), GamesProblem> {
        let file = self.files.len() - 1;
        let mut first = 0;
        loop {
            let mut group = Vec::new();
            while group.len() < GROUP
                && let Some((place, games)) = reader.next_with_place::<G>()?
            {
                group.push((place, first, games));
                first += group.last().map_or(0, |(_, _, games)| games.len());
            }
            if group.is_empty() {
                self.files[file].games = first as u64;
                return Ok(());
            }
            let header = &self.files[file].header;
            let scanned: Vec<_> = group
                .into_par_iter()
                .map(|(place, first, games)| {
                    let games: Result<Vec<_>, _> = (first..)
                        .zip(games)
                        .map(|(number, game)| self.scan_game(header, game, number))
                        .collect();
                    Ok::<_, GamesProblem>((place, first, games?))
                })
                .collect::<Result<_, _>>()?;
            for (place, first, games) in scanned {
                let block = self.blocks.len();
                self.blocks.push(Block { file, place, first, positions: 0 });
                for Scanned { hash, counts, positions } in games {
                    self.counts += counts;
                    self.max_inputs = self.max_inputs.max(positions.max_inputs());
                    if hash < self.threshold || hash <= self.lowest {
                        self.lowest = self.lowest.min(hash);
                        candidates.push(Candidate { hash, block, positions });
                    } else {
                        self.learn_from(hash, block, &positions, labels);
                    }
                }
            }
            self.hold_out(candidates, labels, false);
            if labels.len() > 2 * MAX_LABELS {
                shorten(labels);
            }
        }
    }

    /// The positions of a game, `number` games after the first of its file.
    fn scan_game(
        &self,
        header: &GamesHeader,
        game: PlayedGame<G::Move>,
        number: usize,
    ) -> Result<Scanned<G>, GamesProblem> {
        let mut scanned = Scanned { hash: hash(&game), counts: Counts::default(), positions: self.empty() };
        let added = scanned.positions.add(
            header,
            std::slice::from_ref(&game),
            self.sizes.outputs,
            &mut scanned.counts,
        );
        added.map_err(|problem| problem.after_games(number))?;
        Ok(scanned)
    }

    /// Keeps the games to hold out among candidates; the others are to be learned from. At least one game is
    /// held out: that with the lowest hash, which is not known before the last game (`is_last`).
    fn hold_out(&mut self, candidates: &mut Vec<Candidate<G>>, labels: &mut Vec<Labelled>, is_last: bool) {
        let total: usize = candidates.iter().map(|candidate| candidate.positions.len()).sum();
        if !is_last && total <= self.limits.held_out {
            return;
        }
        candidates.sort_by_key(|candidate| candidate.hash);
        let mut left = self.limits.held_out;
        for candidate in candidates.iter() {
            match left.checked_sub(candidate.positions.len()) {
                Some(after) => left = after,
                None => {
                    self.threshold = self.threshold.min(candidate.hash);
                    break;
                }
            }
        }
        let threshold = self.threshold.max(self.lowest.saturating_add(1));
        if is_last {
            self.threshold = threshold;
        }
        let rest = candidates.split_off(candidates.partition_point(|candidate| candidate.hash < threshold));
        for Candidate { hash, block, positions } in rest {
            self.learn_from(hash, block, &positions, labels);
        }
    }

    /// Counts the positions of a game that is not held out, and adds their labels.
    fn learn_from(&mut self, hash: u64, block: usize, positions: &Dataset<G>, labels: &mut Vec<Labelled>) {
        self.blocks[block].positions += positions.len();
        labels.extend((0..positions.len()).map(|number| (hash, positions.labels(number))));
    }

    fn empty(&self) -> Dataset<G> {
        self.held_out.new_like()
    }

    /// The board of the positions.
    pub fn board(&self) -> &G {
        &self.board
    }

    /// What has been found in the files.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The number of positions to learn from.
    pub fn positions(&self) -> usize {
        self.blocks.iter().map(|block| block.positions).sum()
    }

    /// The positions that are held out.
    pub fn held_out(&self) -> &Dataset<G> {
        &self.held_out
    }

    /// Scores and results of some positions to learn from.
    pub(super) fn labels(&self) -> &[(f64, Wdl)] {
        &self.labels
    }

    /// The largest number of inputs of a position.
    pub(super) fn max_inputs(&self) -> usize {
        self.max_inputs
    }

    /// A checksum of all games, to tell data apart. The order of the files counts.
    pub fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for Block { place, positions, .. } in &self.blocks {
            hasher.update(&place.checksum.to_le_bytes());
            hasher.update(&(*positions as u64).to_le_bytes());
        }
        hasher.finalize()
    }

    /// Where the games come from, in words.
    pub fn sources(&self) -> String {
        let named = self.files.iter().take(NAMED_FILES).map(|GamesFile { header, games, .. }| {
            let GamesHeader { evaluation, nodes, seed, random_plies: (least, most), played_with, .. } =
                header;
            let player = header.player();
            let scores = match played_with {
                Some(_) => format!(", scored by {evaluation}, {nodes} nodes"),
                None => String::new(),
            };
            format!(
                "{games} games of {}, {} nodes, {least} to {most} random plies, seed {seed}{scores}",
                player.evaluation, player.nodes
            )
        });
        let more = self.files.len().saturating_sub(NAMED_FILES);
        let more = (more > 0).then(|| format!("{} more", counted(more as u64, "file")));
        named.chain(more).collect::<Vec<_>>().join("; ")
    }

    /// The blocks of an epoch, in random order, portion by portion.
    fn portions(&self, seed: u64) -> Vec<Vec<usize>> {
        let mut blocks: Vec<_> = (0..self.blocks.len()).collect();
        blocks.shuffle(&mut StdRng::seed_from_u64(seed));
        let total = self.positions();
        let most = if total <= self.limits.kept { total } else { self.limits.portion };
        // All portions have about the same size.
        let portion = total.div_ceil(total.div_ceil(most.max(1)).max(1));
        let (mut portions, mut room) = (Vec::<Vec<_>>::new(), 0);
        for block in blocks.into_iter().filter(|&block| self.blocks[block].positions > 0) {
            if room == 0 {
                portions.push(Vec::new());
                room = portion;
            }
            room = room.saturating_sub(self.blocks[block].positions);
            if let Some(portion) = portions.last_mut() {
                portion.push(block);
            }
        }
        portions
    }

    /// Reads some blocks.
    fn load(&self, blocks: &[usize], target: &Target) -> Result<(Dataset<G>, Vec<f32>), GamesError> {
        let mut all = self.empty();
        for group in blocks.chunks(GROUP) {
            let read: Vec<_> =
                group.par_iter().map(|&block| self.read(&self.blocks[block])).collect::<Result<_, _>>()?;
            read.into_iter().for_each(|positions| all.append(positions));
        }
        let targets = all.targets(target);
        Ok((all, targets))
    }

    /// The positions of a block to learn from.
    fn read(&self, block: &Block) -> Result<Dataset<G>, GamesError> {
        let GamesFile { path, header, .. } = &self.files[block.file];
        let read = || -> Result<Dataset<G>, GamesProblem> {
            let mut games = read_block::<G>(path, block.place)?;
            games.retain(|game| hash(game) >= self.threshold);
            let mut positions = self.empty();
            let added = positions.add(header, &games, self.sizes.outputs, &mut Counts::default());
            added.map_err(|problem| problem.after_games(block.first))?;
            Ok(positions)
        };
        read().map_err(|problem| GamesError { path: path.clone(), problem })
    }

    /// Calls `learn` with each portion of an epoch, until it returns false. The next portion is read meanwhile.
    /// `kept` are the positions that stay in memory, if they all do.
    ///
    /// # Errors
    /// [`GamesError`] if a file has changed or cannot be read any more.
    pub(super) fn epoch(
        &self,
        seed: u64,
        target: &Target,
        kept: &mut Option<Arc<(Dataset<G>, Vec<f32>)>>,
        mut learn: impl FnMut(&Portion<G>) -> bool,
    ) -> Result<(), GamesError> {
        let portion = move |positions: Arc<(Dataset<G>, Vec<f32>)>, number: u64| {
            let seed = mixed(seed ^ mixed(number));
            let mut order: Vec<_> = (0..positions.0.len() as u32).collect();
            order.shuffle(&mut StdRng::seed_from_u64(seed));
            Portion { positions, order, seed }
        };
        if self.positions() <= self.limits.kept {
            let positions = match kept {
                Some(positions) => positions.clone(),
                none => {
                    let all: Vec<_> = (0..self.blocks.len()).collect();
                    none.insert(Arc::new(self.load(&all, target)?)).clone()
                }
            };
            learn(&portion(positions, 0));
            return Ok(());
        }
        // Other threads than those of the training, which are busy.
        let pool = ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build().ok();
        let load = |blocks: &[usize]| match &pool {
            Some(pool) => pool.install(|| self.load(blocks, target)),
            None => self.load(blocks, target),
        };
        let (sender, receiver) = sync_channel(0);
        thread::scope(|scope| {
            let load = &load;
            scope.spawn(move || {
                for (blocks, number) in self.portions(seed).into_iter().zip(0..) {
                    let loaded = load(&blocks).map(|loaded| portion(Arc::new(loaded), number));
                    let is_last = loaded.is_err();
                    // The training may have ended.
                    if sender.send(loaded).is_err() || is_last {
                        return;
                    }
                }
            });
            // The receiver is dropped with this loop, which ends the thread.
            for loaded in receiver {
                if !learn(&loaded?) {
                    break;
                }
            }
            Ok(())
        })
    }
}

/// The hash of a game.
fn hash<M: GameMove>(game: &PlayedGame<M>) -> u64 {
    let start = game.start.into_iter().flatten();
    let moves = game.opening.iter().chain(game.moves.iter().map(|(mv, _)| mv));
    start.chain(moves.map(|mv| mv.to_bits())).fold(0, |hash, bits| mixed(hash ^ u64::from(bits)))
}

/// Keeps the labels of the games with the lowest hashes, in their order.
fn shorten(labels: &mut Vec<Labelled>) {
    labels.sort_by_key(|(hash, _)| *hash);
    labels.truncate(MAX_LABELS);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::games::GamesWriter;
    use super::*;
    use labrys_core::engine::{Board, GameState};
    use labrys_core::eval::Score;
    use labrys_core::game::neighbours::Neighbours;
    use labrys_core::game::{Color, Game};
    use labrys_core::search::Control;
    use tempfile::TempDir;

    type Move = <Neighbours as Game>::Move;

    const SIZES: InputSizes = InputSizes { buckets: 1, outputs: 1 };

    const TARGET: Target = Target { blend: 1.0, lambda: 0.0, unit: 1.0 };

    /// Limits with which a few games make several portions.
    const SMALL: MemoryLimits = MemoryLimits { held_out: 1_000, kept: 0, portion: 1_500 };

    /// A random game.
    fn game(seed: u64) -> PlayedGame<Move> {
        let (mut state, mut random) = (GameState::<Neighbours>::start(), StdRng::seed_from_u64(seed));
        let opening = state.play_random_moves(4, &mut random, None, &Control::default());
        let moves = state.clone().play_random_moves(60, &mut random, None, &Control::default());
        let scores = (0..).map(|ply| Score::from_thousandths((1_000 * seed as i32 + ply) % 7_000));
        moves.iter().for_each(|&mv| state.advance(mv));
        let result = Wdl::of(state.outcome().and_then(|outcome| outcome.winner), Color::White);
        PlayedGame { start: None, opening, moves: moves.into_iter().zip(scores).collect(), result }
    }

    /// Writes files of random games with these seeds.
    fn write(folder: &TempDir, name: &str, seeds: std::ops::Range<u64>) -> PathBuf {
        let path = folder.path().join(name);
        let header = GamesHeader::new(&Neighbours::start(), "random".to_owned(), 1, (4, 4), 1);
        let mut writer = GamesWriter::open::<Neighbours>(&path, &header).unwrap();
        for seed in seeds.step_by(8) {
            let games: Vec<_> = (seed..seed + 8).map(game).collect();
            writer.append::<Neighbours>(&games).unwrap();
        }
        path
    }

    fn open(paths: &[PathBuf], limits: MemoryLimits) -> Result<TrainingData<Neighbours>, GamesError> {
        TrainingData::open(paths, SIZES, limits)
    }

    /// The positions of a data set by inputs and score, with their numbers.
    fn positions(dataset: &Dataset<Neighbours>) -> BTreeMap<String, usize> {
        let targets = dataset.targets(&TARGET);
        let mut found = BTreeMap::new();
        let mut example = super::super::dataset::Example::default();
        for number in 0..dataset.len() {
            dataset.get(number, false, &targets, &mut example);
            *found.entry(format!("{example:?}")).or_default() += 1;
        }
        found
    }

    /// The positions of an epoch, and their order.
    fn epoch(data: &TrainingData<Neighbours>, seed: u64) -> (BTreeMap<String, usize>, Vec<Vec<u32>>) {
        let (mut all, mut orders) = (BTreeMap::new(), Vec::new());
        data.epoch(seed, &TARGET, &mut None, |portion| {
            for (position, count) in positions(&portion.positions.0) {
                *all.entry(position).or_default() += count;
            }
            orders.push(portion.order.clone());
            true
        })
        .unwrap();
        (all, orders)
    }

    #[test]
    fn an_epoch_has_each_position_once() {
        let folder = tempfile::tempdir().unwrap();
        let paths = [write(&folder, "a", 0..80), write(&folder, "b", 80..160)];
        let data = open(&paths, SMALL).unwrap();
        let (all, orders) = epoch(&data, 1);
        assert!(orders.len() > 2, "{}", orders.len());
        assert_eq!(all.values().sum::<usize>(), data.positions());
        assert_eq!(data.positions() + data.held_out().len(), data.counts().quiet() as usize);
        let sizes: Vec<_> = orders.iter().map(Vec::len).collect();
        assert!(sizes.iter().all(|&size| size < 2_200), "{sizes:?}");
        for mut order in orders.clone() {
            order.sort_unstable();
            assert!(order.iter().copied().eq(0..order.len() as u32));
        }
        // The same again, another order by another seed, and the same positions in memory.
        assert_eq!(epoch(&data, 1), (all.clone(), orders.clone()));
        let other = epoch(&data, 2);
        assert!(other.0 == all && other.1 != orders);
        let whole = open(&paths, MemoryLimits { kept: 1 << 20, ..SMALL }).unwrap();
        let (kept, orders) = epoch(&whole, 1);
        assert!(kept == all && orders.len() == 1);
    }

    #[test]
    fn games_are_held_out_by_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, all] =
            [("a", 0..80), ("b", 80..160), ("all", 0..160)].map(|(name, seeds)| write(&folder, name, seeds));
        let held_out = |paths: &[PathBuf], limits| positions(open(paths, limits).unwrap().held_out());
        let expected = held_out(&[a.clone(), b.clone()], SMALL);
        assert!(!expected.is_empty());
        assert_eq!(held_out(&[b.clone(), a.clone()], SMALL), expected);
        assert_eq!(held_out(std::slice::from_ref(&all), SMALL), expected);
        // The labels are those of all others, also of games that might have been held out.
        let labels = |paths: &[PathBuf], limits| {
            let data = open(paths, limits).unwrap();
            assert_eq!(data.labels().len(), data.positions());
            data.labels().to_vec()
        };
        let expected_labels = labels(&[a.clone(), b.clone()], SMALL);
        assert_eq!(labels(&[b.clone(), a.clone()], SMALL), expected_labels);
        let few = MemoryLimits { held_out: 100, ..SMALL };
        assert_eq!(labels(&[a.clone(), b.clone()], few), labels(&[b.clone(), a.clone()], few));
        // The same game twice is not on both sides.
        let twice = open(&[all.clone(), all.clone()], SMALL).unwrap();
        let (learned, _) = epoch(&twice, 1);
        assert!(learned.values().all(|count| count % 2 == 0));
        // Fewer of them, with the lowest hashes, if more are not to be kept.
        let few = open(std::slice::from_ref(&all), MemoryLimits { held_out: 100, ..SMALL }).unwrap();
        let few_positions = positions(few.held_out());
        assert!(few_positions.keys().all(|position| expected.contains_key(position)));
        assert!((1..=100).contains(&few.held_out().len()), "{}", few.held_out().len());
        assert_eq!(few.positions() + few.held_out().len(), few.counts().quiet() as usize);
        assert_eq!(epoch(&few, 1).0.values().sum::<usize>(), few.positions());
        // One game is held out of a few.
        let small = open(&[write(&folder, "small", 0..8)], SMALL).unwrap();
        assert!(!small.held_out().is_empty() && small.positions() > small.held_out().len());
        assert_eq!(epoch(&small, 1).0.values().sum::<usize>(), small.positions());
    }

    #[test]
    fn the_sources_say_what_played_and_what_scored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rescored");
        let header = GamesHeader::new(&Neighbours::start(), "random".to_owned(), 1, (4, 4), 1);
        // Twice: the last scores are those of the file.
        let header = header.rescored("linear".to_owned(), 5, None).rescored("net".to_owned(), 7, None);
        let mut writer = GamesWriter::open::<Neighbours>(&path, &header).unwrap();
        writer.append::<Neighbours>(&(0..8).map(game).collect::<Vec<_>>()).unwrap();
        let expected = "8 games of random, 1 nodes, 4 to 4 random plies, seed 1, scored by net, 7 nodes";
        assert_eq!(open(&[path], SMALL).unwrap().sources(), expected);
    }

    #[test]
    fn damaged_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = write(&folder, "games", 0..24);
        let bytes = std::fs::read(&path).unwrap();
        let refusal = |bytes: &[u8]| {
            let bad = folder.path().join("bad");
            std::fs::write(&bad, bytes).unwrap();
            open(&[path.clone(), bad], SMALL).unwrap_err().to_string()
        };
        let flipped = |at: usize| {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            refusal(&bytes)
        };
        assert!(refusal(&bytes[..bytes.len() - 1]).contains("bad: block 3, at byte "));
        assert!(flipped(bytes.len() - 1).contains("bad: block 3, at byte "));
        assert!(flipped(20).contains("bad: "));
        assert!(refusal(b"another file").contains("bad: no header of self-play games"));
        let foreign = String::from_utf8_lossy(&bytes).into_owned();
        assert!(refusal(foreign.as_bytes()).contains("bad: "));
        // A file that is damaged while it is in use.
        let data = open(std::slice::from_ref(&path), SMALL).unwrap();
        let mut changed = bytes.clone();
        let last = changed.len() - 1;
        changed[last] ^= 1;
        std::fs::write(&path, &changed).unwrap();
        let error = data.epoch(1, &TARGET, &mut None, |_| true).unwrap_err().to_string();
        assert!(error.contains("games: block 3, at byte "), "{error}");
        // Another block in its place.
        std::fs::write(&path, &bytes).unwrap();
        assert!(data.epoch(1, &TARGET, &mut None, |_| true).is_ok());
        std::fs::remove_file(&path).unwrap();
        write(&folder, "games", 24..48);
        assert!(data.epoch(1, &TARGET, &mut None, |_| true).is_err());
    }

    #[test]
    fn a_training_that_ends_ends_the_reading() {
        let folder = tempfile::tempdir().unwrap();
        let data = open(&[write(&folder, "games", 0..160)], SMALL).unwrap();
        let mut portions = 0;
        data.epoch(1, &TARGET, &mut None, |_| {
            portions += 1;
            portions < 2
        })
        .unwrap();
        assert_eq!(portions, 2);
    }
}
