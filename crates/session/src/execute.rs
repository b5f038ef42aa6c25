//! The execution of requests.

use std::time::Duration;

use thiserror::Error;

use crate::catalogue::{Catalogue, OfferedGame};
use crate::game_file::{FileError, GameFile, ReadError};
use crate::game_tree::{GameError, GameTree, PlayerDecision};
use crate::header::{Header, TagError};
use crate::message::Message;
use crate::player::Player;
use crate::request::{ClockRequest, Request};
use crate::search_runner::Question;
use crate::seats::{Role, Seats};
use crate::session::Session;
use crate::state::State;
use labrys_arena::pgn::{PgnGame, ReplayError};
use labrys_arena::{OpeningError, Openings, Rules, TimeControl};
use labrys_core::game::{Color, quote};

/// No engine accepts a draw before this ply.
const MIN_DRAW_PLIES: usize = 20;

/// An engine accepts a draw up to this expected score.
const MAX_DRAW_RESULT: f64 = 0.52;

/// The maximum number of lines of an analysis.
const MAX_LINES: usize = 5;

/// The maximum minutes of a clock, and seconds of increment.
const MAX_CLOCK: f64 = 600.0;

/// The maximum number of random opening moves.
const MAX_OPENING_PLIES: usize = 20;

/// Why a request is refused.
#[derive(Debug, Error)]
pub enum Refusal {
    /// There is no such game.
    #[error("there is no game {}", quote(.0))]
    Game(String),
    /// There is no such player in this game.
    #[error("there is no player {}", quote(.0))]
    Player(String),
    /// There is no such analyst.
    #[error("there is no analyst {}", quote(.0))]
    Analyst(String),
    /// The clock is out of range.
    #[error("a clock has minutes, seconds a move or both, up to {MAX_CLOCK} each")]
    Clock,
    /// The random opening is too long, or combined with a position.
    #[error("a game begins with up to {MAX_OPENING_PLIES} random moves, from the start position")]
    Opening,
    /// No random opening was found.
    #[error(transparent)]
    NoOpening(#[from] OpeningError),
    /// The number of lines is out of range.
    #[error("an analysis has 1 to {MAX_LINES} lines")]
    Lines,
    /// The game has no such option or value.
    #[error("{0}")]
    Rules(String),
    /// The game tree refuses the change.
    #[error("{0}")]
    Tree(#[from] GameError),
    /// A tag is refused.
    #[error("{0}")]
    Tag(#[from] TagError),
    /// A PGN text or its game is refused.
    #[error("{0}")]
    File(#[from] FileError),
    /// The position has no review.
    #[error("the position has not been reviewed")]
    NoReview,
    /// The request is about a position other than the current one.
    #[error("the position has changed")]
    Stale,
    /// Another player is to move.
    #[error("{0} is to move")]
    NotToMove(Color),
    /// An engine is to move.
    #[error("an engine is to move")]
    NotYourTurn,
    /// No engine is to move.
    #[error("no engine is to move")]
    NoEngine,
    /// There are not this many threads.
    #[error("an analysis has at most {0} threads here")]
    Threads(usize),
    /// The hash is too large.
    #[error("an analysis has at most {0} MiB of hash here")]
    Hash(usize),
    /// No null move is possible.
    #[error("there is no threat here: the side to move cannot pass")]
    Threat,
    /// No person plays, who could resign or offer a draw.
    #[error("no person plays this game")]
    NoPerson,
    /// The role may not make the request.
    #[error("{}", not_allowed(*.0))]
    Role(Role),
    /// The game is in progress.
    #[error("the game is not over")]
    NotOver,
    /// The engine declines a draw.
    #[error("{0} declines the draw")]
    NoDraw(Color),
}

/// What a role may not do.
fn not_allowed(role: Role) -> &'static str {
    match role {
        Role::Owner => "only the players can do this until the game is over",
        Role::Player(_) => "a player can only move, resign, offer a draw or a rematch",
        Role::Spectator => "spectators can only watch",
    }
}

impl From<ReplayError> for Refusal {
    fn from(error: ReplayError) -> Refusal {
        GameError::from(error).into()
    }
}

impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Refusal {
        match error {
            ReadError::File(error) => error.into(),
            ReadError::Game(error) => error.into(),
        }
    }
}

impl Session {
    /// Applies a request to the state.
    pub(crate) fn apply(
        &self,
        state: &mut State,
        role: Role,
        request: Request,
    ) -> Result<Option<String>, Refusal> {
        match request {
            Request::New { game, option, fen, opening, players, clock } => {
                let offered = self.offered_game(&game)?;
                let players = read_players(offered, &self.catalogue, players.each_ref().map(String::as_str))?;
                let rules = offered.rules(option.as_deref()).map_err(Refusal::Rules)?;
                let fen = trimmed(fen.as_deref());
                let control = clock.map(|clock| read_clock(&clock)).transpose()?;
                let tree = match opening {
                    None | Some(0) => GameTree::new(rules, fen)?,
                    Some(plies @ 1..=MAX_OPENING_PLIES) if fen.is_none() => random_opening(rules, plies)?,
                    Some(_) => return Err(Refusal::Opening),
                };
                state.start_game(tree, players, control);
            }
            Request::Load { pgn, game } => self.load(state, &pgn, game)?,
            Request::Choose { game } => self.choose(state, game)?,
            Request::Explored { game } => {
                let record = state.explorer.as_ref().ok_or(FileError::None)?.game(game)?;
                let key = state.tree.board().key();
                self.load_record(state, &record)?;
                let tree = &mut state.tree;
                let same = tree.mainline().into_iter().find(|&node| tree.nodes[node].key == key);
                same.map_or(Ok(()), |node| tree.show(node))?;
            }
            Request::Play { node, mv } => {
                if node != state.tree.current() {
                    return Err(Refusal::Stale);
                }
                if let Role::Player(player) = role {
                    let stm = state.tree.board().side_to_move();
                    if player != stm || !state.tree.is_at_end() || !state.is_person(player) {
                        return Err(Refusal::NotToMove(stm));
                    }
                }
                if state.engine_to_move().is_some() {
                    return Err(Refusal::NotYourTurn);
                }
                state.play(&mv)?;
            }
            Request::PlayLine { node, moves } => play_line(state, node, &moves)?,
            Request::Show { node } => state.tree.show(node)?,
            Request::TakeBack {} => {
                state.tree.take_back()?;
                state.is_edited = true;
                while state.engine_to_move().is_some() && state.has_person() && state.tree.take_back().is_ok()
                {
                }
            }
            Request::Players { players } => {
                let offered = self.offered_game(&state.tree.rules().variant)?;
                state.players =
                    read_players(offered, &self.catalogue, players.each_ref().map(String::as_str))?;
            }
            Request::Pause { on } => (state.is_paused, state.is_stepping) = (on, false),
            Request::Step {} => {
                let stm = state.tree.board().side_to_move();
                if state.is_person(stm) || !state.tree.is_at_end() || state.tree.end().is_some() {
                    return Err(Refusal::NoEngine);
                }
                (state.is_paused, state.is_stepping) = (true, true);
            }
            Request::Analyse { on, lines, analyst, depth, threads, hash } => {
                let lines = lines.unwrap_or(state.analysis.lines);
                if !(1..=MAX_LINES).contains(&lines) {
                    return Err(Refusal::Lines);
                }
                let threads = threads.unwrap_or(state.analysis.threads);
                let hash = hash.unwrap_or(state.analysis.hash);
                if threads > self.catalogue.threads {
                    return Err(Refusal::Threads(self.catalogue.threads));
                }
                if hash > self.catalogue.hash {
                    return Err(Refusal::Hash(self.catalogue.hash));
                }
                if let Some(name) = analyst {
                    let analyst = self.catalogue.analyst(&name).cloned();
                    state.analysis.analyst = analyst.ok_or(Refusal::Analyst(name))?;
                }
                state.analysis.depth = depth.unwrap_or(state.analysis.depth);
                (state.analysis.threads, state.analysis.hash) = (threads, hash);
                (state.analysis.is_on, state.analysis.lines, state.analysis.done) = (on, lines, None);
            }
            Request::Review { on } => {
                // A new analyst restarts the review: evaluations of two are not comparable.
                let analyst = &state.analysis.analyst;
                if on && state.reviewer.as_ref() != Some(analyst) {
                    state.reviewer = Some(analyst.clone());
                    state.tree.clear_review();
                }
                state.is_reviewing = on;
            }
            Request::Ask { node, mv, threat } => {
                if node != state.tree.current() || state.tree.end().is_some() {
                    return Err(Refusal::Stale);
                }
                let question = match mv {
                    Some(mv) => {
                        state.tree.board().check_move(&mv).map_err(GameError::from)?;
                        Question::After(mv)
                    }
                    None if threat => {
                        state.tree.after_null_move().map_err(|_| Refusal::Threat)?;
                        Question::Threat
                    }
                    None => Question::Hint,
                };
                (state.question, state.answer) = (Some((node, question)), None);
            }
            Request::Check { game, option, fen } => {
                let rules = self.offered_game(&game)?.rules(option.as_deref()).map_err(Refusal::Rules)?;
                let fen = trimmed(fen.as_deref());
                let (fen, problem) = match GameTree::new(rules, fen) {
                    Ok(tree) => (Some(tree.start), None),
                    Err(error) => (None, Some(error.to_string())),
                };
                return Ok(Some(Message::Checked { fen, problem }.to_json()));
            }
            Request::Resign {} => at_end_of_line(state, |state| {
                let person = deciding_person(state, role)?;
                Ok(state.decide(PlayerDecision::resignation(person))?)
            })?,
            Request::Draw {} => at_end_of_line(state, |state| draw(state, role))?,
            Request::Rematch {} => {
                if !state.is_over() {
                    return Err(Refusal::NotOver);
                }
                match role {
                    Role::Player(player) if state.is_person(!player) && state.rematch != Some(!player) => {
                        state.rematch = Some(player);
                    }
                    _ => state.start_rematch()?,
                }
            }
            Request::Seats { on: false } => state.seats = None,
            Request::Seats { on: true } => {
                if state.seats.is_none() {
                    state.seats = Some(Seats::open());
                    state.stop_help();
                    self.publish(state);
                }
                return Ok(state.seats.as_ref().map(|seats| seats.tokens().to_json()));
            }
            Request::Try { node, mv } => {
                if node != state.tree.current() || state.tree.end().is_some() {
                    return Err(Refusal::Stale);
                }
                state.tree.board().check_move(&mv).map_err(GameError::from)?;
                if state.tree.reviewed_best(node).is_none() {
                    return Err(Refusal::NoReview);
                }
                match state.tree.known_line(node, &mv) {
                    Some(line) => state.answer_try(node, &mv, line),
                    None => {
                        (state.question, state.answer) = (Some((node, Question::Try(mv))), None);
                    }
                }
            }
            Request::Annotate { node, comment, glyphs } => {
                state.tree.annotate(node, comment.as_deref(), glyphs.as_deref())?;
                state.is_edited = true;
            }
            Request::Promote { node, main } => {
                state.tree.promote(node, main)?;
                state.is_edited = true;
            }
            Request::Delete { node } => {
                state.tree.delete(node)?;
                state.is_edited = true;
            }
            Request::Record { tags } => {
                state.header.set(&tags)?;
                state.is_edited = true;
            }
            Request::Save { annotated, all } => {
                let mut own = state.to_record(annotated)?;
                own.set_opening_tags(None)?;
                let own = own.to_string();
                let texts = state.file.as_ref().filter(|_| all).map(|file| {
                    let mut texts = file.texts().to_vec();
                    texts[file.chosen].clone_from(&own);
                    texts.concat()
                });
                let pgn = texts.unwrap_or(own);
                return Ok(Some(Message::Saved { pgn }.to_json()));
            }
        }
        Ok(None)
    }

    /// Loads a game of a PGN text, by default the first one that can be played.
    fn load(&self, state: &mut State, pgn: &str, game: Option<usize>) -> Result<(), Refusal> {
        let games = GameFile::read(pgn)?;
        let index = match game {
            Some(game) if game >= games.len() => return Err(FileError::Game(game, games.len()).into()),
            Some(game) => game,
            None => {
                let values = |game: &str| self.values(game);
                games.iter().position(|game| GameTree::from_record(game, values).is_ok()).unwrap_or(0)
            }
        };
        self.load_record(state, &games[index])?;
        if games.len() > 1 {
            state.file = Some(GameFile::new(&games, index));
        }
        Ok(())
    }

    /// Switches to another game of the loaded text.
    fn choose(&self, state: &mut State, game: usize) -> Result<(), Refusal> {
        let mut file = state.file.clone().ok_or(FileError::None)?;
        if state.is_edited {
            file.update(&state.to_record(false)?);
        }
        self.load_record(state, &file.game(game)?)?;
        file.chosen = game;
        state.file = Some(file);
        Ok(())
    }

    /// Loads a game.
    fn load_record(&self, state: &mut State, game: &PgnGame) -> Result<(), Refusal> {
        let tree = GameTree::from_record(game, |game| self.values(game))?;
        let offered = self.offered_game(&tree.rules().variant)?;
        let find = |name: &str| Player::find(name, offered, &self.catalogue);
        let players = game.players.each_ref().map(|player| find(&player.name));
        let is_here = players.each_ref().map(Option::is_some);
        state.start_game(tree, players.map(|player| player.unwrap_or(Player::Person)), None);
        state.header = Header::of(game);
        state.header.clear_names(is_here);
        // An unfinished game is not continued until someone resumes it.
        state.is_paused = state.has_engine();
        Ok(())
    }

    /// The rules of a game with each value of its option.
    fn values(&self, game: &str) -> Vec<Rules> {
        let offered = self.catalogue.game(game).into_iter();
        let rules =
            offered.flat_map(|offered| offered.values().iter().map(|value| offered.rules(Some(value))));
        rules.filter_map(Result::ok).collect()
    }

    fn offered_game(&self, game: &str) -> Result<&OfferedGame, Refusal> {
        self.catalogue.game(game).ok_or_else(|| Refusal::Game(game.to_owned()))
    }
}

/// Plays moves from a node, as far as they are legal: the outcome of chance may differ. Pauses engines, so
/// that they do not interfere.
fn play_line(state: &mut State, node: usize, moves: &[String]) -> Result<(), Refusal> {
    let (before, was_paused) = (state.tree.current(), state.is_paused);
    let end = state.tree.line_end();
    state.tree.show(node)?;
    // In a pause, the moves form a variation.
    state.is_paused |= state.has_engine();
    for (index, mv) in moves.iter().enumerate() {
        match state.play(mv) {
            Ok(()) => {}
            Err(error) if index == 0 => {
                // The line, and the position in it.
                state.tree.show(end)?;
                state.tree.show(before)?;
                state.is_paused = was_paused;
                return Err(error.into());
            }
            Err(_) => break,
        }
    }
    state.is_stepping = false;
    Ok(())
}

/// Makes a decision where the line ends: there the game goes on, whichever of its positions is shown.
fn at_end_of_line(
    state: &mut State,
    decide: impl FnOnce(&mut State) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let shown = state.tree.current();
    state.tree.show(state.tree.line_end())?;
    let decided = decide(state);
    if state.tree.end().is_none() || decided.is_err() {
        state.tree.show(shown)?;
    }
    decided
}

/// Ends the game in a draw, or offers one.
fn draw(state: &mut State, role: Role) -> Result<(), Refusal> {
    let person = deciding_person(state, role)?;
    let has_opponent = state.is_person(!person);
    if has_opponent && matches!(role, Role::Player(_)) && state.draw_offer != Some(!person) {
        if let Some(end) = state.tree.end() {
            return Err(GameError::Over(end.text).into());
        }
        state.draw_offer = Some(person);
        return Ok(());
    }
    if !has_opponent && !accepts_draw(&state.tree, !person) {
        return Err(Refusal::NoDraw(!person));
    }
    Ok(state.decide(PlayerDecision::Draw)?)
}

/// The person for whom a role decides: the one in its own seat, and without a seat the only one or the one to
/// move.
fn deciding_person(state: &State, role: Role) -> Result<Color, Refusal> {
    let person = match role {
        Role::Player(player) => Some(player).filter(|&player| state.is_person(player)),
        _ => {
            let stm = state.tree.board().side_to_move();
            state.person().or_else(|| state.has_person().then_some(stm))
        }
    };
    person.ok_or(Refusal::NoPerson)
}

/// Whether an engine accepts a draw: if the last evaluation of the line promises little more.
fn accepts_draw(tree: &GameTree, engine: Color) -> bool {
    let path = tree.path(tree.current());
    let last = path.iter().rev().find_map(|&node| tree.eval(node));
    let result = last.map(|eval| if engine == Color::White { eval.result } else { 1.0 - eval.result });
    path.len() >= MIN_DRAW_PLIES && result.is_some_and(|result| result <= MAX_DRAW_RESULT)
}

/// A position as the user has entered it; none if it is blank.
fn trimmed(fen: Option<&str>) -> Option<&str> {
    fen.map(str::trim).filter(|fen| !fen.is_empty())
}

pub(crate) fn read_players(
    offered: &OfferedGame,
    catalogue: &Catalogue,
    names: [&str; 2],
) -> Result<[Player; 2], Refusal> {
    let find = |name: &str| Player::find(name, offered, catalogue).ok_or(Refusal::Player(name.to_owned()));
    Ok([find(names[0])?, find(names[1])?])
}

fn read_clock(clock: &ClockRequest) -> Result<TimeControl, Refusal> {
    let &ClockRequest { minutes, increment } = clock;
    if ![minutes, increment].iter().all(|number| (0.0..=MAX_CLOCK).contains(number)) {
        return Err(Refusal::Clock);
    }
    let [time, increment] = [minutes * 60.0, increment].map(Duration::from_secs_f64);
    // A fraction of a nanosecond is none.
    if time.is_zero() && increment.is_zero() {
        return Err(Refusal::Clock);
    }
    Ok(TimeControl { moves: None, time, increment })
}

/// A game with a random opening.
fn random_opening(rules: Rules, plies: usize) -> Result<GameTree, Refusal> {
    let mut tree = GameTree::new(rules, None)?;
    let mut board = tree.rules().board().map_err(GameError::from)?;
    let opening = Openings::Random { seed: rand::random(), plies: plies..=plies }.get(
        0,
        board.as_mut(),
        &labrys_core::search::Control::default(),
    )?;
    for mv in &opening.moves {
        tree.add(mv)?;
    }
    Ok(tree)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::message::Eval;

    /// A session with a game.
    struct Table(Session);

    impl Table {
        fn new(game: &str, fen: Option<&str>, players: [&str; 2]) -> Table {
            let catalogue = Catalogue::new(&[]).with_limits(2, 64);
            let (session, _) = Session::with_default_game("a game".to_owned(), Arc::new(catalogue)).unwrap();
            let table = Table(session);
            assert_eq!(
                table.ask(json!({"do": "new", "game": game, "fen": fen, "players": players})),
                Value::Null
            );
            table
        }

        /// The answer to a request.
        fn ask(&self, request: Value) -> Value {
            self.ask_as(Role::Owner, request)
        }

        /// The answer to a request of a role.
        fn ask_as(&self, role: Role, request: Value) -> Value {
            let answer = self.0.request(role, serde_json::from_value(request).unwrap());
            answer.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap())
        }

        /// The error of a request.
        fn problem(&self, request: Value) -> String {
            self.ask(request)["text"].as_str().unwrap_or_default().to_owned()
        }

        /// The message about the game.
        fn game(&self) -> Value {
            serde_json::from_str(&self.0.listen().game.borrow()).unwrap()
        }
    }

    const PEOPLE: [&str; 2] = ["person", "person"];

    #[test]
    fn a_line_is_played_as_far_as_it_goes_and_engines_pause() {
        let table = Table::new("chess", None, ["person", "800 Elo"]);
        assert_eq!(table.game()["person"], "white");
        let line = |node, moves: &[&str]| json!({"do": "play-line", "node": node, "moves": moves});
        assert!(table.problem(line(0, &["e2e5"])).contains("e2e5"));
        assert_eq!(table.game()["line"], json!([]));
        assert_eq!(table.ask(line(0, &["e2e4", "e7e5", "e1e5"])), Value::Null);
        let game = table.game();
        assert_eq!((&game["ply"], &game["paused"]), (&json!(2), &json!(true)));
        // From an earlier position, it is a variation.
        assert_eq!(table.ask(line(1, &["c7c5", "g1f3"])), Value::Null);
        assert_eq!(table.game()["tree"][1]["text"], "e5", "the mainline stays");
        assert!(table.problem(line(99, &["c7c5"])).contains("99"));
    }

    #[test]
    fn positions_are_checked_without_a_change() {
        let table = Table::new("amazons", None, PEOPLE);
        let before = table.game();
        let check = |game, option: Option<&str>, fen: Option<&str>| {
            table.ask(json!({"do": "check", "game": game, "option": option, "fen": fen}))
        };
        assert_eq!(check("amazons", Some("4x4"), None)["fen"].as_str().unwrap().matches('/').count(), 3);
        let answer = check("chess", None, Some(" 8/8/8/8/8/8/8/k1K5 w "));
        assert_eq!(answer["fen"], "8/8/8/8/8/8/8/k1K5 w - - 0 1");
        let answer = check("chess", None, Some("8/8/8/8/8/8/8/kK6 w - - 0 1"));
        assert!(answer["fen"].is_null() && answer["problem"].as_str().unwrap().contains("king"), "{answer}");
        assert!(check("ludo", None, None)["text"].as_str().unwrap().contains("ludo"));
        assert_eq!(table.game(), before);
    }

    #[test]
    fn a_threat_is_searched_unless_in_check() {
        let table = Table::new("chess", None, PEOPLE);
        let threat = |node| json!({"do": "ask", "node": node, "threat": true});
        assert_eq!(table.ask(threat(0)), Value::Null);
        let job = table.0.state().job.clone().unwrap();
        assert!(serde_json::to_string(&job.search()).unwrap().contains("RNBQKBNR b KQkq"));
        let table = Table::new("chess", Some("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"), PEOPLE);
        assert!(table.problem(threat(0)).contains("cannot pass"));
    }

    #[test]
    fn an_analysis_has_the_chosen_limits_up_to_those_of_the_server() {
        let table = Table::new("chess", None, PEOPLE);
        let analyse = |depth: u32, threads: usize, hash: usize| {
            let what = json!({"do": "analyse", "on": true, "depth": depth});
            let mut request = what.as_object().unwrap().clone();
            request.extend([("threads".to_owned(), json!(threads)), ("hash".to_owned(), json!(hash))]);
            Value::Object(request)
        };
        assert_eq!(table.ask(analyse(9, 2, 64)), Value::Null);
        let job = table.0.state().job.clone().unwrap();
        assert_eq!(job.search().unwrap().threads(), 2);
        let search = serde_json::to_string(&job.search()).unwrap();
        for part in [r#"["Threads","2"]"#, r#"["Hash","64"]"#, r#""depth":9"#] {
            assert!(search.contains(part), "{part}: {search}");
        }
        assert_eq!(table.problem(analyse(9, 3, 64)), "an analysis has at most 2 threads here");
        assert_eq!(table.problem(analyse(9, 2, 65)), "an analysis has at most 64 MiB of hash here");
        // Missing keys keep their values.
        assert_eq!(table.ask(json!({"do": "analyse", "on": false})), Value::Null);
        let game = table.game();
        assert_eq!(
            [&game["depth"], &game["threads"], &game["hash"]],
            [9, 2, 64].map(|n| json!(n)).each_ref()
        );
    }

    #[test]
    fn people_resign_and_agree_on_a_draw() {
        let table = Table::new("neighbours", None, PEOPLE);
        assert_eq!(table.ask(json!({"do": "resign"})), Value::Null);
        assert_eq!(table.game()["end"], json!({"winner": "black", "text": "Black wins: White resigns"}));
        assert!(table.problem(json!({"do": "draw"})).contains("the game is over"));
        let pgn = table.ask(json!({"do": "save"}))["pgn"].as_str().unwrap().to_owned();
        assert!(pgn.contains("[Result \"0-1\"]"), "{pgn}");
        let table = Table::new("neighbours", None, PEOPLE);
        assert_eq!(table.ask(json!({"do": "draw"})), Value::Null);
        assert_eq!(table.game()["end"], json!({"winner": null, "text": "draw: by agreement"}));
        assert_eq!(table.game()["person"], Value::Null, "there are two");
        assert_eq!(table.ask(json!({"do": "rematch"})), Value::Null, "it has ended before its first move");
        let table = Table::new("neighbours", None, ["280 Elo", "280 Elo"]);
        assert_eq!(table.problem(json!({"do": "resign"})), "no person plays this game");
    }

    #[test]
    fn a_decision_is_kept_when_another_game_is_chosen() {
        for (decision, result) in [("resign", "0-1"), ("draw", "1/2-1/2")] {
            let table = Table::new("chess", None, PEOPLE);
            for request in [
                json!({"do": "load", "pgn": "1. e4 e5 *\n\n1. d4 *"}),
                json!({"do": "show", "node": 2}),
                json!({"do": decision}),
                json!({"do": "choose", "game": 1}),
                json!({"do": "choose", "game": 0}),
            ] {
                assert_eq!(table.ask(request), Value::Null);
            }
            assert_eq!(table.game()["record"]["result"], result);
            let pgn = table.ask(json!({"do": "save", "all": true}))["pgn"].as_str().unwrap().to_owned();
            assert!(pgn.contains(&format!("[Result \"{result}\"]")), "{pgn}");
        }
    }

    const WHITE: Role = Role::Player(Color::White);
    const BLACK: Role = Role::Player(Color::Black);

    /// The requests that are refused to a role.
    fn refused(table: &Table, role: Role) -> Vec<&'static str> {
        let requests = [
            json!({"do": "analyse", "on": true}),
            json!({"do": "annotate", "node": 0, "comment": "x"}),
            json!({"do": "ask", "node": 0}),
            json!({"do": "check", "game": "chess"}),
            json!({"do": "choose", "game": 0}),
            json!({"do": "delete", "node": 99}),
            json!({"do": "explored", "game": 0}),
            json!({"do": "load", "pgn": "1. e5 *"}),
            json!({"do": "new", "game": "ludo", "players": PEOPLE}),
            json!({"do": "pause", "on": false}),
            json!({"do": "play", "node": 99, "move": "e2e4"}),
            json!({"do": "play-line", "node": 99, "moves": ["e2e4"]}),
            json!({"do": "players", "players": ["x", "y"]}),
            json!({"do": "promote", "node": 99}),
            json!({"do": "record", "tags": {"Date": "x"}}),
            json!({"do": "rematch"}),
            json!({"do": "review", "on": false}),
            json!({"do": "save"}),
            json!({"do": "show", "node": 99}),
            json!({"do": "step"}),
            json!({"do": "take-back"}),
            json!({"do": "try", "node": 99, "move": "e2e4"}),
        ];
        let names = [
            "analyse",
            "annotate",
            "ask",
            "check",
            "choose",
            "delete",
            "explored",
            "load",
            "new",
            "pause",
            "play",
            "play-line",
            "players",
            "promote",
            "record",
            "rematch",
            "review",
            "save",
            "show",
            "step",
            "take-back",
            "try",
        ];
        let is_refused = |request: &Value| {
            let answer = table.ask_as(role, request.clone());
            answer["text"].as_str() == Some(not_allowed(role))
        };
        names
            .into_iter()
            .zip(&requests)
            .filter(|(_, request)| is_refused(request))
            .map(|(name, _)| name)
            .collect()
    }

