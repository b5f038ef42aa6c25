//! Matches, game records, and all kinds of players.

mod commands;
mod compliance;
mod game_loop;
mod lobby;
mod match_output;
#[cfg(unix)]
mod peers;
#[cfg(unix)]
mod ponder;
mod records;
mod referee;
mod shards;
mod tuc;
mod tuc_match;
#[cfg(unix)]
mod xboard;

#[path = "../common/mod.rs"]
mod common;
