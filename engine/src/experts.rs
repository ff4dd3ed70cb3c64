//! Searchers written for one game, where a general one leaves too much on the table.
//!
//! * [`gomoku`]: a solver of continuous fours.
//! * [`othello`]: midgame search and endgame solver of 8x8.

pub mod gomoku;
pub mod othello;
