//! The manual is up to date: links are valid, the page of flags agrees with the binary, flags and
//! paths exist. This holds for the build with the web board.
//!
//! `LABRYS_BLESS=1 cargo test --test protocol manual` rewrites the page of flags and the table of steps that
//! `labrys compliance` takes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::shell::{self, succeed};
use crate::markdown;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files with an extension below a folder, except built and hidden ones.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let is_built =
            ["target", "trained", "node_modules"].contains(&name.as_str()) || name.starts_with('.');
        if entry.file_type().unwrap().is_dir() && !is_built {
            found.extend(files(&entry.path(), extension));
        } else if entry.path().extension().is_some_and(|found| found == extension) {
            found.push(entry.path());
        }
    }
    found
}

/// The chapters in `docs/`, by their names.
fn chapters() -> BTreeMap<String, String> {
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    files(&root().join("docs"), "md").iter().map(|path| (name(path), read(path))).collect()
}

#[test]
fn every_link_of_every_page_leads_somewhere() {
    let mut checked = 0;
    for page in files(root(), "md") {
        for link in markdown::links(&read(&page)) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            assert!(target.exists(), "{}: {link}", page.display());
            if !anchor.is_empty() {
                let anchors = markdown::anchors(&read(&target));
                assert!(anchors.contains(anchor), "{}: {link}: {anchors:?}", page.display());
            }
            checked += 1;
        }
    }
    assert!(checked > 200, "{checked}");
}

#[test]
fn every_chapter_stands_in_the_table_of_contents() {
    let contents = read(root().join("mkdocs.yml"));
    for name in chapters().into_keys() {
        assert!(contents.contains(&format!(": docs/{name}\n")), "{name}");
    }
}

/// The help of a command and of those below it, as a page.
fn help(words: &[String], page: &mut String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    let text = succeed(shell::output(command.args(words).arg("--help").env("COLUMNS", "110")));
    let text: Vec<_> = text.lines().map(str::trim_end).collect();
    *page += &format!("\n## labrys {}\n\n```text\n{}\n```\n", words.join(" "), text.join("\n"));
    let commands = text.iter().skip_while(|line| !line.starts_with("Usage:")).skip(1);
    for line in commands.take_while(|line| **line != "Options:") {
        // Names of commands stand behind two spaces, further lines of a meaning behind more. Arguments are no
        // small letters.
        let name = line.strip_prefix("  ").and_then(|line| line.split(' ').next()).unwrap_or_default();
        if name.starts_with(|first: char| first.is_ascii_lowercase()) && name != "help" {
            help(&[words, &[name.to_owned()]].concat(), page);
        }
    }
}

/// The expected `docs/flags.md`.
fn page_of_flags() -> String {
    let mut page = "# Every flag\n\nThe help of every command, as the binary prints it. [The command \
                    line](command-line.md) says what\nholds for all of them, and where each is explained.\n"
        .to_owned();
    help(&[], &mut page);
    page.replacen("## labrys \n", "## labrys\n", 1)
}

/// The heading of the steps in the chapter on checking engines, which end it.
const STEPS: &str = "## The steps";

#[test]
fn the_steps_of_the_check_of_engines_are_up_to_date() {
    let path = root().join("docs/compliance.md");
    let table = succeed(shell::labrys("compliance --list"));
    let page = read(&path);
    let (before, rest) = page.split_once(STEPS).unwrap();
    let words = rest.split("\n| step ").next().unwrap().trim_end();
    let page_of_today = format!("{before}{STEPS}{words}\n\n{table}");
    if std::env::var_os("LABRYS_BLESS").is_some() {
        fs::write(&path, &page_of_today).unwrap();
    }
    let written = read(&path);
    for (number, (written, expected)) in written.lines().zip(page_of_today.lines()).enumerate() {
        assert_eq!(written, expected, "line {}: LABRYS_BLESS=1 writes the page anew", number + 1);
    }
    assert_eq!(written, page_of_today);
}

/// The words that begin with two hyphens.
fn flags(text: &str) -> BTreeSet<&str> {
    let is_of_flag = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let words = text.split(|c: char| !is_of_flag(c));
    words.filter(|word| word.len() > 3 && word.starts_with("--") && !word[2..].starts_with('-')).collect()
}

#[test]
fn the_page_of_flags_is_up_to_date() {
    let path = root().join("docs/flags.md");
    let page = page_of_flags();
    if std::env::var_os("LABRYS_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = read(&path);
    for (number, (written, expected)) in written.lines().zip(page.lines()).enumerate() {
        assert_eq!(written, expected, "line {}: LABRYS_BLESS=1 writes the page anew", number + 1);
    }
    assert_eq!(written, page);
}

/// Each entry of a chapter, such as ``- `--games <n>`: …``, is a flag, and each flag stands in a chapter.
#[test]
fn the_manual_explains_the_flags_that_exist() {
    let page = page_of_flags();
    let known = flags(&page);
    let mut chapters = chapters();
    chapters.remove("flags.md");
    let ours = ["python.md", "cluster.md", "openbench.md"];
    for (name, text) in chapters.iter().filter(|(name, _)| !ours.contains(&name.as_str())) {
        for entry in text.lines().filter_map(|line| line.strip_prefix("- `--")) {
            let entry = format!("--{}", entry.split("`:").next().unwrap());
            let unknown: Vec<_> = flags(&entry).difference(&known).copied().collect();
            assert!(unknown.is_empty(), "{name}: {entry}: {unknown:?}");
        }
    }
    let pages: String = chapters.into_values().chain([read(root().join("protocol.md"))]).collect();
    let explained = flags(&pages);
    let missing: Vec<_> = known.difference(&explained).filter(|flag| **flag != "--help").collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn pages_and_sources_name_files_that_exist() {
    let folders = ["crates/", "src/", "docs/", "tests/", "experiments/", "suites/", "examples/", "python/"];
    let mut checked = 0;
    for page in files(&root().join("docs"), "md").into_iter().chain(files(root(), "rs")) {
        let text = read(&page);
        let is_source = page.extension().is_some_and(|extension| extension == "rs");
        for word in text.split(['`', ' ', '\n', '(', ')', ',', '"']) {
            // Sources name chapters; chapters name anything, but for what is left to the reader.
            let is_path = if is_source {
                word.starts_with("docs/") && word.ends_with(".md")
            } else {
                folders.iter().any(|folder| word.starts_with(folder)) && !word.contains(['<', '*', '…'])
            };
            if is_path {
                let path = word.trim_end_matches(['.', ';', ':', ']']);
                // Some belong to commands that run in `python/`.
                let exists = ["", "python"].iter().any(|folder| root().join(folder).join(path).exists());
                assert!(exists, "{}: {word}", page.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "{checked}");
}
