//! The answer to a search, and what has to hold for it.

use std::time::Duration;

use super::Fault;
use super::info::InfoLine;
use super::script::Claim;
use super::step::Protocol;
use super::xboard;
use crate::Variation;
use labrys_core::engine::Board;
use labrys_core::eval::UciScore;
use labrys_core::game::{counted, quote};

/// Words for no move: the specification has `0000`, and engines say `(none)`.
const NO_MOVE: [&str; 2] = ["0000", "(none)"];

/// The bound of scores in hundredths, and of mates in moves.
const MAX_CENTI: i32 = 1_000_000;
const MAX_MATE: i32 = 1_000;

/// The time from which on a speed is compared, in milliseconds.
const SPEED_TIME: u64 = 100;

/// An answer.
pub(super) struct Answer {
    /// The line.
    pub(super) text: String,
    /// The move; empty if there is none in the line.
    pub(super) best: String,
    /// Whether it ends the game instead of a move (xboard).
    pub(super) is_result: bool,
    /// The position.
    pub(super) line: Variation,
    /// The only moves, if there are such.
    pub(super) search_moves: Vec<String>,
    /// The lines of thinking with the time from the start of the search.
    pub(super) thinking: Vec<(String, Duration)>,
    /// The time since the search could be answered: from its start, or from the `stop` or `ponderhit` that it
    /// waited for.
    pub(super) elapsed: Duration,
}

/// A line of thinking that was read.
struct Thought<'a> {
    text: &'a str,
    info: InfoLine,
    arrived: Duration,
}

impl Answer {
    /// Checks that it is a legal move of the position, or none where no move is legal.
    pub(super) fn judge(&self, board: &dyn Board) -> Result<(), Fault> {
        let legal = board.legal_moves();
        let fault = |reason: String| Err(Fault::of(reason, &self.text));
        if legal.is_empty() {
            return match self.is_result || NO_MOVE.contains(&self.best.as_str()) {
                true => Ok(()),
                false => fault(format!("no move is legal, expected {}", NO_MOVE.map(quote).join(" or "))),
            };
        }
        if self.is_result {
            return fault("the end of a game that goes on".to_owned());
        }
        if let Err(error) = board.check_move(&self.best) {
            return fault(error.to_string());
        }
        let allowed: Vec<_> = self.search_moves.iter().filter(|mv| board.check_move(mv).is_ok()).collect();
        if !allowed.is_empty() && !allowed.contains(&&self.best) {
            return fault(format!("{} is none of the `searchmoves`", quote(&self.best)));
        }
        Ok(())
    }

