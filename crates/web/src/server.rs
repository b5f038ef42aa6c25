//! The server of the page and its WebSocket.

use std::collections::HashMap;
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
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
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
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::access;
use super::assets::ASSETS;
use super::connection;
use super::folder::Folder;
use super::probe::probe;
use super::sessions::{Sessions, random_name};
use super::storage::Storage;
use labrys_arena::EngineConfig;
use labrys_session::Catalogue;

/// The longest request in bytes. A long game in PGN fits.
const LONGEST_REQUEST: usize = 64 << 10;

/// The most MiB of the transposition table of an analysis.
const MOST_HASH: usize = 1024;

/// WebSockets at a time.
const CONNECTIONS: usize = 256;

/// The time that a browser has to send the headers of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// The headers of every answer. The page loads nothing from elsewhere, runs no script but its own files, and
/// is shown in no other page; its address, which may hold the token, is told to nobody.
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

/// How the board is served.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen; port 0 picks a free one. Beyond loopback the address of the page has a token.
    pub listen: SocketAddr,
    /// Searches at a time; by default one for each core.
    pub searches: Option<usize>,
    /// Engines that can play, by name. Their names are none of a person or a level.
    pub engines: Vec<EngineConfig>,
    /// Where sessions are saved, and the token; `None` forgets them with the end of the server.
    pub state: Option<PathBuf>,
    /// A folder whose games, curves and charts browsers can look at.
    pub folder: Option<PathBuf>,
}

/// The web board, listening.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    router: Router,
    address: SocketAddr,
    /// What stands between the address and the path of a file.
    base: String,
}

/// What the handlers share.
struct Shared {
    port: u16,
    sessions: Arc<Sessions>,
    folder: Option<Folder>,
    connections: Arc<Semaphore>,
}

/// An error of the system with what it is about.
fn named(what: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

impl Server {
    /// Begins to listen. Browsers are served by [`Server::run`].
    ///
    /// # Errors
    /// If the address or the folder of the state cannot be used.
    pub fn bind(config: &Config) -> io::Result<Server> {
        let runtime = Runtime::new()?;
        let listen = |error| named(&format!("cannot listen on {}", config.listen), error);
        let listener = runtime.block_on(TcpListener::bind(config.listen)).map_err(listen)?;
        let address = listener.local_addr()?;
        let folder = config.state.as_deref();
        let state = |error| named(&format!("--state {}", folder.unwrap_or(Path::new("")).display()), error);
        let storage = folder.map(Storage::open).transpose().map_err(state)?;
        let base = match &storage {
            _ if address.ip().is_loopback() => String::new(),
            Some(storage) => format!("/{}", storage.token().map_err(state)?),
            None => format!("/{}", random_name()),
        };
        let searches = config.searches.or_else(|| thread::available_parallelism().ok().map(usize::from));
        let sessions = {
            let _tasks = runtime.enter();
            let threads = thread::available_parallelism().map_or(1, usize::from);
            let catalogue = Arc::new(Catalogue::new(&config.engines).with_room(threads, MOST_HASH));
            probe(&config.engines, &catalogue);
            Arc::new(Sessions::new(searches.unwrap_or(1), catalogue, storage).map_err(state)?)
        };
        runtime.spawn(Sessions::keep_saving(Arc::downgrade(&sessions)));
        let shared = Arc::new(Shared {
            port: address.port(),
            sessions,
            folder: config.folder.clone().map(Folder::new),
            connections: Arc::new(Semaphore::new(CONNECTIONS)),
        });
        Ok(Server { router: router(&base, shared), runtime, listener, address, base })
    }

    /// The address of the page, with its token.
    pub fn url(&self) -> String {
        format!("http://{}{}/", self.address, self.base)
    }

    /// The same for a browser on this machine, which need not take `0.0.0.0` for it.
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
            loop {
                let stream = match listener.accept().await {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        log::warn!("cannot accept a connection: {error}");
                        sleep(PAUSE).await;
                        continue;
                    }
                };
                // Answers are small and wanted at once.
                let _ = stream.set_nodelay(true);
                let mut http = http1::Builder::new();
                http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
                let service = TowerToHyperService::new(router.clone());
                let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
                tokio::spawn(async move {
                    if let Err(error) = connection.await {
                        log::debug!("a connection ends: {error}");
                    }
                });
            }
        })
    }
}

/// The routes below `base`: the files of the page, and the WebSocket.
fn router(base: &str, shared: Arc<Shared>) -> Router {
    let router =
        Router::new().route(&format!("{base}/ws"), get(connect)).route(&format!("{base}/chart"), get(chart));
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
    let folder = shared.folder.clone();
    upgrade.on_upgrade(move |socket| async move {
        connection::serve(socket, session, folder).await;
        drop(permit);
    })
}

/// The chart of the folder that the query names, `name=…`.
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
