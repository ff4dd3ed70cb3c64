//! The dialects: one module for each protocol that GUIs, match runners and servers speak.

// What a client sends must not end the process.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod auto;
pub mod botzone;
mod clocks;
mod desk;
pub mod gomocup;
pub mod gtp;
pub mod json;
pub mod nboard;
mod queue;
#[cfg(test)]
mod transcripts;
pub mod uci;
