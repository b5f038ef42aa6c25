//! The UCI engine as WebAssembly: `make npm` builds the package `labrys-engine` around it. `assets/` has its
//! JavaScript.

#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::io::{self, Write};

use js_sys::Function;
use labrys_core::search::Control;
use labrys_protocol::UciEngine;
use wasm_bindgen::prelude::*;

/// How the engine talks to who has made it.
struct Host {
    /// Gets what the engine writes, whole lines each time.
    say: Function,
    /// Whether a `stop` is on its way.
    is_stopped: Function,
    /// Whether a `ponderhit` is on its way.
    is_ponder_hit: Function,
}

thread_local! {
    /// The one of the last engine. Functions of JavaScript cannot be sent between threads as an output can.
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

/// The engine, which reads lines of UCI.
#[wasm_bindgen]
pub struct Uci(UciEngine);

#[wasm_bindgen]
impl Uci {
    /// An engine; there can be only one. It calls `say` with lines of its output, and while it works, it asks
    /// `is_stopped` and `is_ponder_hit` whether such a line is on its way.
    #[wasm_bindgen(constructor)]
    pub fn new(say: Function, is_stopped: Function, is_ponder_hit: Function) -> Result<Uci, JsError> {
        HOST.set(Some(Host { say, is_stopped, is_ponder_hit }));
        Ok(Uci(UciEngine::new(Output, poll)?))
    }

    /// Executes lines, and returns whether there may be more: not after `quit`.
    pub fn execute(&mut self, lines: &str) -> Result<bool, JsError> {
        Ok(self.0.execute(lines)?)
    }
}

/// What the engine writes to. It gets each line as a whole.
struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        // What becomes of the line is not the engine's business.
        with_host(|host| host.say.call1(&JsValue::NULL, &text.trim_end_matches('\n').into()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Hears what work has to hear of.
fn poll(control: &Control) {
    let hears = |ask: fn(&Host) -> &Function| {
        with_host(|host| ask(host).call0(&JsValue::NULL)).is_some_and(|answer| answer.is_truthy())
    };
    if hears(|host| &host.is_stopped) {
        control.stop();
    }
    if control.is_pondering() && hears(|host| &host.is_ponder_hit) {
        control.ponderhit();
    }
}

/// What the host answers; `None` where it fails.
fn with_host(ask: impl FnOnce(&Host) -> Result<JsValue, JsValue>) -> Option<JsValue> {
    HOST.with_borrow(|host| ask(host.as_ref()?).ok())
}