    /// The lines of thinking that can be read.
    fn thoughts(&self, protocol: Protocol) -> Vec<Thought<'_>> {
        let read = |text: &str| match protocol {
            Protocol::Uci => InfoLine::read_uci(text).ok(),
            Protocol::Xboard => xboard::read_thinking(text),
        };
        let thinking = self.thinking.iter();
        thinking
            .filter_map(|(text, arrived)| Some(Thought { text, info: read(text)?, arrived: *arrived }))
            .collect()
    }

    /// Checks a claim. `board` makes a board with the position.
    pub(super) fn check(
        &self,
        claim: &Claim,
        protocol: Protocol,
        board: &dyn Fn() -> Result<Box<dyn Board>, Fault>,
        margin: Duration,
    ) -> Result<(), Fault> {
        let thoughts = self.thoughts(protocol);
        let last =
            thoughts.iter().rfind(|thought| thought.info.number() == 1 && thought.info.score.is_some());
        let last_score = || last.and_then(|thought| Some((thought, thought.info.score?)));
        let answer = |holds: bool, reason: String| match holds {
            true => Ok(()),
            false => Err(Fault::of(reason, &self.text)),
        };
        match claim {
            Claim::Reports => {
                let is_report = |thought: &Thought| {
                    thought.info.depth.is_some()
                        && thought.info.score.is_some()
                        && !thought.info.pv.is_empty()
                };
                answer(
                    thoughts.iter().any(is_report),
                    "no line with depth, score and pv before it".to_owned(),
                )
            }
            Claim::NoReports => match thoughts.first() {
                Some(thought) => Err(Fault::of("a line of thinking before it", thought.text)),
                None => Ok(()),
            },
            Claim::Words => self.thinking.iter().try_for_each(|(text, _)| match protocol {
                Protocol::Uci => InfoLine::read_uci(text).map(drop).map_err(|reason| Fault::of(reason, text)),
                Protocol::Xboard => Ok(()),
            }),
            Claim::KnownWords => thoughts.iter().try_for_each(|thought| match &thought.info.unknown {
                Some(word) => Err(Fault::of(format!("unknown word {}", quote(word)), thought.text)),
                None => Ok(()),
            }),
            Claim::Pv => {
                thoughts.iter().try_for_each(|thought| check_pv(thought, board()?.as_mut(), protocol))
            }
            Claim::BestOfPv => match thoughts
                .iter()
                .rfind(|thought| thought.info.number() == 1 && !thought.info.pv.is_empty())
            {
                Some(thought) if thought.info.pv[0] != self.best => Err(Fault::of(
                    format!("the move is {}, not the first of the last pv", quote(&self.best)),
                    thought.text,
                )),
                _ => Ok(()),
            },
            Claim::Ponder => self.check_ponder(board()?.as_mut()),
            Claim::Depth => check_depths(&thoughts),
            Claim::Score => thoughts.iter().try_for_each(check_score),
            Claim::Counters => check_counters(&thoughts, margin),
            Claim::Speed => thoughts.iter().try_for_each(check_speed),
            Claim::Wdl => {
                let wdl = |thought: &Thought| thought.info.wdl;
                let is_wrong = |thought: &&Thought| {
                    wdl(thought).is_some_and(|wdl| {
                        wdl.iter().any(|&part| part > 1000) || wdl.iter().sum::<u64>() != 1000
                    })
                };
                if let Some(thought) = thoughts.iter().find(is_wrong) {
                    return Err(Fault::of("win, draw and loss are not 1000 in all", thought.text));
                }
                answer(
                    thoughts.iter().any(|thought| wdl(thought).is_some()),
                    "no win, draw and loss".to_owned(),
                )
            }
            Claim::Lines(count) => self.check_lines(&thoughts, *count, board()?.as_ref()),
            Claim::Order(count) => self.check_order(&thoughts, *count, board()?.as_ref()),
            Claim::Within(milliseconds) => {
                let most = Duration::from_millis(*milliseconds);
                let elapsed = self.elapsed.as_millis();
                answer(
                    self.elapsed <= most + margin,
                    format!(
                        "it took {elapsed} ms, allowed were {milliseconds} ms and a margin of {} ms",
                        margin.as_millis()
                    ),
                )
            }
            Claim::LeastTime(least) => answer(
                self.elapsed >= Duration::from_millis(*least),
                format!("it took {} ms, expected {least} ms or more", self.elapsed.as_millis()),
            ),
            Claim::LeastDepth(least) => {
                let deepest = thoughts.iter().filter(|thought| thought.info.is_exact());
                let deepest = deepest.filter_map(|thought| thought.info.depth).max();
                let found = deepest.map_or_else(|| "none".to_owned(), |depth| depth.to_string());
                answer(
                    deepest.is_some_and(|depth| depth >= i64::from(*least)),
                    format!("the deepest finished depth is {found}, expected {least} or more"),
                )
            }
            Claim::MostDepth(most) => {
                let deeper = |thought: &&Thought| {
                    !thought.info.pv.is_empty()
                        && thought.info.depth.is_some_and(|depth| depth > i64::from(*most))
                };
                thoughts.iter().find(deeper).map_or(Ok(()), |thought| {
                    Err(Fault::of(format!("deeper than the limit of {most}"), thought.text))
                })
            }
            Claim::MostNodes(most) => {
                let more = |thought: &&Thought| thought.info.nodes.is_some_and(|nodes| nodes > *most);
                thoughts.iter().find(more).map_or(Ok(()), |thought| {
                    Err(Fault::of(format!("more than the {most} nodes allowed"), thought.text))
                })
            }
            Claim::Not(moves) => {
                answer(!moves.contains(&self.best), format!("{} is a mistake", quote(&self.best)))
            }
            Claim::Mate(moves) => match last_score() {
                Some((_, UciScore::Mate(found))) if found == *moves => Ok(()),
                Some((thought, _)) => Err(Fault::of(format!("expected mate {moves}"), thought.text)),
                None => answer(false, format!("no score, expected mate {moves}")),
            },
            Claim::NoMate => match last_score() {
                Some((thought, UciScore::Mate(_))) => Err(Fault::of("there is no forced mate", thought.text)),
                _ => Ok(()),
            },
            Claim::ScoreAbove(limit) => match last_score() {
                Some((thought, score)) if centi(score) <= *limit => {
                    Err(Fault::of(format!("expected a score above {limit}"), thought.text))
                }
                _ => Ok(()),
            },
            Claim::ScoreBelow(limit) => match last_score() {
                Some((thought, score)) if centi(score) >= *limit => {
                    Err(Fault::of(format!("expected a score below {limit}"), thought.text))
                }
                _ => Ok(()),
            },
            // These need more than the answer.
            Claim::Best(_)
            | Claim::Same
            | Claim::Memory(_)
            | Claim::Pongs
            | Claim::Names
            | Claim::Options => Ok(()),
        }
    }

    /// Checks that the move is one of these.
    pub(super) fn check_best(&self, moves: &[String]) -> Result<(), Fault> {
        match moves.contains(&self.best) {
            true => Ok(()),
            false => Err(Fault::of(format!("expected {}", moves.join(" or ")), &self.text)),
        }
    }

    fn check_ponder(&self, board: &mut dyn Board) -> Result<(), Fault> {
        let words: Vec<_> = self.text.split_whitespace().skip(2).collect();
        let ponder = match words[..] {
            [] => return Ok(()),
            ["ponder", mv] => mv,
            _ => return Err(Fault::of("expected `bestmove <move>` or `… ponder <move>`", &self.text)),
        };
        let played = board.play(&self.best).and_then(|()| board.check_move(ponder));
        played.map_err(|error| Fault::of(format!("ponder {}: {error}", quote(ponder)), &self.text))
    }

    /// The last lines of each number, up to `count` or to the number of legal moves.
    fn last_lines<'a>(
        &self,
        thoughts: &'a [Thought<'a>],
        count: usize,
        board: &dyn Board,
    ) -> Result<Vec<&'a Thought<'a>>, Fault> {
        let expected = count.min(board.legal_moves().len());
        if let Some(thought) =
            thoughts.iter().find(|thought| !(1..=expected).contains(&thought.info.number()))
        {
            return Err(Fault::of(format!("expected lines 1 to {expected}"), thought.text));
        }
        let last_with = |number: usize| {
            thoughts.iter().rfind(|thought| thought.info.number() == number && thought.info.is_exact())
        };
        let lines: Option<Vec<_>> = (1..=expected).map(last_with).collect();
        let Some(lines) = lines else {
            return Err(Fault::of(format!("expected {}", counted(expected, "line")), &self.text));
        };
        Ok(lines)
    }

    /// Checks that there is a line for each number, with a move of its own.
    fn check_lines(&self, thoughts: &[Thought], count: usize, board: &dyn Board) -> Result<(), Fault> {
        let lines = self.last_lines(thoughts, count, board)?;
        for (index, line) in lines.iter().enumerate() {
            let is_same = |other: &&Thought| {
                other.info.depth == line.info.depth && other.info.pv.first() == line.info.pv.first()
            };
            if lines[..index].iter().any(is_same) {
                return Err(Fault::of("two lines begin with the same move", line.text));
            }
        }
        Ok(())
    }

    /// Checks that the best lines of a depth come first.
    fn check_order(&self, thoughts: &[Thought], count: usize, board: &dyn Board) -> Result<(), Fault> {
        let lines = self.last_lines(thoughts, count, board)?;
        for (pair, number) in lines.windows(2).zip(2..) {
            let [before, after] = [&pair[0].info, &pair[1].info];
            if let (Some(one), Some(two)) = (before.score, after.score)
                && before.depth == after.depth
                && centi(one) < centi(two)
            {
                let reason = format!("line {number} has a better score than the line before");
                return Err(Fault::of(reason, pair[1].text));
            }
        }
        Ok(())
    }
}

