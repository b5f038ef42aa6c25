//! Which games are played: a function of the number of the game.

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Everybody meets everybody.
    RoundRobin,
    /// The first player meets everybody else.
    Gauntlet,
}

/// The games of a match or a tournament. In every round each pairing plays two games from the
/// opening of the round, with colours swapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    rounds: u64,
}

/// A game to be played.
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
    /// The games of `players` players.
    pub fn new(format: Format, players: usize, rounds: u64) -> Schedule {
        let first = match format {
            Format::RoundRobin => 0..players,
            Format::Gauntlet => 0..players.min(1),
        };
        let pairings = first.flat_map(|first| (first + 1..players).map(move |second| [first, second]));
        Schedule { pairings: pairings.collect(), rounds }
    }

    /// Who meets whom; the first of the two has White in the first game of a pair.
    pub fn pairings(&self) -> &[[usize; 2]] {
        &self.pairings
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        (2 * self.pairings.len() as u64).saturating_mul(self.rounds)
    }

    /// The game of that number, if there are so many.
    pub fn game(&self, number: u64) -> Option<ScheduledGame> {
        if number >= self.games() {
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

    fn games(format: Format, players: usize, rounds: u64) -> Vec<(u64, [usize; 2])> {
        let schedule = Schedule::new(format, players, rounds);
        let scheduled = (0..).map_while(|number| schedule.game(number));
        let games: Vec<_> = scheduled.map(|scheduled| (scheduled.opening, scheduled.players)).collect();
        assert_eq!(games.len() as u64, schedule.games());
        games
    }

    #[test]
    fn every_opening_is_played_twice_with_colours_swapped() {
        assert_eq!(games(Format::RoundRobin, 2, 2), [(0, [0, 1]), (0, [1, 0]), (1, [0, 1]), (1, [1, 0])]);
    }

    #[test]
    fn everybody_meets_everybody_or_the_first() {
        let robin = games(Format::RoundRobin, 3, 1);
        assert_eq!(robin.iter().step_by(2).map(|game| game.1).collect::<Vec<_>>(), [[0, 1], [0, 2], [1, 2]]);
        assert!(robin.iter().all(|game| game.0 == 0));
        let gauntlet = games(Format::Gauntlet, 4, 3);
        assert_eq!(gauntlet.len(), 18);
        assert!(gauntlet.iter().all(|(_, players)| players.contains(&0)));
    }

    #[test]
    fn a_schedule_may_be_longer_than_anybody_plays() {
        let schedule = Schedule::new(Format::RoundRobin, 2, u64::MAX);
        assert_eq!(schedule.game(1_000_001).unwrap().players, [1, 0]);
    }
}
