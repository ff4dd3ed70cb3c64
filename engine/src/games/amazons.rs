//! The Game of the Amazons, 4x4 to 10x10.
//!
//! [`Amazons`] plays full moves (queen step and arrow), as people write them. [`Steps`] is what a search
//! sees: the queen step and the arrow as two moves of the same side, which makes about 80 + 30 children
//! of a turn's 2176 moves on the empty 10x10 board.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod board;
mod knowledge;
mod spread;
mod steps;

use arrayvec::ArrayVec;

use super::{Setup, SetupError, Visitor};
use crate::game::notation::PositionText;
use crate::game::{
    BadMove, BadPosition, Cell, Color, Game, Geometry, Grid, Illegal, Letters, Move, Outcome, Point, RowOne,
    Rules,
};
use board::{Board, Set};
pub use knowledge::{Distances, Features};
pub use steps::Steps;

/// Hands the set-up's start position to the visitor.
pub(crate) fn open<V: Visitor>(setup: Setup, visitor: V) -> Result<V::Out, SetupError> {
    let corner = setup.choice("start") == "corner";
    match setup.width {
        4 => Ok(visitor.visit(setup, Amazons::<4>::start(corner))),
        5 => Ok(visitor.visit(setup, Amazons::<5>::start(corner))),
        6 => Ok(visitor.visit(setup, Amazons::<6>::start(corner))),
        7 => Ok(visitor.visit(setup, Amazons::<7>::start(corner))),
        8 => Ok(visitor.visit(setup, Amazons::<8>::start(corner))),
        9 => Ok(visitor.visit(setup, Amazons::<9>::start(corner))),
        10 => Ok(visitor.visit(setup, Amazons::<10>::start(corner))),
        side => Err(SetupError(format!("unacceptable size {side}: amazons has 4 to 10"))),
    }
}

/// A position of Amazons on an `N`x`N` board, `4 <= N <= 10`.
///
/// A move is `from | to << 8 | arrow << 16`, each a square `row * (N + 1) + column` counted from the
/// bottom left corner.
#[derive(Clone, Debug)]
pub struct Amazons<const N: usize>(Board<N>);

impl<const N: usize> Amazons<N> {
    /// The start position: four amazons a side on two ranks and two files, a third of the way in
    /// (10x10: White a4 d1 g1 j4, Black a7 d10 g10 j7); with `corner`, White on the first four squares
    /// of the bottom row and Black on the last four of the top row.
    #[must_use]
    pub fn start(corner: bool) -> Amazons<N> {
        let last = N - 1;
        let inset = last / 3;
        let white = if corner {
            [(0, 0), (1, 0), (2, 0), (3, 0)]
        } else {
            [(inset, 0), (last - inset, 0), (0, inset), (last, inset)]
        };
        let set = |squares: [(usize, usize); 4]| -> Set {
            squares.iter().map(|(column, row)| board::bit(row * Board::<N>::STRIDE + column)).sum()
        };
        let black = if corner {
            white.map(|(column, _)| (last - column, last))
        } else {
            white.map(|(column, row)| (column, last - row))
        };
        Amazons(Board::new([set(black), set(white)], 0, Color::White))
    }

    fn pack(from: usize, to: usize, arrow: usize) -> Move {
        Move::new((from | to << 8 | arrow << 16) as u32)
    }

    fn unpack(mv: Move) -> (usize, usize, usize) {
        (mv.index() & 0xFF, mv.index() >> 8 & 0xFF, mv.index() >> 16)
    }
}

impl<const N: usize> Game for Amazons<N> {
    type Undo = ();

    fn turn(&self) -> Color {
        self.0.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn moves(&self, out: &mut Vec<Move>) {
        self.0.each_step(|from, to| {
            let arrows = Board::<N>::reach(to, self.0.empty ^ board::bit(from));
            out.extend(board::squares(arrows).map(|arrow| Self::pack(from, to, arrow)));
        });
    }

    fn count(&self) -> u64 {
        self.0.count()
    }

    fn is_legal(&self, mv: Move) -> bool {
        let (from, to, arrow) = Self::unpack(mv);
        self.0.is_legal(from, to, arrow)
    }

    fn play(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{mv:?} in {self:?}");
        let (from, to, arrow) = Self::unpack(mv);
        self.0.step(from, to);
        self.0.shoot(arrow);
    }

    fn undo(&mut self, mv: Move, (): ()) {
        let (from, to, arrow) = Self::unpack(mv);
        self.0.shoot(arrow);
        self.0.step(to, from);
    }

    fn key(&self) -> u64 {
        self.0.key
    }

    fn horizon(&self) -> u32 {
        if self.0.is_over() { 0 } else { board::size(self.0.empty) }
    }
}

impl<const N: usize> Rules for Amazons<N> {
    type Searched = Steps<N>;

