//! The binary: reads the command line and starts the command.

#![forbid(unsafe_code)]

use clap::Parser;
use labrys::commands;

fn main() -> anyhow::Result<()> {
    env_logger::init();
    commands::run(commands::Arguments::parse())
}
