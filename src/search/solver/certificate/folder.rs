//! Folders of certificates that rest on each other.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder of certificates, `000001.proof`, `000002.proof` and so on: each may rest on those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificates {
    folder: PathBuf,
    /// The numbers of those that are there, in ascending order.
    numbers: Vec<u64>,
}

impl Certificates {
    /// Opens a folder, which is made if it is not there.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(folder: &Path) -> io::Result<Certificates> {
        fs::create_dir_all(folder)?;
        let mut numbers = Vec::new();
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name();
            let number = name.to_str().and_then(|name| name.split('.').next()?.parse().ok());
            numbers.extend(number.filter(|&number| name == *name_of(number)));
        }
        numbers.sort_unstable();
        Ok(Certificates { folder: folder.to_owned(), numbers })
    }

    /// The files that are there, in the order in which they rest on each other.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.numbers.iter().map(|number| self.file(*number))
    }

    /// The file of the next certificate.
    pub fn next(&self) -> PathBuf {
        self.file(self.numbers.last().map_or(1, |last| last + 1))
    }

    /// Takes in the next certificate: it has been written.
    pub fn push(&mut self) {
        self.numbers.push(self.numbers.last().map_or(1, |last| last + 1));
    }

    fn file(&self, number: u64) -> PathBuf {
        self.folder.join(name_of(number))
    }
}

/// The name of the file with a number.
fn name_of(number: u64) -> String {
    format!("{number:06}.proof")
}
