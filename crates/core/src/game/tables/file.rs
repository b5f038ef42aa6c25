//! Files of tables: results by number, compressed block by block, so that any of them can be read alone.
//!
//! All numbers are little-endian. A file consists of
//!
//! - [`MAGIC`], and the version as four bytes;
//! - the name of the game, then that of the material: a byte for the length, and the text;
//! - the number of results (8 bytes), results in a block (4), and blocks (4);
//! - for each block its compressed length and the CRC-32 of its compressed bytes (4 + 4);
//! - the CRC-32 of all this (4);
//! - the blocks: a byte for each result ([`TableResult::to_byte`]), compressed by DEFLATE.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flate2::read::DeflateEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};

use super::{TableResult, TablesError};
use crate::{input, parallel};

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"\x89LABTBL\n";

/// The version of the format.
const VERSION: u32 = 1;

/// Results in a block. A larger block takes less space, and more time for one result.
const BLOCK: usize = 1 << 12;

/// The level of the compression, from 0 to 10.
const LEVEL: u32 = 8;

/// The maximum number of bytes of results of a file in memory.
const CACHE: usize = 64 << 20;

/// The identity of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableName {
    /// The name of the game.
    pub game: &'static str,
    /// The name of the material.
    pub material: String,
}

impl TableName {
    /// The path of the file in a folder.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}-{}.table", self.game, self.material))
    }
}

/// The place of a block.
#[derive(Clone, Copy, Debug)]
struct Block {
    offset: u64,
    length: u32,
    checksum: u32,
}

/// A table on disk that has been opened.
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    file: Mutex<File>,
    /// The number of results.
    len: u64,
    blocks: Vec<Block>,
    /// Cached blocks; several blocks share a slot.
    cache: Box<[Mutex<Option<CachedBlock>>]>,
}

/// The results of a block, with its index.
#[derive(Debug)]
struct CachedBlock {
    index: usize,
    results: Box<[u8]>,
}

impl TableFile {
    /// The content of a file: bytes of results in the order of their numbers.
    pub fn to_bytes(name: &TableName, results: &[u8], threads: usize) -> Vec<u8> {
        let count = results.len().div_ceil(BLOCK);
        let compress = |(): &mut (), index: u64| {
            let begin = index as usize * BLOCK;
            let mut block = DeflateEncoder::new(
                &results[begin..results.len().min(begin + BLOCK)],
                Compression::new(LEVEL),
            );
            let mut compressed = Vec::new();
            block.read_to_end(&mut compressed).expect("memory can be read");
            Some(compressed)
        };
        let blocks = parallel::in_order(&mut vec![(); threads], 0..count as u64, compress);
        let blocks = blocks.unwrap_or_default();
        let mut header = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
        for text in [name.game, &name.material] {
            header.push(text.len() as u8);
            header.extend(text.bytes());
        }
        header.extend((results.len() as u64).to_le_bytes());
        header.extend([BLOCK as u32, count as u32].map(u32::to_le_bytes).concat());
        for block in &blocks {
            header.extend([block.len() as u32, crc32fast::hash(block)].map(u32::to_le_bytes).concat());
        }
        header.extend(crc32fast::hash(&header).to_le_bytes());
        blocks.iter().fold(header, |mut bytes, block| {
            bytes.extend(block);
            bytes
        })
    }

