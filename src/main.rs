//! The binary: reads the command line and starts the command.

#![forbid(unsafe_code)]

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use labrys::{commands, processor};

fn main() -> ExitCode {
    if let Some(feature) = processor::missing_feature() {
        return fail(format_args!(
            "built for a processor with {feature}, which this one lacks: take another build"
        ));
    }
    env_logger::init();
    match commands::run(std::env::args_os()) {
        // Whoever has read enough is no error.
        Err(error) if !commands::is_closed_pipe(&error) => {
            fail(format_args!("{}", commands::in_words(&error)))
        }
        _ => ExitCode::SUCCESS,
    }
}

fn fail(reason: fmt::Arguments) -> ExitCode {
    // `eprintln!` would panic where nobody reads any more.
    _ = writeln!(io::stderr(), "labrys: {reason}");
    ExitCode::FAILURE
}
