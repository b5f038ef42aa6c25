//! The HTTP server of the page and its WebSocket.

use std::collections::{HashMap, VecDeque};
use std::fmt::Display;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Query, RawQuery, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, spawn_blocking};
use tokio::time::{sleep, timeout};

use super::access;
use super::assets::{ASSETS, INSPECT_ASSETS, LOBBY_ASSETS};
use super::connection::{self, Member};
use super::folder::{Folder, FolderError};
use super::inspection::{self, InspectionError, StopOnDrop};
use super::probe::probe;
use super::search::Filter;
use super::seat;
use super::sessions::Sessions;
use super::storage::Storage;
use labrys_arena::EngineConfig;
use labrys_arena::lobby::{Hall, LiveLobby};
use labrys_core::search::Control;
use labrys_session::{Catalogue, random_id};

/// The maximum size of a request in bytes, enough for a long game in PGN.
const MAX_REQUEST_BYTES: usize = 64 << 10;

/// The maximum hash of an analysis, in MiB.
const MAX_HASH: usize = 1024;

/// The maximum size of a request of a person in a lobby, in bytes.
const MAX_SEAT_BYTES: usize = 4 << 10;

/// The maximum number of WebSockets.
const MAX_CONNECTIONS: usize = 256;

/// The maximum number of connections that are no WebSockets; one more closes the oldest of them.
const MAX_HTTP: usize = 256;

/// The timeout for the headers of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// The delay after a connection could not be accepted.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// The headers of every response. The page may only load its own files and must not be framed by another
/// page; its address, which may contain the token, is not sent as referrer.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-cache"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The configuration of a [`Server`].
#[derive(Clone, Debug)]
pub struct Config {
    /// The address to listen on; port 0 picks a free one. Except on loopback, the address of the page
    /// contains a token.
    pub listen: SocketAddr,
    /// The maximum number of concurrent searches; by default one for each core.
    pub searches: Option<usize>,
    /// Engines to choose from. Their names must not be reserved (see [`is_reserved`](crate::is_reserved)).
    pub engines: Vec<EngineConfig>,
    /// The folder for sessions and the token; `None` does not save them.
    pub state: Option<PathBuf>,
    /// A folder whose games, curves and charts browsers can look at.
    pub folder: Option<PathBuf>,
    /// A lobby to watch and to play in, if any.
    pub lobby: Option<Arc<LobbyPage>>,
}

/// The page of a lobby.
#[derive(Debug)]
pub struct LobbyPage {
    /// What is going on.
    pub live: Arc<LiveLobby>,
    /// Where people come in.
    pub hall: Arc<Hall>,
}

/// The server of the web board.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    router: Router,
    catalogue: Arc<Catalogue>,
    address: SocketAddr,
    /// The path of the page: empty, or the token after a slash.
    base: String,
}

/// The state shared by the handlers.
struct Shared {
    port: u16,
    sessions: Arc<Sessions>,
    folder: Option<Folder>,
    lobby: Option<Arc<LobbyPage>>,
    connections: Arc<Semaphore>,
    /// Lets one search through the folder go on at a time.
    folder_searches: Arc<Semaphore>,
    /// Lets one inspection go on at a time.
    inspections: Arc<Semaphore>,
    /// Limits the inspections that go on or wait.
    inspection_queue: Semaphore,
}

