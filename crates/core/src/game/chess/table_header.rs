//! The header of a Syzygy table, from which the minimum size of the file follows.

use std::io::{self, BufRead, ErrorKind, Read};

use super::table_files::Material;

/// The first byte of a part that has one result only, and no blocks.
const CONSTANT: u8 = 0x80;

/// The largest number of a result: a win.
const MOST_RESULT: u8 = 4;

/// A part has fewer symbols than this.
const MAX_SYMBOLS: u64 = 1 << 12;

/// The bytes that a table has at least without its checksum, by the header that `file` begins with; `None`
/// where it is not the header of a table of the material. The index of the blocks does not count.
pub(super) fn least_size(
    file: impl BufRead,
    material: Material,
    has_results: bool,
) -> io::Result<Option<u64>> {
    let mut header = Header { file, offset: 0 };
    match header.least_size(material, has_results) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        size => size,
    }
}

/// A header that is being read.
struct Header<R> {
    file: R,
    offset: u64,
}

impl<R: BufRead> Header<R> {
    fn least_size(&mut self, material: Material, has_results: bool) -> io::Result<Option<u64>> {
        let [_, _, _, _, flags] = self.bytes()?;
        let [white, black] = material.pawns();
        let has_pawns = white + black > 0;
        if (flags & 2 != 0) != has_pawns {
            return Ok(None);
        }
        // One part for each file that the leading pawn may be on, and for each side to move.
        let files = if has_pawns { 4 } else { 1 };
        let sides = if has_results && flags & 1 != 0 { 2 } else { 1 };
        self.skip(files * (material.men() as u64 + 1 + u64::from(white > 0 && black > 0)))?;
        self.skip(self.offset % 2)?;
        let mut size = 0;
        for _ in 0..files * sides {
            match self.blocks(has_results)? {
                Some(blocks) => size += blocks,
                None => return Ok(None),
            }
        }
        Ok(Some(self.offset + size))
    }

    /// The bytes of the blocks of the next part.
    fn blocks(&mut self, has_results: bool) -> io::Result<Option<u64>> {
        let [flags, block_bits] = self.bytes()?;
        if flags & CONSTANT != 0 {
            // Here the second byte is the result.
            return Ok((!has_results || block_bits <= MOST_RESULT).then_some(0));
        }
        let [_, more_sizes] = self.bytes()?;
        let blocks = u64::from(u32::from_le_bytes(self.bytes()?));
        // The lengths of the codes in bits.
        let [longest, shortest] = self.bytes()?.map(u64::from);
        if !(1..64).contains(&shortest) || !(shortest..64).contains(&longest) || block_bits >= 32 {
            return Ok(None);
        }
        self.skip(2 * (longest - shortest + 1))?;
        let symbols = u64::from(u16::from_le_bytes(self.bytes()?));
        if symbols >= MAX_SYMBOLS {
            return Ok(None);
        }
        self.skip(3 * symbols + symbols % 2)?;
        Ok(Some(2 * (blocks + u64::from(more_sizes)) + (blocks << block_bits)))
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        self.offset += N as u64;
        Ok(bytes)
    }

    fn skip(&mut self, count: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.file.by_ref().take(count), &mut io::sink())?;
        self.offset += skipped;
        if skipped < count { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}
