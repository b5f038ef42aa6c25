//! The binary: reads the command line and starts the command.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use labrys::commands;

fn main() -> ExitCode {
    env_logger::init();
    match commands::run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("labrys: {error:#}");
            ExitCode::FAILURE
        }
    }
}
