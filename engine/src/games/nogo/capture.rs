//! The variant in which stones are taken, and who takes the last one wins.

use arrayvec::ArrayVec;

use super::bits::{Bits, Plane};
use super::shape::Shape;
use crate::game::notation::PositionText;
use crate::game::random::mix;
use crate::game::{BadMove, BadPosition, Cell, Color, Game, Geometry, Illegal, Move, Outcome, Point, Rules};

/// A position of NoGo under the rule `capture`. A move is the number of its point,
/// `row * (width + 1) + column`.
#[derive(Clone, Debug)]
pub struct Capture<P: Plane> {
    pub(super) shape: Shape<P>,
    /// Black's and White's stones.
    pub(super) stones: [P::Bits; 2],
    pub(super) turn: Color,
    /// Moves played since the empty board.
    pub(super) ply: u32,
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The side to move has no stone left.
    Taken,
    /// As many moves as the board has points.
    Plies,
    /// The side to move has no legal move.
    Stuck,
}

impl<P: Plane> Capture<P> {
    pub(super) fn new(shape: Shape<P>) -> Capture<P> {
        Capture { shape, stones: [P::Bits::EMPTY; 2], turn: Color::Black, ply: 0 }
    }

    /// The point the side to move may not take on its first move.
    #[inline]
    fn ban(&self) -> P::Bits {
        if self.ply == 0 && self.turn == Color::Black { self.shape.ban } else { P::Bits::EMPTY }
    }

    /// The empty points that are no suicide for the side to move: those with an empty neighbour, those
    /// that touch an own block with another liberty, and the last liberties of enemy blocks.
    #[inline]
    fn free_points(&self) -> P::Bits {
        let shape = &self.shape;
        let empty = shape.empty(&self.stones);
        let mut legal = empty & shape.plane.around(empty);
        if legal != empty {
            let own = shape.liberties(self.stones[self.turn.index()], empty).more;
            let enemy = shape.liberties(self.stones[(!self.turn).index()], empty).last;
            legal = legal | own | enemy;
        }
        legal & !self.ban()
    }

    /// Whether the side to move has been captured out. Before its first move a side has no stones
    /// either, but has lost none.
    #[inline]
    pub(super) fn taken(&self) -> bool {
        self.ply >= 2 && self.stones[self.turn.index()].is_empty()
    }

    #[inline]
    fn end(&self) -> Option<End> {
        if self.taken() {
            Some(End::Taken)
        } else if self.ply >= self.shape.area() {
            Some(End::Plies)
        } else if self.free_points().is_empty() {
            Some(End::Stuck)
        } else {
            None
        }
    }

    #[inline]
    pub(super) fn legal(&self) -> P::Bits {
        if self.taken() || self.ply >= self.shape.area() { P::Bits::EMPTY } else { self.free_points() }
    }

    /// The enemy stones that a stone of the side to move on the empty point `at` would take.
    #[inline]
    pub(super) fn prey(&self, at: usize) -> P::Bits {
        let plane = self.shape.plane;
        let enemy = self.stones[(!self.turn).index()];
        let stone = P::Bits::bit(at);
        let empty = self.shape.empty(&self.stones) & !stone;
        let mut beside = plane.around(stone) & enemy;
        let mut prey = P::Bits::EMPTY;
        while !beside.is_empty() {
            let block = plane.flood(beside.first(), enemy);
            if (plane.around(block) & empty).is_empty() {
                prey = prey | block;
            }
            beside = beside & !block;
        }
        prey
    }

    /// Whether a stone on the empty point `at` would be without liberties after it has taken what it
    /// takes.
    #[inline]
    pub(super) fn is_suicide(&self, at: usize) -> bool {
        let plane = self.shape.plane;
        let stone = P::Bits::bit(at);
        let empty = self.shape.empty(&self.stones) & !stone;
        if !(plane.around(stone) & empty).is_empty() {
            return false;
        }
        let block = plane.flood(stone, self.stones[self.turn.index()] | stone);
        (plane.around(block) & empty).is_empty() && self.prey(at).is_empty()
    }
}

impl<P: Plane> Game for Capture<P> {
    /// The stones the move took.
    type Undo = P::Bits;

    #[inline]
    fn turn(&self) -> Color {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        self.end().map(|end| match end {
            End::Plies => Outcome::Draw,
            End::Taken | End::Stuck => Outcome::Win(!self.turn),
        })
    }

    fn moves(&self, out: &mut Vec<Move>) {
        out.extend(self.legal().iter().map(|number| Move::new(number as u32)));
    }

    fn count(&self) -> u64 {
        u64::from(self.legal().count())
    }

