//! The engine of one game: a game in play and a thinker, behind the text interface.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::options::SetResult;
use super::{
    BestMove, Board, Engine, EvaluationInUse, MovePrior, OptionError, OptionSpec, Play, PolicyBreakdown,
    SearchListener, SearchReport, Settings, SideEffect, SolveJob, SolveTask, SplitEvent, TableBreakdown,
    TaskError, Thinker, WeightsSource,
};
use crate::eval::nnue::NetBreakdown;
use crate::eval::{EvalBreakdown, WdlModel, Weights, WeightsError};
use crate::game::{EndgameTables, Game, MoveError, Playable};
use crate::nets::NetError;
use crate::search::{
    Control, Job, Known, KnownError, Leaf, Limits, Listener, Progress, Report, Solution, SolveError, Solver,
    Turns, Verified, Verifier, WriteError, Written, split, with_solver,
};

/// [`Engine`] for the game `G`.
#[derive(Debug)]
pub struct Session<G: Game> {
    play: Play<G>,
    thinker: Thinker<G>,
}

impl<G: Playable> Session<G> {
    /// An engine at the start position.
    pub fn new(settings: &Settings) -> Session<G> {
        Session { play: Play::start(), thinker: Thinker::new(settings) }
    }

    /// The options that not every game has.
    pub(super) fn options_of_game() -> Vec<OptionSpec> {
        Thinker::<G>::options_of_game()
            .into_iter()
            .chain(Play::<G>::own_row().map(|row| row.spec()))
            .collect()
    }

    /// The game in play and the thinker, for callers that know the game.
    pub fn into_parts(self) -> (Play<G>, Thinker<G>) {
        (self.play, self.thinker)
    }

    /// The endgame tables that a task may rest on. Its tables of regions are in use from here on.
    fn tables_for(
        &self,
        task: &SolveTask,
        control: &Control,
    ) -> Result<Option<&dyn EndgameTables<G>>, TaskError> {
        if let Some(folder) = task.regions {
            // Where it has been stopped, the solver hears of that, too.
            G::open_regions(folder, task.resources.threads, control.stop_flag())?;
        }
        match self.thinker.tables() {
            Some(_) if task.proof.is_some() => Err(TaskError::Tables),
            tables => Ok(tables),
        }
    }

    /// Solves the position and writes the certificate, see [`Engine::solve`].
    fn solve_with(
        &self,
        solver: &mut Solver<G>,
        task: &SolveTask,
        report: &mut dyn FnMut(Solution<String>),
    ) -> Result<Option<Written>, TaskError> {
        let solution = checked(&self.play, solver.solve()?)?;
        let value = solution.value;
        report(solution);
        match (task.proof, value) {
            (Some((path, leaves)), Some(value)) => {
                Ok(Some(solver.write_proof(path, self.play.position(), value, leaves)?))
            }
            _ => Ok(None),
        }
    }

    /// Solves jobs, and writes their certificates, see [`Engine::solve_split`].
    fn solve_jobs(
        &self,
        solver: &mut Solver<G>,
        jobs: &[Job<G, G::Move>],
        task: &SolveTask,
        each: &mut dyn FnMut(SplitEvent) -> ControlFlow<()>,
    ) -> Result<(), TaskError> {
        let mut turns = Turns::new(jobs);
        while let Some((job, solution)) = solver.solve_next(&mut turns) {
            let mut play = self.play.clone();
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
        let moves = line_text(self.play.position(), &job.moves);
        folder.join(format!("{}.proof", moves.join("_")))
    }

    fn job_in_text(&self, job: &Job<G, G::Move>) -> SolveJob {
        let Job { position, moves, difficulty } = job;
        let moves = line_text(self.play.position(), moves);
        SolveJob { fen: position.fen(), moves, difficulty: *difficulty }
    }
}

/// Translates search reports into text.
struct Translator<'a, G> {
    /// The position that is searched.
    position: &'a G,
    /// The model of results, if reports have WDL.
    wdl: Option<WdlModel>,
    listener: &'a mut dyn SearchListener,
}

impl<G: Game> Listener<G::Move> for Translator<'_, G> {
    fn report(&mut self, report: Report<G::Move>) {
        self.listener.report(&SearchReport {
            depth: report.depth,
            seldepth: report.seldepth,
            multipv: report.multipv,
            score: report.score.to_uci(),
            bound: report.bound,
            wdl: self.wdl.map(|model| report.score.wdl(model)),
            nodes: report.nodes,
            time: report.time,
            hashfull: report.hashfull,
            tbhits: report.tbhits,
            visits: report.visits,
            pv: line_text(self.position, &report.pv),
        });
    }

    fn root_move(&mut self, depth: u32, mv: G::Move, number: usize, progress: &Progress) {
        self.listener.root_move(depth, &self.position.move_text(mv), number, progress);
    }

    fn progress(&mut self, progress: &Progress) {
        self.listener.progress(progress);
    }
}

/// The solution of the position of a game in text.
///
/// # Errors
/// [`SolveError::Line`] if its line does not end as proven.
fn checked<G: Playable>(play: &Play<G>, solution: Solution<G::Move>) -> Result<Solution<String>, SolveError> {
    let (position, Solution { value, line, is_complete, nodes, evaluations, time }) =
        (play.position(), solution);
    let line = line_text(position, &line);
    let winner = value.and_then(|value| value.winner(position.side_to_move()));
    if let (Some(value), Some(winner), true) = (value, winner, is_complete) {
        let mut replay = play.begun_here();
        let is_legal = line.iter().all(|mv| replay.play(mv).is_ok());
        let end = replay.outcome().and_then(|outcome| outcome.winner);
        if !is_legal || end != Some(winner) {
            return Err(SolveError::Line { value });
        }
    }
    Ok(Solution { value, line, is_complete, nodes, evaluations, time })
}

