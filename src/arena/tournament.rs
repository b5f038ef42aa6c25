//! Plays the games of a schedule, several at a time.

use rand::RngExt;
use thiserror::Error;
use time::OffsetDateTime;

use super::openings::seeded_rng;
use super::pgn::{PgnGame, PlayerTags};
use super::referee::{self, PlayedGame, RefereeError, Seat, ThinkingTime};
use super::{
    Adjudication, EngineConfig, EngineKind, EngineSetupError, GameResult, OpeningError, Openings, Pairs,
    Player, Results, Rules, RulesError, Schedule, ScheduledGame, Sprt, Variation,
};
use crate::engine::registry::{self, GameVisitor};
use crate::engine::{Board, PositionError};
use crate::game::{Playable, quote};
use crate::parallel;
use crate::protocol::tuc::{self, guest::Invitation};
use crate::search::Control;

/// A match between two engines, or a tournament of more.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// What is played.
    pub rules: Rules,
    /// Who takes part.
    pub engines: Vec<EngineConfig>,
    /// Which games are played.
    pub schedule: Schedule,
    /// Where they begin.
    pub openings: Openings,
    /// What chance depends on, in games where it has a word; the number of the game is the other thing.
    pub seed: u64,
    /// When the referee ends them.
    pub adjudication: Adjudication,
    /// When the match ends before its last game; for two engines only.
    pub sprt: Option<Sprt>,
    /// Games at a time.
    pub concurrency: usize,
}

/// What keeps a tournament from being played.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// An engine cannot take part.
    #[error("engine {}: {error}", quote(.name))]
    Setup {
        /// Its name.
        name: String,
        /// Why not.
        error: EngineSetupError,
    },
    /// An opening cannot be found.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// An opening cannot be set up.
    #[error("opening {number}: {error}")]
    Position {
        /// Its number, from 1.
        number: u64,
        /// What is wrong with it.
        error: PositionError,
    },
    /// There are no such rules.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// A record does not belong to this tournament.
    #[error("game {number}: {problem}: not a game of this match")]
    Mismatch {
        /// The number of the game, as the record has it; 0 if it has none.
        number: u64,
        /// What does not fit.
        problem: String,
    },
    /// What was played cannot be kept.
    #[error("cannot write the game: {0}")]
    OnGame(std::io::Error),
}

/// Who gets each game that is over: its record, all results so far, and what its players have thought.
pub type OnGame<'a> = dyn FnMut(&PgnGame, &Results, [ThinkingTime; 2]) -> std::io::Result<()> + 'a;

/// The games of a tournament, whichever game they are of.
struct Run<'a, 'k> {
    tournament: &'a Tournament,
    results: &'a mut Results,
    control: &'a Control,
    on_game: &'a mut OnGame<'k>,
}

impl GameVisitor for Run<'_, '_> {
    type Output = Result<(), TournamentError>;

    fn visit<G: Playable>(self) -> Self::Output {
        self.tournament.run_games::<G>(self.results, self.control, self.on_game)
    }
}

impl Tournament {
    /// Makes sure that every engine starts, knows the game and takes its options, and that there is
    /// an opening.
    ///
    /// # Errors
    /// [`TournamentError`] names the engine.
    pub fn check(&self, control: &Control) -> Result<(), TournamentError> {
        let mut board = self.rules.board()?;
        self.openings.get(0, board.as_mut())?;
        let failed =
            |engine: &EngineConfig, error| Err(TournamentError::Setup { name: engine.name.clone(), error });
        for (index, engine) in self.engines.iter().enumerate() {
            if let EngineKind::Udp(invitation) = &engine.setup.kind {
                let earlier = &self.engines[..index];
                let checked = self.check_invitation(invitation, earlier, board.as_mut());
                checked.or_else(|error| failed(engine, error))?;
            }
        }
        self.engines.iter().try_for_each(|engine| {
            let checked = engine.setup.check(&self.rules, control);
            checked.or_else(|error| failed(engine, error))
        })
    }

