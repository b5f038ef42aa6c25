//! A WebSocket as all of the server's parts use it: requests are text and come at a limited rate, and pings
//! detect dead connections.

use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use tokio::time::{Interval, MissedTickBehavior, interval, timeout};

use super::rate_limit::RateLimit;

/// The time between two pings.
const PING_INTERVAL: Duration = Duration::from_secs(20);

/// The timeout for sending a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

/// A connection.
pub(super) struct Channel {
    socket: WebSocket,
    rate_limit: RateLimit,
    pings: Interval,
    /// Whether the last ping has not been answered.
    awaits_pong: bool,
}

/// What a connection brings.
pub(super) enum Event {
    /// A request.
    Request(Utf8Bytes),
    /// A message that is due, a ping or the end of a connection that violates the rules.
    Due(Message),
}

impl Channel {
    pub(super) fn new(socket: WebSocket) -> Channel {
        let pings = ticks(PING_INTERVAL);
        Channel { socket, rate_limit: RateLimit::new(Instant::now()), pings, awaits_pong: false }
    }

    /// The next event; `None` once the client has disconnected, does not answer pings, or has violated the
    /// protocol or the size limit. Nothing is lost if it is cancelled.
    pub(super) async fn next(&mut self) -> Option<Event> {
        loop {
            tokio::select! {
                received = self.socket.recv() => {
                    let message = received?.ok()?;
                    self.awaits_pong = false;
                    match message {
                        Message::Close(_) => return None,
                        _ if !self.rate_limit.take(Instant::now()) => {
                            return Some(Event::Due(close("too many requests")));
                        }
                        Message::Text(text) => return Some(Event::Request(text)),
                        Message::Binary(_) => return Some(Event::Due(close("requests are text"))),
                        Message::Ping(_) | Message::Pong(_) => {}
                    }
                }
                _ = self.pings.tick() => {
                    if self.awaits_pong {
                        return None;
                    }
                    self.awaits_pong = true;
                    return Some(Event::Due(Message::Ping(Default::default())));
                }
            }
        }
    }

    /// Sends a message. Returns whether the connection goes on.
    pub(super) async fn send(&mut self, message: Message) -> bool {
        let is_last = matches!(message, Message::Close(_));
        let sent = timeout(SEND_TIMEOUT, self.socket.send(message)).await;
        !is_last && matches!(sent, Ok(Ok(())))
    }
}

/// Closes a connection that violates the rules.
pub(super) fn close(reason: &'static str) -> Message {
    Message::Close(Some(CloseFrame { code: close_code::POLICY, reason: reason.into() }))
}

/// Ticks at an interval, which begins anew after a late one.
pub(super) fn ticks(period: Duration) -> Interval {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
