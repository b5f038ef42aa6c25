//! Solving: proofs of how a game without chance ends under best play.
//!
//! A proof answers whether the side to move wins and, in games with draws, whether it does not lose; a draw
//! is the case where it does neither.
//!
//! **Draws that depend on the history.** The position to solve counts as the first of its game. The halfmove
//! clock is part of the key ([`Solvable::proof_leaf`]), so no line returns to the same node, and stored
//! results hold on every path to a position. Repetition is ignored, and the results are correct nevertheless:
//! a player who can win can win without repeating a position. Suppose that a position repeats while the
//! winner plays for the shortest win: the second time it has a higher clock and a shorter win. A lower clock
//! never harms the winner, so it had that shorter win the first time, too.
//!
//! # Example
//!
//! Who wins Amazons on a small board, with a table of 16 MiB:
//!
//! ```
//! use labrys_core::game::{Game, Wdl};
//! use labrys_core::game::amazons::Amazons;
//! use labrys_core::search::{Control, Limits};
//! use labrys_solver::solve;
//!
//! let position = Amazons::from_fen("1qq1/q2q/Q2Q/1QQ1 w")?;
//! let solution = solve(&position, 16, &Limits::none(), &Control::default())?;
//! assert_eq!(solution.value, Some(Wdl::Loss));
//! assert!(solution.is_complete && !solution.line.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod amazons;
mod certificate;
mod checkpoint;
mod facade;
mod games;
mod known;
mod numbers;
mod progress;
mod prover;
mod retrograde;
mod shared;
mod solvable;
mod split;
mod table;

use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

pub use self::certificate::{
    CertificateError, Counts, Header, Leaves, Verified, Verifier, WriteError, Written, header_of,
};
use self::checkpoint::Checkpoint;
pub use self::facade::{ProofEngine, SolveJob, SolveTask, SplitEvent, TaskError, add_game, engine};
pub use self::games::SolverGame;
pub use self::known::{KnownError, KnownValues, result_line};
use self::numbers::Numbers;
use self::progress::Progress;
use self::prover::Prover;
pub use self::retrograde::{BuildError, TableSummary, TablesListener, TablesRequest, build_tables};
pub use self::solvable::{ProofLeaf, Solvable};
pub use self::split::{Job, split};
use self::table::{Memory, ProofTable};
use labrys_core::game::{Color, EndgameTables, Game, GameHistory, TableOptions, Wdl};
use labrys_core::search::{Control, Limits};

/// Nodes of the first attempt at each of the two questions; they double with each attempt.
const FIRST_ATTEMPT: u64 = 1_000;

/// Nodes of a turn of a job: some 20 s.
const TURN: u64 = 1 << 21;

/// The answer of the solver, with moves of type `M`.
#[derive(Clone, Debug)]
pub struct Solution<M> {
    /// The value; `None` if the limits did not suffice for a proof.
    pub value: Option<Wdl>,
    /// A line of play that the winner wins; empty without a winner.
    pub line: Vec<M>,
    /// Whether the line reaches the end of the game: the limits may not suffice for that.
    pub is_complete: bool,
    /// Expansions: positions whose moves have been tried, each time counted, those of the line included.
    pub nodes: u64,
    /// Positions that have been evaluated, one after each of these moves.
    pub evaluations: u64,
    /// Time used.
    pub time: Duration,
}

/// Why a position cannot be solved.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SolveError {
    /// The game has chance events.
    #[error(transparent)]
    Chance(#[from] ChanceError),
    /// There is not enough memory for the table.
    #[error("no memory for a table of {megabytes} MB")]
    Memory {
        /// The requested size.
        megabytes: usize,
    },
    /// A checkpoint cannot be read or written.
    #[error("checkpoint {file}: {reason}")]
    Checkpoint {
        /// The file.
        file: String,
        /// The problem.
        reason: String,
    },
    /// The line does not end as proven: a bug of the engine.
    #[error("the proof of a {value} is wrong: its line ends otherwise")]
    Line {
        /// The value that was proven.
        value: Wdl,
    },
}

/// Results of a game of chance cannot be proven: neither solved, nor split into jobs, nor verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{variant} is a game of chance: no result can be proven")]
pub struct ChanceError {
    /// The game.
    pub variant: &'static str,
}

/// Checks that the results of a game can be proven: every way to a proof goes through here.
fn can_be_proven<G: Solvable>() -> Result<(), ChanceError> {
    if G::HAS_CHANCE { Err(ChanceError { variant: G::info().name }) } else { Ok(()) }
}

/// The resources of a search for a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resources {
    /// MiB of the table.
    pub megabytes: usize,
    /// Threads, at least 1. With more than one, nodes differ from run to run.
    pub threads: usize,
    /// A file that keeps the table: it is read before the search if it is there, and written from time to
    /// time and after the search.
    pub checkpoint: Option<PathBuf>,
}

impl From<usize> for Resources {
    /// A table of this many MiB, one thread, no checkpoint.
    fn from(megabytes: usize) -> Resources {
        Resources { megabytes, threads: 1, checkpoint: None }
    }
}

