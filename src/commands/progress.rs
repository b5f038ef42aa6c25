//! How far long work is: a bar at a terminal, else a line now and then, both on standard error.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

/// Time between two lines where there is no terminal.
const LINES: Duration = Duration::from_secs(10);

/// Time between two updates of a bar's message: summing up a long match takes longer than a short game.
const MESSAGES: Duration = Duration::from_millis(100);

/// The progress of some work.
pub(super) struct Progress {
    bar: ProgressBar,
    unit: &'static str,
    shown: Instant,
    has_terminal: bool,
}

impl Progress {
    /// Work that counts in `unit`, such as games, of which `done` are done; without a total its end is
    /// unknown.
    pub(super) fn new(unit: &'static str, done: u64, total: Option<u64>) -> Progress {
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

    /// So much is done; `message` says more, when it is time to show it.
    pub(super) fn update(&mut self, done: u64, message: impl FnOnce() -> String) {
        self.bar.set_position(done);
        if self.shown.elapsed() < if self.has_terminal { MESSAGES } else { LINES } {
            return;
        }
        self.shown = Instant::now();
        if self.has_terminal {
            return self.bar.set_message(message());
        }
        let unit = self.unit;
        match self.bar.length() {
            Some(total) => {
                eprintln!("{done}/{total} {unit} {} {:#} left", message(), HumanDuration(self.bar.eta()));
            }
            None => eprintln!("{done} {unit} {}", message()),
        }
    }

    /// Clears the bar.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}
