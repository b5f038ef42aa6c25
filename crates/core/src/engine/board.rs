//! A game in play, behind an object-safe facade.

use rand::RngExt;
use rand::rngs::StdRng;

use super::options::{Row, RowKind};
use super::{OptionError, OptionGroup, OptionSpec, PositionError, registry};
use crate::game::{Appearance, Color, Game, GameHistory, GameOption, Knowledge, MoveError, Outcome, perft};
use crate::search::Control;

/// A position with its history. Positions and moves are text. A method that fails leaves the board unchanged.
pub trait Board: Send {
    /// The name of the game.
    fn variant(&self) -> &'static str;

    /// The value of the PGN tag `Variant` for games on this board; `None` where records go without it.
    fn pgn_variant(&self) -> Option<&'static str>;

    /// The name of the game in the xboard protocol, under its option; none if that protocol does not have it.
    fn xboard_variant(&self) -> Option<&'static str>;

    /// How a GUI shows the game.
    fn appearance(&self) -> Appearance;

    /// The option that belongs to the game, if any.
    fn option(&self) -> Option<OptionSpec>;

    /// Sets the option of the game. A start position is replaced by that of the new value; any other position
    /// stays.
    ///
    /// # Errors
    /// [`OptionError`] when the game has no option of that name, or when it does not take the value.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError>;

    /// Sets up a position, by default the start position, and plays moves from there. The moves may continue
    /// after a draw.
    ///
    /// # Errors
    /// [`PositionError`] names the problem in the FEN, or the move and its number.
    fn set_up(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), PositionError>;

    /// The number of positions at which a game may start, under the value of the game's own option.
    fn start_count(&self) -> u32;

    /// Sets up the start position of an index below [`Board::start_count`].
    fn set_up_start(&mut self, index: u32);

    /// Plays a move.
    ///
    /// # Errors
    /// [`MoveError`] if the move is not legal.
    fn play(&mut self, mv: &str) -> Result<(), MoveError>;

    /// Plays random moves as [`GameState::play_random_moves`] does, and returns them.
    fn play_random_moves(&mut self, plies: usize, random: &mut StdRng, control: &Control) -> Vec<String>;

    /// Plays a move of a game record (in chess SAN or the notation of the protocol), and returns it in the
    /// notation of the protocol.
    ///
    /// # Errors
    /// [`MoveError`] if the move is not legal.
    fn play_san(&mut self, text: &str) -> Result<String, MoveError>;

    /// Plays a move of a game record, and returns it without its outcome of chance: as a player chooses it and
    /// [`Board::legal_moves`] lists it.
    ///
    /// # Errors
    /// [`MoveError`] if the move is not legal.
    fn play_san_as_chosen(&mut self, text: &str) -> Result<String, MoveError>;

    /// A legal move in the notation of game records, SAN in chess.
    ///
    /// # Errors
    /// [`MoveError`] if the move is not legal.
    fn san(&self, mv: &str) -> Result<String, MoveError>;

    /// Plays a move, and returns it in the notation of game records: the inverse of [`Board::play_san`].
    ///
    /// # Errors
    /// [`MoveError`] if the move is not legal.
    fn play_to_san(&mut self, mv: &str) -> Result<String, MoveError> {
        let text = self.san(mv)?;
        self.play(mv)?;
        Ok(text)
    }

    /// Checks that a move is legal.
    ///
    /// # Errors
    /// [`MoveError`] if it is not.
    fn check_move(&self, mv: &str) -> Result<(), MoveError>;

    /// Samples the chance outcome of a move, in games with chance. `random` gives uniform numbers from 0
    /// (included) to 1 (not included).
    ///
    /// # Errors
    /// [`MoveError`] if the move is not legal.
    fn sample(&self, mv: &str, random: &mut dyn FnMut() -> f64) -> Result<String, MoveError>;

    /// The player whose turn it is.
    fn side_to_move(&self) -> Color;

    /// The position as a FEN.
    fn fen(&self) -> String;

    /// The Zobrist key of the position, without its counters: the same for all move orders that lead to it.
    fn key(&self) -> u64;

