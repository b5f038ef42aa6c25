//! A connection of a browser to its session, and to the folder of the server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::folder::{Folder, FolderError, FolderMessage, Listing, Shown};
use super::rate::Allowance;
use labrys_session::{AnyRequest, Request, Session, SlowRequest, error, read};

/// Time between two reports of a search, at least.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// Time between two looks at the file that is open.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Time between two pings, which find connections that are gone.
const PING_INTERVAL: Duration = Duration::from_secs(20);

/// The time that a browser has to take a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

/// Serves a connection until it ends.
pub(super) async fn serve(mut socket: WebSocket, session: Arc<Session>, folder: Option<Folder>) {
    let mut reader = Reader { folder, watched: None };
    let mut listener = session.listen();
    let mut allowance = Allowance::new(Instant::now());
    let mut pings = interval(PING_INTERVAL);
    let mut reports = interval(REPORT_INTERVAL);
    let mut looks = interval(LOOK_INTERVAL);
    for ticks in [&mut pings, &mut reports, &mut looks] {
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    }
    // Whether a ping is without its answer.
    let mut is_silent = false;
    let mut next = Some(Message::text(session.welcome(reader.folder.is_some())));
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
                        Message::Text(text) => reader.request(&text, &session).await.map(Message::text),
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
            _ = looks.tick(), if reader.watched.is_some() => reader.look().await.map(Message::text),
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

/// What a browser reads in the folder.
struct Reader {
    folder: Option<Folder>,
    /// The file that is open, and when it was last written.
    watched: Option<(String, u64)>,
}

impl Reader {
    /// Does what a browser asks for. Returns an answer for this browser alone.
    async fn request(&mut self, text: &str, session: &Arc<Session>) -> Option<String> {
        match read(text) {
            Ok(AnyRequest::Slow(request)) => self.slow_request(request, session).await,
            Ok(AnyRequest::Quick(request)) => session.request(request),
            Err(problem) => Some(error(&format!("the request is not understood: {problem}"))),
        }
    }

    /// Does what takes a thread for blocking work.
    async fn slow_request(&mut self, request: SlowRequest, session: &Arc<Session>) -> Option<String> {
        let done = match request {
            SlowRequest::StaticEval {} => {
                let session = session.clone();
                let eval = spawn_blocking(move || session.static_eval()).await;
                return Some(eval.unwrap_or_else(|problem| error(&problem)));
            }
            SlowRequest::Explore { pgn, first } => {
                let session = session.clone();
                let explored = spawn_blocking(move || session.explore(&pgn, first)).await;
                return Some(explored.unwrap_or_else(|problem| error(&problem)));
            }
            SlowRequest::Files {} => {
                let files = self.blocking(|folder| Ok(folder.list())).await;
                let message = |Listing { files, left_out }| FolderMessage::Files { files, left_out };
                files.map(|files| Some(message(files).to_json()))
            }
            SlowRequest::Open { file } => {
                self.watched = file.map(|file| (file, 0));
                return self.look().await;
            }
            SlowRequest::Replay { file, game } => {
                let game = self.blocking(move |folder| folder.game(&file, game)).await;
                game.map(|game| session.request(Request::Load { pgn: game.to_string(), game: None }))
            }
        };
        done.unwrap_or_else(|problem| Some(error(&problem)))
    }

    /// The content of the open file, if it has been written since the last look.
    async fn look(&mut self) -> Option<String> {
        let (name, before) = self.watched.clone()?;
        let found = self.blocking(move |folder| {
            let file = folder.find(&name)?;
            let content = (file.modified != before).then(|| folder.open(&file)).transpose()?;
            Ok((file, content))
        });
        match found.await {
            Ok((file, content)) => {
                self.watched = Some((file.name.clone(), file.modified));
                let Shown { content, note } = content?;
                let (name, modified) = (&file.name, file.modified);
                Some(FolderMessage::File { name, modified, content, note }.to_json())
            }
            Err(problem) => {
                self.watched = None;
                Some(error(&problem))
            }
        }
    }

    /// Works in the folder, on a thread for blocking work.
    async fn blocking<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Folder) -> Result<T, FolderError> + Send + 'static,
    ) -> Result<T, FolderError> {
        let folder = self.folder.clone().ok_or(FolderError::None)?;
        spawn_blocking(move || job(&folder)).await.unwrap_or(Err(FolderError::None))
    }
}
