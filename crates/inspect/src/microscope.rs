//! Positions under the microscope: the facade for all games, and the work on one position.

use labrys_core::engine::registry::{GameTable, GameType};
use labrys_core::engine::{
    GameState, OptionError, PositionError, Settings, TypedEngine, TypedEvaluation, UnknownVariant, registry,
};
use labrys_core::eval::{Evaluator, Score};
use labrys_core::game::{Knowledge, Phase, mixed};
use labrys_core::game_table;
use labrys_core::search::{
    Claim, Control, Heuristics, Limits, Method, MsdOptions, Options, Reference, ReferenceNode, Report,
    SearchInput, SearchMode, Step, TranspositionTable, observe,
};
use labrys_solver::SolverGame;
use thiserror::Error;

use crate::blame::{blame, units};
use crate::judge::{Judge, Judgement};
use crate::recorder::{Recorder, Sample};
use crate::report::{DecisionReport, Inspection, MoveReport, PositionReport, StepCount, Verdict, View};
use crate::task::{ReferenceKind, StartPosition, Task};
use crate::truth::{Truth, game};
use crate::{positions, priors, ratings, searches, summary};

/// The keep rate of the filter where the options keep all moves: a rate of the paper's tables.
const KEEP_RATE: u32 = 35;

/// MiB of the table of a reference.
const MEMORY: usize = 64;

/// Why nothing can be inspected.
#[derive(Debug, Error)]
pub enum InspectError {
    /// There is no such game.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// An option cannot be set.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A position cannot be set up.
    #[error("position {number}: {error}")]
    Position {
        /// Its number, from 1.
        number: usize,
        /// The problem.
        error: PositionError,
    },
    /// Games of self-play end before a position can be taken from them.
    #[error("self-play: the games of this board end too soon, choose positions of your own")]
    ShortGames,
    /// The reference needs tables, and none are set.
    #[error("reference tables: no endgame tables, set the option {option} to their folder")]
    NoTables {
        /// The option.
        option: &'static str,
    },
    /// The game has no endgame tables.
    #[error("reference tables: {variant} has no endgame tables")]
    TablesOfGame {
        /// The game.
        variant: &'static str,
    },
    /// The game has chance.
    #[error("reference solve: {variant} is a game of chance: no result can be proven")]
    Chance {
        /// The game.
        variant: &'static str,
    },
    /// The priors have no net.
    #[error("view priors: no policy/value net for this board, set the option NetFile")]
    NoNet,
    /// The options select no search by depth.
    #[error("option SearchMode: only searches by depth can be inspected")]
    Method,
    /// There is not enough memory.
    #[error("no memory for a table of {megabytes} MB")]
    Memory {
        /// The requested size.
        megabytes: usize,
    },
}

