//! Limits for clients over TCP, who are not trusted like a local user: files, memory, threads.

use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use labrys_core::engine::{Engine, OptionKind, OptionSpec, WeightsSource};
use labrys_core::game::quote;

/// The separator in options that take several folders.
const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// The maximum MiB of a file that a client names: each has an engine, which holds what it has read.
const MAX_MIB: u64 = 256;

/// The limits of clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestLimits {
    /// Folders that clients may read files from, including subfolders.
    pub folders: Vec<PathBuf>,
    /// The maximum MiB of each table.
    pub hash: usize,
    /// The maximum number of threads.
    pub threads: usize,
}

/// Why a client's command is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum GuestError {
    /// The file does not exist, or is not in an offered folder.
    #[error("{what}: {} is not a file in an offered folder", quote(.path))]
    Path {
        /// The option or the command.
        what: String,
        /// The path as the client wrote it.
        path: String,
    },
    /// The file is invalid. The reason is withheld, as it could reveal the content.
    #[error("{what}: the file is refused")]
    File {
        /// The option or the command.
        what: String,
    },
    /// The file is too large.
    #[error("{what}: the file exceeds the limit of {MAX_MIB} MiB for clients")]
    Size {
        /// The option or the command.
        what: String,
    },
    /// A number is too large.
    #[error("option {name}: {value} exceeds the limit of {limit} for clients")]
    Limit {
        /// The option.
        name: &'static str,
        /// The value.
        value: i64,
        /// The maximum.
        limit: i64,
    },
}

impl GuestLimits {
    /// The maximum of an option, if it is limited.
    fn limit(&self, name: &str) -> Option<i64> {
        let limit = match name {
            "Hash" | "NetCache" => self.hash,
            "Threads" => self.threads,
            _ => return None,
        };
        Some(i64::try_from(limit).unwrap_or(i64::MAX))
    }

    /// Lowers the options of a new engine to the limits.
    pub(super) fn restrict(&self, engine: &mut dyn Engine) {
        for option in engine.options() {
            if let (OptionKind::Spin { default, .. }, Some(limit)) = (option.kind, self.limit(option.name))
                && default > limit
                && let Err(error) = engine.set_option(option.name, &limit.to_string())
            {
                log::warn!("{error}");
            }
        }
    }

    /// An option as announced to clients.
    pub(super) fn announced(&self, option: OptionSpec) -> OptionSpec {
        match (option.kind, self.limit(option.name)) {
            (OptionKind::Spin { default, min, max }, Some(limit)) => {
                let max = max.min(limit).max(min);
                OptionSpec { kind: OptionKind::Spin { default: default.min(max), min, max }, ..option }
            }
            (kind, _) => OptionSpec { kind, ..option },
        }
    }

    /// Checks the value of an option set by a client, and resolves paths.
    ///
    /// # Errors
    /// If the value exceeds a limit or a path is not offered.
    pub(super) fn value(&self, option: &OptionSpec, value: &str) -> Result<String, GuestError> {
        let limit = self.limit(option.name);
        if let (Some(limit), Ok(value)) = (limit, value.parse::<i64>())
            && value > limit
        {
            return Err(GuestError::Limit { name: option.name, value, limit });
        }
        match option.is_path() && !matches!(value, "" | "<empty>") {
            true => self.paths(&format!("option {}", option.name), value),
            false => Ok(value.to_owned()),
        }
    }

    /// Checks weights set by a client, and resolves the path of a file.
    ///
    /// # Errors
    /// [`GuestError::Path`] if the file is not offered, [`GuestError::Size`] if it is too large.
    pub(super) fn weights(&self, source: WeightsSource) -> Result<WeightsSource, GuestError> {
        match source {
            WeightsSource::File(path) => Ok(WeightsSource::File(self.paths("setweights", &path)?)),
            source => Ok(source),
        }
    }

    /// Resolves one or several paths.
    fn paths(&self, what: &str, text: &str) -> Result<String, GuestError> {
        let refuse = || GuestError::Path { what: what.to_owned(), path: text.to_owned() };
        let one = |path: &str| {
            let path = self.path(Path::new(path)).ok_or_else(refuse)?;
            match fs::metadata(&path) {
                Ok(file) if file.is_file() && file.len() > MAX_MIB << 20 => {
                    Err(GuestError::Size { what: what.to_owned() })
                }
                _ => Ok(path),
            }
        };
        let paths = match one(text) {
            Ok(path) => vec![path],
            Err(GuestError::Path { .. }) if text.contains(SEPARATOR) => {
                text.split(SEPARATOR).map(one).collect::<Result<_, _>>()?
            }
            Err(error) => return Err(error),
        };
        Ok(paths.join(&SEPARATOR.to_string()))
    }

