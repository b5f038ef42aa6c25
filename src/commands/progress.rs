//! Progress of long commands on standard error: a progress bar on a terminal, otherwise a line at intervals.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

/// Interval between lines where standard error is no terminal.
const LINES: Duration = Duration::from_secs(10);

/// Interval between updates of the bar's message: summarizing a long match takes longer than a short game.
const MESSAGES: Duration = Duration::from_millis(100);

/// The progress of a command.
pub(super) struct Progress {
    bar: ProgressBar,
    unit: String,
    shown: Instant,
    has_terminal: bool,
}

impl Progress {
    /// Starts to report progress in `unit`, such as games, of which `done` are done already. Without a
    /// `total` no remaining time is shown.
    pub(super) fn new(unit: impl Into<String>, done: u64, total: Option<u64>) -> Progress {
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
        bar.set_position(done);
        bar.reset_eta();
        Progress { bar, unit, shown: Instant::now(), has_terminal: io::stderr().is_terminal() }
    }

    /// Sets the number of units done. `message` is called only when it is to be shown.
    pub(super) fn update(&mut self, done: u64, message: impl FnOnce() -> String) {
        self.bar.set_position(done);
        if self.shown.elapsed() < if self.has_terminal { MESSAGES } else { LINES } {
            return;
        }
        self.shown = Instant::now();
        if self.has_terminal {
            return self.bar.set_message(message());
        }
        let unit = &self.unit;
        match self.bar.length() {
            Some(total) => {
                print_message!(
                    "{done}/{total} {unit} {} {:#} left",
                    message(),
                    HumanDuration(self.bar.eta())
                );
            }
            None => print_message!("{done} {unit} {}", message()),
        }
    }

    /// Hides the bar while `print` prints.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Clears the bar.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}
