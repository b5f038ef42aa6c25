//! Every configuration in `experiments/` is valid: with an output path that cannot be written, the command
//! fails only because of that path, or because weights have not been trained yet. Every table that can be
//! repeated names files that exist and has the numbers of the page.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

use crate::common::shell::{assert_fails, labrys, signal, succeed};

/// All TOML files in a folder and its subfolders.
fn configurations(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // Tables are no arguments of a command.
    let entries = entries.filter(|path| !path.ends_with("tables"));
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let files =
        files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.chain(folders.iter().flat_map(|folder| configurations(folder))).collect()
}

#[test]
fn every_configuration_is_accepted() {
    let nowhere = tempfile::tempdir().unwrap();
    let file = nowhere.path().join("file");
    fs::write(&file, "").unwrap();
    let results = file.join("results").display().to_string();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = configurations(&root.join("experiments"));
    assert!(all.len() > 10);
    for path in all {
        let text = fs::read_to_string(&path).unwrap();
        let shown = path.strip_prefix(root).unwrap().display().to_string();
        let line = text.lines().find_map(|line| line.strip_prefix("#   labrys ")).unwrap();
        assert!(line.contains(&shown), "{shown} says how to run it: {line}");
        let (command, flag): (&[&str], _) = match line.split(' ').next() {
            Some("linear") => (&["linear", "train", "--config"], "--out"),
            Some("nnue") => (&["nnue", "generations", "--config"], "--out"),
            Some("zero") => (&["zero", "train"], "--out"),
            _ => (&["match", "--config"], "--pgnout"),
        };
        let mut labrys = Command::new(assert_cmd::cargo::cargo_bin!("labrys"));
        let output = labrys.args(command).arg(&path).args([flag, &results]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        let named = if text.contains("trained/") && flag == "--pgnout" { "`trained/" } else { &results };
        assert!(!output.status.success() && error.contains(named), "{shown}: {error}");
    }
}

/// The section of a page under a heading that begins with some words.
fn section<'a>(page: &'a str, words: &str) -> Option<&'a str> {
    let start = page.find(&format!("\n## {words}"))? + 1;
    let end = page[start..].find("\n## ").map_or(page.len(), |end| start + end);
    Some(&page[start..end])
}

#[test]
fn every_table_names_files_that_exist_and_numbers_of_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("experiments/README.md")).unwrap();
    let mut checked = 0;
    for path in fs::read_dir(root.join("experiments/tables")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let table: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
        let heading = table["page"].as_str().unwrap();
        let section = section(&page, heading).unwrap_or_else(|| panic!("{name}: no section {heading}"));
        assert!(section.contains(&format!("`{name}`")), "{name} is not named in {heading}");
        for step in table["step"].as_array().unwrap() {
            for word in step["command"].as_str().unwrap().split([' ', '=']) {
                assert!(!word.starts_with("experiments/") || root.join(word).is_file(), "{name}: {word}");
            }
        }
        for expected in table.get("expected").and_then(|all| all.as_array()).into_iter().flatten() {
            for (key, number) in expected["numbers"].as_table().unwrap() {
                // The page has minus signs, and a number with or without its error.
                let text = number[0].to_string().replace('-', "−");
                assert!(has_number(section, &text), "{name}: {key}: {text} is not in {heading}");
                checked += 1;
            }
        }
    }
    assert!(checked > 50, "{checked}");
    let listed =
        succeed(labrys(&format!("experiments list --tables {}", root.join("experiments/tables").display())));
    assert!(listed.contains("msd-strength\n    MSD: Score against plain"), "{listed}");
}

/// Whether a text has a number, not as a part of a longer one.
fn has_number(text: &str, number: &str) -> bool {
    text.match_indices(number).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + number.len()..].chars();
        let next = after.next();
        let goes_on = next == Some('.') && after.next().is_some_and(|c| c.is_ascii_digit());
        !before.is_some_and(|c| c.is_ascii_digit() || "−.,".contains(c))
            && !next.is_some_and(|c| c.is_ascii_digit())
            && !goes_on
    })
}

