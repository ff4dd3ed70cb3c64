//! Where games begin: opening files, the library that is shipped, random plies.

use tengen_engine::game::Move;

/// A place to begin games from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// A name, or what made it: `line 12`, `library 3`, `random 7`.
    pub name: String,
    /// A position text the moves begin from, when it is not the start of the set-up.
    pub position: Option<String>,
    /// Legal moves from there, after which the game is not over.
    pub moves: Vec<Move>,
}
