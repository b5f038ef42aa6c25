//! Labrys with a fifth game: all commands of `labrys`, for Breakthrough, too.
//!
//! `printf 'setoption name UCI_Variant value breakthrough\nposition startpos\ngo depth 8\nwait\n' |
//! cargo run --release --example breakthrough` searches; `cargo run --release --example breakthrough -- match
//! --variant breakthrough …` plays matches, `-- solve`, `-- train` and the others go on likewise. `docs/add-a-game.md`
//! says how such a game is written.

mod game;

use std::process::ExitCode;

use game::Breakthrough;
use labrys::commands;

fn main() -> ExitCode {
    commands::add_game::<Breakthrough>();
    commands::main(std::env::args_os())
}
