//! A game record behind one object-safe face: what daemons, adapters and match runners ask of a game
//! once a command.

use std::fmt;

use arrayvec::ArrayVec;

use super::Setup;
use crate::game::{
    BadMove, BadPosition, Cell, Color, Geometry, Illegal, Move, Outcome, Point, Rules, notation,
};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Who won.
    pub outcome: Outcome,
    /// The winner's margin in the game's own unit (discs in Othello); 1 where a win is a win, 0 for
    /// a draw.
    pub margin: i32,
    /// Why, in words.
    pub reason: &'static str,
}

/// `black+12 (no move for either side)`, `draw (full board)`.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.outcome {
            Outcome::Draw => write!(f, "draw ({})", self.reason),
            Outcome::Win(winner) => write!(f, "{winner}+{} ({})", self.margin, self.reason),
        }
    }
}

/// Why a move was not played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// The text is no move.
    #[error("{0}")]
    Bad(#[from] BadMove),
    /// The rules forbid it.
    #[error("illegal move: {0}")]
    Illegal(#[from] Illegal),
}

/// More moves were to be undone than were played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot undo: {0}")]
pub struct UndoError(pub &'static str);

/// A game in progress: set-up, start position, moves. A failed call changes nothing.
pub trait Referee: Send {
    /// The set-up of the game.
    fn setup(&self) -> &Setup;
    /// The board's shape.
    fn geometry(&self) -> Geometry;
    /// The side to move.
    fn turn(&self) -> Color;
    /// The end of the game, if it has come.
    fn ending(&self) -> Option<Ending>;
    /// What stands on a point of the board.
    fn cell(&self, point: Point) -> Cell;
    /// A hash key of the position.
    fn key(&self) -> u64;
    /// Number of moves played since the start position, passes included.
    fn plies(&self) -> usize;
    /// Whether the side to move can only pass.
    fn must_pass(&self) -> bool;
    /// Whether this game has a pass at all.
    fn has_pass(&self) -> bool;

    /// Reads a move text for the present position.
    ///
    /// # Errors
    /// [`BadMove`] when it is no move of this game.
    fn parse_move(&self, text: &str) -> Result<Move, BadMove>;
    /// The text of a move of this game.
    fn move_text(&self, mv: Move) -> String;
    /// The points a move names.
    fn points(&self, mv: Move) -> ArrayVec<Point, 3>;
    /// The move that names these points, if the game has moves of that form.
    fn move_of(&self, points: &[Point]) -> Option<Move>;

    /// Plays a move of `color`, or of the side to move when `None`. A move of the other side while
    /// the side to move can only pass implies that pass.
    ///
    /// # Errors
    /// [`Illegal`] with the rule it breaks.
    fn play(&mut self, color: Option<Color>, mv: Move) -> Result<(), Illegal>;
    /// Takes back the last `count` moves.
    ///
    /// # Errors
    /// When fewer were played.
    fn undo(&mut self, count: usize) -> Result<(), UndoError>;
    /// Starts the record anew from a position text.
    ///
    /// # Errors
    /// [`BadPosition`] when the text is malformed or the position impossible.
    fn set_position(&mut self, text: &str) -> Result<(), BadPosition>;
    /// Starts the record anew from the set-up's start position.
    fn reset(&mut self);

    /// The legal moves of `color` (`None`: of the side to move); `None` when the game cannot say for
    /// that side.
    fn legal_moves(&self, color: Option<Color>) -> Option<Vec<Move>>;
    /// Points the side to move may not take although empty, with the reason (Renju).
    fn forbidden(&self) -> Vec<(Point, Illegal)>;
    /// The moves played, oldest first.
    fn history(&self) -> Vec<(Color, Move)>;
    /// The present position in one line.
    fn position_text(&self) -> String;
    /// The position the record starts from, in one line; `None` when it is the set-up's own start.
    fn start_text(&self) -> Option<String>;

    /// A copy of the whole record.
    fn boxed_clone(&self) -> Box<dyn Referee>;

    /// A diagram with coordinates, top row first, without a trailing newline. The last move's points
    /// are marked by brackets.
    fn diagram(&self) -> String {
        let geometry = self.geometry();
        let last: ArrayVec<Point, 3> =
            self.history().last().map(|&(_, mv)| self.points(mv)).unwrap_or_default();
        let letters: String = (0..geometry.width)
            .map(|column| format!(" {}", notation::column_letter(geometry.letters, column)))
            .collect();
        let mut text = format!("  {letters}");
        for row in geometry.rows_from_top() {
            text.push_str(&format!("\n{:>2}", row + 1));
            let mut open = false;
            for column in 0..geometry.width {
                let point = Point { column, row };
                let marked = last.contains(&point);
                text.push(match (open, marked) {
                    (_, true) => '(',
                    (true, false) => ')',
                    (false, false) => ' ',
                });
                text.push(self.cell(point).letter());
                open = marked;
            }
            text.push_str(if open { ")" } else { " " });
            text.push_str(&format!("{}", row + 1));
        }
        text.push_str(&format!("\n  {letters}"));
        text
    }
}

impl fmt::Debug for dyn Referee + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Referee({}, {})", self.setup(), self.position_text())
    }
}

