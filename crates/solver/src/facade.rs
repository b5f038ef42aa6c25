//! The solver behind an object-safe facade: positions, moves and options are text.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use labrys_core::engine::registry::{self, GameTable, GameType};
use labrys_core::engine::{Board, Engine, GameState, Settings, TypedEngine, UnknownVariant, line_text};
use labrys_core::game::{EndgameTables, TablesError};
use labrys_core::game_table;
use labrys_core::search::{Control, Limits};
use labrys_support::files;
use thiserror::Error;

use crate::{
    CertificateError, Job, JobQueue, KnownError, KnownValues, Leaves, Resources, Solution, SolveError,
    Solver, SolverGame, Verified, Verifier, WriteError, Written, header_of, split, with_solver,
};

/// An engine whose positions can be solved.
pub trait ProofEngine {
    /// The engine, with the game in play and its options.
    fn engine(&self) -> &dyn Engine;

    /// The engine, to change it.
    fn engine_mut(&mut self) -> &mut dyn Engine;

    /// Solves the position: proves it a win, a loss or a draw for the side to move. Earlier positions of the
    /// game are ignored. The line of a win or a loss has been verified. `report` gets the answer before the
    /// certificate is written.
    ///
    /// # Errors
    /// [`TaskError`] if the game has chance, if there is not enough memory for the table, if the checkpoint
    /// cannot be read or written, or if a file with known values is refused or the certificate cannot be
    /// written.
    fn solve(
        &self,
        task: &SolveTask,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(Solution<String>),
    ) -> Result<Option<Written>, TaskError>;

    /// Solves the positions that [`ProofEngine::split`] lists, all of them within the limits, until `each` breaks,
    /// and returns how many there are. A certificate of each is written to a folder, which must be there, if
    /// there is to be one. Those that have one there are left out; a damaged one is moved aside.
    ///
    /// # Errors
    /// [`TaskError`], as for [`ProofEngine::solve`], and if a certificate there is of another position.
    fn solve_split(
        &self,
        plies: usize,
        task: &SolveTask,
        limits: &Limits,
        control: &Control,
        each: &mut dyn FnMut(SplitEvent) -> ControlFlow<()>,
    ) -> Result<usize, TaskError>;

    /// The positions `plies` plies below this one that have to be solved, the easiest first, without those
    /// whose value is in one of the files.
    ///
    /// # Errors
    /// [`KnownError`] if a file is refused.
    fn split(&self, plies: usize, known: &[PathBuf]) -> Result<Vec<SolveJob>, KnownError>;

    /// Checks the lines of a file of results, to which more are to be added.
    ///
    /// # Errors
    /// [`KnownError`] names a line that could not be used as a known value.
    fn check_results(&self, path: &Path) -> Result<(), KnownError>;

    /// Checks certificates, each of which may rest on those before it. `each` gets what they prove.
    ///
    /// # Errors
    /// [`KnownError`] if one proves nothing.
    fn verify(&self, files: &[PathBuf], each: &mut dyn FnMut(Verified)) -> Result<(), KnownError>;
}

/// The proof engine of a game, for dispatch by name.
trait RegisteredGame: Sync {
    fn engine(&self, settings: &Settings) -> Box<dyn ProofEngine>;
}

impl<G: SolverGame> RegisteredGame for GameType<G> {
    fn engine(&self, settings: &Settings) -> Box<dyn ProofEngine> {
        Box::new(GameProofEngine::<G>(G::engine(settings)))
    }
}

static GAMES: GameTable<dyn RegisteredGame> = game_table!();

/// Adds a game to those that can be solved by name, unless there is one of its name.
pub fn add_game<G: SolverGame>() {
    registry::add::<G>();
    GAMES.add(G::info, &GameType::<G>::GAME);
}

/// An engine with proofs for a game by name, at the start position.
///
/// # Errors
/// [`UnknownVariant`] lists the games.
pub fn engine(name: &str, settings: &Settings) -> Result<Box<dyn ProofEngine>, UnknownVariant> {
    GAMES.get(name).map(|game| game.engine(settings))
}

/// A solving task.
#[derive(Clone, Debug)]
pub struct SolveTask<'a> {
    /// The resources of the search.
    pub resources: Resources,
    /// Files with values that are known.
    pub known: &'a [PathBuf],
    /// The folder with tables of small regions, if they are to be used. Those that it lacks are built.
    pub regions: Option<&'a Path>,
    /// The file of the certificate, or the folder for those of a split proof, if requested, and how their
    /// lines end.
    pub proof: Option<(&'a Path, Leaves)>,
}

