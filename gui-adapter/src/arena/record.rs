//! One finished game, as a line of `games.jsonl`.

use serde::{Deserialize, Serialize};
use tengen_engine::game::{Color, Outcome};

/// A finished game. Moves are in the game's own notation (`protocol.md`), passes included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// Number in the schedule, from 1.
    pub game: u32,
    /// Number of the pair in the schedule, from 1: the games of a pair have the same two engines and the
    /// same opening, with the colours swapped.
    pub pair: u32,
    /// The set-up, as the arguments of `newgame`.
    pub setup: String,
    /// Name of the engine with Black.
    pub black: String,
    /// Name of the engine with White.
    pub white: String,
    /// Where the game began.
    pub opening: Started,
    /// The moves after the opening.
    pub moves: Vec<String>,
    /// `black`, `white` or `draw`.
    pub result: Verdict,
    /// The result in the game's own unit: `black+12`, `white+1`, `draw`.
    pub score: String,
    /// What ended the game.
    pub end: End,
    /// In words: `five in a row`, `illegal move "z9": not on the board`.
    pub reason: String,
    /// The side whose fault ended the game, if one's did (see [`End::is_forfeit`]).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub forfeit: Option<Side>,
    /// Seconds each of `moves` took, by the clock in force.
    pub times: Vec<f64>,
    /// The mover's winning chance (0 to 1) as the engine claimed it with each of `moves`, where it did.
    pub chances: Vec<Option<f32>>,
    /// Median of the seconds between one engine's answer and the start of the other's time: the runner, the
    /// pipes, and the engines' answers to what is not counted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub overhead: Option<f64>,
    /// Seconds since 1970 at the start of the game.
    pub started: u64,
    /// Seconds of wall time the game took.
    pub duration: f64,
}

/// Where a game began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// A name, or what made it: `line 12`, `library 3`, `random 7`.
    pub name: String,
    /// The position the moves begin from, when it is not the start of the set-up.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub position: Option<String>,
    /// The moves of the opening.
    pub moves: Vec<String>,
}

/// A side in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Black.
    Black,
    /// White.
    White,
}

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Black won.
    Black,
    /// White won.
    White,
    /// Nobody won.
    Draw,
}

/// What kind of end a game had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// By the rules of the game.
    Rules,
    /// One engine resigned.
    Resignation,
    /// By adjudication: both engines agreed on the result, the game was too long, or the solver knew.
    Adjudication,
    /// The limit was exceeded.
    Time,
    /// A move that is not legal.
    Illegal,
    /// A claim that contradicts the rules: a game over that is not, a pass with moves to play.
    Claim,
    /// An answer that cannot be read.
    Garbage,
    /// No answer at all.
    Hang,
    /// The engine ended or closed its output.
    Crash,
    /// The engine could not be started or refused the game.
    Start,
}

impl End {
    /// Whether an engine lost by its own fault rather than by play.
    #[must_use]
    pub fn is_forfeit(self) -> bool {
        !matches!(self, End::Rules | End::Resignation | End::Adjudication)
    }
}

impl From<Color> for Side {
    fn from(color: Color) -> Side {
        match color {
            Color::Black => Side::Black,
            Color::White => Side::White,
        }
    }
}

impl From<Outcome> for Verdict {
    fn from(outcome: Outcome) -> Verdict {
        match outcome {
            Outcome::Win(Color::Black) => Verdict::Black,
            Outcome::Win(Color::White) => Verdict::White,
            Outcome::Draw => Verdict::Draw,
        }
    }
}

impl Finished {
    /// The points of an engine that played with `side`: 1, 0.5 or 0.
    #[must_use]
    pub fn points(&self, side: Side) -> f64 {
        match (self.result, side) {
            (Verdict::Draw, _) => 0.5,
            (Verdict::Black, Side::Black) | (Verdict::White, Side::White) => 1.0,
            _ => 0.0,
        }
    }
}