/// The record of a game whose type is known.
#[derive(Debug)]
pub struct Record<R: Rules> {
    setup: Setup,
    initial: R,
    start: R,
    now: R,
    played: Vec<(Color, Move, R::Undo)>,
}

impl<R: Rules> Record<R> {
    /// A record at the start position of the set-up.
    pub fn new(setup: Setup, initial: R) -> Record<R> {
        Record { setup, start: initial.clone(), now: initial.clone(), initial, played: Vec::new() }
    }

    /// The present position.
    pub fn position(&self) -> &R {
        &self.now
    }

    fn restart(&mut self, start: R) {
        self.now = start.clone();
        self.start = start;
        self.played.clear();
    }

    fn push(&mut self, mv: Move) {
        let color = self.now.turn();
        let undo = self.now.play(mv);
        self.played.push((color, mv, undo));
    }

    fn pop(&mut self) {
        if let Some((_, mv, undo)) = self.played.pop() {
            self.now.undo(mv, undo);
        }
    }
}

impl<R: Rules> Referee for Record<R> {
    fn setup(&self) -> &Setup {
        &self.setup
    }

    fn geometry(&self) -> Geometry {
        self.now.geometry()
    }

    fn turn(&self) -> Color {
        self.now.turn()
    }

    fn ending(&self) -> Option<Ending> {
        self.now.outcome().map(|outcome| Ending {
            outcome,
            margin: self.now.margin(),
            reason: self.now.ending(),
        })
    }

    fn cell(&self, point: Point) -> Cell {
        self.now.cell(point)
    }

    fn key(&self) -> u64 {
        self.now.key()
    }

    fn plies(&self) -> usize {
        self.played.len()
    }

    fn must_pass(&self) -> bool {
        self.now.is_legal(Move::PASS)
    }

    fn has_pass(&self) -> bool {
        self.now.check(Move::PASS) != Err(Illegal::NoPass)
    }

    fn parse_move(&self, text: &str) -> Result<Move, BadMove> {
        self.now.parse_move(text)
    }

    fn move_text(&self, mv: Move) -> String {
        self.now.move_text(mv)
    }

    fn points(&self, mv: Move) -> ArrayVec<Point, 3> {
        self.now.points(mv)
    }

    fn move_of(&self, points: &[Point]) -> Option<Move> {
        self.now.move_of(points)
    }

    fn play(&mut self, color: Option<Color>, mv: Move) -> Result<(), Illegal> {
        let implied_pass = color.is_some_and(|color| color != self.now.turn());
        if implied_pass {
            if !self.must_pass() {
                return Err(if self.now.outcome().is_some() {
                    Illegal::GameOver
                } else {
                    Illegal::NotYourTurn
                });
            }
            self.push(Move::PASS);
        }
        let verdict = self.now.check(mv);
        match verdict {
            Ok(()) => self.push(mv),
            Err(_) if implied_pass => self.pop(),
            Err(_) => {}
        }
        verdict
    }

    fn undo(&mut self, count: usize) -> Result<(), UndoError> {
        if count > self.played.len() {
            return Err(UndoError(if self.played.is_empty() {
                "no move was played"
            } else {
                "not so many moves were played"
            }));
        }
        for _ in 0..count {
            self.pop();
        }
        Ok(())
    }

    fn set_position(&mut self, text: &str) -> Result<(), BadPosition> {
        let position = self.initial.parse_position(text)?;
        self.restart(position);
        Ok(())
    }

    fn reset(&mut self) {
        self.restart(self.initial.clone());
    }

    fn legal_moves(&self, color: Option<Color>) -> Option<Vec<Move>> {
        let mut moves = Vec::new();
        match color {
            Some(color) if color != self.now.turn() => self.now.with_turn(color)?.moves(&mut moves),
            _ => self.now.moves(&mut moves),
        }
        Some(moves)
    }

    fn forbidden(&self) -> Vec<(Point, Illegal)> {
        self.now.forbidden()
    }

    fn history(&self) -> Vec<(Color, Move)> {
        self.played.iter().map(|&(color, mv, _)| (color, mv)).collect()
    }

    fn position_text(&self) -> String {
        text_of(&self.now)
    }

    fn start_text(&self) -> Option<String> {
        let start = text_of(&self.start);
        (start != text_of(&self.initial)).then_some(start)
    }

    fn boxed_clone(&self) -> Box<dyn Referee> {
        let mut copy = Record::new(self.setup.clone(), self.initial.clone());
        copy.restart(self.start.clone());
        for &(_, mv, _) in &self.played {
            copy.push(mv);
        }
        Box::new(copy)
    }
}

/// The one-line position text of any game.
pub(crate) fn text_of<R: Rules>(position: &R) -> String {
    notation::position_text(
        &position.geometry(),
        |p| position.cell(p),
        position.turn(),
        &position.position_words(),
    )
}
