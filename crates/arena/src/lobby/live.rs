//! What is going on in a lobby, for those who watch it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use super::super::Summary;
use super::super::player::{MoveReply, MoveRequest, Player, PlayerError};
use super::super::summary::PlayerSummary;
use super::Standings;
use labrys_core::clock::Instant;
use labrys_core::engine::{Board, Playable};
use labrys_core::game::{Color, Game};
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

/// A game that is being played.
#[derive(Debug)]
struct LiveGame {
    /// The number by which its players report it.
    id: u64,
    players: [String; 2],
    fen: String,
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

impl LiveLobby {
    /// A lobby for a game, before anybody has come.
    pub fn new(variant: &str) -> LiveLobby {
        LiveLobby { variant: variant.to_owned(), state: Mutex::default() }
    }

    /// The state as JSON, with the clocks of now.
    pub fn to_json(&self) -> String {
        let State { present, games, finished, table } = &*self.state();
        let mut rows: Vec<_> = table.iter().collect();
        rows.sort_by(|a, b| b.elo.total_cmp(&a.elo));
        let snapshot = Snapshot {
            game: &self.variant,
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

    /// Notes who is there.
    pub(super) fn set_present<'a>(&self, names: impl Iterator<Item = &'a str>) {
        self.state().present = names.map(str::to_owned).collect();
    }

    /// Notes the results so far.
    pub(super) fn set_standings(&self, standings: &Standings) {
        let finished = standings.results().games();
        let Summary { players: table, .. } = standings.summary();
        let state = &mut *self.state();
        (state.finished, state.table) = (finished, table);
    }

    /// Removes a game that is over.
    pub(super) fn end_game(&self, id: u64) {
        self.state().games.retain(|game| game.id != id);
    }

    /// Notes the position in which a player thinks.
    fn set_game(&self, game: LiveGame) {
        let games = &mut self.state().games;
        match games.iter_mut().find(|known| known.id == game.id) {
            Some(known) => *known = game,
            None => games.push(game),
        }
    }
}

impl LiveGame {
    fn view(&self) -> GameView<'_> {
        let mut clocks = self.clocks;
        if let Some(left) = &mut clocks[self.turn.index()] {
            *left = left.saturating_sub(self.since.elapsed().as_millis() as u64);
        }
        let turn = if self.turn == Color::White { "white" } else { "black" };
        let LiveGame { id, players, fen, last, plies, .. } = self;
        GameView { id: *id, players, fen, last: last.as_deref(), plies: *plies, clocks, turn }
    }
}

/// A player whose games are shown.
pub(super) struct Shown<'a, G: Game> {
    pub(super) player: &'a mut dyn Player<G>,
    pub(super) live: &'a LiveLobby,
    /// The number of the game.
    pub(super) id: u64,
    /// The names of White and Black.
    pub(super) names: &'a [String; 2],
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
        self.live.set_game(LiveGame {
            id: self.id,
            players: self.names.clone(),
            fen: request.game.fen(),
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
