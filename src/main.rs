//! The binary: the commands of the library.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    labrys::commands::main(std::env::args_os())
}
