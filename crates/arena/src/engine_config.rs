//! The configuration of an engine in a match, read from arguments of the form `key=value`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::clock::{TIME_CONTROL, seconds};
use super::pgn::PlayerTags;
use super::{EngineKind, EngineLimits, EngineSetup, KeyError, KeyValues};
use labrys_protocol::process::Launch;
use labrys_protocol::transport::Transport;
use labrys_tuc::guest::{Invitation, PORT};

/// An engine in a match: its name, how it is run, and the limits on its searches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineConfig {
    /// The name, unique in the match.
    pub name: String,
    /// How the engine is run.
    pub setup: EngineSetup,
    /// Time control and limits on each search.
    pub limits: EngineLimits,
}

/// The protocol of an engine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Uci,
    Xboard,
    Tuc,
}

impl Protocol {
    /// The keys of an engine, for error messages. The keys of a child process need a `cmd`, in whose place
    /// `tcp` may stand. The xboard protocol has no node limits, and that over UDP has no options and no
    /// depths either.
    fn keys(self) -> &'static str {
        match self {
            Protocol::Uci => {
                "cmd (with it arg, dir, stderr, restart, ponder), tcp (with it restart, ponder), proto, name, \
                 option.<name>, tc, st, depth, nodes, clock, timemargin, timeout"
            }
            Protocol::Xboard => {
                "cmd (with it arg, dir, stderr, restart), tcp (with it restart), proto=xboard, name, \
                 option.<name>, tc, st, depth, timemargin, timeout"
            }
            Protocol::Tuc => {
                "cmd (with it arg, dir, stderr), proto=tuc, port, bind, name, tc, st, timemargin, timeout"
            }
        }
    }

    /// The limits, of which an engine needs one.
    fn limits(self) -> &'static str {
        match self {
            Protocol::Uci => "tc, st, depth or nodes",
            Protocol::Xboard => "tc, st or depth",
            Protocol::Tuc => "tc or st",
        }
    }
}

/// Expected form of a time, for error messages.
const SECONDS: &str = "a number of seconds";

/// Default of `timeout`: how long to wait for an answer where there is no clock.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

impl EngineConfig {
    /// Reads all engines of a match. An engine without a `name` is named after its program or its address,
    /// with a number appended where that name is taken.
    ///
    /// # Errors
    /// [`KeyError`] names the key and its value.
    pub fn read_all(all: Vec<KeyValues>) -> Result<Vec<EngineConfig>, KeyError> {
        let mut engines: Vec<EngineConfig> = Vec::new();
        for mut keys in all {
            let name = keys.read_with("name", "a name that no other engine has", |name| {
                let taken = engines.iter().any(|other| other.name == name);
                (!taken && !name.trim().is_empty()).then(|| name.to_owned())
            })?;
            let mut engine = EngineConfig::read(keys)?;
            let taken = |name: &str| engines.iter().any(|other| other.name == name);
            let own = std::mem::take(&mut engine.name);
            let names = std::iter::once(own.clone()).chain((2..).map(|number| format!("{own}-{number}")));
            let free = names.into_iter().find(|name| !taken(name)).unwrap_or(own);
            engines.push(EngineConfig { name: name.unwrap_or(free), ..engine });
        }
        Ok(engines)
    }

    /// Reads the clock of people: `tc`, and `timemargin` if there is one.
    ///
    /// # Errors
    /// [`KeyError`] names the key and its value.
    pub fn read_clock(mut keys: KeyValues) -> Result<EngineLimits, KeyError> {
        let control = keys.read("tc", TIME_CONTROL)?;
        let margin = read_margin(&mut keys)?;
        keys.finish("tc, timemargin")?;
        let control = Some(keys.require("tc", control)?);
        Ok(EngineLimits { control, margin, ..EngineLimits::default() })
    }

    /// The PGN tags of the engine.
    pub(super) fn tags(&self) -> PlayerTags {
        PlayerTags {
            name: self.name.clone(),
            time_control: self.limits.to_string(),
            setup: self.setup.to_string(),
        }
    }

