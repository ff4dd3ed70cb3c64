//! Gomoku, Renju and Caro on square boards from 5x5 to 22x22.
//!
//! | rule | Black wins with | White wins with | forbidden to Black |
//! |---|---|---|---|
//! | `freestyle` | five or more | five or more | nothing |
//! | `standard` | exactly five | exactly five | nothing |
//! | `renju` | exactly five | five or more | overline, double four, double three |
//! | `caro` | exactly five, not both ends blocked by enemy stones | the same | nothing |
//!
//! Black begins, there is no pass, a full board is a draw. A Renju game in which every empty point
//! is forbidden to Black, who is to move, is won by White.
//!
//! [`Gomoku`] is the game of the rules: it needs no tables, so that a referee starts at once.
//! [`GomokuSearch`] adds the shapes of all empty points, kept up to date move by move.

mod knowledge;
mod lines;
pub mod opening;
mod renju;
mod search;
mod shapes;

use std::fmt;

use arrayvec::ArrayVec;

use self::lines::{Lines, MARGIN, STRIDE};
use super::{Setup, SetupError, Visitor};
use crate::game::notation::PositionText;
use crate::game::{
    BadMove, BadPosition, Cell, Color, Game, Geometry, Grid, Illegal, Letters, Move, Outcome, Point, RowOne,
    Rules, random,
};

pub use search::{GomokuSearch, SearchUndo};

/// What wins and what is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Rule {
    /// Five or more in a row.
    Freestyle = 0,
    /// Exactly five in a row.
    Standard = 1,
    /// Black: exactly five, with forbidden points. White: five or more.
    Renju = 2,
    /// Exactly five in a row, unless enemy stones stand at both ends.
    Caro = 3,
}

/// The runs that win for one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Five {
    /// Five or more.
    OrMore,
    /// Exactly five.
    Exactly,
    /// Exactly five, at most one end blocked by an enemy stone.
    Unblocked,
}

impl Rule {
    /// The rule of that name, as in the description of the game.
    fn parse(name: &str) -> Option<Rule> {
        Some(match name {
            "freestyle" => Rule::Freestyle,
            "standard" => Rule::Standard,
            "renju" => Rule::Renju,
            "caro" => Rule::Caro,
            _ => return None,
        })
    }

    /// What wins for `color`.
    #[inline]
    const fn five(self, color: Color) -> Five {
        match (self, color) {
            (Rule::Freestyle, _) | (Rule::Renju, Color::White) => Five::OrMore,
            (Rule::Standard, _) | (Rule::Renju, Color::Black) => Five::Exactly,
            (Rule::Caro, _) => Five::Unblocked,
        }
    }
}

/// Hash keys of stones, by `2 * cell + color`.
static STONES: [u64; 2 * STRIDE * STRIDE] = random::keys(0x60_40_C0);

/// Added to the key when White is to move.
const WHITE_TO_MOVE: u64 = random::mix(0x60_40_C1);

/// A position of the rules. A move's raw number is a cell of the padded 32x32 board:
/// `32 * (row + 5) + column + 5`.
#[derive(Clone)]
pub struct Gomoku {
    lines: Lines,
    key: u64,
    empties: u16,
    size: u8,
    rule: Rule,
    turn: Color,
    winner: Option<Color>,
}

impl Gomoku {
    /// The empty board.
    ///
    /// # Panics
    /// When the size is outside `5..=22`.
    #[must_use]
    pub fn new(size: u8, rule: Rule) -> Gomoku {
        assert!((5..=22).contains(&size), "gomoku boards have sides of 5 to 22");
        Gomoku {
            lines: Lines::new(size),
            key: 0,
            empties: u16::from(size) * u16::from(size),
            size,
            rule,
            turn: Color::Black,
            winner: None,
        }
    }

    /// The cell of a point on the board.
    #[inline]
    fn cell_of(point: Point) -> usize {
        STRIDE * (usize::from(point.row) + MARGIN) + usize::from(point.column) + MARGIN
    }

    /// The point of a cell on the board.
    #[inline]
    fn point_of(cell: usize) -> Point {
        Point { column: (cell % STRIDE - MARGIN) as u8, row: (cell / STRIDE - MARGIN) as u8 }
    }

    /// The rows of the padded board that hold points.
    #[inline]
    fn rows(&self) -> std::ops::Range<usize> {
        MARGIN..MARGIN + usize::from(self.size)
    }

    /// Whether Black, about to move under the Renju rule, may find points forbidden.
    #[inline]
    fn restricted(&self) -> bool {
        self.rule == Rule::Renju && self.turn == Color::Black
    }

