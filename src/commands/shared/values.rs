//! Parsers of the values of arguments.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::arena::seconds;

/// The most plies of a random opening: no game needs more, and some would never end.
const LONGEST_OPENING: usize = 1000;

/// Parses a number of plies, `N`, or a range, `N-M`.
pub(in crate::commands) fn parse_plies(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let range = least.parse().ok().zip(most.parse().ok()).map(|(least, most)| least..=most);
    let range = range.filter(|range| !range.is_empty() && *range.end() <= LONGEST_OPENING);
    range.ok_or_else(|| format!("expected a number of plies, `N` or `N-M`, up to {LONGEST_OPENING}"))
}

/// Parses an even number.
pub(in crate::commands) fn parse_even(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number: &u64| number.is_multiple_of(2));
    number.ok_or_else(|| "expected an even number".to_owned())
}

/// Parses a finite number, zero or more.
pub(in crate::commands) fn parse_non_negative(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "expected a number, zero or more".to_owned())
}

/// Parses a number from 0 to 1.
pub(in crate::commands) fn parse_fraction(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// Parses a time in seconds.
pub(in crate::commands) fn parse_seconds(text: &str) -> Result<Duration, String> {
    seconds(text).ok_or_else(|| "expected seconds, from 0 to 1000000".to_owned())
}
