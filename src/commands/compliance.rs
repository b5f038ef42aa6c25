//! `labrys compliance`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};

use crate::arena::compliance::{Compliance, Games, Protocol, Report, Step, StepResult, steps};
use crate::arena::{EngineKind, EngineSetup, Rules};
use crate::commands::shared::suggest;
use crate::commands::shared::values::duration;
use crate::engine::registry;
use crate::game::quote;
use crate::protocol::engine_log::EngineLog;
use crate::protocol::process::Launch;
use crate::protocol::transport::Transport;

/// Checks an engine step by step, each on a process of its own. Fails if a required step does.
#[derive(Debug, clap::Args)]
pub(super) struct ComplianceArguments {
    /// The engine: a program and its arguments
    #[arg(
        value_name = "CMD",
        required_unless_present = "list",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    command: Vec<String>,
    /// The engine speaks the xboard protocol instead of UCI
    #[arg(long)]
    xboard: bool,
    /// Check this game only [default: all that the engine announces]
    #[arg(long, value_parser = suggest::game())]
    variant: Option<String>,
    /// Carry out these steps only; `*` stands for any letters; may be given several times
    #[arg(long, value_name = "ID")]
    only: Vec<String>,
    /// Seconds to wait for an answer
    #[arg(long, value_name = "S", default_value = "10", value_parser = duration)]
    timeout: Duration,
    /// Seconds by which an answer may be late
    #[arg(long, value_name = "S", default_value = "0.25", value_parser = duration)]
    margin: Duration,
    /// Set an option of the engine before each step; may be given several times
    #[arg(long, value_name = "NAME=VALUE", hide_possible_values = true, value_parser = suggest::option())]
    option: Vec<(String, String)>,
    /// Print the results as JSON
    #[arg(long, conflicts_with = "tap")]
    json: bool,
    /// Print the results in the format of the Test Anything Protocol
    #[arg(long)]
    tap: bool,
    /// Print the steps as a table in Markdown, and check nothing
    #[arg(long, conflicts_with_all = ["json", "tap"])]
    list: bool,
}

pub(super) fn run(arguments: &ComplianceArguments) -> anyhow::Result<()> {
    let protocol = if arguments.xboard { Protocol::Xboard } else { Protocol::Uci };
    let chosen = arguments.steps(protocol)?;
    let Some((program, words)) = arguments.command.split_first().filter(|_| !arguments.list) else {
        return list(&chosen);
    };
    let launch = Launch { program: PathBuf::from(program), arguments: words.to_vec(), ..Launch::default() };
    let transport = Transport::Process(launch);
    let control = crate::commands::shared::interruptible()?;
    let compliance = Compliance {
        transport: transport.clone(),
        protocol,
        options: arguments.option.clone(),
        timeout: arguments.timeout,
        margin: arguments.margin,
    };
    let kind = match protocol {
        Protocol::Uci => EngineKind::Uci(transport),
        Protocol::Xboard => EngineKind::Xboard(transport),
    };
    let games = arguments.games(kind, &control)?;
    let games: Vec<_> = games.iter().map(|game| Rules::new(game, None)).collect::<Result<_, _>>()?;
    for rules in &games {
        if arguments.xboard && rules.board()?.xboard_variant().is_none() {
            bail!("--variant {}: the xboard protocol has no name for this game", rules.variant);
        }
    }

    let (mut out, mut written, mut number) = (io::stdout(), Ok(()), 0);
    let mut each = |result: &StepResult| {
        number += 1;
        if written.is_ok() && !arguments.json {
            let text = if arguments.tap { result.to_tap(number) } else { result.to_text() };
            written = writeln!(out, "{text}");
        }
        // Nobody reads the rest.
        if written.is_err() {
            control.stop();
        }
    };
    if arguments.tap {
        writeln!(io::stdout(), "TAP version 14")?;
    }
    let report = compliance.run(&games, &chosen, &control, &mut each)?;
    written?;
    finish(arguments, &report)
}

