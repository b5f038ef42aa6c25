//! Tournaments: playing the games of a schedule, several at a time.

use rand::RngExt;
use thiserror::Error;
use time::OffsetDateTime;

use super::affinity::Core;
use super::games::GAMES;
use super::openings::seeded_rng;
use super::pgn::{CommentKeys, PgnGame, PlayerTags};
use super::referee::{self, Judge, PlayedGame, RefereeError, Seat, ThinkingTime};
use super::{
    Adjudication, Affinity, EngineConfig, EngineKind, EngineSetupError, OpeningError, Openings, Pairs,
    Player, Results, Rules, RulesError, Schedule, ScheduledGame, Sprt, Variation,
};
use labrys_core::engine::Playable;
use labrys_core::engine::{Board, PositionError};
use labrys_core::game::{EndgameTables, SharedTables, TablesError, quote, quote_path};
use labrys_core::parallel;
use labrys_core::search::Control;
use labrys_protocol::engine_log::EngineLog;
use labrys_support::shard::numbered;
use labrys_tuc::guest::Invitation;

/// A match between two engines, or a tournament of more.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The game and its option.
    pub rules: Rules,
    /// The engines.
    pub engines: Vec<EngineConfig>,
    /// Pairings and number of games.
    pub schedule: Schedule,
    /// The openings.
    pub openings: Openings,
    /// Seed of the chance outcomes, which depend on it and on the number of the game.
    pub seed: u64,
    /// The adjudication rules.
    pub adjudication: Adjudication,
    /// The SPRT that ends the match early; for two engines only.
    pub sprt: Option<Sprt>,
    /// Concurrent games.
    pub concurrency: usize,
    /// The cores to which concurrent games are pinned; `None` leaves that to the system.
    pub affinity: Option<Affinity>,
    /// The optional values of comments on moves.
    pub comment_keys: CommentKeys,
    /// The log of all lines of engines.
    pub log: EngineLog,
    /// The program that plays, with its commit, for the tag `Generator` of records; empty for none.
    pub generator: String,
    /// A checksum of everything that the games depend on, with the content of files, for the tag `Job` of
    /// records; empty for none.
    pub job: String,
}

