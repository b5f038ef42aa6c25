//! The files of the page, embedded in the binary.

/// A file of the page.
pub(super) struct Asset {
    /// Its path, relative to the page.
    pub(super) path: &'static str,
    /// Its `Content-Type`.
    pub(super) kind: &'static str,
    pub(super) text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";

const STYLE: &str = "text/css; charset=utf-8";

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! asset {
    ($path:literal, $file:literal, $kind:expr) => {
        Asset { path: $path, kind: $kind, text: include_str!(concat!("page/", $file)) }
    };
}

/// The files of the page of a lobby.
pub(super) const LOBBY_ASSETS: &[Asset] = &[
    asset!("lobby", "lobby.html", HTML),
    asset!("lobby.js", "lobby.js", SCRIPT),
    asset!("lobby-board.js", "lobby-board.js", SCRIPT),
    asset!("lobby-seat.js", "lobby-seat.js", SCRIPT),
];

/// The files of the page of the microscope.
pub(super) const INSPECT_ASSETS: &[Asset] = &[
    Asset { path: "inspect", kind: HTML, text: labrys_inspect::PAGE },
    Asset { path: "inspect.css", kind: STYLE, text: labrys_inspect::PAGE_STYLE },
    Asset { path: "inspect.js", kind: SCRIPT, text: labrys_inspect::PAGE_SCRIPT },
];

/// The files of the board. No others are served.
pub(super) const ASSETS: &[Asset] = &[
    asset!("", "index.html", HTML),
    asset!("style.css", "style.css", STYLE),
    asset!("icon.svg", "icon.svg", "image/svg+xml"),
    asset!("manifest.webmanifest", "manifest.webmanifest", "application/manifest+json"),
    asset!("analysis-settings.js", "analysis-settings.js", SCRIPT),
    asset!("analysis.js", "analysis.js", SCRIPT),
    asset!("app.js", "app.js", SCRIPT),
    asset!("appearance.js", "appearance.js", SCRIPT),
    asset!("arrows.js", "arrows.js", SCRIPT),
    asset!("board.js", "board.js", SCRIPT),
    asset!("captured.js", "captured.js", SCRIPT),
    asset!("check.js", "check.js", SCRIPT),
    asset!("chess960.js", "chess960.js", SCRIPT),
    asset!("connection.js", "connection.js", SCRIPT),
    asset!("dialogs.js", "dialogs.js", SCRIPT),
    asset!("drawings.js", "drawings.js", SCRIPT),
    asset!("editor.js", "editor.js", SCRIPT),
    asset!("elements.js", "elements.js", SCRIPT),
    asset!("ending.js", "ending.js", SCRIPT),
    asset!("explorer.js", "explorer.js", SCRIPT),
    asset!("folder.js", "folder.js", SCRIPT),
    asset!("glyphs.js", "glyphs.js", SCRIPT),
    asset!("graph.js", "graph.js", SCRIPT),
    asset!("history.js", "history.js", SCRIPT),
    asset!("keys.js", "keys.js", SCRIPT),
    asset!("lines.js", "lines.js", SCRIPT),
    asset!("link.js", "link.js", SCRIPT),
    asset!("looks.js", "looks.js", SCRIPT),
    asset!("moves.js", "moves.js", SCRIPT),
    asset!("new-game.js", "new-game.js", SCRIPT),
    asset!("players.js", "players.js", SCRIPT),
    asset!("premove.js", "premove.js", SCRIPT),
    asset!("promotion.js", "promotion.js", SCRIPT),
    asset!("record.js", "record.js", SCRIPT),
    asset!("review.js", "review.js", SCRIPT),
    asset!("rules.js", "rules.js", SCRIPT),
    asset!("seats.js", "seats.js", SCRIPT),
    asset!("sounds.js", "sounds.js", SCRIPT),
    asset!("static-eval.js", "static-eval.js", SCRIPT),
    asset!("storage.js", "storage.js", SCRIPT),
    asset!("text-file.js", "text-file.js", SCRIPT),
];
