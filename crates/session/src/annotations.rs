//! Annotations of a move: comments, glyphs (NAGs), and commands in comments, such as `[%clk 0:04:59]`.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use labrys_arena::seconds;

/// The maximum length of a comment set by the user, in characters.
const MAX_COMMENT: usize = 4_000;

/// The maximum number of glyphs of a move.
const MAX_GLYPHS: usize = 8;

/// The last glyph of PGN.
const MAX_GLYPH: u16 = 255;

/// The annotations of a move. A comment before the first move of the game belongs to the start position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Annotations {
    /// The comment before the move, if it is the first one of a variation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) before: String,
    /// The comment after the move, including commands.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) comment: String,
    /// The numeric annotation glyphs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) glyphs: Vec<u16>,
}

/// Why an annotation is refused.
#[derive(Debug, Error)]
pub enum AnnotationError {
    /// The comment is too long.
    #[error("a comment has at most {MAX_COMMENT} letters, this one has {0}")]
    Long(usize),
    /// There are too many glyphs.
    #[error("a move has at most {MAX_GLYPHS} glyphs, not {0}")]
    Glyphs(usize),
    /// There is no such glyph.
    #[error("there is no glyph ${0}: they go from $1 to ${MAX_GLYPH}")]
    Glyph(u16),
    /// The start position has no glyphs.
    #[error("glyphs belong to a move, not to the start position")]
    Start,
}

impl Annotations {
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0 && self.glyphs.is_empty()
    }

    /// The length of the comments in bytes.
    pub(crate) fn len(&self) -> usize {
        self.before.len() + self.comment.len()
    }

    /// The comment without its commands.
    pub(crate) fn text(&self) -> String {
        let (text, _) = split(&self.comment);
        text
    }

    /// Replaces the comment except for its commands.
    pub(crate) fn set_text(&mut self, text: &str) -> Result<(), AnnotationError> {
        let length = text.chars().count();
        if length > MAX_COMMENT {
            return Err(AnnotationError::Long(length));
        }
        let (_, commands) = split(&self.comment);
        let words = commands.iter().map(String::as_str).chain(text.split_whitespace());
        self.comment = words.collect::<Vec<_>>().join(" ");
        Ok(())
    }

    /// Replaces the glyphs, without duplicates.
    pub(crate) fn set_glyphs(&mut self, glyphs: &[u16]) -> Result<(), AnnotationError> {
        if glyphs.len() > MAX_GLYPHS {
            return Err(AnnotationError::Glyphs(glyphs.len()));
        }
        if let Some(&glyph) = glyphs.iter().find(|glyph| !(1..=MAX_GLYPH).contains(*glyph)) {
            return Err(AnnotationError::Glyph(glyph));
        }
        self.glyphs.clear();
        for glyph in glyphs {
            if !self.glyphs.contains(glyph) {
                self.glyphs.push(*glyph);
            }
        }
        Ok(())
    }

    /// Both comments in one, for a move that does not start a variation.
    pub(crate) fn joined_comment(&self) -> String {
        let parts = [&*self.before, &*self.comment].into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(" ")
    }

    /// The player's clock after the move (`[%clk …]`).
    pub(crate) fn left(&self) -> Option<Duration> {
        read_time(command(&self.comment, "clk")?)
    }

    /// The time spent on the move: `[%emt …]`, or as in the PGN of matches, `+1.23/12 0.450s`.
    pub(crate) fn spent(&self) -> Option<Duration> {
        if let Some(time) = command(&self.comment, "emt") {
            return read_time(time);
        }
        let mut words = self.comment.split([' ', ',']);
        let first = words.next()?;
        let time = if first.contains('/') { words.next()? } else { first };
        seconds(time.strip_suffix('s')?)
    }

    /// Adds the player's clock after the move, unless the comment has it.
    pub(crate) fn add_clock(&mut self, left: Duration) {
        if command(&self.comment, "clk").is_none() {
            let (seconds, tenths) = (left.as_secs(), left.subsec_millis() / 100);
            let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            let clock = format!("[%clk {hours}:{minutes:02}:{seconds:02}.{tenths}]");
            let parts = [clock, std::mem::take(&mut self.comment)].into_iter();
            self.comment = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        }
    }
}

