//! Searchers written for one game, where a general one leaves too much on the table.
//!
//! * [`othello`]: midgame search and endgame solver of 8x8.

pub mod othello;
