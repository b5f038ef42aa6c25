//! The file of a table: how it is made, and what the page says.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::game::quote;
use labrys_support::settings;

/// A table of the page.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// The paper, or `ours`.
    pub(super) paper: String,
    pub(super) title: String,
    /// The heading of its section on the page.
    pub(super) page: String,
    /// When the numbers were measured, or `unknown`.
    pub(super) date: String,
    /// The commit that measured them, or `unknown`.
    pub(super) commit: String,
    /// The machine that measured them.
    pub(super) machine: String,
    /// The seeds. A step whose command has `{seed}` runs for each of them.
    pub(super) seeds: Vec<u64>,
    /// Whether a clock decides, so that other work on the machine changes the numbers.
    #[serde(default)]
    pub(super) quiet: bool,
    #[serde(rename = "step")]
    pub(super) steps: Vec<Step>,
    #[serde(default, rename = "expected")]
    pub(super) expected: Vec<Expected>,
}

/// A command that makes a part of a table.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) name: String,
    /// The arguments of `labrys`. `{out}` stands for the folder of the run, `{seed}` for the seed.
    pub(super) command: String,
    /// The file with its numbers, a table of comma-separated values; without it they are the JSON that the
    /// command prints.
    pub(super) reads: Option<String>,
}

/// Numbers of the page.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    /// The step that measures them.
    pub(super) step: String,
    /// Where they are in what it prints: keys of objects, names of entries of lists, separated by dots. `{}`
    /// stands for the key of a number.
    pub(super) value: String,
    /// The rows of its file that count, for a step that reads one.
    #[serde(default)]
    pub(super) rows: Rows,
    /// The unit of the page in that of the command.
    #[serde(default = "one")]
    pub(super) scale: f64,
    /// Each number with half the width of its 95 % interval.
    pub(super) numbers: BTreeMap<String, [f64; 2]>,
}

/// What is taken of a column of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Rows {
    /// The last number.
    #[default]
    Last,
    /// The mean of all numbers.
    Mean,
}

fn one() -> f64 {
    1.0
}

impl Table {
    /// Reads the table `name` of a folder.
    ///
    /// # Errors
    /// The error names the table, or what is wrong with it.
    pub(super) fn read(folder: &Path, name: &str) -> anyhow::Result<Table> {
        let known = names(folder)?;
        if !known.iter().any(|known| known == name) {
            bail!("unknown table {}, expected one of: {}", quote(name), known.join(", "));
        }
        let path = path(folder, name);
        let text = settings::read(&path).with_context(|| path.display().to_string())?;
        Table::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> anyhow::Result<Table> {
        let table: Table =
            toml::from_str(text).map_err(|error| anyhow!("{}", settings::problem(text, &error)))?;
        ensure!(!table.steps.is_empty(), "no `[[step]]`");
        ensure!(!table.seeds.is_empty(), "no `seeds`");
        if let Some(seed) = first_twice(&table.seeds) {
            bail!("`seeds`: {seed} is there twice");
        }
        // They are the names of files in the folder of the run.
        let is_plain = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        for Step { name, command, reads } in &table.steps {
            if let Some(reads) = reads {
                let is_inside =
                    Path::new(reads).components().all(|part| matches!(part, Component::Normal(_)));
                ensure!(
                    is_inside,
                    "`reads` of the step {}: {}, expected a file of the run",
                    quote(name),
                    quote(reads)
                );
                let has_seed = reads.contains("{seed}") || !command.contains("{seed}");
                ensure!(
                    has_seed,
                    "`reads` of the step {}: no `{{seed}}`, which its command has",
                    quote(name)
                );
            }
            ensure!(
                is_plain(name) && !name.starts_with('.'),
                "step name {}: expected letters, digits, `-`, `_` and `.`",
                quote(name)
            );
        }
        let runs: Vec<_> = table.runs().map(|(step, seed)| step.run_name(seed)).collect();
        if let Some(run) = first_twice(&runs) {
            bail!("two steps are called {}", quote(run));
        }
        for Expected { step, value, rows, scale, numbers } in &table.expected {
            let known = table.steps.iter().find(|known| known.name == *step);
            let known = known.with_context(|| {
                format!("`[[expected]]` of the step {}, which does not exist", quote(step))
            })?;
            let has_rows = known.reads.is_some() || *rows == Rows::Last;
            ensure!(has_rows, "`rows` of the step {}, which `reads` no file", quote(step));
            let parts_are_named = value.split('.').all(|part| !part.is_empty());
            ensure!(parts_are_named, "`value` of the step {}: {}", quote(step), quote(value));
            ensure!(!numbers.is_empty(), "no `numbers` of the step {}", quote(step));
            let has_keys = value.contains("{}") || numbers.len() == 1;
            ensure!(has_keys, "`value` of the step {}: no `{{}}` for several numbers", quote(step));
            ensure!(scale.is_finite() && *scale != 0.0, "`scale` of the step {}: {scale}", quote(step));
            for (key, number) in numbers {
                let is_number = number.iter().all(|value| value.is_finite()) && number[1] >= 0.0;
                ensure!(is_number, "number {} of the step {}: {number:?}", quote(key), quote(step));
            }
        }
        Ok(table)
    }

    /// The runs of all steps: with each seed where the step has one.
    pub(super) fn runs(&self) -> impl Iterator<Item = (&Step, Option<u64>)> {
        self.steps.iter().flat_map(move |step| {
            let seeds = if step.command.contains("{seed}") { &self.seeds[..] } else { &[] };
            let once = seeds.is_empty().then_some(None);
            once.into_iter().chain(seeds.iter().copied().map(Some)).map(move |seed| (step, seed))
        })
    }
}

impl Step {
    /// The words of the command line.
    pub(super) fn words(&self, out: &Path, seed: Option<u64>) -> Vec<String> {
        let out = out.display().to_string();
        let words = self.command.split_whitespace();
        words.map(|word| with_seed(&word.replace("{out}", &out), seed)).collect()
    }

