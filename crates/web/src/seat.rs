//! The WebSocket of a person who plays in a lobby.
//!
//! The first message is a greeting, with a name and a token; each further one is a [`PersonRequest`]. The
//! answers are the seat, whenever it changes, and errors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::ws::{Message, WebSocket};
use serde::Deserialize;
use tokio::task::spawn_blocking;
use tokio::time::{interval, sleep, timeout};

use super::connection::{PING_INTERVAL, SEND_TIMEOUT, close};
use super::rate_limit::RateLimit;
use super::server::LobbyPage;
use labrys_arena::Person;
use labrys_arena::lobby::PersonRequest;
use labrys_protocol::agents::{AgentName, Token};
use labrys_session::error;

/// The time for the greeting.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);

/// The time before a refusal, so that tokens cannot be tried fast.
const REFUSAL: Duration = Duration::from_millis(500);

/// Who a person is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Greeting {
    name: String,
    token: String,
}

/// Serves a connection until it ends.
pub(super) async fn serve(mut socket: WebSocket, lobby: Arc<LobbyPage>) {
    let greeting = timeout(GREETING_TIMEOUT, next_text(&mut socket)).await;
    let admitted = match greeting {
        Ok(Some(text)) => {
            let lobby = Arc::clone(&lobby);
            // It writes the file of the identities.
            spawn_blocking(move || admit(&text, &lobby)).await.unwrap_or_else(|_| Err("failed".to_owned()))
        }
        Ok(None) => return,
        Err(_) => Err("no greeting in time".to_owned()),
    };
    match admitted {
        Ok(person) => play(&mut socket, &lobby, &person).await,
        Err(reason) => {
            log::warn!("a person is refused: {}", reason.escape_debug());
            sleep(REFUSAL).await;
            let _ = send(&mut socket, Message::text(error(&reason))).await;
            let _ = send(&mut socket, close("refused")).await;
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
async fn play(socket: &mut WebSocket, lobby: &LobbyPage, person: &Person) {
    let (_connection, mut changes) = person.connect();
    let mut rate_limit = RateLimit::new(Instant::now());
    let mut pings = interval(PING_INTERVAL);
    // Whether the last ping has not been answered.
    let mut awaits_pong = false;
    // The seat is sent at once.
    changes.mark_changed();
    loop {
        let next = tokio::select! {
            received = socket.recv() => {
                let Some(Ok(message)) = received else { return };
                awaits_pong = false;
                match message {
                    Message::Close(_) => return,
                    _ if !rate_limit.take(Instant::now()) => Some(close("too many requests")),
                    Message::Text(text) => request(&text, lobby, person).err().map(|text| Message::text(error(&text))),
                    Message::Binary(_) => Some(close("requests are text")),
                    Message::Ping(_) | Message::Pong(_) => None,
                }
            }
            changed = changes.changed() => match changed {
                Ok(()) => Some(Message::text(lobby.live.seat_json(person))),
                Err(_) => return,
            },
            _ = pings.tick() => {
                if awaits_pong {
                    return;
                }
                awaits_pong = true;
                Some(Message::Ping(Default::default()))
            }
        };
        if let Some(message) = next {
            let is_last = matches!(message, Message::Close(_));
            if !send(socket, message).await || is_last {
                return;
            }
        }
    }
}

/// Executes a request.
fn request(text: &str, lobby: &LobbyPage, person: &Person) -> Result<(), String> {
    let request: PersonRequest =
        serde_json::from_str(text).map_err(|error| format!("invalid request: {error}"))?;
    lobby.live.request(person, request)
}

/// The next message of text.
async fn next_text(socket: &mut WebSocket) -> Option<String> {
    loop {
        match socket.recv().await? {
            Ok(Message::Text(text)) => return Some(text.to_string()),
            Ok(Message::Ping(_) | Message::Pong(_)) => {}
            _ => return None,
        }
    }
}

/// Sends a message; false if the client has disconnected.
async fn send(socket: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(SEND_TIMEOUT, socket.send(message)).await, Ok(Ok(())))
}
