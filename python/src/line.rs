//! Positions with the moves that led to them, without the type of their game.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use labrys::engine::PositionError;
use labrys::engine::registry::{self, GameTable, GameType};
use labrys::game::{
    Color, EncodingShape, FeatureSet, Game, GameHistory, GameInfo, GameMove, InputShape, Knowledge,
    MoveError, Outcome, each_input, perft, plane_and_bit,
};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// A move as a number, see [`GameMove::to_bits`].
pub(crate) type MoveBits = u32;

/// A position with a link to the one before it. Lines with the same beginning share its positions.
#[derive(Debug)]
pub(crate) struct Line<G: Game> {
    position: G,
    /// The choice of the game's option.
    choice: usize,
    /// The position before it, and the move that was played there.
    before: Option<(Arc<Line<G>>, G::Move)>,
    ply: usize,
}

/// A [`Line`] of any game. Moves passed as [`MoveBits`] must be legal, unless a method says otherwise.
pub(crate) trait AnyLine: Send + Sync {
    fn game(&self) -> &'static dyn AnyGame;

    fn choice(&self) -> usize;

    fn ply(&self) -> usize;

    /// The position before it, and the move that was played there.
    fn before(&self) -> Option<(Arc<dyn AnyLine>, MoveBits)>;

    /// The moves so far.
    fn moves(&self) -> Vec<MoveBits>;

    /// All positions from the start to this one.
    fn positions(self: Arc<Self>) -> Vec<Arc<dyn AnyLine>>;

    fn play(self: Arc<Self>, mv: MoveBits) -> Arc<dyn AnyLine>;

    /// Plays random moves to the end of the game.
    fn playout(self: Arc<Self>, seed: u64) -> Arc<dyn AnyLine>;

    fn fen(&self) -> String;

    fn key(&self) -> u64;

    fn side_to_move(&self) -> Color;

    fn legal_moves(&self) -> Vec<MoveBits>;

    /// Whether these are the bits of a legal move, with or without a chance outcome.
    fn is_legal(&self, mv: MoveBits) -> bool;

    fn move_text(&self, mv: MoveBits) -> String;

    fn san(&self, mv: MoveBits) -> String;

    /// A legal move in either notation.
    fn parse(&self, text: &str) -> Result<MoveBits, MoveError>;

    fn outcomes(&self, mv: MoveBits) -> Vec<(MoveBits, f64)>;

    fn outcome(&self) -> Option<Outcome>;

    fn leader(&self) -> Option<Color>;

    fn occurrences(&self) -> usize;

    fn diagram(&self) -> String;

    /// Counts the paths of moves, see [`perft::divide`].
    fn divide(&self, depth: u32, stop: &AtomicBool) -> Option<Vec<(String, u64)>>;

    /// Adds the features of a set to `values`, which has one number for each.
    fn features(&self, set: usize, values: &mut [f64]);

    fn encoding_shape(&self) -> EncodingShape;

    /// Writes the planes into a slice of zeros.
    fn planes(&self, planes: &mut [f32]);

    fn policy_indices(&self, mv: MoveBits) -> Vec<usize>;

    fn input_shape(&self) -> InputShape;

    /// The inputs of a player, without input buckets.
    fn inputs(&self, player: Color) -> Vec<u32>;
}

impl<G: Knowledge> Line<G> {
    /// A line without moves.
    pub(crate) fn new(mut position: G, choice: usize) -> Arc<Line<G>> {
        position.choose(choice);
        Arc::new(Line { position, choice, before: None, ply: 0 })
    }

    /// The line after one more move.
    pub(crate) fn then(self: Arc<Self>, mv: G::Move) -> Arc<Line<G>> {
        let (position, choice, ply) = (self.position.after(mv), self.choice, self.ply + 1);
        Arc::new(Line { position, choice, before: Some((self, mv)), ply })
    }

    /// This line and its prefixes, the longest first.
    fn back(&self) -> impl Iterator<Item = &Line<G>> {
        std::iter::successors(Some(self), |line| line.before.as_ref().map(|(before, _)| &**before))
    }

    /// The earlier positions that may occur again.
    fn history(&self) -> GameHistory<G> {
        let past: Vec<_> = self.back().skip(1).take(self.position.halfmove_clock()).collect();
        let mut history = GameHistory::new();
        past.into_iter().rev().for_each(|line| history.push(&line.position));
        history
    }
}

impl<G: Game> Drop for Line<G> {
    /// Drops the positions in a loop: recursion would overflow the stack on a long line.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(line) = before.and_then(|(line, _)| Arc::into_inner(line)) {
            before = { line }.before.take();
        }
    }
}

