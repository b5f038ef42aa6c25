//! A game added by a program is known by name to the protocol, matches, the solver and the learners.
//!
//! An added game cannot be removed, so these tests run in their own process.

use std::io::{self, Cursor, Write};
use std::sync::mpsc::{self, Sender};

use labrys::commands;
use labrys::engine::{Settings, registry};
use labrys::game::Wdl;
use labrys::protocol;
use labrys::search::{Control, Limits};
use labrys::solver::{self, SolveTask};

#[path = "../examples/breakthrough/game.rs"]
mod breakthrough;

use breakthrough::Breakthrough;

/// Output that is sent through a channel.
struct Sent(Sender<Vec<u8>>);

impl Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        _ = self.0.send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The answer of the protocol.
fn answers(commands: &'static str) -> String {
    let (sender, output) = mpsc::channel();
    protocol::run(Cursor::new(commands), Sent(sender)).unwrap();
    String::from_utf8(output.into_iter().flatten().collect()).unwrap()
}

/// Runs a command of the command line.
fn run(words: &str) -> Result<(), String> {
    let words = std::iter::once("labrys").chain(words.split_whitespace());
    commands::run(words.map(Into::into)).map_err(|error| format!("{error:#}"))
}

#[test]
fn an_added_game_is_known_by_name_everywhere() {
    let error = registry::board("breakthrough").map(drop).unwrap_err();
    assert!(error.to_string().contains("unknown variant `breakthrough`"), "{error}");
    commands::add_game::<Breakthrough>();
    // Adding it again changes nothing.
    commands::add_game::<Breakthrough>();
    assert_eq!(registry::names().last(), Some(&"breakthrough"));
    assert_eq!((registry::names().len(), registry::default_name()), (5, "chess"));

    // The protocol.
    let said = answers(
        "uci\nsetoption name UCI_Variant value breakthrough\nposition startpos moves a2a3\ngo depth 4\nwait\n",
    );
    assert!(said.contains(" var breakthrough"), "{said}");
    let best = said.lines().find_map(|line| line.strip_prefix("bestmove ")).expect(&said);
    let mut board = registry::board("Breakthrough").unwrap();
    board.set_up(None, &["a2a3".to_owned()]).unwrap();
    board.play(best.split(' ').next().unwrap()).unwrap();
    // A FEN of this game is recognised.
    let said = answers("position fen ppppp/ppppp/5/PPPPP/PPPPP w 1\n");
    assert!(said.contains("looks like variant `breakthrough`"), "{said}");

    // The solver.
    let mut prover = solver::engine("breakthrough", &Settings::default()).unwrap();
    prover.engine_mut().board_mut().set_up(Some("5/2P2/5/2p2/5 w 1"), &[]).unwrap();
    let task = SolveTask { resources: 16.into(), known: &[], regions: None, proof: None };
    let mut value = None;
    prover.solve(&task, &Limits::none(), &Control::default(), &mut |found| value = found.value).unwrap();
    assert_eq!(value, Some(Wdl::Win));

    // Matches, self-play and learning, by the command line.
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let games = path("games.pgn");
    run(&format!(
        "match --variant breakthrough --games 2 --random-plies 2 --pgnout {games} \
         --engine name=a nodes=100 option.Hash=1 --engine name=b nodes=50 option.Hash=1"
    ))
    .unwrap();
    let text = std::fs::read_to_string(&games).unwrap();
    assert!(text.matches("[Variant \"breakthrough\"]").count() == 2, "{text}");
    run(&format!("games replay {games}")).unwrap();
    let out = path("run");
    run(&format!("linear train --variant breakthrough --games 4 --depth 1 --out {out}")).unwrap();
    assert!(folder.path().join("run").read_dir().unwrap().count() > 0);
    let refused = run(&format!("tables --variant breakthrough --pieces 2 --out {}", path("x"))).unwrap_err();
    assert!(refused.contains("breakthrough has no endgame tables"), "{refused}");
}
