//! Output files: atomic writing, and one writer at a time.
//!
//! A regular file is replaced as a whole, with the permissions of the old one or those of the umask. A link
//! is followed. A pipe or a device is written to as it is.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use labrys_core::game::quote_path;
use labrys_core::input::is_descriptor;

/// The maximum number of links that are followed, as Linux does.
const MAX_LINKS: usize = 40;

/// The lock file of a folder.
const FOLDER_LOCK: &str = ".labrys.lock";

/// The target of an output path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// A regular or new file, with all links resolved.
    File(PathBuf),
    /// A pipe or a device, which cannot be replaced.
    Stream(PathBuf),
}

impl Target {
    /// The target of a path.
    fn of(path: &Path) -> io::Result<Target> {
        let mut file = path.to_owned();
        for _ in 0..MAX_LINKS {
            // Standard output may be redirected to a file, whose content stays.
            if is_descriptor(&file) {
                return Ok(Target::Stream(path.to_owned()));
            }
            match fs::read_link(&file) {
                Ok(link) => file = folder(&file).join(link),
                Err(_) => break,
            }
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Err(error) if error.kind() == ErrorKind::NotFound && names_a_folder(&file) => {
                Err(ErrorKind::IsADirectory.into())
            }
            Ok(found) if !found.is_file() => Ok(Target::Stream(path.to_owned())),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(Target::File(file)),
        }
    }
}

/// Whether a path can only be that of a folder, as its last character is a separator.
fn names_a_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().last().is_some_and(|&byte| std::path::is_separator(byte.into()))
}

/// Whether a path is a pipe or a device, which cannot be read again or resumed.
pub fn is_stream(path: &Path) -> bool {
    matches!(Target::of(path), Ok(Target::Stream(_)))
}

/// Opens a pipe or a device to be written to.
fn open_stream(path: &Path) -> io::Result<File> {
    // A file behind standard output is written at one offset: a second one would overwrite the output of the
    // command.
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;

        let is_own = |number: &str| {
            let [own, other] = ["/proc/self/fd", "/dev/fd"].map(|folder| Path::new(folder).join(number));
            path == own || path == other
        };
        if path == Path::new("/dev/stdout") || is_own("1") {
            return Ok(io::stdout().as_fd().try_clone_to_owned()?.into());
        }
        if path == Path::new("/dev/stderr") || is_own("2") {
            return Ok(io::stderr().as_fd().try_clone_to_owned()?.into());
        }
    }
    OpenOptions::new().append(true).open(path)
}

/// Writes a file: readers see the old content or the new.
///
/// # Errors
/// The error of the system; the old file stays.
pub fn write_atomically(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    write_atomically_with(path, |file| file.write_all(content.as_ref()))
}

/// The same, streamed: `write` writes the content.
///
/// # Errors
/// The error of the system or of `write`; the old file stays.
pub fn write_atomically_with<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    match Target::of(path)? {
        Target::File(path) => replace(&path, Rights::Usual, write),
        Target::Stream(path) => {
            let mut writer = BufWriter::new(open_stream(&path)?);
            write(&mut writer)?;
            Ok(writer.flush()?)
        }
    }
}

/// Writes a file that only its owner may read.
///
/// # Errors
/// The error of the system; the old file stays.
pub fn write_privately(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    replace(path, Rights::Private, |file| file.write_all(content.as_ref()))
}

/// The permissions of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rights {
    /// Those of the old file, or of the umask.
    Usual,
    /// Its owner only.
    Private,
}