/// The moves of a line in text.
fn line_text<G: Game>(start: &G, line: &[G::Move]) -> Vec<String> {
    let mut position = start.clone();
    let text = line.iter().map(|&mv| {
        let text = position.move_text(mv);
        position.play(mv);
        text
    });
    text.collect()
}

impl<G: Playable> Engine for Session<G> {
    fn board(&self) -> &dyn Board {
        &self.play
    }

    fn board_mut(&mut self) -> &mut dyn Board {
        &mut self.play
    }

    fn settings(&self) -> &Settings {
        self.thinker.settings()
    }

    fn options(&self) -> Vec<OptionSpec> {
        let mut options: Vec<_> = self.thinker.options().into_iter().chain(self.play.option()).collect();
        options.sort_by_key(|option| option.group);
        options
    }

    fn set_option(&mut self, name: &str, value: &str) -> SetResult {
        match self.play.set_option(name, value) {
            Err(OptionError::Unknown { .. }) => self.thinker.set_option(name, value),
            result => {
                result?;
                self.thinker.forget_tree();
                Ok(Vec::new())
            }
        }
    }

    fn check_net(&self) -> Result<(), NetError> {
        self.thinker.check_board(self.play.position())
    }

    fn new_game(&mut self) {
        self.thinker.new_game();
    }

    fn evaluation_in_use(&self) -> EvaluationInUse {
        self.thinker.evaluation_in_use(self.play.position())
    }

    fn eval_breakdown(&self) -> EvalBreakdown {
        self.thinker.linear().breakdown(self.play.position())
    }

    fn net_breakdown(&self) -> Option<NetBreakdown> {
        self.thinker.net_breakdown(self.play.position())
    }

    fn table_breakdown(&self) -> Option<TableBreakdown> {
        self.thinker.table_breakdown(self.play.position())
    }

    fn policy_breakdown(&self) -> Option<PolicyBreakdown> {
        let Leaf { position, moves, priors, value, .. } = self.thinker.judgement(&self.play)?;
        let mut moves: Vec<_> = moves
            .into_iter()
            .zip(priors)
            .map(|(mv, prior)| MovePrior { mv: position.move_text(mv), san: position.san(mv), prior })
            .collect();
        moves.sort_by(|a, b| b.prior.total_cmp(&a.prior));
        Some(PolicyBreakdown { value, moves })
    }

    fn weights(&self) -> &Weights {
        self.thinker.weights()
    }

    fn set_weights(&mut self, source: &WeightsSource) -> Result<Vec<SideEffect>, WeightsError> {
        self.thinker.set_weights(source)
    }

    fn search(
        &mut self,
        root_moves: &[String],
        limits: &Limits,
        control: &Control,
        listener: &mut dyn SearchListener,
    ) -> Result<BestMove, MoveError> {
        let Session { play, thinker } = self;
        let position = play.position();
        let mut moves = Vec::new();
        for text in root_moves {
            let mv = position.parse_move(text)?;
            // A move that is named twice is searched once.
            if !moves.contains(&mv) {
                moves.push(mv);
            }
        }
        let moves = (!moves.is_empty()).then_some(moves.as_slice());
        let wdl = thinker.settings().show_wdl.then(|| thinker.scale(position).wdl);
        let mut listener = Translator { position, wdl, listener };
        let best = thinker.think(play, moves, limits, control, &mut listener);
        let line: Vec<_> = best.mv.into_iter().chain(best.ponder).collect();
        let mut line = line_text(position, &line).into_iter();
        Ok(BestMove { best: line.next(), ponder: line.next(), nodes: best.nodes })
    }

    fn solve(
        &self,
        task: &SolveTask,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(Solution<String>),
    ) -> Result<Option<Written>, TaskError> {
        let position = self.play.position();
        let known = Known::read(task.known)?;
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
        let position = self.play.position();
        let known = Known::read(task.known)?;
        let tables = self.tables_for(task, control)?;
        let mut jobs = split(position, plies, &known);
        if let Some((folder, _)) = task.proof {
            jobs.retain(|job| !self.certificate_of(job, folder).exists());
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
        let jobs = split(self.play.position(), plies, &Known::read(known)?);
        Ok(jobs.iter().map(|job| self.job_in_text(job)).collect())
    }

    fn verify(&self, files: &[PathBuf], each: &mut dyn FnMut(Verified)) -> Result<(), KnownError> {
        let mut verifier = Verifier::<G>::new();
        for path in files {
            each(verifier.verify(path).map_err(|error| KnownError::of_certificate(path, error))?);
        }
        Ok(())
    }

    fn bench(&self, depth: Option<u32>, control: &Control, each: &mut dyn FnMut(&str, u64)) -> Option<u64> {
        let suite = G::BENCH;
        let limits = Limits::depth(depth.unwrap_or(suite.depth));
        let mut total = 0;
        for fen in suite.fens {
            let Session::<G> { mut play, mut thinker } = Session::new(&Settings::default());
            // A test reads all bench positions.
            play.set_up(Some(fen), &[]).ok()?;
            let nodes = thinker.think(&play, None, &limits, control, &mut |_: Report<_>| {}).nodes;
            if control.is_stopped() {
                return None;
            }
            each(fen, nodes);
            total += nodes;
        }
        Some(total)
    }
}
