//! GGF, the "generic game format" of NBoard, GGS, Edax and other Othello programs, and of Amazons
//! on GGS: `(;GM[Othello]PB[name]PW[name]RE[?]TI[15:00]TY[8]BO[8 ---... *]B[F5/0.5/1.2]W[F6];)`.
//!
//! `*` is Black, `O` White, `-` empty. Black moves first in both games, so that its colours are ours in
//! Othello and the other way round in Amazons. Othello's board is written from the top row on, the one
//! of Amazons from row 1 on, which we draw at the bottom: by the numbers of the rows it is the same.

use std::fmt::Write;
use std::time::Duration;

use tengen_engine::game::{Cell, Color, Outcome, Point};
use tengen_engine::games::{self, GameId, Referee, Setup, SetupError};
use tengen_engine::search::clock;

/// The longest text [`load`] accepts, in bytes.
pub const LONGEST: usize = 1 << 20;
/// The most moves; the longest games on the largest boards have a fifth of it.
const MOST_MOVES: usize = 1000;

/// Why a text is no record of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GgfError {
    /// Longer than [`LONGEST`] bytes, or with more moves than any game has.
    #[error("the record is too long")]
    TooLong,
    /// Nowhere a `(;`, or no `;)` behind it.
    #[error("not a GGF record: expected (;TAG[value]...;)")]
    Syntax,
    /// `GM` names another game.
    #[error("GM[{0}] is none of Othello and Amazons")]
    Game(String),
    /// `TY` names a kind of the game that Tengen does not play.
    #[error("TY[{0}] is not played here")]
    Kind(String),
    /// The game has no such board.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The board does not fit its size, or no game can reach it.
    #[error("bad board: {0}")]
    Board(String),
    /// A move that cannot be read or played.
    #[error("move {number} ({text}): {reason}")]
    Move {
        /// The move's number, from 1.
        number: usize,
        /// Its text in the record, escaped.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// The clock of a record, `TI[main/increment/extension]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// For the whole game.
    pub main: Duration,
    /// Added for each move.
    pub increment: Duration,
}

/// What stands behind a move: `F5/0.5/1.2`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Note {
    /// The mover's evaluation, in discs.
    pub eval: Option<f64>,
    /// The time the move took.
    pub time: Option<Duration>,
}

/// A record that was read.
#[derive(Debug)]
pub struct Loaded {
    /// The game, at its end.
    pub referee: Box<dyn Referee>,
    /// The clock, if the record has one.
    pub clock: Option<Clock>,
    /// What both sides have spent by the times of their moves, Black's first, in our colours.
    pub spent: [Duration; 2],
}

/// Reads the first game of a text and plays its moves. Tags it does not know are skipped.
///
/// # Errors
/// [`GgfError`] with the first problem.
pub fn load(text: &str) -> Result<Loaded, GgfError> {
    if text.len() > LONGEST {
        return Err(GgfError::TooLong);
    }
    let tags = tags(text)?;
    let value = |name: &str| tags.iter().find(|(tag, _)| *tag == name).map(|(_, value)| *value);
    let game = match value("GM") {
        None => GameId::Othello,
        Some(name) if name.eq_ignore_ascii_case("othello") => GameId::Othello,
        Some(name) if name.eq_ignore_ascii_case("amazons") => GameId::Amazons,
        Some(other) => return Err(GgfError::Game(shown(other))),
    };
    let board = value("BO").map(Board::read).transpose()?;
    let mut setup = Setup::new(game);
    let kind = value("TY").unwrap_or_default();
    // On GGS an "a" is anti-Othello.
    if kind.contains('a') {
        return Err(GgfError::Kind(shown(kind)));
    }
    let digits = kind.trim_start_matches(|c: char| !c.is_ascii_digit());
    let side = digits.split(|c: char| !c.is_ascii_digit()).next().and_then(|side| side.parse().ok());
    if let Some(side) = board.as_ref().map(|board| board.side).or(side) {
        setup.set_sides(side, side)?;
    }
    let mut referee = games::referee(setup)?;
    if let Some(board) = board {
        let text = board.position_text(&*referee);
        referee.set_position(&text).map_err(|error| GgfError::Board(error.to_string()))?;
    }
    let mut spent = [Duration::ZERO; 2];
    let moves = tags.iter().filter_map(|(tag, value)| match *tag {
        "B" => Some((Color::Black, *value)),
        "W" => Some((Color::White, *value)),
        _ => None,
    });
    for (number, (color, text)) in moves.enumerate() {
        if number == MOST_MOVES {
            return Err(GgfError::TooLong);
        }
        let color = ours(game, color);
        let note = play(&mut *referee, Some(color), text).map_err(|reason| GgfError::Move {
            number: number + 1,
            text: shown(text),
            reason,
        })?;
        let [black, white] = &mut spent;
        *(if color == Color::Black { black } else { white }) += note.time.unwrap_or_default();
    }
    Ok(Loaded { referee, clock: value("TI").and_then(read_clock), spent })
}