    /// Reads one engine, named after its program or its address.
    fn read(mut keys: KeyValues) -> Result<EngineConfig, KeyError> {
        let protocol = match keys.take("proto")?.as_deref() {
            None | Some("uci") => Protocol::Uci,
            Some("xboard") => Protocol::Xboard,
            Some("tuc") => Protocol::Tuc,
            Some(proto) => {
                return Err(keys.invalid_value("proto", proto.to_owned(), "`uci`, `xboard` or `tuc`"));
            }
        };
        let limits = read_limits(&mut keys, protocol)?;
        let timeout = keys.read_with("timeout", SECONDS, seconds)?.unwrap_or(DEFAULT_TIMEOUT);
        let launch = read_launch(&mut keys)?;
        let name = launch.as_ref().and_then(|launch| stem(&launch.program)).map(str::to_owned);
        let (mut restart, mut ponders) = (false, false);
        let (name, kind, options) = match protocol {
            Protocol::Tuc => {
                let port = keys.read("port", "a number from 0 to 65535")?;
                let address = keys.read("bind", "an IP address")?;
                keys.finish(protocol.keys())?;
                let kind = EngineKind::Udp(invitation(&keys, port, address, launch)?);
                (name.unwrap_or_else(|| "udp".to_owned()), kind, Vec::new())
            }
            Protocol::Uci | Protocol::Xboard => {
                let options = keys.take_prefixed("option.")?;
                let address = keys.read("tcp", "an address, HOST:PORT")?;
                let name = name.or_else(|| address.as_ref().map(ToString::to_string));
                let transport = match (launch, address) {
                    (Some(_), Some(_)) => return Err(keys.invalid("cmd and tcp cannot hold together")),
                    (launch, address) => launch.map(Transport::Process).or(address.map(Transport::Tcp)),
                };
                if transport.is_some() {
                    restart = keys.read_with("restart", "`on` or `off`", on_or_off)?.unwrap_or(false);
                }
                if transport.is_some() && protocol == Protocol::Uci {
                    ponders = keys.read_with("ponder", "`on` or `off`", on_or_off)?.unwrap_or(false);
                }
                keys.finish(protocol.keys())?;
                let kind = match (protocol, transport) {
                    (Protocol::Xboard, transport) => {
                        EngineKind::Xboard(keys.require("cmd (or tcp)", transport)?)
                    }
                    (_, Some(transport)) => EngineKind::Uci(transport),
                    (_, None) => EngineKind::InProcess,
                };
                (name.unwrap_or_else(|| "labrys".to_owned()), kind, options)
            }
        };
        // Unknown keys are reported before missing ones: a misspelt key is both.
        keys.require(protocol.limits(), (!limits.is_unlimited()).then_some(()))?;
        if protocol == Protocol::Xboard && limits.control.is_some() && limits.move_time.is_some() {
            return Err(keys.invalid("tc and st cannot hold together in the xboard protocol"));
        }
        Ok(EngineConfig { name, setup: EngineSetup { kind, options, timeout, restart, ponders }, limits })
    }
}

/// Reads the time control and the limits on each search that the protocol has.
fn read_limits(keys: &mut KeyValues, protocol: Protocol) -> Result<EngineLimits, KeyError> {
    const COUNT: &str = "a whole number, at least 1";
    let is_whole = |time: &Duration| protocol != Protocol::Xboard || time.subsec_nanos() == 0;
    let time = if protocol == Protocol::Xboard { "a whole number of seconds" } else { SECONDS };
    let mut limits = EngineLimits {
        control: keys.read("tc", TIME_CONTROL)?,
        move_time: keys
            .read_with("st", time, |text| seconds(text).filter(|time| !time.is_zero()).filter(is_whole))?,
        margin: read_margin(keys)?,
        ..EngineLimits::default()
    };
    if protocol != Protocol::Tuc {
        limits.depth = keys.read_with("depth", COUNT, |text| text.parse().ok().filter(|&depth| depth > 0))?;
    }
    if protocol == Protocol::Uci {
        limits.nodes = keys.read_with("nodes", COUNT, |text| text.parse().ok().filter(|&nodes| nodes > 0))?;
        let hides_clock = keys.read_with("clock", "`shown` or `hidden`", |text| match text {
            "shown" => Some(false),
            "hidden" => Some(true),
            _ => None,
        })?;
        limits.hides_clock = hides_clock.unwrap_or(false);
    }
    if limits.hides_clock && limits.depth.is_none() && limits.nodes.is_none() {
        return Err(keys.invalid("clock hidden needs depth or nodes: no other limit would end a search"));
    }
    Ok(limits)
}

/// Reads how far the time may be overstepped.
fn read_margin(keys: &mut KeyValues) -> Result<Duration, KeyError> {
    let margin: Option<u32> = keys.read("timemargin", "a whole number of milliseconds")?;
    Ok(Duration::from_millis(margin.unwrap_or(0).into()))
}

