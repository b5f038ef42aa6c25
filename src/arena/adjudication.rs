//! Games that are ended before the rules end them.

use super::{KeyError, KeyValues};
use crate::eval::UciScore;
use crate::game::Color;

/// When the referee ends a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjudication {
    /// When it is drawn by the scores of both players.
    pub draw: Option<DrawRule>,
    /// When a player has lost by its own score.
    pub resign: Option<ResignRule>,
    /// Moves of each player after which it ends: drawn, unless the game has points.
    pub max_moves: Option<u32>,
}

/// Both players see nothing in it any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// Moves of each player before the rule begins to count.
    pub move_number: u32,
    /// Moves of each player in a row.
    pub move_count: u32,
    /// No score may be further from 0, in hundredths.
    pub score: i32,
}

/// A player sees that it has lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResignRule {
    /// Moves of the player in a row.
    pub move_count: u32,
    /// Its score is at most the negative of this, in hundredths.
    pub score: i32,
    /// Whether the other player has to see it, too.
    pub two_sided: bool,
}

impl AdjudicatedResult {
    /// The end of a game that has become too long, after so many plies; `leader` has won by that.
    pub fn too_long(leader: Option<Color>, plies: u32) -> AdjudicatedResult {
        let result = leader.map_or("draw".to_owned(), |winner| format!("{winner} wins on points"));
        AdjudicatedResult { winner: leader, details: format!("{result}: {plies} plies") }
    }
}

impl DrawRule {
    /// Reads `movenumber=… movecount=… score=…`.
    ///
    /// # Errors
    /// [`KeyError`] names the key, and the value.
    pub fn read(mut keys: KeyValues) -> Result<DrawRule, KeyError> {
        let move_number = keys.read("movenumber", "a whole number of moves")?.unwrap_or(0);
        let (move_count, score) = read_row(&mut keys)?;
        keys.finish("movenumber, movecount, score")?;
        Ok(DrawRule { move_number, move_count, score })
    }
}

impl ResignRule {
    /// Reads `movecount=… score=… twosided=…`.
    ///
    /// # Errors
    /// [`KeyError`] names the key, and the value.
    pub fn read(mut keys: KeyValues) -> Result<ResignRule, KeyError> {
        let (move_count, score) = read_row(&mut keys)?;
        let two_sided = keys.read("twosided", "`true` or `false`")?.unwrap_or(false);
        keys.finish("movecount, score, twosided")?;
        Ok(ResignRule { move_count, score, two_sided })
    }
}

/// Moves in a row, and the score that they have.
fn read_row(keys: &mut KeyValues) -> Result<(u32, i32), KeyError> {
    let count = keys.read_with("movecount", "a whole number of moves, at least 1", |text| {
        text.parse::<u32>().ok().filter(|&count| count > 0)
    })?;
    let score = keys.read_with("score", "a score in hundredths, at least 0", |text| {
        text.parse::<i32>().ok().filter(|&score| score >= 0)
    })?;
    Ok((keys.require("movecount", count)?, keys.require("score", score)?))
}

/// A decision of the referee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdjudicatedResult {
    /// The winner; none of a drawn game.
    pub winner: Option<Color>,
    /// Why.
    pub details: String,
}

/// Applies the rules to a game, move by move.
#[derive(Clone, Debug)]
pub struct Adjudicator<'a> {
    rules: &'a Adjudication,
    /// Moves of each player.
    moves: [u32; 2],
    /// Moves in a row, of both players together, with scores near 0.
    quiet: u32,
    /// Moves in a row of each player that speak for its loss, and for its win.
    losing: [u32; 2],
    winning: [u32; 2],
}

impl<'a> Adjudicator<'a> {
    /// At the start of a game.
    pub fn new(rules: &'a Adjudication) -> Adjudicator<'a> {
        Adjudicator { rules, moves: [0; 2], quiet: 0, losing: [0; 2], winning: [0; 2] }
    }

    /// Counts a move of `stm`, who gave it `score`, and decides. A move without a score breaks every
    /// row. `leader` has won if the game has become too long.
    pub fn add_move(
        &mut self,
        stm: Color,
        score: Option<UciScore>,
        leader: Option<Color>,
    ) -> Option<AdjudicatedResult> {
        self.moves[stm.index()] += 1;
        self.resign(stm, score).or_else(|| self.draw(score)).or_else(|| self.end(leader))
    }

    /// The end of a game that has become too long.
    fn end(&self, leader: Option<Color>) -> Option<AdjudicatedResult> {
        let limit = self.rules.max_moves?;
        let too_long = self.moves.iter().all(|&moves| moves >= limit);
        too_long.then(|| AdjudicatedResult::too_long(leader, self.moves.iter().sum()))
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
        let ruling = |loser: Color| AdjudicatedResult {
            winner: Some(!loser),
            details: format!("{} wins: {loser} gives {:.2} or less", !loser, -f64::from(rule.score) / 100.0),
        };
        if is_lost(self.losing[own], self.winning[other]) {
            return Some(ruling(stm));
        }
        is_lost(self.losing[other], self.winning[own]).then(|| ruling(!stm))
    }

    fn draw(&mut self, score: Option<UciScore>) -> Option<AdjudicatedResult> {
        let rule = self.rules.draw.as_ref()?;
        let near = score.is_some_and(|score| centi(score).abs() <= rule.score);
        let counts = near && self.moves.iter().all(|&moves| moves >= rule.move_number);
        self.quiet = if counts { self.quiet + 1 } else { 0 };
        (self.quiet >= 2 * rule.move_count).then(|| {
            let details = format!("draw: both within {:.2}", f64::from(rule.score) / 100.0);
            AdjudicatedResult { winner: None, details }
        })
    }
}

/// A score in hundredths; a forced end is beyond all others.
fn centi(score: UciScore) -> i32 {
    match score {
        UciScore::Centi(value) => value,
        UciScore::Mate(moves) if moves > 0 => i32::MAX,
        // `-i32::MAX`, so that it has an absolute value.
        UciScore::Mate(_) => -i32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ply, from 1, at which White's and Black's scores in turn end the game, and the winner.
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
            adjudicator.add_move(stm, score, None).map(|ruling| (ply, ruling.winner))
        })
    }

    #[test]
    fn draws_need_a_row_of_small_scores_after_the_first_moves() {
        let draw = Some(DrawRule { move_number: 3, move_count: 2, score: 10 });
        let rules = Adjudication { draw, ..Adjudication::default() };
        // The third moves are plies 5 and 6: from 6 on both have made three.
        assert_eq!(decided(&rules, [0; 20]), Some((9, None)));
        assert_eq!(decided(&rules, [0, 0, 0, 0, 0, 10, -10, -11, 0, 0, 0, 0, 0]), Some((12, None)));
        assert_eq!(decided(&rules, [0, 0, 0, 0, 0, 0, 0, 9_999, 0, 0, 0]), None);
    }

    #[test]
    fn a_player_resigns_by_its_own_scores_in_a_row() {
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
    fn points_decide_games_that_are_too_long() {
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