/// Proves the value of a position, within the limits of nodes and time (`limits.nodes`, `limits.movetime`),
/// with these resources, or a table of a number of MiB.
///
/// # Errors
/// [`SolveError::Chance`], [`SolveError::Memory`] and [`SolveError::Checkpoint`].
pub fn solve<G: Solvable>(
    position: &G,
    resources: impl Into<Resources>,
    limits: &Limits,
    control: &Control,
) -> Result<Solution<G::Move>, SolveError> {
    with_solver(position, &KnownValues::new(), None, &resources.into(), limits, control, |solver| {
        solver.solve()
    })?
}

/// Calls `job` with a solver of a position. Other positions may have a value that is `known`, or that endgame
/// `tables` have; the draw by lack of progress counts, whether or not it does in searches. Certificates cannot
/// rest on tables.
///
/// # Errors [`SolveError::Chance`], [`SolveError::Memory`], and [`SolveError::Checkpoint`] if there is a
/// checkpoint that cannot be read.
pub fn with_solver<G: Solvable, T>(
    position: &G,
    known: &KnownValues<G>,
    tables: Option<&dyn EndgameTables<G>>,
    resources: &Resources,
    limits: &Limits,
    control: &Control,
    job: impl FnOnce(&mut Solver<G>) -> T,
) -> Result<T, SolveError> {
    can_be_proven::<G>()?;
    let &Resources { megabytes, threads, ref checkpoint } = resources;
    let memory = Memory::new(megabytes).ok_or(SolveError::Memory { megabytes })?;
    let table = memory.table();
    let checkpoint = checkpoint
        .as_deref()
        .map(|path| Checkpoint::new(path, format!("{} {}", G::info().name, position.fen())));
    let checkpoint = checkpoint.as_ref();
    let _claim = checkpoint.map(Checkpoint::claim).transpose()?;
    if let Some(checkpoint) = checkpoint {
        checkpoint.read(table)?;
    }
    let progress = Progress::new::<G>(checkpoint);
    let by_the_rules = tables.and_then(|tables| {
        let options = TableOptions { progress_rule: true, ..tables.options() };
        tables.with_options(options)
    });
    let tables = by_the_rules.as_deref().or(tables);
    let prover = Prover::new(table, known.by_proof_key(), limits.clone(), control).with_tables(tables);
    let prover = prover.with_threads(threads).with_progress(&progress);
    Ok(job(&mut Solver { position, known, limits, prover, table, checkpoint }))
}

/// The solver of a position.
pub struct Solver<'a, G> {
    position: &'a G,
    known: &'a KnownValues<G>,
    limits: &'a Limits,
    prover: Prover<'a, G>,
    table: ProofTable<'a>,
    checkpoint: Option<&'a Checkpoint<'a>>,
}

/// A job, and its solution.
pub type Solved<'j, G> = (&'j Job<G, <G as Game>::Move>, Solution<<G as Game>::Move>);

/// Jobs that take turns, with the effort of each so far.
#[derive(Debug)]
pub struct JobQueue<'j, G: Game> {
    open: Vec<(&'j Job<G, G::Move>, Effort)>,
}

impl<'j, G: Game> JobQueue<'j, G> {
    /// A queue of jobs not yet started.
    pub fn new(jobs: &'j [Job<G, G::Move>]) -> JobQueue<'j, G> {
        JobQueue { open: jobs.iter().map(|job| (job, Effort::default())).collect() }
    }
}

/// The effort of searches, see [`Solution`].
#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    nodes: u64,
    evaluations: u64,
    time: Duration,
}

impl Effort {
    /// Adds the difference of two efforts.
    fn add(&mut self, from: &Effort, to: &Effort) {
        self.nodes += to.nodes - from.nodes;
        self.evaluations += to.evaluations - from.evaluations;
        self.time += to.time - from.time;
    }
}

