//! A board without stones: its points and holes, their names, and what blocks of stones on it see.

use arrayvec::ArrayVec;

use super::bits::{Bits, Plane};
use crate::game::notation::PositionText;
use crate::game::{BadMove, BadPosition, Cell, Color, Geometry, Grid, Illegal, Letters, Move, Point, RowOne};

/// The board of a set-up. Moves and members of sets are numbered `row * (width + 1) + column`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape<P: Plane> {
    pub(super) plane: P,
    /// The points of the board, without holes.
    pub(super) points: P::Bits,
    /// The point Black's first move may not take, or empty.
    pub(super) ban: P::Bits,
    pub(super) width: u8,
    pub(super) height: u8,
}

/// The liberties of one colour's blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Liberties<B> {
    /// The last liberties of the blocks that have only one.
    pub(super) last: B,
    /// The liberties of the blocks that have two or more.
    pub(super) more: B,
}

impl<P: Plane> Shape<P> {
    /// A full rectangle less `holes`, with the centre banned for Black's first move on demand.
    pub(super) fn new(width: u8, height: u8, holes: &[Point], ban_centre: bool) -> Shape<P> {
        let plane = P::new(width);
        let number = |p: Point| usize::from(p.row) * plane.stride() + usize::from(p.column);
        let mut points = P::Bits::EMPTY;
        for row in 0..height {
            for column in 0..width {
                let point = Point { column, row };
                if !holes.contains(&point) {
                    points = points | P::Bits::bit(number(point));
                }
            }
        }
        let centre = P::Bits::bit(number(Point { column: width / 2, row: height / 2 }));
        let ban = if ban_centre { centre } else { P::Bits::EMPTY };
        Shape { plane, points, ban, width, height }
    }

    pub(super) fn geometry(&self) -> Geometry {
        Geometry {
            width: self.width,
            height: self.height,
            letters: Letters::SkipI,
            row_one: RowOne::Bottom,
            grid: Grid::Lines,
        }
    }

    /// Number of points, holes included.
    pub(super) fn area(&self) -> u32 {
        u32::from(self.width) * u32::from(self.height)
    }

    pub(super) fn number(&self, point: Point) -> usize {
        usize::from(point.row) * self.plane.stride() + usize::from(point.column)
    }

    fn point(&self, number: usize) -> Point {
        let stride = self.plane.stride();
        Point { column: (number % stride) as u8, row: (number / stride) as u8 }
    }

    pub(super) fn name(&self, number: usize) -> String {
        self.geometry().name(self.point(number))
    }

    pub(super) fn points_of(&self, mv: Move) -> ArrayVec<Point, 3> {
        (mv < Move::PASS).then(|| self.point(mv.index())).into_iter().collect()
    }

    pub(super) fn move_of(&self, points: &[Point]) -> Option<Move> {
        match points {
            &[point] if point.column < self.width && point.row < self.height => {
                Some(Move::new(self.number(point) as u32))
            }
            _ => None,
        }
    }

    pub(super) fn parse_move(&self, text: &str) -> Result<Move, BadMove> {
        if text.eq_ignore_ascii_case("pass") {
            return Ok(Move::PASS);
        }
        match self.geometry().parse(text) {
            Some(point) => Ok(Move::new(self.number(point) as u32)),
            None => Err(BadMove(text.to_owned(), "a point of the board such as d4")),
        }
    }

    pub(super) fn move_text(&self, mv: Move) -> String {
        match mv {
            Move::PASS => "pass".to_owned(),
            Move::NONE => "none".to_owned(),
            _ => self.name(mv.index()),
        }
    }

    pub(super) fn cell(&self, stones: &[P::Bits; 2], point: Point) -> Cell {
        let number = self.number(point);
        if stones[0].has(number) {
            Cell::Stone(Color::Black)
        } else if stones[1].has(number) {
            Cell::Stone(Color::White)
        } else if self.points.has(number) {
            Cell::Empty
        } else {
            Cell::Blocked
        }
    }