fn replace<E: From<io::Error>>(
    path: &Path,
    rights: Rights,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let file = temporary_beside(path, rights)?;
    // Errors of a `NamedTempFile` name the temporary file, those of its `File` do not.
    let mut writer = BufWriter::new(file.as_file());
    write(&mut writer)?;
    writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    if rights == Rights::Usual
        && let Ok(old) = fs::metadata(path)
    {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.persist(path).map_err(io::Error::from)?;
    Ok(())
}

/// A temporary file in the folder of another: a rename is atomic only within a file system.
fn temporary_beside(
    path: &Path,
    #[cfg_attr(not(unix), expect(unused_variables))] rights: Rights,
) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".labrys-");
    // Temporary files are for the owner only by default; the umask applies.
    #[cfg(unix)]
    if rights == Rights::Usual {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    builder.tempfile_in(folder(path)).map_err(|error| {
        // Without the name of the temporary file.
        let text = error.to_string();
        io::Error::new(error.kind(), text.split(" at path ").next().unwrap_or_default())
    })
}

/// Checks that [`write_atomically`] can write, before long work.
///
/// # Errors
/// The error of the system.
pub fn check_writable(path: &Path) -> io::Result<()> {
    match Target::of(path)? {
        // Opening a pipe waits for a reader.
        Target::Stream(path) if is_pipe(&path) => Ok(()),
        Target::Stream(path) => open_stream(&path).map(drop),
        Target::File(path) => {
            match OpenOptions::new().append(true).open(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            temporary_beside(&path, Rights::Usual).map(drop)
        }
    }
}

/// Whether writing to a path would overwrite the file of another path, also by links. Never for a pipe or a
/// device.
pub fn is_same_file(output: &Path, other: &Path) -> bool {
    let Ok(Target::File(output)) = Target::of(output) else { return false };
    if output.exists() {
        return is_same_inode(&output, other);
    }
    // Neither exists yet.
    let place = |path: &Path| Some(folder(path).canonicalize().ok()?.join(path.file_name()?));
    matches!(Target::of(other), Ok(Target::File(other)) if place(&output).is_some_and(|ours| Some(ours) == place(&other)))
}

/// Creates a folder, with its parents, unless it exists.
///
/// # Errors
/// The error of the system, also if something else exists there.
pub fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            io::Error::new(error.kind(), "there is a file in the place of the folder")
        }
        _ => error,
    })
}

/// An exclusive lock on an output, until it is dropped. Other processes are refused meanwhile, as one of two
/// runs with the same output would be lost.
#[derive(Debug)]
pub struct Claim {
    /// The lock file and its path; none if nothing can be lost, or if the file system has no locks.
    lock: Option<(File, PathBuf)>,
}

impl Claim {
    /// Locks a writable file, see [`check_writable`].
    ///
    /// # Errors
    /// The error of the system, or that another process holds the lock.
    pub fn file(path: &Path) -> io::Result<Claim> {
        check_writable(path)?;
        let Target::File(path) = Target::of(path)? else { return Ok(Claim { lock: None }) };
        // Of fixed length: the name may have the maximum length already.
        let name = crc32fast::hash(path.file_name().unwrap_or_default().as_encoded_bytes());
        Claim::lock(folder(&path).join(format!(".labrys-{name:08x}.lock")))
    }

    /// Locks a folder.
    ///
    /// # Errors
    /// The error of the system, or that another process holds the lock.
    pub fn folder(path: &Path) -> io::Result<Claim> {
        Claim::lock(path.join(FOLDER_LOCK))
    }

    fn lock(path: PathBuf) -> io::Result<Claim> {
        loop {
            let file = open_lock(&path)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::new(
                        ErrorKind::ResourceBusy,
                        "another process is writing it: wait for its end, or choose another name",
                    ));
                }
                Err(TryLockError::Error(error)) => {
                    log::warn!("{}: no lock, so that two may write at once: {error}", path.display());
                    _ = fs::remove_file(&path);
                    return Ok(Claim { lock: None });
                }
                Ok(()) => {}
            }
            // The previous holder may have removed it after it was opened.
            if is_at(&file, &path) {
                return Ok(Claim { lock: Some((file, path)) });
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some((_, path)) = &self.lock {
            // A remaining lock file does no harm.
            _ = fs::remove_file(path);
        }
    }
}

