//! What is known of an xboard engine by the lines that it is sent and says.

use std::time::Duration;

use super::Fault;
use super::answer::Answer;
use super::info::InfoLine;
use super::trial::{Search, Stop, Trial};
use crate::Variation;
use labrys_core::clock::Instant;
use labrys_protocol::xboard::{FEATURE_TIMEOUT, Features, STANDARD, read_thinking as read_info};

/// The wait for an engine that has no `ping`.
const PAUSE: Duration = Duration::from_millis(100);

/// The features that steps may need.
pub(super) fn has_feature(features: &Features, name: &str) -> bool {
    match name {
        "ping" => features.ping,
        "setboard" => features.setboard,
        "memory" => features.memory,
        "smp" => features.smp,
        "reuse" => features.reuse,
        "time" => features.time,
        _ => false,
    }
}

/// Shakes hands, sets options and begins a game in force mode.
pub(super) fn prepare(trial: &mut Trial) -> Result<(), Stop> {
    trial.send(&["xboard".to_owned(), "protover 2".to_owned()])?;
    let start = Instant::now();
    while trial.features.done != Some(true) {
        let timeout = trial.compliance.timeout;
        let timeout = if trial.features.done.is_some() { timeout } else { timeout.min(FEATURE_TIMEOUT) };
        let left = timeout.saturating_sub(start.elapsed());
        if trial.hear(left)?.is_none() && start.elapsed() >= timeout {
            if trial.features.done.is_none() {
                break;
            }
            return Err(Fault::new("no `feature done=1` after `done=0`").into());
        }
    }
    let mut lines = Vec::new();
    for (name, value) in &trial.compliance.options {
        let line = trial.features.option_line(name, value);
        lines.push(line.map_err(|error| Fault::new(error.to_string()))?);
    }
    lines.push("new".to_owned());
    let variant = trial.board.xboard_variant().unwrap_or(STANDARD);
    if variant != STANDARD {
        lines.push(format!("variant {variant}"));
    }
    lines.extend(["force", "easy", "post"].map(str::to_owned));
    trial.send(&lines)?;
    sync(trial)
}

/// Waits until the engine has read all lines, if it has `ping`.
pub(super) fn sync(trial: &mut Trial) -> Result<(), Stop> {
    if !trial.features.ping {
        trial.hear(PAUSE)?;
        return Ok(());
    }
    trial.pings += 1;
    let number = trial.pings.to_string();
    trial.send(&[format!("ping {number}")])?;
    let is_pong = |_: &Trial, line: &str| line.split_whitespace().eq(["pong", &number]);
    trial.until(&format!("`pong {number}`"), is_pong).map(drop)
}

/// A line as the engine takes it: moves of scripts stand behind `usermove`, as coordinates.
pub(super) fn translate(trial: &Trial, line: &str) -> String {
    let Some(mv) = line.strip_prefix("usermove ") else { return line.to_owned() };
    let san = || trial.board_of(&trial.line).ok()?.san(mv).ok();
    let text = if trial.features.san { san() } else { None };
    let text = text.as_deref().unwrap_or(mv);
    if trial.features.usermove { format!("usermove {text}") } else { text.to_owned() }
}

/// Learns from a line that was sent.
pub(super) fn sent(trial: &mut Trial, line: &str) {
    let (word, rest) = line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""));
    match word {
        "new" | "variant" => {
            if let Ok(board) = trial.board_of(&Variation::default()) {
                trial.line = Variation { fen: board.fen(), moves: Vec::new() };
            }
            trial.is_forced &= word == "variant";
        }
        "setboard" => {
            let line = Variation { fen: rest.to_owned(), moves: Vec::new() };
            if trial.board_of(&line).is_ok() {
                trial.line = line;
            }
        }
        "force" | "result" => {
            trial.is_forced = true;
            trial.crossing = trial.searches.pop_back().map(|search| (search.line, Instant::now()));
            trial.searches.clear();
        }
        "go" => {
            (trial.is_forced, trial.crossing) = (false, None);
            search(trial);
        }
        "undo" | "remove" => {
            let plies = if word == "undo" { 1 } else { 2 };
            let left = trial.line.moves.len().saturating_sub(plies);
            trial.line.moves.truncate(left);
        }
        "ping" => trial.open_pings.push(rest.to_owned()),
        "quit" => trial.is_ending = true,
        "usermove" => play(trial, rest),
        word if !trial.features.usermove => play(trial, word),
        _ => {}
    }
}

