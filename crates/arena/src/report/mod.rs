//! Statistics of a game, as finished games show it: their length, the branching factor, how often they are
//! drawn, the advantage of the first move, how they end, and how strong players are for their depth and
//! nodes. Several games stand side by side.
//!
//! [`GameFacts`] is what a report takes from a record; [`Report`] counts it; [`VariantReport`] is the result,
//! as text, for JSON, and on a page with charts ([`html`]).

mod facts;
pub mod html;
mod strength;
pub mod text;

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::{Elo, Pairs, Results};
use labrys_core::game::{Color, Wdl};
use labrys_support::elo::SIGMAS;

pub use facts::{GameFacts, Turn};
pub use strength::{PlayerReport, Slope};

/// The number of the file that a game comes from: pairs of games are those of one file, or of one of its
/// parts if the numbers of its games come again.
pub type FileNumber = usize;

/// A part of a file, from 0, in which each number is that of one game.
type Part = (FileNumber, usize);

/// Finished games by the game that was played.
#[derive(Debug, Default)]
pub struct Report {
    variants: BTreeMap<(&'static str, Option<String>), Counts>,
}

/// What is counted of the games of one variant.
#[derive(Debug, Default)]
struct Counts {
    /// Plies of each finished game, with its opening.
    plies: Vec<usize>,
    unfinished: u64,
    /// The start positions and moves of the finished games.
    lines: HashSet<u64>,
    /// Games lost, drawn and won by White, by how they ended.
    ends: BTreeMap<String, [u64; 3]>,
    /// The sum of legal moves and the number of positions, by the ply.
    branching: Vec<(u64, u64)>,
    /// The part of each file that is being read, with the start positions and moves of its games by number.
    parts: BTreeMap<FileNumber, (usize, BTreeMap<u64, u64>)>,
    /// The results for White, by part and number of the game, without the games that repeat another one.
    white: BTreeMap<(Part, u64), Wdl>,
    players: strength::Players,
    results: BTreeMap<Part, Results>,
}

/// The statistics of one variant.
#[derive(Clone, Debug, Serialize)]
pub struct VariantReport {
    /// The variant.
    pub variant: &'static str,
    /// Its board or starting positions, see [`GameFacts::board`]; `None` for the default.
    pub board: Option<String>,
    /// Finished games.
    pub games: u64,
    /// Games that differ in their start position or in a move.
    pub distinct: u64,
    /// Games without a result, which do not count.
    pub unfinished: u64,
    /// Plies of a game, with its opening.
    pub plies: Spread,
    /// The branching factor: the mean number of legal moves in all positions after the opening in which a
    /// player moved; `None` without such positions.
    pub branching: Option<f64>,
    /// Draws.
    pub draws: Share,
    /// Games with a winner.
    pub decisive: Share,
    /// Games won by White, of those with a winner.
    pub white_wins: Share,
    /// The advantage of the first move; `None` without two games.
    pub first_move: Option<FirstMove>,
    /// Pairs of games from one opening that one player has won, by 1½ or 2 points of 2: what is decided by
    /// more than the opening and the colour. Only games between different players count.
    pub decided_pairs: Share,
    /// How games ended, the most frequent first.
    pub ends: Vec<EndCount>,
    /// The players, the strongest first.
    pub players: Vec<PlayerReport>,
    /// Strength against depth, nodes and time.
    pub strength: Vec<Slope>,
    /// The share of games, in percent, that have more plies than this, from 0 on.
    pub still_played: Vec<(usize, f64)>,
    /// The mean number of legal moves by the ply, where ten games or more have a position.
    pub branching_by_ply: Vec<(usize, f64)>,
}

/// Mean, median and range of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: f64,
    /// The least.
    pub min: usize,
    /// The greatest.
    pub max: usize,
}

/// A share with its 95 % confidence interval, the score interval of E. B. Wilson, "Probable inference, the
/// law of succession, and statistical inference" (1927): it is not empty where all are alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
    /// The share, from 0 to 1; `None` of none.
    pub share: Option<f64>,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// White's score. Pairs of games with the same opening count as one result each, since the opening may favour
/// a colour; games that repeat another one move for move do not count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FirstMove {
    /// White's mean score of a game, from 0 to 1.
    pub score: f64,
    /// Half the width of its 95 % confidence interval.
    pub error: f64,
    /// The same as an Elo difference; infinite values are `null` in JSON.
    #[serde(flatten)]
    pub elo: Elo,
}

