//! Shared code of commands.

pub(in crate::commands) mod checksum;
pub(in crate::commands) mod config;
pub(in crate::commands) mod engines;
pub(in crate::commands) mod errors;
pub(in crate::commands) mod made_by;
pub(in crate::commands) mod outputs;
pub(in crate::commands) mod play;
pub(in crate::commands) mod progress;
pub(in crate::commands) mod records;
pub(in crate::commands) mod steps;
pub(in crate::commands) mod suggest;
pub(in crate::commands) mod typed;
pub(in crate::commands) mod values;
pub(in crate::commands) mod version;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde::Serialize;

use crate::arena::pgn::file::{PgnFile, PgnFileError};
use crate::arena::{Rules, RulesError};
use crate::commands::shared::values::{duration, whole};
use crate::engine::{Board, Engine, OptionError, PositionError, SideEffect, WeightsSource, registry};
use crate::eval::WeightsError;
use crate::files::{Claim, is_same_file};
use crate::game::quote_path;
use crate::search::{Control, Limits};

/// Size of the transposition table for short searches, as in self-play, in MiB.
pub(in crate::commands) const SMALL_HASH: &str = "1";

/// The game and its own option.
#[derive(Debug, clap::Args, Serialize)]
pub(in crate::commands) struct RulesArguments {
    /// The game
    #[arg(long, default_value_t = registry::default_name().to_owned(), value_parser = suggest::game())]
    pub(in crate::commands) variant: String,
    /// Set the game's own option, for all engines
    #[arg(long, value_name = "NAME=VALUE", hide_possible_values = true, value_parser = suggest::own_option())]
    pub(in crate::commands) option: Option<(String, String)>,
}

impl RulesArguments {
    pub(in crate::commands) fn rules(&self) -> Result<Rules, RulesError> {
        Rules::new(&self.variant, self.option.clone())
    }
}

/// A game and a position of it.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct PositionArguments {
    /// The game
    #[arg(long, default_value_t = registry::default_name().to_owned(), value_parser = suggest::game())]
    pub(in crate::commands) variant: String,
    /// The position in FEN [default: the start position]
    #[arg(long)]
    pub(in crate::commands) fen: Option<String>,
}

impl PositionArguments {
    /// Sets up the position, and plays the values of `--moves`.
    pub(in crate::commands) fn set_up(&self, board: &mut dyn Board, moves: &[String]) -> anyhow::Result<()> {
        board.set_up(self.fen.as_deref(), moves).map_err(|error| {
            let argument = if matches!(error, PositionError::Fen { .. }) { "--fen" } else { "--moves" };
            anyhow::Error::new(error).context(argument)
        })
    }
}

/// The limits of each search, at least one of them.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
pub(in crate::commands) struct LimitArguments {
    /// Seconds for each search
    #[arg(long, value_name = "S", value_parser = duration)]
    movetime: Option<Duration>,
    /// Nodes for each search
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    nodes: Option<u64>,
    /// Plies for each search
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=128))]
    depth: Option<u32>,
}

impl LimitArguments {
    pub(in crate::commands) fn limits(&self) -> Limits {
        let LimitArguments { movetime, nodes, depth } = *self;
        Limits { movetime, nodes, depth, ..Limits::none() }
    }
}

/// The requested number of threads, or the number of cores.
pub(in crate::commands) fn threads(asked: Option<impl Into<usize>>) -> usize {
    asked.map_or_else(cores, Into::into)
}

/// The number of cores that this process may use.
pub(in crate::commands) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The running command line, including the program name. The process may belong to another program.
static LINE: Mutex<Vec<OsString>> = Mutex::new(Vec::new());

/// Stores the running command line.
pub(in crate::commands) fn set_command_line(line: &[OsString]) {
    *LINE.lock().unwrap_or_else(PoisonError::into_inner) = line.to_vec();
}