/// An error of a tournament.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// An engine cannot play.
    #[error("engine {}: {error}", quote(.name))]
    Setup {
        /// Its name.
        name: String,
        /// The reason.
        error: EngineSetupError,
    },
    /// There is no opening.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// An opening cannot be set up.
    #[error("opening {number}: {error}")]
    Position {
        /// Its number, from 1.
        number: u64,
        /// The problem.
        error: PositionError,
    },
    /// The game or its option does not exist.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// A game record does not belong to this tournament.
    #[error("{}: {problem}: not a game of this match", numbered(.number))]
    Mismatch {
        /// The number of the game in the record; 0 if it has none.
        number: u64,
        /// The difference.
        problem: String,
    },
    /// The endgame tables for adjudication cannot be used.
    #[error("endgame tables: {0}")]
    Tables(#[from] TablesError),
    /// A finished game cannot be written.
    #[error("cannot write the game")]
    Write(#[source] std::io::Error),
}

/// The tag of a game with the part of a match that its file holds.
pub(super) const SHARD: &str = "Shard";

/// The tag with the program that has played a game.
const GENERATOR: &str = "Generator";

/// The tag with the checksum of what the games of a match depend on.
const JOB: &str = "Job";

/// The tag of a game with the rules by which it may have been adjudicated.
const ADJUDICATION: &str = "Adjudication";

/// The callback for each finished game: its record, all results so far, and the players' thinking time.
pub type OnGame<'a> = dyn FnMut(&PgnGame, &Results, [ThinkingTime; 2]) -> std::io::Result<()> + 'a;

impl Tournament {
    /// Checks that there is an opening and that every engine starts, plays the game and accepts its options.
    /// Returns messages for the user about what cannot be checked, with the name of the engine.
    ///
    /// # Errors
    /// [`TournamentError`] names the engine.
    pub fn check(&self, control: &Control) -> Result<Vec<String>, TournamentError> {
        let mut board = self.rules.board()?;
        self.openings.get(0, board.as_mut(), control)?;
        let failed =
            |engine: &EngineConfig, error| TournamentError::Setup { name: engine.name.clone(), error };
        for (index, engine) in self.engines.iter().enumerate() {
            if let EngineKind::Udp(invitation) = &engine.setup.kind {
                let earlier = &self.engines[..index];
                let checked = self.check_invitation(invitation, earlier, board.as_mut());
                checked.map_err(|error| failed(engine, error))?;
            }
        }
        let needs_setup = !self.openings.begin_at_start(board.as_mut());
        let mut notes = Vec::new();
        for engine in &self.engines {
            let checked =
                engine.setup.check(&self.rules, needs_setup, &self.log.named(&engine.name), control);
            let note = checked.map_err(|error| failed(engine, error))?;
            notes.extend(note.map(|note| format!("engine {}: {note}", quote(&engine.name))));
        }
        Ok(notes)
    }

    /// Checks that a client over UDP can play these games, and that no engine of `earlier` uses its port.
    fn check_invitation(
        &self,
        invitation: &Invitation,
        earlier: &[EngineConfig],
        board: &mut dyn Board,
    ) -> Result<(), EngineSetupError> {
        let (variant, games, port) = (&self.rules.variant, self.concurrency, invitation.listen.port());
        if variant != labrys_tuc::variant() {
            return Err(EngineSetupError::Game {
                variant: variant.clone(),
                known: labrys_tuc::variant().to_owned(),
            });
        }
        if !self.openings.are_start(board) {
            return Err(EngineSetupError::Opening);
        }
        let is_there = |other: &&EngineConfig| match &other.setup.kind {
            EngineKind::Udp(other) => other.listen.port() == port,
            _ => false,
        };
        match earlier.iter().find(is_there) {
            _ if port == 0 => Ok(()),
            Some(other) => Err(EngineSetupError::Port { port, other: other.name.clone() }),
            None if games > 1 => Err(EngineSetupError::PortConcurrency { port, games }),
            None => Ok(()),
        }
    }

    /// Adds a game of an earlier run, which this one continues, to the results.
    ///
    /// # Errors
    /// [`TournamentError::Mismatch`] if it belongs to another match, or to another part of this one.
    pub fn restore(&self, record: &PgnGame, results: &mut Results) -> Result<(), TournamentError> {
        let shown =
            |part: Option<&str>| part.map_or("the whole match".to_owned(), |part| format!("shard {part}"));
        let expected = self.schedule.part().map(|part| part.to_string());
        let found = record.other_tag(SHARD);
        if found != expected.as_deref() {
            let problem = format!("of {}, not of {}", shown(found), shown(expected.as_deref()));
            return Err(TournamentError::Mismatch { number: record.number.unwrap_or(0), problem });
        }
        self.count(record, results)?;
        // Another program may depend on something else, and play the same games.
        let is_by_this = record.other_tag(GENERATOR).is_some_and(|generator| generator == self.generator);
        match record.other_tag(JOB).filter(|job| is_by_this && !self.job.is_empty() && *job != self.job) {
            Some(job) => {
                let problem =
                    format!("job {job}, not {}: an argument, or a file that one names, is another", self.job);
                Err(TournamentError::Mismatch { number: record.number.unwrap_or(0), problem })
            }
            _ => Ok(()),
        }
    }

    /// Adds a game to the results, of whatever part of the match.
    ///
    /// # Errors
    /// [`TournamentError::Mismatch`] if it belongs to another match.
    pub fn count(&self, record: &PgnGame, results: &mut Results) -> Result<(), TournamentError> {
        let number = record.number.unwrap_or(0);
        let mismatch = |problem: String| Err(TournamentError::Mismatch { number, problem });
        let Some(scheduled) = number.checked_sub(1).and_then(|number| self.schedule.game(number)) else {
            let numbers = self.schedule.numbers();
            return mismatch(match self.schedule.part() {
                Some(_) => format!("the games are {} to {}", numbers.start + 1, numbers.end),
                None => format!("there are {} games", numbers.end),
            });
        };
        let (found, expected) =
            (record.other_tag(ADJUDICATION).unwrap_or_default(), self.adjudication.to_string());
        if found != expected {
            let shown = |rules: &str| if rules.is_empty() { "none".to_owned() } else { quote(rules) };
            return mismatch(format!("adjudication {}, not {}", shown(found), shown(&expected)));
        }
        let mut played = match record.board(Some(&self.rules.variant)) {
            Ok(board) => board,
            Err(error) => return mismatch(error.to_string()),
        };
        for ((found, player), color) in record.players.iter().zip(scheduled.players).zip(["White", "Black"]) {
            let expected = self.side(player);
            for (what, found, expected) in [
                ("", &found.name, expected.name),
                (" is", &found.setup, expected.setup),
                (" has", &found.time_control, expected.time_control),
            ] {
                if *found != expected {
                    // Whole: what differs may be at the end.
                    let [found, expected] = [found, &expected].map(quote_path);
                    return mismatch(format!("{color}{what} {found}, not {expected}"));
                }
            }
        }
        let mut board = self.rules.board()?;
        let opening = self.openings.get(scheduled.opening, board.as_mut(), &Control::default())?;
        if opening.to_record(board.as_mut()).as_ref() != Ok(&record.opening) {
            return mismatch("another opening".to_owned());
        }
        let Some(end) = &record.end else { return mismatch("it was not finished".to_owned()) };
        if let Err(error) = record.replay_to_result(played.as_mut()) {
            return mismatch(error.to_string());
        }
        match results.add(scheduled.number, scheduled.players, end.game_result()) {
            true => Ok(()),
            false => mismatch("it is there twice".to_owned()),
        }
    }

    /// Plays the games that have no result yet, until all have one, the SPRT is decided, or `control` stops
    /// the tournament. `on_game` is called for each game as soon as it is finished. Games still being played
    /// at the end are dropped.
    ///
    /// With node or depth limits and one search thread the games do not depend on `concurrency`.
    ///
    /// # Errors
    /// [`TournamentError`]: the first one ends the tournament.
    pub fn run(
        &self,
        results: &mut Results,
        control: &Control,
        on_game: &mut OnGame<'_>,
    ) -> Result<(), TournamentError> {
        let game = GAMES.get(&self.rules.variant).map_err(RulesError::from)?;
        game.run(self, results, control, on_game)
    }

    /// [`Tournament::run`] in the types of the game.
    pub(super) fn run_games<G: Playable>(
        &self,
        results: &mut Results,
        control: &Control,
        on_game: &mut OnGame<'_>,
    ) -> Result<(), TournamentError> {
        let mut monitor = SprtMonitor::new(self.sprt.as_ref());
        if monitor.is_decided(results) {
            return Ok(());
        }
        let tables = self.open_tables::<G>()?;
        let tables = tables.as_deref();
        let done = results.clone();
        let games = self.schedule.numbers().filter(|&number| !done.contains(number));
        let games = games.map_while(|number| self.schedule.game(number));
        // Each thread has players of its own.
        let workers = (0..self.concurrency.max(1)).map(|worker| {
            let players = self
                .engines
                .iter()
                .map(|EngineConfig { name, setup, .. }| setup.player(&self.rules, &self.log.named(name)));
            (self.affinity.as_ref().and_then(|cores| cores.of(worker)), players.collect())
        });
        let play = |(core, players): &mut (Option<Core>, Vec<Box<dyn Player<G>>>), scheduled| {
            // Before the first game, so that engines start on the core of their thread.
            if let Some(core) = core.take() {
                core.pin();
            }
            if control.is_stopped() {
                return None;
            }
            self.play(scheduled, players, tables, control).transpose().map(|played| (scheduled, played))
        };
        let mut ended = Ok(());
        parallel::run(workers, games, play, |(scheduled, played)| {
            // Drop games that were still being played when the tournament ended.
            if !control.is_stopped() {
                ended = played.and_then(|(opening, played)| {
                    self.finish_game(scheduled, opening, played, results, on_game)
                });
                if ended.is_err() || monitor.is_decided(results) {
                    control.stop();
                }
            }
        });
        ended
    }

    /// The endgame tables for adjudication, if any.
    pub(super) fn open_tables<G: Playable>(&self) -> Result<Option<SharedTables<G>>, TablesError> {
        let mut tables = None;
        if let Some(path) = &self.adjudication.tables {
            G::open_tables(&mut tables, path)?;
        }
        Ok(tables)
    }

    /// Plays a game; `None` if `control` stops it.
    fn play<G: Playable>(
        &self,
        scheduled: ScheduledGame,
        players: &mut [Box<dyn Player<G>>],
        tables: Option<&dyn EndgameTables<G>>,
        control: &Control,
    ) -> Result<Option<(Variation, PlayedGame)>, TournamentError> {
        let Ok([white, black]) = players.get_disjoint_mut(scheduled.players) else {
            unreachable!("a schedule pairs different players");
        };
        let [for_white, for_black] = scheduled.players.map(|player| &self.engines[player].limits);
        let seats = [
            Seat { player: white.as_mut(), limits: for_white },
            Seat { player: black.as_mut(), limits: for_black },
        ];
        self.play_seated(scheduled.number, scheduled.opening, seats, tables, control)
    }

    /// Plays a game of these players, White first; `None` if `control` stops it. Chance outcomes depend on
    /// `number`.
    pub(super) fn play_seated<G: Playable>(
        &self,
        number: u64,
        opening: u64,
        seats: [Seat<G>; 2],
        tables: Option<&dyn EndgameTables<G>>,
        control: &Control,
    ) -> Result<Option<(Variation, PlayedGame)>, TournamentError> {
        let judge = Judge { adjudication: &self.adjudication, tables };
        let mut game = self.rules.start::<G>().map_err(RulesError::from)?;
        let line = match self.openings.get(opening, &mut game, control) {
            Err(OpeningError::Interrupted) => return Ok(None),
            line => line?,
        };
        // Not the seed of the openings: their random numbers would be the same.
        let mut random = seeded_rng(!self.seed, number);
        let mut random = || random.random();
        match referee::play(&mut game, &line, seats, judge, &self.comment_keys, &mut random, control) {
            Ok(played) => Ok(Some((line, played))),
            Err(RefereeError::Interrupted) => Ok(None),
            Err(RefereeError::Opening(error)) => {
                Err(TournamentError::Position { number: opening + 1, error })
            }
        }
    }

    /// Adds a finished game to the results and passes it on.
    fn finish_game(
        &self,
        scheduled: ScheduledGame,
        opening: Variation,
        played: PlayedGame,
        results: &mut Results,
        on_game: &mut OnGame<'_>,
    ) -> Result<(), TournamentError> {
        results.add(scheduled.number, scheduled.players, played.end.game_result());
        let players = scheduled.players.map(|player| self.side(player));
        let thinking = played.thinking;
        let mut record = self.record(scheduled.number + 1, scheduled.opening, players, &opening, played)?;
        record.other_tags.extend(self.schedule.part().map(|part| (SHARD.to_owned(), part.to_string())));
        record.other_tags.extend(if_named(ADJUDICATION, &self.adjudication.to_string()));
        on_game(&record, results, thinking).map_err(TournamentError::Write)
    }

    /// The record of a finished game. `number` is from 1, that of the opening from 0.
    pub(super) fn record(
        &self,
        number: u64,
        round: u64,
        players: [PlayerTags; 2],
        opening: &Variation,
        played: PlayedGame,
    ) -> Result<PgnGame, TournamentError> {
        let today = OffsetDateTime::now_utc().date();
        let mut board = self.rules.board()?;
        let opening = opening.to_record(board.as_mut());
        let opening = opening.map_err(|error| TournamentError::Position { number: round + 1, error })?;
        Ok(PgnGame {
            number: Some(number),
            round: (round + 1).to_string(),
            date: format!("{:04}.{:02}.{:02}", today.year(), u8::from(today.month()), today.day()),
            variant: board.pgn_variant().map(str::to_owned),
            players,
            opening,
            moves: played.moves,
            end: Some(played.end),
            other_tags: [if_named(GENERATOR, &self.generator), if_named(JOB, &self.job)]
                .into_iter()
                .flatten()
                .collect(),
            ..PgnGame::default()
        })
    }

    /// The PGN tags of an engine.
    fn side(&self, player: usize) -> PlayerTags {
        self.engines[player].tags()
    }

    /// The results that count: all of them, or those up to the pair that decided the SPRT. Pairs are taken in
    /// the order of the schedule, so the result does not depend on which concurrent games finish first. Those
    /// after a missing game do not count if they alone would decide.
    pub fn counted(&self, results: &Results) -> Results {
        let mut monitor = SprtMonitor::new(self.sprt.as_ref());
        let is_decided = monitor.is_decided(results);
        let decides = |sprt: &Sprt| sprt.accepted(&results.between([0, 1])).is_some();
        match is_decided || self.sprt.as_ref().is_some_and(decides) {
            true => results.truncated(monitor.pairs.count()),
            false => results.clone(),
        }
    }
}

/// A tag, if it has a value.
fn if_named(tag: &str, value: &str) -> Option<(String, String)> {
    (!value.is_empty()).then(|| (tag.to_owned(), value.to_owned()))
}

/// Runs the SPRT over the pairs in the order of the schedule.
struct SprtMonitor<'a> {
    sprt: Option<&'a Sprt>,
    /// The pairs counted so far; none is added once the test is decided.
    pairs: Pairs,
}

