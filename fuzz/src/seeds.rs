//! Files of the repository that seeds are made of.

use std::path::{Path, PathBuf};

/// The folder of the repository. The fuzz targets lie in a folder of it, the tests in itself.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = if here.ends_with("fuzz") { here.join("..") } else { here.to_owned() };
    root.canonicalize().expect("the repository is there")
}

/// A file of the repository, or a folder.
pub(super) fn path(name: &str) -> PathBuf {
    root().join(name)
}

/// The content of a file.
pub(super) fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The text of a file.
pub(super) fn text(name: &str) -> String {
    String::from_utf8(bytes(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The files of a folder and of those in it with an extension, sorted.
pub(super) fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![path(folder)]);
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// An input for a target whose first byte is the number of a game.
pub(super) fn of_game(number: u8, rest: impl AsRef<[u8]>) -> Vec<u8> {
    [&[number], rest.as_ref()].concat()
}

/// The names of the games by their numbers.
pub(super) const GAMES: [&str; 4] = ["chess", "neighbours", "tucchess", "amazons"];
