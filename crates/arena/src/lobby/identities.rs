//! Who the agents are: their names, each with what proves it.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use labrys_core::game::{quote, quote_path};
use labrys_core::input;
use labrys_core::seal::{self, SealError};
use labrys_protocol::agents::{AgentName, Token};
use labrys_support::files::write_privately;

/// The form of the file.
const FORMAT: &str = "labrys-identities 1";

/// The entry of the checksum.
const CHECKSUM: &str = "crc32";

/// The largest file, in bytes.
const LARGEST: u64 = 1 << 20;

/// The most agents that are known.
const MOST: usize = 256;

/// The agents that are known, in a file that is written anew with each new one. Of a token the
/// file has the hash, so whoever reads it cannot play in the name of another.
#[derive(Debug)]
pub struct Identities {
    /// The file; none if they are forgotten with the process.
    path: Option<PathBuf>,
    content: Content,
    /// Whether no new agents are let in.
    is_closed: bool,
}

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    format: String,
    agents: Vec<Identity>,
    crc32: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Identity {
    name: String,
    /// The SHA-256 of name and token, in hexadecimal digits; an agent on this machine may have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

/// The hash of a token. The name is its salt.
fn hash(name: &str, token: &Token) -> String {
    let hash = Sha256::new().chain_update(name).chain_update([0]).chain_update(token.as_bytes()).finalize();
    format!("{hash:x}")
}

/// An error of the file.
#[derive(Debug, Error)]
pub enum IdentitiesError {
    /// It cannot be read or written.
    #[error("{}: {error}", quote_path(.path))]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// It has changed since it was written.
    #[error("{}: {error}", quote_path(.path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: SealError,
    },
    /// It is of another form.
    #[error("{}: {problem}", quote_path(.path))]
    Form {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

/// Why an agent is not let in.
#[derive(Debug, Error)]
pub enum IdentityError {
    /// It is not known, and no new ones are let in.
    #[error("no agent {} is known here, and no others are let in", quote(.0))]
    Closed(String),
    /// It has to prove its name.
    #[error("{} needs a token: `join name NAME games GAME … token TOKEN`", quote(.0))]
    NoToken(String),
    /// The name is another agent's.
    #[error("the token is not that of {}", quote(.0))]
    Foreign(String),
    /// The name is another agent's, but for upper and lower case.
    #[error("{} is too much like {}", quote(.0), quote(.1))]
    Alike(String, String),
    /// There are too many.
    #[error("{MOST} agents are known already")]
    Full,
    /// The file cannot be written.
    #[error("the identity cannot be kept")]
    Write(#[from] IdentitiesError),
}

impl Content {
    /// No agents.
    fn new() -> Content {
        Content { format: FORMAT.to_owned(), agents: Vec::new(), crc32: "0".repeat(8) }
    }
}

impl Identities {
    /// No agents, and no file to keep them in.
    pub fn without_file() -> Identities {
        Identities { path: None, content: Content::new(), is_closed: false }
    }

    /// Reads a file; a missing one has no agents. With `is_closed` no new ones are let in.
    ///
    /// # Errors
    /// [`IdentitiesError`] says what is wrong with the file.
    pub fn open(path: &Path, is_closed: bool) -> Result<Identities, IdentitiesError> {
        let owned = || path.to_owned();
        let content = match input::read(path, LARGEST) {
            Ok(bytes) => {
                seal::check(&bytes, CHECKSUM)
                    .map_err(|error| IdentitiesError::Damaged { path: owned(), error })?;
                serde_json::from_slice(&bytes).map_err(|error| error.to_string())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Content::new()),
            Err(error) => return Err(IdentitiesError::File { path: owned(), error }),
        };
        let content = content.and_then(|content: Content| match content.format == FORMAT {
            true => Ok(content),
            false => Err(format!("format {}, expected {FORMAT}", quote(&content.format))),
        });
        let content = content.map_err(|problem| IdentitiesError::Form { path: owned(), problem })?;
        Ok(Identities { path: Some(owned()), content, is_closed })
    }

    /// The names of the agents, in the order in which they became known.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.content.agents.iter().map(|agent| agent.name.as_str())
    }

    /// Checks that a token belongs to a name. A new name is kept with the token that comes with it. With
    /// `is_remote` there has to be one.
    ///
    /// # Errors
    /// [`IdentityError`] says why the agent is not let in.
    pub fn admit(
        &mut self,
        name: &AgentName,
        token: Option<&Token>,
        is_remote: bool,
    ) -> Result<(), IdentityError> {
        let owned = || name.to_string();
        if token.is_none() && is_remote {
            return Err(IdentityError::NoToken(owned()));
        }
        if let Some(known) = self.find(name.as_str()) {
            return match (&known.sha256, token) {
                _ if known.name != name.as_str() => Err(IdentityError::Alike(owned(), known.name.clone())),
                (None, None) => Ok(()),
                (Some(_), None) => Err(IdentityError::NoToken(owned())),
                // Of hashes: how long it takes tells nothing of the token.
                (Some(own), Some(token)) if *own == hash(name.as_str(), token) => Ok(()),
                (_, Some(_)) => Err(IdentityError::Foreign(owned())),
            };
        }
        if self.is_closed {
            return Err(IdentityError::Closed(owned()));
        }
        if self.content.agents.len() >= MOST {
            return Err(IdentityError::Full);
        }
        let sha256 = token.map(|token| hash(name.as_str(), token));
        self.content.agents.push(Identity { name: owned(), sha256 });
        self.write().inspect_err(|_| drop(self.content.agents.pop()))?;
        Ok(())
    }

    /// Gives a name free. Returns whether there is an agent of that name.
    ///
    /// # Errors
    /// [`IdentitiesError`] if the file cannot be written.
    pub fn forget(&mut self, name: &str) -> Result<bool, IdentitiesError> {
        let Some(index) = self.content.agents.iter().position(|agent| agent.name == name) else {
            return Ok(false);
        };
        self.content.agents.remove(index);
        self.write()?;
        Ok(true)
    }

    /// The agent of a name, whatever its case.
    fn find(&self, name: &str) -> Option<&Identity> {
        self.content.agents.iter().find(|agent| agent.name.eq_ignore_ascii_case(name))
    }

    fn write(&mut self) -> Result<(), IdentitiesError> {
        let Some(path) = &self.path else { return Ok(()) };
        let failed = |error| IdentitiesError::File { path: path.clone(), error };
        let mut text =
            serde_json::to_vec_pretty(&self.content).map_err(|error| failed(io::Error::other(error)))?;
        text.push(b'\n');
        seal::seal(&mut text, CHECKSUM).map_err(|error| failed(io::Error::other(error)))?;
        write_privately(path, text).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> AgentName {
        text.parse().unwrap()
    }

    fn token(text: &str) -> Token {
        text.parse().unwrap()
    }

    #[test]
    fn a_name_belongs_to_whoever_brings_its_token() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("identities.json");
        let mut identities = Identities::open(&path, false).unwrap();
        let (own, foreign) = (token("own-token"), token("foreign-token"));
        identities.admit(&name("minos"), Some(&own), true).unwrap();
        identities.admit(&name("local"), None, false).unwrap();
        assert!(!std::fs::read_to_string(&path).unwrap().contains("own-token"));
        for is_closed in [false, true] {
            let mut identities = Identities::open(&path, is_closed).unwrap();
            assert_eq!(identities.names().collect::<Vec<_>>(), ["minos", "local"]);
            let mut admit = |who: &str, token: Option<&Token>, is_remote| {
                identities.admit(&name(who), token, is_remote).map_err(|error| error.to_string())
            };
            assert_eq!(admit("minos", Some(&own), true), Ok(()));
            assert_eq!(admit("local", None, false), Ok(()));
            for (who, token, is_remote, problem) in [
                ("minos", Some(&foreign), false, "the token is not that of `minos`"),
                ("minos", None, false, "`minos` needs a token"),
                ("local", None, true, "`local` needs a token"),
                ("local", Some(&own), false, "the token is not that of `local`"),
                ("Minos", Some(&own), true, "`Minos` is too much like `minos`"),
                ("new", None, true, "`new` needs a token"),
            ] {
                let error = admit(who, token, is_remote).unwrap_err();
                assert!(error.starts_with(problem), "{error}");
            }
            if is_closed {
                assert!(admit("new", Some(&own), true).unwrap_err().starts_with("no agent `new` is known"));
            }
        }
    }

    #[test]
    fn a_forgotten_name_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("identities.json");
        let mut identities = Identities::open(&path, false).unwrap();
        identities.admit(&name("minos"), Some(&token("lost-token")), true).unwrap();
        assert!(!identities.forget("talos").unwrap() && identities.forget("minos").unwrap());
        let mut identities = Identities::open(&path, false).unwrap();
        assert!(identities.admit(&name("minos"), Some(&token("new-token")), true).is_ok());
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("identities.json");
        let mut identities = Identities::open(&path, false).unwrap();
        identities.admit(&name("minos"), Some(&token("own-token")), true).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let error = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Identities::open(&path, false).unwrap_err().to_string()
        };
        assert!(error(&text.replace("minos", "talos")).contains("damaged"));
        assert!(error("").contains("damaged"));
        let mut other = text.replace(FORMAT, "other 7").into_bytes();
        seal::seal(&mut other, CHECKSUM).unwrap();
        let other = String::from_utf8(other).unwrap();
        assert!(error(&other).contains("format `other 7`, expected labrys-identities 1"));
    }

    #[test]
    fn the_number_of_agents_is_limited() {
        let folder = tempfile::tempdir().unwrap();
        let mut identities = Identities::open(&folder.path().join("x"), false).unwrap();
        identities.content.agents =
            (0..MOST).map(|number| Identity { name: format!("a{number}"), sha256: None }).collect();
        assert!(matches!(identities.admit(&name("b"), None, false), Err(IdentityError::Full)));
        assert!(identities.admit(&name("a0"), None, false).is_ok());
    }
}