    /// The points without a stone.
    #[inline]
    pub(super) fn empty(&self, stones: &[P::Bits; 2]) -> P::Bits {
        self.points & !(stones[0] | stones[1])
    }

    /// The stones of a position text, once holes and liberties are in order.
    pub(super) fn parse_stones(&self, text: &PositionText) -> Result<[P::Bits; 2], BadPosition> {
        let mut stones = [P::Bits::EMPTY; 2];
        for (point, &cell) in self.geometry().points_from_top().zip(&text.cells) {
            let number = self.number(point);
            match (cell, self.points.has(number)) {
                (Cell::Blocked, true) => {
                    return Err(BadPosition(format!(
                        "there is no hole at {} on this board",
                        self.name(number)
                    )));
                }
                (Cell::Blocked, false) | (Cell::Empty, true) => {}
                (_, false) => {
                    return Err(BadPosition(format!("{} is a hole on this board (#)", self.name(number))));
                }
                (Cell::Stone(color), true) => {
                    stones[color.index()] = stones[color.index()] | P::Bits::bit(number);
                }
            }
        }
        let empty = self.empty(&stones);
        for color in Color::ALL {
            let own = stones[color.index()];
            let alive = self.plane.flood(self.plane.around(empty) & own, own);
            let dead = own & !alive;
            if !dead.is_empty() {
                let at = self.name(dead.lowest());
                return Err(BadPosition(format!("the {color} group at {at} has no liberty")));
            }
        }
        Ok(stones)
    }

    /// The liberties of all blocks of `stones`.
    ///
    /// A block with a stone that sees two empty points has two liberties; all those blocks are found
    /// together by one flood. Of the rest, stones without a neighbour of their colour have one
    /// liberty, and only thin blocks are left to be walked one by one.
    #[inline]
    pub(super) fn liberties(&self, stones: P::Bits, empty: P::Bits) -> Liberties<P::Bits> {
        let plane = self.plane;
        let (east, west) = (empty.up(1), empty.down(1));
        let (north, south) = (empty.up(plane.stride()), empty.down(plane.stride()));
        let two = east & west | north & south | (east | west) & (north | south);
        let open = plane.flood(stones & two, stones);
        let mut more = plane.around(open) & empty;
        let mut rest = stones & !open;
        let lone = rest & !plane.around(rest);
        let mut last = plane.around(lone) & empty;
        rest = rest ^ lone;
        while !rest.is_empty() {
            let block = plane.flood(rest.first(), rest);
            rest = rest ^ block;
            let liberties = plane.around(block) & empty;
            if liberties.at_most_one() {
                last = last | liberties;
            } else {
                more = more | liberties;
            }
        }
        Liberties { last, more }
    }

    /// Whether the move names an empty point of the board.
    pub(super) fn place(&self, stones: &[P::Bits; 2], mv: Move) -> Result<(), Illegal> {
        let (at, stride) = (mv.index(), self.plane.stride());
        if at >= stride * usize::from(self.height) || at % stride == usize::from(self.width) {
            return Err(Illegal::OffBoard);
        }
        if self.empty(stones).has(at) { Ok(()) } else { Err(Illegal::Occupied) }
    }

    /// Whether a stone of `color` on the empty point `at` would leave an enemy group without
    /// liberties (`Capture`), or else its own (`Suicide`).
    #[inline]
    pub(super) fn touch(&self, stones: &[P::Bits; 2], color: Color, at: usize) -> Result<(), Illegal> {
        let plane = self.plane;
        let (own, enemy) = (stones[color.index()], stones[(!color).index()]);
        let stone = P::Bits::bit(at);
        let empty = self.empty(stones) ^ stone;
        let mut beside = plane.around(stone) & enemy;
        while !beside.is_empty() {
            let block = plane.flood(beside.first(), enemy);
            if (plane.around(block) & empty).is_empty() {
                return Err(Illegal::Capture);
            }
            beside = beside & !block;
        }
        if (plane.around(stone) & empty).is_empty() {
            let block = plane.flood(stone, own | stone);
            if (plane.around(block) & empty).is_empty() {
                return Err(Illegal::Suicide);
            }
        }
        Ok(())
    }
}
