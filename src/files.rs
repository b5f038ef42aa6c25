//! Atomic writing of files.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a file: readers see the old content or the new, whatever happens in between.
///
/// # Errors
/// What the system says; the old file stays.
pub fn write_atomically(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    write_atomically_with(path, |file| file.write_all(content.as_ref()))
}

/// The same, piece by piece: `write` writes the content.
///
/// # Errors
/// What the system or `write` says; the old file stays.
pub fn write_atomically_with<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let mut writer = BufWriter::new(beside(path)?);
    write(&mut writer)?;
    let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    // Not for the owner only, as temporary files are.
    #[cfg(unix)]
    file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    file.persist(path).map_err(io::Error::from)?;
    Ok(())
}

/// Makes sure that [`write_atomically`] can begin, before long work whose result it is to write.
///
/// # Errors
/// What the system says.
pub fn check_writable(path: &Path) -> io::Result<()> {
    beside(path).map(drop)
}

/// A file without a name on the file system of another, for data on the way there.
///
/// # Errors
/// What the system says.
pub fn scratch_for(path: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder(path))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file in the folder of another: a rename is atomic only within a file system.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".labrys-").tempfile_in(folder(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for text in ["old", "new"] {
            check_writable(&path).unwrap();
            write_atomically(&path, text).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let failed = write_atomically_with(&path, |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(check_writable(&folder.path().join("missing/file")).is_err());
        assert!(write_atomically(&folder.path().join("missing/file"), "").is_err());
    }
}
