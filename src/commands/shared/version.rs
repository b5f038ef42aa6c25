//! The output of `labrys --version`: the version, the build and the shipped nets.

use std::fmt::Write;

use crate::commands::shared::typed::commands;
use crate::engine::registry;

/// The levels of x86-64 processors, from the highest, each with a feature that the next one lacks.
const LEVELS: [(&str, bool); 3] = [
    ("x86-64-v4", cfg!(target_feature = "avx512vl")),
    ("x86-64-v3", cfg!(target_feature = "avx2")),
    ("x86-64-v2", cfg!(target_feature = "sse4.2")),
];

/// The version in a line.
pub(in crate::commands) fn short() -> String {
    let (version, commit) = (env!("CARGO_PKG_VERSION"), env!("LABRYS_COMMIT"));
    match commit.get(..8).unwrap_or(commit) {
        "" => version.to_owned(),
        commit => format!("{version} ({commit})"),
    }
}

/// The program with its version, as it names itself in files that it writes.
pub(in crate::commands) fn program() -> String {
    format!("labrys {}", short())
}

/// The version, the processor and the features of the build, and the nets in it, which are loaded for this.
pub(in crate::commands) fn long() -> String {
    let level = LEVELS.iter().find(|(_, is_met)| *is_met).map_or(std::env::consts::ARCH, |(level, _)| level);
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let system = std::env::consts::OS;
    let features = [("web", cfg!(feature = "web")), ("tuning", cfg!(feature = "tuning"))];
    let features: Vec<_> = features.iter().filter(|(_, is_on)| *is_on).map(|(name, _)| *name).collect();
    let features = if features.is_empty() { "none".to_owned() } else { features.join(", ") };
    let processor = env!("LABRYS_TARGET_FEATURES").replace(',', " ");
    let mut text = short();
    // Writing to a string cannot fail.
    _ = write!(text, "\nbuild: {build} for {system}, {level}\nprocessor: {processor}\nfeatures: {features}");
    for name in registry::names() {
        let net = commands(name).ok().and_then(|game| game.shipped_net());
        _ = write!(text, "\nnet of {name}: {}", net.map_or("none".to_owned(), |sum| format!("{sum:08x}")));
    }
    text
}
