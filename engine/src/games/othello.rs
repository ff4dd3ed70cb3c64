//! Othello on 6x6, 8x8 and 10x10.
//!
//! Row 1 is at the top and Black begins. A side without a move must pass; the game ends when neither
//! side has one. The score is the difference in discs, the empty squares counted for the winner.
//!
//! * [`board`]: bit boards of the three sizes, flips and mobility.
//! * [`kernel`]: the hot functions of 8x8 for several sets of instructions.
//! * `knowledge`: evaluation and move ordering.
//! * [`pattern`]: the trained evaluation of 8x8.

pub mod board;
pub mod kernel;
mod knowledge;
pub mod pattern;

use arrayvec::ArrayVec;

use super::{Setup, SetupError, Visitor};
use crate::game::notation::PositionText;
use crate::game::{
    BadMove, BadPosition, Cell, Color, Game, Geometry, Grid, Illegal, Letters, Move, Outcome, Point, RowOne,
    Rules, random,
};
use board::{Bits, Large, Shape, Small, Standard, squares};

/// A position. Move numbers are the square numbers of the [`Shape`], and [`Move::PASS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Othello<S: Shape> {
    own: S::Bits,
    opp: S::Bits,
    turn: Color,
}

/// Starts the game of the set-up's size.
pub(crate) fn open<V: Visitor>(setup: Setup, visitor: V) -> Result<V::Out, SetupError> {
    Ok(match setup.width {
        6 => visitor.visit(setup, Othello::<Small>::start()),
        8 => visitor.visit(setup, Othello::<Standard>::start()),
        10 => visitor.visit(setup, Othello::<Large>::start()),
        other => return Err(SetupError(format!("unacceptable size {other}: othello has 6, 8, 10, square"))),
    })
}

impl<S: Shape> Othello<S> {
    /// The start: White on d4 and e5, Black on e4 and d5 (8x8; the same four squares about the centre
    /// of the others), Black to move.
    #[must_use]
    pub fn start() -> Othello<S> {
        let low = S::SIDE / 2 - 1;
        let at = |column, row| S::bit(Point { column, row });
        let white = at(low, low) | at(low + 1, low + 1);
        let black = at(low + 1, low) | at(low, low + 1);
        Othello { own: black, opp: white, turn: Color::Black }
    }

    /// A position from the discs of the side to move and of the other side, which must lie in
    /// [`Shape::AREA`] and not overlap. Whether a game can reach it is not asked.
    #[must_use]
    pub fn new(own: S::Bits, opp: S::Bits, turn: Color) -> Othello<S> {
        debug_assert!((own & opp).is_empty() && ((own | opp) & !S::AREA).is_empty());
        Othello { own, opp, turn }
    }

    /// The discs of the side to move.
    #[must_use]
    pub fn own(&self) -> S::Bits {
        self.own
    }

    /// The discs of the side that does not move.
    #[must_use]
    pub fn opp(&self) -> S::Bits {
        self.opp
    }

    /// The empty squares.
    #[must_use]
    pub fn empty(&self) -> S::Bits {
        S::AREA & !(self.own | self.opp)
    }

    /// The squares where the side to move may put a disc.
    #[must_use]
    pub fn mobility(&self) -> S::Bits {
        S::mobility(self.own, self.opp)
    }

    /// Final score for the side to move if the game ended here: difference in discs, the empty
    /// squares to the winner.
    #[must_use]
    pub fn score(&self) -> i32 {
        let (own, opp) = (self.own.count() as i32, self.opp.count() as i32);
        let empty = i32::from(S::SIDE) * i32::from(S::SIDE) - own - opp;
        own - opp + (own - opp).signum() * empty
    }

    fn other_can_move(&self) -> bool {
        !S::mobility(self.opp, self.own).is_empty()
    }

    fn square_of(mv: Move) -> Option<u32> {
        let square = mv.raw();
        (square < S::Bits::SIZE && !(S::AREA & S::Bits::single(square)).is_empty()).then_some(square)
    }
}

