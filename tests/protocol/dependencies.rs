//! What Labrys depends on: licences, sources and the oldest compiler, as in `deny.toml` and `Cargo.toml`.

use std::process::Command;

use serde_json::Value;

use crate::common::shell::{self, succeed};

/// A file of the repository.
fn toml(name: &str) -> toml::Table {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

/// Whether the licences of an SPDX expression are allowed: one of each choice. Only choices may have
/// parentheses around them.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    // Old manifests have a slash for `OR`.
    let expression = expression.replace('/', " OR ");
    let is_one = |name: &str| allowed.contains(&name.trim());
    if expression.contains('(') {
        let choice = |part: &str| part.trim_matches(['(', ')']).split(" OR ").any(is_one);
        return expression.split(" AND ").all(choice);
    }
    expression.split(" OR ").any(|part| part.split(" AND ").all(is_one))
}

#[test]
fn expressions_of_licences_are_read() {
    let is_allowed = |expression| is_allowed(expression, &["MIT", "Zlib", "BSD-3-Clause"]);
    for good in
        ["MIT", "Apache-2.0 OR MIT", "Apache-2.0/MIT", "(Apache-2.0 OR MIT) AND BSD-3-Clause", "MIT AND Zlib"]
    {
        assert!(is_allowed(good), "{good}");
    }
    for bad in [
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(Apache-2.0 OR MIT) AND GPL-3.0",
        "(Apache-2.0 OR GPL-3.0) AND MIT",
        "",
    ] {
        assert!(!is_allowed(bad), "{bad}");
    }
}

#[test]
#[ignore = "downloads the dependencies of all crates and systems"]
fn dependencies_are_free_published_and_not_too_new() {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--format-version", "1", "--locked"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let metadata: Value = serde_json::from_str(&succeed(shell::output(&mut command))).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "{}", packages.len());
    let deny = toml("deny.toml");
    let allowed: Vec<_> =
        deny["licenses"]["allow"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let numbers = |version: &str| version.split('.').map(|part| part.parse().unwrap()).collect::<Vec<u32>>();
    let oldest = toml("Cargo.toml")["workspace"]["package"]["rust-version"].as_str().unwrap().to_owned();
    for package in packages {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let name = text("name");
        assert!(is_allowed(text("license"), &allowed), "{name}: {}", text("license"));
        let is_own = package["source"].is_null();
        let is_published = text("source") == "registry+https://github.com/rust-lang/crates.io-index";
        assert!(is_own || is_published, "{name}: {}", text("source"));
        let needs = package["rust_version"].as_str().unwrap_or("1.0");
        assert!(numbers(needs)[..2] <= numbers(&oldest)[..2], "{name} needs Rust {needs}, not {oldest}");
    }
}
