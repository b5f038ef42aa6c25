//! The folder of the sessions: a file for each of them, written soon after each change, and the token of the
//! address.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use labrys_core::game::counted;
use labrys_core::input;
use labrys_session::{Catalogue, SavedError, SavedSession, State, random_id};
use labrys_support::files::{Claim, write_privately};

/// Sessions without changes for this time are deleted.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// The maximum size of a file, in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The name of the token's file.
const TOKEN: &str = "token";

/// The folder of the sessions.
#[derive(Clone, Debug)]
pub(super) struct Storage {
    folder: PathBuf,
    /// Keeps other servers from using the folder.
    _claim: Arc<Claim>,
}

impl Storage {
    /// Creates the folder, readable only by its owner.
    pub(super) fn open(folder: &Path) -> io::Result<Storage> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        let claim = Claim::folder(folder)?;
        Ok(Storage { folder: folder.to_owned(), _claim: Arc::new(claim) })
    }

    /// The token of earlier runs, so that the address remains valid, or a new one.
    pub(super) fn token(&self) -> io::Result<String> {
        let path = self.folder.join(TOKEN);
        let token = input::read_text(&path, MAX_FILE_BYTES)
            .ok()
            .filter(|token| is_id(token))
            .unwrap_or_else(random_id);
        // Written again to make it private: an old file may be readable by others.
        write_privately(&path, &token)?;
        Ok(token)
    }

    /// The `most` newest sessions that can be read, the newest last. Files of other and of too old sessions
    /// are deleted, which is logged. Files that cannot be read are logged and left alone.
    pub(super) fn load(&self, most: usize, catalogue: &Arc<Catalogue>) -> io::Result<Vec<(String, State)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            if path.extension().is_some_and(|extension| extension == "json") && is_id(&name) {
                match fs::metadata(&path).and_then(|file| file.modified()) {
                    Ok(modified) => files.push((modified, name)),
                    Err(error) => log::warn!("{}: {error}", path.display()),
                }
            }
        }
        files.sort();
        let (now, mut sessions) = (SystemTime::now(), Vec::new());
        let [mut old, mut more] = [0; 2];
        for (modified, name) in files.into_iter().rev() {
            let is_old = now.duration_since(modified).is_ok_and(|age| age > MAX_AGE);
            match self.read(&name, catalogue) {
                Err(error) => log::warn!("{}: {error}", self.path(&name).display()),
                Ok(state) if !is_old && sessions.len() < most => sessions.push((name, state)),
                Ok(_) => match fs::remove_file(self.path(&name)) {
                    Ok(()) => *if is_old { &mut old } else { &mut more } += 1,
                    Err(error) => log::warn!("{}: cannot be deleted: {error}", self.path(&name).display()),
                },
            }
        }
        // A clock that is wrong makes sessions old, too.
        for (count, why) in
            [(old, "without changes for 30 days".to_owned()), (more, format!("older than {most} others"))]
        {
            if count > 0 {
                log::warn!("{}: deleted {} {why}", self.folder.display(), counted(count, "session"));
            }
        }
        sessions.reverse();
        Ok(sessions)
    }

    fn read(&self, name: &str, catalogue: &Catalogue) -> Result<State, SavedError> {
        SavedSession::from_text(&input::read_text(&self.path(name), MAX_FILE_BYTES)?)?.restore(catalogue)
    }

    /// Writes a session.
    pub(super) fn write(&self, name: &str, session: &SavedSession) -> io::Result<()> {
        let text = session.to_text().expect("sessions are made of text and numbers");
        write_privately(&self.path(name), text)
    }

    /// Deletes a session.
    pub(super) fn remove(&self, name: &str) {
        // It may not have been saved yet.
        let _ = fs::remove_file(self.path(name));
    }

    /// The file of a session.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }
}

/// Whether a text is an id of [`random_id`].
fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_session::{AnyRequest, Role, Session, read};
    use std::fs::File;

    fn catalogue() -> Arc<Catalogue> {
        Arc::new(Catalogue::new(&[]))
    }

    /// A saved game with a variation.
    fn saved(catalogue: &Arc<Catalogue>) -> SavedSession {
        let (session, _tasks) = Session::with_default_game(random_id(), catalogue.clone()).unwrap();
        for request in [
            r#"{"do":"new","game":"tucchess","players":["person","person"]}"#,
            r#"{"do":"play","node":0,"move":"a2a3"}"#,
            r#"{"do":"play","node":1,"move":"a6a5"}"#,
            r#"{"do":"show","node":1}"#,
            r#"{"do":"play","node":1,"move":"b6b5"}"#,
        ] {
            let Ok(AnyRequest::Quick(request)) = read(request) else { panic!("{request}") };
            assert_eq!(session.request(Role::Owner, request), None);
        }
        session.take_unsaved().unwrap()
    }

    #[test]
    fn sessions_are_written_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let (storage, catalogue) = (Storage::open(&folder.path().join("a/b")).unwrap(), catalogue());
        let (name, before) = (random_id(), saved(&catalogue));
        storage.write(&name, &before).unwrap();
        let mut read = storage.load(5, &catalogue).unwrap();
        let (same, after) = read.pop().unwrap();
        assert_eq!((same, SavedSession::new(&after)), (name, before));
        let token = storage.token().unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, PermissionsExt};

            let path = folder.path().join("a/b").join(TOKEN);
            fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
            assert_eq!(storage.token().unwrap(), token);
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        }
        assert_eq!(storage.token().unwrap(), token);
    }

    #[test]
    fn unreadable_files_are_skipped_and_the_oldest_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let (storage, catalogue) = (Storage::open(folder.path()).unwrap(), catalogue());
        let good = saved(&catalogue).to_text().unwrap();
        let names: Vec<_> = (0..3).map(|_| random_id()).collect();
        for (name, second) in names.iter().zip(1..) {
            fs::write(storage.path(name), &good).unwrap();
            let file = File::options().write(true).open(storage.path(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(60 / second)).unwrap();
        }
        let read = storage.load(2, &catalogue).unwrap();
        assert_eq!(read.iter().map(|(name, _)| name).collect::<Vec<_>>(), [&names[1], &names[2]]);
        assert!(!storage.path(&names[0]).exists());
        for bad in ["", "{}", &good.replace("a2a3", "a2a9"), &good.replace("tucchess", "ludo")] {
            fs::write(storage.path(&names[1]), bad).unwrap();
            assert_eq!(storage.load(2, &catalogue).unwrap().len(), 1, "{bad}");
            assert!(storage.path(&names[1]).exists());
        }
        // What cannot be read takes no place of what can.
        let late = File::options().write(true).open(storage.path(&names[1])).unwrap();
        late.set_modified(SystemTime::now() + Duration::from_secs(60)).unwrap();
        assert_eq!(storage.load(1, &catalogue).unwrap().len(), 1);
        assert!(storage.path(&names[1]).exists() && storage.path(&names[2]).exists());
        fs::write(folder.path().join("../x.json").with_file_name("notes.json"), "{}").unwrap();
        assert_eq!(storage.load(2, &catalogue).unwrap().len(), 1);
        #[cfg(unix)]
        std::os::unix::fs::symlink("nowhere", storage.path(&random_id())).unwrap();
        assert_eq!(storage.load(2, &catalogue).unwrap().len(), 1);
    }
}