    fn is_legal(&self, mv: Move) -> bool {
        let at = mv.index();
        self.ply < self.shape.area()
            && !self.taken()
            && self.shape.points.has(at)
            && !(self.stones[0] | self.stones[1] | self.ban()).has(at)
            && !self.is_suicide(at)
    }

    #[inline]
    fn play(&mut self, mv: Move) -> P::Bits {
        debug_assert!(self.is_legal(mv), "{mv:?} in {self:?}");
        let prey = self.prey(mv.index());
        let [own, enemy] = [self.turn.index(), (!self.turn).index()];
        self.stones[own] = self.stones[own] | P::Bits::bit(mv.index());
        self.stones[enemy] = self.stones[enemy] & !prey;
        self.turn = !self.turn;
        self.ply += 1;
        prey
    }

    #[inline]
    fn undo(&mut self, mv: Move, prey: P::Bits) {
        self.turn = !self.turn;
        self.ply -= 1;
        let [own, enemy] = [self.turn.index(), (!self.turn).index()];
        self.stones[own] = self.stones[own] & !P::Bits::bit(mv.index());
        self.stones[enemy] = self.stones[enemy] | prey;
    }

    fn key(&self) -> u64 {
        let time = mix(u64::from(self.ply) << 1 | self.turn as u64);
        self.stones[0].hash(0x6E6F_676F) ^ self.stones[1].hash(0x7774_6162) ^ time
    }

    fn horizon(&self) -> u32 {
        if self.end().is_some() { 0 } else { self.shape.area() - self.ply }
    }
}

impl<P: Plane> Rules for Capture<P> {
    type Searched = Self;

    fn searched(&self) -> Self {
        self.clone()
    }

    fn geometry(&self) -> Geometry {
        self.shape.geometry()
    }

    fn cell(&self, point: Point) -> Cell {
        self.shape.cell(&self.stones, point)
    }

    fn points(&self, mv: Move) -> ArrayVec<Point, 3> {
        self.shape.points_of(mv)
    }

    fn move_of(&self, points: &[Point]) -> Option<Move> {
        self.shape.move_of(points)
    }

    fn check(&self, mv: Move) -> Result<(), Illegal> {
        if mv == Move::PASS {
            return Err(Illegal::NoPass);
        }
        if self.end().is_some() {
            return Err(Illegal::GameOver);
        }
        self.shape.place(&self.stones, mv)?;
        if self.ban().has(mv.index()) {
            return Err(Illegal::Centre);
        }
        if self.is_suicide(mv.index()) { Err(Illegal::Suicide) } else { Ok(()) }
    }

    fn parse_move(&self, text: &str) -> Result<Move, BadMove> {
        self.shape.parse_move(text)
    }

    fn move_text(&self, mv: Move) -> String {
        self.shape.move_text(mv)
    }

    /// Without `ply=`, the number of stones is taken: nothing has been captured yet.
    fn parse_position(&self, text: &str) -> Result<Self, BadPosition> {
        let bad = |message: String| Err(BadPosition(message));
        let text = PositionText::parse(&self.geometry(), text)?;
        text.allow_words(&["ply"])?;
        let stones = self.shape.parse_stones(&text)?;
        let [black, white] = stones.map(Bits::count);
        let (turn, area) = (text.turn, self.shape.area());
        let mut guess = "";
        let ply = match text.words.first() {
            Some((_, value)) => match value.parse::<u32>() {
                Ok(ply) if ply <= area && value.bytes().all(|b| b.is_ascii_digit()) => ply,
                _ => return bad(format!("ply must be a number from 0 to {area}")),
            },
            None => {
                guess = " (as there are stones; ply=N says otherwise)";
                black + white
            }
        };
        if (ply % 2 == 1) != (turn == Color::White) {
            return bad(format!("{turn} cannot be to move at ply {ply}{guess}"));
        }
        if black > ply.div_ceil(2) || white > ply / 2 {
            return bad(format!("{black} black and {white} white stones at ply {ply}{guess}"));
        }
        if ply > 0 && stones[(!turn).index()].is_empty() {
            return bad(format!("{} has just moved and has no stone", !turn));
        }
        if matches!(ply, 1 | 2) && black == 1 && stones[0] == self.shape.ban {
            return bad("Black's first move may not be the centre".to_owned());
        }
        Ok(Capture { shape: self.shape, stones, turn, ply })
    }

    fn position_words(&self) -> String {
        format!("ply={}", self.ply)
    }

    fn with_turn(&self, color: Color) -> Option<Self> {
        Some(Capture { turn: color, ..self.clone() })
    }

    fn ending(&self) -> &'static str {
        match self.end() {
            None => "",
            Some(End::Taken) => "last stone captured",
            Some(End::Plies) => "as many moves as points",
            Some(End::Stuck) => "no legal move",
        }
    }
}