/// Why a position was not solved or its certificate not written.
#[derive(Debug, Error)]
pub enum TaskError {
    /// The position cannot be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A file with known values is refused.
    #[error(transparent)]
    Known(#[from] KnownError),
    /// The tables of small regions cannot be read or built.
    #[error(transparent)]
    Regions(#[from] TablesError),
    /// There is no certificate.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A certificate was requested, and there are endgame tables.
    #[error("a certificate rests on the rules alone, not on endgame tables")]
    Tables,
}

/// An event of solving the positions of a split proof.
#[derive(Clone, Debug)]
pub enum SplitEvent {
    /// One is solved.
    Solved(SolveJob, Solution<String>),
    /// Its certificate is in a file, unless it was stopped before.
    Certified(PathBuf, Option<Written>),
}

/// A position that has to be solved, in text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolveJob {
    /// The position.
    pub fen: String,
    /// The moves that lead to it.
    pub moves: Vec<String>,
    /// An estimate of the work, for comparison only.
    pub difficulty: u64,
}

/// [`ProofEngine`] for the game `G`.
struct GameProofEngine<G: SolverGame>(Box<dyn TypedEngine<G>>);

impl<G: SolverGame> GameProofEngine<G> {
    /// The endgame tables that a task may rest on. Its tables of regions are in use from here on.
    fn tables_for(
        &self,
        task: &SolveTask,
        control: &Control,
    ) -> Result<Option<&dyn EndgameTables<G>>, TaskError> {
        if let Some(folder) = task.regions {
            // If it was stopped, the solver sees the stop flag, too.
            G::open_regions(folder, task.resources.threads, control.stop_flag())?;
        }
        match self.0.tables() {
            Some(_) if task.proof.is_some() => Err(TaskError::Tables),
            tables => Ok(tables),
        }
    }

    /// Solves the position and writes the certificate, see [`ProofEngine::solve`].
    fn solve_with(
        &self,
        solver: &mut Solver<G>,
        task: &SolveTask,
        report: &mut dyn FnMut(Solution<String>),
    ) -> Result<Option<Written>, TaskError> {
        let solution = checked(self.0.game(), solver.solve()?)?;
        let value = solution.value;
        report(solution);
        match (task.proof, value) {
            (Some((path, leaves)), Some(value)) => {
                Ok(Some(solver.write_proof(path, self.0.game().position(), value, leaves)?))
            }
            _ => Ok(None),
        }
    }