    #[test]
    fn a_seat_moves_for_its_side_only() {
        let table = Table::new("chess", None, PEOPLE);
        let play = |node: usize, mv: &str| json!({"do": "play", "node": node, "move": mv});
        assert_eq!(table.ask(play(0, "e2e4")), Value::Null);
        assert_eq!(table.ask(json!({"do": "show", "node": 0})), Value::Null);
        assert_eq!(table.ask(json!({"do": "analyse", "on": true})), Value::Null);
        let tokens = table.ask(json!({"do": "seats", "on": true}));
        let role = |seat: &str| table.0.role(tokens[seat].as_str());
        assert_eq!(
            [role("white"), role("black"), role("spectators")],
            [Some(WHITE), Some(BLACK), Some(Role::Spectator)]
        );
        assert_eq!(table.0.role(Some("guess")), None);
        assert_eq!(table.ask(json!({"do": "seats", "on": true})), tokens, "the tokens stay");
        // The game continues from its last move, without help.
        assert_eq!((&table.game()["ply"], &table.game()["analysing"]), (&json!(1), &json!(false)));
        assert_eq!(table.ask_as(WHITE, play(1, "e7e5"))["text"], "Black is to move");
        assert_eq!(table.ask_as(Role::Spectator, play(1, "e7e5"))["text"], "spectators can only watch");
        assert_eq!(table.ask(play(1, "e7e5"))["text"], "only the players can do this until the game is over");
        assert_eq!(table.ask_as(BLACK, play(1, "e7e5")), Value::Null);
        assert_eq!(table.ask_as(BLACK, play(2, "d7d5"))["text"], "White is to move");
        let all_but = |allowed: &[&str], role| {
            let refused = refused(&table, role);
            assert!(allowed.iter().all(|name| !refused.contains(name)), "{role:?}: {refused:?}");
            assert_eq!(refused.len(), 22 - allowed.len(), "{role:?}: {refused:?}");
        };
        all_but(&["check", "save"], Role::Spectator);
        all_but(&["check", "play", "rematch", "save"], WHITE);
        all_but(
            &["check", "choose", "explored", "load", "new", "pause", "players", "record", "save", "step"],
            Role::Owner,
        );
        // When the game is over, its owner can analyse it.
        assert_eq!(table.ask_as(WHITE, json!({"do": "resign"})), Value::Null);
        assert_eq!(table.game()["end"]["text"], "Black wins: White resigns");
        assert_eq!(table.ask(json!({"do": "show", "node": 1})), Value::Null);
        assert_eq!(table.ask_as(BLACK, play(1, "d7d5"))["text"], "Black is to move");
        assert_eq!(table.ask(json!({"do": "seats", "on": false})), Value::Null);
        assert_eq!(role("white"), None);
    }