/// The microscope of a game, for dispatch by name.
trait Microscope: Sync {
    fn inspect(
        &self,
        task: &Task,
        control: &Control,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Inspection, InspectError>;
}

impl<G: SolverGame> Microscope for GameType<G> {
    fn inspect(
        &self,
        task: &Task,
        control: &Control,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Inspection, InspectError> {
        inspect_game::<G>(task, control, progress)
    }
}

static GAMES: GameTable<dyn Microscope> = game_table!();

/// Adds a game to those that can be inspected by name, unless there is one of its name.
pub fn add_game<G: SolverGame>() {
    registry::add::<G>();
    GAMES.add(G::info, &GameType::<G>::GAME);
}

/// Inspects the positions of a task. `progress` gets the number of each position that is done, from 1. Where
/// `control` ends the work, the result is that of the positions so far.
///
/// # Errors
/// [`InspectError`] names the argument that does not fit.
pub fn inspect(
    task: &Task,
    control: &Control,
    progress: &mut dyn FnMut(usize),
) -> Result<Inspection, InspectError> {
    GAMES.get(&task.variant)?.inspect(task, control, progress)
}

/// An engine with the options of a task.
pub(crate) fn engine_of<G: SolverGame>(task: &Task) -> Result<Box<dyn TypedEngine<G>>, OptionError> {
    let mut engine = G::engine(&Settings::default());
    for (name, value) in &task.options {
        engine.set_option(name, value)?;
    }
    Ok(engine)
}

/// The keep rate at which the filter is inspected.
pub(crate) fn keep_rate(options: &MsdOptions) -> u32 {
    match (options.keep_rate, options.keep_fall) {
        (100, 0) => KEEP_RATE,
        (rate, _) => rate,
    }
}

fn inspect_game<G: SolverGame>(
    task: &Task,
    control: &Control,
    progress: &mut dyn FnMut(usize),
) -> Result<Inspection, InspectError> {
    let variant = G::info().name;
    let mut engine = engine_of::<G>(task)?;
    let mut games = Vec::new();
    for (number, StartPosition { fen, moves }) in (1..).zip(&task.positions) {
        let set_up = engine.board_mut().set_up(fen.as_deref(), moves);
        set_up.map_err(|error| InspectError::Position { number, error })?;
        games.push(engine.game().clone());
    }
    games.extend(positions::selfplay(task, control)?);
    match task.reference {
        ReferenceKind::Solve if G::HAS_CHANCE => return Err(InspectError::Chance { variant }),
        ReferenceKind::Tables if engine.tables().is_none() => {
            return Err(G::TABLES_OPTION
                .map_or(InspectError::TablesOfGame { variant }, |option| InspectError::NoTables { option }));
        }
        _ => {}
    }
    if !matches!(engine.settings().method, Method::Deepening(_)) {
        return Err(InspectError::Method);
    }
    let evaluation = games.first().map_or(String::new(), |game| engine.evaluation_name(game.position()));
    let mut reports = Vec::new();
    for (number, game) in (0..).zip(&games) {
        let seed = mixed(task.seed ^ mixed(number));
        let position = match engine.evaluation(game.position()) {
            TypedEvaluation::Linear(evaluator) => {
                inspect_position(task, engine.as_ref(), evaluator, game, seed, control)
            }
            TypedEvaluation::Net(evaluator) => {
                inspect_position(task, engine.as_ref(), evaluator, game, seed, control)
            }
        }?;
        if control.is_stopped() {
            break;
        }
        reports.push(position);
        progress(reports.len());
    }
    Ok(Inspection {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        variant,
        evaluation,
        depth: task.depth,
        reference: task.reference.to_string(),
        samples: task.samples,
        budget: task.budget,
        seed: task.seed,
        options: task.options.iter().map(|(name, value)| [name.clone(), value.clone()]).collect(),
        complete: reports.len() == task.positions.len() + task.selfplay,
        summary: summary::rows(&reports),
        positions: reports,
    })
}

/// A position with all views.
fn inspect_position<G: SolverGame, E: Evaluator<G>>(
    task: &Task,
    engine: &dyn TypedEngine<G>,
    evaluator: &E,
    root: &GameState<G>,
    seed: u64,
    control: &Control,
) -> Result<PositionReport, InspectError> {
    let outcome = root.history().outcome(root.position());
    let mut report = PositionReport {
        fen: root.position().fen(),
        phase: Phase::of(root.position()).name(),
        outcome: outcome.map(|outcome| outcome.to_string()),
        searches: Vec::new(),
        counts: Vec::new(),
        decisions: Vec::new(),
    };
    if outcome.is_some() {
        return Ok(report);
    }
    let settings = engine.settings();
    let Method::Deepening(mode) = settings.method else { return Err(InspectError::Method) };
    let plain = Options {
        msd: MsdOptions { keep_rate: 100, keep_fall: 0, ..settings.search.msd.clone() },
        ..settings.search.clone()
    };
    let has = |view| task.views.contains(&view);
    let limits = Limits { nodes: Some(task.budget), ..Limits::none() };
    let tables = engine.tables();
    let input = |options| SearchInput {
        tables,
        ..SearchInput::new(root.position(), root.history(), evaluator, options, &limits)
    };

    let tree = Tree { task, view: View::Search, mode, hash: settings.hash, seed, control };
    if has(View::Search) || has(View::Searches) || has(View::Priors) {
        let mut judge = judge(task, engine, input(&plain), mode, root, control)?;
        if has(View::Searches) {
            report.searches = searches::searches(task, &mut judge)?;
        }
        let mut samples = Vec::new();
        if has(View::Search) || has(View::Priors) {
            samples = tree.record(input(&plain), has(View::Search).then_some(&mut report.counts))?;
        }
        if has(View::Search) {
            let mut decide = |sample| decision(&tree, evaluator, &plain, &mut judge, sample);
            report.decisions.extend(samples.iter().filter_map(&mut decide));
        }
        if has(View::Priors) {
            let (counts, decisions) = priors::priors(task, &mut judge, &samples)?;
            report.counts.extend(counts);
            report.decisions.extend(decisions);
        }
    }
    if has(View::Filter) {
        let mut options = settings.search.clone();
        options.msd.keep_rate = keep_rate(&options.msd);
        // The paper's search, unless another one without selectivity has been chosen.
        let mode = if mode == SearchMode::Minimax { mode } else { SearchMode::AlphaBeta };
        let mut judge = self::judge(task, engine, input(&options), mode, root, control)?;
        let tree = Tree { view: View::Filter, mode, ..tree };
        let samples = tree.record(input(&options), Some(&mut report.counts))?;
        let mut decide = |sample| decision(&tree, evaluator, &options, &mut judge, sample);
        report.decisions.extend(samples.iter().filter_map(&mut decide));
    }
    Ok(report)
}

/// The reference of a task for the searches of a position.
fn judge<'a, 'c, G: SolverGame, E: Evaluator<G>>(
    task: &Task,
    engine: &'a dyn TypedEngine<G>,
    input: SearchInput<'a, G, E>,
    mode: SearchMode,
    root: &'c GameState<G>,
    control: &'c Control,
) -> Result<Judge<'a, 'c, G, E>, InspectError> {
    let memory = InspectError::Memory { megabytes: MEMORY };
    let truth = match task.reference {
        ReferenceKind::Minimax => {
            Truth::Minimax(Box::new(Reference::new(input, mode, MEMORY).ok_or(memory)?))
        }
        ReferenceKind::Solve => Truth::Solve(task.budget),
        ReferenceKind::Tables => {
            Truth::Tables(engine.tables().ok_or(InspectError::TablesOfGame { variant: G::info().name })?)
        }
        ReferenceKind::Nodes(nodes) => Truth::Nodes(engine_of::<G>(task)?, nodes),
    };
    Ok(Judge { truth, root, control })
}

/// A search whose decisions are recorded.
#[derive(Clone, Copy)]
struct Tree<'a> {
    task: &'a Task,
    view: View,
    mode: SearchMode,
    /// MiB of its table.
    hash: usize,
    seed: u64,
    control: &'a Control,
}

impl Tree<'_> {
    /// Searches the tree, and draws samples of its decisions. `counts` gets the number of all decisions; then
    /// the tree is searched without each of the steps as well.
    fn record<G: SolverGame, E: Evaluator<G>>(
        &self,
        input: SearchInput<G, E>,
        counts: Option<&mut Vec<StepCount>>,
    ) -> Result<Vec<Sample<G::Move>>, InspectError> {
        let Tree { task, view, .. } = *self;
        let mut recorder = Recorder::new(task.depth, task.samples, self.seed);
        let (nodes, nodes_with) = self.search(input, &mut recorder)?;
        if let Some(counts) = counts {
            let mut nodes_without = None;
            let mut last = None;
            for (&(step, depth), cell) in &recorder.cells {
                if last.replace(step) != Some(step) {
                    nodes_without = match step {
                        // The filter is no part of the steps of a selective search.
                        Step::Filter => None,
                        _ => Some(self.search(input, &mut Recorder::without(step))?.1),
                    };
                }
                let (step, decisions) = (step.name(), cell.count);
                counts.push(StepCount { view, step, depth, decisions, nodes, nodes_with, nodes_without });
            }
        }
        Ok(recorder.cells.into_values().flat_map(|cell| cell.samples).collect())
    }

