//! Settings and short texts of the command line.

use std::ffi::OsString;
use std::fmt::Display;
use std::str::FromStr;

use labrys_arena::{EngineConfig, KeyValues, TimeControl};
use labrys_learn::zero::ZeroConfig;
use labrys_protocol::agents::{AgentName, Greeting};
use labrys_support::shard::{Part, Shard};

use super::scratch::with_file;
use super::{Target, game_and_rest, seeds};

/// By the first byte: the settings of `labrys zero` in TOML, the words of engines, the greeting of an agent, a
/// text such as a time control, or the `--config` of a match or a lobby.
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
        "[[engine]]\n",
        "[each]\n",
        "[sprt]\nelo0 = 0\n",
        "[resign]\n",
        "random-plies = \"4-7\"",
        "agents = ",
        "concurrency = ",
        "json = true",
        "option.",
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
    match kind % 5 {
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
        3 => {
            again::<TimeControl>(&text);
            again::<Shard>(&text);
            if let Ok(part) = Part::try_from(text) {
                assert_eq!(Part::try_from(String::from(part)), Ok(part));
                assert!(part.numbers().end >= part.numbers().start);
            }
        }
        _ => arguments(text.as_bytes()),
    }
}

/// The arguments of a match and of a lobby in a file.
fn arguments(bytes: &[u8]) {
    with_file(bytes, |path| {
        for command in ["match", "lobby"] {
            let line = ["labrys", command, "--config"].map(OsString::from).into_iter().chain([path.into()]);
            if let Err(error) = labrys::commands::check(line) {
                assert!(!error.to_string().is_empty());
            }
        }
    });
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
    for arguments in [
        "variant = \"neighbours\"\ngames = 40\nrandom-plies = \"4-7\"\n[each]\ntc = \"10+0.1\"\noption.Hash = 1\n\
         [[engine]]\nname = \"a\"\n[[engine]]\nname = \"b\"\nproto = \"xboard\"\ncmd = \"gnuchess\"\n\
         [sprt]\nelo0 = 0\nelo1 = 5\n",
        "agents = \"127.0.0.1:0\"\nfolder = \"lobby\"\ntournament = \"ladder\"\nplayers = 3\njson = true\n\
         [each]\nst = 1\n[[engine]]\nname = \"house\"\ndepth = 1\n",
    ] {
        all.push(seeds::of_game(4, arguments));
    }
    all.push(seeds::of_game(2, "join name talos games tucchess chess token 5f3a-77c1"));
    all
}