/// A score as a number that orders scores.
fn centi(score: UciScore) -> i32 {
    match score {
        UciScore::Centi(value) => value.clamp(-MAX_CENTI, MAX_CENTI),
        UciScore::Mate(moves) if moves > 0 => 2 * MAX_CENTI - moves.min(MAX_MATE),
        UciScore::Mate(moves) => -2 * MAX_CENTI - moves.max(-MAX_MATE),
    }
}

fn check_pv(thought: &Thought, board: &mut dyn Board, protocol: Protocol) -> Result<(), Fault> {
    if let Some(mv) = &thought.info.currmove
        && let Err(error) = board.check_move(mv)
    {
        return Err(Fault::of(format!("currmove: {error}"), thought.text));
    }
    for (mv, number) in thought.info.pv.iter().zip(1..) {
        let played = match protocol {
            Protocol::Uci => board.play(mv),
            Protocol::Xboard => board.play_san(mv).map(drop),
        };
        played.map_err(|error| Fault::of(format!("pv, move {number}: {error}"), thought.text))?;
    }
    Ok(())
}

fn check_depths(thoughts: &[Thought]) -> Result<(), Fault> {
    let mut deepest = Vec::<i64>::new();
    for thought in thoughts.iter().filter(|thought| thought.info.score.is_some()) {
        let Some(depth) = thought.info.depth else { continue };
        let number = thought.info.number().min(MAX_MATE as usize);
        deepest.resize(deepest.len().max(number + 1), 0);
        if depth < deepest[number] {
            return Err(Fault::of(format!("depth {depth} after {}", deepest[number]), thought.text));
        }
        // A position without moves has depth 0.
        if depth < 1 && !thought.info.pv.is_empty() {
            return Err(Fault::of("a line of depth 0", thought.text));
        }
        deepest[number] = depth;
    }
    Ok(())
}

