//! Puts the evaluation net of chess into the library.

use std::env;
use std::fs;
use std::path::PathBuf;

/// The net of chess unless the variable `EVALFILE` names another one.
const NET: &str = "nets/eval/chess.safetensors";

/// Names the file of the net to the compiler. A wrong file is an error here, not in the first game.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=EVALFILE");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let path = env::var_os("EVALFILE").filter(|path| !path.is_empty()).unwrap_or_else(|| NET.into());
    // A relative path is relative to the folder of the workspace; `join` keeps an absolute one.
    let path = here.join("../..").join(path);
    println!("cargo::rerun-if-changed={}", path.display());
    let is_net = |bytes: Vec<u8>| {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
        text.contains("labrys-nnue") && text.contains(r#"\"game\":\"chess\""#)
    };
    match fs::read(&path).map(is_net) {
        Ok(true) => println!("cargo::rustc-env=LABRYS_EVALFILE={}", path.display()),
        Ok(false) => println!("cargo::error=EVALFILE {}: not an evaluation net of chess", path.display()),
        Err(error) => println!("cargo::error=EVALFILE {}: {error}", path.display()),
    }
}