    #[test]
    fn players_agree_on_a_draw_and_on_a_rematch() {
        let table = Table::new("chess", None, PEOPLE);
        let tokens = table.ask(json!({"do": "seats", "on": true}));
        let play = |node: usize, mv: &str| json!({"do": "play", "node": node, "move": mv});
        let draw = json!({"do": "draw"});
        assert_eq!(table.ask_as(BLACK, draw.clone()), Value::Null);
        assert_eq!(table.game()["draw-offer"], "black");
        assert_eq!(table.ask_as(BLACK, draw.clone()), Value::Null, "an offer is not an agreement");
        assert_eq!(table.game()["end"], Value::Null);
        assert_eq!(table.ask_as(WHITE, play(0, "e2e4")), Value::Null);
        assert_eq!(table.game()["draw-offer"], Value::Null, "the move declines it");
        assert_eq!(table.ask_as(WHITE, draw.clone()), Value::Null);
        assert_eq!(table.ask_as(WHITE, json!({"do": "rematch"}))["text"], "the game is not over");
        assert_eq!(table.ask_as(BLACK, draw.clone()), Value::Null);
        let game = table.game();
        assert_eq!((&game["end"]["text"], &game["draw-offer"]), (&json!("draw: by agreement"), &Value::Null));
        assert!(table.ask_as(WHITE, draw)["text"].as_str().unwrap().contains("over"));
        for (role, wanted) in [(BLACK, json!("black")), (BLACK, json!("black")), (WHITE, Value::Null)] {
            assert_eq!(table.ask_as(role, json!({"do": "rematch"})), Value::Null);
            assert_eq!(table.game()["rematch"], wanted);
        }
        assert_eq!((&table.game()["ply"], &table.game()["end"]), (&json!(0), &Value::Null));
        assert_eq!(table.0.role(tokens["white"].as_str()), Some(BLACK), "they have swapped sides");
    }