    /// Searches the tree from fresh tables. Returns the nodes of the last iteration, the only one whose
    /// decisions are recorded, and those of all.
    fn search<G: SolverGame, E: Evaluator<G>>(
        &self,
        input: SearchInput<G, E>,
        recorder: &mut Recorder<G::Move>,
    ) -> Result<(u64, u64), InspectError> {
        let megabytes = self.hash;
        let table = TranspositionTable::new(megabytes).ok_or(InspectError::Memory { megabytes })?;
        let limits = Limits::depth(self.task.depth);
        let input = SearchInput { limits: &limits, ..input };
        let (mut heuristics, mut before) = (Heuristics::new(), 0);
        let mut listener = |report: Report<G::Move>| {
            if report.depth < self.task.depth {
                before = report.nodes;
            }
        };
        let result =
            observe(&input, self.mode, &table, &mut heuristics, self.control, &mut listener, recorder);
        Ok((result.nodes - before, result.nodes))
    }
}

/// A decision with its verdict; `None` after the end of the work.
fn decision<G: SolverGame, E: Evaluator<G>>(
    tree: &Tree,
    evaluator: &E,
    options: &Options,
    judge: &mut Judge<G, E>,
    sample: &Sample<G::Move>,
) -> Option<DecisionReport> {
    let Sample { step, node, claim, tested, terms } = sample;
    let game = game(judge.root, &node.path)?;
    let judgement = judge.judge(node, *claim);
    let is_wrong = judgement.as_ref().is_some_and(|judgement| !judgement.is_right);
    let missed = judgement.as_ref().and_then(|judgement| judgement.missed);
    let (mut moves, blamed) = match claim {
        Claim::HasBest => rated_moves(evaluator, options, &game, node, missed),
        _ => {
            let text = |&mv: &_| game.position().move_text(mv);
            let moves = node.moves.iter().map(text).map(|mv| MoveReport { mv, ..MoveReport::default() });
            (moves.collect(), if is_wrong { blame(judge, sample) } else { None })
        }
    };
    if tree.task.values && *claim == Claim::HasBest {
        add_values(judge, node, &mut moves);
    }
    let claim = match claim {
        Claim::AtMost(bound) => format!("≤ {}", score_text(*bound)),
        Claim::AtLeast(bound) => format!("≥ {}", score_text(*bound)),
        Claim::HasBest => "the best move is kept".to_owned(),
    };
    let report = report(judge, node, judgement)?;
    let (view, step, terms) = (tree.view, step.name(), terms.clone());
    Some(DecisionReport { view, step, moves, claim, tested: *tested, terms, blame: blamed, ..report })
}

