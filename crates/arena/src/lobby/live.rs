//! What is going on in a lobby, for those who watch it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::super::Summary;
use super::super::player::{Act, MoveReply, MoveRequest, Person, Player, PlayerError};
use super::super::summary::PlayerSummary;
use super::Standings;
use labrys_core::clock::Instant;
use labrys_core::engine::{Board, Playable};
use labrys_core::game::{Color, Game, quote};
use labrys_core::search::Control;

/// The state of a lobby: who is there, the games being played, and the table.
#[derive(Debug)]
pub struct LiveLobby {
    variant: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    present: Vec<String>,
    games: Vec<LiveGame>,
    finished: u64,
    table: Vec<PlayerSummary>,
}

/// Who plays a game.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// The number of the game.
    pub(super) id: u64,
    /// The names of White and Black.
    pub(super) names: [String; 2],
    /// Those of them who are people.
    pub(super) people: [Option<Person>; 2],
}

impl Table {
    /// The side of a person, if it plays.
    fn side(&self, person: &Person) -> Option<Color> {
        Color::BOTH.into_iter().find(|side| self.people[side.index()].as_ref() == Some(person))
    }
}

/// A game that is being played.
#[derive(Debug)]
struct LiveGame {
    table: Table,
    fen: String,
    /// The legal moves, where people play.
    moves: Vec<String>,
    /// The side that offers a draw.
    offer: Option<Color>,
    last: Option<String>,
    /// Moves so far, those of the opening included.
    plies: usize,
    /// The clocks of White and Black in milliseconds, as the side to move began to think.
    clocks: [Option<u64>; 2],
    turn: Color,
    since: Instant,
}

/// The state as JSON has it.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Snapshot<'a> {
    game: &'a str,
    /// Whether people may come.
    has_people: bool,
    present: &'a [String],
    /// Games that are over.
    finished: u64,
    table: Vec<Row<'a>>,
    games: Vec<GameView<'a>>,
}

/// A line of the table, the best player first.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Row<'a> {
    name: &'a str,
    is_present: bool,
    wins: u64,
    draws: u64,
    losses: u64,
    elo: f64,
    elo_error: f64,
}

impl Row<'_> {
    fn new<'a>(player: &'a PlayerSummary, present: &[String]) -> Row<'a> {
        let PlayerSummary { name, tally, elo, elo_error, .. } = player;
        Row {
            name,
            is_present: present.contains(name),
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            elo: *elo,
            elo_error: *elo_error,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct GameView<'a> {
    id: u64,
    players: &'a [String; 2],
    fen: &'a str,
    last: Option<&'a str>,
    plies: usize,
    /// Milliseconds left to White and Black; none without clocks.
    clocks: [Option<u64>; 2],
    turn: &'static str,
}

/// What a person sees of its game.
#[derive(Serialize)]
#[serde(tag = "is", rename = "seat", rename_all = "kebab-case")]
struct SeatView<'a> {
    variant: &'a str,
    name: &'a str,
    /// Whether it has left the table.
    is_away: bool,
    /// How its last game has ended.
    last: Option<String>,
    game: Option<OwnGame<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct OwnGame<'a> {
    #[serde(flatten)]
    view: GameView<'a>,
    side: &'static str,
    /// The legal moves; none while the opponent is to move.
    moves: &'a [String],
    /// Whether the opponent can take a draw: it is a person.
    can_draw: bool,
    /// The side that offers a draw.
    offer: Option<&'static str>,
}

/// What a person asks for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PersonRequest {
    /// Plays a move.
    Play {
        /// The number of the game.
        id: u64,
        /// The plies before the move.
        plies: usize,
        /// The move.
        #[serde(rename = "move")]
        mv: String,
    },
    /// Resigns a game, at the next turn.
    Resign {
        /// The number of the game.
        id: u64,
    },
    /// Offers a draw, until the opponent has moved, or accepts it.
    Draw {
        /// The number of the game.
        id: u64,
    },
    /// Leaves the table, to be called to no further game, or comes back to it.
    Away {
        /// Whether it leaves.
        on: bool,
    },
}

/// The name of a side in JSON.
fn side_name(side: Color) -> &'static str {
    if side == Color::White { "white" } else { "black" }
}

impl LiveLobby {
    /// A lobby for a game, before anybody has come.
    pub fn new(variant: &str) -> LiveLobby {
        LiveLobby { variant: variant.to_owned(), state: Mutex::default() }
    }