/// Plays a move on the board of the step; the engine answers it except in force mode.
fn play(trial: &mut Trial, text: &str) {
    let played = trial.board_of(&trial.line).ok().and_then(|mut board| board.play_san(text).ok());
    if let Some(mv) = played {
        trial.line.moves.push(mv);
        if !trial.is_forced {
            search(trial);
        }
    }
}

fn search(trial: &mut Trial) {
    let start = Instant::now();
    trial.searches.push_back(Search {
        line: trial.line.clone(),
        start,
        due: start,
        is_held: false,
        search_moves: Vec::new(),
        thinking: Vec::new(),
    });
}

/// Learns from a line that was heard.
pub(super) fn heard(trial: &mut Trial, line: &str, arrived: Instant) -> Result<(), Fault> {
    if let Some(names) = trial.features.read(line) {
        let lines: Vec<_> = names.iter().map(|name| format!("accepted {name}")).collect();
        // An engine that has ended is noticed by its output.
        let _ = trial.pipe.send(&lines.join("\n"));
        return Ok(());
    }
    if read_thinking(line).is_some() {
        trial.keep(line, arrived);
        return Ok(());
    }
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return Ok(()) };
    if first == "pong" {
        let number = words.next().unwrap_or_default();
        match trial.open_pings.iter().position(|open| open == number) {
            Some(index) => drop(trial.open_pings.remove(index)),
            None => trial.surplus_pong = Some(line.to_owned()),
        }
        // It has read `force`.
        trial.crossing = None;
        return Ok(());
    }
    let is_number = first.strip_suffix('.').is_some_and(|number| number.parse::<u32>().is_ok());
    let mv = match first {
        // Whatever is behind `move` is one.
        "move" => Some(line.trim_start().strip_prefix("move").unwrap_or_default().trim()),
        _ if is_number && words.next() == Some("...") => words.next(),
        _ => None,
    };
    let is_result = ["resign", "1-0", "0-1", "1/2-1/2"].contains(&first);
    if mv.is_none() && !is_result {
        return Ok(());
    }
    let Some(search) = trial.searches.pop_front() else {
        let Some(mv) = mv else { return Ok(()) };
        // A move may cross `force`.
        let is_on_the_way = |(_, end): &(Variation, Instant)| {
            arrived.saturating_duration_since(*end) <= trial.compliance.margin
        };
        let Some((crossing, _)) = trial.crossing.take().filter(is_on_the_way) else {
            return Err(Fault::of("a move that nobody asked for", line));
        };
        if let Some(own) = trial.board_of(&crossing).ok().and_then(|mut board| board.play_san(mv).ok()) {
            trial.line.moves.insert(crossing.moves.len().min(trial.line.moves.len()), own);
        }
        return Ok(());
    };
    let Search { line: position, thinking, start, .. } = search;
    let board = trial.board_of(&position);
    // In the notation of the core, if it is legal.
    let best = mv.unwrap_or_default();
    let own = board.ok().and_then(|mut board| board.play_san(best).ok());
    let own = own.filter(|own| is_written_well(best, own));
    if let Some(own) = &own {
        trial.line.moves.push(own.clone());
    }
    trial.answers.push_back(Answer {
        text: line.to_owned(),
        best: own.unwrap_or_else(|| best.to_owned()),
        is_result,
        line: position,
        search_moves: Vec::new(),
        thinking,
        elapsed: arrived.saturating_duration_since(start),
    });
    Ok(())
}

/// Whether a move is in coordinates as the protocol has them, or in the notation of books.
fn is_written_well(text: &str, own: &str) -> bool {
    let is_castling = text.starts_with("O-O");
    text == own
        || !(text.eq_ignore_ascii_case(own)
            || text.contains(char::is_whitespace)
            || (text.contains('-') && !is_castling))
}

/// Reads a line of thinking output.
pub(super) fn read_thinking(line: &str) -> Option<InfoLine> {
    let info = read_info(line)?;
    Some(InfoLine {
        depth: info.depth.map(i64::from),
        score: info.score,
        nodes: info.nodes,
        pv: info.pv,
        ..InfoLine::default()
    })
}