impl<G: Knowledge> AnyLine for Line<G>
where
    GameType<G>: AnyGame,
{
    fn game(&self) -> &'static dyn AnyGame {
        &GameType::<G>::GAME
    }

    fn choice(&self) -> usize {
        self.choice
    }

    fn ply(&self) -> usize {
        self.ply
    }

    fn before(&self) -> Option<(Arc<dyn AnyLine>, MoveBits)> {
        self.before.as_ref().map(|(line, mv)| (Arc::clone(line) as Arc<dyn AnyLine>, mv.to_bits()))
    }

    fn moves(&self) -> Vec<MoveBits> {
        let moves = self.back().filter_map(|line| line.before.as_ref());
        let mut moves: Vec<_> = moves.map(|&(_, mv)| mv.to_bits()).collect();
        moves.reverse();
        moves
    }

    fn positions(self: Arc<Self>) -> Vec<Arc<dyn AnyLine>> {
        let before = |line: &Arc<Line<G>>| line.before.as_ref().map(|(before, _)| Arc::clone(before));
        let lines = std::iter::successors(Some(self), before);
        let mut lines: Vec<_> = lines.map(|line| line as Arc<dyn AnyLine>).collect();
        lines.reverse();
        lines
    }

    fn play(self: Arc<Self>, mv: MoveBits) -> Arc<dyn AnyLine> {
        self.then(G::Move::from_bits(mv))
    }

    fn playout(self: Arc<Self>, seed: u64) -> Arc<dyn AnyLine> {
        // The generator limits the speed of a playout; it must be reproducible, but not unpredictable.
        let mut numbers = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut random = || numbers.random::<f64>();
        let (mut line, mut history) = (Arc::clone(&self), self.history());
        while history.outcome(&line.position).is_none()
            && G::LONGEST_GAME.is_none_or(|longest| line.ply < longest as usize)
        {
            let Some(mv) = line.position.random_move(&mut random) else { break };
            let mv = line.position.sample(mv, &mut random);
            if G::DRAW_RULES.repetitions.is_some() {
                history.push(&line.position);
            }
            line = line.then(mv);
        }
        line
    }

    fn fen(&self) -> String {
        self.position.fen()
    }

    fn key(&self) -> u64 {
        self.position.key()
    }

    fn side_to_move(&self) -> Color {
        self.position.side_to_move()
    }

    fn legal_moves(&self) -> Vec<MoveBits> {
        self.position.moves().into_iter().map(GameMove::to_bits).collect()
    }

    fn is_legal(&self, mv: MoveBits) -> bool {
        let mv = G::Move::from_bits(mv);
        // The chance outcome of a move is checked through its text.
        self.position.is_legal(mv)
            || (G::HAS_CHANCE && self.position.parse_move(&self.position.move_text(mv)) == Ok(mv))
    }

    fn move_text(&self, mv: MoveBits) -> String {
        self.position.move_text(G::Move::from_bits(mv))
    }

    fn san(&self, mv: MoveBits) -> String {
        self.position.san(G::Move::from_bits(mv))
    }

    fn parse(&self, text: &str) -> Result<MoveBits, MoveError> {
        self.position.parse_san(text).map(GameMove::to_bits)
    }

    fn outcomes(&self, mv: MoveBits) -> Vec<(MoveBits, f64)> {
        let mut outcomes = Vec::new();
        self.position.outcomes(G::Move::from_bits(mv), &mut outcomes);
        outcomes.into_iter().map(|(mv, probability)| (mv.to_bits(), probability)).collect()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.history().outcome(&self.position)
    }

    fn leader(&self) -> Option<Color> {
        self.position.leader()
    }

    fn occurrences(&self) -> usize {
        self.history().occurrences(&self.position)
    }

    fn diagram(&self) -> String {
        self.position.diagram()
    }

    fn divide(&self, depth: u32, stop: &AtomicBool) -> Option<Vec<(String, u64)>> {
        let mut counts = Vec::new();
        let add = |mv, nodes| counts.push((self.position.move_text(mv), nodes));
        perft::divide(&self.position, depth, stop, add)?;
        Some(counts)
    }

    fn features(&self, set: usize, values: &mut [f64]) {
        self.position.features(set, |index, value| values[index] += value);
    }

    fn encoding_shape(&self) -> EncodingShape {
        self.position.encoding_shape()
    }

    fn planes(&self, planes: &mut [f32]) {
        self.position.write_planes(self.occurrences(), planes);
    }

    fn policy_indices(&self, mv: MoveBits) -> Vec<usize> {
        self.position.policy_indices(G::Move::from_bits(mv)).collect()
    }

    fn input_shape(&self) -> InputShape {
        self.position.input_shape()
    }

    fn inputs(&self, player: Color) -> Vec<u32> {
        let (board, perspective) = (self.position.input_shape(), self.position.perspective(player));
        let mut inputs = Vec::new();
        each_input(self.position.input_planes(), |input| {
            let (plane, bit) = plane_and_bit(input);
            inputs.extend(G::input_index(board, perspective, plane, bit).map(|index| index as u32));
        });
        inputs
    }
}

/// A game without its type.
pub(crate) trait AnyGame: Sync {
    fn info(&self) -> GameInfo;

    fn has_chance(&self) -> bool;

    fn max_moves(&self) -> usize;

    fn longest_game(&self) -> Option<u32>;

    fn feature_sets(&self) -> &'static [FeatureSet];

    /// The start position with a choice of the game's option.
    fn start(&self, choice: usize) -> Arc<dyn AnyLine>;

    fn position(&self, choice: usize, fen: &str) -> Result<Arc<dyn AnyLine>, PositionError>;
}

impl<G: Knowledge> AnyGame for GameType<G> {
    fn info(&self) -> GameInfo {
        G::info()
    }

    fn has_chance(&self) -> bool {
        G::HAS_CHANCE
    }

    fn max_moves(&self) -> usize {
        G::MAX_MOVES
    }

    fn longest_game(&self) -> Option<u32> {
        G::LONGEST_GAME
    }

    fn feature_sets(&self) -> &'static [FeatureSet] {
        G::SETS
    }

    fn start(&self, choice: usize) -> Arc<dyn AnyLine> {
        Line::new(G::start_with(choice), choice)
    }

    fn position(&self, choice: usize, fen: &str) -> Result<Arc<dyn AnyLine>, PositionError> {
        match G::from_fen(fen) {
            Ok(position) => Ok(Line::new(position, choice)),
            Err(error) => Err(PositionError::Fen { error, looks_like: registry::game_of(fen) }),
        }
    }
}

/// The games by name.
pub(crate) static GAMES: GameTable<dyn AnyGame> = labrys::game_table!();
