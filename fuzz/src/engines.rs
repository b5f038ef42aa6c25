//! What other engines answer.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{Shutdown, TcpListener};
use std::thread;
use std::time::Duration;

use labrys_core::game::Color;
use labrys_core::search::{Control, Limits};
use labrys_protocol::client;
use labrys_protocol::engine_log::EngineLog;
use labrys_protocol::pipe::ClientError;
use labrys_protocol::transport::Transport;
use labrys_protocol::xboard;

use super::{Target, game_and_rest, seeds};

/// The time that an engine has for each answer.
const TIMEOUT: Duration = Duration::from_millis(300);
/// The time that the engine gives the client to say something.
const PATIENCE: Duration = Duration::from_millis(10);

/// Answers of an engine over UCI or over the xboard protocol, by the first byte: one for each line that it
/// gets or that is waited for, with an empty line between them.
pub(super) const TARGET: Target = Target {
    name: "engine",
    run,
    seeds: all_seeds,
    words: &[
        "id name ",
        "option name ",
        " type spin default 1 min 1 max 9",
        " type combo var ",
        "uciok",
        "readyok",
        "bestmove ",
        " ponder ",
        "(none)",
        "0000",
        "e2e4",
        "info depth 3 score cp 12 pv e2e4",
        "score mate -3",
        "lowerbound",
        "multipv 2",
        "info string error: go",
        "\n\n",
        "feature ",
        "done=1",
        "done=0",
        "ping=1",
        "setboard=1",
        "usermove=1",
        "san=1",
        "variants=\"normal,fischerandom\"",
        "option=\"x -spin 1 0 9\"",
        "pong 1",
        "move ",
        "move e7e8q",
        "resign",
        "tellusererror ",
        "Illegal move",
        "Error (unknown)",
        "1-0 {mates}",
        "9 25 100 1000 e4 e5",
        "\u{0}",
        "\"",
        "99999999999999999999",
    ],
};

fn run(data: &[u8]) {
    let Some((kind, rest)) = game_and_rest(data) else { return };
    let answers: Vec<_> =
        String::from_utf8_lossy(rest).split("\n\n").map(|text| format!("{text}\n")).collect();
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("the address of a port").to_string();
    let transport = Transport::Tcp(address.parse().expect("an address"));
    thread::scope(|scope| {
        scope.spawn(move || answer(&listener, &answers));
        let game = if kind % 2 == 0 { uci(&transport) } else { xboard(&transport) };
        if let Err(error) = game {
            assert!(!error.to_string().is_empty());
        }
    });
}

/// Gives an answer for each line, and one where the client waits for more, and closes the connection after the
/// last one.
fn answer(listener: &TcpListener, answers: &[String]) {
    let Ok((mut stream, _)) = listener.accept() else { return };
    let Ok(input) = stream.try_clone() else { return };
    if input.set_read_timeout(Some(PATIENCE)).is_err() {
        return;
    }
    let (mut input, mut line) = (BufReader::new(input), Vec::new());
    let mut answers = answers.iter();
    loop {
        match input.read_until(b'\n', &mut line) {
            Ok(0) => return,
            Err(error) if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => return,
            Ok(_) | Err(_) => line.clear(),
        }
        // The client may be gone.
        _ = match answers.next() {
            Some(answer) => stream.write_all(answer.as_bytes()),
            None => stream.shutdown(Shutdown::Write),
        };
    }
}

/// A move of a game over UCI.
fn uci(transport: &Transport) -> Result<(), ClientError> {
    let control = Control::default();
    let mut client = client::Client::start(transport, &EngineLog::default(), TIMEOUT, &control)?;
    let names: Vec<_> = client.options.iter().map(|option| option.name.clone()).collect();
    names.iter().take(3).try_for_each(|name| client.set_option(name, "1"))?;
    client.new_game(TIMEOUT, &control)?;
    for position in ["position startpos", "position startpos moves e2e4 e7e5"] {
        client.set_up(position, TIMEOUT, &control)?;
        let is_legal = |mv: &str| mv == "e2e4" || mv == "g1f3";
        client.go(&Limits::depth(1), is_legal, TIMEOUT, &control)?;
    }
    Ok(())
}

/// The same over the xboard protocol.
fn xboard(transport: &Transport) -> Result<(), ClientError> {
    let control = Control::default();
    let mut client = xboard::Client::start(transport, &EngineLog::default(), TIMEOUT, &control)?;
    let _ = (client.variants().count(), client.is_reusable(), client.uses_san());
    client.new_game("normal", &control)?;
    for moves in [&[][..], &["e2e4".to_owned(), "e7e5".to_owned()]] {
        client.set_up(None, moves, &control)?;
        let is_legal = |mv: &str| mv == "e2e4" || mv == "g1f3";
        client.go(&Limits::depth(1), Color::White, is_legal, TIMEOUT, &control)?;
    }
    Ok(())
}

fn all_seeds() -> Vec<Vec<u8>> {
    let uci = [
        "id name Fish\noption name Hash type spin default 1 min 1 max 9\nuciok",
        "readyok",
        "readyok",
        "readyok",
        "info depth 3 score cp 12 nodes 100 pv e2e4 e7e5\nbestmove e2e4 ponder e7e5",
        "readyok",
        "bestmove g1f3",
    ];
    // Most lines of the xboard protocol have no answer.
    let features = "feature ping=1 setboard=1 usermove=1 san=0 variants=\"normal\" myname=\"x\" done=1";
    let xboard = [
        "",
        features,
        "pong 1\npong 2\npong 3\npong 4",
        "9 25 100 1000 e4 e5\nmove e2e4\npong 5",
        "Illegal move: e2e4",
        "move g1f3",
        "resign",
    ];
    [(0, uci), (1, xboard)].map(|(kind, answers)| seeds::of_game(kind, answers.join("\n\n"))).to_vec()
}
