//! Tengen: an engine for NoGo, Gomoku/Renju, Othello and Amazons.
//!
//! The modules in dependency order, lowest first; each uses only those above it in this list:
//!
//! * [`game`]: the contract of a game, notation, random numbers and hash keys.
//! * [`games`]: the rules and the knowledge of the four games, and the referee.
//! * [`search`]: Monte Carlo tree search, alpha-beta, tables, limits and clock; knows no game.
//! * [`experts`]: searchers written for one game.
//! * [`options`]: the one table of options.
//! * [`player`]: a game record bound to its searchers.
//! * [`protocol`]: commands, replies and info lines; parse and print only.
//! * [`session`]: one client's game: history, clock, options, pondering, tree reuse.
//! * [`server`]: stdio, TCP and Unix sockets; one conductor and one session a connection.
//! * [`mod@bench`] and [`cli`]: the signature, and the command line of the daemon.

pub mod bench;
pub mod cli;
pub mod experts;
pub mod game;
pub mod games;
pub mod options;
pub mod player;
pub mod protocol;
pub mod search;
pub mod server;
pub mod session;
