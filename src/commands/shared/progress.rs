//! Progress of long commands on standard error: a progress bar on a terminal, otherwise a line every few seconds,
//! or lines of JSON for programs.

use std::env;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

/// The environment variable that selects lines of JSON, by the value `json`.
const FORMAT: &str = "LABRYS_PROGRESS";

/// Interval between lines if standard error is not a terminal.
const LINES: Duration = Duration::from_secs(10);

/// Interval between updates of the bar's message, and between lines of JSON: summarizing a long match takes
/// longer than a short game.
const MESSAGES: Duration = Duration::from_millis(100);

/// The display of progress.
#[derive(Clone, Copy, PartialEq)]
enum Display {
    /// A bar on a terminal.
    Bar,
    /// Lines for people.
    Lines,
    /// Lines of JSON.
    Json,
}

impl Display {
    fn wanted() -> Display {
        match env::var_os(FORMAT) {
            Some(format) if format == "json" => Display::Json,
            _ if io::stderr().is_terminal() => Display::Bar,
            _ => Display::Lines,
        }
    }

    /// The interval between messages.
    fn interval(self) -> Duration {
        match self {
            Display::Lines => LINES,
            Display::Bar | Display::Json => MESSAGES,
        }
    }
}

/// The progress of a command.
pub(in crate::commands) struct Progress {
    bar: ProgressBar,
    unit: String,
    shown: Instant,
    display: Display,
}

impl Progress {
    /// Starts to report progress in `unit`, such as games, `done` of which are already done. Without a `total`
    /// no remaining time is shown.
    pub(in crate::commands) fn new(unit: impl Into<String>, done: u64, total: Option<u64>) -> Progress {
        let unit = unit.into();
        let (bar, template) = match total {
            Some(total) => {
                (ProgressBar::new(total), format!("{{pos}}/{{len}} {unit} {{wide_bar}} {{msg}} {{eta}} left"))
            }
            None => (ProgressBar::no_length(), format!("{{pos}} {unit} {{msg}} {{elapsed}}")),
        };
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        let display = Display::wanted();
        if display != Display::Bar {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        bar.set_position(done);
        bar.reset_eta();
        let progress = Progress { bar, unit, shown: Instant::now(), display };
        if display == Display::Json {
            progress.print_json(done, "");
        }
        progress
    }

    /// Sets the number of units done. `message` is only called if it is shown.
    pub(in crate::commands) fn update(&mut self, done: u64, message: impl FnOnce() -> String) {
        self.bar.set_position(done);
        let is_last = self.display == Display::Json && self.bar.length() == Some(done);
        if self.shown.elapsed() < self.display.interval() && !is_last {
            return;
        }
        self.shown = Instant::now();
        match self.display {
            Display::Bar => self.bar.set_message(message()),
            Display::Json => self.print_json(done, &message()),
            Display::Lines => {
                let (unit, message) = (&self.unit, message());
                match self.bar.length() {
                    Some(total) => {
                        let left = HumanDuration(self.bar.eta());
                        print_message!("{done}/{total} {unit} {message} {left:#} left");
                    }
                    None => print_message!("{done} {unit} {message}"),
                }
            }
        }
    }

    fn print_json(&self, done: u64, message: &str) {
        let total = self.bar.length();
        print_message!(
            "{}",
            json!({"progress": self.unit, "done": done, "total": total, "message": message})
        );
    }

    /// Hides the bar while `print` prints.
    pub(in crate::commands) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Clears the bar.
    pub(in crate::commands) fn finish(self) {
        self.bar.finish_and_clear();
    }
}
