//! Utilities of long-running commands: [`files`], atomic and exclusive output; [`shard`], work split over
//! several machines; [`elo`], Elo differences from results; [`chart`], line charts; [`settings`], files in
//! TOML; [`text`], text files in any encoding.
//!
//! # Example
//!
//! The games of the third of four machines:
//!
//! ```
//! use labrys_support::shard::{Part, Shard};
//!
//! let shard: Shard = "3/4".parse()?;
//! let part = Part::new(shard, 1000, &"the settings of the match")?;
//! assert_eq!(part.numbers(), 500..750);
//! # Ok::<(), labrys_support::shard::ShardError>(())
//! ```

pub mod chart;
pub mod elo;
pub mod files;
pub mod settings;
pub mod shard;
pub mod text;
