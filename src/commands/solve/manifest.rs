//! The manifest of a folder of certificates: what each proves, and how to write it again.

use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::commands::shared::version;
use crate::solver::header_of;

/// The line of a certificate: file name, bytes, value, FEN, positions, checksum, lines by counting, program and
/// command, with tabs between them. The third to the seventh are what the other verifiers print.
pub(super) fn line(path: &Path) -> anyhow::Result<String> {
    let problem = || format!("cannot read {}", path.display());
    let (header, checksum) = header_of(path).with_context(problem)?;
    let bytes = fs::metadata(path).with_context(problem)?.len();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (positions, counted, version) = (header.counts.positions(), header.counts.counted, version::short());
    let command: Vec<_> =
        std::env::args_os().skip(1).map(|word| shell_word(&word.to_string_lossy())).collect();
    Ok(format!(
        "{}\t{bytes}\t{}\t{}\t{positions}\t{checksum:08x}\t{counted}\tlabrys {version}\tlabrys {}\n",
        shell_word(&name),
        header.value,
        header.fen,
        command.join(" ")
    ))
}

/// A word as a shell reads it. Tabs and line feeds, which would end a field, become spaces.
fn shell_word(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=+./,:@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let word = word.replace(char::is_control, " ");
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        for (word, quoted) in [
            ("--fen", "--fen"),
            ("4x4.proof", "4x4.proof"),
            ("1qq1/q2q w", "'1qq1/q2q w'"),
            ("", "''"),
            ("it's", "'it'\\''s'"),
            ("a\tb\n", "'a b '"),
        ] {
            assert_eq!(shell_word(word), quoted);
        }
    }
}
