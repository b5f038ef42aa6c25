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

/// Whether an option of an engine names a log, which the engine writes.
pub(in crate::commands) fn is_log(option: &str) -> bool {
    option.to_ascii_lowercase().contains("log")
}

/// The value of an option of an engine, see [`with_content`]; that of a log as it is.
///
/// # Errors
/// If a file cannot be read; the error names the option, with `prefix` before it, and the file.
fn option_with_content(name: &str, value: &str, folder: &Path, prefix: &str) -> anyhow::Result<String> {
    match is_log(name) {
        true => Ok(value.to_owned()),
        false => with_content(value, folder).with_context(|| format!("{prefix}{name}")),
    }
}

/// The options of an engine, each with the content of a file that it names, but for logs. `prefix` is what stands
/// before the name of an option in an error.
///
/// # Errors
/// If a file cannot be read; the error names the option and the file.
pub(in crate::commands) fn options_with_content(
    options: &[(String, String)],
    folder: &Path,
    prefix: &str,
) -> anyhow::Result<Vec<(String, String)>> {
    let content = |(name, value): &(String, String)| {
        Ok((name.clone(), option_with_content(name, value, folder, prefix)?))
    };
    options.iter().map(content).collect()
}

/// The keys of `--each`, with the content of files that options name, but for logs.
///
/// # Errors
/// If a file cannot be read; the error names the option and the file.
pub(in crate::commands) fn each_with_content(words: &[String]) -> anyhow::Result<Vec<String>> {
    let content = |word: &String| match word.split_once('=') {
        Some((key, value)) if key.starts_with("option.") => {
            Ok(format!("{key}={}", option_with_content(key, value, Path::new(""), "--each: ")?))
        }
        _ => Ok(word.clone()),
    };
    words.iter().map(content).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_options_name_count_with_their_content_but_for_logs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net");
        let name = path.display().to_string();
        let words =
            ["nodes=5", "option.EvalFile=", "option.LogFile="].map(|word| match word.ends_with('=') {
                true => format!("{word}{name}"),
                false => word.to_owned(),
            });
        let content = |text: &str| {
            std::fs::write(&path, text).unwrap();
            each_with_content(&words).unwrap()
        };
        let [first, second] = ["one", "two"].map(content);
        assert_eq!((&first[0], &first[2]), (&words[0], &words[2]));
        assert!(first[1].starts_with(&format!("option.EvalFile={name} (sha256 ")) && first[1] != second[1]);
    }
}
