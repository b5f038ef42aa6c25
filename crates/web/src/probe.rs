//! Asks the engines of the command line, at the start of the server, which games they play.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use labrys_arena::EngineConfig;
use labrys_core::clock::Instant;
use labrys_session::{Catalogue, announced_games};

/// The timeout of all of them together. One that answers later is offered in every game until then.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Tells the catalogue what each engine plays.
pub(super) fn probe(engines: &[EngineConfig], catalogue: &Arc<Catalogue>) {
    let (done, all) = mpsc::channel();
    for engine in engines {
        let (engine, catalogue, done) = (engine.clone(), catalogue.clone(), done.clone());
        thread::spawn(move || {
            catalogue.announce(&engine.name, announced_games(&engine));
            // The server may have gone on.
            let _ = done.send(());
        });
    }
    let end = Instant::now() + TIMEOUT;
    for _ in engines {
        if all.recv_timeout(end.saturating_duration_since(Instant::now())).is_err() {
            return;
        }
    }
}
