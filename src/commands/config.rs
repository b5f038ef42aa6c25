//! Command line arguments from a TOML file.
//!
//! `--config FILE` is replaced by the arguments in the file: `games = 400` becomes `--games 400`, `json =
//! true` becomes `--json`, a table `[sprt]` with `elo0 = 0` becomes `--sprt elo0=0`, each `[[engine]]`
//! becomes an `--engine`, and `rival = ["ones", "random"]` becomes `--rival ones --rival random`. The result
//! is parsed as a command line, so both have the same names, ranges and errors.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, bail};
use toml::{Table, Value};

/// Inserts the arguments of the file after each `--config FILE` or `--config=FILE`.
pub(super) fn expand(arguments: impl IntoIterator<Item = OsString>) -> anyhow::Result<Vec<OsString>> {
    let (mut expanded, mut arguments) = (Vec::new(), arguments.into_iter());
    while let Some(argument) = arguments.next() {
        let path = match argument.to_str() {
            Some("--config") => arguments.next(),
            Some(text) => text.strip_prefix("--config=").map(OsString::from),
            None => None,
        };
        match path {
            None => expanded.push(argument),
            Some(path) => {
                let read = read(Path::new(&path));
                let read = read.with_context(|| format!("config {}", Path::new(&path).display()))?;
                expanded.extend([OsString::from("--config"), path]);
                expanded.extend(read.into_iter().map(OsString::from));
            }
        }
    }
    Ok(expanded)
}

fn read(path: &Path) -> anyhow::Result<Vec<String>> {
    let table: Table = std::fs::read_to_string(path)?.parse()?;
    let mut arguments = Vec::new();
    for (name, value) in &table {
        if name == "config" {
            bail!("`config` is not allowed in a configuration file");
        }
        let flag = format!("--{name}");
        match value {
            Value::Boolean(true) => arguments.push(flag),
            Value::Boolean(false) => {}
            Value::Table(table) => add_section(&mut arguments, flag, table)?,
            Value::Array(values) => {
                for value in values {
                    match value {
                        Value::Table(table) => add_section(&mut arguments, flag.clone(), table)?,
                        value => arguments.push(format!("{flag}={}", scalar(name, value)?)),
                    }
                }
            }
            // As one argument, since a value may begin with a hyphen.
            value => arguments.push(format!("{flag}={}", scalar(name, value)?)),
        }
    }
    Ok(arguments)
}

/// A table as `--flag key=value …`.
fn add_section(arguments: &mut Vec<String>, flag: String, table: &Table) -> anyhow::Result<()> {
    if !table.is_empty() {
        arguments.push(flag);
        add_pairs(arguments, "", table)?;
    }
    Ok(())
}

fn add_pairs(arguments: &mut Vec<String>, prefix: &str, table: &Table) -> anyhow::Result<()> {
    for (key, value) in table {
        let key = format!("{prefix}{key}");
        match value {
            Value::Table(inner) => add_pairs(arguments, &format!("{key}."), inner)?,
            Value::Array(values) => {
                for value in values {
                    arguments.push(format!("{key}={}", scalar(&key, value)?));
                }
            }
            value => arguments.push(format!("{key}={}", scalar(&key, value)?)),
        }
    }
    Ok(())
}

fn scalar(name: &str, value: &Value) -> anyhow::Result<String> {
    Ok(match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        other => bail!("`{name}`: unexpected {}", other.type_str()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stands_for_its_arguments() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.toml");
        let text = "games = 4\njson = true\nresume = false\nopenings = \"a b.epd\"\nrival = [\"x\", \"y\"]\n\
                    [sprt]\nelo0 = -1.5\nelo1 = 3\n\
                    [[engine]]\nname = \"a\"\narg = [\"x\", \"y\"]\noption.Hash = 8\n\
                    [[engine]]\n\"option.Move Overhead\" = 0\n";
        std::fs::write(&path, text).unwrap();
        let arguments = ["labrys", "match", "--config", path.to_str().unwrap(), "--seed", "3"];
        let expanded = expand(arguments.map(OsString::from)).unwrap();
        let expanded: Vec<_> = expanded.iter().map(|argument| argument.to_str().unwrap()).collect();
        assert_eq!(expanded[4..].iter().filter(|&&word| word == "--engine").count(), 2);
        for word in [
            "--games=4",
            "--json",
            "--openings=a b.epd",
            "--rival=x",
            "--rival=y",
            "elo0=-1.5",
            "arg=y",
            "option.Hash=8",
            "3",
        ] {
            assert!(expanded.contains(&word), "{word}: {expanded:?}");
        }
        assert!(expanded.contains(&"option.Move Overhead=0") && !expanded.contains(&"--resume"));
    }

    #[test]
    fn what_is_wrong_in_a_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.toml");
        for (text, message) in [
            ("games = ", "line 1"),
            ("engine = [[1]]", "`engine`: unexpected array"),
            ("seed = 2026-11-21", "`seed`: unexpected datetime"),
            ("config = \"x\"", "`config` is not allowed"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = expand(["--config".into(), path.clone().into_os_string()]).unwrap_err();
            let error = format!("{error:#}");
            assert!(error.contains("match.toml") && error.contains(message), "{error}");
        }
        let error = format!("{:#}", expand(["--config=/no/file".into()]).unwrap_err());
        assert!(error.contains("config /no/file: "), "{error}");
    }
}
