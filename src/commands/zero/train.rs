//! `labrys zero train`.

use std::io;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::bail;

use super::settings;
use crate::arena::{Pairs, Rules};
use crate::commands::shared::made_by::made_by;
use crate::commands::shared::progress::Progress;
use crate::commands::shared::typed::commands;
use crate::commands::shared::values::whole;
use crate::commands::shared::{interruptible, threads};
use crate::engine::Playable;
use crate::game::counted;
use crate::learn::zero::{Event, Generation, ZeroConfig, ZeroError, ZeroRun};

/// Learns a policy/value net by self-play: generations of games, training and matches.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ZeroTrainArguments {
    /// The settings, in TOML
    #[arg(value_name = "CONFIG")]
    settings: PathBuf,
    /// Folder of the run, created if missing [default: the name of CONFIG without its extension]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Continue the run in the folder
    #[arg(long)]
    resume: bool,
    /// Total number of generations, including complete ones; 0 only creates the run [default: as in CONFIG]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(..))]
    generations: Option<u32>,
    /// Seed of everything random [default: as in CONFIG]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(..))]
    seed: Option<u64>,
    /// Number of concurrent games; the result does not depend on it [default: as in CONFIG, or the number of
    /// cores]
    #[arg(long, value_name = "N", value_parser = whole::<NonZeroUsize>(..))]
    threads: Option<NonZeroUsize>,
}

pub(super) fn run(arguments: &ZeroTrainArguments) -> anyhow::Result<()> {
    let (mut config, rules) = settings::read(&arguments.settings)?;
    let settings = &mut config.settings;
    settings.generations = arguments.generations.and_then(NonZeroU32::new).unwrap_or(settings.generations);
    settings.seed = arguments.seed.unwrap_or(settings.seed);
    settings.threads = arguments.threads.or(settings.threads);
    config.made_by = made_by(&config.result_settings()?)?;
    commands(&rules.variant)?.train_net(Training { arguments, rules, config })
}

/// A run, to be dispatched on the type of the game.
pub(in crate::commands) struct Training<'a> {
    arguments: &'a ZeroTrainArguments,
    rules: Rules,
    config: ZeroConfig,
}

impl Training<'_> {
    pub(in crate::commands) fn run_typed<G: Playable>(self) -> anyhow::Result<()> {
        let Training { arguments, rules, config } = self;
        let generations = arguments.generations.unwrap_or(config.settings.generations.get());
        let threads = threads(config.settings.threads);
        let out = arguments.out.clone().unwrap_or_else(|| arguments.settings.with_extension(""));
        let run = ZeroRun::<G>::open(config, rules.start()?, &out, arguments.resume, threads);
        let mut run = run.map_err(|error| match error {
            ZeroError::Settings(error) => settings::refused(&arguments.settings, error),
            error => error.into(),
        })?;
        let control = interruptible()?;
        let mut display = Display::new(run.state().done());
        if generations > 0 {
            let mut shown = Ok(());
            run.run(&control, &mut |event| {
                if let (Ok(()), Err(error)) = (&shown, display.show(event)) {
                    shown = Err(error);
                    control.stop();
                }
            })?;
            shown?;
        }
        let state = run.state();
        if state.done() < generations {
            bail!(
                "interrupted after {} of {}, use --resume to continue",
                state.done(),
                counted(generations, "generation")
            );
        }
        print_line!("best net: generation {}, {}", state.best, out.join("best.safetensors").display())?;
        Ok(())
    }
}

/// Shows the progress of a run: that of each phase, and a line for each generation.
struct Display {
    /// The generation that is running.
    number: u32,
    /// The phase with its progress, and the time when it began.
    phase: Option<(String, Progress, Instant)>,
    /// Speeds of the phases of the generation.
    speeds: Vec<String>,
}

impl Display {
    fn new(done: u32) -> Display {
        Display { number: done + 1, phase: None, speeds: Vec::new() }
    }

    /// Shows an event.
    ///
    /// # Errors
    /// Nobody reads the output.
    fn show(&mut self, event: Event) -> io::Result<()> {
        let number = self.number;
        match event {
            Event::SelfPlay { games, total, positions } => {
                let speed = |seconds: f64| format!("{:.1} moves/s", positions as f64 / seconds);
                self.update("games of self-play", games, total, speed, String::new());
            }
            Event::Training { total, loss, positions } => {
                let losses = format!("policy loss {:.3}, value loss {:.3}", loss.policy, loss.value);
                let speed = |seconds: f64| format!("{:.0} positions/s", positions as f64 / seconds);
                self.update("steps of training", loss.steps, total, speed, losses);
            }
            Event::Match { opponent, games, total } => {
                let speed = |seconds: f64| format!("{:.2} games/s", games as f64 / seconds);
                self.update(&format!("games against {opponent}"), games, total, speed, String::new());
            }
            Event::Done(generation) => {
                if let Some((_, progress, _)) = self.phase.take() {
                    progress.finish();
                }
                print_line!("generation {number}: {}; {}", summary(generation), self.speeds.join(", "))?;
                self.number += 1;
                self.speeds.clear();
            }
        }
        Ok(())
    }

    /// Shows the progress of a phase. `speed` formats the speed after a number of seconds.
    fn update(&mut self, name: &str, done: u64, of: u64, speed: impl Fn(f64) -> String, message: String) {
        if self.phase.as_ref().is_none_or(|(phase, ..)| phase != name) {
            if let Some((_, progress, _)) = self.phase.take() {
                progress.finish();
            }
            let unit = format!("{name}, generation {}", self.number);
            self.phase = Some((name.to_owned(), Progress::new(unit, done, Some(of)), Instant::now()));
        }
        let Some((_, progress, begun)) = &mut self.phase else { return };
        let seconds = begun.elapsed().as_secs_f64().max(1e-3);
        progress.update(done, || [speed(seconds), message].join(" "));
        if done == of {
            self.speeds.push(speed(seconds));
        }
    }
}

/// A generation in one line.
fn summary(generation: &Generation) -> String {
    let Generation { selfplay, positions, window, loss, gate, is_accepted, comparisons, .. } = generation;
    let mut text = format!(
        "White +{} ={} -{}, {} of {window}, policy loss {:.4}, value loss {:.4}",
        selfplay.white,
        selfplay.drawn,
        selfplay.black,
        counted(positions, "position"),
        loss.policy,
        loss.value
    );
    if let Some(gate) = gate {
        let verdict = if *is_accepted { "accepted" } else { "not accepted" };
        text += &format!(", {verdict}: {}", score(gate));
    }
    for (name, pairs) in comparisons {
        text += &format!(", against {name}: {}", score(pairs));
    }
    text
}

/// The result of a match.
fn score(pairs: &Pairs) -> String {
    let [lost, drawn, won] = pairs.games;
    format!("+{won} ={drawn} -{lost} ({:.1} %)", 100.0 * pairs.mean())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Wdl::{self, Draw, Loss, Win};

    #[test]
    fn scores_are_those_of_the_games() {
        let score = |games: [[Wdl; 2]; 2]| {
            let mut pairs = Pairs::default();
            games.iter().for_each(|&[first, second]| pairs.add(first, second));
            score(&pairs)
        };
        assert_eq!(score([[Loss; 2]; 2]), "+0 =0 -4 (0.0 %)");
        assert_eq!(score([[Win; 2]; 2]), "+4 =0 -0 (100.0 %)");
        assert_eq!(score([[Loss, Draw], [Win, Win]]), "+2 =1 -1 (62.5 %)");
    }
}