    #[test]
    fn an_engine_plays_its_side_even_if_its_seat_is_taken() {
        let table = Table::new("chess", None, ["person", "800 Elo"]);
        table.ask(json!({"do": "seats", "on": true}));
        assert_eq!(table.ask_as(WHITE, json!({"do": "play", "node": 0, "move": "e2e4"})), Value::Null);
        assert_eq!(
            table.ask_as(BLACK, json!({"do": "play", "node": 1, "move": "e7e5"}))["text"],
            "Black is to move"
        );
        assert_eq!(table.ask_as(BLACK, json!({"do": "resign"}))["text"], "no person plays this game");
        assert_eq!(table.ask_as(WHITE, json!({"do": "draw"}))["text"], "Black declines the draw");
        assert_eq!(table.ask_as(WHITE, json!({"do": "resign"})), Value::Null);
        assert_eq!(table.ask_as(WHITE, json!({"do": "rematch"})), Value::Null);
        assert_eq!(table.game()["players"], json!(["800 Elo", "person"]), "an engine agrees at once");
    }

    /// Enough moves for an engine to accept a draw.
    fn quiet_moves() -> impl Iterator<Item = String> {
        let pawns = ('a'..='h').flat_map(|file| [format!("{file}2{file}3"), format!("{file}7{file}6")]);
        pawns.chain(["a3a4", "a6a5", "h3h4", "h6h5"].map(str::to_owned))
    }

