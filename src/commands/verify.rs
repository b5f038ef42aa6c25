//! `labrys verify`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;

use crate::engine::Settings;
use crate::game::counted;
use crate::solver::{self, Verified, header_of};

/// Checks certificates of proofs.
#[derive(Debug, clap::Args)]
pub(super) struct VerifyArguments {
    /// Certificates of one game, written by `solve --proof`; each may depend on those before it
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub(super) fn run(arguments: &VerifyArguments) -> anyhow::Result<()> {
    let first = &arguments.files[0];
    let (header, _) = header_of(first).with_context(|| first.display().to_string())?;
    let engine = solver::engine(&header.variant, &Settings::default())?;
    let (mut out, mut start, mut written) = (io::stdout(), Instant::now(), Ok(()));
    engine.verify(&arguments.files, &mut |verified| {
        if written.is_ok() {
            written = writeln!(out, "{}, {:.2} s", summary(&verified), start.elapsed().as_secs_f64());
        }
        start = Instant::now();
    })?;
    Ok(written?)
}

/// The summary of a checked certificate.
fn summary(Verified { header, checksum }: &Verified) -> String {
    let counts = header.counts;
    let mut means = match counts.counted {
        0 => "verified by the rules alone".to_owned(),
        lines => format!("verified, {} by counting", counted(lines, "line")),
    };
    if counts.assumed > 0 {
        means += &format!(", {} by the certificates before", counted(counts.assumed, "line"));
    }
    let positions = counts.positions();
    format!(
        "{} {} {}: {means}, {}, checksum {checksum:08x}",
        header.value,
        header.variant,
        header.fen,
        counted(positions, "position")
    )
}
