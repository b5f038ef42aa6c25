//! Checksums embedded in the text that they cover: the CRC-32 of all bytes, with zeros in place of its own
//! eight digits.

use std::ops::Range;

use thiserror::Error;

/// The number of hexadecimal digits of a checksum.
const DIGITS: usize = 8;

/// The maximum number of bytes between the name of the entry and its digits: quotation marks, colon, space,
/// and backslashes if the text is inside a string.
const MAX_GAP: usize = 8;

/// A missing or wrong checksum.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SealError {
    /// There is no checksum.
    #[error("damaged: it has no checksum `{0}`")]
    Missing(&'static str),
    /// The checksum does not match.
    #[error("damaged: checksum {found:08x}, expected {expected}")]
    Wrong {
        /// The checksum of the text.
        found: u32,
        /// The checksum in the text.
        expected: String,
    },
}

/// Writes the checksum of a text into its last entry with this name, over eight hexadecimal digits.
///
/// # Errors
/// [`SealError::Missing`] if there is no such entry.
pub fn seal(text: &mut [u8], name: &'static str) -> Result<(), SealError> {
    let range = range(text, name).ok_or(SealError::Missing(name))?;
    let sum = format!("{:08x}", checksum(text, &range));
    text[range].copy_from_slice(sum.as_bytes());
    Ok(())
}

/// Verifies the checksum written by [`seal`].
///
/// # Errors
/// If it is missing or wrong.
pub fn check(text: &[u8], name: &'static str) -> Result<(), SealError> {
    let range = range(text, name).ok_or(SealError::Missing(name))?;
    let (found, expected) = (checksum(text, &range), String::from_utf8_lossy(&text[range]).into_owned());
    if format!("{found:08x}") == expected { Ok(()) } else { Err(SealError::Wrong { found, expected }) }
}

/// The checksum of a text, with zeros in the range of the digits.
fn checksum(text: &[u8], range: &Range<usize>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&text[..range.start]);
    hasher.update(&[b'0'; DIGITS]);
    hasher.update(&text[range.end..]);
    hasher.finalize()
}

/// The range of the digits.
fn range(text: &[u8], name: &str) -> Option<Range<usize>> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let end = text.windows(name.len()).rposition(|part| part == name.as_bytes())? + name.len();
    let gap = text[end..].iter().take(MAX_GAP).position(is_digit)?;
    let range = end + gap..end + gap + DIGITS;
    text.get(range.clone())?.iter().all(is_digit).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_detected() {
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