    #[test]
    fn the_seat_of_an_engine_does_not_agree_on_a_draw() {
        let table = Table::new("chess", None, ["person", "800 Elo"]);
        table.ask(json!({"do": "seats", "on": true}));
        {
            let tree = &mut table.0.state().tree;
            quiet_moves().for_each(|mv| tree.add(&mv).unwrap());
            tree.store_eval(tree.current(), Eval { result: 0.6, depth: 3, by: String::new() });
        }
        let draw = json!({"do": "draw"});
        assert_eq!(table.ask_as(BLACK, draw.clone())["text"], "no person plays this game");
        assert!(table.0.state().tree.end().is_none());
        assert_eq!(table.ask_as(WHITE, draw), Value::Null);
        assert_eq!(table.game()["end"]["text"], "draw: by agreement");
    }

    /// 1. e4 e5 2. Nf3, with the position after 1. e4 shown.
    fn looking_back(players: [&str; 2]) -> Table {
        let table = Table::new("chess", None, players);
        {
            let tree = &mut table.0.state().tree;
            ["e2e4", "e7e5", "g1f3"].iter().for_each(|mv| tree.add(mv).unwrap());
            tree.show(1).unwrap();
        }
        table
    }

    #[test]
    fn a_decision_is_about_the_end_of_the_line_whichever_position_is_shown() {
        for (decision, result) in [("resign", "1-0"), ("draw", "1/2-1/2")] {
            let table = looking_back(PEOPLE);
            assert_eq!(table.ask(json!({"do": decision})), Value::Null);
            let game = table.game();
            assert_eq!((&game["node"], &game["record"]["result"]), (&json!(3), &json!(result)), "{decision}");
        }
        // What is refused shows no other position.
        let table = looking_back(["person", "800 Elo"]);
        assert_eq!(table.problem(json!({"do": "draw"})), "Black declines the draw");
        assert_eq!(table.0.state().tree.current(), 1);
    }