    /// The file of a run that has its numbers, in place of what it prints.
    pub(super) fn read_file(&self, out: &Path, seed: Option<u64>) -> Option<PathBuf> {
        self.reads.as_ref().map(|name| out.join(with_seed(name, seed)))
    }

    /// The name of a run, which that of its files begins with.
    pub(super) fn run_name(&self, seed: Option<u64>) -> String {
        seed.map_or(self.name.clone(), |seed| format!("{}-{seed}", self.name))
    }
}

/// A text with the seed of a run.
fn with_seed(text: &str, seed: Option<u64>) -> String {
    text.replace("{seed}", &seed.map_or(String::new(), |seed| seed.to_string()))
}

/// The first value that was there before.
fn first_twice<T: PartialEq>(values: &[T]) -> Option<&T> {
    values.iter().enumerate().find_map(|(index, value)| values[..index].contains(value).then_some(value))
}

/// The names of the tables of a folder, in order.
pub(super) fn names(folder: &Path) -> anyhow::Result<Vec<String>> {
    let context =
        || format!("{}: run this from the root of the repository, or name --tables", folder.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(context)? {
        let path = entry.with_context(context)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

/// The file of a table.
pub(super) fn path(folder: &Path, name: &str) -> PathBuf {
    // The same however the folder is written.
    folder.strip_prefix(".").unwrap_or(folder).join(format!("{name}.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: &str = "[[expected]]\nstep = \"a\"\nvalue = \"x\"\n";
    const TABLE: &str = "paper = \"msd\"\ntitle = \"t\"\npage = \"p\"\ndate = \"unknown\"\ncommit = \"unknown\"\n\
        machine = \"m\"\nseeds = [1, 2]\n\
        [[step]]\nname = \"a\"\ncommand = \"match --pgnout {out}/a.pgn\"\n\
        [[step]]\nname = \"b\"\ncommand = \"linear train --seed {seed} --out {out}/b-{seed}\"\n";

    #[test]
    fn a_step_with_a_seed_runs_for_each() {
        let table = Table::parse(TABLE).unwrap();
        let runs = table.runs().map(|(step, seed)| (step.run_name(seed), step.words(Path::new("o p"), seed)));
        let runs: Vec<_> = runs.collect();
        assert_eq!(runs.iter().map(|run| run.0.as_str()).collect::<Vec<_>>(), ["a", "b-1", "b-2"]);
        assert_eq!(runs[0].1, ["match", "--pgnout", "o p/a.pgn"]);
        assert_eq!(runs[2].1, ["linear", "train", "--seed", "2", "--out", "o p/b-2"]);
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let wrong = |more: &str, part: &str| {
            let error = Table::parse(&format!("{TABLE}{more}")).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        wrong("[[expected]]\nstep = \"c\"\nvalue = \"x\"\nnumbers = {}\n", "`c`");
        wrong(&format!("{NUMBERS}numbers = {{}}\n"), "no `numbers` of the step `a`");
        wrong(&format!("{NUMBERS}numbers = {{ b = [1, 2], c = [1, 2] }}\n"), "no `{}` for several numbers");
        wrong("[[expected]]\nstep = \"a\"\nvalue = \"x..y\"\nnumbers = { b = [1, 2] }\n", "`x..y`");
        for (command, reads, part) in [
            ("perft", "/etc/passwd", "expected a file of the run"),
            ("perft", "../other/curve.csv", "expected a file of the run"),
            ("perft --seed {seed}", "curve.csv", "no `{seed}`"),
        ] {
            let step = format!("[[step]]\nname = \"r\"\ncommand = \"{command}\"\nreads = \"{reads}\"\n");
            wrong(&step, part);
        }
        wrong("[[expected]]\nstep = \"a\"\nvalues = \"x\"\n", "values");
        wrong(&format!("{NUMBERS}scale = nan\nnumbers = {{ b = [1, 2] }}\n"), "`scale` of the step `a`: NaN");
        for number in ["[2, inf]", "[nan, 1]", "[2, -3]"] {
            wrong(&format!("{NUMBERS}numbers = {{ games = {number} }}\n"), "number `games` of the step `a`");
        }
        wrong(&format!("{NUMBERS}rows = \"mean\"\nnumbers = {{ b = [1, 2] }}\n"), "`rows` of the step `a`");
        wrong(&format!("{NUMBERS}rows = \"all\"\nnumbers = {{ b = [1, 2] }}\n"), "unknown variant `all`");
        for name in ["", "..", "../a", "/tmp/a", "a b", "a/b"] {
            let step = format!("[[step]]\nname = \"{name}\"\ncommand = \"perft\"\n");
            wrong(&step, &format!("step name `{name}`"));
        }
        for name in ["a", "b-1"] {
            let step = format!("[[step]]\nname = \"{name}\"\ncommand = \"perft\"\n");
            wrong(&step, &format!("two steps are called `{name}`"));
        }
        let twice = TABLE.replace("seeds = [1, 2]", "seeds = [1, 2, 1]");
        assert_eq!(Table::parse(&twice).unwrap_err().to_string(), "`seeds`: 1 is there twice");
        assert!(Table::parse("").unwrap_err().to_string().contains("missing field"));
    }
}
