//! Lenient decoding of text files.

use std::io::{self, BufRead, BufReader};
use std::path::Path;

use encoding_rs::{Encoding, WINDOWS_1252};
use encoding_rs_io::DecodeReaderBytesBuilder;

use labrys_core::input;

/// The byte order mark of UTF-8 in text files.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads a text file, see [`decode`], of at most [`input::MAX_TEXT`] bytes.
///
/// # Errors
/// The error of the system, or that it is larger or no file.
pub fn read(path: &Path) -> io::Result<String> {
    read_at_most(path, input::MAX_TEXT)
}

/// The same of at most `max` bytes.
///
/// # Errors
/// Those of [`read`].
pub fn read_at_most(path: &Path, max: u64) -> io::Result<String> {
    input::read_all(input::open_stream(path)?, max).map(|bytes| decode(&bytes))
}

/// Opens a text file of any length. UTF-16 with a byte order mark becomes UTF-8; all else is as it is in the
/// file.
///
/// # Errors
/// The error of the system.
pub fn open(path: &Path) -> io::Result<impl BufRead + use<>> {
    let file = input::open_stream(path)?;
    let decoder = DecodeReaderBytesBuilder::new().bom_sniffing(true).utf8_passthru(true).build(file);
    Ok(BufReader::new(decoder))
}

/// A text from its bytes: UTF-16 with a byte order mark, UTF-8, or Windows-1252 (and so Latin-1) where a line
/// is no valid UTF-8. Line ends may be LF, CR or CRLF, and are LF in the result.
pub fn decode(bytes: &[u8]) -> String {
    let text = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned(),
        None => bytes.split_inclusive(|&byte| byte == b'\n').map(|line| decode_line(line.to_vec())).collect(),
    };
    match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n"),
        false => text,
    }
}

/// A line from its bytes: UTF-8, or Windows-1252 (and so Latin-1) where it is no valid UTF-8.
pub fn decode_line(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| WINDOWS_1252.decode_without_bom_handling(error.as_bytes()).0.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_and_line_end_is_read() {
        let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        for (bytes, text) in [
            (b"a\nb\r\nc\rd\r\r\n".to_vec(), "a\nb\nc\nd\n\n"),
            ("\u{feff}\u{17d}\r\n".into(), "\u{17d}\n"),
            (utf16("\u{feff}\u{17d}\r\nb"), "\u{17d}\nb"),
            ("\u{feff}\u{17d}".encode_utf16().flat_map(u16::to_be_bytes).collect(), "\u{17d}"),
            (b"\xe9\n\xc5\xbd\n".to_vec(), "\u{e9}\n\u{17d}\n"),
            (Vec::new(), ""),
        ] {
            assert_eq!(decode(&bytes), text, "{bytes:?}");
        }
    }
}
