//! What the build puts into the binary: the evaluation net of chess, the commit and the processor.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The net of chess unless the variable `EVALFILE` names another one.
const NET: &str = "nets/eval/chess.safetensors";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    embed_net(&root);
    println!("cargo::rerun-if-env-changed=LABRYS_COMMIT");
    let named = env::var("LABRYS_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = named.or_else(|| packaged_commit(&root)).or_else(|| checked_out_commit(&root));
    println!("cargo::rustc-env=LABRYS_COMMIT={}", commit.unwrap_or_default());
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    println!("cargo::rustc-env=LABRYS_TARGET_FEATURES={features}");
}

/// Names the file of the net of chess to the compiler. A wrong file is an error here, not in the first game.
fn embed_net(root: &Path) {
    println!("cargo::rerun-if-env-changed=EVALFILE");
    let path = env::var_os("EVALFILE").filter(|path| !path.is_empty()).unwrap_or_else(|| NET.into());
    // A relative path is relative to this folder; `join` keeps an absolute one.
    let path = root.join(path);
    println!("cargo::rerun-if-changed={}", path.display());
    let is_net = |bytes: Vec<u8>| {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
        text.contains("labrys-nnue") && text.contains(r#"\"game\":\"chess\""#)
    };
    match fs::read(&path).map(is_net) {
        Ok(true) => println!("cargo::rustc-env=LABRYS_EVALFILE={}", path.display()),
        Ok(false) => println!("cargo::error=EVALFILE {}: not an evaluation net of chess", path.display()),
        Err(error) => println!("cargo::error=EVALFILE {}: {error}", path.display()),
    }
}

/// The commit that a package of `cargo package` was made from.
fn packaged_commit(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join(".cargo_vcs_info.json")).ok()?;
    let hash = text.split("\"sha1\": \"").nth(1)?.split('"').next()?;
    Some(hash.to_owned())
}

/// The commit that a clone is at, if there is git. Only where the clone is this folder: a copy inside of another
/// repository is not of its commit.
fn checked_out_commit(root: &Path) -> Option<String> {
    let git = |words: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(words).output().ok()?;
        let text = output.status.success().then(|| String::from_utf8(output.stdout).ok())??;
        Some(text.trim_end().to_owned())
    };
    if !git(&["rev-parse", "--show-prefix"])?.is_empty() {
        return None;
    }
    let commit = git(&["rev-parse", "HEAD"])?;
    // What changes with the commit. Only what is there: a file that is missing counts as changed.
    let reference = git(&["symbolic-ref", "-q", "HEAD"]).unwrap_or_default();
    for name in ["HEAD", "logs/HEAD", "packed-refs", &reference].into_iter().filter(|name| !name.is_empty()) {
        let path = git(&["rev-parse", "--git-path", name]).map(|path| root.join(path));
        if let Some(path) = path.filter(|path| path.is_file()) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    Some(commit)
}