    /// Makes sure that a client over UDP can play these games, at a port that is not that of an `earlier`
    /// engine.
    fn check_invitation(
        &self,
        invitation: &Invitation,
        earlier: &[EngineConfig],
        board: &mut dyn Board,
    ) -> Result<(), EngineSetupError> {
        let (variant, games, port) = (&self.rules.variant, self.concurrency, invitation.listen.port());
        if variant != tuc::VARIANT {
            return Err(EngineSetupError::Game { variant: variant.clone(), known: tuc::VARIANT.to_owned() });
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

    /// Takes a game that was played earlier into the results.
    ///
    /// # Errors
    /// [`TournamentError::Mismatch`] says what shows that it belongs to another match.
    pub fn restore(&self, record: &PgnGame, results: &mut Results) -> Result<(), TournamentError> {
        let number = record.number.unwrap_or(0);
        let mismatch = |problem: String| Err(TournamentError::Mismatch { number, problem });
        let Some(scheduled) = number.checked_sub(1).and_then(|number| self.schedule.game(number)) else {
            return mismatch(format!("there are {} games", self.schedule.games()));
        };
        if record.variant.as_ref() != Some(&self.rules.variant) {
            let variant = record.variant.as_deref().unwrap_or_default();
            return mismatch(format!("the variant is {}", quote(variant)));
        }
        for ((found, player), color) in record.players.iter().zip(scheduled.players).zip(["White", "Black"]) {
            let expected = self.side(player);
            for (what, found, expected) in [
                ("", &found.name, expected.name),
                (" is", &found.setup, expected.setup),
                (" has", &found.time_control, expected.time_control),
            ] {
                if *found != expected {
                    return mismatch(format!("{color}{what} {}, not {}", quote(found), quote(&expected)));
                }
            }
        }
        let mut board = self.rules.board()?;
        if record.opening != self.openings.get(scheduled.opening, board.as_mut())? {
            return mismatch("another opening".to_owned());
        }
        let result = GameResult { winner: record.end.winner, termination: record.end.termination };
        match results.add(scheduled.number, scheduled.players, result) {
            true => Ok(()),
            false => mismatch("it is there twice".to_owned()),
        }
    }

    /// Plays the games that have no result yet, until all have one, the SPRT has a verdict, or `control`
    /// calls it off. `on_game` gets every game as soon as it is over, with all results so far and the time
    /// that was thought about it; games under way at the end are dropped.
    ///
    /// With limits in nodes or depth and one search thread the games do not depend on `concurrency`.
    ///
    /// # Errors
    /// [`TournamentError`]: the first one ends the tournament.
    pub fn run(
        &self,
        results: &mut Results,
        control: &Control,
        on_game: &mut OnGame<'_>,
    ) -> Result<(), TournamentError> {
        let run = Run { tournament: self, results, control, on_game };
        registry::dispatch(&self.rules.variant, run).map_err(RulesError::from)?
    }

    fn run_games<G: Playable>(
        &self,
        results: &mut Results,
        control: &Control,
        on_game: &mut OnGame<'_>,
    ) -> Result<(), TournamentError> {
        let mut stopping = SprtMonitor::new(self.sprt.as_ref());
        if stopping.is_decided(results) {
            return Ok(());
        }
        let done = results.clone();
        let games = (0..self.schedule.games()).filter(|&number| !done.contains(number));
        let games = games.map_while(|number| self.schedule.game(number));
        // Each thread has players of its own.
        let workers = (0..self.concurrency.max(1)).map(|_| {
            let players = self.engines.iter().map(|engine| engine.setup.player(&self.rules));
            players.collect::<Vec<Box<dyn Player<G>>>>()
        });
        let play = |players: &mut Vec<_>, scheduled| {
            if control.is_stopped() {
                return None;
            }
            self.play(scheduled, players, control).transpose().map(|played| (scheduled, played))
        };
        let mut ended = Ok(());
        parallel::run(workers, games, play, |(scheduled, played)| {
            // What comes after the end was under way when it came.
            if !control.is_stopped() {
                ended = played
                    .and_then(|(opening, played)| self.take(scheduled, opening, played, results, on_game));
                if ended.is_err() || stopping.is_decided(results) {
                    control.stop();
                }
            }
        });
        ended
    }

    /// Plays a game; `None` when it is called off.
    fn play<G: Playable>(
        &self,
        scheduled: ScheduledGame,
        players: &mut [Box<dyn Player<G>>],
        control: &Control,
    ) -> Result<Option<(Variation, PlayedGame)>, TournamentError> {
        let mut game = self.rules.start::<G>().map_err(RulesError::from)?;
        let opening = self.openings.get(scheduled.opening, &mut game)?;
        let Ok([white, black]) = players.get_disjoint_mut(scheduled.players) else {
            unreachable!("a schedule pairs different players");
        };
        let [for_white, for_black] = scheduled.players.map(|player| &self.engines[player].limits);
        let seats = [
            Seat { player: white.as_mut(), limits: for_white },
            Seat { player: black.as_mut(), limits: for_black },
        ];
        // Not the numbers of the openings.
        let mut random = seeded_rng(!self.seed, scheduled.number);
        let mut random = || random.random();
        match referee::play(&mut game, &opening, seats, &self.adjudication, &mut random, control) {
            Ok(played) => Ok(Some((opening, played))),
            Err(RefereeError::Interrupted) => Ok(None),
            Err(RefereeError::Opening(error)) => {
                Err(TournamentError::Position { number: scheduled.opening + 1, error })
            }
        }
    }

    /// Takes down a game.
    fn take(
        &self,
        scheduled: ScheduledGame,
        opening: Variation,
        played: PlayedGame,
        results: &mut Results,
        on_game: &mut OnGame<'_>,
    ) -> Result<(), TournamentError> {
        let result = GameResult { winner: played.end.winner, termination: played.end.termination };
        results.add(scheduled.number, scheduled.players, result);
        let today = OffsetDateTime::now_utc().date();
        let record = PgnGame {
            number: Some(scheduled.number + 1),
            round: (scheduled.opening + 1).to_string(),
            date: format!("{:04}.{:02}.{:02}", today.year(), u8::from(today.month()), today.day()),
            variant: Some(self.rules.variant.clone()),
            players: scheduled.players.map(|player| self.side(player)),
            opening,
            moves: played.moves,
            end: played.end,
        };
        on_game(&record, results, played.thinking).map_err(TournamentError::OnGame)
    }

    /// An engine as records have it.
    fn side(&self, player: usize) -> PlayerTags {
        let engine = &self.engines[player];
        PlayerTags {
            name: engine.name.clone(),
            time_control: engine.limits.to_string(),
            setup: engine.setup.to_string(),
        }
    }

    /// The results that count: all of them, or those up to the pair that decided the SPRT. Which games were
    /// quicker plays no part in it.
    pub fn counted(&self, results: &Results) -> Results {
        let mut stopping = SprtMonitor::new(self.sprt.as_ref());
        match stopping.is_decided(results) {
            true => results.truncated(stopping.pairs.count()),
            false => results.clone(),
        }
    }
}

/// Watches for the verdict of the SPRT, over the pairs in the order of the schedule.
struct SprtMonitor<'a> {
    sprt: Option<&'a Sprt>,
    /// The pairs seen so far; no more once there is a verdict.
    pairs: Pairs,
}

impl<'a> SprtMonitor<'a> {
    fn new(sprt: Option<&'a Sprt>) -> SprtMonitor<'a> {
        SprtMonitor { sprt, pairs: Pairs::default() }
    }

    /// Whether there is a verdict on `results`, which only grow from call to call.
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
    use crate::arena::{Format, Termination};
    use crate::engine::registry::default_name;
    use crate::game::Color;

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
    fn what_lies_behind_the_deciding_pair_does_not_count() {
        let mut tournament = Tournament {
            rules: Rules { variant: default_name().to_owned(), option: None },
            engines: Vec::new(),
            schedule: Schedule::new(Format::RoundRobin, 2, 100),
            openings: Openings::Random { seed: 1, plies: 4..=4 },
            seed: 1,
            adjudication: Adjudication::default(),
            sprt: Some(Sprt::new(0.0, 100.0, 0.05, 0.05).expect("a test that makes sense")),
            concurrency: 1,
        };
        let mut results = Results::default();
        // Quicker than those before it: it would have changed the verdict.
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
