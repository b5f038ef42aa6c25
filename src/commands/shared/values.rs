//! Parsers of the values of arguments.

use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::ops::{Bound, RangeBounds, RangeInclusive};
use std::time::Duration;

use crate::arena::seconds;
use crate::protocol::transport::TcpAddress;

/// The kind of a value.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::commands) enum Kind {
    /// A whole number from `min` to `max`.
    Whole { min: i128, max: i128 },
    /// An even number, zero or more.
    Even,
    /// A number from `min` to `max`; without `min` itself if `is_open`.
    Number { min: f64, max: f64, is_open: bool },
    /// A time in seconds.
    Seconds,
    /// A number of plies, or a range of such numbers.
    Plies,
    /// Something else, in words.
    Other(String),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Whole { min, max } if *max >= i128::from(i64::MAX) => {
                write!(f, "a whole number, {min} or more")
            }
            Kind::Whole { min, max } => write!(f, "a whole number from {min} to {max}"),
            Kind::Even => write!(f, "an even number"),
            Kind::Number { min, is_open: true, .. } => write!(f, "a number above {min}"),
            Kind::Number { min, max, .. } if max.is_finite() => write!(f, "a number from {min} to {max}"),
            Kind::Number { min, .. } => write!(f, "a number, {min} or more"),
            Kind::Seconds => write!(f, "seconds, from 0 to 1000000"),
            Kind::Plies => write!(f, "a number of plies, `N` or `N-M`, up to {MAX_OPENING}"),
            Kind::Other(what) => write!(f, "{what}"),
        }
    }
}

/// The error of a value of the wrong kind. `labrys options` reads the kinds from it.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::commands) struct ValueError {
    /// The expected kind.
    pub(in crate::commands) expected: Kind,
    /// Whether the value is a whole number that overflows.
    is_too_large: bool,
}

impl From<Kind> for ValueError {
    fn from(expected: Kind) -> ValueError {
        ValueError { expected, is_too_large: false }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.expected {
            Kind::Whole { min, max } if self.is_too_large => {
                write!(f, "expected a whole number from {min} to {max}")
            }
            expected => write!(f, "expected {expected}"),
        }
    }
}

impl Error for ValueError {}

/// Maximum length of a random opening in plies: no game needs more, and some would never end.
const MAX_OPENING: usize = 1000;

/// A parser of whole numbers in a range. An open end of the range is that of the type.
pub(in crate::commands) fn whole<T: Whole>(
    range: impl RangeBounds<T>,
) -> impl Fn(&str) -> Result<T, ValueError> + Clone + Send + Sync + 'static {
    let min = match range.start_bound() {
        Bound::Included(bound) => bound.to_i128(),
        Bound::Excluded(bound) => bound.to_i128() + 1,
        Bound::Unbounded => T::MIN,
    };
    let max = match range.end_bound() {
        Bound::Included(bound) => bound.to_i128(),
        Bound::Excluded(bound) => bound.to_i128() - 1,
        Bound::Unbounded => T::MAX,
    };
    move |text| {
        let number = text.parse::<i128>().ok().filter(|number| (min..=max).contains(number));
        number.and_then(T::from_i128).ok_or_else(|| {
            let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
            let is_too_large = is_number && text.parse::<i128>().map_or(true, |number| number > max);
            ValueError { expected: Kind::Whole { min, max }, is_too_large }
        })
    }
}

/// A type of whole numbers.
pub(in crate::commands) trait Whole: Copy {
    /// The minimum.
    const MIN: i128;
    /// The maximum.
    const MAX: i128;

    /// The number.
    fn to_i128(self) -> i128;

    /// Converts a number; `None` if it is out of range.
    fn from_i128(number: i128) -> Option<Self>;
}

macro_rules! whole {
    ($($number:ty)*) => {$(
        impl Whole for $number {
            const MIN: i128 = <$number>::MIN as i128;
            const MAX: i128 = <$number>::MAX as i128;

            fn to_i128(self) -> i128 {
                self as i128
            }

            fn from_i128(number: i128) -> Option<$number> {
                <$number>::try_from(number).ok()
            }
        }
    )*};
}

whole!(u8 u16 u32 u64 usize i32);

impl Whole for NonZeroUsize {
    const MIN: i128 = 1;
    const MAX: i128 = usize::MAX as i128;

    fn to_i128(self) -> i128 {
        self.get() as i128
    }

