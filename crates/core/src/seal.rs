//! Checksums of texts that have them in themselves: the CRC-32 of all bytes, with zeros in the place of its
//! eight digits. So a header is covered to its last byte, its form included.

use std::ops::Range;

use thiserror::Error;

/// Digits of a checksum.
const DIGITS: usize = 8;

/// The most bytes between the name of the entry and its digits: quotation marks, a colon, a space, and
/// backslashes where the text is in a string.
const MOST_BETWEEN: usize = 8;

/// A text that has changed since it was written, or does not have its checksum.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SealError {
    /// There is no entry with a checksum.
    #[error("damaged: it has no checksum `{0}`")]
    Missing(&'static str),
    /// It is another one.
    #[error("damaged: checksum {found:08x}, expected {expected}")]
    Wrong {
        /// The checksum of the text.
        found: u32,
        /// The one in it.
        expected: String,
    },
}

/// Writes the checksum of a text into its last entry of this name, which has eight hexadecimal digits.
///
/// # Errors
/// [`SealError::Missing`]: there is no such entry.
pub fn seal(text: &mut [u8], name: &'static str) -> Result<(), SealError> {
    let place = place(text, name).ok_or(SealError::Missing(name))?;
    let sum = format!("{:08x}", checksum(text, &place));
    text[place].copy_from_slice(sum.as_bytes());
    Ok(())
}

/// Checks the checksum that [`seal`] has written.
///
/// # Errors
/// [`SealError`].
pub fn check(text: &[u8], name: &'static str) -> Result<(), SealError> {
    let place = place(text, name).ok_or(SealError::Missing(name))?;
    let (found, expected) = (checksum(text, &place), String::from_utf8_lossy(&text[place]).into_owned());
    if format!("{found:08x}") == expected { Ok(()) } else { Err(SealError::Wrong { found, expected }) }
}

/// The checksum with zeros in that place.
fn checksum(text: &[u8], place: &Range<usize>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&text[..place.start]);
    hasher.update(&[b'0'; DIGITS]);
    hasher.update(&text[place.end..]);
    hasher.finalize()
}

/// The place of the digits.
fn place(text: &[u8], name: &str) -> Option<Range<usize>> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let end = text.windows(name.len()).rposition(|part| part == name.as_bytes())? + name.len();
    let between = text[end..].iter().take(MOST_BETWEEN).position(is_digit)?;
    let place = end + between..end + between + DIGITS;
    text.get(place.clone())?.iter().all(is_digit).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_seen() {
        for text in [r#"{"a":1,"crc32":"00000000"}"#, r#"{\"crc32\": \"00000000\", \"a\": 1}   "#] {
            let mut sealed = text.as_bytes().to_vec();
            seal(&mut sealed, "crc32").unwrap();
            assert_ne!(sealed, text.as_bytes());
            check(&sealed, "crc32").unwrap();
            for bit in 0..8 * sealed.len() {
                let mut damaged = sealed.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert!(check(&damaged, "crc32").is_err(), "{}", String::from_utf8_lossy(&damaged));
            }
        }
        assert_eq!(seal(&mut b"{}".to_vec(), "crc32"), Err(SealError::Missing("crc32")));
    }
}
