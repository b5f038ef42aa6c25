//! The schedule of a tournament: players, colours and opening of each game, by its number.

use std::ops::Range;

use labrys_support::shard::Part;

/// The tournament format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Every player plays every other player.
    RoundRobin,
    /// The first player plays every other player.
    Gauntlet,
}

/// The games of a match or a tournament. In every round each pairing plays a pair of games from the opening
/// of the round, with colours swapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    rounds: Range<u64>,
    /// The part of these games that is played here; `None` for all of them.
    part: Option<Part>,
}

/// A game of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledGame {
    /// Its number, from 0. Games 2n and 2n + 1 are a pair.
    pub number: u64,
    /// The number of its opening, from 0.
    pub opening: u64,
    /// White and Black, as indices of players.
    pub players: [usize; 2],
}

impl Schedule {
    /// The schedule of `players` players over `rounds`, counted from 0. Games and openings have the same
    /// numbers whichever the first round is.
    pub fn new(format: Format, players: usize, rounds: Range<u64>) -> Schedule {
        let first = match format {
            Format::RoundRobin => 0..players,
            Format::Gauntlet => 0..players.min(1),
        };
        let pairings = first.flat_map(|first| (first + 1..players).map(move |second| [first, second]));
        Schedule { pairings: pairings.collect(), rounds, part: None }
    }

    /// The same schedule, of which only a part is played.
    pub fn with_part(self, part: Option<Part>) -> Schedule {
        Schedule { part, ..self }
    }

    /// The part that is played; `None` for all games.
    pub fn part(&self) -> Option<Part> {
        self.part
    }

    /// The pairings. The first player of a pairing has White in the first game of a pair.
    pub fn pairings(&self) -> &[[usize; 2]] {
        &self.pairings
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        let numbers = self.numbers();
        numbers.end - numbers.start
    }

    /// The numbers of the games.
    pub fn numbers(&self) -> Range<u64> {
        let all = self.all_numbers();
        match &self.part {
            Some(part) => {
                let numbers = part.numbers();
                numbers.start.max(all.start)..numbers.end.min(all.end)
            }
            None => all,
        }
    }

    /// The numbers of the games of these rounds.
    fn all_numbers(&self) -> Range<u64> {
        let first = |round: u64| (2 * self.pairings.len() as u64).saturating_mul(round);
        first(self.rounds.start)..first(self.rounds.end)
    }

    /// The game `number`; `None` if it is not played in these rounds.
    pub fn game(&self, number: u64) -> Option<ScheduledGame> {
        if !self.numbers().contains(&number) {
            return None;
        }
        let (pair, pairings) = (number / 2, self.pairings.len() as u64);
        let [first, second] = self.pairings[(pair % pairings) as usize];
        let players = if number.is_multiple_of(2) { [first, second] } else { [second, first] };
        Some(ScheduledGame { number, opening: pair / pairings, players })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(format: Format, players: usize, rounds: Range<u64>) -> Vec<(u64, [usize; 2])> {
        let schedule = Schedule::new(format, players, rounds);
        let scheduled = schedule.numbers().filter_map(|number| schedule.game(number));
        let games: Vec<_> = scheduled.map(|scheduled| (scheduled.opening, scheduled.players)).collect();
        assert_eq!(games.len() as u64, schedule.games());
        games
    }

    #[test]
    fn every_opening_is_played_twice_with_colours_swapped() {
        assert_eq!(games(Format::RoundRobin, 2, 0..2), [(0, [0, 1]), (0, [1, 0]), (1, [0, 1]), (1, [1, 0])]);
    }

    #[test]
    fn later_rounds_go_on_where_earlier_ones_end() {
        let all = games(Format::RoundRobin, 3, 0..5);
        let [first, later] = [0..2, 2..5].map(|rounds| games(Format::RoundRobin, 3, rounds));
        assert_eq!([first, later].concat(), all);
        let schedule = Schedule::new(Format::RoundRobin, 2, 2..3);
        assert_eq!((schedule.numbers(), schedule.game(3), schedule.game(6)), (4..6, None, None));
    }

    #[test]
    fn formats_pair_all_players_or_the_first_with_the_rest() {
        let robin = games(Format::RoundRobin, 3, 0..1);
        assert_eq!(robin.iter().step_by(2).map(|game| game.1).collect::<Vec<_>>(), [[0, 1], [0, 2], [1, 2]]);
        assert!(robin.iter().all(|game| game.0 == 0));
        let gauntlet = games(Format::Gauntlet, 4, 0..3);
        assert_eq!(gauntlet.len(), 18);
        assert!(gauntlet.iter().all(|(_, players)| players.contains(&0)));
    }

    #[test]
    fn the_number_of_games_does_not_overflow() {
        let schedule = Schedule::new(Format::RoundRobin, 2, 0..u64::MAX);
        assert_eq!(schedule.game(1_000_001).unwrap().players, [1, 0]);
    }
}
