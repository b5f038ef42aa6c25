//! The schedule of a tournament: players, colours and opening of each game, by its number.

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
    rounds: u64,
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
    /// The schedule of `players` players over `rounds` rounds.
    pub fn new(format: Format, players: usize, rounds: u64) -> Schedule {
        let first = match format {
            Format::RoundRobin => 0..players,
            Format::Gauntlet => 0..players.min(1),
        };
        let pairings = first.flat_map(|first| (first + 1..players).map(move |second| [first, second]));
        Schedule { pairings: pairings.collect(), rounds }
    }

    /// The pairings. The first player of a pairing has White in the first game of a pair.
    pub fn pairings(&self) -> &[[usize; 2]] {
        &self.pairings
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        (2 * self.pairings.len() as u64).saturating_mul(self.rounds)
    }

    /// The game `number`, counted from 0; `None` after the last one.
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
    fn formats_pair_all_players_or_the_first_with_the_rest() {
        let robin = games(Format::RoundRobin, 3, 1);
        assert_eq!(robin.iter().step_by(2).map(|game| game.1).collect::<Vec<_>>(), [[0, 1], [0, 2], [1, 2]]);
        assert!(robin.iter().all(|game| game.0 == 0));
        let gauntlet = games(Format::Gauntlet, 4, 3);
        assert_eq!(gauntlet.len(), 18);
        assert!(gauntlet.iter().all(|(_, players)| players.contains(&0)));
    }

    #[test]
    fn the_number_of_games_does_not_overflow() {
        let schedule = Schedule::new(Format::RoundRobin, 2, u64::MAX);
        assert_eq!(schedule.game(1_000_001).unwrap().players, [1, 0]);
    }
}