/// Reads the command line of an engine's process, if it has one.
fn read_launch(keys: &mut KeyValues) -> Result<Option<Launch>, KeyError> {
    let Some(program) = keys.take("cmd")?.map(PathBuf::from) else { return Ok(None) };
    Ok(Some(Launch {
        program,
        arguments: keys.take_all("arg"),
        folder: keys.take("dir")?.map(PathBuf::from),
        stderr: keys.take("stderr")?.map(PathBuf::from),
    }))
}

/// Reads the address at which a client over UDP joins. With port 0 the client's command line has to contain
/// the port.
fn invitation(
    keys: &KeyValues,
    port: Option<u16>,
    address: Option<IpAddr>,
    launch: Option<Launch>,
) -> Result<Invitation, KeyError> {
    let port = match &launch {
        Some(_) => port.unwrap_or(0),
        None => keys.require("port (or cmd)", port)?,
    };
    let is_told = |launch: &Launch| launch.arguments.iter().any(|argument| argument.contains(PORT));
    if port == 0 && !launch.as_ref().is_some_and(is_told) {
        return Err(keys.invalid(format!("port 0 picks any free port, so one arg has to contain `{PORT}`")));
    }
    let address = address.unwrap_or(IpAddr::from(Ipv4Addr::LOCALHOST));
    Ok(Invitation { listen: SocketAddr::new(address, port), launch })
}

