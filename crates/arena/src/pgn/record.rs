//! The record of a game from its tags and moves.

use super::words::{Winner, read_result};
use super::writer::{OWN_TAGS, PLY_COUNT, RESULT, TERMINATION, result_text};
use super::{BOOK, PgnGame, PgnMove, PlayerTags};
use crate::{FinalResult, Termination, Variation};

/// The parts of a game besides its tags.
#[derive(Debug, Default)]
pub(super) struct Movetext {
    pub(super) moves: Vec<PgnMove>,
    pub(super) comment: String,
    pub(super) closing: String,
    /// The result; `None` if the text has none, `Some(None)` for `*`.
    pub(super) result: Option<Option<Winner>>,
    /// A result behind that one which says something else.
    pub(super) second: Option<Winner>,
}

/// The tags of a game that have not been taken yet.
struct Tags(Vec<(String, String)>);

impl Tags {
    /// The value of a tag, unless it is empty.
    fn get(&self, name: &str) -> Option<&str> {
        let tag = self.0.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        tag.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Takes a tag whose value is known: `?` and `-` are the standard's words for what is not.
    fn take_known(&mut self, name: &str) -> Option<String> {
        self.get(name).filter(|value| !matches!(value.trim(), "" | "?" | "-"))?;
        self.take(name)
    }

    /// Takes a tag whose value is not empty.
    fn take(&mut self, name: &str) -> Option<String> {
        let is_it = |(other, value): &(String, String)| other.eq_ignore_ascii_case(name) && !value.is_empty();
        let at = self.0.iter().position(is_it)?;
        Some(self.0.remove(at).1)
    }

    /// Takes a tag, also one without a value.
    fn take_any(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(other, _)| other.eq_ignore_ascii_case(name))?;
        Some(self.0.remove(at).1)
    }

    /// All values of a tag.
    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let all = self.0.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
        all.map(|(_, value)| value.as_str())
    }

    /// Removes a tag that is written anew from the game itself.
    fn remove(&mut self, name: &str) {
        self.0.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
    }
}

/// Makes the record of a game. Unknown tags are kept among the others.
pub(super) fn record(tags: Vec<(String, String)>, text: Movetext) -> PgnGame {
    let mut tags = Tags(tags);
    if tags.get("FEN").is_some() {
        tags.remove("SetUp");
    }
    // The tag takes precedence over moves without a result or with `*`.
    let tagged = tags.get(RESULT).map(read_result);
    let of_tag = tagged.flatten().flatten();
    let result = text.result.flatten().or(of_tag);
    let of_tags = tags.all(RESULT).filter_map(|value| read_result(value).flatten());
    let others = text.second.into_iter().chain(of_tags);
    let contradicts = |other: &Winner| result.is_some_and(|result| result != *other);
    let contradiction = others.filter(contradicts).map(result_text).next();
    if result.is_some() || !matches!(tagged, Some(None)) {
        tags.remove(RESULT);
    }
    let is_number = |value: &str| value.parse().ok().filter(|&number: &u64| number > 0);
    let number = tags.get("GameNumber").and_then(is_number);
    if number.is_some() {
        tags.take("GameNumber");
    }
    // The moves say how many there are. Other programs count in other ways, but a game of Labrys is changed.
    let is_wrong = |count: &str| count.trim().parse() != Ok(text.moves.len());
    tags.0
        .retain(|(name, value)| !name.eq_ignore_ascii_case(PLY_COUNT) || number.is_some() && is_wrong(value));
    let end = result.map(|winner| final_result(winner, &mut tags));
    let players = player_tags(&mut tags);
    let mut moves = text.moves;
    let is_book = |mv: &&PgnMove| mv.comment == BOOK && mv.glyphs.is_empty() && mv.variations.is_empty();
    let rest = moves.split_off(moves.iter().take_while(is_book).count());
    let opening = Variation {
        fen: tags.take_known("FEN").unwrap_or_default(),
        moves: moves.into_iter().map(|mv| mv.text).collect(),
    };
    let mut known = |name, unknown: &str| tags.take_any(name).unwrap_or_else(|| unknown.to_owned());
    let (round, date) = (known("Round", "?"), known("Date", "????.??.??"));
    let variant = tags.take_known("Variant");
    // Labrys writes these for a game without tags.
    tags.0.retain(|(name, value)| OWN_TAGS.iter().all(|own| *own != (name, value)));
    PgnGame {
        number,
        round,
        date,
        variant,
        players,
        opening,
        comment: text.comment,
        moves: rest,
        closing: text.closing,
        end,
        contradiction,
        other_tags: tags.0,
    }
}

/// How a game ended. Other words of other programs are kept among the tags.
fn final_result(winner: Winner, tags: &mut Tags) -> FinalResult {
    let found = tags.get(TERMINATION);
    let of = |is_same: &dyn Fn(&str, &str) -> bool| {
        let known = Termination::ALL.into_iter();
        known.into_iter().find(|known| found.is_some_and(|found| is_same(found, known.tag())))
    };
    let (own, similar) = (of(&|a, b| a == b), of(&|a, b| a.eq_ignore_ascii_case(b)));
    let mut details = String::new();
    if own.is_some() {
        tags.remove(TERMINATION);
        details = tags.take("TerminationDetails").unwrap_or_default();
    }
    FinalResult { winner, termination: similar.unwrap_or(Termination::Rules), details }
}

/// The tags of White and Black. Only players whose time controls differ have one each.
fn player_tags(tags: &mut Tags) -> [PlayerTags; 2] {
    let names = ["WhiteTimeControl", "BlackTimeControl"];
    let of_all = tags.take("TimeControl");
    let [white, black] = names.map(|name| tags.get(name));
    let differ = of_all.is_none() && white != black;
    let controls = names.map(|name| match &of_all {
        Some(control) => control.clone(),
        None if differ => tags.take(name).unwrap_or_default(),
        None => String::new(),
    });
    let [white, black] = controls;
    [("White", white), ("Black", black)].map(|(name, time_control)| PlayerTags {
        name: tags.take_any(name).unwrap_or_else(|| "?".to_owned()),
        time_control,
        setup: tags.take(&format!("{name}Setup")).unwrap_or_default(),
    })
}
