//! Asks the engines of the command line at the start which games they support.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use labrys_arena::EngineConfig;
use labrys_core::clock::Instant;
use labrys_session::{Catalogue, announced_games};

/// The timeout for all of them together. A slower engine is offered in all games until it answers.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Enters the games of each engine into the catalogue.
pub(super) fn probe(engines: &[EngineConfig], catalogue: &Arc<Catalogue>) {
    let (done, all) = mpsc::channel();
    for engine in engines {
        let (engine, catalogue, done) = (engine.clone(), catalogue.clone(), done.clone());
        thread::spawn(move || {
            catalogue.announce(&engine.name, announced_games(&engine));
            // The receiver is gone after the timeout.
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