    #[test]
    fn a_refused_line_changes_no_line() {
        let table = looking_back(PEOPLE);
        table.0.state().tree.add("c7c5").unwrap();
        table.0.state().tree.show(3).unwrap();
        table.0.state().tree.show(0).unwrap();
        let line = table.game()["line"].clone();
        let request = json!({"do": "play-line", "node": 4, "moves": ["a1a8"]});
        assert!(table.problem(request).contains("a1a8"));
        assert_eq!((&table.game()["node"], &table.game()["line"]), (&json!(0), &line));
    }

    /// With a fraction of a nanosecond.
    #[test]
    fn a_clock_has_time() {
        let table = Table::new("chess", None, PEOPLE);
        let clock = json!({"minutes": 0, "increment": 1e-12});
        let request = json!({"do": "new", "game": "chess", "players": PEOPLE, "clock": clock});
        assert_eq!(table.problem(request), Refusal::Clock.to_string());
    }

    #[test]
    fn players_see_no_evaluation_of_an_engine_before_the_end() {
        let table = Table::new("chess", None, ["person", "800 Elo"]);
        {
            let tree = &mut table.0.state().tree;
            let eval = || Eval { result: 0.6, depth: 3, by: String::new() };
            tree.store_eval(0, eval());
            tree.add("e2e4").unwrap();
            tree.store_eval(1, eval());
            tree.add("e7e5").unwrap();
        }
        let evals = || {
            let game: Value = serde_json::from_str(&table.0.state().to_json()).unwrap();
            [game["start-eval"].clone(), game["line"][0]["eval"].clone()]
        };
        assert!(evals().iter().all(Value::is_object));
        table.ask(json!({"do": "seats", "on": true}));
        assert_eq!(evals(), [Value::Null, Value::Null]);
        assert_eq!(table.ask_as(WHITE, json!({"do": "resign"})), Value::Null);
        assert!(evals().iter().all(Value::is_object));
    }