impl<G: Solvable> Solver<'_, G> {
    /// Proves the value of the position.
    ///
    /// # Errors
    /// [`SolveError::Checkpoint`] if there is no result and the checkpoint cannot be written.
    pub fn solve(&mut self) -> Result<Solution<G::Move>, SolveError> {
        let value = value(self.position, &mut self.prover, u64::MAX);
        if let Err(error) = self.write_checkpoint() {
            // A proven result needs no checkpoint.
            match value {
                Some(value) => log::error!("{error}; the {value} is proven nevertheless"),
                None => return Err(error),
            }
        }
        Ok(self.solution(self.position, value))
    }

    /// Works on jobs until one is solved; `None` if none is left, or if the limits, which are those of all
    /// jobs together, have ended the work. The next turn is that of the job with the smallest proof number.
    /// They share the table.
    pub fn solve_next<'j>(&mut self, queue: &mut JobQueue<'j, G>) -> Option<Solved<'j, G>> {
        let JobQueue { open } = queue;
        while !self.prover.is_stopped()
            && let Some(place) = (0..open.len()).min_by_key(|&place| self.number(&open[place].0.position))
        {
            let (job, effort) = &mut open[place];
            let before = self.effort();
            let value = value(&job.position, &mut self.prover, TURN);
            let solution = self.solution(&job.position, value);
            effort.add(&before, &self.effort());
            if value.is_some() {
                let (job, Effort { nodes, evaluations, time }) = open.swap_remove(place);
                return Some((job, Solution { nodes, evaluations, time, ..solution }));
            }
        }
        None
    }

    /// The smallest proof or disproof number of the open questions about a position.
    fn number(&self, position: &G) -> u64 {
        let ProofLeaf::Open { key, numbers: [proof, disproof] } = position.proof_leaf() else { return 0 };
        let first = Numbers { proof, disproof }.clamped_open();
        let keys = [Some(key), G::CAN_BE_DRAWN.then_some(!key)].into_iter().flatten();
        let numbers = keys.map(|key| self.table.probe(key).unwrap_or(first));
        let open = numbers.filter(|numbers| numbers.proven().is_none());
        open.map(|Numbers { proof, disproof }| proof.min(disproof)).min().unwrap_or(0)
    }

    /// The effort of all searches so far.
    fn effort(&self) -> Effort {
        let Prover { nodes, evaluations, .. } = self.prover;
        Effort { nodes, evaluations, time: self.limits.start.elapsed() }
    }

    /// The solution of a position with this value.
    fn solution(&mut self, position: &G, value: Option<Wdl>) -> Solution<G::Move> {
        let (line, is_complete) = match value.and_then(|value| value.winner(position.side_to_move())) {
            Some(winner) => line(position, winner, self.known, &mut self.prover),
            None => (Vec::new(), true),
        };
        let Effort { nodes, evaluations, time } = self.effort();
        Solution { value, line, is_complete, nodes, evaluations, time }
    }

    /// Writes the checkpoint, if requested.
    ///
    /// # Errors
    /// [`SolveError::Checkpoint`] if it cannot be written.
    pub fn write_checkpoint(&self) -> Result<(), SolveError> {
        self.checkpoint.map_or(Ok(()), |checkpoint| checkpoint.write(self.table))
    }

    /// Writes the certificate of a value that has been proven. Results lost from the table are proven again,
    /// without limits: only the stop flag ends it.
    ///
    /// # Errors
    /// [`WriteError`]; then a file that was there before is unchanged.
    pub fn write_proof(
        &mut self,
        path: &Path,
        position: &G,
        value: Wdl,
        leaves: Leaves,
    ) -> Result<Written, WriteError> {
        let known = self.known;
        let write = |prover: &mut Prover<G>| certificate::write(path, position, value, leaves, known, prover);
        self.prover.without_limits(write).map_err(|error| error.of(path))
    }
}

/// The value of a position, if `most` more nodes suffice. The two questions take turns, as one may be much
/// harder than the other.
fn value<G: Solvable>(position: &G, prover: &mut Prover<G>, most: u64) -> Option<Wdl> {
    let (mut wins, mut holds) = (None, None);
    let end = prover.nodes.saturating_add(most);
    let mut nodes = if G::CAN_BE_DRAWN { FIRST_ATTEMPT } else { most };
    loop {
        wins = wins.or_else(|| prover.prove(position, true, nodes).map(|(reached, _)| reached));
        if G::CAN_BE_DRAWN && wins != Some(true) {
            holds = holds.or_else(|| prover.prove(position, false, nodes).map(|(reached, _)| reached));
        }
        match (wins, holds) {
            (Some(true), _) => return Some(Wdl::Win),
            (_, Some(false)) => return Some(Wdl::Loss),
            (Some(false), Some(true)) => return Some(Wdl::Draw),
            (Some(false), None) if !G::CAN_BE_DRAWN => return Some(Wdl::Loss),
            _ if prover.is_stopped() || prover.nodes >= end => return None,
            _ => nodes = nodes.saturating_mul(2),
        }
    }
}

/// A winning line, and whether it reaches the end of the game: it ends where the value is known. The loser
/// prefers moves whose loss has to be searched for.
fn line<G: Solvable>(
    start: &G,
    winner: Color,
    known: &KnownValues<G>,
    prover: &mut Prover<G>,
) -> (Vec<G::Move>, bool) {
    let (mut position, mut history, mut line) = (start.clone(), GameHistory::new(), Vec::new());
    loop {
        if let Some(outcome) = history.outcome(&position) {
            return (line, outcome.winner == Some(winner));
        }
        let is_given = known.get(&position).is_some() || prover.table_winner(&position).is_some();
        if !line.is_empty() && is_given {
            return (line, false);
        }
        let mv = match position.side_to_move() == winner {
            true => prover.prove(&position, true, u64::MAX).and_then(|(_, mv)| mv),
            false => toughest(&position),
        };
        let Some(mv) = mv else { return (line, false) };
        line.push(mv);
        history.push(&position);
        position.play(mv);
    }
}

/// A move of a player who has lost, if possible one whose loss has to be searched for.
fn toughest<G: Solvable>(position: &G) -> Option<G::Move> {
    let moves = position.moves();
    let is_open = |mv: &&G::Move| {
        let child = position.after(**mv);
        child.outcome().is_none() && matches!(child.proof_leaf(), ProofLeaf::Open { .. })
    };
    moves.iter().find(is_open).or(moves.first()).copied()
}
