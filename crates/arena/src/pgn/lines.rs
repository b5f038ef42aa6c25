//! The lines of a PGN file, in any encoding and with any line ends.

use std::collections::VecDeque;
use std::io::BufRead;

use labrys_support::text::{BYTE_ORDER_MARK, decode_line};

use super::Problem;

/// The longest line in bytes: whole games come on one line.
pub(super) const MAX_LINE: usize = 1 << 24;

/// Bytes 0xff in a row that are no text: what is left of a page of a disk. Fewer may be letters.
const ERASED: [u8; 4] = [0xff; 4];

/// A text that is read line by line. Lines are UTF-8, or Windows-1252 (and so Latin-1) where they are no
/// valid UTF-8, and end with a line feed, a carriage return or both.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    /// The current line with its end.
    line: String,
    /// Bytes of the current line that have been read.
    at: usize,
    /// Number of the current line, from 1.
    number: usize,
    /// Bytes of the file before the text of the current line.
    before: u64,
    /// Length of the current line in the file, in bytes.
    length: u64,
    /// The first bytes of each run of those that are no text, since they were last taken.
    damage: VecDeque<Damage>,
}

/// A byte of a file that is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    /// Its line, from 1.
    pub(super) line: usize,
    /// The byte.
    pub(super) byte: u8,
    /// Its place in the file.
    place: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Lines<R> {
        Lines { input, line: String::new(), at: 0, number: 0, before: 0, length: 0, damage: VecDeque::new() }
    }

    /// The first byte that is no text in what has been read since the last one was taken.
    pub(super) fn take_damage(&mut self) -> Option<Damage> {
        let read = self.bytes_read();
        let count = self.damage.iter().take_while(|damage| damage.place < read).count();
        self.damage.drain(..count).next()
    }

    /// The number of the current line, counted from 1.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// The length of what has been read, in bytes of the file.
    pub(super) fn bytes_read(&self) -> u64 {
        let read = &self.line[..self.at];
        // In Windows-1252 each character is a byte, and some need more in UTF-8.
        let is_utf8 = self.line.len() as u64 == self.length;
        self.before + if is_utf8 { read.len() } else { read.chars().count() } as u64
    }

    /// The unread rest of the current line.
    pub(super) fn rest(&self) -> &str {
        &self.line[self.at..]
    }

    /// The next character of the line.
    pub(super) fn letter(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips bytes of the line.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Skips characters of the line.
    pub(super) fn skip_while(&mut self, is_skipped: impl Fn(char) -> bool) {
        let rest = self.rest();
        let end = rest.find(|letter| !is_skipped(letter)).unwrap_or(rest.len());
        self.at += end;
    }

    /// Whether only spaces of the line have been read.
    pub(super) fn at_start(&self) -> bool {
        self.line[..self.at].chars().all(is_space)
    }

    /// Reads the next line; false at the end of the file.
    pub(super) fn next_line(&mut self) -> Result<bool, Problem> {
        self.before += self.length;
        (self.at, self.length) = (0, 0);
        self.line.clear();
        let mut bytes = self.bytes_of_line().map_err(|error| Problem::Read(error.to_string()))?;
        if bytes.is_empty() {
            return Ok(false);
        }
        self.number += 1;
        self.length = bytes.len() as u64;
        if bytes.len() > MAX_LINE {
            return Err(Problem::LongLine);
        }
        let (line, before) = (self.number, self.before);
        blank_damage(&mut bytes, |at, byte| {
            self.damage.push_back(Damage { line, byte, place: before + at as u64 });
        });
        self.line = decode_line(bytes);
        // Files that were put together have it between games, too.
        if self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.remove(0);
            self.before += BYTE_ORDER_MARK.len_utf8() as u64;
            self.length -= BYTE_ORDER_MARK.len_utf8() as u64;
        }
        Ok(true)
    }

    /// The bytes of the next line with its end; of a line that is too long, the first ones.
    fn bytes_of_line(&mut self) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while bytes.len() <= MAX_LINE {
            let buffer = match self.input.fill_buf() {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            // A carriage return may end a line itself, or belong to the line feed after it.
            let is_ended = bytes.last() == Some(&b'\r');
            let found = match is_ended {
                true => buffer.first().filter(|byte| **byte == b'\n').map(|_| 0),
                false => buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r')),
            };
            if buffer.is_empty() || (is_ended && found.is_none()) {
                break;
            }
            let length = found.map_or(buffer.len(), |at| at + 1);
            bytes.extend_from_slice(&buffer[..length]);
            self.input.consume(length);
            if bytes.last() == Some(&b'\n') {
                break;
            }
        }
        Ok(bytes)
    }

    /// Goes to the next letter that is neither a space nor in a `%` line. The result says whether blank lines
    /// were passed; `None` at the end of the file.
    pub(super) fn skip_space(&mut self) -> Result<Option<bool>, Problem> {
        let mut is_after_blank = false;
        loop {
            let rest = self.rest().trim_start_matches(is_space);
            let is_escaped = self.at == 0 && self.line.starts_with('%');
            if !(is_escaped || rest.is_empty()) {
                self.at = self.line.len() - rest.len();
                return Ok(Some(is_after_blank));
            }
            is_after_blank |= !self.line.is_empty() && !is_escaped && self.at_start();
            if !self.next_line()? {
                return Ok(None);
            }
        }
    }
}

