//! The little language of the steps: what is sent, what has to come back, and what has to hold for it.
//!
//! A script has a line for each action. White space before it does not count:
//!
//! - `? …` waits for an answer: see [`Wait`];
//! - `! …` checks the answer that came last: see [`Claim`];
//! - `repeat <n>` and `end` stand around actions that are done n times;
//! - `eof` ends the input;
//! - any other line is sent. Lines without a `?` between them are sent in one piece, as a fast GUI does.
//!
//! Lines may contain `{…}`, which stand for positions and moves of the game: see [`super::positions`].

use std::str::FromStr;

use labrys_core::game::quote;

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    /// Sends a line.
    Send(String),
    /// Waits for an answer.
    Wait(Wait),
    /// Checks the last answer.
    Check(Claim),
    /// Does these this many times.
    Repeat(usize, Vec<Action>),
}

/// An answer that has to come.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wait {
    /// `? <text>` or `? <text>|<text>`: a line that begins with one of these.
    Line(Vec<String>),
    /// `? within <ms> <text>`: this line, no later than that, but for the margin of the check.
    Soon(u64, String),
    /// `? move`: the answer to the oldest search without one, a legal move, or none where there is none.
    Move,
    /// `? any move`: the same, but whatever the move is.
    AnyMove,
    /// `? moves`: one answer or more, at most as many as there were searches, no later than the margin of the
    /// check after the first one. For what is not specified.
    Moves,
    /// `? quiet <ms>`: no answer for this long.
    Quiet(u64),
    /// `? exit`: the engine ends, and not by a crash.
    Exit,
    /// `? success`: the engine ends, with the exit status 0.
    Success,
}

/// What has to hold for the last answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Claim {
    /// `! reports`: a depth, a score and a line came before it.
    Reports,
    /// `! no reports`: no line of a search came before it.
    NoReports,
    /// `! words`: the words of every `info` have values of their kinds.
    Words,
    /// `! known words`: every `info` has words of UCI alone.
    KnownWords,
    /// `! pv`: the lines are legal moves, one after the other.
    Pv,
    /// `! best of pv`: the move is the first of the last line.
    BestOfPv,
    /// `! ponder`: behind the move, there is nothing or `ponder` and a legal answer.
    Ponder,
    /// `! depth`: depths do not fall, and start at 1 or above.
    Depth,
    /// `! score`: scores are in bounds; a bound is one of the two.
    Score,
    /// `! counters`: nodes and times do not fall, times are not ahead of the clock, `hashfull` is permille.
    Counters,
    /// `! speed`: `nps` is nodes by time.
    Speed,
    /// `! wdl`: win, draw and loss are reported, and are 1000 in all.
    Wdl,
    /// `! lines <n>`: the last depth has as many lines, with different moves.
    Lines(usize),
    /// `! order <n>`: the same, and lines of one depth are in the order of their scores.
    Order(usize),
    /// `! within <ms>`: it took no longer, but for the margin of the check, from `go` on, or from the `stop` or
    /// `ponderhit` that it waited for.
    Within(u64),
    /// `! least time <ms>`: it took at least this long, from `go` on.
    LeastTime(u64),
    /// `! least depth <n>`: a line of this depth at least was finished.
    LeastDepth(u32),
    /// `! most depth <n>`: no line was deeper.
    MostDepth(u32),
    /// `! most nodes <n>`: no more nodes were reported.
    MostNodes(u64),
    /// `! best <move> …`: it is one of these.
    Best(Vec<String>),
    /// `! not <move> …`: it is none of these.
    Not(Vec<String>),
    /// `! mate <n>`: the last score is a mate in n.
    Mate(i32),
    /// `! no mate`: the last score is no mate.
    NoMate,
    /// `! score above <cp>`: the last score is better.
    ScoreAbove(i32),
    /// `! score below <cp>`: the last score is worse.
    ScoreBelow(i32),
    /// `! same`: it is the move of the answer before.
    Same,
    /// `! memory <MiB>`: the memory of the process has grown by no more since the first such check.
    Memory(u64),
    /// `! pongs`: no `ping` has had two answers (xboard).
    Pongs,
    /// `! names`: the engine has told its name and its author.
    Names,
    /// `! options`: the options that were announced have types, and defaults in their ranges.
    Options,
}

impl FromStr for Wait {
    type Err = String;

    fn from_str(text: &str) -> Result<Wait, String> {
        Ok(match text.split_whitespace().collect::<Vec<_>>()[..] {
            ["move"] => Wait::Move,
            ["any", "move"] => Wait::AnyMove,
            ["moves"] => Wait::Moves,
            ["exit"] => Wait::Exit,
            ["success"] => Wait::Success,
            ["quiet", time] => Wait::Quiet(number(time)?),
            ["within", time, ref words @ ..] => Wait::Soon(number(time)?, words.join(" ")),
            [] => return Err("`?` without a word".to_owned()),
            _ => Wait::Line(text.split('|').map(str::to_owned).collect()),
        })
    }
}

