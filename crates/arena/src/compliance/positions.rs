//! The positions and moves of a game that stand in scripts as `{…}`, made by its rules.
//!
//! - `{middle}`: moves into the game, as `position` takes them: `startpos moves …`;
//! - `{long}`: the same with very many moves;
//! - `{fen}`: the position of `{middle}` as a FEN; `{bench <n>}`: a position of the bench, counted from 1;
//! - `{over}`: a position in which no move is legal, as `startpos moves …`; `{over fen}`: its FEN;
//! - `{first}`, `{second}`: legal moves of the start position; `{illegal}`: one that is not legal in any;
//! - `{moves}`: the moves of `{middle}`;
//! - `{game}`: the name of the game;
//! - `{reason}`: the comment of a result in the xboard protocol;
//! - `{empty}`, `{cr}`, `{tab}`, `{bom}`: nothing, and characters; `{junk}`: a hundred thousand letters;
//! - `{times <n> <text>}`: the text n times.

use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::{Rules, RulesError, Variation};
use labrys_core::engine::registry;
use labrys_core::search::Control;

/// The positions of a game.
#[derive(Clone, Debug)]
pub(super) struct Positions {
    rules: Rules,
    middle: Variation,
    long: Variation,
    /// None where random games do not end so.
    over: Option<Variation>,
    /// Two legal moves of the start position.
    moves: [String; 2],
}

/// The plies of `{middle}`.
const MIDDLE: usize = 10;

/// The most plies of `{long}`.
const LONG: usize = 300;

/// Random games that are tried.
const MAX_GAMES: u64 = 300;

/// The most plies of a random game whose end is looked for.
const MAX_PLIES: usize = 400;

/// The letters of `{junk}`.
const JUNK: usize = 100_000;

impl Positions {
    /// Plays random games, the same in every run.
    pub(super) fn new(rules: &Rules) -> Result<Positions, RulesError> {
        let start = rules.board()?;
        let legal = start.legal_moves();
        let nth =
            |index: usize| legal.get(index.min(legal.len().saturating_sub(1))).cloned().unwrap_or_default();
        // A position whose game goes on, after as many plies as possible up to some number.
        let going_on = |plies: usize| -> Result<Variation, RulesError> {
            let mut best = Variation::default();
            for seed in 0..MAX_GAMES / 10 {
                let mut board = rules.board()?;
                let mut random = StdRng::seed_from_u64(seed);
                let mut moves = board.play_random_moves(plies, &mut random, &Control::default());
                // The last move may have ended the game.
                let mut board = rules.board()?;
                while board.set_up(None, &moves).is_ok() && board.outcome().is_some() {
                    moves.pop();
                }
                if moves.len() > best.moves.len() {
                    best = Variation { fen: board.fen(), moves };
                }
                if best.moves.len() == plies {
                    break;
                }
            }
            Ok(best)
        };
        let mut over = None;
        for seed in 0..MAX_GAMES {
            let mut board = rules.board()?;
            let moves =
                board.play_random_moves(MAX_PLIES, &mut StdRng::seed_from_u64(seed), &Control::default());
            if board.legal_moves().is_empty() {
                over = Some(Variation { fen: board.fen(), moves });
                break;
            }
        }
        Ok(Positions {
            rules: rules.clone(),
            middle: going_on(MIDDLE)?,
            long: going_on(LONG)?,
            over,
            moves: [nth(0), nth(legal.len() / 2)],
        })
    }

    /// The rules of the game.
    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Fills in a line; `None` if the game has no such position.
    pub(super) fn fill(&self, line: &str) -> Option<String> {
        let (mut filled, mut rest) = (String::new(), line);
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            filled += before;
            filled += &self.value(name)?;
            rest = after;
        }
        Some(filled + rest)
    }

    fn value(&self, name: &str) -> Option<String> {
        let line = |line: &Variation| format!("startpos moves {}", line.moves.join(" "));
        Some(match name {
            "middle" => line(&self.middle),
            "long" => line(&self.long),
            "over" => line(self.over.as_ref()?),
            "over fen" => self.over.as_ref()?.fen.clone(),
            "fen" => self.middle.fen.clone(),
            "moves" => self.middle.moves.join(" "),
            "first" => self.moves[0].clone(),
            "second" => self.moves[1].clone(),
            "illegal" => "a1a1".to_owned(),
            "game" => self.rules.variant.clone(),
            "cr" => "\r".to_owned(),
            "tab" => "\t".to_owned(),
            "bom" => "\u{feff}".to_owned(),
            "empty" => String::new(),
            "reason" => "{White mates}".to_owned(),
            "junk" => "x".repeat(JUNK),
            _ if name.starts_with("times ") => {
                let (count, text) = name.strip_prefix("times ")?.split_once(' ')?;
                vec![text; count.parse().ok()?].join(" ")
            }
            _ => {
                let number: usize = name.strip_prefix("bench ")?.parse().ok()?;
                let fens = registry::info(&self.rules.variant).ok()?.bench.fens;
                (*fens.get(number.checked_sub(1)? % fens.len().max(1))?).to_owned()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_the_positions() {
        for game in registry::names() {
            let positions = Positions::new(&Rules::new(game, None).unwrap()).unwrap();
            let set_up = |name: &str| {
                let mut board = positions.rules().board().unwrap();
                let line = positions.value(name).unwrap();
                let moves: Vec<_> = line.split(' ').skip(2).map(str::to_owned).collect();
                board.set_up(None, &moves).unwrap();
                board
            };
            assert!(set_up("middle").outcome().is_none() && set_up("long").outcome().is_none(), "{game}");
            assert_eq!(set_up("middle").fen(), positions.value("fen").unwrap());
            assert!(set_up("over").legal_moves().is_empty(), "{game}");
            assert!(positions.long.moves.len() > 20, "{game}: {}", positions.long.moves.len());
            let board = positions.rules().board().unwrap();
            for mv in &positions.moves {
                board.check_move(mv).unwrap();
            }
            assert!(board.check_move(&positions.value("illegal").unwrap()).is_err());
            assert_eq!(positions.fill("go {first}{cr}").unwrap(), format!("go {}\r", positions.moves[0]));
            assert_eq!(positions.fill("{nothing}"), None);
        }
    }
}
