//! The dialects: one module for each protocol that GUIs, match runners and servers speak.

pub mod auto;
mod clocks;
mod desk;
pub mod gtp;
pub mod json;
mod queue;
#[cfg(test)]
mod transcripts;
