//! The server of the page and its WebSocket.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{RawQuery, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::access;
use super::assets::ASSETS;
use super::rate::Allowance;
use super::session::Session;
use super::sessions::{Sessions, random_name};

/// The longest request in bytes. A long game in PGN fits.
const LONGEST_REQUEST: usize = 64 << 10;

/// WebSockets at a time.
const CONNECTIONS: usize = 256;

/// Time between two reports of a search, at least.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// Time between two pings, which find connections that are gone.
const PING_INTERVAL: Duration = Duration::from_secs(20);

/// The time that a browser has to take a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

/// The headers of every answer. The page loads nothing from elsewhere, runs no script but its own files, and
/// is shown in no other page; its address, which may hold the token, is told to nobody.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-cache"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// How the board is served.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen; port 0 picks a free one. Beyond loopback the address of the page has a token.
    pub listen: SocketAddr,
    /// Searches at a time; by default one for each core.
    pub searches: Option<usize>,
}

/// The web board, listening.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    router: Router,
    url: String,
}

/// What the handlers share.
struct Shared {
    port: u16,
    sessions: Sessions,
    connections: Arc<Semaphore>,
}

impl Server {
    /// Begins to listen. Browsers are served by [`Server::run`].
    ///
    /// # Errors
    /// If the address cannot be used.
    pub fn bind(config: &Config) -> io::Result<Server> {
        let runtime = Runtime::new()?;
        let listener = runtime.block_on(TcpListener::bind(config.listen))?;
        let address = listener.local_addr()?;
        let base = if address.ip().is_loopback() { String::new() } else { format!("/{}", random_name()) };
        let searches = config.searches.or_else(|| thread::available_parallelism().ok().map(usize::from));
        let shared = Arc::new(Shared {
            port: address.port(),
            sessions: Sessions::new(searches.unwrap_or(1)),
            connections: Arc::new(Semaphore::new(CONNECTIONS)),
        });
        Ok(Server {
            router: router(&base, shared),
            runtime,
            listener,
            url: format!("http://{address}{base}/"),
        })
    }

    /// The address of the page, with its token.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Serves the page until the process ends.
    ///
    /// # Errors
    /// Any error of the socket.
    pub fn run(self) -> io::Result<()> {
        let Server { runtime, listener, router, .. } = self;
        runtime.block_on(async { axum::serve(listener, router).await })
    }
}

/// The routes below `base`: the files of the page, and the WebSocket.
fn router(base: &str, shared: Arc<Shared>) -> Router {
    let router = Router::new().route(&format!("{base}/ws"), get(connect));
    let router = ASSETS.iter().fold(router, |router, asset| {
        let answer = move || async { ([(CONTENT_TYPE, asset.kind)], asset.text) };
        router.route(&format!("{base}/{}", asset.path), get(answer))
    });
    router
        .fallback(|| async { (StatusCode::NOT_FOUND, "there is nothing here\n") })
        .layer(middleware::from_fn_with_state(shared.clone(), guard))
        .with_state(shared)
}

/// Refuses requests of foreign pages, and adds [`HEADERS`].
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match access::check(request.headers(), shared.port) {
        Ok(()) => next.run(request).await,
        Err(error) => (StatusCode::FORBIDDEN, error.text()).into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Connects a browser to the session of its query, `session=…`, or to a new one.
async fn connect(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
    upgrade: WebSocketUpgrade,
) -> Response {
    let full = |what: &str| (StatusCode::SERVICE_UNAVAILABLE, format!("too many {what}\n")).into_response();
    let Ok(permit) = shared.connections.clone().try_acquire_owned() else { return full("connections") };
    let id = query.as_deref().and_then(|query| query.strip_prefix("session=")).unwrap_or_default();
    let Some(session) = shared.sessions.enter(id) else { return full("sessions") };
    let upgrade = upgrade.max_message_size(LONGEST_REQUEST).max_frame_size(LONGEST_REQUEST);
    upgrade.on_upgrade(move |socket| serve(socket, session, permit))
}

/// Serves a connection until it ends.
async fn serve(mut socket: WebSocket, session: Arc<Session>, _permit: OwnedSemaphorePermit) {
    let mut listener = session.listen();
    let mut allowance = Allowance::new(Instant::now());
    let mut pings = interval(PING_INTERVAL);
    let mut reports = interval(REPORT_INTERVAL);
    for ticks in [&mut pings, &mut reports] {
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    }
    // Whether a ping is without its answer.
    let mut is_silent = false;
    let mut next = Some(Message::text(session.welcome()));
    loop {
        if let Some(message) = next.take() {
            let is_last = matches!(message, Message::Close(_));
            let sent = timeout(SEND_TIMEOUT, socket.send(message)).await;
            if is_last || !matches!(sent, Ok(Ok(()))) {
                return;
            }
        }
        next = tokio::select! {
            received = socket.recv() => match received {
                Some(Ok(message)) => {
                    is_silent = false;
                    match message {
                        Message::Close(_) => return,
                        _ if !allowance.take(Instant::now()) => Some(close("too many requests")),
                        Message::Text(text) => session.request(&text).map(Message::text),
                        Message::Binary(_) => Some(close("requests are text")),
                        Message::Ping(_) | Message::Pong(_) => None,
                    }
                }
                // The client is gone, or has broken the protocol or the limit of a request.
                Some(Err(_)) | None => return,
            },
            changed = listener.game.changed() => match changed {
                Ok(()) => Some(Message::text(&*listener.game.borrow_and_update().clone())),
                Err(_) => return,
            },
            _ = reports.tick() => match listener.search.has_changed() {
                Ok(true) => listener.search.borrow_and_update().clone().map(|text| Message::text(&*text)),
                Ok(false) => None,
                Err(_) => return,
            },
            _ = pings.tick() => {
                if is_silent {
                    return;
                }
                is_silent = true;
                Some(Message::Ping(Default::default()))
            }
        };
    }
}

/// Ends a connection that does not keep to the rules.
fn close(reason: &'static str) -> Message {
    Message::Close(Some(CloseFrame { code: close_code::POLICY, reason: reason.into() }))
}