    /// A diagram of the board, the FEN, the key and the outcome if the game is over, in several lines.
    fn describe(&self) -> String;

    /// The legal moves of the position.
    fn legal_moves(&self) -> Vec<String>;

    /// The number of legal moves of the position.
    fn count_moves(&self) -> usize;

    /// The outcome of the game by all rules, if it has ended.
    fn outcome(&self) -> Option<Outcome>;

    /// The winner if a referee ends the game here. None in games without points.
    fn leader(&self) -> Option<Color>;

    /// Plies after which a referee ends a game, if the rules do not end every game.
    fn longest_game(&self) -> Option<u32>;

    /// Counts the paths of `depth` moves; `each` gets the count of each first move. `None` if it was stopped.
    fn perft(&self, depth: u32, control: &Control, each: &mut dyn FnMut(&str, u64)) -> Option<u64>;
}

/// A game in play, in the types of the game. It implements [`Board`].
#[derive(Clone, Debug)]
pub struct GameState<G> {
    position: G,
    history: GameHistory<G>,
    /// The choice of the game's option.
    choice: usize,
}

impl<G: Game> GameState<G> {
    /// The start position.
    pub fn start() -> GameState<G> {
        GameState { position: G::start(), history: GameHistory::new(), choice: 0 }
    }

    /// The start position of the game that a value of the PGN tag `Variant` stands for; `None` if it stands
    /// for another game. Case does not matter.
    pub(super) fn from_pgn_variant(tag: &str) -> Option<GameState<G>> {
        let choice = G::info().choice_of_pgn_variant(tag)?;
        let mut position = G::start_with(choice);
        position.choose(choice);
        Some(GameState { position, history: GameHistory::new(), choice })
    }

    /// The position on the board.
    pub fn position(&self) -> &G {
        &self.position
    }

    /// The earlier positions.
    pub fn history(&self) -> &GameHistory<G> {
        &self.history
    }

    /// Plays a legal move. Never panics: after an illegal move the position is arbitrary.
    pub fn advance(&mut self, mv: G::Move) {
        self.history.push(&self.position);
        self.position.play(mv);
    }

    /// The choice of the game's option.
    pub fn choice(&self) -> usize {
        self.choice
    }

    /// A uniformly random legal move; none in a position without legal moves.
    pub fn random_move(&self, random: &mut StdRng) -> Option<G::Move> {
        let mut moves = Vec::with_capacity(G::MAX_MOVES);
        self.position.legal_moves(&mut moves);
        (!moves.is_empty()).then(|| moves[random.random_range(0..moves.len())])
    }

    /// Plays `plies` random moves, fewer if the game ends or `control` stops, and returns them with their
    /// chance outcomes. Outcomes are sampled by `chance` if it is given, or by `random`.
    pub fn play_random_moves(
        &mut self,
        plies: usize,
        random: &mut StdRng,
        mut chance: Option<&mut StdRng>,
        control: &Control,
    ) -> Vec<G::Move> {
        let mut played = Vec::new();
        while played.len() < plies && !control.is_stopped() && self.outcome().is_none() {
            let Some(mv) = self.random_move(random) else { break };
            let chance = chance.as_deref_mut().unwrap_or(&mut *random);
            let mv = self.position.sample(mv, &mut || chance.random());
            self.advance(mv);
            played.push(mv);
        }
        played
    }

    /// A game with the same choice of the option that begins at a position.
    pub fn at(&self, mut position: G) -> GameState<G> {
        position.choose(self.choice);
        GameState { position, history: GameHistory::new(), choice: self.choice }
    }

    /// A game that begins at the current position.
    pub fn from_here(&self) -> GameState<G> {
        GameState { history: GameHistory::new(), ..self.clone() }
    }

    /// A game that begins after a null move, where a search may make one.
    pub fn after_null_move(&self) -> Option<GameState<G>>
    where
        G: Knowledge,
    {
        let position = self.position.null_move()?;
        Some(GameState { position, history: GameHistory::new(), choice: self.choice })
    }