/// Games that ended in one way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EndCount {
    /// The rule that ended them, or the value of the tag `Termination`.
    pub end: String,
    /// Won by White.
    pub white: u64,
    /// Drawn.
    pub draws: u64,
    /// Won by Black.
    pub black: u64,
}

impl EndCount {
    /// All games that ended so.
    pub fn games(&self) -> u64 {
        self.white + self.draws + self.black
    }
}

/// The least number of games whose mean is shown for a ply.
const GAMES_OF_A_PLY: u64 = 10;

impl Report {
    /// Adds a game of a file.
    pub fn add(&mut self, file: FileNumber, facts: &GameFacts) {
        let counts = self.variants.entry((facts.variant, facts.board.clone())).or_default();
        let Some((result, end)) = &facts.end else {
            counts.unfinished += 1;
            return;
        };
        let white = Wdl::of(result.winner, Color::White);
        counts.plies.push(facts.plies);
        counts.ends.entry(end.clone()).or_default()[white as usize] += 1;
        for turn in &facts.turns {
            if counts.branching.len() <= turn.ply {
                counts.branching.resize(turn.ply + 1, (0, 0));
            }
            let (moves, positions) = &mut counts.branching[turn.ply];
            *moves += turn.legal_moves as u64;
            *positions += 1;
        }
        let part = (file, counts.part(file, facts));
        // A copy says nothing new.
        if counts.lines.insert(facts.line) {
            counts.white.insert((part, facts.number), white);
        }
        let players = counts.players.add(facts, *result);
        if players[0] != players[1] {
            counts.results.entry(part).or_default().add(facts.number - 1, players, *result);
        }
    }

    /// The statistics of all variants and boards, by name.
    pub fn variants(&self) -> Vec<VariantReport> {
        self.variants.iter().map(|((variant, board), counts)| counts.report(variant, board.clone())).collect()
    }
}

impl VariantReport {
    /// The variant with its board.
    pub fn title(&self) -> String {
        self.board.as_ref().map_or(self.variant.to_owned(), |board| format!("{} {board}", self.variant))
    }
}

impl Counts {
    /// The part of a file that a game belongs to. Another one begins where a number comes again: the file was
    /// put together of several. Numbers need not rise, as games that are played at once end in any order, and
    /// a copy of the game of that number begins nothing.
    fn part(&mut self, file: FileNumber, facts: &GameFacts) -> usize {
        let (part, lines) = self.parts.entry(file).or_default();
        if lines.get(&facts.number).is_some_and(|&line| line != facts.line) {
            *part += 1;
            lines.clear();
        }
        lines.insert(facts.number, facts.line);
        *part
    }

    fn report(&self, variant: &'static str, board: Option<String>) -> VariantReport {
        let games = self.plies.len() as u64;
        let results = self.ends.values().fold([0; 3], |mut sum, ends| {
            sum.iter_mut().zip(ends).for_each(|(sum, games)| *sum += games);
            sum
        });
        let [black, draws, white] = results;
        let mut ends: Vec<_> = self.ends.iter().collect();
        ends.sort_by_key(|(_, games)| std::cmp::Reverse(games.iter().sum::<u64>()));
        let pairings = self.pairings();
        let decided = |pairs: &Pairs| {
            let [both_lost, lost, _, won, both_won] = pairs.pentanomial;
            both_lost + lost + won + both_won
        };
        let players = self.players.report(&pairings);
        VariantReport {
            variant,
            board,
            games,
            distinct: self.lines.len() as u64,
            unfinished: self.unfinished,
            plies: Spread::of(&self.plies),
            branching: self.branching(..),
            draws: Share::new(draws, games),
            decisive: Share::new(white + black, games),
            white_wins: Share::new(white, white + black),
            first_move: self.first_move(),
            decided_pairs: Share::new(
                pairings.iter().map(|(_, pairs)| decided(pairs)).sum(),
                pairings.iter().map(|(_, pairs)| pairs.count()).sum(),
            ),
            ends: ends
                .into_iter()
                .map(|(end, &[black, draws, white])| EndCount { end: end.clone(), white, draws, black })
                .collect(),
            strength: strength::slopes(&players),
            players,
            still_played: self.still_played(),
            branching_by_ply: (0..self.branching.len())
                .filter(|&ply| self.branching[ply].1 >= GAMES_OF_A_PLY)
                .filter_map(|ply| Some((ply, self.branching(ply..=ply)?)))
                .collect(),
        }
    }

