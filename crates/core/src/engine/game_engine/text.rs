//! The engine in text: positions, moves and reports as the protocol has them.

use super::super::options::SetResult;
use super::super::{
    BestMove, Board, Engine, EvaluationInUse, MovePrior, OptionSpec, Playable, PolicyBreakdown,
    SearchListener, SearchReport, Settings, SideEffect, TableBreakdown, TypedEngine, WeightsSource,
};
use super::GameEngine;
use crate::eval::nnue::NetBreakdown;
use crate::eval::{EvalBreakdown, WdlModel, Weights, WeightsError};
use crate::game::{Game, MoveError};
use crate::nets::NetError;
use crate::search::{Control, Leaf, LeafEvaluator, Limits, Listener, Method, Progress, Report};

/// Translates search reports into text.
struct TextListener<'a, G> {
    /// The position that is searched.
    position: &'a G,
    /// The model of results, if reports have WDL.
    wdl: Option<WdlModel>,
    listener: &'a mut dyn SearchListener,
}

impl<G: Game> Listener<G::Move> for TextListener<'_, G> {
    fn report(&mut self, report: Report<G::Move>) {
        self.listener.report(&SearchReport {
            depth: report.depth,
            seldepth: report.seldepth,
            multipv: report.multipv,
            score: report.score.to_uci(),
            bound: report.bound,
            wdl: self.wdl.map(|model| report.wdl(model)),
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

/// The moves of a line in text.
pub fn line_text<G: Game>(start: &G, line: &[G::Move]) -> Vec<String> {
    let mut position = start.clone();
    let text = line.iter().map(|&mv| {
        let text = position.move_text(mv);
        position.play(mv);
        text
    });
    text.collect()
}

impl<G: Playable> GameEngine<G> {
    /// The root evaluated by the policy/value net in use; `None` without a net for its board.
    fn policy_leaf(&self) -> Option<Leaf<G>> {
        let position = self.play.position();
        let net = self.net_in_use().filter(|net| net.check_board(position).is_ok())?;
        let mut leaves = [Leaf::new(position, self.play.history())];
        net.evaluate_leaves(&mut leaves, &mut || false);
        let [leaf] = leaves;
        Some(leaf)
    }
}

impl<G: Playable> Engine for GameEngine<G> {
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
        self.specs()
    }

    fn option_value(&self, name: &str) -> Option<String> {
        self.value(name)
    }

    fn set_option(&mut self, name: &str, value: &str) -> SetResult {
        self.set(name, value)
    }

    fn check_net(&self) -> Result<(), NetError> {
        self.check_board(self.play.position())
    }

    fn new_game(&mut self) {
        self.memory.clear();
        if let Method::Deepening(_) = self.settings.method {
            self.memory.prepare(&self.settings);
        }
    }

    fn evaluation_in_use(&self) -> EvaluationInUse {
        let (position, Settings { method, search, .. }) = (self.play.position(), &self.settings);
        let is_asked = match method {
            Method::Deepening(_) => true,
            Method::MonteCarlo => search.mcts.evaluates::<G>() || search.msd.is_on(),
            Method::Random => false,
        };
        if !is_asked {
            EvaluationInUse::Nothing
        } else if self.net_in_use().is_some_and(|net| net.check_board(position).is_ok()) {
            EvaluationInUse::PolicyNet
        } else if self.eval_net_in_use(position).is_some() {
            EvaluationInUse::Net
        } else {
            EvaluationInUse::Linear
        }
    }

    fn eval_breakdown(&self) -> EvalBreakdown {
        self.linear.breakdown(self.play.position())
    }

    fn net_breakdown(&self) -> Option<NetBreakdown> {
        let position = self.play.position();
        let fitting = self.eval_net.as_ref().filter(|net| net.evaluator.fits(position));
        fitting.map(|net| net.evaluator.breakdown(position))
    }

    fn table_breakdown(&self) -> Option<TableBreakdown> {
        let (tables, position) = (self.tables.as_ref()?, self.play.position());
        Some(TableBreakdown {
            result: tables.probe(position)?,
            without_clock: tables.without_clock(position),
            limit: G::DRAW_RULES.no_progress,
        })
    }

    fn policy_breakdown(&self) -> Option<PolicyBreakdown> {
        let Leaf { position, moves, priors, value, .. } = self.policy_leaf()?;
        let mut moves: Vec<_> = moves
            .into_iter()
            .zip(priors)
            .map(|(mv, prior)| MovePrior { mv: position.move_text(mv), san: position.san(mv), prior })
            .collect();
        moves.sort_by(|a, b| b.prior.total_cmp(&a.prior));
        Some(PolicyBreakdown { value, moves })
    }

    fn weights(&self) -> &Weights {
        self.linear.weights()
    }

    fn set_weights(&mut self, source: &WeightsSource) -> Result<Vec<SideEffect>, WeightsError> {
        self.replace_weights(source)
    }

    fn search(
        &mut self,
        root_moves: &[String],
        limits: &Limits,
        control: &Control,
        listener: &mut dyn SearchListener,
    ) -> Result<BestMove, MoveError> {
        let game = self.play.clone();
        let position = game.position();
        let mut moves = Vec::new();
        for text in root_moves {
            // An outcome that is named with a move is not chosen by its player.
            let mv = game.chosen(position.parse_move(text)?);
            // A move that is named twice is searched once.
            if !moves.contains(&mv) {
                moves.push(mv);
            }
        }
        let moves = (!moves.is_empty()).then_some(moves.as_slice());
        let wdl = self.settings.show_wdl.then(|| self.scale(position).wdl);
        let mut listener = TextListener { position, wdl, listener };
        let best = self.think(&game, moves, limits, control, &mut listener);
        let line: Vec<_> = best.mv.into_iter().chain(best.ponder).collect();
        let mut line = line_text(position, &line).into_iter();
        Ok(BestMove { best: line.next(), ponder: line.next(), nodes: best.nodes })
    }
}