    /// Calls `found` for every empty cell, row by row from row 1, until it returns `true`; returns
    /// whether it did.
    #[inline]
    fn any_empty(&self, mut found: impl FnMut(usize) -> bool) -> bool {
        self.rows().any(|row| {
            let mut left = self.lines.empties_of_row(row);
            while left != 0 {
                let cell = STRIDE * row + left.trailing_zeros() as usize / 2;
                left &= left - 1;
                if found(cell) {
                    return true;
                }
            }
            false
        })
    }

    /// Whether the side to move may take the empty cell of an unfinished game.
    #[inline]
    fn allowed(&self, cell: usize) -> bool {
        !self.restricted() || renju::verdict(&self.lines, cell).is_none()
    }

    /// Whether `color` has a winning run anywhere.
    fn has_won(&self, color: Color) -> bool {
        self.lines.any_five(self.rule.five(color), color)
    }

    /// Puts a stone on an empty cell, or takes it away: board, key and count, but not turn and win.
    #[inline]
    fn toggle(&mut self, cell: usize, color: Color) {
        self.lines.toggle(cell, color);
        self.key ^= STONES[(2 * cell + color.index()) % STONES.len()];
    }

    /// Whether the runs of a finished game can be the work of its last move: some stone of the
    /// winner without which there would be no win (and no overline of Black in Renju).
    fn one_move_won(&self, winner: Color) -> bool {
        let mut before = self.clone();
        self.rows().any(|row| {
            self.rows().any(|column| {
                let cell = STRIDE * row + column;
                self.lines.cell(cell) == Cell::Stone(winner) && {
                    before.toggle(cell, winner);
                    let fits = !before.has_won(winner) && !before.has_won(!winner) && !before.has_overline();
                    before.toggle(cell, winner);
                    fits
                }
            })
        })
    }

    /// Whether Black has a run that Renju forbids.
    fn has_overline(&self) -> bool {
        self.rule == Rule::Renju && self.lines.any_six(Color::Black)
    }
}

impl fmt::Debug for Gomoku {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gomoku({:?}, {})", self.rule, super::referee::text_of(self))
    }
}

impl Game for Gomoku {
    type Undo = ();

    #[inline]
    fn turn(&self) -> Color {
        self.turn
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        if let Some(winner) = self.winner {
            Some(Outcome::Win(winner))
        } else if self.empties == 0 {
            Some(Outcome::Draw)
        } else if self.restricted() && !self.any_empty(|cell| self.allowed(cell)) {
            Some(Outcome::Win(Color::White))
        } else {
            None
        }
    }

    fn moves(&self, out: &mut Vec<Move>) {
        if self.winner.is_none() {
            self.any_empty(|cell| {
                if self.allowed(cell) {
                    out.push(Move::new(cell as u32));
                }
                false
            });
        }
    }

    fn count(&self) -> u64 {
        if self.winner.is_some() {
            return 0;
        }
        if !self.restricted() {
            return u64::from(self.empties);
        }
        let mut count = 0;
        self.any_empty(|cell| {
            count += u64::from(self.allowed(cell));
            false
        });
        count
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        let cell = mv.index();
        self.winner.is_none() && cell < STRIDE * STRIDE && self.lines.is_empty(cell) && self.allowed(cell)
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{mv:?} is legal in {self:?}");
        let (cell, color) = (mv.index(), self.turn);
        self.toggle(cell, color);
        self.key ^= WHITE_TO_MOVE;
        self.empties -= 1;
        if self.lines.five_through(cell, self.rule.five(color), color) {
            self.winner = Some(color);
        }
        self.turn = !color;
    }

    #[inline]
    fn undo(&mut self, mv: Move, _: ()) {
        self.turn = !self.turn;
        self.winner = None;
        self.empties += 1;
        self.key ^= WHITE_TO_MOVE;
        self.toggle(mv.index(), self.turn);
    }

    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    fn horizon(&self) -> u32 {
        if self.outcome().is_some() { 0 } else { u32::from(self.empties) }
    }
}

impl Rules for Gomoku {
    type Searched = GomokuSearch;

    fn searched(&self) -> GomokuSearch {
        GomokuSearch::new(self)
    }

    fn geometry(&self) -> Geometry {
        Geometry {
            width: self.size,
            height: self.size,
            letters: Letters::KeepI,
            row_one: RowOne::Bottom,
            grid: Grid::Lines,
        }
    }

    fn cell(&self, point: Point) -> Cell {
        self.lines.cell(Gomoku::cell_of(point))
    }

    fn points(&self, mv: Move) -> ArrayVec<Point, 3> {
        if mv == Move::PASS || mv == Move::NONE {
            return ArrayVec::new();
        }
        ArrayVec::from_iter([Gomoku::point_of(mv.index())])
    }