    /// The mean number of legal moves over some plies.
    fn branching(
        &self,
        plies: impl std::slice::SliceIndex<[(u64, u64)], Output = [(u64, u64)]>,
    ) -> Option<f64> {
        let sum = |sum: (u64, u64), ply: &(u64, u64)| (sum.0 + ply.0, sum.1 + ply.1);
        let (moves, positions) = self.branching[plies].iter().fold((0, 0), sum);
        (positions > 0).then(|| moves as f64 / positions as f64)
    }

    /// White's score by pairs of games. Games without another one of their pair are grouped as they come;
    /// of an odd number of games the last one is left out.
    fn first_move(&self) -> Option<FirstMove> {
        let (mut pairs, mut single) = (Pairs::default(), None);
        let mut games = self.white.iter().map(|(&(file, number), &white)| ((file, (number - 1) / 2), white));
        let mut next = games.next();
        while let Some((pair, white)) = next {
            next = games.next();
            match next {
                Some((other, second)) if other == pair => {
                    pairs.add(white, second);
                    next = games.next();
                }
                _ => match single.take() {
                    Some(first) => pairs.add(first, white),
                    None => single = Some(white),
                },
            }
        }
        let (score, error) = pairs.mean_and_error();
        (pairs.count() > 0).then(|| FirstMove { score, error, elo: pairs.elo() })
    }

    /// The results of each two players, of all files.
    fn pairings(&self) -> Vec<([usize; 2], Pairs)> {
        let mut pairings: BTreeMap<[usize; 2], Pairs> = BTreeMap::new();
        for pair in self.results.values().flat_map(Results::complete) {
            let ([first, second], [a, b]) = (pair.points(), pair.players);
            match a < b {
                true => pairings.entry([a, b]).or_default().add(first, second),
                false => pairings.entry([b, a]).or_default().add(!first, !second),
            }
        }
        pairings.into_iter().collect()
    }

    /// See [`VariantReport::still_played`].
    fn still_played(&self) -> Vec<(usize, f64)> {
        let mut plies = self.plies.clone();
        plies.sort_unstable();
        let longest = plies.last().copied().unwrap_or(0);
        let share = |ply| plies.len() - plies.partition_point(|&plies| plies <= ply);
        (0..=longest).map(|ply| (ply, 100.0 * share(ply) as f64 / plies.len() as f64)).collect()
    }
}

impl Spread {
    /// Of numbers in any order; zeros of none.
    fn of(numbers: &[usize]) -> Spread {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable();
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else { return Spread::default() };
        let middle = |at: usize| sorted[at] as f64;
        Spread {
            mean: sorted.iter().sum::<usize>() as f64 / sorted.len() as f64,
            median: (middle((sorted.len() - 1) / 2) + middle(sorted.len() / 2)) / 2.0,
            min,
            max,
        }
    }
}

