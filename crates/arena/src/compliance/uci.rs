//! What is known of a UCI engine by the lines that it is sent and says.

use super::Fault;
use super::answer::Answer;
use super::trial::{Search, Stop, Trial};
use crate::Variation;
use labrys_core::clock::Instant;
use labrys_core::game::quote;
use labrys_protocol::client::EngineOption;
use labrys_protocol::{Command, VARIANT, parse};

/// How often `uci` and `isready` wait for their answers.
#[derive(Debug, Default)]
pub(super) struct Handshakes([u32; 2]);

impl Handshakes {
    const WORDS: [[&'static str; 2]; 2] = [["uci", "uciok"], ["isready", "readyok"]];

    fn sent(&mut self, line: &str) {
        for (count, [asks, _]) in self.0.iter_mut().zip(Self::WORDS) {
            *count +=
                u32::from(line.split_whitespace().any(|word| word.trim_start_matches('\u{feff}') == asks));
        }
    }

    fn heard(&mut self, line: &str) -> Result<(), Fault> {
        for (count, [_, answers]) in self.0.iter_mut().zip(Self::WORDS) {
            if line == answers {
                let surplus = || Fault::of(format!("a `{answers}` that nobody asked for"), line);
                *count = count.checked_sub(1).ok_or_else(surplus)?;
            }
        }
        Ok(())
    }
}

/// Shakes hands, selects the game and sets options.
pub(super) fn prepare(trial: &mut Trial) -> Result<(), Stop> {
    trial.send(&["uci".to_owned()])?;
    trial.until("`uciok`", |_, line| line.trim() == "uciok")?;
    let option = |name: &str| trial.options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
    let game = &trial.positions.rules().variant;
    let mut lines = Vec::new();
    let knows = |words: &[String]| words.iter().any(|word| word.eq_ignore_ascii_case(game));
    if let Some(EngineOption { name, .. }) = option(VARIANT).filter(|option| knows(&option.words)) {
        lines.push(format!("setoption name {name} value {game}"));
    }
    for (name, value) in &trial.compliance.options {
        let name = option(name).map_or(name, |option| &option.name);
        lines.push(match value.as_str() {
            "" => format!("setoption name {name}"),
            value => format!("setoption name {name} value {value}"),
        });
    }
    trial.send(&lines)?;
    trial.sync()
}

/// Learns from a line that was sent.
pub(super) fn sent(trial: &mut Trial, line: &str) {
    trial.handshakes.sent(line);
    match parse(line) {
        Ok(Some(Command::Position { fen, moves })) => {
            let Ok(start) = trial.board_of(&Variation::default()) else { return };
            let line = Variation { fen: fen.unwrap_or_else(|| start.fen()), moves };
            // An engine keeps its position where it refuses one.
            if trial.board_of(&line).is_ok() {
                trial.line = line;
            }
        }
        Ok(Some(Command::Go(go))) => {
            let start = Instant::now();
            trial.searches.push_back(Search {
                line: trial.line.clone(),
                start,
                due: start,
                is_held: go.limits.infinite || go.ponder || go.limits.is_endless(),
                search_moves: go.search_moves,
                thinking: Vec::new(),
            });
        }
        Ok(Some(Command::Stop | Command::PonderHit)) => {
            let now = Instant::now();
            for search in trial.searches.iter_mut().filter(|search| search.is_held) {
                (search.is_held, search.due) = (false, now);
            }
        }
        Ok(Some(Command::SetOption { name, value })) => {
            let own = trial.board_of(&Variation::default());
            if own.is_ok_and(|mut board| board.set_option(&name, &value).is_ok()) {
                trial.own_option = Some((name, value));
            }
        }
        Ok(Some(Command::Quit)) => trial.is_ending = true,
        _ => {}
    }
}

/// Learns from a line that was heard.
pub(super) fn heard(trial: &mut Trial, line: &str, arrived: Instant) -> Result<(), Fault> {
    let line = &line.split_whitespace().collect::<Vec<_>>().join(" ");
    trial.handshakes.heard(line)?;
    let mut words = line.split_whitespace();
    match words.next() {
        Some("id") => trial.names.push(line.clone()),
        Some("option") => {
            trial.option_lines.push(line.clone());
            if let Some(text) = line.strip_prefix("option name ") {
                trial.options.push(EngineOption::read(text));
            }
        }
        Some("info") => trial.keep(line, arrived),
        Some("bestmove") => {
            let Some(search) = trial.searches.pop_front() else {
                return Err(Fault::of("a move that nobody asked for", line));
            };
            // A search without a legal move may be answered at once.
            let has_moves = trial.board_of(&search.line).is_ok_and(|board| !board.legal_moves().is_empty());
            if search.is_held && has_moves {
                return Err(Fault::of("an answer before `stop` or `ponderhit`", line));
            }
            let best = words.next().unwrap_or_default().to_owned();
            let Search { line: position, search_moves, thinking, due, .. } = search;
            trial.answers.push_back(Answer {
                text: line.to_owned(),
                best,
                is_result: false,
                line: position,
                search_moves,
                thinking,
                elapsed: arrived.saturating_duration_since(due),
            });
        }
        _ => {}
    }
    Ok(())
}

/// Whether there is an option that a step needs, by its name, or by its name and a number up to its maximum.
pub(super) fn has_option(lines: &[String], need: &str) -> bool {
    let with_number = need.rsplit_once(' ').and_then(|(name, number)| Some((name, number.parse().ok()?)));
    let (name, number) = with_number.unwrap_or((need, i128::MIN));
    lines.iter().filter_map(|line| line.strip_prefix("option name ")).any(|text| {
        let max = text.split_once(" max ").and_then(|(_, max)| max.split(' ').next()?.parse::<i128>().ok());
        EngineOption::read(text).name.eq_ignore_ascii_case(name) && max.is_none_or(|max| number <= max)
    })
}

/// Checks that there is a name and an author.
pub(super) fn check_names(trial: &Trial) -> Result<(), Fault> {
    let has = |word: &str| trial.names.iter().any(|line| line.starts_with(&format!("{word} ")));
    match ["id name", "id author"].into_iter().find(|word| !has(word)) {
        Some(missing) => Err(Fault::new(format!("no {} with a text", quote(missing)))),
        None => Ok(()),
    }
}

/// Checks the lines `option …`.
pub(super) fn check_options(trial: &Trial) -> Result<(), Fault> {
    trial.option_lines.iter().enumerate().try_for_each(|(index, line)| {
        check_option(line, &trial.option_lines[..index]).map_err(|reason| Fault::of(reason, line))
    })
}

/// Checks such a line. The error says what is wrong.
fn check_option(line: &str, earlier: &[String]) -> Result<(), String> {
    let text = line.strip_prefix("option name ").ok_or("expected `option name …`")?;
    let (name, rest) = text.split_once(" type ").ok_or("no type")?;
    let begins_so = |line: &String| {
        let known = line.strip_prefix("option name ").and_then(|text| text.split_once(" type "));
        known.is_some_and(|(known, _)| known.eq_ignore_ascii_case(name))
    };
    if earlier.iter().any(begins_so) {
        return Err(format!("a second option {}", quote(name)));
    }
    let words: Vec<_> = rest.split_whitespace().collect();
    let after = |word: &str| {
        let index = words.iter().position(|&other| other == word)?;
        words.get(index + 1).copied()
    };
    let number = |word: &str| {
        let text = after(word).ok_or_else(|| format!("no {word}"))?;
        // Engines have limits of any width.
        text.parse::<i128>().map_err(|_| format!("{word} {}: expected a whole number", quote(text)))
    };
    match words.first().copied() {
        Some("check") => match after("default") {
            Some("true" | "false") => Ok(()),
            _ => Err("expected `default true` or `default false`".to_owned()),
        },
        Some("spin") => {
            let (default, min, max) = (number("default")?, number("min")?, number("max")?);
            let is_inside = min <= default && default <= max;
            if is_inside { Ok(()) } else { Err("the default is out of range".to_owned()) }
        }
        Some("combo") => {
            let values = EngineOption::read(text).words;
            let default = rest.split_once(" default ").map(|(_, text)| text.split(" var ").next());
            let default = default.flatten().ok_or("no default")?.trim();
            let is_listed = values.iter().any(|value| value == default);
            if is_listed { Ok(()) } else { Err(format!("the default {} is no `var`", quote(default))) }
        }
        Some("button") => Ok(()),
        Some("string") if words.contains(&"default") => Ok(()),
        Some("string") => Err("no default".to_owned()),
        kind => Err(format!("unknown type {}", quote(kind.unwrap_or_default()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_needed_by_name_and_range() {
        let lines = ["option name MultiPV type spin default 1 min 1 max 3".to_owned()];
        for (need, has) in [("multipv", true), ("MultiPV 3", true), ("MultiPV 4", false), ("Ponder", false)] {
            assert_eq!(has_option(&lines, need), has, "{need}");
        }
    }

    #[test]
    fn options_are_checked() {
        for line in [
            "option name A B type spin default 1 min 1 max 9",
            "option name A type spin default 2 min 0 max 18446744073709551615",
            "option name C type check default false",
            "option name D type combo default one two var one two var three",
            "option name E type button",
            "option name F type string default <empty>",
        ] {
            assert_eq!(check_option(line, &[]), Ok(()), "{line}");
        }
        for (line, error) in [
            ("option name A type spin default 0 min 1 max 9", "the default is out of range"),
            ("option name A type spin default x min 1 max 9", "default `x`: expected a whole number"),
            ("option name A type spin default 1 min 1", "no max"),
            ("option name A type check default off", "expected `default true` or `default false`"),
            ("option name A type combo default x var y", "the default `x` is no `var`"),
            ("option name A type number default 1", "unknown type `number`"),
            ("option name A", "no type"),
            ("option A", "expected `option name …`"),
        ] {
            assert_eq!(check_option(line, &[]), Err(error.to_owned()), "{line}");
        }
        let line = "option name A type button";
        assert!(check_option(line, &["option name a type button".to_owned()]).is_err());
    }
}