/// Opens a lock file, which may be left by another user: locking it needs no write access, but it has to be
/// readable by all.
fn open_lock(path: &Path) -> io::Result<File> {
    // What was not created here may be a link, and the permissions of its target do not change.
    let existing = || {
        let opened = OpenOptions::new().write(true).open(path);
        opened.or_else(|error| File::open(path).map_err(|_| error))
    };
    let opened = loop {
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => {
                #[cfg(unix)]
                {
                    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
                    _ = file.set_permissions(readable);
                }
                break Ok(file);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => match existing() {
                // Its holder has removed it.
                Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => {}
                opened => break opened,
            },
            Err(error) => break Err(error),
        }
    };
    opened.map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied if path.exists() => {
            let name = path.display();
            io::Error::new(error.kind(), format!("its lock, {name}, is another user's: {error}"))
        }
        _ => error,
    })
}

/// Whether a path is a pipe.
fn is_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    return fs::metadata(path).is_ok_and(|found| std::os::unix::fs::FileTypeExt::is_fifo(&found.file_type()));
    #[cfg(not(unix))]
    false
}

/// Whether an open file is still the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    matches!((file.metadata(), fs::metadata(path)), (Ok(ours), Ok(there)) if inode(&ours) == inode(&there))
}

/// Whether two paths are of one file.
#[cfg(unix)]
fn is_same_inode(one: &Path, other: &Path) -> bool {
    matches!((fs::metadata(one), fs::metadata(other)), (Ok(one), Ok(other)) if inode(&one) == inode(&other))
}

/// The identity of a file.
#[cfg(unix)]
fn inode(found: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;

    (found.dev(), found.ino())
}

/// Whether two paths are of one file.
#[cfg(not(unix))]
fn is_same_inode(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Whether an open file is still the one at a path: on this system an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// What to do with an existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It is refused.
    Refused,
    /// It is continued.
    Continued,
}

/// Opens a file for appending, and locks it. A pipe or a device cannot be continued, but may exist.
///
/// # Errors
/// The error of the system, also that the file exists, or that another process writes it.
pub fn open(path: &Path, existing: Existing) -> io::Result<(File, Claim)> {
    let mut options = OpenOptions::new();
    match (Target::of(path)?, existing) {
        (Target::Stream(path), Existing::Refused) => Ok((open_stream(&path)?, Claim { lock: None })),
        (Target::Stream(_), Existing::Continued) => {
            Err(io::Error::other("a pipe or a device, which cannot be continued"))
        }
        (Target::File(path), Existing::Refused) => {
            // A file that another run is writing cannot be continued.
            let claim = Claim::file(&path);
            let is_written = |error: &io::Error| error.kind() == ErrorKind::ResourceBusy;
            if path.exists() && !claim.as_ref().is_err_and(is_written) {
                return Err(io::Error::new(ErrorKind::AlreadyExists, "there is a file of that name already"));
            }
            let claim = claim?;
            Ok((options.write(true).create_new(true).open(path)?, claim))
        }
        (Target::File(path), Existing::Continued) => {
            let claim = Claim::file(&path)?;
            Ok((options.read(true).write(true).create(true).truncate(false).open(path)?, claim))
        }
    }
}

/// The maximum number of files of damaged bytes beside another.
const MAX_ASIDE: usize = 1000;

/// Keeps bytes that cannot be read beside the file that they come from, as `<name>.damaged`, or with a number
/// behind it where there is one. Returns its path.
///
/// # Errors
/// The error of the system.
pub fn set_aside(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let (mut file, path) = create_aside(path)?;
    if let Err(error) = file.write_all(bytes).and_then(|()| file.sync_all()) {
        // An incomplete one would be taken for what was lost.
        _ = fs::remove_file(&path);
        return Err(error);
    }
    Ok(path)
}

