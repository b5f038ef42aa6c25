//! Reading of lines from arbitrary bytes.

use std::io::{self, BufRead};

use thiserror::Error;

/// The longest line in bytes, unless there is another limit. A game of a hundred thousand moves fits.
pub(super) const MAX_LINE: usize = 1 << 20;

/// A line that cannot be read.
#[derive(Debug, Error)]
#[error("{problem}")]
pub(super) struct LineError {
    problem: LineProblem,
    /// The line as far as it can be read.
    pub(super) text: String,
}

impl LineError {
    /// The line with signs for the bytes that are not UTF-8; the error for a line that is too long.
    pub(super) fn lossy(self) -> Result<String, LineError> {
        match self.problem {
            LineProblem::Encoding { .. } => Ok(self.text),
            LineProblem::TooLong { .. } => Err(self),
        }
    }
}

/// Why a line cannot be read.
#[derive(Debug, Error)]
enum LineProblem {
    /// Bytes that are not UTF-8.
    #[error("byte 0x{byte:02x} at position {position} of the line is not UTF-8")]
    Encoding { byte: u8, position: usize },
    /// The line is too long.
    #[error("a line of more than {max} bytes")]
    TooLong { max: usize },
}

/// The lines of an input, trimmed of spaces, zeros and byte order marks.
pub(super) struct Lines<R> {
    input: R,
    max: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Lines<R> {
        Lines::with_max(input, MAX_LINE)
    }

    /// The same with another limit of their length.
    pub(super) fn with_max(input: R, max: usize) -> Lines<R> {
        Lines { input, max }
    }

    /// The next line without its end (LF or CRLF); `None` at the end of the input.
    pub(super) fn next(&mut self) -> io::Result<Option<Result<String, LineError>>> {
        let mut line = read_line(&mut self.input, self.max)?;
        if let Some(Ok(text) | Err(LineError { text, .. })) = &mut line {
            text.truncate(text.trim_end_matches(is_unseen).len());
            text.drain(..text.len() - text.trim_start_matches(is_unseen).len());
        }
        Ok(line)
    }
}

/// Whether a character is invisible: byte order marks, also within concatenated files, zeros of programs that
/// write their whole buffer, and the end-of-file sign of old files.
fn is_unseen(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(letter, '\0' | '\u{1a}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Reads a line without its end; `None` at the end of the input.
fn read_line(input: &mut impl BufRead, max: usize) -> io::Result<Option<Result<String, LineError>>> {
    let mut line = Vec::new();
    let mut length = 0;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() && length == 0 {
            return Ok(None);
        }
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let taken = end.unwrap_or(chunk.len());
        length += taken;
        line.extend_from_slice(&chunk[..taken.min(max - line.len())]);
        let last = end.is_some() || chunk.is_empty();
        let consumed = end.map_or(taken, |end| end + 1);
        // Count the line end, so that an empty line is not taken for the end of input.
        length += usize::from(end.is_some());
        input.consume(consumed);
        if last {
            return Ok(Some(decode(line, length, max)));
        }
    }
}

fn decode(line: Vec<u8>, length: usize, max: usize) -> Result<String, LineError> {
    if length > max + 1 {
        let text = String::from_utf8_lossy(&line).into_owned();
        return Err(LineError { problem: LineProblem::TooLong { max }, text });
    }
    String::from_utf8(line).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        let problem = LineProblem::Encoding { byte: error.as_bytes()[position], position: position + 1 };
        LineError { problem, text: String::from_utf8_lossy(error.as_bytes()).into_owned() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<String> {
        let (mut found, mut input) = (Vec::new(), Lines::new(input));
        while let Some(line) = input.next().unwrap() {
            found.push(line.unwrap_or_else(|error| format!("! {error}")));
        }
        found
    }

    #[test]
    fn invisible_characters_around_a_line_are_ignored() {
        assert_eq!(lines("\u{feff}uci\n\u{feff}d".as_bytes()), ["uci", "d"]);
        assert_eq!(lines("\u{feff}\r\n\u{feff}\u{feff} d\n".as_bytes()), ["", "d"]);
        assert_eq!(lines("\0stop\0\r\n\0\n d \u{1a}\u{200b}".as_bytes()), ["stop", "", "d"]);
        assert_eq!(lines(b"\xef\xbb\xbfa\xff"), ["! byte 0xff at position 5 of the line is not UTF-8"]);
    }

    #[test]
    fn lines_end_with_lf_crlf_or_the_input() {
        assert_eq!(lines(b"a\nb\r\n\n\r\nc"), ["a", "b", "", "", "c"]);
        assert_eq!(lines(b""), [""; 0]);
        assert_eq!(lines(b"\n"), [""]);
    }

    #[test]
    fn bad_bytes_are_named_and_the_next_line_is_read() {
        assert_eq!(lines(b"ab\xffc\nd\n"), ["! byte 0xff at position 3 of the line is not UTF-8", "d"]);
    }

    #[test]
    fn endless_lines_are_refused_and_the_next_line_is_read() {
        let mut input = vec![b'x'; MAX_LINE];
        input.extend(b"\nd\n");
        assert_eq!(lines(&input)[0].len(), MAX_LINE);
        input.insert(0, b'x');
        assert_eq!(lines(&input), ["! a line of more than 1048576 bytes", "d"]);
    }
}