    /// Canonicalises a path, if it is in an offered folder. Relative paths are tried in each of them, too.
    fn path(&self, path: &Path) -> Option<String> {
        let found = self.folders.iter().find_map(|folder| {
            let folder = folder.canonicalize().ok()?;
            let candidates = [folder.join(path), path.to_owned()];
            let mut found = candidates.into_iter().filter_map(|candidate| candidate.canonicalize().ok());
            found.find(|found| found.starts_with(&folder))
        });
        found?.to_str().map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_core::engine::{OptionGroup, Settings, registry};

    fn option(name: &'static str, kind: OptionKind) -> OptionSpec {
        OptionSpec { name, group: OptionGroup::General, kind }
    }

    #[test]
    fn only_files_of_offered_folders_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let offered = folder.path().join("offered");
        std::fs::create_dir(&offered).unwrap();
        let [inside, outside] = [offered.join("net"), folder.path().join("secret")];
        [&inside, &outside].iter().for_each(|path| std::fs::write(path, "x").unwrap());
        let limits = GuestLimits { folders: vec![offered.clone()], hash: 64, threads: 2 };
        let file = option("EvalFile", OptionKind::Text);
        let real = inside.canonicalize().unwrap().display().to_string();
        for good in ["net".to_owned(), inside.display().to_string(), "../offered/net".to_owned()] {
            assert_eq!(limits.value(&file, &good), Ok(real.clone()), "{good}");
        }
        let two = limits.value(&file, "net:net");
        assert!(cfg!(windows) || two == Ok(format!("{real}:{real}")), "{two:?}");
        let mut bad = vec!["../secret".to_owned(), outside.display().to_string(), "/etc/passwd".to_owned()];
        bad.extend(["missing", "/dev/zero", "net:../secret", "/proc/self/environ"].map(str::to_owned));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&outside, offered.join("link")).unwrap();
            bad.push("link".to_owned());
        }
        for path in bad {
            assert!(matches!(limits.value(&file, &path), Err(GuestError::Path { .. })), "{path}");
            assert!(limits.weights(WeightsSource::File(path.clone())).is_err(), "{path}");
        }
        assert_eq!(limits.value(&file, "<empty>").as_deref(), Ok("<empty>"));
        let opponent = option("UCI_Opponent", OptionKind::Text);
        assert_eq!(limits.value(&opponent, "/etc/passwd").as_deref(), Ok("/etc/passwd"));
        let none = GuestLimits { folders: Vec::new(), ..limits };
        assert!(none.value(&file, &real).is_err());
    }

    #[test]
    fn large_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let limits = GuestLimits { folders: vec![folder.path().to_owned()], hash: 1, threads: 1 };
        let file = fs::File::create(folder.path().join("book")).unwrap();
        let book = option("BookFile", OptionKind::Text);
        for (bytes, is_accepted) in [(MAX_MIB << 20, true), ((MAX_MIB << 20) + 1, false)] {
            // Without content: it takes no space.
            file.set_len(bytes).unwrap();
            for value in ["book", &format!("book{SEPARATOR}book")] {
                let found = limits.value(&book, value);
                let is_size = matches!(found, Err(GuestError::Size { .. }));
                assert_eq!(
                    (found.is_ok(), is_size),
                    (is_accepted, !is_accepted),
                    "{bytes}, {value}: {found:?}"
                );
            }
        }
    }

    #[test]
    fn memory_and_threads_are_limited() {
        let limits = GuestLimits { folders: Vec::new(), hash: 64, threads: 2 };
        for (name, limit) in [("Hash", 64), ("NetCache", 64), ("Threads", 2)] {
            let spin = option(name, OptionKind::Spin { default: 16, min: 1, max: 1000 });
            assert!(limits.value(&spin, &limit.to_string()).is_ok());
            assert!(limits.value(&spin, &(limit + 1).to_string()).is_err());
            let announced = limits.announced(spin);
            let default = limit.min(16);
            assert_eq!(announced.kind, OptionKind::Spin { default, min: 1, max: limit });
        }
        let limits = GuestLimits { hash: 8, ..limits };
        let mut engine = registry::engine("chess", &Settings::default()).unwrap();
        limits.restrict(engine.as_mut());
        assert_eq!((engine.settings().hash, engine.settings().net_cache), (8, 8));
    }
}
