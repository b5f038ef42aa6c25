//! A person, whose moves come from a page.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::{MoveReply, MoveRequest, Player, PlayerError};
use labrys_core::clock::Instant;
use labrys_core::game::{Color, Game};
use labrys_core::search::Control;
use labrys_protocol::agents::AgentName;
use labrys_protocol::pipe::POLL_INTERVAL;

/// A person who plays in a lobby: a name, whose connections may be lost and come back. Clones are the same
/// person.
#[derive(Clone)]
pub struct Person(Arc<Shared>);

struct Shared {
    name: AgentName,
    state: Mutex<State>,
    /// Wakes the game that waits for an act.
    acted: Condvar,
    /// Notifies of everything that the person sees.
    changes: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    /// The number of connections.
    connections: usize,
    /// Whether it has left the table, to be called to no further game.
    is_away: bool,
    /// What it has done and the game has not taken yet.
    act: Option<Act>,
    /// How its last game has ended.
    last: Option<String>,
}

/// What a person does in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// It plays a move, in the position after this many plies.
    Move(usize, String),
    /// It accepts a draw, in the position after this many plies.
    Agree(usize),
    /// It resigns, with its next move.
    Resign,
}

impl fmt::Debug for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Person({})", self.0.name)
    }
}

impl PartialEq for Person {
    fn eq(&self, other: &Person) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Person {}

/// A connection of a person, which ends when it is dropped.
#[derive(Debug)]
pub struct PersonConnection(Person);

impl Drop for PersonConnection {
    fn drop(&mut self) {
        self.0.state().connections -= 1;
    }
}

impl Person {
    /// A person without a connection.
    pub(crate) fn new(name: AgentName) -> Person {
        let (state, acted, changes) = (Mutex::default(), Condvar::new(), watch::Sender::new(()));
        Person(Arc::new(Shared { name, state, acted, changes }))
    }

    /// Its name.
    pub fn name(&self) -> &AgentName {
        &self.0.name
    }

    /// Counts a connection, and what to wait for with it: everything that the person sees.
    pub fn connect(&self) -> (PersonConnection, watch::Receiver<()>) {
        self.state().connections += 1;
        (PersonConnection(self.clone()), self.0.changes.subscribe())
    }

    /// Whether it can be called to a game: it is connected, and has not left the table.
    pub(crate) fn is_present(&self) -> bool {
        let state = self.state();
        state.connections > 0 && !state.is_away
    }

    /// Whether it has left the table.
    pub(crate) fn is_away(&self) -> bool {
        self.state().is_away
    }

    /// Leaves the table after the game that is being played, or comes back to it.
    pub(crate) fn set_away(&self, is_away: bool) {
        self.state().is_away = is_away;
        self.notify();
    }

    /// How its last game has ended.
    pub(crate) fn last(&self) -> Option<String> {
        self.state().last.clone()
    }

    /// Notes how a game has ended.
    pub(crate) fn end_game(&self, end: Option<String>) {
        self.state().last = end;
        self.notify();
    }

    /// Hands an act to the game. It replaces one that the game has not taken.
    pub(crate) fn act(&self, act: Act) {
        self.state().act = Some(act);
        self.0.acted.notify_all();
    }

    /// Tells the connections that something has changed.
    pub(crate) fn notify(&self) {
        self.0.changes.send_replace(());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A person at the board.
pub(super) struct PersonPlayer(pub(super) Person);

impl<G: Game> Player<G> for PersonPlayer {
    fn new_game(&mut self, _: Color, _: &Control) -> Result<(), PlayerError> {
        self.0.state().act = None;
        Ok(())
    }

    fn think(
        &mut self,
        request: &MoveRequest<G>,
        control: &Control,
    ) -> Result<MoveReply<G::Move>, PlayerError> {
        let (start, here) = (Instant::now(), request.line.moves.len());
        let reply = |text: &str, elapsed| {
            let mv = request.game.position().parse_move(text);
            Ok(MoveReply { elapsed, ..MoveReply::new(mv) })
        };
        let mut state = self.0.state();
        loop {
            let elapsed = start.elapsed();
            match state.act.take() {
                Some(Act::Move(plies, text)) if plies == here => return reply(&text, elapsed),
                Some(Act::Agree(plies)) if plies == here => return Err(PlayerError::Agreed),
                Some(Act::Resign) => return Err(PlayerError::Resigned),
                // Nothing, or what belongs to another position.
                Some(Act::Move(..) | Act::Agree(_)) | None => {}
            }
            if control.is_stopped() {
                return Err(PlayerError::Interrupted);
            }
            // Who oversteps the time may have gone, and loses no other game by that.
            if request.timeout.is_some_and(|timeout| elapsed > timeout) {
                state.is_away = true;
                return reply("", elapsed);
            }
            let left = request.timeout.map_or(Duration::MAX, |timeout| timeout.saturating_sub(elapsed));
            // Past the end of the time, not to it.
            let wait = left.saturating_add(Duration::from_millis(1)).min(POLL_INTERVAL);
            state = self.0.0.acted.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