/// Splits a comment into text and commands.
fn split(comment: &str) -> (String, Vec<String>) {
    let (mut text, mut commands, mut rest) = (String::new(), Vec::new(), comment);
    while let Some(start) = rest.find("[%")
        && let Some(length) = rest[start..].find(']')
    {
        text += &rest[..start];
        commands.push(rest[start..=start + length].to_owned());
        rest = &rest[start + length + 1..];
    }
    text += rest;
    (text.split_whitespace().collect::<Vec<_>>().join(" "), commands)
}

/// The value of a command in a comment.
fn command<'a>(comment: &'a str, name: &str) -> Option<&'a str> {
    let start = comment.find(&format!("[%{name} "))? + name.len() + 3;
    let length = comment[start..].find(']')?;
    Some(comment[start..start + length].trim())
}

/// Parses a time: `1:02:03.5`, or fewer parts.
fn read_time(text: &str) -> Option<Duration> {
    let parts = text.split(':').map(seconds).collect::<Option<Vec<_>>>()?;
    let total =
        parts.iter().try_fold(Duration::ZERO, |total, part| total.checked_mul(60)?.checked_add(*part));
    total.filter(|_| parts.len() <= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotations(comment: &str) -> Annotations {
        Annotations { comment: comment.to_owned(), ..Annotations::default() }
    }

    #[test]
    fn commands_stay_in_a_comment_that_is_replaced() {
        let mut said = annotations("a [%clk 0:04:59.5] b [%cal Ge2e4]");
        assert_eq!((said.text(), said.left()), ("a b".to_owned(), Some(Duration::from_millis(299_500))));
        said.set_text(" new\n text ").unwrap();
        assert_eq!(said.comment, "[%clk 0:04:59.5] [%cal Ge2e4] new text");
        said.set_text("").unwrap();
        assert_eq!((said.text().as_str(), said.left().is_some()), ("", true));
        // An unclosed command is text.
        assert_eq!(annotations("a [%clk 1").text(), "a [%clk 1");
        let error = said.set_text(&"x".repeat(MAX_COMMENT + 1)).unwrap_err();
        assert!(error.to_string().contains("at most 4000 letters"), "{error}");
        assert_eq!(said.text(), "");
    }

    #[test]
    fn times_are_read_as_programs_write_them() {
        let spent = |comment| annotations(comment).spent().map(|time| time.as_millis());
        assert_eq!(spent("+1.23/12 0.450s, nodes=7"), Some(450));
        assert_eq!((spent("0.450s"), spent("[%emt 0:00:02] x")), (Some(450), Some(2_000)));
        for comment in ["", "book", "good moves", "[%emt x]", "[%clk 0:01:00]", "a/b"] {
            assert_eq!(spent(comment), None, "{comment}");
        }
        for clock in ["[%clk x]", "[%clk ]", "[%clk 1:2:3:4]", "[%clk -1]", "[%clk 1:00"] {
            assert_eq!(annotations(clock).left(), None, "{clock}");
        }
        let mut said = annotations("text");
        said.add_clock(Duration::from_millis(3_723_456));
        assert_eq!(said.comment, "[%clk 1:02:03.4] text");
        said.add_clock(Duration::ZERO);
        assert_eq!(said.left(), Some(Duration::from_millis(3_723_400)));
    }

    #[test]
    fn glyphs_are_bounded() {
        let mut said = Annotations::default();
        said.set_glyphs(&[4, 146, 4]).unwrap();
        assert_eq!(said.glyphs, [4, 146]);
        for bad in [&[0][..], &[256], &[1, 2, 3, 4, 5, 6, 7, 8, 9]] {
            assert!(said.set_glyphs(bad).is_err(), "{bad:?}");
        }
        assert_eq!(said.glyphs, [4, 146]);
    }
}
