//! A lobby: a tournament of whoever is there.
//!
//! Agents connect from outside ([`Hall`]) under names that [`Identities`] keep, and so do people, from a page
//! ([`LiveLobby`] shows them their games, and takes their moves). A lobby pairs those who are
//! there and free, plays several games at a time, and forgets nothing that the records of its games hold: it
//! goes on from them. Each game is refereed as in a [`Tournament`]; one player is in one game at a time.

mod hall;
mod identities;
mod live;
mod pairing;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, Scope};
use std::time::Duration;

pub use hall::Hall;
pub use identities::{Identities, IdentitiesError, IdentityError};
pub use live::{LiveLobby, PersonRequest};
pub use pairing::LobbyFormat;

use self::live::{Shown, Table};
use self::pairing::{NextGame, Started};
use super::games::GAMES;
use super::pgn::PgnGame;
use super::player::PERSON;
use super::referee::{PlayedGame, Seat};
use super::{
    EngineConfig, EngineKind, EngineLimits, Player, PlayerError, Results, RulesError, Summary, Tournament,
    TournamentError, Variation,
};
use labrys_core::clock::Instant;
use labrys_core::engine::Playable;
use labrys_core::game::{Color, SharedTables, quote};
use labrys_core::search::Control;
use labrys_protocol::transport::Transport;

/// The interval at which the lobby looks who has come.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A tournament of whoever is there.
#[derive(Clone, Debug)]
pub struct Lobby {
    /// How games are played. Its engines are players that are always there; its schedule does not count.
    pub tournament: Tournament,
    /// Limits, options and timeout of each agent.
    pub agent: EngineConfig,
    /// Limits of each person.
    pub person: EngineLimits,
    /// Who is paired with whom.
    pub format: LobbyFormat,
    /// Games of each pairing.
    pub games: u64,
    /// The number of players whose games are all there are; `None` goes on until it is stopped.
    pub players: Option<usize>,
    /// The time after which no game begins.
    pub duration: Option<Duration>,
    /// What is going on, for those who watch.
    pub live: Arc<LiveLobby>,
}

/// The players that a lobby knows, and their results.
#[derive(Clone, Debug)]
pub struct Standings {
    names: Vec<String>,
    results: Results,
    started: Started,
}

