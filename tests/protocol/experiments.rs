//! Every configuration in `experiments/` is valid: with an output path that cannot be written, the command
//! fails only because of that path, or because weights have not been trained yet.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// All TOML files in a folder and its subfolders.
fn configurations(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
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
