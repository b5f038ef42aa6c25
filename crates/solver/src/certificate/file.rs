//! The file of a certificate: two lines of text, compressed tokens, a checksum.
//! `docs/certificates.md` describes it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take, Write};
use std::path::Path;

use flate2::bufread::DeflateDecoder;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::super::ChanceError;
use labrys_core::game::{Wdl, quote};
use labrys_core::input;

/// The first line.
const TITLE: &str = "Labrys proof 1";

/// The longest second line.
const MAX_HEADER: u64 = 1 << 12;

/// Bytes of the checksum at the end.
const CHECKSUM: u64 = 4;

/// Tokens, each a number. Numbers from [`MOVE`] on are moves of the player, as places in the list of legal
/// moves.
pub(super) const SEARCHED: u64 = 0;
pub(super) const COUNTED: u64 = 1;
/// Another certificate proves the position.
pub(super) const KNOWN: u64 = 2;
/// A position that has been kept; the number of positions kept since then and itself follows.
pub(super) const REFERENCE: u64 = 3;
/// All replies of the opponent follow.
pub(super) const REPLIES: u64 = 4;
/// The same, and the position will be referred to.
pub(super) const KEPT: u64 = 5;
pub(super) const MOVE: u64 = 6;

/// What a certificate proves, and how large it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The game.
    pub variant: String,
    /// The position.
    pub fen: String,
    /// Its value for the side to move.
    pub value: Wdl,
    /// Its tokens by kind.
    #[serde(flatten)]
    pub counts: Counts,
}

/// The tokens of a certificate by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Moves of the player.
    pub moves: u64,
    /// Positions with all replies of the opponent.
    pub replies: u64,
    /// Those of them that are referred to.
    pub kept: u64,
    /// References to them.
    pub references: u64,
    /// Lines that a short search by the rules ends.
    pub searched: u64,
    /// Lines that a count of moves ends.
    pub counted: u64,
    /// Lines that end in positions of other certificates.
    pub assumed: u64,
}

impl Counts {
    /// Positions with a move or with all replies.
    pub fn positions(&self) -> u64 {
        self.moves + self.replies
    }

    /// Counts a token.
    pub(super) fn add(&mut self, token: u64) {
        *match token {
            SEARCHED => &mut self.searched,
            COUNTED => &mut self.counted,
            KNOWN => &mut self.assumed,
            REFERENCE => &mut self.references,
            REPLIES => &mut self.replies,
            KEPT => {
                self.kept += 1;
                &mut self.replies
            }
            _ => &mut self.moves,
        } += 1;
    }
}

/// Why a certificate is refused.
#[derive(Debug, Error)]
pub enum CertificateError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(io::Error),
    /// Not a certificate.
    #[error("is no certificate: it does not begin with `{TITLE}`")]
    Foreign,
    /// Bytes have changed or are missing.
    #[error("is damaged or incomplete: its checksum is {found:08x}, not {expected:08x}")]
    Damaged {
        /// The checksum of the bytes.
        found: u32,
        /// The checksum at the end.
        expected: u32,
    },
    /// The second line is wrong.
    #[error("has an invalid header: {0}")]
    Header(String),
    /// A certificate of another game.
    #[error("is of the game {}, not {expected}", quote(.found))]
    Game {
        /// Its game.
        found: String,
        /// The game expected.
        expected: &'static str,
    },
    /// A certificate of another position.
    #[error("is of the position {}, not {expected}", quote(.found))]
    Position {
        /// Its position.
        found: String,
        /// The position expected.
        expected: String,
    },
    /// A certificate of a game whose results cannot be proven.
    #[error("proves nothing: {0}")]
    Chance(#[from] ChanceError),
    /// The proof has a flaw.
    #[error("proves nothing: {flaw}: {fen}")]
    Flaw {
        /// The position, where there is one.
        fen: String,
        /// The problem.
        flaw: String,
    },
    /// The file has more bytes after the proof.
    #[error("has more bytes than its proof")]
    Trailing,
    /// The numbers in the header are not those of the proof.
    #[error("has a header with other numbers than its proof")]
    Counts,
}

/// The second line of a certificate, which has one form: other fields, spaces and line ends would be read and
/// mean nothing, or be shown where they mean something else.
fn parse_header(line: &str) -> Result<Header, CertificateError> {
    let invalid = |problem: String| CertificateError::Header(problem);
    let text = line.strip_suffix('\n').ok_or_else(|| invalid("it has no end".to_owned()))?;
    let header: Header = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
    if [&header.variant, &header.fen].into_iter().any(|text| text.contains(char::is_control)) {
        return Err(invalid("a control character".to_owned()));
    }
    let own = serde_json::to_string(&header).map_err(|error| invalid(error.to_string()))?;
    if own == text { Ok(header) } else { Err(invalid(format!("expected {}", quote(&own)))) }
}