/// Makes the bytes of a line that are no text spaces. `each` gets the index and the byte of each run of them.
fn blank_damage(bytes: &mut [u8], mut each: impl FnMut(usize, u8)) {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let length = match byte {
            0 => 1,
            0xff if bytes[at..].starts_with(&ERASED) => ERASED.len(),
            _ => 0,
        };
        // Those behind the first ones are of the same block.
        let rest = bytes[at + length..].iter().take_while(|&&other| length > 0 && other == byte).count();
        if length > 0 {
            each(at, byte);
            bytes[at..at + length + rest].fill(b' ');
        }
        at += (length + rest).max(1);
    }
}

/// Whether a character counts as a space, as do control characters and zero-width marks of pasted texts.
pub(super) fn is_space(letter: char) -> bool {
    letter.is_whitespace()
        || letter.is_control()
        || matches!(
            letter,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe0e}' | '\u{fe0f}' | BYTE_ORDER_MARK
        )
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::*;

    #[test]
    fn lines_end_in_every_way() {
        let text = "a\nb\r\nc\rd\r\r\n\u{feff}e";
        // A buffer of one byte cuts every pair.
        for size in [1, 2, 100] {
            let mut lines = Lines::new(std::io::BufReader::with_capacity(size, text.as_bytes()));
            let mut read = Vec::new();
            while lines.next_line().unwrap() {
                read.push((lines.number(), lines.rest().trim().to_owned(), lines.bytes_read()));
            }
            let found: Vec<_> = read.iter().map(|(number, line, at)| (*number, &**line, *at)).collect();
            assert_eq!(found, [(1, "a", 0), (2, "b", 2), (3, "c", 5), (4, "d", 7), (5, "", 9), (6, "e", 14)]);
        }
    }

    #[test]
    fn a_byte_order_mark_counts_before_its_line() {
        let mut lines = Lines::new("\u{feff}a\nb".as_bytes());
        let places = [(); 2].map(|()| (lines.next_line().unwrap(), lines.bytes_read()));
        assert_eq!(places, [(true, 3), (true, 5)]);
    }

    /// A file whose first reads fail.
    struct Faulty(Vec<io::ErrorKind>, &'static [u8]);

    impl Read for Faulty {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let read = self.fill_buf()?.read(bytes)?;
            self.consume(read);
            Ok(read)
        }
    }

    impl BufRead for Faulty {
        fn fill_buf(&mut self) -> io::Result<&[u8]> {
            self.0.pop().map_or(Ok(self.1), |kind| Err(kind.into()))
        }

        fn consume(&mut self, bytes: usize) {
            self.1 = &self.1[bytes..];
        }
    }

    #[test]
    fn an_interrupted_read_is_tried_again_and_no_other_one() {
        let next = |kinds| {
            let mut lines = Lines::new(Faulty(kinds, b"a\n"));
            lines.next_line().map(|found| (found, lines.rest().trim().to_owned()))
        };
        assert_eq!(next(vec![io::ErrorKind::Interrupted; 2]), Ok((true, "a".to_owned())));
        assert!(matches!(next(vec![io::ErrorKind::PermissionDenied]), Err(Problem::Read(_))));
    }
}