/// The words of the running command line, without the program name.
pub(in crate::commands) fn command_line() -> Vec<String> {
    let line = LINE.lock().unwrap_or_else(PoisonError::into_inner);
    line.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The control that Ctrl-C and SIGTERM stop; none before the first call of [`interruptible`].
static INTERRUPTIBLE: Mutex<Option<Arc<Control>>> = Mutex::new(None);

/// A control that Ctrl-C and SIGTERM stop, instead of previous ones. SIGHUP is left to `nohup`.
pub(in crate::commands) fn interruptible() -> anyhow::Result<Arc<Control>> {
    let control = Arc::new(Control::default());
    let current = || INTERRUPTIBLE.lock().unwrap_or_else(PoisonError::into_inner);
    let before = current().replace(Arc::clone(&control));
    if before.is_none() {
        let stop = move || current().iter().for_each(|control| control.stop());
        ctrlc::set_handler(stop).context("cannot install the Ctrl-C handler")?;
        #[cfg(unix)]
        {
            let signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM]);
            let mut signals = signals.context("cannot install the SIGTERM handler")?;
            std::thread::spawn(move || signals.forever().for_each(|_| stop()));
        }
    }
    Ok(control)
}

/// The names of files, for an error.
pub(in crate::commands) fn names(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Checks that no file of an argument is there twice, also through links.
pub(in crate::commands) fn check_distinct(argument: &str, paths: &[PathBuf]) -> anyhow::Result<()> {
    for (index, path) in paths.iter().enumerate() {
        let is_there = paths[..index].iter().any(|other| is_same_file(other, path));
        ensure!(!is_there, "{argument} {}: the file is there twice", path.display());
    }
    Ok(())
}

/// Creates a PGN file. If it exists, the error includes the `hint` how to continue it.
pub(in crate::commands) fn create_pgn(path: &Path, hint: &'static str) -> anyhow::Result<PgnFile> {
    PgnFile::create(path).map_err(|error| match error {
        PgnFileError::Exists { .. } => anyhow::Error::new(error).context(hint),
        error => error.into(),
    })
}

/// Locks an output file before the work.
pub(in crate::commands) fn claim(path: &Path) -> anyhow::Result<Claim> {
    Claim::file(path).with_context(|| format!("cannot write {}", path.display()))
}

/// Logs a side effect of an argument. That weights have no checksum is a warning, for all engines together.
pub(in crate::commands) fn log_side_effect(argument: &str, side_effect: &SideEffect) {
    static WARNINGS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let text = format!("{argument}: {side_effect}");
    if *side_effect != SideEffect::Unchecked {
        log::info!("{text}");
    } else if WARNINGS.lock().unwrap_or_else(PoisonError::into_inner).insert(text.clone()) {
        log::warn!("{text}");
    }
}

/// Sets options of an engine. Side effects are logged.
pub(in crate::commands) fn set_options(
    engine: &mut dyn Engine,
    options: &[(String, String)],
) -> Result<(), OptionError> {
    for (name, value) in options {
        for side_effect in engine.set_option(name, value)? {
            log_side_effect(&format!("--option {name}"), &side_effect);
        }
    }
    Ok(())
}

/// The error of weights named by the value of an argument. The error of an unreadable file already names it.
pub(in crate::commands) fn weights_error(argument: &str, value: &str, error: WeightsError) -> anyhow::Error {
    let argument = match error {
        WeightsError::Unreadable { .. } => argument.to_owned(),
        _ => format!("{argument} {}", quote_path(value)),
    };
    anyhow::Error::new(error).context(argument)
}

/// Sets the weights of an engine, named by the value of an argument; of its feature set, if that was chosen.
pub(in crate::commands) fn set_weights(
    engine: &mut dyn Engine,
    source: &WeightsSource,
    (argument, value): (&str, &str),
    is_set_chosen: bool,
) -> anyhow::Result<()> {
    let expected = engine.weights().set_name();
    let failed = |error| weights_error(argument, value, error);
    for side_effect in engine.set_weights(source).map_err(failed)? {
        match side_effect {
            SideEffect::FeatureSet { set } if is_set_chosen => {
                let (found, expected) = (set.to_owned(), format!("`{expected}`"));
                return Err(failed(WeightsError::Set { found, expected }));
            }
            side_effect => log_side_effect(&format!("{argument} {}", quote_path(value)), &side_effect),
        }
    }
    Ok(())
}