// Not its source: the message has the error already.
impl From<io::Error> for CertificateError {
    fn from(error: io::Error) -> CertificateError {
        CertificateError::Io(error)
    }
}

/// Writes the title and the header.
pub(super) fn write_header(file: &mut dyn Write, header: &Header) -> io::Result<()> {
    writeln!(file, "{TITLE}\n{}", serde_json::to_string(header)?)
}

/// Writes a number, seven bits a byte, the lowest first; all bytes but the last have the highest bit set.
pub(super) fn write_number(file: &mut dyn Write, mut number: u64) -> io::Result<()> {
    while number >= 0x80 {
        file.write_all(&[number as u8 | 0x80])?;
        number >>= 7;
    }
    file.write_all(&[number as u8])
}

/// Reads a number as [`write_number`] writes it; `None` at the end of the file, but not within a number.
pub(super) fn read_number(file: &mut dyn Read) -> io::Result<Option<u64>> {
    let (mut number, mut byte) = (0, [0]);
    for shift in (0..u64::BITS).step_by(7) {
        match file.read(&mut byte)? {
            0 if shift > 0 => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the last number has no end"));
            }
            0 => return Ok(None),
            _ => {}
        }
        let bits = u64::from(byte[0] & 0x7F);
        if bits << shift >> shift != bits {
            break;
        }
        number |= bits << shift;
        match byte[0] {
            0 if shift > 0 => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a number has an empty byte"));
            }
            0..0x80 => return Ok(Some(number)),
            _ => {}
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "a number is too large"))
}

/// A writer that computes the checksum of its output.
pub(super) struct ChecksumWriter<'a> {
    file: &'a mut dyn Write,
    sum: crc32fast::Hasher,
}

impl<'a> ChecksumWriter<'a> {
    pub(super) fn new(file: &'a mut dyn Write) -> ChecksumWriter<'a> {
        ChecksumWriter { file, sum: crc32fast::Hasher::new() }
    }

    /// Writes the checksum, and returns it.
    pub(super) fn finish(self) -> io::Result<u32> {
        let sum = self.sum.finalize();
        self.file.write_all(&sum.to_le_bytes())?;
        Ok(sum)
    }
}

impl Write for ChecksumWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The tokens of a certificate.
pub(super) type Tokens = BufReader<DeflateDecoder<Take<BufReader<File>>>>;

/// Opens a certificate and compares its checksum, which is returned, too.
pub(super) fn open(path: &Path) -> Result<(Header, u32, Tokens), CertificateError> {
    let mut file = BufReader::new(input::open(path)?);
    let length = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut title = Vec::new();
    file.by_ref().take(TITLE.len() as u64 + 1).read_to_end(&mut title)?;
    if title.strip_suffix(b"\n") != Some(TITLE.as_bytes()) {
        return Err(CertificateError::Foreign);
    }
    let start = title.len() as u64;
    let rest = length.saturating_sub(start + CHECKSUM);
    let mut sum = crc32fast::Hasher::new();
    sum.update(&title);
    copy(&mut file.by_ref().take(rest), |bytes| sum.update(bytes))?;
    let mut expected = [0; CHECKSUM as usize];
    let is_complete = file.read_exact(&mut expected).is_ok();
    let (found, expected) = (sum.finalize(), u32::from_le_bytes(expected));
    if !is_complete || found != expected {
        return Err(CertificateError::Damaged { found, expected });
    }
    file.seek(SeekFrom::Start(start))?;
    let mut line = String::new();
    let read = file.by_ref().take(MAX_HEADER.min(rest)).read_line(&mut line);
    read.map_err(|error| CertificateError::Header(error.to_string()))?;
    let header = parse_header(&line)?;
    let tokens = file.take(rest - line.len() as u64);
    Ok((header, found, BufReader::new(DeflateDecoder::new(tokens))))
}

/// Whether nothing follows the tokens, which have been read.
pub(super) fn is_at_end(tokens: &Tokens) -> bool {
    tokens.get_ref().get_ref().limit() == 0
}

/// What a certificate claims, and its checksum, without checking the proof.
///
/// # Errors
/// [`CertificateError`].
pub fn header_of(path: &Path) -> Result<(Header, u32), CertificateError> {
    open(path).map(|(header, checksum, _)| (header, checksum))
}

/// Reads to the end.
fn copy(file: &mut dyn Read, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            count => each(&buffer[..count]),
        }
    }
}

