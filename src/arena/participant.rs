//! Who takes part in a match, from arguments of the form `key=value`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::clock::{TIME_CONTROL, seconds};
use super::{Allowance, KeyError, Keys, Setup};
use crate::protocol::process::Launch;

/// Who takes part, and on what terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    /// The name; no two participants have the same.
    pub name: String,
    /// The engine.
    pub setup: Setup,
    /// What it may use for a move.
    pub allowance: Allowance,
}

/// The keys of a participant; those of a process need a `cmd`.
const KEYS: &str =
    "cmd (with it arg, dir, stderr), proto, name, option.<name>, tc, st, depth, nodes, timemargin, timeout";

/// How long an answer is waited for without a clock, unless `timeout` says otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

impl Participant {
    /// Reads participants. Those without a `name` are called after their programs, and numbered where that
    /// is not enough to tell them apart.
    ///
    /// # Errors
    /// [`KeyError`] names the key, and the value.
    pub fn read_all(all: Vec<Keys>) -> Result<Vec<Participant>, KeyError> {
        let mut participants: Vec<Participant> = Vec::new();
        for mut keys in all {
            let name = keys.read_with("name", "a name that no other engine has", |name| {
                let taken = participants.iter().any(|other| other.name == name);
                (!taken && !name.trim().is_empty()).then(|| name.to_owned())
            })?;
            let mut participant = Participant::read(keys)?;
            let taken = |name: &str| participants.iter().any(|other| other.name == name);
            let own = std::mem::take(&mut participant.name);
            let names = std::iter::once(own.clone()).chain((2..).map(|number| format!("{own}-{number}")));
            let free = names.into_iter().find(|name| !taken(name)).unwrap_or(own);
            participants.push(Participant { name: name.unwrap_or(free), ..participant });
        }
        Ok(participants)
    }

    /// Reads a participant, which is called after its program.
    fn read(mut keys: Keys) -> Result<Participant, KeyError> {
        const SECONDS: &str = "a number of seconds";
        const COUNT: &str = "a whole number, at least 1";
        let proto = keys.take("proto")?;
        if let Some(proto) = proto.filter(|proto| proto != "uci") {
            return Err(keys.refuse("proto", proto, "`uci`"));
        }
        let allowance = Allowance {
            control: keys.read("tc", TIME_CONTROL)?,
            move_time: keys.read_with("st", SECONDS, |text| seconds(text).filter(|time| !time.is_zero()))?,
            depth: keys.read_with("depth", COUNT, |text| text.parse().ok().filter(|&depth| depth > 0))?,
            nodes: keys.read_with("nodes", COUNT, |text| text.parse().ok().filter(|&nodes| nodes > 0))?,
            margin: Duration::from_millis(
                keys.read::<u32>("timemargin", "a whole number of milliseconds")?.unwrap_or(0).into(),
            ),
        };
        keys.require("tc, st, depth or nodes", (!allowance.is_endless()).then_some(()))?;
        let patience = keys.read_with("timeout", SECONDS, seconds)?.unwrap_or(PATIENCE);
        let options = keys.take_prefixed("option.")?;
        let launch = match keys.take("cmd")?.map(PathBuf::from) {
            None => None,
            Some(program) => Some(Launch {
                arguments: keys.take_all("arg"),
                folder: keys.take("dir")?.map(PathBuf::from),
                stderr: keys.take("stderr")?.map(PathBuf::from),
                program,
            }),
        };
        let name = launch.as_ref().and_then(|launch| stem(&launch.program)).unwrap_or("labrys").to_owned();
        keys.finish(KEYS)?;
        Ok(Participant { name, setup: Setup { launch, options, patience }, allowance })
    }
}

/// The name of a program without its folder and its extension.
fn stem(program: &Path) -> Option<&str> {
    program.file_stem()?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(all: &[&[&str]]) -> Result<Vec<Participant>, String> {
        let keys = all.iter().zip(1..).map(|(words, n)| Keys::parse(format!("--engine {n}"), words).unwrap());
        Participant::read_all(keys.collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn engines_are_told_apart() {
        let all =
            [&["nodes=1"][..], &["nodes=1"], &["cmd=/usr/bin/fish.exe", "st=1"], &["nodes=1", "name=x"]];
        let names: Vec<_> = read(&all).unwrap().into_iter().map(|participant| participant.name).collect();
        assert_eq!(names, ["labrys", "labrys-2", "fish", "x"]);
        let error = read(&[&["nodes=1", "name=x"], &["nodes=2", "name=x"]]).unwrap_err();
        assert_eq!(error, "--engine 2: name `x`: expected a name that no other engine has");
    }

    #[test]
    fn a_participant_has_all_that_its_keys_say() {
        let words = [
            "cmd=fish",
            "arg=-a",
            "arg=b",
            "dir=/tmp",
            "stderr=log",
            "proto=uci",
            "tc=40/10+0.5",
            "depth=7",
            "timemargin=25",
            "timeout=0.5",
            "option.Skill Level=3",
        ];
        let participant = read(&[&words]).unwrap().remove(0);
        let launch = Launch {
            program: "fish".into(),
            arguments: vec!["-a".into(), "b".into()],
            folder: Some("/tmp".into()),
            stderr: Some("log".into()),
        };
        let setup = Setup {
            launch: Some(launch),
            options: vec![("Skill Level".into(), "3".into())],
            patience: Duration::from_millis(500),
        };
        assert_eq!(participant.setup, setup);
        assert_eq!(participant.allowance.margin, Duration::from_millis(25));
        assert_eq!(participant.allowance.to_string(), "40/10+0.5, depth 7");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (words, message) in [
            (&["nodes=0"][..], "nodes `0`: expected a whole number"),
            (&["tc=5m"], "tc `5m`: expected [moves/]seconds"),
            (&["st=-1"], "st `-1`: expected a number of seconds"),
            (&["cmd=x"], "tc, st, depth or nodes is missing"),
            (&["nodes=1", "arg=x"], "unknown key `arg`, expected one of: cmd (with it"),
            (&["nodes=1", "proto=xboard"], "proto `xboard`: expected `uci`"),
            (&["nodes=1", "option.Hash=1", "option.Hash=2"], "option.Hash is given twice"),
            (&["nodes=1", "nodes=2"], "nodes is given twice"),
            (&["nodes=1", "name= "], "name ` `: expected a name"),
        ] {
            let error = read(&[words]).unwrap_err();
            assert!(error.starts_with("--engine 1: ") && error.contains(message), "{error}");
        }
    }
}