impl<S: Shape> Game for Othello<S> {
    const PERFT_COUNTS_ENDED: bool = true;
    /// Own and opposing discs before the move.
    type Undo = (S::Bits, S::Bits);

    #[inline]
    fn turn(&self) -> Color {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        if !self.mobility().is_empty() || self.other_can_move() {
            return None;
        }
        Some(match self.own.count().cmp(&self.opp.count()) {
            std::cmp::Ordering::Greater => Outcome::Win(self.turn),
            std::cmp::Ordering::Less => Outcome::Win(!self.turn),
            std::cmp::Ordering::Equal => Outcome::Draw,
        })
    }

    #[inline]
    fn moves(&self, out: &mut Vec<Move>) {
        let mobility = self.mobility();
        if !mobility.is_empty() {
            // Filled in place: a push would look at the capacity for every move.
            let first = out.len();
            out.resize(first + mobility.count() as usize, Move::NONE);
            for (slot, square) in out[first..].iter_mut().zip(squares(mobility)) {
                *slot = Move::new(square);
            }
        } else if self.other_can_move() {
            out.push(Move::PASS);
        }
    }

    #[inline]
    fn count(&self) -> u64 {
        match self.mobility().count() {
            0 => u64::from(self.other_can_move()),
            moves => u64::from(moves),
        }
    }

    fn perft(&self, depth: u32, full: bool) -> Option<u64> {
        S::perft(self.own, self.opp, depth, full)
    }

    fn is_legal(&self, mv: Move) -> bool {
        if mv == Move::PASS {
            return self.mobility().is_empty() && self.other_can_move();
        }
        Self::square_of(mv).is_some_and(|square| {
            !(self.empty() & S::Bits::single(square)).is_empty()
                && !S::flips(self.own, self.opp, square).is_empty()
        })
    }

    #[inline]
    fn play(&mut self, mv: Move) -> Self::Undo {
        debug_assert!(self.is_legal(mv), "{mv:?} in {self:?}");
        let before = (self.own, self.opp);
        if mv == Move::PASS {
            (self.own, self.opp) = (self.opp, self.own);
        } else {
            let square = mv.raw() % S::Bits::SIZE;
            let flips = S::flips(self.own, self.opp, square);
            let own = self.own | flips | S::Bits::single(square);
            (self.own, self.opp) = (self.opp & !flips, own);
        }
        self.turn = !self.turn;
        before
    }

    #[inline]
    fn undo(&mut self, _mv: Move, undo: Self::Undo) {
        (self.own, self.opp) = undo;
        self.turn = !self.turn;
    }

    #[inline]
    fn key(&self) -> u64 {
        let side = [0x9AE1_6A3B_2F90_404F, 0xC3A5_C85C_97CB_3127][self.turn.index()];
        random::mix(self.own.fold(side) ^ random::mix(self.opp.fold(!side)))
    }

    /// Each empty square can take a disc and cost one pass. Two passes never follow each other, hence
    /// one ply less while the side to move has a move.
    fn horizon(&self) -> u32 {
        let most = 2 * self.empty().count();
        if !self.mobility().is_empty() {
            most - 1
        } else if self.other_can_move() {
            most
        } else {
            0
        }
    }

    fn margin(&self) -> i32 {
        match self.outcome() {
            Some(_) => self.score().abs(),
            None => 0,
        }
    }
}

impl<S: Shape> Rules for Othello<S> {
    type Searched = Othello<S>;

    fn searched(&self) -> Othello<S> {
        *self
    }

    fn geometry(&self) -> Geometry {
        Geometry {
            width: S::SIDE,
            height: S::SIDE,
            letters: Letters::KeepI,
            row_one: RowOne::Top,
            grid: Grid::Cells,
        }
    }

    fn cell(&self, point: Point) -> Cell {
        let bit = S::bit(point);
        if !(self.own & bit).is_empty() {
            Cell::Stone(self.turn)
        } else if !(self.opp & bit).is_empty() {
            Cell::Stone(!self.turn)
        } else {
            Cell::Empty
        }
    }