    fn move_of(&self, points: &[Point]) -> Option<Move> {
        match *points {
            [point] if point.column < self.size && point.row < self.size => {
                Some(Move::new(Gomoku::cell_of(point) as u32))
            }
            _ => None,
        }
    }

    fn check(&self, mv: Move) -> Result<(), Illegal> {
        let cell = mv.index();
        if mv == Move::PASS {
            Err(Illegal::NoPass)
        } else if self.outcome().is_some() {
            Err(Illegal::GameOver)
        } else if cell >= STRIDE * STRIDE || self.lines.cell(cell) == Cell::Blocked {
            Err(Illegal::OffBoard)
        } else if !self.lines.is_empty(cell) {
            Err(Illegal::Occupied)
        } else if self.restricted() {
            renju::verdict(&self.lines, cell).map_or(Ok(()), Err)
        } else {
            Ok(())
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, BadMove> {
        if text.eq_ignore_ascii_case("pass") {
            return Ok(Move::PASS);
        }
        match self.geometry().parse(text) {
            Some(point) => Ok(Move::new(Gomoku::cell_of(point) as u32)),
            None => Err(BadMove(text.to_owned(), "a point of the board such as c4")),
        }
    }

    fn move_text(&self, mv: Move) -> String {
        if mv == Move::PASS {
            return "pass".to_owned();
        }
        self.points(mv).iter().map(|&point| self.geometry().name(point)).collect()
    }

    /// Any numbers of stones are accepted, since studies set boards up freely; runs that end a game
    /// are not, unless the last move can have made them.
    fn parse_position(&self, text: &str) -> Result<Gomoku, BadPosition> {
        let bad = |message: String| Err(BadPosition(message));
        let geometry = self.geometry();
        let parsed = PositionText::parse(&geometry, text)?;
        parsed.allow_words(&[])?;
        let mut position = Gomoku::new(self.size, self.rule);
        for (&cell, point) in parsed.cells.iter().zip(geometry.points_from_top()) {
            match cell {
                Cell::Empty => {}
                Cell::Stone(color) => {
                    position.toggle(Gomoku::cell_of(point), color);
                    position.empties -= 1;
                }
                Cell::Blocked => return bad("gomoku has no blocked points".to_owned()),
            }
        }
        if parsed.turn == Color::White {
            position.turn = Color::White;
            position.key ^= WHITE_TO_MOVE;
        }
        let (mover, last) = (parsed.turn, !parsed.turn);
        match (position.has_won(mover), position.has_won(last)) {
            (true, true) => bad("both sides have five in a row".to_owned()),
            (true, false) => bad(format!("{mover} has five in a row and is to move")),
            (false, true) => {
                if !position.one_move_won(last) {
                    return bad(format!("{last} has winning rows that no single move can have made"));
                }
                position.winner = Some(last);
                Ok(position)
            }
            (false, false) if position.has_overline() => {
                bad("black has six or more in a row, which renju forbids".to_owned())
            }
            (false, false) => Ok(position),
        }
    }

    fn with_turn(&self, color: Color) -> Option<Gomoku> {
        let mut other = self.clone();
        if color != self.turn {
            other.turn = color;
            other.key ^= WHITE_TO_MOVE;
        }
        Some(other)
    }

    fn forbidden(&self) -> Vec<(Point, Illegal)> {
        let mut list = Vec::new();
        if self.restricted() && self.winner.is_none() {
            self.any_empty(|cell| {
                if let Some(reason) = renju::verdict(&self.lines, cell) {
                    list.push((Gomoku::point_of(cell), reason));
                }
                false
            });
        }
        list
    }

    fn ending(&self) -> &'static str {
        match self.outcome() {
            None => "",
            Some(Outcome::Draw) => "full board",
            Some(Outcome::Win(_)) if self.winner.is_some() => "five in a row",
            Some(Outcome::Win(_)) => "no legal move for black",
        }
    }
}

/// The game of a set-up.
pub(crate) fn open<V: Visitor>(setup: Setup, visitor: V) -> Result<V::Out, SetupError> {
    let Some(rule) = Rule::parse(setup.rules) else {
        return Err(SetupError(format!("no such rule: \"{}\"", setup.rules)));
    };
    if setup.width != setup.height || !(5..=22).contains(&setup.width) {
        return Err(SetupError(format!(
            "unacceptable size {}x{}: gomoku has 5 to 22, square",
            setup.width, setup.height
        )));
    }
    let start = Gomoku::new(setup.width, rule);
    Ok(visitor.visit(setup, start))
}
