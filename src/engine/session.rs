//! The engine of one game: a game in play, a search with its table, an evaluation.

use std::path::Path;
use std::time::Duration;

use super::options::{self, HASH, OptionKind, OptionSpec, SHARED};
use super::{
    BestMove, Board, Engine, OptionError, Play, SearchListener, SearchReport, Settings, WeightsSource,
};
use crate::eval::{EvalBreakdown, Linear, Weights, WeightsError};
use crate::game::{Chance, Features, Game, Knowledge};
use crate::search::{
    Best, Control, Heuristics, Limits, Listener, Method, Report, Solution, SolveError, Task,
    TranspositionTable, Tree, Value, monte_carlo, random, search, solve,
};

/// An option that forgets the table.
const CLEAR_HASH: &str = "Clear Hash";
/// An option that chooses what the evaluation sees.
const FEATURE_SET: &str = "FeatureSet";
/// An option that loads weights.
const WEIGHTS_FILE: &str = "WeightsFile";

/// All of an engine for the game `G` but the game in play: a search with its settings, its tables and its
/// evaluation.
#[derive(Debug)]
pub struct Thinker<G: Game> {
    settings: Settings,
    evaluator: Linear<G>,
    /// Made for the first game or search, so that a start costs nothing.
    table: Option<TranspositionTable>,
    /// What a Monte Carlo search has seen. It has the memory of the table: there is one or the other.
    tree: Option<Tree<G>>,
    /// One for each thread; made for the first game or search, too.
    heuristics: Vec<Heuristics<G>>,
}

/// [`Engine`] for the game `G`: a game in play and who thinks about it, spoken to in text.
#[derive(Debug)]
pub struct Session<G: Game> {
    play: Play<G>,
    thinker: Thinker<G>,
}

impl<G: Chance + Features + Knowledge> Session<G> {
    /// An engine at the start position.
    pub fn new(settings: &Settings) -> Session<G> {
        Session { play: Play::start(), thinker: Thinker::new(settings) }
    }

    /// The game in play, and who thinks about it, for those who know which game it is.
    pub fn into_parts(self) -> (Play<G>, Thinker<G>) {
        (self.play, self.thinker)
    }

    /// The names of the feature sets.
    fn sets() -> Vec<&'static str> {
        G::SETS.iter().map(|set| set.name).collect()
    }
}

impl<G: Chance + Features + Knowledge> Thinker<G> {
    fn new(settings: &Settings) -> Thinker<G> {
        Thinker {
            settings: settings.clone(),
            evaluator: Linear::shipped(0).expect("a test reads all shipped weights"),
            table: None,
            tree: None,
            heuristics: Vec::new(),
        }
    }

    /// The weights in use.
    pub fn weights(&self) -> &Weights {
        self.evaluator.weights()
    }