/// Adds context to an error.
fn with_context(what: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

impl Server {
    /// Binds to the address. [`Server::run`] then serves browsers.
    ///
    /// # Errors
    /// If the address or the state folder cannot be used.
    pub fn bind(config: &Config) -> io::Result<Server> {
        let runtime = Runtime::new()?;
        let listen = |error| with_context(&format!("cannot listen on {}", config.listen), error);
        let listener = runtime.block_on(TcpListener::bind(config.listen)).map_err(listen)?;
        let address = listener.local_addr()?;
        let folder = config.state.as_deref();
        let state =
            |error| with_context(&format!("--state {}", folder.unwrap_or(Path::new("")).display()), error);
        let storage = folder.map(Storage::open).transpose().map_err(state)?;
        let base = match &storage {
            _ if address.ip().is_loopback() => String::new(),
            Some(storage) => format!("/{}", storage.token().map_err(state)?),
            None => format!("/{}", random_id()),
        };
        let searches = config.searches.or_else(|| thread::available_parallelism().ok().map(usize::from));
        let sessions = {
            let _tasks = runtime.enter();
            let threads = thread::available_parallelism().map_or(1, usize::from);
            let catalogue = Arc::new(Catalogue::new(&config.engines).with_limits(threads, MAX_HASH));
            probe(&config.engines, &catalogue);
            Arc::new(Sessions::new(searches.unwrap_or(1), catalogue, storage).map_err(state)?)
        };
        runtime.spawn(Sessions::keep_saving(Arc::downgrade(&sessions)));
        let shared = Arc::new(Shared {
            port: address.port(),
            sessions,
            folder: config.folder.clone().map(Folder::new),
            lobby: config.lobby.clone(),
            connections: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
            folder_searches: Arc::new(Semaphore::new(1)),
            inspections: Arc::new(Semaphore::new(1)),
            inspection_queue: Semaphore::new(inspection::MAX_QUEUE),
        });
        let catalogue = shared.sessions.catalogue();
        Ok(Server { router: router(&base, shared), runtime, listener, address, base, catalogue })
    }

    /// What browsers can choose from, to which agents are added.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.catalogue)
    }

    /// The URL of the page, with the token if it has one.
    pub fn url(&self) -> String {
        format!("http://{}{}/", self.address, self.base)
    }

    /// The URL for a browser on this machine: loopback if the server listens on all addresses, as not every
    /// browser accepts `0.0.0.0`.
    pub fn local_url(&self) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        format!("http://{}{}/", SocketAddr::new(ip, self.address.port()), self.base)
    }

    /// Serves the page until the process ends.
    pub fn run(self) -> ! {
        let Server { runtime, listener, router, .. } = self;
        runtime.block_on(async {
            let mut open: VecDeque<AbortHandle> = VecDeque::new();
            loop {
                let stream = match listener.accept().await {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        log::warn!("cannot accept a connection: {error}");
                        sleep(ACCEPT_RETRY_DELAY).await;
                        continue;
                    }
                };
                // Messages are small, and latency matters.
                let _ = stream.set_nodelay(true);
                let mut http = http1::Builder::new();
                http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
                let service = TowerToHyperService::new(router.clone());
                let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
                // One that has become a WebSocket has finished.
                open.retain(|connection| !connection.is_finished());
                if open.len() >= MAX_HTTP
                    && let Some(oldest) = open.pop_front()
                {
                    oldest.abort();
                }
                let served = tokio::spawn(async move {
                    if let Err(error) = connection.await {
                        log::debug!("connection error: {error}");
                    }
                });
                open.push_back(served.abort_handle());
            }
        })
    }
}

/// The routes below `base`: the files of the page, and the WebSocket.
fn router(base: &str, shared: Arc<Shared>) -> Router {
    let router =
        Router::new().route(&format!("{base}/ws"), get(connect)).route(&format!("{base}/chart"), get(chart));
    let router = router
        .route(&format!("{base}/games.json"), get(games))
        .route(&format!("{base}/search.json"), get(search))
        .route(&format!("{base}/search.pgn"), get(export))
        .route(&format!("{base}/inspect.json"), get(inspect).head(inspect_head));
    let (lobby_assets, router) = match shared.lobby {
        Some(_) => {
            let router = router.route(&format!("{base}/lobby.json"), get(lobby));
            (LOBBY_ASSETS, router.route(&format!("{base}/seat"), get(sit)))
        }
        None => (&[][..], router),
    };
    let router = ASSETS.iter().chain(INSPECT_ASSETS).chain(lobby_assets).fold(router, |router, asset| {
        let answer = move || async { ([(CONTENT_TYPE, asset.kind)], asset.text) };
        router.route(&format!("{base}/{}", asset.path), get(answer))
    });
    router
        .fallback(|| async { (StatusCode::NOT_FOUND, "there is nothing here\n") })
        .layer(middleware::from_fn_with_state(shared.clone(), guard))
        .with_state(shared)
}

/// Refuses requests from pages of other sites, and adds [`HEADERS`].
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

/// Connects a browser: with `session=…` to this session, or a new one; with `seat=…` to the session with this
/// seat.
async fn connect(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Ok(permit) = shared.connections.clone().try_acquire_owned() else { return full("connections") };
    let value = |name: &str| query.as_deref().and_then(|query| query.strip_prefix(name));
    let token = value("seat=").map(str::to_owned);
    let session = match &token {
        Some(token) => shared.sessions.with_seat(token),
        None => match shared.sessions.join(value("session=").unwrap_or_default()) {
            None => return full("sessions"),
            session => session,
        },
    };
    let member = session.map(|session| (session.clone(), Member::new(session, token)));
    let upgrade = upgrade.max_message_size(MAX_REQUEST_BYTES).max_frame_size(MAX_REQUEST_BYTES);
    upgrade.on_upgrade(move |socket| async move {
        match member {
            Some((session, member)) => {
                let (folder, has_lobby) = (shared.folder.clone(), shared.lobby.is_some());
                connection::serve(socket, member, folder, has_lobby).await;
                shared.sessions.mark_used(&session);
            }
            None => connection::refuse(socket).await,
        }
        drop(permit);
    })
}

