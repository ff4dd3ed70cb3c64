//! Engine-against-engine matches.
//!
//! The modules in dependency order, lowest first:
//!
//! * [`statistics`]: Elo, likelihood of superiority, sequential tests.
//! * [`opening`]: where games begin: files, the library that is shipped, random plies.
//! * [`record`]: one finished game, a line of `games.jsonl`.
//! * [`schedule`]: which games a tournament has, and shares of them.
//! * [`limit`]: how much an engine may think, and the runner's clocks.
//! * [`spec`]: an engine as the user describes it.
//! * `leash`: no engine outlives its runner.
//! * `process`: an engine's process.
//! * `drivers`: the runner's side of each protocol.
//! * `player`: an engine that is started, asked under the clock, and started again after a fault.
//! * `adjudication`: games that are ended before their end.
//! * `game`: one game, from the opening to the result.
//! * [`report`]: what a list of finished games comes to: `result.json`, the crosstable, the page.
//! * [`journal`]: the folder of a match.
//! * `outcome`: the files that are made from the journal.
//! * `merge`: the shares of a match, joined.
//! * [`args`]: the command line.
//! * `run`: the match.

mod adjudication;
pub mod args;
mod drivers;
mod game;
pub mod journal;
mod leash;
pub mod limit;
mod merge;
pub mod opening;
mod outcome;
mod player;
mod process;
pub mod record;
pub mod report;
mod run;
pub mod schedule;
pub mod spec;
pub mod statistics;

pub use run::run;