    /// Replaces the weights.
    ///
    /// # Errors
    /// [`WeightsError`] names the weight.
    pub fn set_weights(&mut self, source: &WeightsSource) -> Result<(), WeightsError> {
        let old = self.evaluator.weights();
        let weights = match source {
            WeightsSource::Values(values) => old.with_values(values)?,
            WeightsSource::Named(pairs) => {
                old.with_named(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())))?
            }
            WeightsSource::File(path) => Weights::load::<G>(old.set(), Path::new(path))?,
            WeightsSource::Default => Weights::shipped::<G>(old.set())?,
        };
        self.evaluator.set_weights(weights);
        // What is in the table was worth something under other weights.
        self.forget();
        Ok(())
    }

    /// Sets what all that is left to chance in a search depends on.
    pub fn set_seed(&mut self, seed: u64) {
        self.settings.search.seed = seed;
    }

    /// Forgets what was learned in earlier searches and gets ready for one.
    pub fn new_game(&mut self) {
        self.forget();
        // Making the table takes its time, which is not to be that of the first move.
        if let Method::Deepening(_) = self.settings.method {
            made(&mut self.table, &self.settings);
        }
    }

    /// Forgets what was learned in earlier searches.
    fn forget(&mut self) {
        // A table that no search has used is empty; clearing it takes as long as a quick search.
        if let Some(table) = self.table.as_mut().filter(|_| !self.heuristics.is_empty()) {
            table.clear();
        }
        self.tree = None;
        self.heuristics.clear();
    }

    /// Looks for the best move in a game, among `root_moves`, or all legal moves where there are none. No
    /// move is found when the game is over. The options limit the search, too: overhead and strength.
    pub fn think(
        &mut self,
        game: &Play<G>,
        root_moves: &[G::Move],
        limits: &Limits,
        control: &Control,
        listener: &mut dyn Listener<G::Move>,
    ) -> Best<G::Move> {
        let Thinker { settings, evaluator, table, tree, heuristics } = self;
        let (position, history) = (game.position(), game.history());
        let overhead = Duration::from_millis(settings.move_overhead);
        let enough = match settings.limit_strength {
            true => options::nodes_for(G::STRENGTHS, settings.elo),
            false => None,
        };
        let nodes = limits.nodes.into_iter().chain(enough).min();
        let limits = &Limits { overhead, nodes, ..limits.clone() };
        let mut thumb = Vec::new();
        if settings.rules_of_thumb && root_moves.is_empty() {
            position.legal_moves(&mut thumb);
            position.rules_of_thumb(&mut thumb);
        }
        let root_moves = if thumb.is_empty() { root_moves } else { &thumb };
        let task = Task { position, history, evaluator, root_moves, options: &settings.search, limits };
        match settings.method {
            Method::Deepening(mode) => {
                *tree = None;
                heuristics.resize_with(settings.threads, Heuristics::new);
                search(&task, mode, made(table, settings), heuristics, control, listener)
            }
            Method::MonteCarlo => {
                *table = None;
                let tree = tree.get_or_insert_with(|| Tree::new(settings.hash << 20));
                monte_carlo(&task, tree, settings.threads, None, control, listener)
            }
            Method::Random => random(&task),
        }
    }
}

/// Puts what a search says into the notation of the game.
struct Translator<'a, G> {
    /// The position that is searched.
    position: &'a G,
    /// What evaluations say of results, where that is asked for.
    wdl: Option<(f64, f64)>,
    listener: &'a mut dyn SearchListener,
}

impl<G: Game> Listener<G::Move> for Translator<'_, G> {
    fn line(&mut self, step: Report<G::Move>) {
        self.listener.line(&SearchReport {
            depth: step.depth,
            seldepth: step.seldepth,
            multipv: step.multipv,
            score: step.score.to_uci(),
            bound: step.bound,
            wdl: self.wdl.map(|model| step.score.wdl(model)),
            nodes: step.nodes,
            time: step.time,
            hashfull: step.hashfull,
            visits: step.visits,
            pv: line_text(self.position, &step.pv),
        });
    }

    fn root_move(&mut self, depth: u32, mv: G::Move, number: usize) {
        self.listener.root_move(depth, &self.position.move_text(mv), number);
    }
}

/// The table, made if it is not there yet.
fn made<'a>(table: &'a mut Option<TranspositionTable>, settings: &Settings) -> &'a mut TranspositionTable {
    // The size was tried when it was set; the default size is small.
    table.get_or_insert_with(|| {
        TranspositionTable::new(settings.hash).or_else(|| TranspositionTable::new(1)).expect("1 MiB")
    })
}

/// The moves of a line, each in the notation of the position it is played in.
fn line_text<G: Game>(start: &G, line: &[G::Move]) -> Vec<String> {
    let mut position = start.clone();
    let text = line.iter().map(|&mv| {
        let text = position.move_text(mv);
        position.play(mv);
        text
    });
    text.collect()
}

impl<G: Chance + Features + Knowledge> Engine for Session<G> {
    fn board(&self) -> &dyn Board {
        &self.play
    }

    fn board_mut(&mut self) -> &mut dyn Board {
        &mut self.play
    }

    fn settings(&self) -> &Settings {
        &self.thinker.settings
    }

