//! The UCI engine as WebAssembly: `make npm` builds the package `labrys-engine` from it and the JavaScript in
//! `assets/`.

#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::io::{self, Write};

use js_sys::Function;
use labrys_core::search::Control;
use labrys_protocol::UciEngine;
use wasm_bindgen::prelude::*;

/// The JavaScript functions through which the engine talks to its host.
struct Host {
    /// Receives the output of the engine, in complete lines.
    send: Function,
    /// Whether a `stop` is pending.
    is_stopped: Function,
    /// Whether a `ponderhit` is pending.
    is_ponder_hit: Function,
}

thread_local! {
    /// The host of the last engine. An output must be `Send`, which JavaScript functions are not.
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

/// The engine, which executes lines of UCI.
#[wasm_bindgen]
pub struct Uci(UciEngine);

#[wasm_bindgen]
impl Uci {
    /// An engine; there can be only one. It calls `send` with lines of its output, and while it computes, it
    /// polls `is_stopped` and `is_ponder_hit` for whether such a line is pending.
    #[wasm_bindgen(constructor)]
    pub fn new(send: Function, is_stopped: Function, is_ponder_hit: Function) -> Result<Uci, JsError> {
        HOST.set(Some(Host { send, is_stopped, is_ponder_hit }));
        Ok(Uci(UciEngine::new(Output, poll)?))
    }

    /// Executes lines; returns false after `quit`.
    pub fn execute(&mut self, lines: &str) -> Result<bool, JsError> {
        Ok(self.0.execute(lines)?)
    }
}

/// The output of the engine, which receives complete lines.
struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        // An error of the host does not affect the engine.
        with_host(|host| host.send.call1(&JsValue::NULL, &text.trim_end_matches('\n').into()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Passes a pending `stop` or `ponderhit` on to the work in progress.
fn poll(control: &Control) {
    let is_pending = |signal: fn(&Host) -> &Function| {
        with_host(|host| signal(host).call0(&JsValue::NULL)).is_some_and(|answer| answer.is_truthy())
    };
    if is_pending(|host| &host.is_stopped) {
        control.stop();
    }
    if control.is_pondering() && is_pending(|host| &host.is_ponder_hit) {
        control.ponderhit();
    }
}

/// Calls the host; `None` if that fails.
fn with_host(call: impl FnOnce(&Host) -> Result<JsValue, JsValue>) -> Option<JsValue> {
    HOST.with_borrow(|host| call(host.as_ref()?).ok())
}