    /// The option of the game.
    pub(super) fn own_row() -> Option<Row<GameState<G>>> {
        G::info().option.map(|GameOption { name, choices, description }| {
            let kind = match choices {
                ["false", "true"] => RowKind::Check {
                    default: false,
                    set: |play: &mut GameState<G>, on| play.choose(on.into()),
                },
                _ => RowKind::Combo {
                    values: choices.to_vec(),
                    description,
                    default: 0,
                    set: |play: &mut GameState<G>, choice| {
                        play.choose(choice);
                        Ok(Vec::new())
                    },
                },
            };
            let value = move |play: &GameState<G>| Some(choices[play.choice].to_owned());
            Row { name, group: OptionGroup::General, kind, value: Box::new(value) }
        })
    }

    /// The value of the option of the game, if that is its name.
    pub(super) fn option_value(&self, name: &str) -> Option<String> {
        Self::own_row().filter(|row| row.name.eq_ignore_ascii_case(name))?.value(self)
    }

    /// Sets the option of the game. A start position is replaced by that of the new value; any other position
    /// stays.
    fn choose(&mut self, choice: usize) {
        let [old, new] = [self.choice, choice].map(G::start_with);
        // The same position may have other counters, which stay.
        if self.history.is_empty() && self.position.same_position(&old) && !new.same_position(&old) {
            self.position = new;
        }
        self.position.choose(choice);
        self.choice = choice;
    }

    /// The legal move that a move is an outcome of.
    pub(super) fn chosen(&self, mv: G::Move) -> G::Move {
        if !G::HAS_CHANCE {
            return mv;
        }
        let mut outcomes = Vec::new();
        let leads = |chosen: &G::Move| {
            outcomes.clear();
            self.position.outcomes(*chosen, &mut outcomes);
            *chosen == mv || outcomes.iter().any(|(outcome, _)| *outcome == mv)
        };
        self.position.moves().into_iter().find(leads).unwrap_or(mv)
    }

    /// Plays moves, up to the first that is not legal.
    pub(super) fn follow(&mut self, moves: &[String]) -> Result<(), PositionError>
    where
        G: Game,
    {
        for (text, number) in moves.iter().zip(1..) {
            self.play(text).map_err(|error| PositionError::Move { number, error })?;
        }
        Ok(())
    }
}