    fn options(&self) -> Vec<OptionSpec> {
        let own = [
            OptionSpec { name: CLEAR_HASH, kind: OptionKind::Button },
            OptionSpec { name: FEATURE_SET, kind: OptionKind::Combo { values: Self::sets() } },
            OptionSpec { name: WEIGHTS_FILE, kind: OptionKind::Text },
        ];
        let strength = options::strength(G::STRENGTHS);
        let shared = SHARED.iter().chain(&strength).map(options::Row::spec);
        shared.chain(own).chain(self.play.option()).collect()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let is = |option: &str| option.eq_ignore_ascii_case(name);
        let strength = options::strength(G::STRENGTHS);
        if let Some(row) = SHARED.iter().chain(&strength).find(|row| row.is(name)) {
            let mut settings = self.thinker.settings.clone();
            row.set(&mut settings, value)?;
            if is(HASH) {
                let table = TranspositionTable::new(settings.hash);
                self.thinker.table = Some(table.ok_or(OptionError::Memory { megabytes: settings.hash })?);
            }
            self.thinker.settings = settings;
        } else if is(CLEAR_HASH) {
            self.thinker.forget();
        } else if is(FEATURE_SET) {
            let set = options::choose(FEATURE_SET, &Self::sets(), value)?;
            self.thinker.evaluator = Linear::shipped(set)?;
            self.thinker.forget();
        } else if is(WEIGHTS_FILE) {
            let source = match value {
                "" | "<empty>" => WeightsSource::Default,
                path => WeightsSource::File(path.to_owned()),
            };
            self.set_weights(&source)?;
        } else {
            self.play.set_option(name, value)?;
        }
        // It has grown under other options.
        self.thinker.tree = None;
        Ok(())
    }

    fn new_game(&mut self) {
        self.thinker.new_game();
    }

    fn eval_breakdown(&self) -> EvalBreakdown {
        self.thinker.evaluator.table(self.play.position())
    }

    fn weights(&self) -> &Weights {
        self.thinker.weights()
    }

    fn set_weights(&mut self, source: &WeightsSource) -> Result<(), WeightsError> {
        self.thinker.set_weights(source)
    }

    fn search(
        &mut self,
        root_moves: &[String],
        limits: &Limits,
        control: &Control,
        listener: &mut dyn SearchListener,
    ) -> BestMove {
        let Session { play, thinker } = self;
        let position = play.position();
        let root_moves: Vec<_> =
            root_moves.iter().filter_map(|text| position.parse_move(text).ok()).collect();
        let wdl = thinker.settings.show_wdl.then_some(G::RESULTS);
        let mut listener = Translator { position, wdl, listener };
        let best = thinker.think(play, &root_moves, limits, control, &mut listener);
        let line: Vec<_> = best.mv.into_iter().chain(best.ponder).collect();
        let mut line = line_text(position, &line).into_iter();
        BestMove { best: line.next(), ponder: line.next(), nodes: best.nodes }
    }

    fn solve(
        &self,
        megabytes: usize,
        limits: &Limits,
        control: &Control,
    ) -> Result<Solution<String>, SolveError> {
        let position = self.play.position();
        let Solution { value, line, is_complete, nodes, looks, time } =
            solve(position, megabytes, limits, control)?;
        let line = line_text(position, &line);
        if let Some(value) = value.filter(|&value| value != Value::Draw && is_complete) {
            let winner = if value == Value::Win { position.side_to_move() } else { !position.side_to_move() };
            let mut replay = self.play.begun_here();
            let is_legal = line.iter().all(|mv| replay.play(mv).is_ok());
            let end = replay.outcome().and_then(|outcome| outcome.winner);
            if !is_legal || end != Some(winner) {
                return Err(SolveError::Line { value });
            }
        }
        Ok(Solution { value, line, is_complete, nodes, looks, time })
    }

    fn bench(&self, depth: Option<u32>, control: &Control, each: &mut dyn FnMut(&str, u64)) -> Option<u64> {
        let suite = G::BENCH;
        let limits = Limits::depth(depth.unwrap_or(suite.depth));
        let mut total = 0;
        for fen in suite.fens {
            let Session::<G> { mut play, mut thinker } = Session::new(&Settings::default());
            // A test reads all bench positions.
            play.set_up(Some(fen), &[]).ok()?;
            let nodes = thinker.think(&play, &[], &limits, control, &mut |_: Report<_>| {}).nodes;
            if control.is_stopped() {
                return None;
            }
            each(fen, nodes);
            total += nodes;
        }
        Some(total)
    }
}