    fn searched(&self) -> Steps<N> {
        Steps::new(self.0.clone())
    }

    fn split(mv: Move) -> ArrayVec<Move, 2> {
        let (from, to, arrow) = Self::unpack(mv);
        ArrayVec::from([steps::step_move(from, to), steps::arrow_move(arrow)])
    }

    fn join(steps: &[Move]) -> Option<Move> {
        let [step, arrow, ..] = steps else { return None };
        let (from, to) = steps::as_step(*step)?;
        Some(Self::pack(from, to, steps::as_arrow(*arrow)?))
    }

    fn geometry(&self) -> Geometry {
        Geometry {
            width: N as u8,
            height: N as u8,
            letters: Letters::KeepI,
            row_one: RowOne::Bottom,
            grid: Grid::Cells,
        }
    }

    fn cell(&self, point: Point) -> Cell {
        let square = Board::<N>::square(point).map_or(0, board::bit);
        if self.0.empty & square != 0 {
            return Cell::Empty;
        }
        match Color::ALL.into_iter().find(|color| self.0.amazons[color.index()] & square != 0) {
            Some(color) => Cell::Stone(color),
            None => Cell::Blocked,
        }
    }

    fn points(&self, mv: Move) -> ArrayVec<Point, 3> {
        let (from, to, arrow) = Self::unpack(mv);
        match [from, to, arrow].map(Board::<N>::point) {
            [Some(from), Some(to), Some(arrow)] => ArrayVec::from([from, to, arrow]),
            _ => ArrayVec::new(),
        }
    }

    fn move_of(&self, points: &[Point]) -> Option<Move> {
        let &[from, to, arrow] = points else { return None };
        Some(Self::pack(Board::<N>::square(from)?, Board::<N>::square(to)?, Board::<N>::square(arrow)?))
    }

    fn check(&self, mv: Move) -> Result<(), Illegal> {
        if mv == Move::PASS {
            return Err(Illegal::NoPass);
        }
        let (from, to, arrow) = Self::unpack(mv);
        self.0.check(from, to, arrow)
    }

    fn parse_move(&self, text: &str) -> Result<Move, BadMove> {
        if text.eq_ignore_ascii_case("pass") {
            return Ok(Move::PASS);
        }
        let geometry = self.geometry();
        let mut parts = text.split(['-', '/', 'x', 'X']).map(|name| geometry.parse(name));
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(Some(from)), Some(Some(to)), Some(Some(arrow)), None) => self.move_of(&[from, to, arrow]),
            _ => None,
        }
        .ok_or_else(|| BadMove(text.to_owned(), "from-to-arrow on the board, such as d1-d3-a3"))
    }

    fn move_text(&self, mv: Move) -> String {
        if mv == Move::PASS {
            return "pass".to_owned();
        }
        let geometry = self.geometry();
        self.points(mv).iter().map(|&point| geometry.name(point)).collect::<Vec<_>>().join("-")
    }

    fn parse_position(&self, text: &str) -> Result<Self, BadPosition> {
        let geometry = self.geometry();
        let parsed = PositionText::parse(&geometry, text)?;
        parsed.allow_words(&[])?;
        for (color, letter) in [(Color::White, 'O'), (Color::Black, 'X')] {
            let found = parsed.count(Cell::Stone(color));
            if found != 4 {
                return Err(BadPosition(format!("{color} has {found} amazons ({letter}), not 4")));
            }
        }
        let arrows = parsed.count(Cell::Blocked);
        let turn = if arrows.is_multiple_of(2) { Color::White } else { Color::Black };
        if parsed.turn != turn {
            let found = parsed.turn;
            return Err(BadPosition(format!("after {arrows} arrows (#) {turn} is to move, not {found}")));
        }
        let (mut amazons, mut blocked) = ([0; 2], 0);
        for (point, cell) in geometry.points_from_top().zip(&parsed.cells) {
            let square = Board::<N>::square(point).map_or(0, board::bit);
            match cell {
                Cell::Empty => {}
                Cell::Stone(color) => amazons[color.index()] |= square,
                Cell::Blocked => blocked |= square,
            }
        }
        Ok(Amazons(Board::new(amazons, blocked, turn)))
    }

    fn with_turn(&self, color: Color) -> Option<Self> {
        Some(Amazons(Board::new(self.0.amazons, self.0.arrows(), color)))
    }

    fn ending(&self) -> &'static str {
        match (self.0.is_over(), self.0.turn) {
            (false, _) => "",
            (true, Color::Black) => "black has no move",
            (true, Color::White) => "white has no move",
        }
    }
}
