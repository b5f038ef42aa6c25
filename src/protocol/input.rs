//! Reading of lines from arbitrary bytes.

use std::io::{self, BufRead};

use thiserror::Error;

/// The longest line in bytes. A game of a hundred thousand moves fits.
const LONGEST: usize = 1 << 20;

/// An error in a line.
#[derive(Debug, Error)]
pub(super) enum LineError {
    /// Bytes that are not UTF-8.
    #[error("byte 0x{byte:02x} at position {position} of the line is not UTF-8")]
    Encoding { byte: u8, position: usize },
    /// The line is too long.
    #[error("a line of more than {LONGEST} bytes")]
    TooLong,
}

/// Reads a line without its end (LF or CRLF); `None` at the end of the input.
pub(super) fn read_line(input: &mut impl BufRead) -> io::Result<Option<Result<String, LineError>>> {
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
        if length <= LONGEST {
            line.extend_from_slice(&chunk[..taken]);
        }
        let last = end.is_some() || chunk.is_empty();
        let consumed = end.map_or(taken, |end| end + 1);
        // Count the line end, so that an empty line is not taken for the end of input.
        length += usize::from(end.is_some());
        input.consume(consumed);
        if last {
            return Ok(Some(decode(line, length)));
        }
    }
}

fn decode(mut line: Vec<u8>, length: usize) -> Result<String, LineError> {
    if length > LONGEST + 1 {
        return Err(LineError::TooLong);
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    String::from_utf8(line).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        LineError::Encoding { byte: error.as_bytes()[position], position: position + 1 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut input: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input).unwrap() {
            lines.push(line.unwrap_or_else(|error| format!("! {error}")));
        }
        lines
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
        let mut input = vec![b'x'; LONGEST];
        input.extend(b"\nd\n");
        assert_eq!(lines(&input)[0].len(), LONGEST);
        input.insert(0, b'x');
        assert_eq!(lines(&input), ["! a line of more than 1048576 bytes", "d"]);
    }
}
