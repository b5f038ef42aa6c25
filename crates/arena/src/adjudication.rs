//! Adjudication: ending games before the rules of the game end them.

use std::fmt;

use super::{KeyError, KeyValues};
use labrys_core::eval::UciScore;
use labrys_core::game::Color;

/// The adjudication rules of a match; all are optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjudication {
    /// Draw by the scores of both players.
    pub draw: Option<DrawRule>,
    /// Loss by the player's own score.
    pub resign: Option<ResignRule>,
    /// Move limit: moves of each player after which the game ends, as a draw or by points where the game has
    /// points.
    pub max_moves: Option<u32>,
    /// Folders of endgame tables, as the option of the game names them, that decide games.
    pub tables: Option<String>,
}

/// The game is drawn when the scores of both players stay near 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// Moves that each player has to have made before scores count.
    pub move_number: u32,
    /// Consecutive moves of each player with such a score.
    pub move_count: u32,
    /// Largest distance of a score from 0, in hundredths (cp).
    pub score: i32,
}

/// A player loses when its own scores are low enough for long enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResignRule {
    /// Consecutive moves of the player with such a score.
    pub move_count: u32,
    /// The player's score is at most minus this, in hundredths (cp).
    pub score: i32,
    /// Whether the opponent's scores have to confirm it, at plus `score` or more.
    pub two_sided: bool,
}

/// The rules as a tag of a record says them; empty without one.
impl fmt::Display for Adjudication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Adjudication { draw, resign, max_moves, tables } = self;
        let draw = draw.as_ref().map(|DrawRule { move_number, move_count, score }| {
            format!("draw movenumber={move_number} movecount={move_count} score={score}")
        });
        let resign = resign.as_ref().map(|ResignRule { move_count, score, two_sided }| {
            format!("resign movecount={move_count} score={score} twosided={two_sided}")
        });
        let max_moves = max_moves.map(|moves| format!("maxmoves {moves}"));
        let tables = tables.as_ref().map(|_| "tables".to_owned());
        let rules: Vec<_> = [draw, resign, max_moves, tables].into_iter().flatten().collect();
        f.write_str(&rules.join(", "))
    }
}

impl AdjudicatedResult {
    /// The result of a game that reached the length limit after `plies` plies. The player who leads on
    /// points, `leader`, wins.
    pub fn length_limit(leader: Option<Color>, plies: u32) -> AdjudicatedResult {
        let result = leader.map_or("draw".to_owned(), |winner| format!("{winner} wins on points"));
        AdjudicatedResult { winner: leader, details: format!("{result}: {plies} plies") }
    }
}

impl DrawRule {
    /// Reads `movenumber=… movecount=… score=…`.
    ///
    /// # Errors
    /// [`KeyError`] names the key and its value.
    pub fn read(mut keys: KeyValues) -> Result<DrawRule, KeyError> {
        keys.check_known("movenumber, movecount, score")?;
        let move_number = keys.read("movenumber", "a whole number of moves")?.unwrap_or(0);
        let (move_count, score) = read_count_and_score(&mut keys)?;
        Ok(DrawRule { move_number, move_count, score })
    }
}

impl ResignRule {
    /// Reads `movecount=… score=… twosided=…`.
    ///
    /// # Errors
    /// [`KeyError`] names the key and its value.
    pub fn read(mut keys: KeyValues) -> Result<ResignRule, KeyError> {
        keys.check_known("movecount, score, twosided")?;
        let (move_count, score) = read_count_and_score(&mut keys)?;
        let two_sided = keys.read("twosided", "`true` or `false`")?.unwrap_or(false);
        Ok(ResignRule { move_count, score, two_sided })
    }
}

