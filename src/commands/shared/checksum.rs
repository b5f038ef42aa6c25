//! Checksums of files, as `sha256sum` prints them.

use std::io;
use std::path::Path;

use anyhow::Context;
use sha2::{Digest, Sha256};

use crate::input;

/// The SHA-256 of a file.
///
/// # Errors
/// If it cannot be read; the error names it.
pub(in crate::commands) fn sha256(path: &Path) -> anyhow::Result<String> {
    let mut sum = Sha256::new();
    input::open(path)
        .and_then(|mut file| io::copy(&mut file, &mut sum))
        .with_context(|| path.display().to_string())?;
    Ok(format!("{:x}", sum.finalize()))
}

/// The value of an option or argument. If it is the path of a regular file, from `folder` on, the checksum of
/// the file follows it: another content is another value.
///
/// # Errors
/// If the file cannot be read; the error names it.
pub(in crate::commands) fn with_content(value: &str, folder: &Path) -> anyhow::Result<String> {
    let path = folder.join(value);
    Ok(if path.is_file() { format!("{value} (sha256 {})", sha256(&path)?) } else { value.to_owned() })
}

/// The options of an engine, each with the content of a file that it names, see [`with_content`], but for logs,
/// which an engine writes. `prefix` is what stands before the name of an option in an error.
///
/// # Errors
/// If a file cannot be read; the error names the option and the file.
pub(in crate::commands) fn options_with_content(
    options: &[(String, String)],
    folder: &Path,
    prefix: &str,
) -> anyhow::Result<Vec<(String, String)>> {
    let content = |(name, value): &(String, String)| {
        let value = match name.to_ascii_lowercase().contains("log") {
            true => value.clone(),
            false => with_content(value, folder).with_context(|| format!("{prefix}{name}"))?,
        };
        Ok((name.clone(), value))
    };
    options.iter().map(content).collect()
}