impl Share {
    /// `count` of `of`.
    pub fn new(count: u64, of: u64) -> Share {
        if of == 0 {
            return Share { count, of, share: None, low: 0.0, high: 1.0 };
        }
        let (share, n, z2) = (count as f64 / of as f64, of as f64, SIGMAS * SIGMAS);
        let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = SIGMAS * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt() / (1.0 + z2 / n);
        // Where all are alike, the rounding of the formula shows.
        let low = if count == 0 { 0.0 } else { (centre - half).max(0.0) };
        let high = if count == of { 1.0 } else { (centre + half).min(1.0) };
        Share { count, of, share: Some(share), low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgn::PgnReader;

    /// The report on the games of a text.
    fn report(text: &str) -> Vec<VariantReport> {
        report_on(&[text])
    }

    /// The report on the games of several files.
    fn report_on(files: &[&str]) -> Vec<VariantReport> {
        let mut report = Report::default();
        for (text, file) in files.iter().zip(0..) {
            for (game, place) in PgnReader::new(text.as_bytes()).zip(1..) {
                report.add(file, &GameFacts::new(&game.unwrap(), None, place).unwrap());
            }
        }
        report.variants()
    }

    /// A record between two players.
    fn game(number: u64, players: [&str; 2], tags: &str, moves: &str) -> String {
        let [white, black] = players;
        format!("[White \"{white}\"]\n[Black \"{black}\"]\n[GameNumber \"{number}\"]\n{tags}\n\n{moves}\n\n")
    }

    #[test]
    fn what_is_not_there_has_no_mean() {
        let of = &report(&game(1, ["a", "b"], "[Termination \"adjudication\"]", "1-0"))[0];
        assert_eq!((of.games, of.branching, of.first_move), (1, None, None));
        assert_eq!((of.decided_pairs.of, of.decided_pairs.share), (0, None));
        assert!(of.players.iter().all(|player| player.branching.is_none()), "{:?}", of.players);
    }

    #[test]
    fn boards_of_several_sizes_stand_side_by_side() {
        let of_board = |fen: &str| {
            format!("[Variant \"amazons\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n[Result \"*\"]\n\n*\n\n")
        };
        let games: String = [
            "[Variant \"amazons\"]\n[Result \"*\"]\n\n*\n\n".to_owned(),
            of_board("2q1q2/7/q5q/7/Q5Q/7/2Q1Q2 w - - 0 1"),
            of_board("1q2q1/q4q/6/Q4Q/1Q2Q1 w - - 0 1"),
            "[Variant \"Chess960\"]\n[Result \"*\"]\n\n*\n\n".to_owned(),
            "[Result \"*\"]\n\n*\n\n".to_owned(),
        ]
        .concat();
        let titles: Vec<_> = report(&games).iter().map(VariantReport::title).collect();
        assert_eq!(titles, ["amazons", "amazons 6×5", "amazons 7×7", "chess", "chess Chess960"]);
    }

    #[test]
    fn files_that_were_put_together_count_as_files() {
        let end = "[Termination \"adjudication\"]";
        let won = |number, mv| match number % 2 {
            1 => game(number, ["a", "b"], end, &format!("1. {mv} 1-0")),
            _ => game(number, ["b", "a"], end, &format!("1. {mv} 0-1")),
        };
        // Games that were played at once end in any order.
        let first = [won(2, "a3"), won(1, "a4"), won(4, "b3"), won(3, "b4")].concat();
        let second = [won(1, "c3"), won(2, "c4"), won(4, "d3"), won(3, "d4"), won(5, "e3")].concat();
        let both = report(&[&*first, &*second].concat());
        assert_eq!(format!("{both:?}"), format!("{:?}", report_on(&[&first, &second])));
        assert_eq!((both[0].decided_pairs.count, both[0].decided_pairs.of), (4, 4));
        // Each pair is one point of two for White.
        assert!((both[0].first_move.unwrap().score - 0.5).abs() < 1e-9, "{:?}", both[0].first_move);
        // A copy is no other game.
        let copied = &report(&[&*first, &*first].concat())[0];
        assert_eq!((copied.games, copied.distinct, copied.decided_pairs.of), (8, 4, 2));
    }

    #[test]
    fn copies_of_a_game_do_not_count_for_the_first_move() {
        let end = "[Termination \"adjudication\"]";
        let moves = |number| if number < 6 { "1. e4 e5 1-0" } else { "1. d4 d5 0-1" };
        let games: String = (1..=6).map(|number| game(number, ["a", "b"], end, moves(number))).collect();
        let of = &report(&games)[0];
        assert_eq!((of.games, of.distinct, of.first_move.unwrap().score), (6, 2, 0.5));
    }

    #[test]
    fn copies_are_found_however_they_are_written() {
        let start = "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]";
        let games =
            [("", "1. e4 e5"), (start, "1. e4 e5"), ("", "e2e4 e7e5"), ("", "1. e4 {book} 1... e5 {book}")];
        let games = games.map(|(tags, moves)| format!("[Result \"1-0\"]\n{tags}\n\n{moves} 1-0\n\n"));
        let of = &report(&games.concat())[0];
        assert_eq!((of.games, of.distinct), (4, 1));
    }

    #[test]
    fn who_wins_after_a_draw_that_nobody_claimed_has_not_repeated() {
        let moves = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8";
        let end = |result: &str| {
            report(&format!("[Result \"{result}\"]\n\n{moves} {result}\n\n"))[0].ends[0].end.clone()
        };
        assert_eq!([end("1-0"), end("1/2-1/2")], ["agreement or resignation", "repetition"]);
    }

    #[test]
    fn lengths_branching_and_ends_are_those_of_the_games() {
        let mate = "1. f3 {book} e5 {+0.10/4 0.200s, nodes=100} 2. g4 {-0.50/2 0.100s} \
                    Qh4# {+M1/4 0.400s, nodes=300} 0-1";
        let text = [
            game(1, ["a", "b"], "", mate),
            game(
                2,
                ["b", "a"],
                "[Termination \"time forfeit\"]",
                "1. e4 {book} e5 {0.1s} 2. Nf3 {+0.30/6 0.300s} 1-0",
            ),
            game(3, ["a", "b"], "", "1. e4 *"),
        ]
        .concat();
        let chess = &report(&text)[0];
        assert_eq!((chess.games, chess.unfinished, chess.variant), (2, 1, "chess"));
        assert_eq!(chess.plies, Spread { mean: 3.5, median: 3.5, min: 3, max: 4 });
        // After the opening: 20, 19 and 30 moves; 20 and 29 moves, and 29 where the loser's time ran out.
        let turns = [20, 19, 30, 20, 29, 29];
        assert!(
            (chess.branching.unwrap() - f64::from(turns.iter().sum::<i32>()) / 6.0).abs() < 1e-9,
            "{chess:?}"
        );
        let ends: Vec<_> =
            chess.ends.iter().map(|end| (end.end.as_str(), [end.white, end.draws, end.black])).collect();
        assert!(ends.contains(&("checkmate", [0, 0, 1])) && ends.contains(&("time forfeit", [1, 0, 0])));
        let b = chess.players.iter().find(|player| player.name == "b").unwrap();
        // b has moved at 20, 30 and 29 moves, to depth 4, 4 and 6.
        assert!((b.branching.unwrap() - 79.0 / 3.0).abs() < 1e-9, "{b:?}");
        assert_eq!((b.depth, b.nodes), (Some(14.0 / 3.0), Some(200.0)));
        assert!((b.seconds.unwrap() - 0.3).abs() < 1e-9, "{b:?}");
        assert_eq!((b.wins, b.losses, b.losses_on_time), (2, 0, 0));
        let a = chess.players.iter().find(|player| player.name == "a").unwrap();
        assert_eq!((a.losses, a.losses_on_time, a.nodes), (2, 1, None));
        assert_eq!((chess.decided_pairs.count, chess.decided_pairs.of), (1, 1));
        assert!(b.elo.unwrap() > a.elo.unwrap() && chess.players[0].name == "b");
        assert_eq!(chess.still_played, [(0, 100.0), (1, 100.0), (2, 100.0), (3, 50.0), (4, 0.0)]);
    }

    #[test]
    fn games_stand_side_by_side() {
        let text =
            game(1, ["a", "b"], "[Variant \"neighbours\"]\n[Termination \"adjudication\"]", "1. e1e3 1-0")
                + &game(1, ["a", "b"], "[Termination \"adjudication\"]", "1. e4 1/2-1/2");
        let variants = report(&text);
        assert_eq!(variants.iter().map(|of| of.variant).collect::<Vec<_>>(), ["chess", "neighbours"]);
        assert_eq!((variants[0].draws.count, variants[1].draws.count), (1, 0));
        let text = text::SideBySide(&variants).to_string();
        assert!(text.contains("chess") && text.contains("neighbours"), "{text}");
    }

    #[test]
    fn white_wins_by_pairs() {
        let end = "[Termination \"adjudication\"]";
        let first = ["a3", "b3", "c3", "d3", "e3", "f3", "g3", "h3"].into_iter().zip(1..);
        let text: String =
            first.map(|(mv, number)| game(number, ["a", "b"], end, &format!("1. {mv} 1-0"))).collect();
        let chess = &report(&text)[0];
        // Always won, and yet nobody can tell that it will always be.
        let FirstMove { score, error, elo } = chess.first_move.unwrap();
        assert!(score == 1.0 && error > 0.0 && elo.los > 0.9 && elo.los < 1.0, "{elo}");
        assert!(chess.white_wins.share == Some(1.0) && chess.white_wins.low < 0.8, "{:?}", chess.white_wins);
    }

    #[test]
    fn games_of_one_player_against_itself_have_no_strength() {
        let end = "[Termination \"adjudication\"]";
        let text = game(1, ["a", "a"], end, "1. e4 1-0") + &game(2, ["a", "a"], end, "1. d4 0-1");
        let chess = &report(&text)[0];
        assert_eq!((chess.players.len(), chess.players[0].elo), (1, None));
        assert_eq!((chess.players[0].games, chess.decided_pairs.of), (4, 0));
        assert!((chess.first_move.unwrap().score - 0.5).abs() < 1e-9);
    }

    #[test]
    fn intervals_of_shares_are_those_of_wilson() {
        let share = Share::new(0, 10);
        assert!(share.low == 0.0 && (share.high - 0.2775).abs() < 1e-4, "{share:?}");
        let share = Share::new(81, 263);
        assert!((share.low - 0.2553).abs() < 1e-4 && (share.high - 0.3662).abs() < 1e-4, "{share:?}");
        assert_eq!(Share::new(0, 0).high, 1.0);
    }
}
