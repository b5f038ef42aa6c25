//! Files that are there whole or not at all.

use std::io::{self, Write};
use std::path::Path;

/// Writes a file: readers see the old content or the new, whatever happens in between.
///
/// # Errors
/// What the system says; the old file stays.
pub fn write_atomically(path: &Path, text: &str) -> io::Result<()> {
    // A rename is atomic only within a folder's file system.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".labrys-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    // Not for the owner only, as temporary files are.
    #[cfg(unix)]
    file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    file.persist(path)?;
    Ok(())
}