    /// Solves jobs, and writes their certificates, see [`ProofEngine::solve_split`].
    fn solve_jobs(
        &self,
        solver: &mut Solver<G>,
        jobs: &[Job<G, G::Move>],
        task: &SolveTask,
        each: &mut dyn FnMut(SplitEvent) -> ControlFlow<()>,
    ) -> Result<(), TaskError> {
        let mut queue = JobQueue::new(jobs);
        while let Some((job, solution)) = solver.solve_next(&mut queue) {
            let mut play = self.0.game().clone();
            job.moves.iter().for_each(|&mv| play.advance(mv));
            let value = solution.value;
            let mut flow = each(SplitEvent::Solved(self.job_in_text(job), checked(&play, solution)?));
            if let (Some((folder, leaves)), Some(value)) = (task.proof, value)
                && flow.is_continue()
            {
                let file = self.certificate_of(job, folder);
                let written = match solver.write_proof(&file, &job.position, value, leaves) {
                    Err(WriteError::Stopped) => None,
                    written => Some(written?),
                };
                flow = each(SplitEvent::Certified(file, written));
            }
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The file of a job's certificate in a folder, named by the moves that lead to the position.
    fn certificate_of(&self, job: &Job<G, G::Move>, folder: &Path) -> PathBuf {
        let moves = line_text(self.0.game().position(), &job.moves);
        folder.join(format!("{}.proof", moves.join("_")))
    }

    fn job_in_text(&self, job: &Job<G, G::Move>) -> SolveJob {
        let Job { position, moves, difficulty } = job;
        let moves = line_text(self.0.game().position(), moves);
        SolveJob { fen: position.fen(), moves, difficulty: *difficulty }
    }
}

/// Whether there is a certificate of a position at a path, by its checksum and header. A file that cannot be
/// read as one is moved aside.
fn is_certified<G: SolverGame>(position: &G, path: &Path) -> Result<bool, KnownError> {
    let refused = |error| KnownError::from_certificate(path, error);
    let header = match header_of(path) {
        Ok((header, _)) => header,
        Err(CertificateError::Io(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error @ CertificateError::Io(_)) => return Err(refused(error)),
        Err(error) => {
            let aside = files::move_aside(path).map_err(|error| refused(error.into()))?;
            log::warn!("{} {error}: moved to {}", path.display(), aside.display());
            return Ok(false);
        }
    };
    if header.variant != G::info().name {
        let (found, expected) = (header.variant, G::info().name);
        return Err(refused(CertificateError::Game { found, expected }));
    }
    if header.fen != position.fen() {
        let (found, expected) = (header.fen, position.fen());
        return Err(refused(CertificateError::Position { found, expected }));
    }
    Ok(true)
}

/// The solution of the position of a game in text.
///
/// # Errors
/// [`SolveError::Line`] if its line does not end as proven.
fn checked<G: SolverGame>(
    play: &GameState<G>,
    solution: Solution<G::Move>,
) -> Result<Solution<String>, SolveError> {
    let (position, Solution { value, line, is_complete, nodes, evaluations, time }) =
        (play.position(), solution);
    let line = line_text(position, &line);
    let winner = value.and_then(|value| value.winner(position.side_to_move()));
    if let (Some(value), Some(winner), true) = (value, winner, is_complete) {
        let mut replay = play.from_here();
        let is_legal = line.iter().all(|mv| replay.play(mv).is_ok());
        let end = replay.outcome().and_then(|outcome| outcome.winner);
        if !is_legal || end != Some(winner) {
            return Err(SolveError::Line { value });
        }
    }
    Ok(Solution { value, line, is_complete, nodes, evaluations, time })
}

impl<G: SolverGame> ProofEngine for GameProofEngine<G> {
    fn engine(&self) -> &dyn Engine {
        self.0.as_ref()
    }

    fn engine_mut(&mut self) -> &mut dyn Engine {
        self.0.as_mut()
    }

    fn solve(
        &self,
        task: &SolveTask,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(Solution<String>),
    ) -> Result<Option<Written>, TaskError> {
        let position = self.0.game().position();
        let known = KnownValues::read(task.known)?;
        let tables = self.tables_for(task, control)?;
        let job = |solver: &mut Solver<G>| self.solve_with(solver, task, report);
        with_solver(position, &known, tables, &task.resources, limits, control, job)?
    }

    fn solve_split(
        &self,
        plies: usize,
        task: &SolveTask,
        limits: &Limits,
        control: &Control,
        each: &mut dyn FnMut(SplitEvent) -> ControlFlow<()>,
    ) -> Result<usize, TaskError> {
        let position = self.0.game().position();
        let known = KnownValues::read(task.known)?;
        let tables = self.tables_for(task, control)?;
        let mut jobs = split(position, plies, &known);
        if let Some((folder, _)) = task.proof {
            let mut open = Vec::new();
            for job in jobs {
                if !is_certified(&job.position, &self.certificate_of(&job, folder))? {
                    open.push(job);
                }
            }
            jobs = open;
        }
        let run = |solver: &mut Solver<G>| {
            let solved = self.solve_jobs(solver, &jobs, task, each);
            solver.write_checkpoint()?;
            solved
        };
        with_solver(position, &known, tables, &task.resources, limits, control, run)??;
        Ok(jobs.len())
    }

    fn split(&self, plies: usize, known: &[PathBuf]) -> Result<Vec<SolveJob>, KnownError> {
        let jobs = split(self.0.game().position(), plies, &KnownValues::read(known)?);
        Ok(jobs.iter().map(|job| self.job_in_text(job)).collect())
    }

    fn check_results(&self, path: &Path) -> Result<(), KnownError> {
        KnownValues::<G>::check_lines(path)
    }

    fn verify(&self, files: &[PathBuf], each: &mut dyn FnMut(Verified)) -> Result<(), KnownError> {
        let mut verifier = Verifier::<G>::new();
        for path in files {
            each(verifier.verify(path).map_err(|error| KnownError::from_certificate(path, error))?);
        }
        Ok(())
    }
}
