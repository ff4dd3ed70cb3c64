//! The Tengen adapter: attaches the engine to the GUIs, match runners and servers people already have.
//!
//! The modules in dependency order, lowest first; each uses only those above it in this list:
//!
//! * [`records`]: game records in the formats of other programs.
//! * [`client`]: a daemon, started or connected to, watched, restarted and brought back to the position.
//! * [`bridge`]: the one loop that runs any front between a GUI and a daemon.
//! * [`fronts`]: the protocols, each a pure state machine.
//! * [`arena`]: engine-against-engine matches.
//! * [`localai`]: the site Botzone over HTTP, many matches at once.
//! * [`terminal`]: a game in the terminal.
//! * [`cli`]: the command line.

pub mod arena;
pub mod attach;
pub mod bridge;
pub mod cli;
pub mod client;
pub mod config;
pub mod fronts;
pub mod localai;
pub mod records;
pub mod terminal;