fn on_or_off(text: &str) -> Option<bool> {
    match text {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

/// The file name of a program without its extension.
fn stem(program: &Path) -> Option<&str> {
    program.file_stem()?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(all: &[&[&str]]) -> Result<Vec<EngineConfig>, String> {
        let keys =
            all.iter().zip(1..).map(|(words, n)| KeyValues::parse(format!("--engine {n}"), words).unwrap());
        EngineConfig::read_all(keys.collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn engine_names_are_unique() {
        let all =
            [&["nodes=1"][..], &["nodes=1"], &["cmd=/usr/bin/fish.exe", "st=1"], &["nodes=1", "name=x"]];
        let names: Vec<_> = read(&all).unwrap().into_iter().map(|engine| engine.name).collect();
        assert_eq!(names, ["labrys", "labrys-2", "fish", "x"]);
        let error = read(&[&["nodes=1", "name=x"], &["nodes=2", "name=x"]]).unwrap_err();
        assert_eq!(error, "--engine 2: name `x`: expected a name that no other engine has");
    }

    #[test]
    fn every_key_is_read() {
        let words = [
            "cmd=fish",
            "arg=-a",
            "arg=b",
            "dir=/tmp",
            "stderr=log",
            "proto=uci",
            "tc=40/10+0.5",
            "depth=7",
            "clock=hidden",
            "timemargin=25",
            "timeout=0.5",
            "restart=on",
            "ponder=on",
            "option.Skill Level=3",
        ];
        let engine = read(&[&words]).unwrap().remove(0);
        let launch = Launch {
            program: "fish".into(),
            arguments: vec!["-a".into(), "b".into()],
            folder: Some("/tmp".into()),
            stderr: Some("log".into()),
        };
        let setup = EngineSetup {
            kind: EngineKind::Uci(Transport::Process(launch)),
            options: vec![("Skill Level".into(), "3".into())],
            timeout: Duration::from_millis(500),
            restart: true,
            ponders: true,
        };
        assert_eq!(engine.setup, setup);
        assert_eq!(engine.limits.margin, Duration::from_millis(25));
        assert_eq!(engine.limits.to_string(), "40/10+0.5, depth 7, clock hidden, timemargin 25");
        assert_eq!(engine.setup.to_string(), "fish -a b, dir=/tmp, Skill Level=3, ponder=on");
    }

    #[test]
    fn an_engine_over_tcp_has_an_address() {
        let all = [
            &["tcp=localhost:5000", "nodes=1", "restart=on"][..],
            &["tcp=127.0.0.1:5000", "proto=xboard", "depth=1", "name=x"],
        ];
        let engines = read(&all).unwrap();
        let places: Vec<_> = engines.iter().map(|engine| engine.setup.to_string()).collect();
        assert_eq!(places, ["TCP localhost:5000", "TCP 127.0.0.1:5000"]);
        assert!(matches!(engines[0].setup.kind, EngineKind::Uci(Transport::Tcp(_))));
        assert!(matches!(engines[1].setup.kind, EngineKind::Xboard(Transport::Tcp(_))));
        let names: Vec<_> = engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["localhost:5000", "x"]);
    }

    #[test]
    fn a_client_over_udp_has_an_address() {
        let all = [
            &["proto=tuc", "st=6", "port=9876", "bind=0.0.0.0"][..],
            &["proto=tuc", "tc=60", "timemargin=5", "cmd=java", "arg=--at", "arg=127.0.0.1:{port}"],
        ];
        let engines = read(&all).unwrap();
        let places = engines.iter().map(|engine| engine.setup.to_string());
        let places: Vec<_> = places.collect();
        assert_eq!(places, ["UDP 0.0.0.0:9876", "java --at 127.0.0.1:{port}, UDP 127.0.0.1:0"]);
        let names: Vec<_> = engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["udp", "java"]);
        assert_eq!(engines[0].limits.to_string(), "6/move");
    }

    #[test]
    fn errors_name_the_key() {
        for (words, message) in [
            (&["nodes=0"][..], "nodes `0`: expected a whole number"),
            (&["tc=5m"], "tc `5m`: expected [moves/]seconds"),
            (&["st=-1"], "st `-1`: expected a number of seconds"),
            (&["cmd=x"], "missing tc, st, depth or nodes"),
            (&["nodes=1", "arg=x"], "unknown key `arg`, expected one of: cmd (with it"),
            (&["nodes=1", "proto=cecp"], "proto `cecp`: expected `uci`, `xboard` or `tuc`"),
            (&["depth=1", "proto=xboard"], "missing cmd (or tcp)"),
            (&["depth=1", "tcp=5000"], "tcp `5000`: expected an address, HOST:PORT"),
            (&["depth=1", "tcp=localhost:5000", "arg=x"], "unknown key `arg`"),
            (&["depth=1", "tcp=localhost:5000", "cmd=x"], "cmd and tcp cannot hold together"),
            (&["nodes=1", "cmd=x", "restart=yes"], "restart `yes`: expected `on` or `off`"),
            (&["nodes=1", "cmd=x", "ponder=yes"], "ponder `yes`: expected `on` or `off`"),
            (&["depth=1", "clock=hide"], "clock `hide`: expected `shown` or `hidden`"),
            (&["tc=1", "clock=hidden"], "clock hidden needs depth or nodes"),
            (&["depth=1", "tc=1", "proto=xboard", "cmd=x", "clock=hidden"], "unknown key `clock`"),
            (&["nodes=1", "ponder=on"], "unknown key `ponder`, expected one of: cmd (with it arg"),
            (&["depth=1", "proto=xboard", "cmd=x", "ponder=on"], "unknown key `ponder`"),
            (&["nodes=1", "restart=on"], "unknown key `restart`, expected one of: cmd (with it arg"),
            (&["nodes=1", "proto=xboard", "cmd=x"], "unknown key `nodes`, expected one of: cmd (with it"),
            (&["proto=xboard", "cmd=x"], "missing tc, st or depth"),
            (&["st=0.5", "proto=xboard", "cmd=x"], "st `0.5`: expected a whole number of seconds"),
            (&["st=1", "tc=1", "proto=xboard", "cmd=x"], "tc and st cannot hold together in the xboard"),
            (&["nodes=1", "option.Hash=1", "option.Hash=2"], "option.Hash is given twice"),
            (&["nodes=1", "nodes=2"], "nodes is given twice"),
            (&["nodes=1", "name= "], "name ` `: expected a name"),
            (&["nodes=1", "port=9876"], "unknown key `port`, expected one of: cmd (with it"),
            (&["ndoes=1"], "unknown key `ndoes`"),
            (&["proto=tuc", "st=1", "prot=9876"], "unknown key `prot`"),
            (&["proto=tuc", "port=9876"], "missing tc or st"),
            (&["proto=tuc", "st=1"], "missing port (or cmd)"),
            (&["proto=tuc", "st=1", "port=99999"], "port `99999`: expected a number from 0 to 65535"),
            (
                &["proto=tuc", "st=1", "port=0"],
                "port 0 picks any free port, so one arg has to contain `{port}`",
            ),
            (&["proto=tuc", "st=1", "cmd=x", "arg={prot}"], "so one arg has to contain `{port}`"),
            (&["proto=tuc", "st=1", "port=1", "bind=here"], "bind `here`: expected an IP address"),
            (
                &["proto=tuc", "st=1", "port=1", "nodes=5"],
                "unknown key `nodes`, expected one of: cmd (with it",
            ),
            (&["proto=tuc", "st=1", "port=1", "option.Hash=1"], "unknown key `option.Hash`"),
            (&["proto=tuc", "st=1", "port=1", "arg=x"], "unknown key `arg`"),
        ] {
            let error = read(&[words]).unwrap_err();
            assert!(error.starts_with("--engine 1: ") && error.contains(message), "{error}");
        }
    }
}