/// The report of a node and the verdict of the reference; `None` after the end of the work.
pub(crate) fn report<G: SolverGame, E: Evaluator<G>>(
    judge: &Judge<G, E>,
    node: &ReferenceNode<G::Move>,
    judgement: Option<Judgement<G::Move>>,
) -> Option<DecisionReport> {
    if judge.control.is_stopped() {
        return None;
    }
    let game = game(judge.root, &node.path)?;
    let position = game.position();
    let mut report = DecisionReport {
        view: View::Search,
        step: "",
        path: path_text(judge.root, &node.path),
        fen: position.fen(),
        phase: Phase::of(position).name(),
        depth: node.depth,
        moves: Vec::new(),
        claim: String::new(),
        tested: None,
        terms: Vec::new(),
        verdict: Verdict::Unknown,
        value: None,
        cost: None,
        missed: None,
        blame: None,
        nodes: 0,
    };
    if let Some(Judgement { is_right, value, cost, missed, nodes }) = judgement {
        report.verdict = if is_right { Verdict::Right } else { Verdict::Wrong };
        report.missed = missed.map(|mv| position.move_text(mv));
        (report.value, report.nodes) = (Some(score_text(value)), nodes);
        report.cost = if is_right { None } else { units(cost) };
    }
    Some(report)
}

/// Adds the exact value of each legal move of a node by the reference.
pub(crate) fn add_values<G: SolverGame, E: Evaluator<G>>(
    judge: &mut Judge<G, E>,
    node: &ReferenceNode<G::Move>,
    moves: &mut [MoveReport],
) {
    let Some(game) = game(judge.root, &node.path) else { return };
    for report in moves {
        let Ok(mv) = game.position().parse_move(&report.mv) else { continue };
        let single = ReferenceNode { moves: vec![mv], ..node.clone() };
        let value = judge.value(&single, [-Score::INFINITE, Score::INFINITE]);
        report.value = value.map(|(value, _)| value.to_thousandths());
    }
}

/// The legal moves of a node with the ratings of the filter, and the term that is to blame for the `missed`
/// one.
fn rated_moves<G: SolverGame, E: Evaluator<G>>(
    evaluator: &E,
    options: &Options,
    game: &GameState<G>,
    node: &ReferenceNode<G::Move>,
    missed: Option<G::Move>,
) -> (Vec<MoveReport>, Option<&'static str>) {
    let position = game.position();
    let moves = position.moves();
    let rated = ratings::ratings(position, game.history(), evaluator, &options.msd.terms, &moves);
    let is_kept = |mv: &G::Move| node.moves.contains(mv);
    let kept = moves.iter().zip(&rated).filter(|(mv, _)| is_kept(mv)).map(|(_, rating)| rating);
    let last = kept.min_by_key(|rating| rating.rating);
    let found = moves.iter().zip(&rated).find(|(mv, _)| Some(**mv) == missed).map(|(_, rating)| rating);
    let term = found.zip(last).map(|(missed, last)| ratings::blame(missed, last));
    let reports = moves.iter().zip(&rated).map(|(mv, rating)| MoveReport {
        mv: position.move_text(*mv),
        kept: Some(is_kept(mv)),
        rating: Some(rating.rating),
        term: rating.switch,
        terms: rating.terms.clone(),
        gained: rating.gains.map(|[gained, _]| gained),
        piece: rating.gains.map(|[_, piece]| piece),
        ..MoveReport::default()
    });
    (reports.collect(), term)
}

/// The moves of a path in text.
pub(crate) fn path_text<G: Knowledge>(root: &GameState<G>, path: &[Option<G::Move>]) -> Vec<String> {
    let mut position = root.position().clone();
    let text = path.iter().map(|mv| match *mv {
        Some(mv) => {
            let text = position.move_text(mv);
            position.play(mv);
            text
        }
        None => {
            position = position.null_move().unwrap_or_else(|| position.clone());
            "null".to_owned()
        }
    });
    text.collect()
}

/// A score in units of the evaluation, or as a mate.
pub(crate) fn score_text(score: Score) -> String {
    if score >= Score::INFINITE || score <= -Score::INFINITE {
        return if score > Score::DRAW { "∞" } else { "−∞" }.to_owned();
    }
    match score.is_decisive() {
        true if score > Score::DRAW => "win".to_owned(),
        true => "loss".to_owned(),
        false => format!("{:.2}", f64::from(score.to_thousandths()) / 1000.0),
    }
}
