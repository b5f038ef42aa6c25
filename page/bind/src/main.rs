//! Assembles the page that needs no server, or the npm package: runs `wasm-bindgen` on the WebAssembly (as a
//! package of this workspace, so that the versions agree) and copies the other files beside its output.
//!
//! `labrys-page-bind page|npm FILE.wasm FOLDER`; the page consists of the files of `crates/web` and of
//! `page/assets`, which takes precedence.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use wasm_bindgen_cli_support::Bindgen;
use wasmparser::{Imports, Parser, Payload, TypeRef};

/// The folders with the files of the page, relative to this package; later ones take precedence.
const PAGE: [&str; 2] = ["../../crates/web/src/page", "../assets"];

/// The folder with the files of the npm package.
const NPM: &str = "../../npm/assets";

/// The licences to include in the npm package.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// The script that caches the other files for offline use, and so needs their names.
const SERVICE_WORKER: &str = "service-worker.js";

/// The script that loads the program, and so needs to know its memory.
const PROGRAM: &str = "program.js";

/// The flags in a WebAssembly file of a memory that is shared and has a maximum.
const SHARED_WITH_MAXIMUM: u8 = 3;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [target, input, folder] = &arguments[..] else {
        bail!("usage: labrys-page-bind page|npm FILE.wasm FOLDER")
    };
    let complete = match target.to_str() {
        Some("page") => complete_page,
        Some("npm") => complete_package,
        _ => bail!("{}: expected `page` or `npm`", target.display()),
    };
    let folder = Path::new(folder);
    // Browsers would also cache files left over from an earlier version.
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    Bindgen::new().input_path(input).web(true)?.typescript(true).out_name("labrys").generate(folder)?;
    complete(folder)
}

/// A path relative to this package.
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
    // The package has its own type declarations.
    for name in ["labrys.d.ts", "labrys_bg.wasm.d.ts"] {
        fs::remove_file(folder.join(name)).context(name)?;
    }
    Ok(())
}

/// Adds the other files of the page.
fn complete_page(folder: &Path) -> anyhow::Result<()> {
    for source_folder in PAGE {
        copy(&source(source_folder), folder)?;
    }
    let path = folder.join(PROGRAM);
    let memory = shared_memory(&fs::read(folder.join("labrys_bg.wasm"))?)?;
    let program = fs::read_to_string(&path)?.replace("SHARED_MEMORY", memory.as_deref().unwrap_or("null"));
    fs::write(path, program)?;
    let files = contents(folder)?;
    let worker = files.get(SERVICE_WORKER).context("there is no service worker")?;
    let worker = String::from_utf8(worker.clone())?;
    let cached = files.keys().filter(|name| *name != SERVICE_WORKER && !name.ends_with(".d.ts"));
    // The URL of the folder itself serves `index.html`.
    let cached: Vec<_> = cached.map(String::as_str).chain(["./"]).collect();
    let worker = worker.replace("VERSION", &version(&files)).replace("FILES", &format!("{cached:?}"));
    fs::write(folder.join(SERVICE_WORKER), worker)?;
    Ok(())
}

/// The shared memory that a program with threads imports, in JavaScript: its sizes in pages, and the position
/// of its flags.
fn shared_memory(program: &[u8]) -> anyhow::Result<Option<String>> {
    for payload in Parser::new(0).parse_all(program) {
        let Payload::ImportSection(imports) = payload? else { continue };
        for import in imports {
            let Imports::Single(position, import) = import? else { continue };
            let TypeRef::Memory(memory) = import.ty else { continue };
            // Both names with their lengths, each of one byte, and the kind of the import.
            let flags = position + 1 + import.module.len() + 1 + import.name.len() + 1;
            if program.get(flags) != Some(&SHARED_WITH_MAXIMUM) {
                bail!("the memory that the program imports has other flags than expected");
            }
            let maximum = memory.maximum.context("the memory has no maximum")?;
            return Ok(Some(format!(
                "{{ initial: {}, maximum: {maximum}, flags: {flags} }}",
                memory.initial
            )));
        }
    }
    Ok(None)
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

/// The contents of the files of a folder, by name.
fn contents(folder: &Path) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let files = fs::read_dir(folder)?.map(|entry| {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, fs::read(&path)?))
    });
    files.collect()
}

/// A checksum that distinguishes these files from those of another build.
fn version(files: &BTreeMap<String, Vec<u8>>) -> String {
    let mut checksum = crc32fast::Hasher::new();
    for (name, content) in files {
        checksum.update(name.as_bytes());
        checksum.update(content);
    }
    format!("{:08x}", checksum.finalize())
}