impl<'a> SprtMonitor<'a> {
    fn new(sprt: Option<&'a Sprt>) -> SprtMonitor<'a> {
        SprtMonitor { sprt, pairs: Pairs::default() }
    }

    /// Whether `results` decide the test. From call to call results may only be added.
    fn is_decided(&mut self, results: &Results) -> bool {
        let Some(sprt) = self.sprt else { return false };
        while sprt.accepted(&self.pairs).is_none() {
            let Some(pair) = results.pair(self.pairs.count()) else { return false };
            let [first, second] = pair.points();
            self.pairs.add(first, second);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, GameResult, Termination};
    use labrys_core::engine::registry::default_name;
    use labrys_core::game::Color;

    /// Pairs in which the first player, as White and as Black, wins or loses both games.
    fn add_pair(results: &mut Results, pair: u64, won: bool) {
        for (slot, color) in (0..).zip(Color::BOTH) {
            let winner = Some(if won { color } else { !color });
            let players = if slot == 0 { [0, 1] } else { [1, 0] };
            assert!(results.add(
                2 * pair + slot,
                players,
                GameResult { winner, termination: Termination::Rules }
            ));
        }
    }

    #[test]
    fn pairs_after_the_deciding_one_do_not_count() {
        let mut tournament = Tournament {
            rules: Rules { variant: default_name().to_owned(), option: None },
            engines: Vec::new(),
            schedule: Schedule::new(Format::RoundRobin, 2, 0..100),
            openings: Openings::Random { seed: 1, plies: 4..=4 },
            seed: 1,
            adjudication: Adjudication::default(),
            sprt: Some(Sprt::new(0.0, 100.0, 0.05, 0.05).expect("a test that makes sense")),
            concurrency: 1,
            affinity: None,
            comment_keys: CommentKeys::default(),
            log: EngineLog::default(),
            generator: String::new(),
            job: String::new(),
        };
        let mut results = Results::default();
        // A later pair that finished early: counting it would change the decision.
        add_pair(&mut results, 50, false);
        let mut pair = 0;
        while tournament.counted(&results) == results {
            add_pair(&mut results, pair, true);
            pair += 1;
            assert!(pair < 50);
        }
        assert!(pair > 2);
        assert_eq!(tournament.counted(&results).between([0, 1]).pentanomial, [0, 0, 0, 0, pair]);
        tournament.sprt = None;
        assert_eq!(tournament.counted(&results), results);
    }
}
