//! Reading files that somebody names: no more of them than can be meant, and nothing that never ends.
//!
//! A device such as `/dev/zero` has no end, and a named pipe keeps its reader waiting until somebody writes.
//! Where a file is expected, both are refused before they are opened.

use std::fs::{self, File, FileType};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The most bytes of a text that is read as a whole: settings, suites, lists of openings and of results.
pub const MOST_TEXT: u64 = 1 << 30;

/// The most bytes of a file of tensors: some nets, or the samples of a generation.
pub const MOST_TENSORS: u64 = 8 << 30;

/// Opens a regular file.
///
/// # Errors
/// The error of the system, or that it is something else.
pub fn open(path: &Path) -> io::Result<File> {
    check(fs::metadata(path)?.file_type())?;
    let file = File::open(path)?;
    // It may have been replaced meanwhile.
    check(file.metadata()?.file_type())?;
    Ok(file)
}

/// The same, but an input that the process has been given is good, too: `/dev/stdin`, or a pipe of a shell.
///
/// # Errors
/// The error of the system, or that it is something else.
pub fn open_stream(path: &Path) -> io::Result<File> {
    if is_descriptor(path) { File::open(path) } else { open(path) }
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// The error of the system, that it is larger, or that it is something else.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_all(open(path)?, most)
}

/// Reads a text of UTF-8 from a regular file of at most `most` bytes.
///
/// # Errors
/// The error of the system, that it is larger, something else, or no such text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is no text in UTF-8"))
}

/// Reads a file to its end, if it has at most `most` bytes.
///
/// # Errors
/// The error of the system, or that it is larger.
pub fn read_all(file: File, most: u64) -> io::Result<Vec<u8>> {
    let too_large = || {
        let error = format!("more than {most} bytes, the most of such a file");
        Err(io::Error::new(ErrorKind::FileTooLarge, error))
    };
    if file.metadata()?.len() > most {
        return too_large();
    }
    let mut bytes = Vec::new();
    // What grows, and what has no length, are counted as they are read.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { too_large() } else { Ok(bytes) }
}

/// Whether a path stands for an open file of a process.
pub fn is_descriptor(path: &Path) -> bool {
    let is_standard = ["/dev/stdin", "/dev/stdout", "/dev/stderr"].iter().any(|name| path == Path::new(name));
    is_standard
        || path.starts_with("/dev/fd")
        || (path.starts_with("/proc") && path.parent().is_some_and(|folder| folder.ends_with("fd")))
}

/// Refuses what is no regular file.
fn check(found: FileType) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let kind = if found.is_dir() { ErrorKind::IsADirectory } else { ErrorKind::InvalidInput };
    Err(io::Error::new(kind, format!("{}, expected a file", name(found))))
}

/// What something is that is no regular file.
fn name(found: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;

        if found.is_fifo() {
            return "a pipe";
        }
        if found.is_socket() {
            return "a socket";
        }
    }
    if found.is_dir() { "a folder" } else { "a device" }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn error(path: &str) -> String {
        read(Path::new(path), 1000).unwrap_err().to_string()
    }

    #[test]
    fn only_files_of_a_bounded_size_are_read() {
        assert_eq!(error("/dev/zero"), "a device, expected a file");
        assert_eq!(error("/dev"), "a folder, expected a file");
        assert!(error("/missing").contains("No such file"));
        assert!(open_stream(Path::new("/dev/zero")).is_err());
        let folder = std::env::temp_dir().join(format!("labrys-input-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let [file, pipe] = ["file", "pipe"].map(|name| folder.join(name));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for open in [open, open_stream] {
            assert_eq!(open(&pipe).unwrap_err().to_string(), "a pipe, expected a file");
        }
        File::create(&file).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(error(file.to_str().unwrap()), "more than 1000 bytes, the most of such a file");
        fs::write(&file, [b'x'; 1000]).unwrap();
        assert_eq!(read(&file, 1000).unwrap().len(), 1000);
        // A file of the system that has no length.
        assert!(read(Path::new("/proc/self/status"), 10).is_err());
        assert!(!read(Path::new("/proc/self/status"), MOST_TEXT).unwrap().is_empty());
        fs::remove_dir_all(folder).unwrap();
    }
}