/// Connects a person to its seat in the lobby.
async fn sit(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let Some(lobby) = shared.lobby.clone() else { return StatusCode::NOT_FOUND.into_response() };
    let Ok(permit) = shared.connections.clone().try_acquire_owned() else { return full("connections") };
    let upgrade = upgrade.max_message_size(MAX_SEAT_BYTES).max_frame_size(MAX_SEAT_BYTES);
    upgrade.on_upgrade(move |socket| async move {
        seat::serve(socket, lobby).await;
        drop(permit);
    })
}

/// Refuses a connection beyond a limit.
fn full(what: &str) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, format!("too many {what}\n")).into_response()
}

/// JSON as a response.
fn json(text: String) -> Response {
    ([(CONTENT_TYPE, "application/json")], text).into_response()
}

/// Serves what the games are called, how they look and who plays them.
async fn games(State(shared): State<Arc<Shared>>) -> Response {
    json(shared.sessions.catalogue().games_json())
}

/// Serves the state of the lobby.
async fn lobby(State(shared): State<Arc<Shared>>) -> Response {
    match &shared.lobby {
        Some(page) => json(page.live.to_json(page.hall.has_people())),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// The fields of a query, in their order.
type Fields = Query<Vec<(String, String)>>;

/// Serves the games of the folder that fulfil a query, as a list.
async fn search(State(shared): State<Arc<Shared>>, Query(fields): Fields) -> Response {
    let found = search_folder(&shared, &fields, |folder, filter| filter.search(&folder, |_| ()));
    match found.await {
        Ok(found) => json(serde_json::to_string(&found).expect("hits are made of text and numbers")),
        Err(refusal) => refusal.into_response(),
    }
}

/// Serves the same games as PGN.
async fn export(State(shared): State<Arc<Shared>>, Query(fields): Fields) -> Response {
    let found = search_folder(&shared, &fields, |folder, filter| {
        let mut text = String::new();
        filter.search(&folder, |game| text.push_str(&format!("{game}\n"))).map(|_| text)
    });
    let headers = [
        (CONTENT_TYPE, "application/x-chess-pgn"),
        (CONTENT_DISPOSITION, "attachment; filename=\"games.pgn\""),
    ];
    found.await.map_or_else(IntoResponse::into_response, |text| (headers, text).into_response())
}

/// Runs a search through the folder on a thread for blocking work. A query that is not valid is refused.
async fn search_folder<T: Send + 'static>(
    shared: &Shared,
    fields: &[(String, String)],
    job: impl FnOnce(Folder, Filter) -> Result<T, FolderError> + Send + 'static,
) -> Result<T, (StatusCode, String)> {
    let folder = shared.folder.clone();
    let folder = folder.ok_or_else(|| (StatusCode::NOT_FOUND, "no folder is open\n".to_owned()))?;
    let filter = Filter::read(fields).map_err(|error| (StatusCode::BAD_REQUEST, format!("{error}\n")))?;
    let failed = |error: &dyn Display| (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n"));
    let turn = shared.folder_searches.clone().acquire_owned().await.map_err(|error| failed(&error))?;
    // The search goes on if the browser leaves, and so does its turn.
    let searched = spawn_blocking(move || {
        let _turn = turn;
        job(folder, filter)
    });
    searched.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))
}

/// The head of what [`inspect`] answers, without an inspection.
async fn inspect_head() -> Response {
    json(String::new())
}

/// Inspects a position, until the browser leaves or the time is over.
async fn inspect(State(shared): State<Arc<Shared>>, Query(fields): Fields) -> Response {
    let refused = |error: InspectionError| (error.status(), format!("{error}\n")).into_response();
    let task = match inspection::task(&fields) {
        Ok(task) => task,
        Err(error) => return refused(error),
    };
    let Ok(_place) = shared.inspection_queue.try_acquire() else { return full("inspections") };
    let control = Arc::new(Control::default());
    let stop = StopOnDrop(control.clone());
    let turn = shared.inspections.clone().acquire_owned().await.expect("the semaphore is never closed");
    let mut inspected = spawn_blocking(move || {
        let _turn = turn;
        inspection::data(&task, &control)
    });
    let inspected = match timeout(inspection::DEADLINE, &mut inspected).await {
        Ok(inspected) => inspected,
        Err(_) => {
            drop(stop);
            inspected.await
        }
    };
    match inspected {
        Ok(Ok(text)) => json(text),
        Ok(Err(error)) => refused(error),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

/// Serves a chart of the folder, `name=…`.
async fn chart(State(shared): State<Arc<Shared>>, Query(query): Query<HashMap<String, String>>) -> Response {
    let nothing = || (StatusCode::NOT_FOUND, "there is no such chart\n").into_response();
    let (Some(folder), Some(name)) = (shared.folder.clone(), query.get("name").cloned()) else {
        return nothing();
    };
    match spawn_blocking(move || folder.chart(&name)).await {
        Ok(Ok(text)) => ([(CONTENT_TYPE, "image/svg+xml")], text).into_response(),
        _ => nothing(),
    }
}
