//! Settings and short texts of the command line.

use std::fmt::Display;
use std::str::FromStr;

use labrys_arena::{EngineConfig, KeyValues, TimeControl};
use labrys_learn::zero::ZeroConfig;
use labrys_protocol::agents::{AgentName, Greeting};
use labrys_support::shard::{Part, Shard};

use super::{Target, game_and_rest, seeds};

/// The settings of `labrys zero` in TOML, the words of engines, the greeting of an agent, or a text such as a
/// time control.
pub(super) const TARGET: Target = Target {
    name: "config",
    run,
    seeds: all_seeds,
    words: &[
        "variant = \"",
        "option = \"",
        "[net]",
        "architecture = ",
        "\"residual\"",
        "blocks = ",
        "channels = ",
        "[[rivals]]",
        "name = ",
        "[learning]",
        "rate = ",
        "[gate]",
        "games = ",
        "[match]",
        "options.Threads = ",
        "1e999",
        "-1",
        "nan",
        "cmd=",
        "proto=udp",
        "tc=40/60+0.5",
        "st=1",
        "depth=3",
        "option.Hash=16",
        "restart=on",
        "tcp=",
        "1/2",
        "of 400 games",
        "18446744073709551615",
        "join name ",
        " games ",
        " token ",
    ],
};

fn run(data: &[u8]) {
    let Some((kind, rest)) = game_and_rest(data) else { return };
    let text = String::from_utf8_lossy(rest).into_owned();
    match kind % 4 {
        0 => {
            if let Ok(config) = ZeroConfig::parse(text) {
                let settings = config.result_settings();
                assert!(settings.is_ok_and(|settings| settings.contains_key("variant")));
            }
        }
        1 => engines(&text),
        2 => {
            if let Ok(greeting) = text.parse::<Greeting>() {
                assert_eq!(greeting.line().parse(), Ok(greeting));
            }
            let like = AgentName::like(&text);
            assert_eq!(like.as_str().parse(), Ok(like));
        }
        _ => {
            again::<TimeControl>(&text);
            again::<Shard>(&text);
            if let Ok(part) = Part::try_from(text) {
                assert_eq!(Part::try_from(String::from(part)), Ok(part));
                assert!(part.numbers().end >= part.numbers().start);
            }
        }
    }
}

/// The engines of a match: a line for each.
fn engines(text: &str) {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let all: Result<Vec<_>, _> = text.lines().map(|line| KeyValues::parse("engine", &words(line))).collect();
    if let Ok(all) = all {
        let _ = EngineConfig::read_all(all);
    }
}

/// Reads a text, which is the same when it has been written and read again.
fn again<T: FromStr + Display + PartialEq + std::fmt::Debug>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        assert_eq!(value.to_string().parse().ok(), Some(value), "{text}");
    }
}

fn all_seeds() -> Vec<Vec<u8>> {
    let files = seeds::files("experiments/zero", "toml").into_iter();
    let mut all: Vec<_> =
        files.map(|path| seeds::of_game(0, std::fs::read(path).expect("a file of settings"))).collect();
    for engine in [
        "name=a cmd=labrys tc=40/60+0.5 option.Hash=16\nname=b cmd=gnuchess proto=xboard st=1",
        "name=a weights=ones depth=3\nname=b tcp=127.0.0.1:5000 nodes=1000",
    ] {
        all.push(seeds::of_game(1, engine));
    }
    for text in ["300+3", "40/60+0.5", "2/5", "2/5 of 400 games of job 89abcdef", "inf"] {
        all.push(seeds::of_game(3, text));
    }
    all.push(seeds::of_game(2, "join name talos games tucchess chess token 5f3a-77c1"));
    all
}
