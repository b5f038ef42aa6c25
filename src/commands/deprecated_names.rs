//! Deprecated names of commands, from before they were grouped. They work for one more version.

use std::ffi::OsString;

/// Each deprecated name with its replacement.
const NAMES: [(&str, [&str; 2]); 9] = [
    ("merge", ["games", "merge"]),
    ("plot", ["games", "plot"]),
    ("replay", ["games", "replay"]),
    ("selfplay", ["nnue", "selfplay"]),
    ("stats", ["nnue", "stats"]),
    ("train", ["linear", "train"]),
    ("tuc-client", ["tuc", "client"]),
    ("tuc-server", ["tuc", "server"]),
    ("tune", ["linear", "tune"]),
];

/// Replaces a deprecated name in a command line, with a warning on standard error.
pub(super) fn replaced(mut line: Vec<OsString>) -> Vec<OsString> {
    let place = if line.get(1).is_some_and(|word| word == "help") { 2 } else { 1 };
    let is_old = |(old, _): &&(&str, [&str; 2])| line.get(place).is_some_and(|word| word == old);
    if let Some((old, new)) = NAMES.iter().find(is_old) {
        print_message!(
            "labrys: warning: `labrys {old}` is now `labrys {}`, the old name will be removed in the next version",
            new.join(" ")
        );
        line.splice(place..=place, new.map(OsString::from));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_deprecated_name_maps_to_a_command() {
        let command = crate::commands::command();
        for (old, new) in NAMES {
            assert!(command.find_subcommand(old).is_none(), "{old}");
            let found = command.find_subcommand(new[0]).and_then(|group| group.find_subcommand(new[1]));
            assert!(found.is_some(), "{new:?}");
        }
    }

    #[test]
    fn only_the_name_of_the_command_is_replaced() {
        let line = |text: &str| -> Vec<OsString> { text.split(' ').map(OsString::from).collect() };
        for (given, expected) in [
            ("labrys train --out x", "labrys linear train --out x"),
            ("labrys help tuc-client", "labrys help tuc client"),
            ("labrys nnue train --out train", "labrys nnue train --out train"),
            ("labrys match --engine name=merge", "labrys match --engine name=merge"),
            ("labrys", "labrys"),
        ] {
            assert_eq!(replaced(line(given)), line(expected));
        }
    }
}
