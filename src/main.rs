//! The binary: reads the command line and starts the command.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use labrys::{commands, processor};

fn main() -> ExitCode {
    if let Some(feature) = processor::missing_feature() {
        eprintln!("labrys: built for a processor with {feature}, which this one lacks: take another build");
        return ExitCode::FAILURE;
    }
    env_logger::init();
    match commands::run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("labrys: {error:#}");
            ExitCode::FAILURE
        }
    }
}
