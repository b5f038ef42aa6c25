//! The WebSocket of a person who plays in a lobby.
//!
//! The first message is a greeting, with a name and a token; each further one is a [`PersonRequest`]. The
//! answers are the seat, whenever it changes, and errors.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use serde::Deserialize;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::channel::{Channel, Event, close};
use super::server::LobbyPage;
use labrys_arena::Person;
use labrys_arena::lobby::PersonRequest;
use labrys_protocol::agents::{AgentName, REFUSAL_DELAY, Token};
use labrys_session::error;

/// The time for the greeting.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);

/// Who a person is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Greeting {
    name: String,
    token: String,
}

/// Serves a connection until it ends.
pub(super) async fn serve(socket: WebSocket, lobby: Arc<LobbyPage>) {
    let mut channel = Channel::new(socket);
    let admitted = match timeout(GREETING_TIMEOUT, greeting(&mut channel)).await {
        Ok(Some(text)) => {
            let lobby = Arc::clone(&lobby);
            // It writes the file of the identities.
            spawn_blocking(move || admit(&text, &lobby)).await.unwrap_or_else(|_| Err("failed".to_owned()))
        }
        Ok(None) => return,
        Err(_) => Err("no greeting in time".to_owned()),
    };
    match admitted {
        Ok(person) => play(&mut channel, &lobby, &person).await,
        Err(reason) => {
            log::info!("a person is refused: {}", reason.escape_debug());
            sleep(REFUSAL_DELAY).await;
            if channel.send(Message::text(error(&reason))).await {
                channel.send(close("refused")).await;
            }
        }
    }
}

/// The first message; `None` once the connection has ended.
async fn greeting(channel: &mut Channel) -> Option<Utf8Bytes> {
    loop {
        match channel.next().await? {
            Event::Request(text) => return Some(text),
            Event::Due(message) => {
                if !channel.send(message).await {
                    return None;
                }
            }
        }
    }
}

/// The person of a greeting, or why there is none.
fn admit(text: &str, lobby: &LobbyPage) -> Result<Person, String> {
    let Greeting { name, token } =
        serde_json::from_str(text).map_err(|error| format!("invalid greeting: {error}"))?;
    let name = name.parse::<AgentName>().map_err(|error| error.to_string())?;
    let token = token.parse::<Token>().map_err(|error| error.to_string())?;
    lobby.hall.admit_person(&name, &token)
}

/// Lets a person play until the connection ends.
async fn play(channel: &mut Channel, lobby: &LobbyPage, person: &Person) {
    let (_connection, mut changes) = person.connect();
    // The seat is sent at once.
    changes.mark_changed();
    loop {
        let next = tokio::select! {
            event = channel.next() => match event {
                Some(Event::Request(text)) => {
                    request(&text, lobby, person).err().map(|reason| Message::text(error(&reason)))
                }
                Some(Event::Due(message)) => Some(message),
                None => return,
            },
            changed = changes.changed() => match changed {
                Ok(()) => Some(Message::text(lobby.live.seat_json(person))),
                Err(_) => return,
            },
        };
        if let Some(message) = next
            && !channel.send(message).await
        {
            return;
        }
    }
}

/// Executes a request.
fn request(text: &str, lobby: &LobbyPage, person: &Person) -> Result<(), String> {
    let request: PersonRequest =
        serde_json::from_str(text).map_err(|error| format!("invalid request: {error}"))?;
    lobby.live.request(person, request)
}