    fn from_i128(number: i128) -> Option<NonZeroUsize> {
        usize::try_from(number).ok().and_then(NonZeroUsize::new)
    }
}

/// Parses a number of plies, `N`, or a range, `N-M`.
pub(in crate::commands) fn plies(text: &str) -> Result<RangeInclusive<usize>, ValueError> {
    let (min, max) = text.split_once('-').unwrap_or((text, text));
    let range = min.parse().ok().zip(max.parse().ok()).map(|(min, max)| min..=max);
    let range = range.filter(|range| !range.is_empty() && *range.end() <= MAX_OPENING);
    range.ok_or_else(|| Kind::Plies.into())
}

/// Parses an even number.
pub(in crate::commands) fn even(text: &str) -> Result<u64, ValueError> {
    let number = text.parse().ok().filter(|number: &u64| number.is_multiple_of(2));
    number.ok_or_else(|| Kind::Even.into())
}

/// Parses a number, zero or more.
pub(in crate::commands) fn non_negative(text: &str) -> Result<f64, ValueError> {
    number(text, Kind::Number { min: 0.0, max: f64::INFINITY, is_open: false })
}

/// Parses a number above zero.
pub(in crate::commands) fn positive(text: &str) -> Result<f64, ValueError> {
    number(text, Kind::Number { min: 0.0, max: f64::INFINITY, is_open: true })
}

/// Parses a number from 0 to 1.
pub(in crate::commands) fn fraction(text: &str) -> Result<f64, ValueError> {
    number(text, Kind::Number { min: 0.0, max: 1.0, is_open: false })
}

fn number(text: &str, kind: Kind) -> Result<f64, ValueError> {
    let Kind::Number { min, max, is_open } = kind else { return Err(kind.into()) };
    let is_in =
        |number: &f64| number.is_finite() && (min..=max).contains(number) && !(is_open && *number == min);
    text.parse().ok().filter(is_in).ok_or_else(|| kind.into())
}

/// Parses a time in seconds.
pub(in crate::commands) fn duration(text: &str) -> Result<Duration, ValueError> {
    seconds(text).ok_or_else(|| Kind::Seconds.into())
}

/// Parses an IP address.
pub(in crate::commands) fn ip_address(text: &str) -> Result<IpAddr, ValueError> {
    text.parse().map_err(|_| Kind::Other("an IP address, as in `127.0.0.1`".to_owned()).into())
}

/// Parses a port, meaning one of this machine, or an address with a port.
pub(in crate::commands) fn socket_address(text: &str) -> Result<SocketAddr, ValueError> {
    let port = text.parse().map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let address = port.or_else(|_| text.parse::<SocketAddr>());
    let expected = "a port, or an address with a port, as in `127.0.0.1:3000`";
    address.map_err(|_| Kind::Other(expected.to_owned()).into())
}

/// Parses the address of a TCP port.
pub(in crate::commands) fn tcp_address(text: &str) -> Result<TcpAddress, ValueError> {
    text.parse().map_err(|()| Kind::Other("an address, HOST:PORT".to_owned()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_number_names_its_range() {
        let of = |text: &str| whole::<u64>(1..)(text).map_err(|refused| refused.to_string());
        assert_eq!(of("18446744073709551615"), Ok(u64::MAX));
        for text in ["0", "-1", "x", "1.5", "", " 1"] {
            assert_eq!(of(text).unwrap_err(), "expected a whole number, 1 or more", "{text}");
        }
        for text in ["18446744073709551616", &"9".repeat(50)] {
            let expected = "expected a whole number from 1 to 18446744073709551615";
            assert_eq!(of(text).unwrap_err(), expected, "{text}");
        }
        let port = whole::<u16>(..);
        assert_eq!((port("0"), port("65535")), (Ok(0), Ok(65535)));
        assert_eq!(port("65536").unwrap_err().to_string(), "expected a whole number from 0 to 65535");
        assert_eq!(whole::<i32>(-2..=2)("-2"), Ok(-2));
        assert_eq!(whole::<u8>(2..5)("5").unwrap_err().to_string(), "expected a whole number from 2 to 4");
        for (text, expected) in
            [("nan", None), ("inf", None), ("-0.1", None), ("1.01", None), ("0.5", Some(0.5))]
        {
            assert_eq!(fraction(text).ok(), expected, "{text}");
        }
        assert_eq!((non_negative("0"), positive("0").is_err()), (Ok(0.0), true));
    }
}