    #[test]
    fn a_refused_step_neither_pauses_nor_stops_the_clock() {
        let table = Table::new("chess", None, PEOPLE);
        let clock = json!({"minutes": 1, "increment": 0});
        let play = |node: usize, mv: &str| json!({"do": "play", "node": node, "move": mv});
        for request in [
            json!({"do": "new", "game": "chess", "players": PEOPLE, "clock": clock}),
            play(0, "e2e4"),
            json!({"do": "players", "players": ["800 Elo", "person"]}),
        ] {
            assert_eq!(table.ask(request), Value::Null);
        }
        let step = json!({"do": "step"});
        assert_eq!(table.problem(step.clone()), "no engine is to move");
        let paused_and_running = || {
            let game: Value = serde_json::from_str(&table.0.state().to_json()).unwrap();
            (game["paused"] == true, game["clock"]["running"] == true)
        };
        assert_eq!(paused_and_running(), (false, true));
        assert_eq!(table.ask(play(1, "e7e5")), Value::Null);
        assert_eq!(table.ask(step), Value::Null);
        assert_eq!(paused_and_running(), (true, true), "its one move");
    }

    #[test]
    fn a_game_has_its_clocks_within_its_random_opening() {
        let table = Table::new("chess", None, PEOPLE);
        let clock = json!({"minutes": 5, "increment": 0});
        let new = json!({"do": "new", "game": "chess", "players": PEOPLE, "opening": 4, "clock": clock});
        assert_eq!(table.ask(new), Value::Null);
        for plies in (0..4).rev() {
            assert_eq!(table.ask(json!({"do": "take-back"})), Value::Null);
            assert_eq!(table.game()["ply"], plies);
            assert!(table.game()["clock"].is_object(), "{plies}");
        }
        assert_eq!(table.ask(json!({"do": "play", "node": 0, "move": "e2e4"})), Value::Null);
        assert_eq!(table.game()["clock"]["left"][0], 300_000);
    }

