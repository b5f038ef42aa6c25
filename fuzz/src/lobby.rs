//! What a lobby reads: the file of the agents, their first lines, and the archive of the games.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use labrys_arena::lobby::{Hall, Identities, LiveLobby, Lobby, LobbyFormat};
use labrys_arena::pgn::file::PgnFile;
use labrys_arena::{
    Adjudication, CommentKeys, EngineConfig, EngineLimits, Format, KeyValues, Openings, Rules, Schedule,
    Tournament,
};
use labrys_core::seal;
use labrys_protocol::agents::{AgentName, Greeting};
use labrys_protocol::engine_log::EngineLog;

use super::scratch::{folder, with_file};
use super::{Target, game_and_rest, seeds};

/// By the first byte: the file of the agents, the greetings of agents, a line each, or the archive.
pub(super) const TARGET: Target = Target {
    name: "lobby",
    run,
    seeds: all_seeds,
    words: &[
        "\"format\": \"labrys-identities 1\"",
        "\"agents\": [",
        "{\"name\": \"",
        "\"sha256\": \"",
        "\"crc32\": \"00000000\"",
        "join name ",
        " games ",
        "neighbours",
        " token ",
        "talos",
        "Talos",
        "\n",
        "[Round \"1\"]",
        "[White \"a\"]",
        "[Black \"talos\"]",
        "[GameNumber \"2\"]",
        "[Result \"1-0\"]",
        "[WhiteTimeControl \"10+1\"]",
        "[Termination \"time forfeit\"]",
        "1/2-1/2",
        "g1g3",
    ],
};

/// The game of the lobby.
const VARIANT: &str = "neighbours";

/// The name of its own player.
const HOUSE: &str = "house";

fn run(data: &[u8]) {
    let Some((kind, rest)) = game_and_rest(data) else { return };
    match kind % 3 {
        0 => identities(rest),
        1 => greetings(&String::from_utf8_lossy(rest)),
        _ => with_file(rest, archive),
    }
}

/// The agents of a file are still known after another one has come.
fn identities(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    let _ = seal::seal(&mut bytes, "crc32");
    with_file(&bytes, |path| {
        let Ok(mut known) = Identities::open(path, false) else { return };
        let names = |known: &Identities| known.names().map(str::to_owned).collect::<Vec<_>>();
        let mut expected = names(&known);
        let name = AgentName::like("talos");
        let is_new = !expected.iter().any(|known| known == name.as_str());
        if known.admit(&name, None, false).is_ok() && is_new {
            expected.push(name.to_string());
        }
        let again = Identities::open(path, false);
        assert_eq!(again.map(|again| names(&again)).map_err(|error| error.to_string()), Ok(expected));
    });
}

/// No two agents have the same name, and none has that of the house.
fn greetings(text: &str) {
    let folder = folder();
    let known = Identities::open(&folder.path().join("identities.json"), false);
    let hall = Hall::new(&[VARIANT], known.expect("no file yet"), vec![HOUSE.to_owned()]);
    let peers = ["127.0.0.1:1", "192.0.2.7:1"].map(|peer| peer.parse::<SocketAddr>().expect("an address"));
    for (line, peer) in text.lines().zip(peers.into_iter().cycle()) {
        let Ok(greeting) = line.parse::<Greeting>() else { continue };
        match hall.admit(&greeting, peer) {
            Ok(agent) => assert_eq!(agent.name(), &greeting.name),
            Err(problem) => assert!(!problem.is_empty()),
        }
    }
    let mut names: Vec<_> = hall.agents().iter().map(|agent| agent.name().to_string()).collect();
    names.push(HOUSE.to_owned());
    names.iter_mut().for_each(|name| name.make_ascii_lowercase());
    names.sort();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all, "{names:?}");
}

/// A lobby that goes on from an archive has its games, and none twice.
fn archive(path: &Path) {
    let Ok((_, records)) = PgnFile::resume(path) else { return };
    let lobby = lobby();
    let Ok(standings) = lobby.restore(&records) else { return };
    assert_eq!(standings.results().games(), records.len() as u64);
    let _ = (standings.summary().to_string(), lobby.is_complete(&standings));
    if let Some(last) = records.last() {
        let twice = [&records[..], std::slice::from_ref(last)].concat();
        assert!(lobby.restore(&twice).is_err());
    }
}

/// A lobby with one player of its own.
fn lobby() -> Lobby {
    let config = |words: &[&str]| {
        let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
        let keys = KeyValues::parse("--engine", &words).expect("keys and values");
        EngineConfig::read_all(vec![keys]).expect("an engine").remove(0)
    };
    let tournament = Tournament {
        rules: Rules::new(VARIANT, None).expect("a game"),
        engines: vec![config(&["name=house", "tc=10+1"])],
        schedule: Schedule::new(Format::RoundRobin, 0, 0..0),
        openings: Openings::Random { seed: 1, plies: 4..=7 },
        seed: 1,
        adjudication: Adjudication::default(),
        sprt: None,
        concurrency: 1,
        affinity: None,
        comment_keys: CommentKeys::default(),
        log: EngineLog::default(),
        generator: String::new(),
        job: String::new(),
    };
    Lobby {
        tournament,
        agent: config(&["tc=10+1"]),
        person: EngineLimits::default(),
        format: LobbyFormat::RoundRobin,
        games: 2,
        players: Some(2),
        duration: None,
        live: Arc::new(LiveLobby::new(VARIANT)),
    }
}

/// A game between two players.
fn game(number: u64, players: [&str; 2]) -> String {
    let [white, black] = players;
    format!(
        "[Event \"labrys match\"]\n[Site \"?\"]\n[Date \"2026.11.27\"]\n[Round \"1\"]\n[White \"{white}\"]\n\
         [Black \"{black}\"]\n[Result \"0-1\"]\n[GameNumber \"{number}\"]\n[Variant \"{VARIANT}\"]\n\
         [WhiteTimeControl \"10+1\"]\n[BlackTimeControl \"10+1\"]\n[PlyCount \"2\"]\n\
         [Termination \"time forfeit\"]\n\n1. g1g3 {{book}} d8b6 {{+0.54/1 0.000s}} 0-1\n\n"
    )
}

fn all_seeds() -> Vec<Vec<u8>> {
    let mut agents = br#"{
  "format": "labrys-identities 1",
  "agents": [
    { "name": "minos", "sha256": "5f3a77c15f3a77c15f3a77c15f3a77c15f3a77c15f3a77c15f3a77c15f3a77c1" },
    { "name": "local" }
  ],
  "crc32": "00000000"
}
"#
    .to_vec();
    let _ = seal::seal(&mut agents, "crc32");
    let lines = "join name talos games chess neighbours token 5f3a-77c1\njoin name minos games neighbours\n\
                 join name Talos games neighbours token other-token\njoin name house games neighbours\n";
    let games = game(1, [HOUSE, "talos"]) + &game(2, ["talos", HOUSE]);
    vec![seeds::of_game(0, agents), seeds::of_game(1, lines), seeds::of_game(2, games)]
}
