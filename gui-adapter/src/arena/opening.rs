//! Where games begin: opening files, the library that is shipped, random plies.
//!
//! [`read`] takes the formats of every community, a line or a game for each opening:
//!
//! | format | example | where it comes from |
//! |---|---|---|
//! | moves | `d4 e5 f6`, `d4, e5, f6`, `d1-d7-g7 a7-a8-b9` | `protocol.md` |
//! | transcript | `f5d6c3d3c4`, `h8i9j10` | XOT, c-gomoku-cli's `pos` |
//! | offsets | `8,-9, 7,-6, 6,-5` | Gomocup, c-gomoku-cli's `offset` (Gomoku) |
//! | position | `.../.X./O.. b`, then `moves a3 b1` if there are some | `protocol.md` |
//! | FEN | `8/8/8/3pP3/3Pp3/8/8/8 w - - 0 1`, then `moves P@d3` | Fairy-Stockfish (Othello, Amazons) |
//! | GGF | `(;GM[Othello]...;)` | GGS |
//! | SGF | `(;GM[4]SZ[15];B[hh])`, the main line of each game | most Gomoku and Go programs |
//!
//! Blank lines and lines that begin with `#` are passed over. Behind moves or a position, `; VALUE NODES`
//! says what a search found: the winning chance, 0 to 1, of the side to move. `# setup: nogo size 9` says
//! which board a file is for.
//!
//! Gomocup counts rows from the top of the board. As everywhere in the adapter its row 0 is our row 1, so
//! that the boards of the two programs are mirror images and the names of points the same.

// What a file holds must not end the process.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod library;
mod lines;
mod records;
pub mod symmetry;
#[cfg(test)]
mod tests;

use std::io::Read as _;
use std::path::Path;

use tengen_engine::game::{Move, random as numbers};
use tengen_engine::games::{self, Referee, Setup, SetupError};

pub use library::library;

/// The longest opening file that is read, in bytes.
pub const LONGEST: usize = 16 << 20;
/// How often [`random`] begins again after a game that ended.
const ATTEMPTS: u64 = 100;

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

/// Why an opening file was refused.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Read {
        /// The file.
        file: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// Longer than [`LONGEST`].
    #[error("{file}: longer than {} MiB", LONGEST >> 20)]
    TooLong {
        /// The file.
        file: String,
    },
    /// Nothing but comments and blank lines.
    #[error("{file}: no opening in it")]
    Empty {
        /// The file.
        file: String,
    },
    /// One opening cannot be read or played.
    #[error("{file}: line {line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong there, in one line.
        problem: String,
    },
    /// The set-up itself is refused.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Opening {
    /// The opening that leads to where a game is.
    ///
    /// # Errors
    /// When that game is over.
    pub fn of(name: String, referee: &dyn Referee) -> Result<Opening, String> {
        if let Some(ending) = referee.ending() {
            return Err(format!("the game is over at the end of the opening: {ending}"));
        }
        let moves = referee.history().into_iter().map(|(_, mv)| mv).collect();
        Ok(Opening { name, position: referee.start_text(), moves })
    }

    /// A game of the set-up with the opening played.
    ///
    /// # Errors
    /// What is wrong with the set-up, the position or a move, or that the game is over.
    pub fn referee(&self, setup: &Setup) -> Result<Box<dyn Referee>, String> {
        let mut referee = games::referee(setup.clone()).map_err(|error| error.to_string())?;
        if let Some(position) = &self.position {
            referee.set_position(position).map_err(|error| format!("bad position: {error}"))?;
        }
        for (index, &mv) in self.moves.iter().enumerate() {
            referee.play(None, mv).map_err(|reason| format!("move {}: {reason}", index + 1))?;
        }
        match referee.ending() {
            Some(ending) => Err(format!("the game is over at the end of the opening: {ending}")),
            None => Ok(referee),
        }
    }
}

/// Reads an opening file for a set-up.
///
/// # Errors
/// [`OpeningError`] with the first problem: nothing is left out silently.
pub fn read(path: &Path, setup: &Setup) -> Result<Vec<Opening>, OpeningError> {
    let file = path.display().to_string();
    let mut bytes = Vec::new();
    let limit = u64::try_from(LONGEST).unwrap_or(u64::MAX).saturating_add(1);
    std::fs::File::open(path)
        .and_then(|opened| opened.take(limit).read_to_end(&mut bytes))
        .map_err(|source| OpeningError::Read { file: file.clone(), source })?;
    if bytes.len() > LONGEST {
        return Err(OpeningError::TooLong { file });
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        let line = 1 + before.filter(|&&byte| byte == b'\n').count();
        OpeningError::Line { file: file.clone(), line, problem: "not UTF-8 text".to_owned() }
    })?;
    parse(&file, &text, setup)
}

/// Reads the text of an opening file of that name. The formats are told apart by their content, and SGF
/// by the name too.
///
/// # Errors
/// As [`read`], but for those of reading.
pub fn parse(name: &str, text: &str, setup: &Setup) -> Result<Vec<Opening>, OpeningError> {
    if text.len() > LONGEST {
        return Err(OpeningError::TooLong { file: name.to_owned() });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A set-up that is refused is no fault of the first line.
    games::referee(setup.clone())?;
    let openings =
        if records::is_sgf(name, text) { records::games(text, setup) } else { lines::all(text, setup) };
    match openings {
        Ok(openings) if openings.is_empty() => Err(OpeningError::Empty { file: name.to_owned() }),
        Ok(openings) => Ok(openings),
        Err((line, problem)) => {
            let problem = problem.chars().take(300).collect();
            Err(OpeningError::Line { file: name.to_owned(), line, problem })
        }
    }
}

/// `plies` random legal moves that do not end the game; the same for the same seed on every machine.
///
/// # Errors
/// When the set-up is refused, and when games of that length hardly ever go on.
pub fn random(setup: &Setup, plies: u32, seed: u64) -> Result<Opening, String> {
    let mut referee = games::referee(setup.clone()).map_err(|error| error.to_string())?;
    for attempt in 0..ATTEMPTS {
        referee.reset();
        let mut rng = numbers::rng(numbers::mix(seed).wrapping_add(attempt));
        for _ in 0..plies {
            let moves = referee.legal_moves(None).unwrap_or_default();
            let choices = u32::try_from(moves.len()).unwrap_or(u32::MAX).max(1);
            let Some(&mv) = moves.get(numbers::below(&mut rng, choices) as usize) else { break };
            referee.play(None, mv).map_err(|reason| reason.to_string())?;
        }
        if referee.ending().is_none() {
            return Opening::of(format!("random {seed}"), &*referee);
        }
    }
    Err(format!("no random opening of {plies} plies leaves a game of {setup} to be played"))
}

/// The first `count` openings in an order drawn by the seed, the same on every machine. When there are
/// fewer, the order is gone through again.
#[must_use]
pub fn draw(openings: &[Opening], count: usize, seed: u64) -> Vec<Opening> {
    let mut order: Vec<&Opening> = openings.iter().collect();
    let mut rng = numbers::rng(numbers::mix(seed));
    // Fisher and Yates, from the end.
    for last in (1..order.len()).rev() {
        let bound = u32::try_from(last + 1).unwrap_or(u32::MAX);
        order.swap(last, numbers::below(&mut rng, bound) as usize);
    }
    order.into_iter().cycle().take(count).cloned().collect()
}
