//! Embeds the evaluation net of chess, and sets the `cfg`s of the features that the target supports.

use std::env;
use std::fs;
use std::path::PathBuf;

/// The net of chess unless the variable `EVALFILE` names another one.
const NET: &str = "nets/eval/chess.safetensors";

/// Features that need an operating system. In a browser they are off, although they are on by default.
const PLATFORM_FEATURES: [&str; 3] = ["mmap", "tables", "threads"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    set_platform_cfgs();
    set_net_path();
}

/// Sets `has_mmap`, `has_tables` and `has_threads` for the enabled features that the target supports, and
/// `has_workers` instead of the last one in a browser whose workers can share memory.
fn set_platform_cfgs() {
    let target_has = |variable: &str, name: &str| {
        env::var(format!("CARGO_CFG_TARGET_{variable}")).unwrap_or_default().split(',').any(|own| own == name)
    };
    let is_browser = target_has("FAMILY", "wasm");
    for feature in PLATFORM_FEATURES {
        println!("cargo::rustc-check-cfg=cfg(has_{feature})");
        let is_asked_for = env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase())).is_some();
        if is_asked_for && !is_browser {
            println!("cargo::rustc-cfg=has_{feature}");
        }
    }
    println!("cargo::rustc-check-cfg=cfg(has_workers)");
    println!("cargo::rustc-check-cfg=cfg(loom)");
    if is_browser && target_has("FEATURE", "atomics") && env::var_os("CARGO_FEATURE_THREADS").is_some() {
        println!("cargo::rustc-cfg=has_workers");
    }
}

/// Passes the path of the net to the compiler. A missing file is an error here, not in the first game.
fn set_net_path() {
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
