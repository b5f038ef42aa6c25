//! The examples of the README run and print what it says.
//!
//! A block of `sh` runs in an empty folder, one after the other; the block of `text` after it is the output.
//! In outputs, `…` stands for anything in a line, and by itself for any lines; times and speeds may differ. A
//! block below `<!-- runs on -->` is started, and killed as soon as it has shown that it works.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;

use crate::common::process::Process;
use crate::markdown::{self, Block};

const README: &str = include_str!("../../README.md");

/// A line without numbers that differ from run to run: times and speeds.
fn without_times(line: &str) -> String {
    let units = ["s", "games/s", "positions/s"];
    let words: Vec<_> = line.split(' ').collect();
    let is_time = |index: usize| {
        let unit =
            words.get(index + 1).is_some_and(|next| units.contains(&next.trim_end_matches([',', ';'])));
        let named = index > 0 && ["time", "nps"].contains(&words[index - 1]);
        (unit || named) && words[index].parse::<f64>().is_ok()
    };
    let words: Vec<_> =
        words.iter().enumerate().map(|(index, word)| if is_time(index) { "#" } else { word }).collect();
    words.join(" ")
}

/// Whether a line is the expected one, in which `…` stands for anything.
fn is_line(expected: &str, line: &str) -> bool {
    let Some((head, tail)) = expected.split_once('…') else { return expected == line };
    let Some(rest) = line.strip_prefix(head) else { return false };
    rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| is_line(tail, &rest[at..]))
}

/// Whether lines are the expected ones.
fn are_lines(expected: &[String], lines: &[String]) -> bool {
    match (expected.split_first(), lines.split_first()) {
        (None, first) => first.is_none(),
        (Some((first, rest)), _) if first == "…" => {
            (0..=lines.len()).any(|skipped| are_lines(rest, &lines[skipped..]))
        }
        (Some((first, rest)), Some((line, lines))) => is_line(first, line) && are_lines(rest, lines),
        (Some(_), None) => false,
    }
}

fn assert_output(block: &Block, expected: &[&str], output: &[String]) {
    let lines = |lines: Vec<&str>| lines.into_iter().map(without_times).collect::<Vec<_>>();
    let shown = output.join("\n");
    let output = lines(output.iter().map(String::as_str).collect());
    assert!(are_lines(&lines(expected.to_vec()), &output), "README.md:{}: printed is\n{shown}", block.line);
}

/// The words of a conversation: those after `> ` go to the engine, the others are what it answers.
fn converse(block: &Block) {
    let mut engine = Process::start();
    let (mut expected, mut answers) = (Vec::new(), Vec::new());
    for line in block.text.lines() {
        match line.strip_prefix("> ") {
            Some("quit") => {}
            Some(command) if command.starts_with("go ") => {
                engine.send(command);
                answers.extend(engine.until("bestmove"));
            }
            Some(command) => answers.extend(engine.ask(command)),
            None => expected.push(line),
        }
    }
    assert_output(block, &expected, &answers);
}

fn shell(folder: &Path, text: &str) -> Command {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["-euo", "pipefail", "-c", text]).current_dir(folder).env("PATH", path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts a command that does not end by itself, and kills it when it has started its work.
fn begin(folder: &Path, block: &Block) {
    // One process: the shell becomes the command.
    let text = format!("exec {}", block.text.replace(" --open", " --port 0 --no-state"));
    let mut child = shell(folder, &text).env("LABRYS_PROGRESS", "json").spawn().unwrap();
    let (sender, lines) = mpsc::channel();
    let out: Box<dyn Read + Send> = Box::new(child.stdout.take().unwrap());
    let error: Box<dyn Read + Send> = Box::new(child.stderr.take().unwrap());
    for stream in [out, error] {
        let sender = sender.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                _ = sender.send(line);
            }
        });
    }
    drop(sender);
    let mut said = Vec::new();
    // The lines end when the command does.
    let works = lines.iter().any(|line| {
        let works = line.contains("\"progress\":") || line.starts_with("the board is at");
        said.push(line);
        works
    });
    _ = child.kill();
    child.wait().unwrap();
    assert!(works, "README.md:{}: {}", block.line, said.join("\n"));
}

#[test]
fn the_examples_of_the_readme_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("bin")).unwrap();
    for name in ["bin/labrys", "old", "new"] {
        symlink(env!("CARGO_BIN_EXE_labrys"), folder.join(name)).unwrap();
    }
    let lines: Vec<_> = README.lines().collect();
    let blocks = markdown::blocks(README);
    let mut ran = 0;
    for (index, block) in blocks.iter().enumerate() {
        match block.language.as_str() {
            // The two commands: `.ci/run` runs them.
            "sh" if block.text.contains("cargo ") => {}
            "sh" if lines[block.line - 2] == "<!-- runs on -->" => begin(folder, block),
            "sh" => {
                let output = shell(folder, &block.text).output().unwrap();
                let error = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "README.md:{}: {error}", block.line);
                ran += 1;
                let height = block.text.lines().count();
                let next = blocks.get(index + 1);
                if let Some(next) = next.filter(|next| next.line == block.line + height + 3) {
                    assert_eq!(next.language, "text");
                    let output = String::from_utf8(output.stdout).unwrap();
                    let output: Vec<_> = output.lines().map(str::to_owned).collect();
                    assert_output(next, &next.text.lines().collect::<Vec<_>>(), &output);
                }
            }
            "text" if block.text.starts_with("> ") => converse(block),
            "text" => assert!(index > 0 && blocks[index - 1].language == "sh", "{block:?}"),
            "toml" => {
                let name = block.text.lines().next().unwrap().trim_start_matches("# ");
                fs::write(folder.join(name), &block.text).unwrap();
            }
            // The documentation of the crate compiles and runs the first, tests of the package the second.
            "rust" | "python" => {}
            other => panic!("README.md:{}: {other}", block.line),
        }
    }
    assert!(ran >= 5, "{ran}");
}

#[test]
fn the_readme_is_short() {
    assert!(README.lines().count() <= 250);
}

#[test]
fn outputs_may_differ_only_in_times_and_omissions() {
    let lines = |text: &str| text.lines().map(without_times).collect::<Vec<_>>();
    let same = |expected, output| are_lines(&lines(expected), &lines(output));
    assert!(same(
        "a 3 games in 2.5 s, 1.0 games/s\n…\nend … x",
        "a 3 games in 0.1 s, 99 games/s\n\nb\nend  x"
    ));
    assert!(same("nodes 35 nps 4689 time 7 pv e2e4", "nodes 35 nps 1 time 100 pv e2e4"));
    assert!(!same("nodes 35 nps 4689", "nodes 36 nps 4689") && !same("a\nb", "a") && !same("a", "a\nb"));
    assert!(!same("a … b", "a x c") && !same("…\nb", "b\nc"));
}