    /// The state as JSON, with the clocks of now. `has_people`: people may come.
    pub fn to_json(&self, has_people: bool) -> String {
        let State { present, games, finished, table } = &*self.state();
        let mut rows: Vec<_> = table.iter().collect();
        rows.sort_by(|a, b| b.elo.total_cmp(&a.elo));
        let snapshot = Snapshot {
            game: &self.variant,
            has_people,
            present,
            finished: *finished,
            table: rows.into_iter().map(|player| Row::new(player, present)).collect(),
            games: games.iter().map(LiveGame::view).collect(),
        };
        serde_json::to_string(&snapshot).expect("a snapshot is made of text and numbers")
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a person sees of its game, as JSON.
    pub fn seat_json(&self, person: &Person) -> String {
        let state = self.state();
        let game = state.games.iter().find_map(|game| Some((game, game.table.side(person)?)));
        let game = game.map(|(game, side)| OwnGame {
            view: game.view(),
            side: side_name(side),
            moves: if game.turn == side { &game.moves } else { &[] },
            can_draw: game.table.people[(!side).index()].is_some(),
            offer: game.offer.map(side_name),
        });
        let (name, is_away, last) = (person.name().as_str(), person.is_away(), person.last());
        let seat = SeatView { variant: &self.variant, name, is_away, last, game };
        serde_json::to_string(&seat).expect("a seat is made of text and numbers")
    }

    /// Does what a person asks for.
    ///
    /// # Errors
    /// A message for it that says why not; nothing has changed then.
    pub fn request(&self, person: &Person, request: PersonRequest) -> Result<(), String> {
        let state = &mut *self.state();
        match request {
            PersonRequest::Away { on } => person.set_away(on),
            PersonRequest::Play { id, plies, mv } => {
                let (side, game) = state.own_game(person, id)?;
                if game.turn != side || game.plies != plies {
                    return Err("the position has changed".to_owned());
                }
                if !game.moves.contains(&mv) {
                    return Err(format!("{} is not a legal move", quote(&mv)));
                }
                person.act(Act::Move(plies, mv));
            }
            PersonRequest::Resign { id } => {
                state.own_game(person, id)?;
                person.act(Act::Resign);
            }
            PersonRequest::Draw { id } => {
                let (side, game) = state.own_game(person, id)?;
                if game.table.people[(!side).index()].is_none() {
                    return Err("agents take no draws".to_owned());
                }
                if game.turn == side && game.offer == Some(!side) {
                    person.act(Act::Agree(game.plies));
                } else {
                    game.offer = Some(side);
                    game.notify();
                }
            }
        }
        Ok(())
    }

    /// Notes who is there.
    pub(super) fn set_present<'a>(&self, names: impl Iterator<Item = &'a str> + Clone) {
        let present = &mut self.state().present;
        // It is called many times a second, and seldom has anybody come or gone.
        if !names.clone().eq(present.iter().map(String::as_str)) {
            *present = names.map(str::to_owned).collect();
        }
    }

    /// Notes the results so far.
    pub(super) fn set_standings(&self, standings: &Standings) {
        let finished = standings.results().games();
        let Summary { players: table, .. } = standings.summary();
        let state = &mut *self.state();
        (state.finished, state.table) = (finished, table);
    }

    /// Removes a game that is over. `end` says how it has ended; `None` if it was stopped.
    pub(super) fn end_game(&self, table: &Table, end: Option<&str>) {
        self.state().games.retain(|game| game.table.id != table.id);
        let [white, black] = &table.names;
        let end = end.map(|end| format!("{white} – {black}: {end}"));
        table.people.iter().flatten().for_each(|person| person.end_game(end.clone()));
    }

    /// Notes the position in which a player thinks.
    fn set_game(&self, mut game: LiveGame) {
        let games = &mut self.state().games;
        match games.iter_mut().find(|known| known.table.id == game.table.id) {
            Some(known) => {
                // The side to move may take what the other side offered with its move.
                game.offer = known.offer.filter(|&side| side != game.turn);
                // An agent without a clock is not told of that of its opponent.
                for (clock, known) in game.clocks.iter_mut().zip(known.view().clocks) {
                    *clock = clock.or(known);
                }
                game.notify();
                *known = game;
            }
            None => {
                game.notify();
                games.push(game);
            }
        }
    }
}

impl State {
    /// The game of a number, with the side of a person.
    fn own_game(&mut self, person: &Person, id: u64) -> Result<(Color, &mut LiveGame), String> {
        let game = self.games.iter_mut().find(|game| game.table.id == id);
        let own = game.and_then(|game| Some((game.table.side(person)?, game)));
        own.ok_or_else(|| format!("you do not play game {id}"))
    }
}

impl LiveGame {
    /// Tells the people who play.
    fn notify(&self) {
        self.table.people.iter().flatten().for_each(Person::notify);
    }

    fn view(&self) -> GameView<'_> {
        let mut clocks = self.clocks;
        if let Some(left) = &mut clocks[self.turn.index()] {
            *left = left.saturating_sub(self.since.elapsed().as_millis() as u64);
        }
        let LiveGame { table: Table { id, names: players, .. }, fen, last, plies, turn, .. } = self;
        let (last, turn) = (last.as_deref(), side_name(*turn));
        GameView { id: *id, players, fen, last, plies: *plies, clocks, turn }
    }
}

/// A player whose games are shown.
pub(super) struct Shown<'a, G: Game> {
    pub(super) player: &'a mut dyn Player<G>,
    pub(super) live: &'a LiveLobby,
    pub(super) table: &'a Table,
}

impl<G: Playable> Player<G> for Shown<'_, G> {
    fn new_game(&mut self, color: Color, control: &Control) -> Result<(), PlayerError> {
        self.player.new_game(color, control)
    }

    fn think(
        &mut self,
        request: &MoveRequest<G>,
        control: &Control,
    ) -> Result<MoveReply<G::Move>, PlayerError> {
        let clocks = request.limits.clocks;
        let has_people = self.table.people.iter().any(Option::is_some);
        self.live.set_game(LiveGame {
            table: self.table.clone(),
            fen: request.game.fen(),
            moves: if has_people { request.game.legal_moves() } else { Vec::new() },
            offer: None,
            last: request.line.moves.last().cloned(),
            plies: request.line.moves.len(),
            clocks: clocks.map(|clock| clock.map(|clock| clock.remaining.as_millis() as u64)),
            turn: request.game.side_to_move(),
            since: Instant::now(),
        });
        self.player.think(request, control)
    }

    fn ponder(&mut self, request: &MoveRequest<G>, control: &Control) {
        self.player.ponder(request, control);
    }

    fn moved(&mut self, mv: &str, board: &dyn Board) {
        self.player.moved(mv, board);
    }

    fn game_over(&mut self, board: &dyn Board) {
        self.player.game_over(board);
    }
}