/// What happens in a lobby.
#[derive(Debug)]
pub enum LobbyEvent<'a> {
    /// A player is there.
    Joined(&'a str),
    /// A player has left.
    Left(&'a str),
    /// An agent cannot play.
    Refused(&'a str, &'a PlayerError),
    /// A game begins, between White and Black.
    Begun([&'a str; 2]),
    /// A game is over. An error of writing it ends the lobby.
    Finished(&'a PgnGame),
}

/// The callback for events.
pub type OnEvent<'a> = dyn FnMut(LobbyEvent<'_>, &Standings) -> io::Result<()> + 'a;

impl Standings {
    /// The names of the players that are there or have been, in the order in which they came.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The results.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// The table, with ratings and their errors. Only complete pairs of games count.
    pub fn summary(&self) -> Summary {
        Summary::new(&self.names, &self.results, None)
    }

    /// The index of a player, who is added if need be.
    fn index(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    /// The place of each player in the table.
    fn ranks(&self) -> Vec<usize> {
        let elo: Vec<_> = self.summary().players.iter().map(|player| player.elo).collect();
        elo.iter().map(|own| elo.iter().filter(|other| *other > own).count()).collect()
    }
}

impl Lobby {
    /// The standings before the first game.
    pub fn standings(&self) -> Standings {
        let names = self.tournament.engines.iter().map(|engine| engine.name.clone()).collect();
        Standings { names, results: Results::default(), started: Started::default() }
    }

    /// Adds the games of earlier runs.
    ///
    /// # Errors
    /// [`TournamentError::Mismatch`]: one belongs to another tournament, or is there twice.
    pub fn restore(&self, records: &[PgnGame]) -> Result<Standings, TournamentError> {
        let mut standings = self.standings();
        for (record, expected) in records.iter().zip(1..) {
            self.restore_one(record, expected, &mut standings).map_err(|problem| {
                TournamentError::Mismatch { number: record.number.unwrap_or(0), problem }
            })?;
        }
        Ok(standings)
    }

    fn restore_one(&self, record: &PgnGame, expected: u64, standings: &mut Standings) -> Result<(), String> {
        // So a game that was copied does not count again.
        if record.number != Some(expected) {
            return Err(format!("expected game {expected} here"));
        }
        let variant = &self.tournament.rules.variant;
        let mut board = record.board(Some(variant)).map_err(|error| error.to_string())?;
        let Some(end) = &record.end else { return Err("it was not finished".to_owned()) };
        record.replay_to_result(board.as_mut()).map_err(|error| error.to_string())?;
        for (player, color) in record.players.iter().zip(Color::BOTH) {
            let house = self.tournament.engines.iter().find(|engine| engine.name == player.name);
            let limits = house.map_or(&self.agent.limits, |engine| &engine.limits).to_string();
            let is_person = house.is_none() && player.setup == PERSON;
            if !is_person && player.time_control != limits {
                let found = quote(&player.time_control);
                return Err(format!("{color} has {found}, not {}", quote(&limits)));
            }
        }
        let players = record.players.each_ref().map(|player| standings.index(&player.name));
        if players[0] == players[1] {
            return Err(format!("{} plays against itself", quote(&record.players[0].name)));
        }
        let NextGame { number, opening, .. } = standings.started.add(players);
        if record.round != (opening + 1).to_string() {
            return Err(format!("expected opening {} here", opening + 1));
        }
        standings.results.add(number, players, end.game_result());
        Ok(())
    }

    /// Whether all games have a result.
    pub fn is_complete(&self, standings: &Standings) -> bool {
        let known = standings.names.len();
        self.players.is_some_and(|players| {
            known >= players && standings.started.is_complete(self.format, self.games, known)
        })
    }

    /// Plays until all games have a result, the time is over, or `control` stops the lobby. `on_event` is
    /// called for each event. Games still being played when it is stopped are dropped.
    ///
    /// # Errors
    /// [`TournamentError`]: the first one ends the lobby.
    pub fn run(
        &self,
        hall: &Hall,
        standings: &mut Standings,
        control: &Control,
        on_event: &mut OnEvent<'_>,
    ) -> Result<(), TournamentError> {
        let game = GAMES.get(&self.tournament.rules.variant).map_err(RulesError::from)?;
        game.run_lobby(self, hall, standings, control, on_event)
    }

    /// [`Lobby::run`] in the types of the game.
    pub(super) fn run_games<G: Playable>(
        &self,
        hall: &Hall,
        standings: &mut Standings,
        control: &Control,
        on_event: &mut OnEvent<'_>,
    ) -> Result<(), TournamentError> {
        let (sender, messages) = mpsc::channel();
        let entrants = self.tournament.engines.iter().zip(0..).map(|(engine, place)| {
            let log = self.tournament.log.named(&engine.name);
            Entrant {
                player: Some(engine.setup.player(&self.tournament.rules, &log)),
                config: engine.clone(),
                origin: Origin::House,
                place: Some(place),
                is_there: true,
                is_busy: false,
            }
        });
        let entrants: Vec<Entrant<G>> = entrants.collect();
        let mut room = Room {
            lobby: self,
            tables: self.tournament.open_tables::<G>()?,
            entrants,
            standings,
            control,
            on_event,
            threads: 0,
            games: 0,
            ended: Ok(()),
        };
        thread::scope(|scope| room.run(hall, &messages, &sender, scope));
        let Room { entrants, ended, .. } = room;
        let is_complete = ended.is_ok() && self.is_complete(standings);
        for agent in hall.agents().iter().filter(|_| is_complete) {
            agent.dismiss();
        }
        drop(entrants);
        ended
    }
}

/// A player that has come.
struct Entrant<G> {
    config: EngineConfig,
    origin: Origin,
    /// Its place in the standings. It has none before it has been there: its games are not waited for.
    place: Option<usize>,
    /// `None` while it is busy or away.
    player: Option<Box<dyn Player<G>>>,
    /// Whether it has come and can play.
    is_there: bool,
    /// Whether it is in a game, or on its way in.
    is_busy: bool,
}

/// Where a player comes from.
enum Origin {
    /// It is always there.
    House,
    /// It is an agent; the number of its last connection that was let in.
    Agent(u64),
    /// It is a client over UDP, which comes for one game.
    Caller,
    /// It is a person.
    Person,
}

/// A message of another thread.
enum Message<G: Playable> {
    /// A player can play, or cannot.
    Welcomed(usize, Box<dyn Player<G>>, Result<(), PlayerError>),
    /// A game is over, or was stopped.
    Played(NextGame, [usize; 2], [Box<dyn Player<G>>; 2], Played),
}

/// A game with its opening; `None` if it was stopped.
type Played = Result<Option<(Variation, PlayedGame)>, TournamentError>;

/// A lobby at work.
struct Room<'a, 'b, G: Playable> {
    lobby: &'a Lobby,
    /// Endgame tables for adjudication, if any.
    tables: Option<SharedTables<G>>,
    entrants: Vec<Entrant<G>>,
    standings: &'a mut Standings,
    control: &'a Control,
    on_event: &'a mut OnEvent<'b>,
    /// Threads at work.
    threads: usize,
    /// Games that are played on them; the others let players in.
    games: usize,
    ended: Result<(), TournamentError>,
}

impl<'a, G: Playable> Room<'a, '_, G> {
    fn run<'scope>(
        &mut self,
        hall: &Hall,
        messages: &Receiver<Message<G>>,
        sender: &Sender<Message<G>>,
        scope: &'scope Scope<'scope, '_>,
    ) where
        'a: 'scope,
    {
        let start = Instant::now();
        self.lobby.live.set_standings(self.standings);
        loop {
            let present = self.entrants.iter().filter(|entrant| entrant.is_there);
            self.lobby.live.set_present(present.map(|entrant| &*entrant.config.name));
            let is_late = self.lobby.duration.is_some_and(|duration| start.elapsed() >= duration);
            let is_over = is_late || self.control.is_stopped() || self.lobby.is_complete(self.standings);
            if is_over && self.threads == 0 {
                return;
            }
            if !is_over {
                self.welcome(hall, sender, scope);
                self.welcome_callers(hall);
                self.welcome_people(hall);
                self.begin_games(sender, scope);
            }
            match messages.recv_timeout(POLL_INTERVAL) {
                Ok(message) => self.handle(message),
                Err(RecvTimeoutError::Timeout) => {}
                // This thread has a sender itself.
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Lets in the agents that have connected, and notes those that have left.
    fn welcome<'scope>(&mut self, hall: &Hall, sender: &Sender<Message<G>>, scope: &'scope Scope<'scope, '_>)
    where
        'a: 'scope,
    {
        for agent in hall.agents() {
            let connection = agent.connections();
            let name = agent.name().as_str();
            let index = self.index(name);
            let Entrant { config, origin, player, is_there, is_busy, .. } = &mut self.entrants[index];
            // The name is the agent's from now on.
            if matches!(origin, Origin::Caller) && !*is_busy {
                *origin = Origin::Agent(0);
                config.setup.kind = EngineKind::Uci(Transport::Agent(agent.clone()));
                (*player, *is_there) = (None, false);
            }
            let Origin::Agent(last) = origin else { continue };
            let is_connected = agent.is_connected();
            if *is_there && !(is_connected && *last == connection) {
                // It may hold a connection that is lost.
                (*player, *is_there) = (None, false);
                let name = config.name.clone();
                self.report(LobbyEvent::Left(&name));
                continue;
            }
            if !is_connected || *last == connection || *is_busy {
                continue;
            }
            *last = connection;
            (*player, *is_busy) = (None, true);
            let log = self.lobby.tournament.log.named(&config.name);
            let mut player = config.setup.player::<G>(&self.lobby.tournament.rules, &log);
            let (sender, control) = (sender.clone(), self.control);
            self.threads += 1;
            scope.spawn(move || {
                let welcomed = player.new_game(Color::White, control);
                let _ = sender.send(Message::Welcomed(index, player, welcomed));
            });
        }
    }

    /// Lets in the clients over UDP that wait. One that comes again before its game takes its own place.
    fn welcome_callers(&mut self, hall: &Hall) {
        for (name, caller) in hall.callers() {
            let index = self.index(&name);
            let Entrant { config, origin, player, is_there, is_busy, .. } = &mut self.entrants[index];
            // It waits until its game is over.
            if *is_busy || !matches!(origin, Origin::Caller) {
                continue;
            }
            caller.leave();
            config.setup.kind = EngineKind::Caller(caller);
            let log = self.lobby.tournament.log.named(&name);
            *player = Some(config.setup.player(&self.lobby.tournament.rules, &log));
            if !*is_there {
                self.join(index);
            }
        }
    }

    /// Lets in the people that have come, and notes those that have left.
    fn welcome_people(&mut self, hall: &Hall) {
        for person in hall.people() {
            let name = person.name().as_str();
            let index = self.index(name);
            let Entrant { config, origin, player, is_there, is_busy, .. } = &mut self.entrants[index];
            // The name is the person's from now on.
            if matches!(origin, Origin::Caller) && !*is_busy {
                *origin = Origin::Person;
                config.setup.kind = EngineKind::Person(person.clone());
                config.limits = self.lobby.person.clone();
                let log = self.lobby.tournament.log.named(name);
                (*player, *is_there) = (Some(config.setup.player(&self.lobby.tournament.rules, &log)), false);
            }
            // Whoever plays keeps its seat.
            let is_present = person.is_present();
            if matches!(origin, Origin::Person) && !*is_busy && *is_there != is_present {
                if is_present {
                    self.join(index);
                } else {
                    *is_there = false;
                    self.report(LobbyEvent::Left(name));
                }
            }
        }
    }

    /// The entrant of a name, which is added if it has come for the first time.
    fn index(&mut self, name: &str) -> usize {
        let known = self.entrants.iter().position(|entrant| entrant.config.name == name);
        known.unwrap_or_else(|| {
            let config = EngineConfig { name: name.to_owned(), ..self.lobby.agent.clone() };
            let (origin, place, player) = (Origin::Caller, None, None);
            self.entrants.push(Entrant { config, origin, place, player, is_there: false, is_busy: false });
            self.entrants.len() - 1
        })
    }

    /// Notes that an entrant is there.
    fn join(&mut self, index: usize) {
        let entrant = &mut self.entrants[index];
        entrant.is_there = true;
        let name = entrant.config.name.clone();
        entrant.place = Some(self.standings.index(&name));
        self.report(LobbyEvent::Joined(&name));
    }

    /// Begins games while there are players and room.
    fn begin_games<'scope>(&mut self, sender: &Sender<Message<G>>, scope: &'scope Scope<'scope, '_>)
    where
        'a: 'scope,
    {
        let Lobby { tournament, format, games, live, .. } = self.lobby;
        while self.games < tournament.concurrency.max(1) {
            let is_free = |entrant: &Entrant<G>| entrant.is_there && entrant.player.is_some();
            let free = self.entrants.iter().filter(|entrant| is_free(entrant));
            let free: Vec<_> = free.filter_map(|entrant| entrant.place).collect();
            let ranks = if *format == LobbyFormat::Ladder { self.standings.ranks() } else { Vec::new() };
            let rank = |player: usize| ranks.get(player).copied().unwrap_or(0);
            let Some(players) = self.standings.started.choose(*format, *games, &free, rank) else { return };
            let game = self.standings.started.add(players);
            let entrants = players.map(|place| {
                let is_it = |entrant: &Entrant<G>| entrant.place == Some(place);
                self.entrants.iter().position(is_it).expect("a player that is free")
            });
            let names = entrants.map(|index| self.entrants[index].config.name.clone());
            self.report(LobbyEvent::Begun(names.each_ref().map(String::as_str)));
            let people = entrants.map(|index| match &self.entrants[index].config.setup.kind {
                EngineKind::Person(person) => Some(person.clone()),
                _ => None,
            });
            let table = Table { id: game.number, names, people };
            let limits = entrants.map(|index| self.entrants[index].config.limits.clone());
            let mut taken = entrants.map(|index| {
                let Entrant { player, is_busy, .. } = &mut self.entrants[index];
                *is_busy = true;
                player.take().expect("it is free")
            });
            let (sender, control, tables) = (sender.clone(), self.control, self.tables.clone());
            self.threads += 1;
            self.games += 1;
            scope.spawn(move || {
                let mut shown =
                    taken.each_mut().map(|player| Shown { player: player.as_mut(), live, table: &table });
                let [white, black] = &mut shown;
                let seats =
                    [Seat { player: white, limits: &limits[0] }, Seat { player: black, limits: &limits[1] }];
                let played =
                    tournament.play_seated(game.number, game.opening, seats, tables.as_deref(), control);
                let end =
                    played.as_ref().ok().and_then(Option::as_ref).map(|(_, played)| &*played.end.details);
                live.end_game(&table, end);
                let _ = sender.send(Message::Played(game, entrants, taken, played));
            });
        }
    }

    fn handle(&mut self, message: Message<G>) {
        self.threads -= 1;
        match message {
            Message::Welcomed(index, player, welcomed) => {
                let entrant = &mut self.entrants[index];
                entrant.is_busy = false;
                entrant.player = Some(player);
                match &welcomed {
                    Ok(()) => self.join(index),
                    Err(error) => {
                        let name = entrant.config.name.clone();
                        self.report(LobbyEvent::Refused(&name, error));
                    }
                }
            }
            Message::Played(game, entrants, players, played) => {
                self.games -= 1;
                for (index, player) in entrants.into_iter().zip(players) {
                    let entrant = &mut self.entrants[index];
                    entrant.is_busy = false;
                    match entrant.origin {
                        Origin::Caller => entrant.is_there = false,
                        _ => entrant.player = Some(player),
                    }
                }
                let finished = played.and_then(|played| match played {
                    // Neither player has done it.
                    Some((opening, played)) if !self.control.is_stopped() => {
                        self.finish(game, entrants, &opening, played)
                    }
                    _ => {
                        self.standings.started.take_back(game.players);
                        Ok(())
                    }
                });
                self.end_if_failed(finished);
            }
        }
    }

    /// Counts a game and reports it.
    fn finish(
        &mut self,
        game: NextGame,
        entrants: [usize; 2],
        opening: &Variation,
        played: PlayedGame,
    ) -> Result<(), TournamentError> {
        let result = played.end.game_result();
        let number = self.standings.results.games() + 1;
        let tags = entrants.map(|index| self.entrants[index].config.tags());
        let record = self.lobby.tournament.record(number, game.opening, tags, opening, played)?;
        self.standings.results.add(game.number, game.players, result);
        self.lobby.live.set_standings(self.standings);
        (self.on_event)(LobbyEvent::Finished(&record), self.standings).map_err(TournamentError::Write)
    }

    fn report(&mut self, event: LobbyEvent) {
        let reported = (self.on_event)(event, self.standings).map_err(TournamentError::Write);
        self.end_if_failed(reported);
    }

    fn end_if_failed(&mut self, done: Result<(), TournamentError>) {
        if done.is_err() && self.ended.is_ok() {
            self.ended = done;
            self.control.stop();
        }
    }
}
