//! The engine of one game: a game in play, a search with its table, an evaluation.

use std::borrow::Cow;
use std::path::Path;

use super::options::{self, OptionSpec, Row, RowKind, SetResult};
use super::{
    BestMove, Board, Engine, EvaluationKind, Observation, OptionError, Play, PositionError, SearchListener,
    SearchReport, Settings, SideEffect, WeightsSource,
};
use crate::eval::{EvalBreakdown, Evaluator, Linear, Weights, WeightsError};
use crate::game::{Game, MoveError, Playable, WdlModel};
use crate::search::{
    Best, Control, Heuristics, Limits, Listener, Method, Report, SearchInput, Solution, SolveError,
    TranspositionTable, Tree, Value, monte_carlo, random, search, solve,
};

/// [`Engine`] for the game `G`.
#[derive(Debug)]
pub struct Session<G: Game> {
    settings: Settings,
    play: Play<G>,
    evaluator: Linear<G>,
    /// Made for the first game or search, so that a start costs nothing.
    table: Option<TranspositionTable>,
    /// What a Monte Carlo search has seen. It has the memory of the table: there is one or the other.
    tree: Option<Tree<G>>,
    /// One for each thread; made for the first game or search, too.
    heuristics: Vec<Heuristics<G>>,
}

impl<G: Playable> Session<G> {
    /// An engine at the start position.
    pub fn new(settings: &Settings) -> Session<G> {
        Session {
            settings: settings.clone(),
            play: Play::start(),
            evaluator: Linear::shipped(0).expect("a test reads all shipped weights"),
            table: None,
            tree: None,
            heuristics: Vec::new(),
        }
    }

    /// The options that change nothing but the settings.
    fn settings_rows(&self) -> Vec<Row<Settings>> {
        options::rows(self.evaluator.scale().strengths)
    }

    /// The options that do more than change the settings.
    fn own_rows() -> Vec<Row<Session<G>>> {
        let sets = G::SETS.iter().map(|set| set.name).collect();
        vec![
            Row { name: "Clear Hash", kind: RowKind::Button { press: Session::forget } },
            Row {
                name: "FeatureSet",
                kind: RowKind::Combo { values: sets, default: 0, set: Session::select_set },
            },
            Row { name: "WeightsFile", kind: RowKind::Text { set: Session::load_weights } },
        ]
    }

    /// Changes the settings, and the table with its size.
    fn change_settings(&mut self, settings: Settings) -> Result<(), OptionError> {
        if settings.hash != self.settings.hash {
            let table = TranspositionTable::new(settings.hash);
            self.table = Some(table.ok_or(OptionError::Memory { megabytes: settings.hash })?);
        }
        self.settings = settings;
        Ok(())
    }

    /// Selects a feature set. Weights of that set stay; those of another are replaced by the shipped ones.
    fn select_set(&mut self, set: usize) -> SetResult {
        let old = self.evaluator.weights();
        if old.set() == set {
            return Ok(None);
        }
        let was_shipped = *old == Weights::shipped::<G>(old.set())?;
        self.evaluator = Linear::shipped(set)?;
        self.forget();
        Ok((!was_shipped).then_some(SideEffect::Weights { set: G::SETS[set].name }))
    }

    /// Loads weights, the shipped ones without a path.
    fn load_weights(&mut self, path: &str) -> SetResult {
        let source = match path {
            "" | "<empty>" => WeightsSource::Default,
            path => WeightsSource::File(path.to_owned()),
        };
        Ok(self.set_weights(&source)?)
    }

    /// Forgets what was learned in earlier searches.
    fn forget(&mut self) {
        if let Some(table) = &mut self.table {
            table.clear();
        }
        self.tree = None;
        self.heuristics.clear();
    }

    /// Looks for a move, in the terms of the game.
    fn find_move(
        &mut self,
        root_moves: Option<&[G::Move]>,
        limits: &Limits,
        control: &Control,
        listener: &mut dyn SearchListener,
    ) -> Best<G::Move> {
        let Session { settings, play: Play { position, history, .. }, evaluator, table, tree, heuristics } =
            self;
        // The only kind so far.
        let EvaluationKind::Linear = settings.evaluation;
        let mut thumb = Vec::new();
        let root_moves = match settings.rules_of_thumb && root_moves.is_none() {
            true => {
                position.legal_moves(&mut thumb);
                position.rules_of_thumb(&mut thumb);
                Some(thumb.as_slice())
            }
            false => root_moves,
        };
        let options = &settings.search;
        let input = SearchInput { position, history, evaluator: &*evaluator, root_moves, options, limits };
        let wdl = settings.show_wdl.then(|| evaluator.scale().wdl);
        let mut listener = Translator { position, wdl, listener };
        match settings.method {
            Method::Deepening(mode) => {
                *tree = None;
                heuristics.resize_with(settings.threads, Heuristics::new);
                search(&input, mode, made(table, settings), heuristics, control, &mut listener)
            }
            Method::MonteCarlo => {
                *table = None;
                let tree = tree.get_or_insert_with(|| Tree::new(settings.hash << 20));
                monte_carlo(&input, tree, settings.threads, None, control, &mut listener)
            }
            Method::Random => random(&input),
        }
    }
}

/// Puts what a search says into the notation of the game.
struct Translator<'a, G> {
    /// The position that is searched.
    position: &'a G,
    /// What evaluations say of results, where that is asked for.
    wdl: Option<WdlModel>,
    listener: &'a mut dyn SearchListener,
}