/// Plays `MOVE[/EVAL[/TIME]]`, with `PA` for a pass.
///
/// # Errors
/// Why the move cannot be read or played; nothing is changed then.
pub fn play(referee: &mut dyn Referee, color: Option<Color>, text: &str) -> Result<Note, String> {
    let mut parts = text.split('/').map(str::trim);
    let mv = parts.next().unwrap_or_default();
    let note =
        Note { eval: parts.next().and_then(|eval| eval.parse().ok()), time: parts.next().and_then(seconds) };
    let is_pass = mv.eq_ignore_ascii_case("pa") || mv.eq_ignore_ascii_case("pass");
    let mv = referee.parse_move(if is_pass { "pass" } else { mv }).map_err(|error| error.to_string())?;
    referee.play(color, mv).map_err(|error| format!("illegal move: {error}"))?;
    Ok(note)
}

/// The record of a game, on one line: `tags` (such as `PB` and `PW`, and `RE` in place of the referee's
/// result) behind the name of the game, and for each move what `notes` says, as far as it goes. `None` for
/// games that the format does not have.
#[must_use]
pub fn print(referee: &dyn Referee, tags: &[(&str, &str)], notes: &[Note]) -> Option<String> {
    let setup = referee.setup();
    let game = setup.game;
    if !matches!(game, GameId::Othello | GameId::Amazons) || !setup.choices.is_empty() {
        return None;
    }
    let mut text = format!("(;GM[{}]", game.description().title.trim_start_matches("The Game of the "));
    for (tag, value) in tags {
        let value: String = value.chars().filter(|c| !c.is_control() && *c != ']').collect();
        write!(text, "{tag}[{value}]").ok()?;
    }
    let given = tags.iter().any(|(tag, _)| *tag == "RE");
    let result = referee.ending().map_or_else(
        || "?".to_owned(),
        |ending| match ending.outcome {
            Outcome::Draw => "+0.00".to_owned(),
            Outcome::Win(winner) => {
                let sign = if ours(game, winner) == Color::Black { '+' } else { '-' };
                format!("{sign}{}.00", ending.margin)
            }
        },
    );
    let side = setup.width;
    if !given {
        write!(text, "RE[{result}]").ok()?;
    }
    write!(text, "TY[{side}]BO[{side} ").ok()?;
    let mut start = referee.boxed_clone();
    start.undo(start.plies()).ok()?;
    for row in 0..side {
        for column in 0..side {
            text.push(match start.cell(Point { column, row }) {
                Cell::Stone(color) => letter(game, color),
                Cell::Empty => '-',
                Cell::Blocked => 'X',
            });
        }
    }
    write!(text, " {}]", letter(game, start.turn())).ok()?;
    let mut notes = notes.iter();
    for (color, mv) in referee.history() {
        let tag = ours(game, color).letter().to_ascii_uppercase();
        let name = move_text(&referee.move_text(mv));
        let note = notes.next().copied().unwrap_or_default();
        write!(text, "{tag}[{name}{}]", note_text(note)).ok()?;
    }
    text.push_str(";)");
    Some(text)
}

/// A move as the format writes it, from our notation: `F5`, `PA`, `J4-I4-J5`.
#[must_use]
pub fn move_text(text: &str) -> String {
    if text == "pass" { "PA".to_owned() } else { text.to_ascii_uppercase() }
}