/// Renames a file that cannot be read, as [`set_aside`] names its bytes. Returns its new path.
///
/// # Errors
/// The error of the system.
pub fn move_aside(path: &Path) -> io::Result<PathBuf> {
    // The empty file keeps the name from others until it is replaced.
    let (_, aside) = create_aside(path)?;
    if let Err(error) = fs::rename(path, &aside) {
        _ = fs::remove_file(&aside);
        return Err(error);
    }
    Ok(aside)
}

/// Creates the file for what is set aside.
fn create_aside(path: &Path) -> io::Result<(File, PathBuf)> {
    let name = |number: usize| {
        let mut name = path.as_os_str().to_owned();
        name.push(".damaged");
        if number > 1 {
            name.push(format!("-{number}"));
        }
        PathBuf::from(name)
    };
    let mut free = Err(ErrorKind::AlreadyExists.into());
    for path in (1..=MAX_ASIDE).map(name) {
        free = OpenOptions::new().write(true).create_new(true).open(&path).map(|file| (file, path));
        if !free.as_ref().is_err_and(|error: &io::Error| error.kind() == ErrorKind::AlreadyExists) {
            break;
        }
    }
    free
}

/// An unnamed temporary file on the file system of another.
///
/// # Errors
/// The error of the system.
pub fn scratch_for(path: &Path) -> io::Result<File> {
    match Target::of(path)? {
        Target::File(path) => tempfile::tempfile_in(folder(&path)),
        Target::Stream(_) => tempfile::tempfile(),
    }
}

