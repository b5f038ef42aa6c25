//! The tags of a game, and the comment after its result.

use std::collections::BTreeMap;

use thiserror::Error;
use time::OffsetDateTime;

use labrys_arena::pgn::{PgnGame, PgnReader, PlayerTags};
use labrys_arena::{FinalResult, Termination, TimeControl, Variation};
use labrys_core::game::{Color, quote};

/// The event and site of games played here.
const DEFAULT_TAGS: [(&str, &str); 2] = [("Event", "Casual game"), ("Site", "Labrys")];

/// Tags that are derived from the game, and cannot be set.
const DERIVED_TAGS: [&str; 6] = ["FEN", "PlyCount", "SetUp", "Termination", "TerminationDetails", "Variant"];

/// The maximum number of tags.
const MAX_TAGS: usize = 60;

/// The maximum length of a tag's value and name, in characters.
const MAX_TAG: usize = 255;
const MAX_TAG_NAME: usize = 40;

/// The results of games.
const RESULTS: [(&str, Option<Option<Color>>); 4] = [
    ("1-0", Some(Some(Color::White))),
    ("0-1", Some(Some(Color::Black))),
    ("1/2-1/2", Some(None)),
    ("*", None),
];

/// A PGN game without moves. The name of a player is empty if it is that of the session's player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header(PgnGame);

/// Why a tag is refused.
#[derive(Debug, Error)]
pub enum TagError {
    /// Its name is invalid.
    #[error("the tag name {}: expected up to {MAX_TAG_NAME} letters, digits or `_`", quote(.0))]
    Name(String),
    /// It is derived from the game.
    #[error("the tag {0} comes from the game itself")]
    Derived(String),
    /// It is too long.
    #[error("a tag has at most {MAX_TAG} letters, {0} would have {1}")]
    Long(String, usize),
    /// There are too many.
    #[error("a game has at most {MAX_TAGS} tags")]
    Many,
    /// It is not a date.
    #[error("the date {}: expected YYYY.MM.DD, with question marks for what is not known", quote(.0))]
    Date(String),
    /// It is not a result.
    #[error("the result {}: expected 1-0, 0-1, 1/2-1/2 or *", quote(.0))]
    Result(String),
    /// It is not the number of a game.
    #[error("the game number {}: expected a number from 1 on", quote(.0))]
    Number(String),
}

impl Header {
    /// The header of a game that starts today.
    pub(crate) fn for_new_game() -> Header {
        let date = OffsetDateTime::now_utc().date();
        Header(PgnGame {
            round: "-".to_owned(),
            date: format!("{}.{:02}.{:02}", date.year(), u8::from(date.month()), date.day()),
            other_tags: DEFAULT_TAGS.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            ..PgnGame::default()
        })
    }

    /// The header of a PGN game.
    pub(crate) fn of(game: &PgnGame) -> Header {
        Header(PgnGame {
            variant: None,
            opening: Variation::default(),
            comment: String::new(),
            moves: Vec::new(),
            contradiction: None,
            ..game.clone()
        })
    }

    /// The inverse of [`Header::save`].
    pub(crate) fn restore(text: &str) -> Option<Header> {
        PgnReader::new(text.as_bytes()).next()?.ok().map(|game| Header::of(&game))
    }

    /// The header as PGN without moves.
    pub(crate) fn save(&self) -> String {
        self.0.to_string()
    }

    /// The name of a player; empty if it is that of the session's player.
    pub(crate) fn name(&self, player: Color) -> &str {
        &self.0.players[player.index()].name
    }

    /// Clears the names of players who are the session's players.
    pub(crate) fn clear_names(&mut self, is_here: [bool; 2]) {
        for (player, _) in self.0.players.iter_mut().zip(is_here).filter(|(_, is_here)| *is_here) {
            player.name.clear();
        }
    }

    /// The time control of a player, which other limits may follow in games of a match.
    pub(crate) fn control(&self, player: Color) -> Option<TimeControl> {
        self.0.players[player.index()].time_control.split(", ").next()?.parse().ok()
    }