impl<G: Game> Board for GameState<G> {
    fn variant(&self) -> &'static str {
        G::info().name
    }

    fn pgn_variant(&self) -> Option<&'static str> {
        G::info().pgn_variant(self.choice)
    }

    fn xboard_variant(&self) -> Option<&'static str> {
        G::info().xboard_variants.get(self.choice).copied()
    }

    fn appearance(&self) -> Appearance {
        G::info().appearance
    }

    fn option(&self) -> Option<OptionSpec> {
        Self::own_row().map(|row| row.spec())
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let own = Self::own_row().filter(|row| row.name.eq_ignore_ascii_case(name));
        let own = own.ok_or_else(|| OptionError::Unknown { name: name.to_owned() })?;
        own.set(self, value).map(drop)
    }

    fn start_count(&self) -> u32 {
        let is_last = |option: GameOption| option.choices.len() == self.choice + 1;
        if G::info().option.is_some_and(is_last) { G::DRAWN_SETUPS.max(1) } else { 1 }
    }

    fn set_up_start(&mut self, number: u32) {
        let position =
            if self.start_count() > 1 { G::drawn_start([number; 2]) } else { G::start_with(self.choice) };
        *self = self.at(position);
    }

    fn set_up(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), PositionError> {
        let choice = self.choice;
        let mut position = match fen {
            None => G::start_with(choice),
            Some(fen) => G::from_fen(fen)
                .map_err(|error| PositionError::Fen { error, looks_like: registry::game_of(fen) })?,
        };
        position.choose(choice);
        let mut play = GameState { position, history: GameHistory::new(), choice };
        play.follow(moves)?;
        *self = play;
        Ok(())
    }

    fn play(&mut self, mv: &str) -> Result<(), MoveError> {
        let mv = self.position.parse_move(mv)?;
        self.advance(mv);
        Ok(())
    }

    fn play_random_moves(&mut self, plies: usize, random: &mut StdRng, control: &Control) -> Vec<String> {
        let mut position = self.position.clone();
        let text = |mv| {
            let text = position.move_text(mv);
            position.play(mv);
            text
        };
        self.play_random_moves(plies, random, None, control).into_iter().map(text).collect()
    }

    fn play_san(&mut self, text: &str) -> Result<String, MoveError> {
        let mv = self.position.parse_san(text)?;
        let text = self.position.move_text(mv);
        self.advance(mv);
        Ok(text)
    }

    fn play_san_as_chosen(&mut self, text: &str) -> Result<String, MoveError> {
        let mv = self.position.parse_san(text)?;
        let text = self.position.move_text(self.chosen(mv));
        self.advance(mv);
        Ok(text)
    }

    fn san(&self, mv: &str) -> Result<String, MoveError> {
        Ok(self.position.san(self.position.parse_move(mv)?))
    }

    fn check_move(&self, mv: &str) -> Result<(), MoveError> {
        self.position.parse_move(mv).map(drop)
    }

    fn sample(&self, mv: &str, random: &mut dyn FnMut() -> f64) -> Result<String, MoveError> {
        let mv = self.position.parse_move(mv)?;
        Ok(self.position.move_text(self.position.sample(mv, random)))
    }

    fn side_to_move(&self) -> Color {
        self.position.side_to_move()
    }

    fn fen(&self) -> String {
        self.position.fen()
    }

    fn key(&self) -> u64 {
        self.position.key()
    }

    fn describe(&self) -> String {
        let position = &self.position;
        let mut text =
            format!("{}\n\nFen: {}\nKey: {:016x}", position.diagram(), position.fen(), position.key());
        if let Some(outcome) = self.outcome() {
            text += &format!("\nOutcome: {outcome}");
        }
        text
    }

    fn count_moves(&self) -> usize {
        self.position.count_moves()
    }

    fn legal_moves(&self) -> Vec<String> {
        self.position.moves().into_iter().map(|mv| self.position.move_text(mv)).collect()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.history.outcome(&self.position)
    }

    fn leader(&self) -> Option<Color> {
        self.position.leader()
    }

    fn longest_game(&self) -> Option<u32> {
        G::LONGEST_GAME
    }

    fn perft(&self, depth: u32, control: &Control, each: &mut dyn FnMut(&str, u64)) -> Option<u64> {
        let position = &self.position;
        perft::divide(position, depth, control, |mv, nodes| each(&position.move_text(mv), nodes))
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::game::tucchess::TucChess;

    #[test]
    fn a_move_is_chosen_without_its_outcome() {
        let mut board = GameState::<TucChess>::start();
        board.set_up(None, &["a2a3", "a6a5"].map(str::to_owned)).unwrap();
        for mv in ["a3a4", "a3a4=1", "a3a4=0+c5"] {
            let (mut chosen, mut played) = (board.clone(), board.clone());
            assert_eq!(chosen.play_san_as_chosen(mv).unwrap(), "a3a4", "{mv}");
            Board::play(&mut played, mv).unwrap();
            assert_eq!(chosen.fen(), played.fen(), "{mv}");
        }
        assert!(board.play_san_as_chosen("a3a5").is_err());
    }

    #[test]
    fn random_moves_end_with_the_game_and_can_be_played_again() {
        let (mut game, control) = (GameState::<TucChess>::start(), Control::default());
        let random = || StdRng::seed_from_u64(7);
        assert_eq!(game.play_random_moves(9, &mut random(), None, &control).len(), 9);
        let rest = game.play_random_moves(100_000, &mut random(), None, &control);
        assert!(rest.len() < 100_000 && game.outcome().is_some(), "{}", rest.len());
        // As text they are the same, with their outcomes of chance.
        let (mut board, mut again) = (GameState::<TucChess>::start(), GameState::<TucChess>::start());
        let texts = Board::play_random_moves(&mut board, 30, &mut random(), &control);
        again.play_random_moves(30, &mut random(), None, &control);
        assert_eq!((texts.len(), board.fen()), (30, again.fen()));
        board.set_up(None, &texts).unwrap();
        assert_eq!(board.fen(), again.fen());
        control.stop();
        assert!(again.play_random_moves(1, &mut random(), None, &control).is_empty());
    }
}
