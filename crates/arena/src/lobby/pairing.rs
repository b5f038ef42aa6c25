//! Who plays whom next.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Who is paired with whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LobbyFormat {
    /// Everybody plays everybody else.
    RoundRobin,
    /// The first player plays everybody else.
    Gauntlet,
    /// Players next to each other in the standings play first.
    Ladder,
}

/// Most pairings of one round: those of more players than there can be.
const MOST_PAIRINGS: u64 = 1 << 32;

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NextGame {
    /// Its number among all games that there can be, as [`Results`](crate::Results) count them: games 2n and
    /// 2n + 1 are a pair. It depends on players and colours only.
    pub(super) number: u64,
    /// The number of its opening, from 0: both games of a pair have the same.
    pub(super) opening: u64,
    /// White and Black.
    pub(super) players: [usize; 2],
}

/// The games that are played or have been.
#[derive(Clone, Debug, Default)]
pub(super) struct Started(BTreeMap<[usize; 2], u64>);

impl Started {
    /// Games of White against Black.
    fn count(&self, players: [usize; 2]) -> u64 {
        self.0.get(&players).copied().unwrap_or(0)
    }

    /// Games between two players.
    pub(super) fn between(&self, [a, b]: [usize; 2]) -> u64 {
        self.count([a, b]) + self.count([b, a])
    }

    /// Games of each player.
    fn totals(&self) -> BTreeMap<usize, u64> {
        let mut totals = BTreeMap::new();
        for (players, count) in &self.0 {
            players.iter().for_each(|&player| *totals.entry(player).or_default() += count);
        }
        totals
    }

    /// The next game of two players, White first.
    fn next(&self, players: [usize; 2]) -> NextGame {
        let opening = self.count(players);
        let [low, high] = [players[0].min(players[1]) as u64, players[0].max(players[1]) as u64];
        let pair = opening * MOST_PAIRINGS + high * (high - 1) / 2 + low;
        NextGame { number: 2 * pair + u64::from(players[0] > players[1]), opening, players }
    }

    /// Counts a game of White against Black.
    pub(super) fn add(&mut self, players: [usize; 2]) -> NextGame {
        let next = self.next(players);
        *self.0.entry(players).or_default() += 1;
        next
    }

    /// Takes back a game that was not finished. It has to be the last one of these colours.
    pub(super) fn take_back(&mut self, players: [usize; 2]) {
        self.0.entry(players).and_modify(|count| *count = count.saturating_sub(1));
    }

    /// The players of the next game, White first: two of `free` with fewer than `games` games between them.
    /// A pair of games is completed before another one begins; then those play who have played least. `rank`
    /// is the place of a player in the standings.
    pub(super) fn choose(
        &self,
        format: LobbyFormat,
        games: u64,
        free: &[usize],
        rank: impl Fn(usize) -> usize,
    ) -> Option<[usize; 2]> {
        let pairings = free.iter().flat_map(|&a| free.iter().map(move |&b| [a, b]));
        let pairings = pairings.filter(|&[a, b]| a < b && (format != LobbyFormat::Gauntlet || a == 0));
        let open = pairings.filter(|&pairing| self.between(pairing) < games);
        let totals = self.totals();
        let total = |player| totals.get(&player).copied().unwrap_or(0);
        let key = |&[a, b]: &[usize; 2]| {
            let played = self.between([a, b]);
            let distance = match format {
                LobbyFormat::Ladder => rank(a).abs_diff(rank(b)) as u64,
                LobbyFormat::RoundRobin | LobbyFormat::Gauntlet => 0,
            };
            (Reverse(played % 2), played / 2 + distance, total(a) + total(b), a, b)
        };
        let [a, b] = open.min_by_key(key)?;
        Some(if self.count([a, b]) <= self.count([b, a]) { [a, b] } else { [b, a] })
    }

    /// Whether all games among the first `players` have begun.
    pub(super) fn is_complete(&self, format: LobbyFormat, games: u64, players: usize) -> bool {
        let all: Vec<_> = (0..players).collect();
        self.choose(format, games, &all, |player| player).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All games, with everybody free all the time.
    fn play(format: LobbyFormat, games: u64, players: usize) -> Vec<[usize; 2]> {
        let (mut started, free) = (Started::default(), (0..players).collect::<Vec<_>>());
        let mut numbers = Vec::new();
        let played = std::iter::from_fn(|| {
            let players = started.choose(format, games, &free, |player| player)?;
            numbers.push(started.add(players).number);
            Some(players)
        });
        let played: Vec<_> = played.collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), played.len());
        assert!(started.is_complete(format, games, players));
        played
    }

    #[test]
    fn every_pairing_has_its_games_with_both_colours() {
        let robin = play(LobbyFormat::RoundRobin, 4, 5);
        assert_eq!(robin.len(), 4 * 10);
        for white in 0..5 {
            for black in (0..5).filter(|&black| black != white) {
                assert_eq!(robin.iter().filter(|&&game| game == [white, black]).count(), 2);
            }
        }
        assert_eq!(robin[..4], [[0, 1], [1, 0], [2, 3], [3, 2]], "pairs are completed first");
        let gauntlet = play(LobbyFormat::Gauntlet, 2, 4);
        assert!(gauntlet.len() == 6 && gauntlet.iter().all(|game| game.contains(&0)));
        assert_eq!(play(LobbyFormat::RoundRobin, 2, 30).len(), 2 * 435);
    }

    #[test]
    fn a_ladder_begins_with_neighbours() {
        let ladder = play(LobbyFormat::Ladder, 2, 4);
        let first: Vec<_> = ladder.iter().step_by(2).take(3).collect();
        assert_eq!(first, [&[0, 1], &[2, 3], &[1, 2]]);
        assert_eq!(ladder.len(), 2 * 6);
    }

    #[test]
    fn a_game_that_was_not_finished_is_played_again() {
        let mut started = Started::default();
        let first = started.add([1, 0]);
        assert_eq!((first.number % 2, first.opening), (1, 0));
        started.take_back([1, 0]);
        assert_eq!(started.between([0, 1]), 0);
        assert_eq!(started.add([1, 0]), first);
        assert_eq!(started.add([0, 1]).number, first.number - 1);
        assert_eq!(started.add([0, 1]).opening, 1);
    }
}