    /// The end of the game by the `Result` tag.
    pub(crate) fn end(&self) -> Option<&FinalResult> {
        self.0.end.as_ref()
    }

    /// The tags except the result and the derived ones.
    pub(crate) fn tags(&self) -> Vec<(&str, String)> {
        let is_own = |name: &str| !is_one_of(name, &DERIVED_TAGS) && !name.eq_ignore_ascii_case("Result");
        self.0.tags().into_iter().filter(|(name, _)| is_own(name)).collect()
    }

    /// Sets tags by name; empty ones are removed. An error changes none.
    pub(crate) fn set(&mut self, tags: &BTreeMap<String, String>) -> Result<(), TagError> {
        let mut next = self.clone();
        tags.iter().try_for_each(|(name, value)| next.set_one(name, value.trim()))?;
        if next.0.other_tags.len() > MAX_TAGS {
            return Err(TagError::Many);
        }
        *self = next;
        Ok(())
    }

    fn set_one(&mut self, name: &str, value: &str) -> Result<(), TagError> {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if !(1..=MAX_TAG_NAME).contains(&name.len()) || !name.chars().all(is_name) {
            return Err(TagError::Name(name.to_owned()));
        }
        if is_one_of(name, &DERIVED_TAGS) {
            return Err(TagError::Derived(name.to_owned()));
        }
        let length = value.chars().count();
        if length > MAX_TAG {
            return Err(TagError::Long(name.to_owned(), length));
        }
        let game = &mut self.0;
        let owned = || value.to_owned();
        match &*name.to_ascii_lowercase() {
            "white" => game.players[0].name = owned(),
            "black" => game.players[1].name = owned(),
            "timecontrol" => game.players.iter_mut().for_each(|player| player.time_control = owned()),
            "whitetimecontrol" => game.players[0].time_control = owned(),
            "blacktimecontrol" => game.players[1].time_control = owned(),
            "whitesetup" => game.players[0].setup = owned(),
            "blacksetup" => game.players[1].setup = owned(),
            "round" => game.round = if value.is_empty() { "?".to_owned() } else { owned() },
            "date" => game.date = read_date(value)?,
            "result" => {
                let known = RESULTS.iter().find(|(text, _)| *text == value);
                let (_, winner) = known.ok_or_else(|| TagError::Result(owned()))?;
                let same = game.end.as_ref().map(|end| end.winner) == *winner;
                if !same {
                    let (termination, details) = (Termination::Rules, String::new());
                    game.end = winner.map(|winner| FinalResult { winner, termination, details });
                }
            }
            "gamenumber" => {
                game.number = read_number(value)?;
                // Other programs may have written something else.
                game.other_tags.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
            }
            _ => {
                let at = game.other_tags.iter().position(|(other, _)| other.eq_ignore_ascii_case(name));
                match (at, value.is_empty()) {
                    (Some(at), true) => drop(game.other_tags.remove(at)),
                    (Some(at), false) => game.other_tags[at].1 = owned(),
                    (None, true) => {}
                    (None, false) => game.other_tags.push((name.to_owned(), owned())),
                }
            }
        }
        Ok(())
    }

    /// Combines the header with the moves and the end of a game. `here` supplies missing names and time
    /// controls.
    pub(crate) fn record(&self, body: PgnGame, here: [PlayerTags; 2]) -> PgnGame {
        let mut game = self.0.clone();
        for (player, here) in game.players.iter_mut().zip(here) {
            let or = |own: &mut String, other: String| {
                if own.is_empty() {
                    *own = other;
                }
            };
            or(&mut player.name, here.name);
            or(&mut player.time_control, here.time_control);
        }
        let PgnGame { variant, opening, comment, moves, end, .. } = body;
        PgnGame { variant, opening, comment, moves, end: end.or(game.end), ..game }
    }
}

/// The result of a game in PGN.
pub(crate) fn result_text(end: Option<Option<Color>>) -> &'static str {
    RESULTS.iter().find(|(_, result)| *result == end).map_or("*", |(text, _)| text)
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|other| name.eq_ignore_ascii_case(other))
}

