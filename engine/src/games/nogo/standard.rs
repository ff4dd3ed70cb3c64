//! NoGo proper: no stone is ever taken, so a position is two sets of stones and the side to move.

use arrayvec::ArrayVec;

use super::bits::{Bits, Plane};
use super::shape::Shape;
use crate::game::notation::PositionText;
use crate::game::{BadMove, BadPosition, Cell, Color, Game, Geometry, Illegal, Move, Outcome, Point, Rules};

/// A position of NoGo under the standard rule. A move is the number of its point,
/// `row * (width + 1) + column`.
#[derive(Clone, Debug)]
pub struct Standard<P: Plane> {
    pub(super) shape: Shape<P>,
    /// Black's and White's stones.
    pub(super) stones: [P::Bits; 2],
    pub(super) turn: Color,
}

impl<P: Plane> Standard<P> {
    pub(super) fn new(shape: Shape<P>) -> Standard<P> {
        Standard { shape, stones: [P::Bits::EMPTY; 2], turn: Color::Black }
    }

    /// The points where Black and where White could legally put a stone, whoever is to move; the ban
    /// of the centre, a matter of the first move alone, is left out.
    ///
    /// A point is legal when it is not the last liberty of an enemy block and either has an empty
    /// neighbour or touches an own block with another liberty.
    #[must_use]
    #[inline]
    pub fn legal(&self) -> [P::Bits; 2] {
        let empty = self.shape.empty(&self.stones);
        let free = self.shape.plane.around(empty);
        let [black, white] = self.stones.map(|stones| self.shape.liberties(stones, empty));
        [empty & !white.last & (free | black.more), empty & !black.last & (free | white.more)]
    }

    /// The legal points of the side to move.
    #[inline]
    fn own_legal(&self) -> P::Bits {
        let (shape, own, enemy) = (&self.shape, self.turn.index(), (!self.turn).index());
        let empty = shape.empty(&self.stones);
        let free = shape.plane.around(empty);
        let mut legal = empty & !shape.liberties(self.stones[enemy], empty).last & !self.ban();
        if !(legal & !free).is_empty() {
            legal = legal & (free | shape.liberties(self.stones[own], empty).more);
        }
        legal
    }

    /// The point the side to move may not take on its first move.
    #[inline]
    fn ban(&self) -> P::Bits {
        if self.turn == Color::Black && self.stones[0].is_empty() { self.shape.ban } else { P::Bits::EMPTY }
    }

    #[inline]
    fn has_move(&self) -> bool {
        let empty = self.shape.empty(&self.stones);
        let plane = self.shape.plane;
        // Away from enemy stones and beside an empty point nothing can be wrong.
        let certain = empty & plane.around(empty) & !plane.around(self.stones[(!self.turn).index()]);
        !(certain & !self.ban()).is_empty() || !self.own_legal().is_empty()
    }
}

impl<P: Plane> Game for Standard<P> {
    type Undo = ();

    #[inline]
    fn turn(&self) -> Color {
        self.turn
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        (!self.has_move()).then_some(Outcome::Win(!self.turn))
    }

    fn moves(&self, out: &mut Vec<Move>) {
        out.extend(self.own_legal().iter().map(|number| Move::new(number as u32)));
    }

    #[inline]
    fn count(&self) -> u64 {
        u64::from(self.own_legal().count())
    }

    fn is_legal(&self, mv: Move) -> bool {
        let at = mv.index();
        self.shape.points.has(at)
            && !(self.stones[0] | self.stones[1] | self.ban()).has(at)
            && self.shape.touch(&self.stones, self.turn, at).is_ok()
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{mv:?} in {self:?}");
        let own = &mut self.stones[self.turn.index()];
        *own = *own | P::Bits::bit(mv.index());
        self.turn = !self.turn;
    }

    #[inline]
    fn undo(&mut self, mv: Move, (): ()) {
        self.turn = !self.turn;
        let own = &mut self.stones[self.turn.index()];
        *own = *own & !P::Bits::bit(mv.index());
    }

    #[inline]
    fn key(&self) -> u64 {
        let turn = self.turn as u64 * 0x9D8A_3C0F_51B7_E62D;
        self.stones[0].hash(0x6E6F_676F) ^ self.stones[1].hash(0x7774_6162) ^ turn
    }

    /// Legal sets only shrink, so neither side can move more often than it has legal points now; and
    /// no point is taken twice.
    fn horizon(&self) -> u32 {
        let own = self.own_legal();
        if own.is_empty() {
            return 0;
        }
        let enemy = self.legal()[(!self.turn).index()];
        (2 * own.count()).min(2 * enemy.count() + 1).min((own | enemy).count())
    }
}

impl<P: Plane> Rules for Standard<P> {
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
        if self.outcome().is_some() {
            return Err(Illegal::GameOver);
        }
        self.shape.place(&self.stones, mv)?;
        if self.ban().has(mv.index()) {
            return Err(Illegal::Centre);
        }
        self.shape.touch(&self.stones, self.turn, mv.index())
    }

    fn parse_move(&self, text: &str) -> Result<Move, BadMove> {
        self.shape.parse_move(text)
    }

    fn move_text(&self, mv: Move) -> String {
        self.shape.move_text(mv)
    }

    fn parse_position(&self, text: &str) -> Result<Self, BadPosition> {
        let text = PositionText::parse(&self.geometry(), text)?;
        text.allow_words(&[])?;
        let stones = self.shape.parse_stones(&text)?;
        let [black, white] = stones.map(Bits::count);
        // No stone is ever taken and every order of the stones of a legal position is a legal game.
        if black != white + u32::from(text.turn == Color::White) {
            let turn = text.turn;
            return Err(BadPosition(format!("{black} black and {white} white stones with {turn} to move")));
        }
        if black == 1 && stones[0] == self.shape.ban {
            return Err(BadPosition("Black's first move may not be the centre".to_owned()));
        }
        Ok(Standard { shape: self.shape, stones, turn: text.turn })
    }

    fn with_turn(&self, color: Color) -> Option<Self> {
        Some(Standard { turn: color, ..self.clone() })
    }

    fn ending(&self) -> &'static str {
        if self.has_move() { "" } else { "no legal move" }
    }
}
