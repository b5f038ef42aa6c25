//! The results of a tournament, counted by pairs of games.

use std::collections::BTreeMap;

use super::{Pairs, Termination};
use labrys_core::game::{Color, Wdl};

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// How the game ended.
    pub termination: Termination,
}

/// A pair of games: the same opening with colours swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    /// The player with White in the first game, and the one with White in the second.
    players: [usize; 2],
    games: [Option<GameResult>; 2],
}

/// A pair of games that are both finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CompletePair {
    /// The players.
    pub(super) players: [usize; 2],
    /// The two games; the first player has White in the first one.
    pub(super) games: [GameResult; 2],
}

/// The results of a tournament, by game number. Only complete pairs count: a single game says little, since
/// its opening may favour one colour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    pairs: BTreeMap<u64, Pair>,
    games: u64,
}

impl Pair {
    fn complete(&self) -> Option<CompletePair> {
        Some(CompletePair { players: self.players, games: [self.games[0]?, self.games[1]?] })
    }
}

impl CompletePair {
    /// The results of both games for the first player.
    pub(super) fn points(&self) -> [Wdl; 2] {
        let [first, second] = self.games;
        [Wdl::of(first.winner, Color::White), Wdl::of(second.winner, Color::Black)]
    }
}

impl Results {
    /// Adds the result of the game `number`, counted from 0, between `players`, White first. Returns false
    /// and changes nothing if that game has a result already or its pair has other players.
    pub fn add(&mut self, number: u64, players: [usize; 2], result: GameResult) -> bool {
        let slot = (number % 2) as usize;
        let players = if slot == 0 { players } else { [players[1], players[0]] };
        let pair = self.pairs.entry(number / 2).or_insert(Pair { players, games: [None; 2] });
        if pair.players != players || pair.games[slot].is_some() {
            return false;
        }
        pair.games[slot] = Some(result);
        self.games += 1;
        true
    }

    /// Whether the game has a result.
    pub fn contains(&self, number: u64) -> bool {
        self.pairs.get(&(number / 2)).is_some_and(|pair| pair.games[(number % 2) as usize].is_some())
    }

    /// The number of finished games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The pair `number`, counted from 0, if both its games are finished.
    pub(super) fn pair(&self, number: u64) -> Option<CompletePair> {
        self.pairs.get(&number).and_then(Pair::complete)
    }

    /// The complete pairs, in the order of the schedule.
    pub(super) fn complete(&self) -> impl Iterator<Item = CompletePair> {
        self.pairs.values().filter_map(Pair::complete)
    }

    /// The pairs between two players, from the first player's point of view.
    pub fn between(&self, players: [usize; 2]) -> Pairs {
        let mut pairs = Pairs::default();
        for pair in self.complete().filter(|pair| pair.players == players) {
            let [first, second] = pair.points();
            pairs.add(first, second);
        }
        pairs
    }

    /// The results of the first `pairs` pairs of the schedule.
    pub(super) fn truncated(&self, pairs: u64) -> Results {
        let pairs: BTreeMap<_, _> =
            self.pairs.range(..pairs).map(|(&number, &pair)| (number, pair)).collect();
        let games = pairs.values().map(|pair| pair.games.iter().flatten().count() as u64).sum();
        Results { pairs, games }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(winner: Option<Color>) -> GameResult {
        GameResult { winner, termination: Termination::Rules }
    }

    #[test]
    fn pairs_count_when_both_games_are_finished() {
        let mut results = Results::default();
        let [white, black] = Color::BOTH.map(Some);
        assert!(results.add(2, [0, 1], result(white)));
        assert_eq!((results.games(), results.between([0, 1]).count()), (1, 0));
        assert!(results.add(3, [1, 0], result(black)));
        assert!(!results.add(3, [1, 0], result(white)), "once only");
        assert!(!results.add(2, [1, 0], result(white)), "the other player has White");
        assert_eq!(results.between([0, 1]).pentanomial, [0, 0, 0, 0, 1], "0 won with either colour");
        assert_eq!(results.pair(0), None);
        assert!(results.add(1, [1, 0], result(white)) && results.add(0, [0, 1], result(None)));
        assert_eq!(results.between([0, 1]).pentanomial, [0, 1, 0, 0, 1]);
        assert_eq!(results.complete().count(), 2);
        assert_eq!(results.truncated(1).between([0, 1]).pentanomial, [0, 1, 0, 0, 0]);
        assert!(results.contains(3) && !results.contains(4));
    }
}
