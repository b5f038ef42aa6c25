//! The engine of one game: a game in play and a thinker, behind the text interface.

use super::options::SetResult;
use super::{
    BestMove, Board, Engine, EvaluationInUse, GameThinker, MovePrior, OptionError, OptionSpec, Play,
    PolicyBreakdown, SearchListener, SearchReport, Settings, SideEffect, TableBreakdown, Thinker,
    WeightsSource,
};
use crate::engine::Playable;
use crate::eval::nnue::NetBreakdown;
use crate::eval::{EvalBreakdown, WdlModel, Weights, WeightsError};
use crate::game::{Game, MoveError};
use crate::nets::NetError;
use crate::search::{Control, Leaf, Limits, Listener, Progress, Report};

/// [`Engine`] for the game `G`.
#[derive(Debug)]
pub struct Session<G: Game> {
    play: Play<G>,
    thinker: Box<dyn Thinker<G>>,
}

impl<G: Playable> Session<G> {
    /// An engine at the start position.
    pub fn new(settings: &Settings) -> Session<G> {
        Session { play: Play::start(), thinker: G::thinker(settings) }
    }

    /// The options that not every game has.
    pub(super) fn options_of_game() -> Vec<OptionSpec> {
        GameThinker::<G>::options_of_game()
            .into_iter()
            .chain(Play::<G>::own_row().map(|row| row.spec()))
            .collect()
    }

    /// The game in play and the thinker, for callers that know the game.
    pub fn into_parts(self) -> (Play<G>, Box<dyn Thinker<G>>) {
        (self.play, self.thinker)
    }

    /// The game in play.
    pub fn play(&self) -> &Play<G> {
        &self.play
    }

    /// The thinker.
    pub fn thinker(&self) -> &dyn Thinker<G> {
        self.thinker.as_ref()
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
        self.thinker.eval_breakdown(self.play.position())
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

    fn bench(&self, depth: Option<u32>, control: &Control, each: &mut dyn FnMut(&str, u64)) -> Option<u64> {
        let suite = G::INFO.bench;
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