/// Reads the number of a game in its match; an empty one is none.
fn read_number(text: &str) -> Result<Option<u64>, TagError> {
    let number = text.parse().ok().filter(|number| *number > 0);
    if text.is_empty() || number.is_some() { Ok(number) } else { Err(TagError::Number(text.to_owned())) }
}

/// Checks a PGN date; an empty one is unknown.
fn read_date(text: &str) -> Result<String, TagError> {
    if text.is_empty() {
        return Ok("????.??.??".to_owned());
    }
    let parts: Vec<_> = text.split('.').collect();
    let is_part = |part: &str| part.chars().all(|letter| letter.is_ascii_digit() || letter == '?');
    let is_date = parts.len() == 3
        && parts.iter().zip([4, 2, 2]).all(|(part, length)| part.len() == length && is_part(part));
    if is_date { Ok(text.to_owned()) } else { Err(TagError::Date(text.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(header: &mut Header, tags: &[(&str, &str)]) -> Result<(), String> {
        let tags = tags.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        header.set(&tags).map_err(|error| error.to_string())
    }

    fn tag(header: &Header, name: &str) -> Option<String> {
        header.tags().into_iter().find(|(other, _)| *other == name).map(|(_, value)| value)
    }

    #[test]
    fn limits_after_a_time_control_do_not_hide_it() {
        let mut header = Header::for_new_game();
        set(
            &mut header,
            &[("WhiteTimeControl", "10+2, depth 7, timemargin 50"), ("BlackTimeControl", "nodes 5")],
        )
        .unwrap();
        let controls = Color::BOTH.map(|player| header.control(player));
        assert_eq!(controls, ["10+2".parse().ok(), None]);
    }

    #[test]
    fn tags_are_set_and_removed_and_bad_ones_change_nothing() {
        let mut header = Header::for_new_game();
        let tags = [("White", "Ann"), ("WhiteElo", "2000"), ("Date", "1999.??.??"), ("Result", "1/2-1/2")];
        set(&mut header, &tags).unwrap();
        set(&mut header, &[("GameNumber", "7")]).unwrap();
        assert_eq!((header.name(Color::White), header.name(Color::Black)), ("Ann", ""));
        assert_eq!(tag(&header, "WhiteElo").as_deref(), Some("2000"));
        assert_eq!(result_text(header.end().map(|end| end.winner)), "1/2-1/2");
        set(&mut header, &[("whiteelo", ""), ("Event", "Test")]).unwrap();
        assert_eq!((tag(&header, "WhiteElo"), tag(&header, "Event").as_deref()), (None, Some("Test")));
        let before = header.clone();
        for (name, value, problem) in [
            ("Fen", "x", "comes from the game itself"),
            ("a b", "x", "the tag name `a b`"),
            ("", "x", "the tag name"),
            ("Date", "yesterday", "the date `yesterday`"),
            ("Result", "2-0", "the result `2-0`"),
            ("GameNumber", "-1", "the game number `-1`"),
            ("gamenumber", "0", "the game number `0`"),
            ("Site", &"x".repeat(256), "at most 255 letters"),
        ] {
            let error = set(&mut header, &[("Annotator", "me"), (name, value)]).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
        let names: Vec<_> = (0..70).map(|number| format!("Tag{number}")).collect();
        let many: Vec<_> = names.iter().map(|name| (&**name, "x")).collect();
        assert!(set(&mut header, &many).unwrap_err().contains("at most 60 tags"));
        assert_eq!(header, before);
        assert_eq!(Header::restore(&header.save()).as_ref(), Some(&header));
        set(&mut header, &[("GameNumber", "")]).unwrap();
        assert_eq!(tag(&header, "GameNumber"), None);
    }

    #[test]
    fn a_game_number_of_another_program_is_replaced() {
        let mut header = Header::restore("[GameNumber \"first\"]\n\n*\n").unwrap();
        assert_eq!(tag(&header, "GameNumber").as_deref(), Some("first"));
        set(&mut header, &[("GameNumber", "1")]).unwrap();
        assert_eq!(header.save().matches("GameNumber").count(), 1);
    }
}