/// Prints what comes after the steps.
fn finish(arguments: &ComplianceArguments, report: &Report) -> anyhow::Result<()> {
    let mut out = io::stdout();
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string_pretty(report)?)?;
    } else if arguments.tap {
        if !report.is_complete {
            writeln!(out, "Bail out! interrupted")?;
        }
        writeln!(out, "1..{}\n# {}", report.results.len(), report.summary())?;
    } else {
        writeln!(out, "{}", report.summary())?;
    }
    match report.failures() {
        _ if report.is_complete && report.results.is_empty() => bail!("no step for this game"),
        _ if !report.is_complete => bail!("interrupted after {}", report.summary()),
        0 => Ok(()),
        failures => bail!("{failures} of the required steps failed"),
    }
}

impl ComplianceArguments {
    /// The steps of the protocol that `--only` chooses; with `--list` those of both protocols.
    fn steps(&self, protocol: Protocol) -> anyhow::Result<Vec<&'static Step>> {
        let of_protocol: Vec<_> = steps().filter(|step| self.list || step.protocol == protocol).collect();
        for glob in &self.only {
            if !of_protocol.iter().any(|step| matches(glob, step.id)) {
                bail!("--only {}: no step of this name, `--list` prints them", quote(glob));
            }
        }
        let is_chosen =
            |step: &&Step| self.only.is_empty() || self.only.iter().any(|glob| matches(glob, step.id));
        Ok(of_protocol.into_iter().filter(is_chosen).collect())
    }

    /// The games to check. An engine that does not tell plays the default game.
    fn games(&self, kind: EngineKind, control: &crate::search::Control) -> anyhow::Result<Vec<String>> {
        let default = || vec![self.variant.clone().unwrap_or_else(|| registry::default_name().to_owned())];
        // Before the engine is started.
        self.variant.as_deref().map(|name| Rules::new(name, None)).transpose()?;
        let options = self.option.clone();
        let setup = EngineSetup { kind, options, timeout: self.timeout, restart: false, ponders: false };
        match setup.announced_games(&EngineLog::default(), control) {
            // One that announces the default game alone may know nothing of announcing.
            Ok(games) if games.is_empty() || games == [registry::default_name()] => Ok(default()),
            Ok(games) => match self.variant.as_deref() {
                Some(game) if !games.contains(&game) => bail!(
                    "{} does not announce {}, but {}",
                    self.command.join(" "),
                    quote(game),
                    games.join(", ")
                ),
                Some(game) => Ok(vec![game.to_owned()]),
                None => Ok(games.into_iter().map(str::to_owned).collect()),
            },
            Err(error) if error.is_launch() || error.is_option() => {
                Err(error).context(self.command.join(" "))
            }
            // The steps tell what is wrong.
            Err(_) => Ok(default()),
        }
    }
}

/// Whether a text matches a pattern, in which `*` stands for any letters.
fn matches(glob: &str, text: &str) -> bool {
    match glob.split_once('*') {
        None => glob == text,
        Some((before, after)) => text.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices()
                .map(|(start, _)| start)
                .chain([rest.len()])
                .any(|start| matches(after, &rest[start..]))
        }),
    }
}

/// Prints steps as a table in Markdown.
fn list(chosen: &[&Step]) -> anyhow::Result<()> {
    let mut out = io::stdout();
    writeln!(out, "| step | games | sends | expects | why |\n|---|---|---|---|---|")?;
    for step in chosen {
        let mut games = match step.games {
            Games::Every => "every".to_owned(),
            Games::Once => "one".to_owned(),
            Games::Only(game) => game.to_owned(),
        };
        if !step.needs.is_empty() {
            games += &format!(", with {}", step.needs.join(", "));
        }
        let sends: Vec<_> = step.sends().iter().map(|line| format!("`{}`", line.trim_end())).collect();
        let cells =
            [&format!("`{}`, {}", step.id, step.level), &games, &sends.join("<br>"), step.expects, step.why];
        let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names_of_steps() {
        for (glob, text) in [("a/b", "a/b"), ("a/*", "a/b"), ("*", ""), ("*/b*", "a/bc"), ("a*c*e", "abcde")]
        {
            assert!(matches(glob, text), "{glob} {text}");
        }
        for (glob, text) in [("a", "a/b"), ("a/*", "b/a/b"), ("*b", "a/bc"), ("", "a"), ("a*c*e", "abced")] {
            assert!(!matches(glob, text), "{glob} {text}");
        }
    }
}
