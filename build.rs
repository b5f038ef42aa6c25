//! What the build puts into the binary: the commit and the processor. And how it is linked.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What makes the binary smaller where the linker knows it. Functions and data that do not differ are there
/// once: the searches of the games have many such functions, and each crate that moves pieces of chess has
/// the tables for them.
const FOLDING: &str = "-Wl,--icf=all,--ignore-data-address-equality";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if links_with(FOLDING) {
        println!("cargo::rustc-link-arg-bins={FOLDING}");
    }
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-env-changed=LABRYS_COMMIT");
    let named = env::var("LABRYS_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = named.or_else(|| packaged_commit(&root)).or_else(|| checked_out_commit(&root));
    println!("cargo::rustc-env=LABRYS_COMMIT={}", commit.unwrap_or_default());
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    println!("cargo::rustc-env=LABRYS_TARGET_FEATURES={features}");
}

/// Whether the linker takes an argument: LLVM's does what GNU's may not know. It links an empty program.
fn links_with(argument: &str) -> bool {
    let variable = |name| env::var_os(name).expect("cargo sets it");
    let source = PathBuf::from(variable("OUT_DIR")).join("empty.rs");
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.arg(&source).arg("--out-dir").arg(variable("OUT_DIR")).arg("--target").arg(variable("TARGET"));
    rustc.arg(format!("-Clink-arg={argument}"));
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut option = OsString::from("-Clinker=");
        option.push(linker);
        rustc.arg(option);
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    rustc.stdout(Stdio::null()).stderr(Stdio::null());
    fs::write(&source, "fn main() {}").is_ok() && rustc.status().is_ok_and(|status| status.success())
}

/// The commit that a package of `cargo package` was made from.
fn packaged_commit(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join(".cargo_vcs_info.json")).ok()?;
    let hash = text.split("\"sha1\": \"").nth(1)?.split('"').next()?;
    Some(hash.to_owned())
}

/// The commit that a clone is at, if there is git. Only where the clone is this folder: a copy inside of
/// another repository is not of its commit.
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