impl<G: Game> Listener<G::Move> for Translator<'_, G> {
    fn report(&mut self, step: Report<G::Move>) {
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

impl<G: Playable> Engine for Session<G> {
    fn board(&self) -> &dyn Board {
        &self.play
    }

    fn board_mut(&mut self) -> &mut dyn Board {
        &mut self.play
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn options(&self) -> Vec<OptionSpec> {
        let settings = self.settings_rows();
        let own = Self::own_rows();
        let specs = settings.iter().map(Row::spec).chain(own.iter().map(Row::spec));
        specs.chain(self.play.option()).collect()
    }

    fn set_option(&mut self, name: &str, value: &str) -> SetResult {
        let mut side_effect = None;
        if let Some(row) = options::find(&self.settings_rows(), name) {
            let mut settings = self.settings.clone();
            row.set(&mut settings, value)?;
            self.change_settings(settings)?;
        } else if let Some(row) = options::find(&Self::own_rows(), name) {
            side_effect = row.set(self, value)?;
        } else {
            self.play.set_option(name, value)?;
        }
        // It has grown under other options.
        self.tree = None;
        Ok(side_effect)
    }

    fn new_game(&mut self) {
        self.forget();
        // Making the table takes its time, which is not to be that of the first move.
        if let Method::Deepening(_) = self.settings.method {
            made(&mut self.table, &self.settings);
        }
    }

    fn eval_breakdown(&self) -> EvalBreakdown {
        self.evaluator.breakdown(&self.play.position)
    }

    fn observation_after(&self, moves: &[String]) -> Result<Observation, PositionError> {
        let mut play = Cow::Borrowed(&self.play);
        if !moves.is_empty() {
            play.to_mut().follow(moves)?;
        }
        let mut features = Vec::new();
        play.position.features(self.evaluator.weights().set(), |index, value| {
            if value != 0.0 {
                features.push((index, value));
            }
        });
        Ok(Observation { stm: play.side_to_move(), outcome: play.outcome(), features })
    }

    fn is_quiet(&self, mv: &str) -> Result<bool, MoveError> {
        let position = &self.play.position;
        let mv = position.parse_move(mv)?;
        Ok(!position.in_check() && !position.is_tactical(mv))
    }

    fn weights(&self) -> &Weights {
        self.evaluator.weights()
    }

    fn set_weights(&mut self, source: &WeightsSource) -> Result<Option<SideEffect>, WeightsError> {
        let old = self.evaluator.weights();
        let weights = match source {
            WeightsSource::Values(values) => old.with_values(values)?,
            WeightsSource::Named(pairs) => {
                old.with_named(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())))?
            }
            WeightsSource::File(path) => Weights::load::<G>(Path::new(path))?,
            WeightsSource::Default => Weights::shipped::<G>(old.set())?,
        };
        let set = weights.set_name();
        let side_effect = (weights.set() != old.set()).then_some(SideEffect::FeatureSet { set });
        self.evaluator.set_weights(weights)?;
        // What is in the table was worth something under other weights.
        self.forget();
        Ok(side_effect)
    }

    fn search(
        &mut self,
        root_moves: &[String],
        limits: &Limits,
        control: &Control,
        listener: &mut dyn SearchListener,
    ) -> Result<BestMove, MoveError> {
        let mut moves = Vec::new();
        for text in root_moves {
            let mv = self.play.position.parse_move(text)?;
            // Named twice, a move would be searched twice, the second time in vain.
            if !moves.contains(&mv) {
                moves.push(mv);
            }
        }
        let overhead = std::time::Duration::from_millis(self.settings.move_overhead);
        let enough = match self.settings.limit_strength {
            true => options::nodes_for(self.evaluator.scale().strengths, self.settings.elo),
            false => None,
        };
        let nodes = limits.nodes.into_iter().chain(enough).min();
        let limits = Limits { overhead, nodes, ..limits.clone() };
        let moves = (!moves.is_empty()).then_some(moves.as_slice());
        let best = self.find_move(moves, &limits, control, listener);
        let line: Vec<_> = best.mv.into_iter().chain(best.ponder).collect();
        let mut line = line_text(&self.play.position, &line).into_iter();
        Ok(BestMove { best: line.next(), ponder: line.next(), nodes: best.nodes })
    }

    fn solve(
        &self,
        megabytes: usize,
        limits: &Limits,
        control: &Control,
    ) -> Result<Solution<String>, SolveError> {
        let position = &self.play.position;
        let Solution { value, line, is_complete, nodes, evaluations, time } =
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
        Ok(Solution { value, line, is_complete, nodes, evaluations, time })
    }

    fn bench(&self, depth: Option<u32>, control: &Control, each: &mut dyn FnMut(&str, u64)) -> Option<u64> {
        let suite = G::BENCH;
        let limits = Limits::depth(depth.unwrap_or(suite.depth));
        let mut total = 0;
        for fen in suite.fens {
            let mut session = Session::<G>::new(&Settings::default());
            // A test reads all bench positions.
            session.play.set_up(Some(fen), &[]).ok()?;
            let nodes = session.find_move(None, &limits, control, &mut |_: &SearchReport| {}).nodes;
            if control.is_stopped() {
                return None;
            }
            each(fen, nodes);
            total += nodes;
        }
        Some(total)
    }
}