impl FromStr for Claim {
    type Err = String;

    fn from_str(text: &str) -> Result<Claim, String> {
        let words = |moves: &[&str]| moves.iter().map(|&mv| mv.to_owned()).collect();
        Ok(match text.split_whitespace().collect::<Vec<_>>()[..] {
            ["reports"] => Claim::Reports,
            ["no", "reports"] => Claim::NoReports,
            ["words"] => Claim::Words,
            ["known", "words"] => Claim::KnownWords,
            ["pv"] => Claim::Pv,
            ["best", "of", "pv"] => Claim::BestOfPv,
            ["ponder"] => Claim::Ponder,
            ["depth"] => Claim::Depth,
            ["score"] => Claim::Score,
            ["counters"] => Claim::Counters,
            ["speed"] => Claim::Speed,
            ["wdl"] => Claim::Wdl,
            ["same"] => Claim::Same,
            ["pongs"] => Claim::Pongs,
            ["names"] => Claim::Names,
            ["options"] => Claim::Options,
            ["no", "mate"] => Claim::NoMate,
            ["order", count] => Claim::Order(number(count)?),
            ["lines", count] => Claim::Lines(number(count)?),
            ["within", time] => Claim::Within(number(time)?),
            ["least", "time", time] => Claim::LeastTime(number(time)?),
            ["least", "depth", depth] => Claim::LeastDepth(number(depth)?),
            ["most", "depth", depth] => Claim::MostDepth(number(depth)?),
            ["most", "nodes", nodes] => Claim::MostNodes(number(nodes)?),
            ["mate", moves] => Claim::Mate(number(moves)?),
            ["score", "above", score] => Claim::ScoreAbove(number(score)?),
            ["score", "below", score] => Claim::ScoreBelow(number(score)?),
            ["memory", size] => Claim::Memory(number(size)?),
            ["best", ref moves @ ..] if !moves.is_empty() => Claim::Best(words(moves)),
            ["not", ref moves @ ..] if !moves.is_empty() => Claim::Not(words(moves)),
            _ => return Err(format!("unknown claim {}", quote(text))),
        })
    }
}

fn number<T: FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("{}: expected a number", quote(word)))
}

/// Reads a script.
pub(super) fn parse(script: &str) -> Result<Vec<Action>, String> {
    let mut lines = script.lines().map(str::trim_start).filter(|line| !line.is_empty());
    parse_block(&mut lines, false)
}

/// Reads actions up to the end of the script, or of a loop.
fn parse_block<'a>(lines: &mut impl Iterator<Item = &'a str>, is_loop: bool) -> Result<Vec<Action>, String> {
    let mut actions = Vec::new();
    while let Some(line) = lines.next() {
        actions.push(match line.split_once(' ') {
            Some(("?", text)) => Action::Wait(text.parse()?),
            Some(("!", text)) => Action::Check(text.parse()?),
            Some(("repeat", count)) => Action::Repeat(number(count)?, parse_block(lines, true)?),
            None if line == "end" && is_loop => return Ok(actions),
            _ => Action::Send(line.to_owned()),
        });
    }
    if is_loop { Err("`repeat` without `end`".to_owned()) } else { Ok(actions) }
}

/// The lines that a script sends, with loops as `… (n times)`.
pub(super) fn sent(actions: &[Action]) -> Vec<String> {
    let lines = actions.iter().flat_map(|action| match action {
        Action::Send(line) => vec![line.clone()],
        Action::Repeat(count, inner) => vec![format!("{} ({count} times)", sent(inner).join(", "))],
        Action::Wait(_) | Action::Check(_) => Vec::new(),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read() {
        let actions = parse(
            "position startpos
             go infinite
             ? quiet 100
             stop
             ? move
             ! best e2e4 d2d4
             repeat 2
               isready
               ? readyok
             end",
        )
        .unwrap();
        let send = |line: &str| Action::Send(line.to_owned());
        let expected = [
            send("position startpos"),
            send("go infinite"),
            Action::Wait(Wait::Quiet(100)),
            send("stop"),
            Action::Wait(Wait::Move),
            Action::Check(Claim::Best(vec!["e2e4".into(), "d2d4".into()])),
            Action::Repeat(2, vec![send("isready"), Action::Wait(Wait::Line(vec!["readyok".into()]))]),
        ];
        assert_eq!(actions, expected);
        assert_eq!(sent(&actions), ["position startpos", "go infinite", "stop", "isready (2 times)"]);
        assert_eq!(parse("! bset e2e4"), Err("unknown claim `bset e2e4`".to_owned()));
        assert_eq!(parse("repeat 2\nd"), Err("`repeat` without `end`".to_owned()));
        assert_eq!(parse("? quiet soon"), Err("`soon`: expected a number".to_owned()));
    }
}