    fn points(&self, mv: Move) -> ArrayVec<Point, 3> {
        Self::square_of(mv).map(S::point).into_iter().collect()
    }

    fn move_of(&self, points: &[Point]) -> Option<Move> {
        match *points {
            [point] if point.column < S::SIDE && point.row < S::SIDE => Some(Move::new(S::square(point))),
            _ => None,
        }
    }

    fn check(&self, mv: Move) -> Result<(), Illegal> {
        let mobility = self.mobility();
        if mobility.is_empty() && !self.other_can_move() {
            return Err(Illegal::GameOver);
        }
        if mv == Move::PASS {
            return if mobility.is_empty() { Ok(()) } else { Err(Illegal::PassWithMoves) };
        }
        let bit = S::Bits::single(Self::square_of(mv).ok_or(Illegal::OffBoard)?);
        if (self.empty() & bit).is_empty() {
            Err(Illegal::Occupied)
        } else if (mobility & bit).is_empty() {
            Err(Illegal::NoFlip)
        } else {
            Ok(())
        }
    }

    /// Besides squares: `pass`, and the `pa`, `ps` and `--` of other programs.
    fn parse_move(&self, text: &str) -> Result<Move, BadMove> {
        if ["pass", "pa", "ps", "--"].iter().any(|pass| text.eq_ignore_ascii_case(pass)) {
            return Ok(Move::PASS);
        }
        match self.geometry().parse(text) {
            Some(point) => Ok(Move::new(S::square(point))),
            None => Err(BadMove(text.to_owned(), "a square of the board such as d3, or pass")),
        }
    }

    fn move_text(&self, mv: Move) -> String {
        match Self::square_of(mv) {
            Some(square) => self.geometry().name(S::point(square)),
            None => "pass".to_owned(),
        }
    }

    fn parse_position(&self, text: &str) -> Result<Othello<S>, BadPosition> {
        let bad = |message: &str| Err(BadPosition(message.to_owned()));
        let geometry = self.geometry();
        let parsed = PositionText::parse(&geometry, text)?;
        parsed.allow_words(&[])?;
        let (mut black, mut white) = (S::Bits::ZERO, S::Bits::ZERO);
        for (point, cell) in geometry.points_from_top().zip(&parsed.cells) {
            match cell {
                Cell::Empty => {}
                Cell::Stone(Color::Black) => black = black | S::bit(point),
                Cell::Stone(Color::White) => white = white | S::bit(point),
                Cell::Blocked => return bad("no square can be blocked in othello"),
            }
        }
        let discs = black | white;
        let start = Self::start();
        let centre = start.own | start.opp;
        if discs & centre != centre {
            return bad("a square of the centre is empty");
        }
        // Every disc was put next to another one, and discs never leave the board.
        let mut reached = centre;
        loop {
            let next = (reached | S::neighbours(reached)) & discs;
            if next == reached {
                break;
            }
            reached = next;
        }
        if reached != discs {
            return bad("a disc is not connected to the centre");
        }
        let (own, opp) = match parsed.turn {
            Color::Black => (black, white),
            Color::White => (white, black),
        };
        let position = Othello { own, opp, turn: parsed.turn };
        if discs == centre && (own, opp, parsed.turn) != (start.own, start.opp, start.turn) {
            return bad("four discs are the start position only, with black to move");
        }
        Ok(position)
    }

    fn with_turn(&self, color: Color) -> Option<Othello<S>> {
        let (own, opp) = if color == self.turn { (self.own, self.opp) } else { (self.opp, self.own) };
        Some(Othello { own, opp, turn: color })
    }

    fn ending(&self) -> &'static str {
        if self.outcome().is_none() {
            ""
        } else if self.empty().is_empty() {
            "full board"
        } else if self.own.is_empty() || self.opp.is_empty() {
            "no disc left"
        } else {
            "no move for either side"
        }
    }
}