/// A table with a match of two games for each of two seeds, whose first player has this score.
fn small_table(folder: &Path, score: f64, error: f64) {
    let engine = |name: &str| format!("--engine name={name} option.FeatureSet=set1");
    let text = format!(
        "paper = \"ours\"\ntitle = \"small\"\npage = \"x\"\ndate = \"unknown\"\ncommit = \"unknown\"\n\
         machine = \"unknown\"\nseeds = [1, 2]\n[[step]]\nname = \"games\"\n\
         command = \"match --variant neighbours --games 2 --seed {{seed}} --each nodes=60 option.Hash=1 {} {} \
         --json --pgnout {{out}}/games-{{seed}}.pgn --resume\"\n\
         [[expected]]\nstep = \"games\"\nvalue = \"players.{{}}.score\"\nscale = 100\n\
         numbers = {{ a = [{score}, {error}] }}\n",
        engine("a"),
        engine("b")
    );
    fs::write(folder.join("small.toml"), text).unwrap();
}

#[test]
fn a_table_is_repeated_compared_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let (tables, out) = (folder.path().join("tables"), folder.path().join("out"));
    fs::create_dir(&tables).unwrap();
    let run = |out: &Path| {
        labrys(&format!("experiments run small --tables {} --out {}", tables.display(), out.display()))
    };
    small_table(&tables, 50.0, 1000.0);
    let (success, text, error) = run(&out);
    assert!(success && text.contains("players.a.score") && text.contains("agrees"), "{text}{error}");
    assert!(error.contains("games-1: labrys match") && error.contains("games-2: labrys match"), "{error}");
    let manifest = || -> Value {
        serde_json::from_str(&fs::read_to_string(out.join("manifest.json")).unwrap()).unwrap()
    };
    let first = manifest();
    assert_eq!(first["steps"].as_array().unwrap().len(), 2, "{first}");
    assert_eq!(first["results"][0]["by_seed"].as_array().unwrap().len(), 2, "{first}");
    assert_eq!(first["games"]["games-1.pgn"]["games"], 2, "{first}");
    assert!(first["program"]["build"].to_string().contains("net of chess: "), "{first}");
    assert_eq!(first["configuration"]["sha256"].as_str().unwrap().len(), 64, "{first}");
    assert_eq!(first["files"]["games-1.out"].as_str().unwrap().len(), 64, "{first}");

    // What is done is not done again.
    let (success, _, error) = run(&out);
    assert!(success && !error.contains("labrys match"), "{error}");
    // A step whose output has gone is done again; here all its games are there, by another program.
    fs::remove_file(out.join("games-2.out")).unwrap();
    let this = first["steps"][1]["version"].as_str().unwrap();
    let text = fs::read_to_string(out.join("manifest.json")).unwrap();
    let mut other =
        text.replace(&format!("\"version\": \"{this}\""), "\"version\": \"0.0.9 (old)\"").into_bytes();
    fs::write(out.join("manifest.json"), &other).unwrap();
    assert_fails(run(&out), "manifest.json: damaged: checksum");
    labrys_core::seal::seal(&mut other, "crc32").unwrap();
    fs::write(out.join("manifest.json"), other).unwrap();
    let (success, _, error) = run(&out);
    assert!(success && error.contains("games-2: ") && !error.contains("games-1: "), "{error}");
    assert_eq!((manifest()["steps"].as_array().unwrap().len(), &manifest()["games"]), (2, &first["games"]));
    let version = format!("0.0.9 (old), {this}");
    assert_eq!(manifest()["steps"][1]["version"], version.as_str(), "{}", manifest());
    // What a step has printed is not another's.
    let printed = fs::read_to_string(out.join("games-1.out")).unwrap();
    fs::write(out.join("games-1.out"), printed.replacen("\"score\"", "\"scor\"", 1)).unwrap();
    assert_fails(run(&out), "games-1.out has changed or is gone since its step was done");
    fs::write(out.join("games-1.out"), printed).unwrap();
    let games = fs::read_to_string(out.join("games-1.pgn")).unwrap();
    fs::write(out.join("games-1.pgn"), games.replace("\"a\"", "\"c\"")).unwrap();
    assert_fails(run(&out), "games-1.pgn has changed or is gone since its step was done");
    fs::write(out.join("games-1.pgn"), games).unwrap();
    // The same games have the same checksum, though not the same times.
    let again = folder.path().join("again");
    assert!(run(&again).0);
    let text = fs::read_to_string(again.join("manifest.json")).unwrap();
    let second: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(first["games"], second["games"]);
    assert_ne!(first["games"]["games-1.pgn"]["sha256"], first["games"]["games-2.pgn"]["sha256"]);

    // A folder of another configuration is left alone, and so is one without its games.
    let seeds = fs::read_to_string(tables.join("small.toml")).unwrap().replace("[1, 2]", "[1, 3]");
    fs::write(tables.join("small.toml"), seeds).unwrap();
    let before = manifest();
    assert_fails(run(&out), "a run of another configuration");
    assert_eq!(manifest(), before);
    small_table(&tables, 50.0, 1000.0);
    fs::remove_file(again.join("games-1.pgn")).unwrap();
    assert_fails(run(&again), "the games games-1.pgn of this run are gone");

    // Another number on the page is no other run. One that is beyond its error bars is a failure.
    small_table(&tables, 1000.0, 0.0);
    let (success, text, error) = run(&out);
    assert!(!success && text.contains("differs") && !error.contains("labrys match"), "{text}{error}");
    let (success, text, error) = run(&folder.path().join("other"));
    assert!(!success && text.contains("differs"), "{text}");
    assert!(error.contains("1 of 1 number beyond the error bars of the page"), "{error}");
    // Several tables have a folder each; a table that fails does not end the others.
    fs::copy(tables.join("small.toml"), tables.join("tiny.toml")).unwrap();
    let both = folder.path().join("both");
    let words = format!("run small tiny --tables {} --out {}", tables.display(), both.display());
    assert_fails(labrys(&format!("experiments {words}")), "2 of 2 tables failed: small, tiny");
    assert!(both.join("small/manifest.json").is_file() && both.join("tiny/games-2.pgn").is_file());
    // A table that cannot be read does not hide the others.
    fs::write(tables.join("a.toml"), "paper = 3").unwrap();
    let (success, text, error) = labrys(&format!("experiments list --tables {}", tables.display()));
    assert!(!success && text.starts_with("small\n"), "{text}");
    assert!(error.contains("a.toml") && error.contains("1 table cannot be read"), "{error}");
    fs::remove_file(tables.join("a.toml")).unwrap();
    fs::remove_file(tables.join("tiny.toml")).unwrap();
    for name in ["large", "../tables/small"] {
        let unknown = labrys(&format!("experiments run {name} --tables {} --out x", tables.display()));
        assert_fails(unknown, &format!("unknown table `{name}`, expected one of: small"));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_with_its_step() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    for name in ["-INT", "-TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let text = "paper = \"ours\"\ntitle = \"long\"\npage = \"x\"\ndate = \"unknown\"\ncommit = \"unknown\"\n\
                    machine = \"unknown\"\nseeds = [1]\n[[step]]\nname = \"search\"\n\
                    command = \"solve --variant amazons --option AmazonsBoard=10x10 --hash 1\"\n";
        fs::write(folder.path().join("long.toml"), text).unwrap();
        let out = folder.path().join("out");
        let mut run = Command::new(env!("CARGO_BIN_EXE_labrys"))
            .args(["experiments", "run", "long", "--tables"])
            .arg(folder.path())
            .arg("--out")
            .arg(&out)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = BufReader::new(run.stderr.take().unwrap());
        let mut line = String::new();
        errors.read_line(&mut line).unwrap();
        assert!(line.contains("search: labrys solve"), "{line}");
        // As if the step had written it.
        fs::write(out.join("curve.csv"), "games\n1\n").unwrap();
        // Only the run is interrupted, not its step, which would take years.
        signal(&run, name);
        let mut rest = String::new();
        // Both have this pipe, so that the end of the text is the end of both.
        errors.read_to_string(&mut rest).unwrap();
        let end = "step search was interrupted; the same command continues the run\n";
        assert!(rest.ends_with(end), "{rest}");
        let manifest = fs::read_to_string(out.join("manifest.json")).unwrap();
        assert!(manifest.contains("\"begun\": {") && manifest.contains("\"curve.csv\": "), "{manifest}");
        assert!(!run.wait().unwrap().success() && !out.join("search.out").exists());
    }
}