fn check_score(thought: &Thought) -> Result<(), Fault> {
    let fault = |reason: &str| Err(Fault::of(reason, thought.text));
    match thought.info.score {
        Some(UciScore::Centi(value)) if value.abs() > MAX_CENTI => return fault("a score out of bounds"),
        Some(UciScore::Mate(0)) if !thought.info.pv.is_empty() => return fault("mate 0 with moves to play"),
        Some(UciScore::Mate(moves)) if moves.abs() > MAX_MATE => return fault("a mate out of bounds"),
        None if !thought.info.bounds.is_empty() => return fault("a bound without a score"),
        None if !thought.info.pv.is_empty() => return fault("a pv without a score"),
        _ => {}
    }
    if thought.info.bounds.len() > 1 { fault("more than one bound") } else { Ok(()) }
}

fn check_counters(thoughts: &[Thought], margin: Duration) -> Result<(), Fault> {
    let (mut nodes, mut time) = (0, 0);
    for Thought { text, info, arrived } in thoughts {
        let fault = |reason: String| Err(Fault::of(reason, text));
        match info.nodes {
            Some(found) if found < nodes => return fault(format!("{found} nodes after {nodes}")),
            found => nodes = found.unwrap_or(nodes),
        }
        match info.time {
            Some(found) if found < time => return fault(format!("time {found} after {time}")),
            found => time = found.unwrap_or(time),
        }
        let most = *arrived + margin;
        if Duration::from_millis(time) > most {
            return fault(format!("time {time}, but the search has taken {} ms", arrived.as_millis()));
        }
        if info.hashfull.is_some_and(|permille| permille > 1000) {
            return fault("hashfull above 1000".to_owned());
        }
    }
    Ok(())
}

