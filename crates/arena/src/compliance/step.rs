//! A step of the check, as data.

use std::fmt;

use serde::Serialize;

/// The protocol that an engine speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// UCI.
    Uci,
    /// The xboard protocol (Chess Engine Communication Protocol), version 2.
    Xboard,
}

/// How much a step counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The specification has it, or a client cannot do without it.
    Required,
    /// Wise, but no specification has it.
    Advice,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Required => "required",
            Level::Advice => "advice",
        })
    }
}

/// The games in which a step is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Games {
    /// In each that is checked.
    Every,
    /// In the first one: the step is about the protocol alone.
    Once,
    /// In this one.
    Only(&'static str),
}

/// A step of the check. Its script is described in the module `script`.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its name, `<group>/<case>`.
    pub id: &'static str,
    /// The protocol that it belongs to.
    pub protocol: Protocol,
    /// How much it counts.
    pub level: Level,
    /// The games in which it is done.
    pub games: Games,
    /// Options, or features of an xboard engine, without which it is skipped. A number behind an option is
    /// the least that its maximum may be.
    pub needs: &'static [&'static str],
    /// What has to come back, in words.
    pub expects: &'static str,
    /// Why: the specification, a public report, or a fault of our own.
    pub why: &'static str,
    /// Whether the engine is not prepared: no handshake, no options, no game.
    pub(super) is_raw: bool,
    pub(super) script: &'static str,
}

impl Step {
    /// A required step, done in every game.
    pub(super) const fn new(
        protocol: Protocol,
        id: &'static str,
        script: &'static str,
        expects: &'static str,
        why: &'static str,
    ) -> Step {
        let (level, games) = (Level::Required, Games::Every);
        Step { id, protocol, level, games, needs: &[], expects, why, is_raw: false, script }
    }

    /// Makes it advice.
    pub(super) const fn advice(self) -> Step {
        Step { level: Level::Advice, ..self }
    }

    /// Has it done in one game only, whichever.
    pub(super) const fn once(self) -> Step {
        Step { games: Games::Once, ..self }
    }

    /// Has it done in this game only.
    pub(super) const fn only(self, game: &'static str) -> Step {
        Step { games: Games::Only(game), ..self }
    }

    /// Has it done by engines with these options or features only.
    pub(super) const fn needs(self, needs: &'static [&'static str]) -> Step {
        Step { needs, ..self }
    }

    /// Has it done once, without a handshake before.
    pub(super) const fn raw(self) -> Step {
        Step { is_raw: true, games: Games::Once, ..self }
    }

    /// The lines that it sends.
    pub fn sends(&self) -> Vec<String> {
        // A test reads all scripts.
        super::script::parse(self.script).map(|actions| super::script::sent(&actions)).unwrap_or_default()
    }
}