/// An error of the system, with the name of its file before it.
pub fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", quote_path(path)))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
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
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let failed = write_atomically_with(&path, |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more");
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        for path in [folder.path().join("missing/file"), folder.path().to_owned()] {
            assert!(check_writable(&path).is_err() && Claim::file(&path).is_err());
            assert!(write_atomically(&path, "").is_err());
        }
    }

    #[test]
    fn an_output_has_one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x".repeat(255));
        for claim in
            [Claim::file as fn(&Path) -> io::Result<Claim>, |path| Claim::folder(path.parent().unwrap())]
        {
            let first = claim(&path).unwrap();
            assert_eq!(claim(&path).unwrap_err().kind(), ErrorKind::ResourceBusy);
            drop(first);
            drop(claim(&path).unwrap());
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        let (file, claim) = open(&path, Existing::Refused).unwrap();
        let kind = |existing| open(&path, existing).unwrap_err().kind();
        assert_eq!(kind(Existing::Refused), ErrorKind::ResourceBusy);
        assert_eq!(kind(Existing::Continued), ErrorKind::ResourceBusy);
        // Another name does not conflict.
        drop(Claim::file(&folder.path().join("y")).unwrap());
        drop((file, claim));
        assert_eq!(kind(Existing::Refused), ErrorKind::AlreadyExists);
        open(&path, Existing::Continued).unwrap();
    }

    #[test]
    fn one_file_may_have_several_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let same = |output: &str, other: &str| is_same_file(&path(output), &path(other));
        fs::write(path("there"), "").unwrap();
        fs::write(path("other"), "").unwrap();
        fs::create_dir(path("inner")).unwrap();
        fs::hard_link(path("there"), path("hard")).unwrap();
        for [output, other] in [["there", "there"], ["there", "./there"], ["there", "inner/../there"]] {
            assert!(same(output, other) && same(other, output), "{output} {other}");
        }
        assert!(same("new", "new") && same("new", "./new") && same("new", "inner/../new"));
        assert!(same("there", "hard") && same("hard", "there"));
        for [output, other] in [["there", "other"], ["new", "there"], ["there", "new"], ["new", "newer"]] {
            assert!(!same(output, other), "{output} {other}");
        }
        assert!(!same("new", "missing/new") && !same("inner", "inner"), "no files");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("there", path("soft")).unwrap();
            std::os::unix::fs::symlink("new", path("dangling")).unwrap();
            assert!(same("soft", "there") && same("there", "soft") && same("soft", "hard"));
            assert!(same("dangling", "new") && same("new", "dangling"));
            assert!(!is_same_file(Path::new("/dev/null"), Path::new("/dev/null")), "it holds nothing");
        }
    }

    /// As left by a killed run of another user.
    #[cfg(unix)]
    #[test]
    fn a_lock_that_may_only_be_read_is_taken() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join(FOLDER_LOCK);
        fs::write(&lock, "").unwrap();
        fs::set_permissions(&lock, PermissionsExt::from_mode(0o444)).unwrap();
        let claim = Claim::folder(folder.path()).unwrap();
        assert_eq!(Claim::folder(folder.path()).unwrap_err().kind(), ErrorKind::ResourceBusy);
        drop(claim);
        assert!(!lock.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_that_is_a_link_leaves_its_target_alone() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let [secret, lock] = ["secret", FOLDER_LOCK].map(|name| folder.path().join(name));
        fs::write(&secret, "").unwrap();
        fs::set_permissions(&secret, PermissionsExt::from_mode(0o600)).unwrap();
        symlink(&secret, &lock).unwrap();
        drop(Claim::folder(folder.path()));
        assert_eq!(fs::metadata(&secret).unwrap().permissions().mode() & 0o777, 0o600);
        symlink("nowhere", &lock).unwrap();
        assert_eq!(Claim::folder(folder.path()).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn what_cannot_be_written_is_refused_before_long_work() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("new/");
        assert_eq!(check_writable(&new).unwrap_err().kind(), ErrorKind::IsADirectory);
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink("nowhere/", &link).unwrap();
            assert_eq!(check_writable(&link).unwrap_err().kind(), ErrorKind::IsADirectory);
            check_writable(Path::new("/dev/null")).unwrap();
            // No process has that many open.
            check_writable(Path::new("/dev/fd/99999")).unwrap_err();
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_rights_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let [link, inner, file] = ["link", "inner", "file"].map(|name| folder.path().join(name));
        symlink("inner", &link).unwrap();
        symlink(&file, &inner).unwrap();
        for text in ["into nothing", "again"] {
            write_atomically(&link, text).unwrap();
            assert!(link.is_symlink() && inner.is_symlink() && !file.is_symlink());
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
        let first = Claim::file(&link).unwrap();
        assert!(Claim::file(&file).is_err(), "one file, though two names");
        drop(first);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        // A new file has the permissions of the umask.
        let usual = folder.path().join("usual");
        fs::write(&usual, "").unwrap();
        assert_eq!(mode(&file), mode(&usual));
        for rights in [0o600, 0o664, 0o640] {
            fs::set_permissions(&file, PermissionsExt::from_mode(rights)).unwrap();
            write_atomically(&link, "more").unwrap();
            assert_eq!(mode(&file), rights);
        }
        // A cycle of links is an error, not a hang.
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        symlink(&one, &other).unwrap();
        symlink(&other, &one).unwrap();
        assert!(write_atomically(&one, "").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_written_to() {
        use std::io::Read;
        use std::os::unix::fs::FileTypeExt;

        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let read = |write: &dyn Fn()| {
            std::thread::scope(|scope| {
                let reader = scope.spawn(|| {
                    let mut text = String::new();
                    File::open(&pipe).unwrap().read_to_string(&mut text).unwrap();
                    text
                });
                write();
                reader.join().unwrap()
            })
        };
        assert!(is_stream(&pipe));
        let claim = Claim::file(&pipe).unwrap();
        assert_eq!(read(&|| write_atomically(&pipe, "text").unwrap()), "text");
        drop(claim);
        assert_eq!(read(&|| open(&pipe, Existing::Refused).unwrap().0.write_all(b"more").unwrap()), "more");
        assert!(open(&pipe, Existing::Continued).is_err());
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write_atomically(Path::new("/dev/null"), "text").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert!(is_descriptor(Path::new("/dev/fd/1")) && is_descriptor(Path::new("/proc/self/fd/1")));
        assert!(!is_descriptor(Path::new("/dev/shm/file")));
    }
}