fn check_speed(thought: &Thought) -> Result<(), Fault> {
    let InfoLine { nodes, nps, time, .. } = thought.info;
    let (Some(nodes), Some(nps), Some(time)) = (nodes, nps, time) else { return Ok(()) };
    let expected = nodes as f64 * 1000.0 / time.max(1) as f64;
    let is_near = (0.5..=2.0).contains(&(nps as f64 / expected.max(1.0)));
    match time < SPEED_TIME || is_near {
        true => Ok(()),
        false => Err(Fault::of(format!("nps {nps}, but nodes by time are {expected:.0}"), thought.text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_core::engine::registry;

    /// An answer in the start position of the default game, after these lines.
    fn answer(text: &str, thinking: &[&str]) -> Answer {
        let board = registry::board(registry::default_name()).unwrap();
        Answer {
            text: text.to_owned(),
            best: text.split_whitespace().nth(1).unwrap_or_default().to_owned(),
            is_result: false,
            line: Variation { fen: board.fen(), moves: Vec::new() },
            search_moves: Vec::new(),
            thinking: thinking.iter().map(|line| ((*line).to_owned(), Duration::from_secs(1))).collect(),
            elapsed: Duration::from_millis(70),
        }
    }

    /// The reason for which a claim does not hold.
    fn reason(answer: &Answer, claim: &str) -> Option<String> {
        let board = || Ok(registry::board(registry::default_name()).unwrap());
        let claim = claim.parse().unwrap();
        answer.check(&claim, Protocol::Uci, &board, Duration::from_millis(50)).err().map(|fault| fault.reason)
    }

    #[test]
    fn claims_hold_or_have_a_reason() {
        let mate = answer(
            "bestmove e2e4",
            &["info depth 3 score mate 2 nodes 9 pv e2e4", "info depth 4 currmove e2e4"],
        );
        let level = answer("bestmove e2e4", &["info depth 3 score cp -20 nodes 9 pv e2e4"]);
        for (answer, claims) in [
            (&mate, &["reports", "mate 2", "score above 500", "not d2d4", "least depth 3", "pv"][..]),
            (&level, &["no mate", "score above -30", "score below 0", "most nodes 9", "within 20", "depth"]),
        ] {
            for claim in claims {
                assert_eq!(reason(answer, claim), None, "{claim}");
            }
        }
        for (answer, claim, expected) in [
            (&mate, "mate 3", "expected mate 3"),
            (&mate, "no mate", "there is no forced mate"),
            (&mate, "score below 500", "expected a score below 500"),
            (&mate, "least depth 4", "the deepest finished depth is 3, expected 4 or more"),
            (&level, "mate 1", "expected mate 1"),
            (&level, "score above -20", "expected a score above -20"),
            (&level, "score below -20", "expected a score below -20"),
            (&level, "not e2e4 d2d4", "`e2e4` is a mistake"),
            (&level, "most nodes 8", "more than the 8 nodes allowed"),
            (&level, "within 19", "it took 70 ms, allowed were 19 ms and a margin of 50 ms"),
        ] {
            assert_eq!(reason(answer, claim).as_deref(), Some(expected), "{claim}");
        }
    }

    #[test]
    fn moves_are_judged_by_the_rules() {
        let board = registry::board(registry::default_name()).unwrap();
        let judged = |answer: &Answer| answer.judge(board.as_ref()).map_err(|fault| fault.reason);
        assert_eq!(judged(&answer("bestmove e2e4", &[])), Ok(()));
        assert!(judged(&answer("bestmove 0000", &[])).is_err() && judged(&answer("bestmove", &[])).is_err());
        let limited = Answer { search_moves: vec!["d2d4".to_owned()], ..answer("bestmove e2e4", &[]) };
        assert_eq!(judged(&limited), Err("`e2e4` is none of the `searchmoves`".to_owned()));
        assert!(limited.check_best(&["e2e4".to_owned()]).is_ok());
        assert!(limited.check_best(&["d2d4".to_owned()]).is_err());
    }
}
