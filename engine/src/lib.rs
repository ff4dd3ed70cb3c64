//! Tengen: an engine for NoGo, Gomoku/Renju, Othello and Amazons.
//!
//! The modules in dependency order, lowest first; each uses only those above it in this list:
//!
//! * [`game`]: the contract of a game, notation, random numbers and hash keys.
//! * [`games`]: the rules and the knowledge of the four games, and the referee.
//! * [`search`]: Monte Carlo tree search, alpha-beta, tables, limits and clock; knows no game.

pub mod game;
pub mod games;
pub mod search;
