//! Puts the page that needs no server together, or the npm package: makes a module of its WebAssembly, as the
//! command line of `wasm-bindgen` does (as a package of this workspace, so that the versions agree), and lays
//! the other files beside it.
//!
//! `labrys-page-bind page|npm FILE.wasm FOLDER`; the files of the page are those of `crates/web`, and where
//! both have one of a name, that of `page/assets`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use wasm_bindgen_cli_support::Bindgen;

/// Where the files of the page are, from the folder of this package.
const PAGE: [&str; 2] = ["../../crates/web/src/page", "../assets"];

/// Where those of the npm package are, and the licences that belong to it.
const NPM: &str = "../../npm/assets";
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// The file that keeps the others for when there is no network, and has to know them.
const SERVICE_WORKER: &str = "service-worker.js";

fn main() -> anyhow::Result<()> {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let [what, input, folder] = &words[..] else {
        bail!("usage: labrys-page-bind page|npm FILE.wasm FOLDER")
    };
    let complete = match what.to_str() {
        Some("page") => complete_page,
        Some("npm") => complete_package,
        _ => bail!("{}: expected `page` or `npm`", what.display()),
    };
    let folder = Path::new(folder);
    // What an earlier version has left would be kept by browsers, too.
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    Bindgen::new().input_path(input).web(true)?.typescript(true).out_name("labrys").generate(folder)?;
    complete(folder)
}

/// The folder of a source.
fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Adds the other files of the npm package.
fn complete_package(folder: &Path) -> anyhow::Result<()> {
    copy(&source(NPM), folder)?;
    for name in LICENCES {
        fs::copy(source("../..").join(name), folder.join(name)).context(name)?;
    }
    let path = folder.join("package.json");
    let package = fs::read_to_string(&path)?.replace("VERSION", env!("CARGO_PKG_VERSION"));
    fs::write(path, package)?;
    // Those of the module inside: the package has its own.
    for name in ["labrys.d.ts", "labrys_bg.wasm.d.ts"] {
        fs::remove_file(folder.join(name)).context(name)?;
    }
    Ok(())
}

/// Adds the other files of the page.
fn complete_page(folder: &Path) -> anyhow::Result<()> {
    for folder_of_page in PAGE {
        copy(&source(folder_of_page), folder)?;
    }
    let files = contents(folder)?;
    let worker = files.get(SERVICE_WORKER).context("there is no service worker")?;
    let worker = String::from_utf8(worker.clone())?;
    let kept = files.keys().filter(|name| *name != SERVICE_WORKER && !name.ends_with(".d.ts"));
    // The folder itself is its first page.
    let kept: Vec<_> = kept.map(String::as_str).chain(["./"]).collect();
    let worker = worker.replace("VERSION", &version(&files)).replace("FILES", &format!("{kept:?}"));
    fs::write(folder.join(SERVICE_WORKER), worker)?;
    Ok(())
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))
            .with_context(|| entry.path().display().to_string())?;
    }
    Ok(())
}

/// The files of a folder by name, with what is in them.
fn contents(folder: &Path) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let files = fs::read_dir(folder)?.map(|entry| {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, fs::read(&path)?))
    });
    files.collect()
}

/// What tells these files from those of another build.
fn version(files: &BTreeMap<String, Vec<u8>>) -> String {
    let mut sum = crc32fast::Hasher::new();
    for (name, content) in files {
        sum.update(name.as_bytes());
        sum.update(content);
    }
    format!("{:08x}", sum.finalize())
}
