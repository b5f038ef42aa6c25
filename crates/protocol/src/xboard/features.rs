//! The features of an xboard engine.

use super::STANDARD;
use crate::pipe::ClientError;

/// The features of an engine; the defaults are those of the protocol.
#[derive(Debug, PartialEq, Eq)]
pub struct Features {
    /// Answers `ping`.
    pub ping: bool,
    /// Sets up positions.
    pub setboard: bool,
    /// Moves are sent behind `usermove`.
    pub usermove: bool,
    /// Takes `time` and `otim`.
    pub time: bool,
    /// Moves are in SAN.
    pub san: bool,
    /// Plays more than one game.
    pub reuse: bool,
    /// Takes `memory`.
    pub memory: bool,
    /// Takes `cores`.
    pub smp: bool,
    /// The games that it plays, separated by commas.
    pub variants: String,
    /// The names of its options.
    pub options: Vec<String>,
    /// `done`; `None` if it was not sent.
    pub done: Option<bool>,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            ping: false,
            setboard: false,
            usermove: false,
            time: true,
            san: false,
            reuse: true,
            memory: false,
            smp: false,
            variants: STANDARD.to_owned(),
            options: Vec::new(),
            done: None,
        }
    }
}

impl Features {
    /// Reads a `feature` line, and returns the names in it.
    pub fn read(&mut self, line: &str) -> Option<Vec<String>> {
        let pairs = read_pairs(line.trim_start().strip_prefix("feature ")?);
        for (name, value) in &pairs {
            let is_on = value != "0";
            match name.as_str() {
                "ping" => self.ping = is_on,
                "setboard" => self.setboard = is_on,
                "usermove" => self.usermove = is_on,
                "time" => self.time = is_on,
                "san" => self.san = is_on,
                "reuse" => self.reuse = is_on,
                "memory" => self.memory = is_on,
                "smp" => self.smp = is_on,
                "done" => self.done = Some(is_on),
                "variants" => self.variants.clone_from(value),
                "option" => {
                    self.options.push(value.split(" -").next().unwrap_or_default().trim().to_owned());
                }
                _ => {}
            }
        }
        Some(pairs.into_iter().map(|(name, _)| name).collect())
    }

    /// The command that sets an option.
    ///
    /// # Errors
    /// [`ClientError::UnknownOption`] if the engine has not announced it.
    pub fn option_line(&self, name: &str, value: &str) -> Result<String, ClientError> {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if let Some(own) = self.options.iter().find(|own| is(own)) {
            return Ok(if value.is_empty() {
                format!("option {own}")
            } else {
                format!("option {own}={value}")
            });
        }
        let commands = [("Hash", "memory", self.memory), ("Threads", "cores", self.smp)];
        let mut commands = commands.into_iter().filter(|(.., has)| *has);
        if let Some((_, command, _)) = commands.clone().find(|(own, ..)| is(own)) {
            return Ok(format!("{command} {value}"));
        }
        let known = self.options.iter().map(String::as_str).chain(commands.by_ref().map(|(own, ..)| own));
        let known = known.collect::<Vec<_>>().join(", ");
        Err(ClientError::UnknownOption { name: name.to_owned(), known })
    }
}

/// Reads pairs `name=value` separated by spaces, values with spaces in quotation marks.
fn read_pairs(text: &str) -> Vec<(String, String)> {
    let (mut pairs, mut rest) = (Vec::new(), text.trim_start());
    while let Some((name, after)) = rest.split_once('=') {
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        pairs.push((name.trim().to_owned(), value.to_owned()));
        rest = after.trim_start();
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_defaults_and_quoted_values() {
        let mut features = Features::default();
        assert_eq!(features.read("move e2e4"), None);
        let names = features.read("feature myname=\"A = B 1.0\" ping=1 time=0 done=0");
        assert_eq!(names.unwrap(), ["myname", "ping", "time", "done"]);
        features.read("feature variants=\"normal,fischerandom\" option=\"Clear Hash -button\" memory=1");
        features.read("feature option=\"Style -combo calm /// *wild\"  setboard=1 smp=0 done=1");
        let expected = Features {
            ping: true,
            setboard: true,
            time: false,
            memory: true,
            variants: "normal,fischerandom".into(),
            options: vec!["Clear Hash".into(), "Style".into()],
            done: Some(true),
            ..Features::default()
        };
        assert_eq!(features, expected);
        let line = |name, value| features.option_line(name, value).map_err(|error| error.to_string());
        assert_eq!(line("style", "wild"), Ok("option Style=wild".into()));
        assert_eq!(line("clear hash", ""), Ok("option Clear Hash".into()));
        assert_eq!(line("Hash", "64"), Ok("memory 64".into()));
        assert_eq!(
            line("Threads", "2"),
            Err("no option `Threads`, the engine has: Clear Hash, Style, Hash".into())
        );
    }
}
