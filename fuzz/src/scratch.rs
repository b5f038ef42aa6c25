//! Files that a target has Labrys read.

use std::path::Path;

use tempfile::TempDir;

/// Calls a function with the path of a file of these bytes.
pub(super) fn with_file<T>(bytes: &[u8], read: impl FnOnce(&Path) -> T) -> T {
    let folder = folder();
    let path = folder.path().join("file");
    std::fs::write(&path, bytes).expect("a temporary file");
    read(&path)
}

/// An empty folder, deleted at its end.
pub(super) fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}