    #[test]
    fn the_game_says_who_is_connected() {
        let table = Table::new("chess", None, PEOPLE);
        assert_eq!(table.game()["seats"], Value::Null);
        let tokens = table.ask(json!({"do": "seats", "on": true}));
        for (seat, is_new) in [("white", true), ("white", true), ("white", false), ("spectators", true)] {
            table.0.count_connection(tokens[seat].as_str().unwrap(), is_new);
        }
        assert_eq!(table.game()["seats"], json!({"white": true, "black": false, "spectators": 1}));
        table.0.count_connection("guess", true);
        assert_eq!(table.game()["seats"], json!({"white": true, "black": false, "spectators": 1}));
    }

    #[test]
    fn a_saved_game_has_the_name_of_its_opening_unless_it_has_one() {
        let table = Table::new("chess", None, PEOPLE);
        let save = |table: &Table| table.ask(json!({"do": "save"}))["pgn"].as_str().unwrap().to_owned();
        assert!(!save(&table).contains("Opening"));
        assert_eq!(
            table.ask(json!({"do": "play-line", "node": 0, "moves": ["e2e4", "c7c5", "h2h3"]})),
            Value::Null
        );
        let opening = json!({"code": "B20", "name": "Sicilian Defense"});
        assert_eq!(table.game()["opening"], opening);
        assert!(save(&table).contains("[ECO \"B20\"]\n[Opening \"Sicilian Defense\"]\n"), "{}", save(&table));
        assert_eq!(table.ask(json!({"do": "record", "tags": {"Opening": "mine"}})), Value::Null);
        let pgn = save(&table);
        assert!(pgn.contains("[Opening \"mine\"]") && !pgn.contains("ECO"), "{pgn}");
    }

    #[test]
    fn records_are_explored_and_opened_at_the_position_on_the_board() {
        let table = Table::new("chess", None, PEOPLE);
        assert_eq!(table.game()["explorer"], Value::Null);
        assert!(table.problem(json!({"do": "explored", "game": 0})).contains("no games"));
        let explore = |pgn, first| serde_json::from_str::<Value>(&table.0.explore(pgn, first)).unwrap();
        explore("1. d4 *", false);
        let answer =
            explore("[White \"Ann\"]\n\n1. e4 c5 {sharp} 2. Nf3 d6 1-0\n\n1. Nf3 c5 0-1\n\n1. Ke2 *", true);
        assert_eq!(answer, json!({"is": "explored", "games": 2, "left-out": 1}));
        let play = |moves: &[&str]| json!({"do": "play-line", "node": 0, "moves": moves});
        assert_eq!(table.ask(play(&["g1f3", "c7c5", "e2e4"])), Value::Null);
        let explorer = &table.game()["explorer"];
        let expected = json!({"move": "d7d6", "text": "d6", "games": 1, "white": 1, "draws": 0, "black": 0});
        assert_eq!((&explorer["moves"], &explorer["here"]), (&json!([expected]), &json!(1)));
        assert_eq!(explorer["list"][0]["players"], json!(["Ann", "?"]));
        assert_eq!(table.ask(json!({"do": "explored", "game": 0})), Value::Null);
        let game = table.game();
        assert_eq!((&game["ply"], &game["tree"][1]["comment"]), (&json!(3), &json!("sharp")));
        // The explorer keeps its games.
        assert_eq!((&game["explorer"]["all"], &game["record"]["names"][0]), (&json!(2), &json!("Ann")));
        assert!(table.problem(json!({"do": "explored", "game": 2})).contains("there is no game 2"));
        assert_eq!(explore("", true)["games"], 0);
        assert_eq!(table.game()["explorer"], Value::Null);
    }

    #[test]
    fn an_engine_accepts_a_draw_by_its_expected_score() {
        let mut tree = GameTree::new(Rules::new("chess", None).unwrap(), None).unwrap();
        for mv in quiet_moves() {
            assert!(!accepts_draw(&tree, Color::Black), "{mv}");
            tree.add(&mv).unwrap();
            tree.store_eval(tree.current(), Eval { result: 0.6, depth: 3, by: String::new() });
        }
        assert!(accepts_draw(&tree, Color::Black) && !accepts_draw(&tree, Color::White));
    }
}
