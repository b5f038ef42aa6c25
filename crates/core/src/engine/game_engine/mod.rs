//! One engine of a game: its board, its options, its evaluation and the memory of its searches.

mod find_move;
mod memory;
mod nets;
mod options;
mod text;

use super::book::OpeningBook;
use super::{Engine, EvaluationKind, GameState, Playable, Settings, TypedEngine, TypedEvaluation};
use crate::eval::{Evaluator, Linear, Scale};
use crate::game::{EndgameTables, Game, InputShape, SharedTables, TableOptions};
use crate::nets::{NetError, NetProblem};
use crate::search::{Control, Limits, Listener, Method, NetLeaves, SearchInput, SearchResult, Selection};
use memory::Memory;
use nets::{EvalNetInPlay, eval_net_in_use};

pub use text::line_text;

/// The engine of the game `G`: [`Engine`](super::Engine) in text, [`TypedEngine`] in the types of the game.
#[derive(Debug)]
pub struct GameEngine<G: Game> {
    play: GameState<G>,
    settings: Settings,
    linear: Linear<G>,
    /// The evaluation net, if there is one.
    eval_net: Option<EvalNetInPlay<G>>,
    /// The policy/value net of Monte Carlo searches by priors.
    net: Option<NetLeaves>,
    /// The endgame tables, if any, used as `table_options` say.
    tables: Option<SharedTables<G>>,
    table_options: TableOptions,
    /// The opening book, if any, and whether it is used.
    book: Option<OpeningBook>,
    own_book: bool,
    memory: Memory<G>,
}

impl<G: Playable> GameEngine<G> {
    /// An engine at the start position, with the shipped evaluation net, if there is one, and the default
    /// feature set with its shipped weights.
    pub fn new(settings: &Settings) -> GameEngine<G> {
        GameEngine {
            play: GameState::start(),
            settings: settings.clone(),
            linear: Linear::shipped(0).expect("a test reads all shipped weights"),
            eval_net: EvalNetInPlay::shipped(),
            net: None,
            tables: None,
            table_options: TableOptions::default(),
            book: None,
            own_book: false,
            memory: Memory::default(),
        }
    }

    /// The evaluation net that searches of a position use, if any.
    fn eval_net_in_use(&self, position: &G) -> Option<&EvalNetInPlay<G>> {
        eval_net_in_use(&self.settings, self.eval_net.as_ref(), position)
    }

    /// The net that searches use, if any.
    fn net_in_use(&self) -> Option<&NetLeaves> {
        let Settings { method, search, .. } = &self.settings;
        let is_used = *method == Method::MonteCarlo && search.mcts.selection == Selection::Puct;
        self.net.as_ref().filter(|_| is_used)
    }
}

impl<G: Playable> TypedEngine<G> for GameEngine<G> {
    fn game(&self) -> &GameState<G> {
        &self.play
    }

    fn evaluation(&self, position: &G) -> TypedEvaluation<'_, G> {
        match self.eval_net_in_use(position) {
            Some(net) => TypedEvaluation::Net(&net.evaluator),
            None => TypedEvaluation::Linear(&self.linear),
        }
    }

    fn scale(&self, position: &G) -> Scale {
        self.eval_net_in_use(position).map_or_else(|| self.linear.scale(), |net| net.evaluator.scale())
    }

    fn evaluation_name(&self, position: &G) -> String {
        match self.eval_net_in_use(position) {
            Some(net) => format!("net {:08x}", net.evaluator.checksum()),
            None => {
                let weights = self.weights();
                let bytes: Vec<u8> = weights.values().iter().flat_map(|value| value.to_le_bytes()).collect();
                format!("linear {} {:08x}", weights.set_name(), crc32fast::hash(&bytes))
            }
        }
    }

    fn tables(&self) -> Option<&dyn EndgameTables<G>> {
        self.tables.as_deref()
    }

    fn set_seed(&mut self, seed: u64) {
        self.settings.search.seed = seed;
    }

    fn set_net(&mut self, net: NetLeaves) {
        self.net = Some(net);
        self.memory.clear_tree();
    }

    fn check_board(&self, position: &G) -> Result<(), NetError> {
        if let Some(EvalNetInPlay { evaluator, path: Some(path) }) = &self.eval_net
            && self.settings.evaluation == EvaluationKind::Net
            && !evaluator.fits(position)
        {
            let [net, board] = [evaluator.sizes().inputs, position.input_shape()]
                .map(|InputShape { files, ranks, .. }| (files, ranks));
            return Err(NetError::new(path, NetProblem::Board { net, board }));
        }
        self.net_in_use().map_or(Ok(()), |net| net.check_board(position))
    }

    fn think(
        &mut self,
        game: &GameState<G>,
        root_moves: Option<&[G::Move]>,
        limits: &Limits,
        control: &Control,
        listener: &mut dyn Listener<G::Move>,
    ) -> SearchResult<G::Move> {
        let GameEngine { settings, linear, eval_net, net, tables, book, own_book, memory, .. } = self;
        let (position, history, options) = (game.position(), game.history(), &settings.search);
        let net = net.as_ref().filter(|net| net.check_board(position).is_ok());
        // The levels of strength were measured without tables. A search for a mate needs more than a win, and
        // random moves need none.
        let is_without = settings.is_limited() || limits.mate.is_some() || settings.method == Method::Random;
        let tables = tables.as_deref().filter(|_| !is_without);
        let book = book.as_ref().filter(|_| *own_book && !settings.analyse_mode);
        // The kind of evaluation is chosen once per search.
        match eval_net_in_use(settings, eval_net.as_ref(), position) {
            Some(EvalNetInPlay { evaluator, .. }) => {
                let input = SearchInput { position, history, evaluator, root_moves, tables, options, limits };
                find_move::find_move(memory, settings, input, (book, net), control, listener)
            }
            None => {
                let evaluator = &*linear;
                let input = SearchInput { position, history, evaluator, root_moves, tables, options, limits };
                find_move::find_move(memory, settings, input, (book, net), control, listener)
            }
        }
    }
}