/// What follows a move: nothing, `/eval`, `//time` or `/eval/time`.
#[must_use]
pub fn note_text(note: Note) -> String {
    let eval = note.eval.map(|eval| format!("{eval:.2}")).unwrap_or_default();
    match note.time {
        Some(time) => format!("/{eval}/{}", clock::seconds_text(time)),
        None if eval.is_empty() => eval,
        None => format!("/{eval}"),
    }
}

/// Our colour of one of the format's, and the other way round.
fn ours(game: GameId, color: Color) -> Color {
    if game == GameId::Amazons { !color } else { color }
}

fn letter(game: GameId, color: Color) -> char {
    if ours(game, color) == Color::Black { '*' } else { 'O' }
}

/// A piece of the record in an error message.
fn shown(text: &str) -> String {
    text.chars().take(20).collect::<String>().escape_default().to_string()
}

/// All tags of the first game with their values.
fn tags(text: &str) -> Result<Vec<(&str, &str)>, GgfError> {
    let (_, mut rest) = text.split_once("(;").ok_or(GgfError::Syntax)?;
    let mut tags = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.starts_with(";)") {
            return Ok(tags);
        }
        let (tag, behind) = rest.split_once('[').ok_or(GgfError::Syntax)?;
        let tag = tag.trim_end();
        if tag.is_empty() || !tag.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Err(GgfError::Syntax);
        }
        let (value, behind) = behind.split_once(']').ok_or(GgfError::Syntax)?;
        tags.push((tag, value.trim()));
        rest = behind;
    }
}

/// `BO[8 ---*O--- ... *]`, from row 1 on.
struct Board {
    side: u8,
    cells: Vec<char>,
    turn: char,
}

impl Board {
    fn read(text: &str) -> Result<Board, GgfError> {
        let bad =
            || GgfError::Board("expected the side, the points row by row, and the colour to move".into());
        let (side, rest) = text.split_once(char::is_whitespace).ok_or_else(bad)?;
        let side: u8 = side.parse().map_err(|_| bad())?;
        let mut cells: Vec<char> = rest.chars().filter(|c| !c.is_whitespace()).collect();
        let turn = cells.pop().ok_or_else(bad)?;
        if cells.len() != usize::from(side) * usize::from(side) || side == 0 {
            return Err(bad());
        }
        if !matches!(turn, '*' | 'O') || !cells.iter().all(|c| matches!(c, '*' | 'O' | '-' | 'X')) {
            return Err(bad());
        }
        Ok(Board { side, cells, turn })
    }

    fn position_text(&self, referee: &dyn Referee) -> String {
        let game = referee.setup().game;
        let color = |c: char| ours(game, if c == '*' { Color::Black } else { Color::White });
        let rows: Vec<String> = self
            .cells
            .chunks(usize::from(self.side))
            .map(|row| {
                let cell = |c: &char| match c {
                    '-' => Cell::Empty.letter(),
                    'X' => Cell::Blocked.letter(),
                    c => Cell::Stone(color(*c)).letter(),
                };
                row.iter().map(cell).collect()
            })
            .collect();
        let from_top = referee.geometry().rows_from_top();
        let rows: Vec<&str> =
            from_top.filter_map(|row| rows.get(usize::from(row)).map(String::as_str)).collect();
        format!("{} {}", rows.join("/"), color(self.turn).letter())
    }
}

/// `15:00`, `1:00:00/10/2:00`, with or without moves behind a comma. `None` for what is no clock.
fn read_clock(text: &str) -> Option<Clock> {
    let mut parts = text.split('/').map(|part| part.split(',').next().unwrap_or_default());
    let main = seconds(parts.next()?)?;
    let increment = parts.next().and_then(seconds).unwrap_or_default();
    Some(Clock { main, increment })
}

/// Seconds, or minutes and seconds, or hours too, divided by colons.
fn seconds(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    let text = text.trim();
    if text.is_empty() || text.split(':').count() > 3 {
        return None;
    }
    for part in text.split(':') {
        total = total.checked_mul(60)?.checked_add(clock::parse_seconds(part)?)?;
    }
    Some(total)
}

#[cfg(test)]
mod tests;