/// Reads `movecount=… score=…`, which both rules have.
fn read_count_and_score(keys: &mut KeyValues) -> Result<(u32, i32), KeyError> {
    let count = keys.read_with("movecount", "a whole number of moves, at least 1", |text| {
        text.parse::<u32>().ok().filter(|&count| count > 0)
    })?;
    let score = keys.read_with("score", "a score in hundredths (cp), at least 0", |text| {
        text.parse::<i32>().ok().filter(|&score| score >= 0)
    })?;
    Ok((keys.require("movecount", count)?, keys.require("score", score)?))
}

/// The result of an adjudicated game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdjudicatedResult {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// The reason in words.
    pub details: String,
}

/// Applies the rules to a game, move by move.
#[derive(Clone, Debug)]
pub struct Adjudicator<'a> {
    rules: &'a Adjudication,
    /// Moves made by each player.
    moves: [u32; 2],
    /// Consecutive moves of both players together with scores near 0.
    quiet: u32,
    /// Consecutive moves of each player with a score of a lost game.
    losing: [u32; 2],
    /// Consecutive moves of each player with a score of a won game.
    winning: [u32; 2],
}

impl<'a> Adjudicator<'a> {
    /// An adjudicator at the start of a game.
    pub fn new(rules: &'a Adjudication) -> Adjudicator<'a> {
        Adjudicator { rules, moves: [0; 2], quiet: 0, losing: [0; 2], winning: [0; 2] }
    }

    /// Counts a move of the player `stm` with its score and returns the result if a rule now applies. A move
    /// without a score resets the counts. `leader` wins at the move limit.
    pub fn add_move(
        &mut self,
        stm: Color,
        score: Option<UciScore>,
        leader: Option<Color>,
    ) -> Option<AdjudicatedResult> {
        self.moves[stm.index()] += 1;
        self.resign(stm, score).or_else(|| self.draw(score)).or_else(|| self.end(leader))
    }

    /// The result at the move limit.
    fn end(&self, leader: Option<Color>) -> Option<AdjudicatedResult> {
        let limit = self.rules.max_moves?;
        let too_long = self.moves.iter().all(|&moves| moves >= limit);
        too_long.then(|| AdjudicatedResult::length_limit(leader, self.moves.iter().sum()))
    }

    fn resign(&mut self, stm: Color, score: Option<UciScore>) -> Option<AdjudicatedResult> {
        let rule = self.rules.resign.as_ref()?;
        let (own, other) = (stm.index(), (!stm).index());
        let count = |row: &mut u32, holds: bool| *row = if holds { *row + 1 } else { 0 };
        count(&mut self.losing[own], score.is_some_and(|score| centi(score) <= -rule.score));
        count(&mut self.winning[own], score.is_some_and(|score| centi(score) >= rule.score));
        let is_lost = |losing: u32, winning: u32| {
            losing >= rule.move_count && (!rule.two_sided || winning >= rule.move_count)
        };
        let result = |loser: Color| AdjudicatedResult {
            winner: Some(!loser),
            details: format!("{} wins: {loser} gives {:.2} or less", !loser, -f64::from(rule.score) / 100.0),
        };
        if is_lost(self.losing[own], self.winning[other]) {
            return Some(result(stm));
        }
        is_lost(self.losing[other], self.winning[own]).then(|| result(!stm))
    }

    fn draw(&mut self, score: Option<UciScore>) -> Option<AdjudicatedResult> {
        let rule = self.rules.draw.as_ref()?;
        let near = score.is_some_and(|score| centi(score).abs() <= rule.score);
        let counts = near && self.moves.iter().all(|&moves| moves >= rule.move_number);
        self.quiet = if counts { self.quiet + 1 } else { 0 };
        (self.quiet >= rule.move_count.saturating_mul(2)).then(|| {
            let details = format!("draw: both within {:.2}", f64::from(rule.score) / 100.0);
            AdjudicatedResult { winner: None, details }
        })
    }
}

/// A score in hundredths (cp); a mate score is beyond all others.
fn centi(score: UciScore) -> i32 {
    match score {
        UciScore::Centi(value) => value,
        UciScore::Mate(moves) if moves > 0 => i32::MAX,
        // Not `i32::MIN`, which has no absolute value.
        UciScore::Mate(_) => -i32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays `scores` as those of White and Black in turn; the ply, from 1, at which the game ends, and the
    /// winner. 9,999 stands for no score, ±8,000 for a mate score.
    fn decided(
        rules: &Adjudication,
        scores: impl IntoIterator<Item = i32>,
    ) -> Option<(usize, Option<Color>)> {
        let mut adjudicator = Adjudicator::new(rules);
        scores.into_iter().zip(Color::BOTH.into_iter().cycle()).zip(1..).find_map(|((score, stm), ply)| {
            let score = match score {
                9_999 => None,
                8_000 => Some(UciScore::Mate(4)),
                -8_000 => Some(UciScore::Mate(-4)),
                score => Some(UciScore::Centi(score)),
            };
            adjudicator.add_move(stm, score, None).map(|result| (ply, result.winner))
        })
    }

    #[test]
    fn draws_need_consecutive_small_scores_after_the_first_moves() {
        let draw = Some(DrawRule { move_number: 3, move_count: 2, score: 10 });
        let rules = Adjudication { draw, ..Adjudication::default() };
        // The third moves are plies 5 and 6: from 6 on both have made three.
        assert_eq!(decided(&rules, [0; 20]), Some((9, None)));
        assert_eq!(decided(&rules, [0, 0, 0, 0, 0, 10, -10, -11, 0, 0, 0, 0, 0]), Some((12, None)));
        assert_eq!(decided(&rules, [0, 0, 0, 0, 0, 0, 0, 9_999, 0, 0, 0]), None);
        let draw = Some(DrawRule { move_number: 0, move_count: 1 << 31, score: 10 });
        assert_eq!(decided(&Adjudication { draw, ..rules }, [0; 20]), None);
    }

    #[test]
    fn a_player_resigns_by_its_own_consecutive_scores() {
        let resign = Some(ResignRule { move_count: 2, score: 500, two_sided: false });
        let rules = Adjudication { resign, ..Adjudication::default() };
        assert_eq!(decided(&rules, [0, -500, 0, -500]), Some((4, Some(Color::White))));
        assert_eq!(decided(&rules, [-8_000, 0, -501]), Some((3, Some(Color::Black))));
        assert_eq!(decided(&rules, [-500, 0, -499, 0, -500]), None);
        assert_eq!(decided(&rules, [8_000; 9]), None, "nobody resigns a win");
    }

    #[test]
    fn two_sided_resignation_needs_both() {
        let resign = Some(ResignRule { move_count: 2, score: 500, two_sided: true });
        let rules = Adjudication { resign, ..Adjudication::default() };
        assert_eq!(decided(&rules, [-500, 0, -500, 0, -500]), None);
        assert_eq!(decided(&rules, [-500, 500, -500, 500]), Some((4, Some(Color::Black))));
    }

    #[test]
    fn long_games_are_drawn() {
        let rules = Adjudication { max_moves: Some(3), ..Adjudication::default() };
        assert_eq!(decided(&rules, [9_999; 9]), Some((6, None)));
    }

    #[test]
    fn points_decide_games_that_are_length_limit() {
        let end = |rules: &Adjudication| {
            let mut adjudicator = Adjudicator::new(rules);
            let mut players = Color::BOTH.into_iter().cycle();
            (1..9)
                .find_map(|ply| Some((ply, adjudicator.add_move(players.next()?, None, Some(Color::Black))?)))
        };
        assert_eq!(end(&Adjudication::default()), None);
        let details = "Black wins on points: 6 plies".to_owned();
        let rules = Adjudication { max_moves: Some(3), ..Adjudication::default() };
        assert_eq!(end(&rules), Some((6, AdjudicatedResult { winner: Some(Color::Black), details })));
    }
}