/// Whether a file begins as a certificate.
///
/// # Errors
/// The error of the system.
pub(in super::super) fn is_certificate(path: &Path) -> io::Result<bool> {
    let mut title = Vec::new();
    input::open_stream(path)?.take(TITLE.len() as u64).read_to_end(&mut title)?;
    Ok(title == TITLE.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_form() {
        for number in [0, 1, 127, 128, 1 << 35, u64::MAX] {
            let mut bytes = Vec::new();
            write_number(&mut bytes, number).unwrap();
            assert_eq!(read_number(&mut &bytes[..]).unwrap(), Some(number));
        }
        let bits = [0x80; 8];
        for (beginning, end) in
            [(&[0x93][..], &[0x80, 2][..]), (&[0x80], &[]), (&[0x93], &[0]), (&[0xFF], &[0xFF, 0x7F])]
        {
            let bytes = [beginning, if end.len() > 1 { &bits } else { &[] }, end].concat();
            assert!(read_number(&mut &bytes[..]).is_err(), "{bytes:x?}");
        }
    }

    #[test]
    fn tokens_are_counted_by_kind() {
        let mut counts = Counts::default();
        for token in [SEARCHED, COUNTED, KNOWN, REFERENCE, REPLIES, KEPT, MOVE, MOVE + 1, MOVE + 900] {
            counts.add(token);
        }
        let expected =
            Counts { moves: 3, replies: 2, kept: 1, references: 1, searched: 1, counted: 1, assumed: 1 };
        assert_eq!((counts, counts.positions()), (expected, 5));
    }

    #[test]
    fn the_checksum_is_that_of_what_was_written() {
        /// Takes one byte at a time.
        struct Slow(Vec<u8>, usize);

        impl Write for Slow {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.extend(bytes.first());
                Ok(bytes.len().min(1))
            }

            fn flush(&mut self) -> io::Result<()> {
                self.1 += 1;
                Ok(())
            }
        }

        let mut slow = Slow(Vec::new(), 0);
        let mut file = ChecksumWriter::new(&mut slow);
        file.write_all(b"tokens").unwrap();
        file.flush().unwrap();
        let sum = file.finish().unwrap();
        assert_eq!(sum, crc32fast::hash(b"tokens"));
        assert_eq!((slow.0, slow.1), ([&b"tokens"[..], &sum.to_le_bytes()].concat(), 1));
    }

    #[test]
    fn a_certificate_is_known_by_its_title() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (text, is_it) in
            [("Labrys proof 1\n{}", true), ("Labrys proof ", false), ("Labrys proof 2\n", false)]
        {
            std::fs::write(file.path(), text).unwrap();
            assert_eq!(is_certificate(file.path()).unwrap(), is_it, "{text:?}");
        }
    }

    #[test]
    fn a_header_has_one_form() {
        let counts = Counts::default();
        let header = Header { variant: "x".into(), fen: "y".into(), value: Wdl::Loss, counts };
        let line = serde_json::to_string(&header).unwrap() + "\n";
        assert_eq!(parse_header(&line).unwrap(), header);
        for (other, problem) in [
            (line.trim_end().to_owned(), "it has no end"),
            (line.replace('y', "\\u0009"), "a control character"),
            (line.replace('x', "\\u007f"), "a control character"),
            (line.replace(':', ": "), "expected `{"),
            ("{}\n".to_owned(), "missing field"),
        ] {
            let error = parse_header(&other).unwrap_err().to_string();
            assert!(error.starts_with("has an invalid header: ") && error.contains(problem), "{error}");
        }
    }

    #[test]
    fn trailing_bytes_are_detected() {
        for junk in ["", "JUNKJUNK", "\0"] {
            let (mut bytes, counts) = (Vec::new(), Counts::default());
            let header = Header { variant: "x".into(), fen: "y".into(), value: Wdl::Win, counts };
            write_header(&mut bytes, &header).unwrap();
            let mut tokens = flate2::write::DeflateEncoder::new(&mut bytes, flate2::Compression::default());
            tokens.write_all(&[7]).unwrap();
            tokens.finish().unwrap();
            bytes.extend(junk.as_bytes());
            let mut sum = crc32fast::Hasher::new();
            sum.update(&bytes);
            bytes.extend(sum.finalize().to_le_bytes());
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), bytes).unwrap();
            let (_, _, mut tokens) = open(file.path()).unwrap();
            assert_eq!(read_number(&mut tokens).unwrap(), Some(7));
            assert_eq!(read_number(&mut tokens).unwrap(), None);
            assert_eq!(is_at_end(&tokens), junk.is_empty(), "{junk:?}");
        }
    }
}
