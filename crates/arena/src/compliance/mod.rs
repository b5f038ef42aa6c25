//! The check of an engine against its protocol, step by step.
//!
//! The [`steps`] are data: each has a name, a small script (`script`) of what is sent and what has to come
//! back, a reason, and a [`Level`]. [`Compliance::run`] carries them out (`trial`), each on an engine process
//! of its own, so that an engine that hangs, ends or floods fails one step alone. Every wait has a timeout.
//! What is known of the engine follows from the lines of either side, by a module for each protocol (`uci`,
//! `xboard`); the rules of the core judge positions and moves (`positions`, `answer`), and `info` reads what
//! it thinks.

mod answer;
mod info;
mod positions;
mod report;
mod script;
mod step;
mod steps;
mod trial;
mod uci;
mod xboard;

use std::time::Duration;

use labrys_core::search::Control;
use labrys_protocol::transport::Transport;

use self::positions::Positions;
pub use self::report::{Report, StepResult, Verdict};
pub use self::step::{Games, Level, Protocol, Step};
pub use self::steps::steps;
use self::trial::Stop;
use crate::{Rules, RulesError};

/// After as many failed handshakes in a row no other is tried.
const MAX_HANDSHAKES: usize = 3;

/// A check of an engine.
#[derive(Clone, Debug)]
pub struct Compliance {
    /// The engine.
    pub transport: Transport,
    /// The protocol that it speaks.
    pub protocol: Protocol,
    /// Options, set before each step.
    pub options: Vec<(String, String)>,
    /// How long to wait for an answer.
    pub timeout: Duration,
    /// How much later than its limit an answer may come.
    pub margin: Duration,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The reason.
    pub reason: String,
    /// The line of the engine that is wrong, or the last one before the fault.
    pub line: Option<String>,
}

impl Fault {
    fn new(reason: impl Into<String>) -> Fault {
        Fault { reason: reason.into(), line: None }
    }

    fn of(reason: impl Into<String>, line: &str) -> Fault {
        Fault { reason: reason.into(), line: Some(line.to_owned()) }
    }
}

impl Compliance {
    /// Carries out steps in these games, those of the protocol alone in the first of them. `each` gets every
    /// result as it comes. An interrupted check has fewer results.
    ///
    /// # Errors
    /// [`RulesError`] names a game that does not exist.
    pub fn run(
        &self,
        games: &[Rules],
        steps: &[&Step],
        control: &Control,
        each: &mut dyn FnMut(&StepResult),
    ) -> Result<Report, RulesError> {
        let mut report = Report::new(self);
        let mut failed_handshakes = 0;
        for (index, rules) in games.iter().enumerate() {
            let positions = Positions::new(rules)?;
            let is_done = |step: &&&Step| match step.games {
                Games::Every => true,
                Games::Once => index == 0,
                Games::Only(game) => game == rules.variant,
            };
            for step in steps.iter().filter(|step| step.protocol == self.protocol).filter(is_done) {
                let mut sent = Vec::new();
                let done = match failed_handshakes >= MAX_HANDSHAKES && !step.is_raw {
                    true => Err(Stop::Skip("the engine does not shake hands".to_owned())),
                    false => self.carry_out(step, &positions, &mut sent, control),
                };
                failed_handshakes = match &done {
                    Err(Stop::Handshake(_)) => failed_handshakes + 1,
                    Err(Stop::Skip(_)) => failed_handshakes,
                    // Without a handshake before it, it says nothing about them.
                    _ if step.is_raw => failed_handshakes,
                    _ => 0,
                };
                let verdict = match done {
                    Ok(()) => Verdict::Pass,
                    Err(Stop::Fault(fault) | Stop::Handshake(fault)) => {
                        Verdict::Fail { reason: fault.reason, line: fault.line, sent }
                    }
                    Err(Stop::Skip(reason)) => Verdict::Skip { reason },
                    Err(Stop::Interrupted) => return Ok(report),
                };
                let result = StepResult::new(step, &rules.variant, verdict);
                each(&result);
                report.results.push(result);
            }
        }
        report.is_complete = true;
        Ok(report)
    }

    fn carry_out(
        &self,
        step: &Step,
        positions: &Positions,
        sent: &mut Vec<String>,
        control: &Control,
    ) -> Result<(), Stop> {
        let actions = script::parse(step.script).map_err(Fault::new)?;
        trial::carry_out(self, step, &actions, positions, sent, control)
    }
}