    /// Opens the table of that name with `len` results, and checks every byte of it.
    ///
    /// # Errors
    /// [`TablesError`] names the file.
    pub fn open(folder: &Path, name: &TableName, len: u64) -> Result<TableFile, TablesError> {
        let path = name.path(folder);
        match TableFile::read(&path, name, len) {
            Ok(Ok(file)) => Ok(file),
            Ok(Err(problem)) => Err(TablesError::Damaged { path, problem }),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                Err(TablesError::Damaged { path, problem: "it ends too early" })
            }
            Err(error) => Err(TablesError::Io { path, error }),
        }
    }

    /// The same, with the error of the system or the problem of the file.
    fn read(path: &Path, name: &TableName, len: u64) -> io::Result<Result<TableFile, &'static str>> {
        let file = input::open(path)?;
        let size = file.metadata()?.len();
        let mut reader =
            HashingReader { reader: BufReader::with_capacity(1 << 20, file), hash: Default::default() };
        if reader.bytes()? != MAGIC {
            return Ok(Err("its first bytes are not those of a table"));
        }
        if u32::from_le_bytes(reader.bytes()?) != VERSION {
            return Ok(Err("it is of another version"));
        }
        for expected in [name.game, &name.material] {
            let [length] = reader.bytes()?;
            let mut text = vec![0; length.into()];
            reader.fill(&mut text)?;
            if text != expected.as_bytes() {
                return Ok(Err("it is the table of another game or material"));
            }
        }
        let found = u64::from_le_bytes(reader.bytes()?);
        let [block, count] = [reader.bytes()?, reader.bytes()?].map(u32::from_le_bytes);
        // From here on the header cannot make this program allocate more than a table of that name takes.
        if (found, block as usize, u64::from(count)) != (len, BLOCK, len.div_ceil(BLOCK as u64)) {
            return Ok(Err("it has the wrong number of positions"));
        }
        let mut blocks = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let [length, checksum] = [reader.bytes()?, reader.bytes()?].map(u32::from_le_bytes);
            blocks.push(Block { offset: 0, length, checksum });
        }
        let checksum = reader.hash.clone().finalize();
        if u32::from_le_bytes(reader.bytes()?) != checksum {
            return Ok(Err("the checksum of its header is wrong"));
        }
        let mut offset = reader.reader.stream_position()?;
        let mut bytes = Vec::new();
        for block in &mut blocks {
            block.offset = offset;
            offset += u64::from(block.length);
            if offset > size {
                return Ok(Err("it ends too early"));
            }
            bytes.resize(block.length as usize, 0);
            reader.reader.read_exact(&mut bytes)?;
            if crc32fast::hash(&bytes) != block.checksum {
                return Ok(Err("the checksum of a block is wrong"));
            }
        }
        if offset != size {
            return Ok(Err("there is more after its end"));
        }
        let places = blocks.len().min(CACHE / BLOCK);
        let file = Mutex::new(reader.reader.into_inner());
        let cache = (0..places).map(|_| Mutex::new(None)).collect();
        Ok(Ok(TableFile { path: path.to_owned(), file, len, blocks, cache }))
    }

    /// The result with a number.
    ///
    /// # Errors
    /// [`TablesError`] names the file, which has changed since it was opened.
    pub fn get(&self, number: u64) -> Result<TableResult, TablesError> {
        let (index, offset) = ((number / BLOCK as u64) as usize, (number % BLOCK as u64) as usize);
        let place = &self.cache[index % self.cache.len()];
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        let block = match place.take() {
            Some(block) if block.index == index => block,
            _ => CachedBlock { index, results: self.block(index)?.into() },
        };
        let result = TableResult::from_byte(place.insert(block).results[offset]);
        result.ok_or_else(|| self.damaged())
    }

    /// The bytes of all results.
    ///
    /// # Errors
    /// [`TablesError`] names the file, which has changed since it was opened.
    pub fn all(&self, threads: usize) -> Result<Vec<u8>, TablesError> {
        let read = |(): &mut (), index: u64| Some(self.block(index as usize));
        let blocks = parallel::in_order(&mut vec![(); threads], 0..self.blocks.len() as u64, read);
        let mut results = Vec::with_capacity(self.len as usize);
        for block in blocks.unwrap_or_default() {
            results.extend(block?);
        }
        Ok(results)
    }

    /// The bytes of the results of a block.
    fn block(&self, index: usize) -> Result<Vec<u8>, TablesError> {
        let block = self.blocks[index];
        let mut compressed = vec![0; block.length as usize];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let read = file.seek(SeekFrom::Start(block.offset)).and_then(|_| file.read_exact(&mut compressed));
        drop(file);
        read.map_err(|error| TablesError::Io { path: self.path.clone(), error })?;
        let len = (self.len - (index * BLOCK) as u64).min(BLOCK as u64) as usize;
        let mut results = vec![0; len];
        let mut inflate = Decompress::new(false);
        let end = inflate.decompress(&compressed, &mut results, FlushDecompress::Finish);
        let is_whole = crc32fast::hash(&compressed) == block.checksum
            && matches!(end, Ok(Status::StreamEnd))
            && inflate.total_out() == len as u64;
        is_whole.then_some(results).ok_or_else(|| self.damaged())
    }

    fn damaged(&self) -> TablesError {
        TablesError::Damaged { path: self.path.clone(), problem: "it has changed since it was opened" }
    }
}

/// A reader that computes the checksum of what it reads.
struct HashingReader<R> {
    reader: R,
    hash: crc32fast::Hasher,
}

impl<R: Read> HashingReader<R> {
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.reader.read_exact(bytes)?;
        self.hash.update(bytes);
        Ok(())
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }
}
