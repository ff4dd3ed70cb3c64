//! The rules of the four games, held against slow second implementations and against the counts and
//! verdicts of independent programs (`tests/vectors`).

mod amazons;
mod gomoku;
mod laws;
mod nogo;
mod othello;
