//! Settings in TOML.

use std::io;
use std::path::Path;

use labrys_core::game::escaped;

use crate::text;

/// The maximum size in bytes of settings, thousands of times that of any in use.
const MAX_SETTINGS: u64 = 16 << 20;

/// Reads settings as [`text::read`] does, of at most 16 MiB.
///
/// # Errors
/// The error of the system, or that the file is larger or no file.
pub fn read(path: &Path) -> io::Result<String> {
    text::read_at_most(path, MAX_SETTINGS)
}

/// What is wrong with settings, in one line: its place, and the error without the text around it, which may be
/// of any length and have control characters.
pub fn problem(settings: &str, error: &toml::de::Error) -> String {
    let what = error.message().trim_end().replace('\n', ", ");
    let what = escaped(what.chars());
    let Some(before) = error.span().and_then(|span| settings.get(..span.start)) else { return what };
    let (line, last) = (1 + before.matches('\n').count(), before.rsplit('\n').next().unwrap_or_default());
    format!("line {line}, column {}: {what}", 1 + last.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_one_line_with_its_place() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Settings {
            #[expect(dead_code, reason = "only its name counts")]
            games: u32,
        }
        for (text, expected) in [
            ("games = 1\ngame = 2", "line 2, column 1: unknown field `game`, expected `games`"),
            ("games = 'x'", "line 1, column 9: invalid type: string \"x\", expected u32"),
            ("\"\\u001b[31m\" = 1", "line 1, column 1: unknown field `\\u{1b}[31m`, expected `games`"),
            ("", "line 1, column 1: missing field `games`"),
        ] {
            let error = toml::from_str::<Settings>(text).unwrap_err();
            assert_eq!(problem(text, &error), expected);
        }
        let long = format!("games = \"{}", "x".repeat(1000));
        let error = toml::from_str::<Settings>(&long).unwrap_err();
        assert!(problem(&long, &error).len() < 100, "{}", problem(&long, &error));
    }

    #[test]
    fn large_files_are_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(MAX_SETTINGS + 1).unwrap();
        assert!(read(file.path()).unwrap_err().to_string().contains("more than 16777216 bytes"));
    }
}
