//! Reading files named by the user: regular files up to a maximum size.
//!
//! A device such as `/dev/zero` never ends, and opening a named pipe blocks until another process writes to
//! it. Both are refused before they are opened.

use std::fs::{self, File, FileType};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The maximum size in bytes of a text that is read as a whole: settings, suites, openings, results.
pub const MAX_TEXT: u64 = 1 << 30;

/// The maximum size in bytes of a file of tensors: nets, or the samples of a generation.
pub const MAX_TENSORS: u64 = 8 << 30;

/// Opens a regular file.
///
/// # Errors
/// If it cannot be opened or is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    check(fs::metadata(path)?.file_type())?;
    let file = File::open(path)?;
    // It may have been replaced in the meantime.
    check(file.metadata()?.file_type())?;
    Ok(file)
}

/// Opens a regular file, or an open descriptor of the process: `/dev/stdin`, or a process substitution of the
/// shell.
///
/// # Errors
/// As for [`open`].
pub fn open_stream(path: &Path) -> io::Result<File> {
    if is_descriptor(path) { File::open(path) } else { open(path) }
}

/// Reads a regular file of at most `max` bytes.
///
/// # Errors
/// If it cannot be read, is too large or is not a regular file.
pub fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    read_all(open(path)?, max)
}

/// Reads UTF-8 from a regular file of at most `max` bytes.
///
/// # Errors
/// As for [`read`], or if it is not UTF-8.
pub fn read_text(path: &Path, max: u64) -> io::Result<String> {
    String::from_utf8(read(path, max)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// Reads an open file of at most `max` bytes to its end.
///
/// # Errors
/// If it cannot be read or is too large.
pub fn read_all(file: File, max: u64) -> io::Result<Vec<u8>> {
    let too_large = || {
        let error = format!("more than {max} bytes, the maximum for such a file");
        Err(io::Error::new(ErrorKind::FileTooLarge, error))
    };
    if file.metadata()?.len() > max {
        return too_large();
    }
    let mut bytes = Vec::new();
    // Files that grow or report no length (`/proc`) are bounded while reading.
    file.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { too_large() } else { Ok(bytes) }
}

/// Whether a path names an open descriptor of a process.
pub fn is_descriptor(path: &Path) -> bool {
    let is_standard = ["/dev/stdin", "/dev/stdout", "/dev/stderr"].iter().any(|name| path == Path::new(name));
    is_standard
        || path.starts_with("/dev/fd")
        || (path.starts_with("/proc") && path.parent().is_some_and(|folder| folder.ends_with("fd")))
}

/// Refuses anything but a regular file.
fn check(found: FileType) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let kind = if found.is_dir() { ErrorKind::IsADirectory } else { ErrorKind::InvalidInput };
    Err(io::Error::new(kind, format!("{}, expected a file", name(found))))
}

/// Names the type of a file that is not a regular one.
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
        assert_eq!(error(file.to_str().unwrap()), "more than 1000 bytes, the maximum for such a file");
        fs::write(&file, [b'x'; 1000]).unwrap();
        assert_eq!(read(&file, 1000).unwrap().len(), 1000);
        // A file that reports no length.
        assert!(read(Path::new("/proc/self/status"), 10).is_err());
        assert!(!read(Path::new("/proc/self/status"), MAX_TEXT).unwrap().is_empty());
        fs::remove_dir_all(folder).unwrap();
    }
}
