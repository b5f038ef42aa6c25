//! The binary: reads the command line and starts the command.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;
use labrys::commands;

fn main() -> ExitCode {
    env_logger::init();
    match commands::run(commands::Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("labrys: {error:#}");
            ExitCode::FAILURE
        }
    }
}
