//! Engine-against-engine matches.
//!
//! The modules in dependency order, lowest first:
//!
//! * [`statistics`]: Elo, likelihood of superiority, sequential tests.
//! * [`opening`]: where games begin: files, the library that is shipped, random plies.
//! * [`record`]: one finished game, a line of `games.jsonl`.
//! * [`report`]: what a list of finished games comes to: `result.json`, the crosstable, the page.

pub mod opening;
pub mod record;
pub mod report;
pub mod statistics;
