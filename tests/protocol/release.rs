//! The parts of a release: the version, completions and manual pages.

use std::process::Command;

use crate::common::shell::{self, assert_fails, succeed};

fn labrys(words: &[&str]) -> String {
    succeed(shell::output(Command::new(env!("CARGO_BIN_EXE_labrys")).args(words)))
}

#[test]
fn the_version_names_build_features_and_nets() {
    let version = labrys(&["--version"]);
    let lines: Vec<_> = version.lines().collect();
    assert!(lines[0].starts_with(concat!("labrys ", env!("CARGO_PKG_VERSION"))), "{version}");
    let value = |name: &str| lines.iter().find_map(|line| line.strip_prefix(name)).expect(name);
    assert!(value("build: ").contains(std::env::consts::OS));
    assert_eq!(value("features: ").contains("web"), cfg!(feature = "web"));
    for game in labrys::engine::registry::names() {
        let net = value(&format!("net of {game}: "));
        assert!(u32::from_str_radix(net, 16).is_ok() && net.len() == 8, "{version}");
    }
    if cfg!(target_feature = "popcnt") {
        assert!(value("processor: ").split(' ').any(|feature| feature == "popcnt"), "{version}");
    }
    assert_eq!(labrys(&["-V"]), format!("{}\n", lines[0]));
    // A plain build in a clone also names the commit.
    let git =
        Command::new("git").args(["rev-parse", "HEAD"]).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    if let Ok(output) = git.as_ref()
        && output.status.success()
    {
        let commit = lines[0].split(['(', ')']).nth(1).unwrap_or_default();
        assert!(commit.len() == 8 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{version}");
    }
}

#[test]
fn completions_and_manual_pages_name_all_commands() {
    let bash = labrys(&["completions", "bash"]);
    for word in ["match", "--shard", "zero", "selfplay"] {
        assert!(bash.contains(word), "{word}");
    }
    // The games, the options of the engine and the modes of its search.
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = labrys(&["completions", shell]);
        for word in [
            "neighbours",
            "amazons",
            "SearchMode=mcts",
            "option.SearchMode=mtdf",
            "Hash=",
            "AmazonsBoard=6x6",
        ] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        assert!(!script.contains("AmazonsBoard=11x11"), "{shell}: too many to be read");
    }
    assert!(!labrys(&["suite", "--help"]).contains("SearchMode"), "too many to be read");
    let folder = tempfile::tempdir().unwrap();
    labrys(&["man", folder.path().join("man").to_str().unwrap()]);
    for name in ["labrys.1", "labrys-match.1", "labrys-zero-selfplay.1"] {
        let page = std::fs::read_to_string(folder.path().join("man").join(name)).unwrap();
        assert!(page.contains(".TH labrys"), "{name}");
    }
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    assert_fails(shell::output(command.arg("man").arg(&file)), file.to_str().unwrap());
}

/// Called as by readline, which also splits words at `=`.
#[test]
#[cfg(unix)]
fn bash_completes_values_behind_equals_signs_and_all_values_of_an_argument() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("labrys.bash");
    std::fs::write(&script, labrys(&["completions", "bash"])).unwrap();
    let call = "source \"$0\"; COMP_LINE=$1; COMP_POINT=${#1}; compopt() { :; }; \
                _labrys_by_words labrys; printf '%s\\n' \"${COMPREPLY[@]}\"";
    for (line, first, last) in [
        ("labrys analyse --option SearchMode=p", "pvs", "pvs"),
        ("labrys analyse --option=SearchMode=p", "pvs", "pvs"),
        ("labrys analyse --option Search", "SearchMode=pvs", "SearchMode=random"),
        ("labrys analyse --option SearchMode=", "pvs", "random"),
        ("labrys analyse x.pgn --opt", "--option", "--option"),
        ("labrys match --engine option.SearchMode=mt", "mtdf", "mtdf"),
        ("labrys match --engine name=a proto=u", "uci", "uci"),
        (
            "labrys match --engine name=a tc=1+0.1 option.SearchM",
            "option.SearchMode=pvs",
            "option.SearchMode=random",
        ),
        ("labrys match --engine name=a --each option.Hash=1 option.SearchMode=mc", "mcts", "mcts"),
        ("labrys match --engine name=a --variant ne", "neighbours", "neighbours"),
        ("labrys match --engine name=a --variant=ne", "neighbours", "neighbours"),
        ("labrys match --variant=", "chess", "amazons"),
        ("labrys match --tournament=g", "gauntlet", "gauntlet"),
        ("labrys match --engine name=a --gam", "--games", "--games"),
        ("labrys match --variant chess --tourn", "--tournament", "--tournament"),
        ("labrys an", "analyse", "analyse"),
        ("labrys nnue tr", "train", "train"),
    ] {
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", call]).arg(&script).arg(line);
        let (success, found, error) = shell::output(&mut bash);
        let found: Vec<_> = found.lines().collect();
        assert!(success && error.is_empty(), "{line}: {error}");
        assert_eq!((found.first(), found.last()), (Some(&first), Some(&last)), "{line}: {found:?}");
    }
}

#[test]
fn the_processor_supports_the_build() {
    assert_eq!(labrys::processor::missing_feature(), None);
}
