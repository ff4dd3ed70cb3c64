//! Evaluation and move ordering.

use super::Othello;
use super::board::{Bits, Shape, squares};
use crate::game::{Color, EVAL_MAX, Game, Knowledge, Leaf, Move, Outcome, Rng, random};

impl<S: Shape> Knowledge for Othello<S> {
    const LEAF: Leaf = Leaf::Static;
    /// People's positions with 24 to 31 empty squares that the trained weights value at 9 discs are
    /// won with perfect play from 24 empty squares on in 83 to 88 % (WTHOR).
    const SCALE: i32 = 900;
    const UNIT: i32 = 100;
    const MARGINS: bool = true;
    const PLAYED_OUT: u32 = if S::SIDE == 8 { 2 * 18 } else { 0 };

    #[inline]
    fn evaluate(&self) -> i32 {
        let value =
            S::trained(self.own(), self.opp()).unwrap_or_else(|| by_hand::<S>(self.own(), self.opp()));
        value.clamp(-EVAL_MAX, EVAL_MAX)
    }

    fn order(&self, moves: &[Move], out: &mut Vec<i32>) {
        let (own, opp, empty) = (self.own(), self.opp(), self.empty());
        let weights = OrderWeights::of(empty.count(), u32::from(S::SIDE) * u32::from(S::SIDE));
        let corners = S::corners();
        let edges = S::edges();
        let next = S::neighbours(corners);
        let risky = S::neighbours(corners & empty);
        out.extend(moves.iter().map(|&mv| {
            if mv == Move::PASS {
                return 0;
            }
            let square = mv.raw() % S::Bits::SIZE;
            let bit = S::Bits::single(square);
            let flips = S::flips(own, opp, square);
            let (own, opp, left) = (own | flips | bit, opp & !flips, empty & !bit);
            let replies = S::mobility(opp, own);
            let inside = |set: S::Bits| !(bit & set).is_empty();
            let place = if inside(corners) {
                weights.corner
            } else if inside(risky) {
                if inside(edges) { weights.c_square } else { weights.x_square }
            } else if inside(edges & !next) {
                weights.edge
            } else {
                0
            };
            let odd = (S::quarter(bit) & empty).count() % 2;
            place
                + weights.reply * replies.count() as i32
                + weights.corner_reply * (replies & corners).count() as i32
                + weights.own_frontier * (S::neighbours(own) & left).count() as i32
                + weights.other_frontier * (S::neighbours(opp) & left).count() as i32
                + weights.flip * flips.count() as i32
                + weights.odd * odd as i32
        }));
    }

    /// A game at random to its end. Leaves are valued by [`evaluate`](Knowledge::evaluate), so the
    /// tree search does not ask for it.
    fn playout(&mut self, rng: &mut Rng) -> f32 {
        while self.outcome().is_none() {
            let mobility = self.mobility();
            let chosen = random::below(rng, mobility.count().max(1)) as usize;
            self.play(squares(mobility).nth(chosen).map_or(Move::PASS, Move::new));
        }
        match self.outcome() {
            Some(Outcome::Win(Color::Black)) => 1.0,
            Some(Outcome::Win(Color::White)) => 0.0,
            _ => 0.5,
        }
    }
}

/// The terms of [`Knowledge::order`], in its unit.
///
/// Fitted by softmax regression (the probability of each move proportional to the exponential of its
/// score / 100) to 490,000 moves of people in the WTHOR base, by the number of empty squares. Only
/// `corner` is set by hand: people seldom leave a corner to be taken, a search tries it all the time.
struct OrderWeights {
    /// A corner.
    corner: i32,
    /// The square diagonally next to an empty corner.
    x_square: i32,
    /// The squares of the edge next to an empty corner.
    c_square: i32,
    /// Other squares of the edge.
    edge: i32,
    /// A move the other side has afterwards.
    reply: i32,
    /// More for each of those that is a corner.
    corner_reply: i32,
    /// An empty square next to an own disc afterwards.
    own_frontier: i32,
    /// An empty square next to a disc of the other side afterwards.
    other_frontier: i32,
    /// A disc turned over.
    flip: i32,
    /// An odd number of empty squares in this quarter of the board.
    odd: i32,
}

impl OrderWeights {
    /// For boards of 64 squares with 44 or more, 30 to 43, 18 to 29 and fewer empty ones.
    const PHASES: [OrderWeights; 4] = [
        OrderWeights {
            corner: 60,
            x_square: -317,
            c_square: -180,
            edge: -105,
            reply: -22,
            corner_reply: -125,
            own_frontier: -44,
            other_frontier: 31,
            flip: -31,
            odd: 27,
        },
        OrderWeights {
            corner: 60,
            x_square: -307,
            c_square: -111,
            edge: -50,
            reply: -33,
            corner_reply: -304,
            own_frontier: -26,
            other_frontier: 36,
            flip: -37,
            odd: 9,
        },
        OrderWeights {
            corner: 60,
            x_square: -160,
            c_square: -103,
            edge: -37,
            reply: -38,
            corner_reply: -195,
            own_frontier: -13,
            other_frontier: 29,
            flip: -20,
            odd: 12,
        },
        OrderWeights {
            corner: 60,
            x_square: -59,
            c_square: -75,
            edge: -15,
            reply: -52,
            corner_reply: -120,
            own_frontier: -2,
            other_frontier: 18,
            flip: -2,
            odd: 50,
        },
    ];

    fn of(empty: u32, area: u32) -> &'static OrderWeights {
        match 64 * empty / area {
            44.. => &Self::PHASES[0],
            30..44 => &Self::PHASES[1],
            18..30 => &Self::PHASES[2],
            _ => &Self::PHASES[3],
        }
    }
}

/// What a feature is worth, in hundredths of a disc: on the full-of-empties board and at the end,
/// linear in between.
struct Phase {
    empty: i32,
    area: i32,
}

impl Phase {
    fn blend(&self, open: i32, full: i32) -> i32 {
        (open * self.empty + full * (self.area - self.empty)) / self.area
    }
}

/// The evaluation of boards without trained weights: mobility and potential mobility, corners and
/// the squares next to empty corners, edge discs held by a corner, the right to the last move.
fn by_hand<S: Shape>(own: S::Bits, opp: S::Bits) -> i32 {
    let area = i32::from(S::SIDE) * i32::from(S::SIDE);
    let empty = S::AREA & !(own | opp);
    let phase = Phase { empty: empty.count() as i32, area };
    let corners = S::corners();
    let edges = S::edges();
    let risky = S::neighbours(corners & empty);
    let difference = |a: S::Bits, b: S::Bits| a.count() as i32 - b.count() as i32;

    let (moves, replies) = (S::mobility(own, opp), S::mobility(opp, own));
    let mut value = phase.blend(80, 60) * difference(moves, replies);
    // Empty squares next to discs of the other side are where moves come from later.
    value += phase.blend(50, 10) * difference(S::neighbours(opp) & empty, S::neighbours(own) & empty);
    value += phase.blend(700, 400) * difference(own & corners, opp & corners);
    value += 300 * (moves & corners).count() as i32 - 150 * (replies & corners).count() as i32;
    value -= phase.blend(450, 200) * difference(own & risky & !edges, opp & risky & !edges);
    value -= phase.blend(120, 80) * difference(own & risky & edges, opp & risky & edges);
    value += 150 * difference(held::<S>(own), held::<S>(opp));
    value += phase.blend(-20, 60) * difference(own, opp);
    if phase.empty % 2 == 1 { value + phase.blend(0, 200) } else { value - phase.blend(0, 200) }
}

/// The edge discs of a side that are joined to a corner of its own along the edge: they can never be
/// turned over.
fn held<S: Shape>(own: S::Bits) -> S::Bits {
    let edge = own & S::edges();
    let mut held = edge & S::corners();
    loop {
        let step =
            (held & !S::LAST).up(1) | (held & !S::FIRST).down(1) | held.up(S::STRIDE) | held.down(S::STRIDE);
        let next = held | (step & edge);
        if next == held {
            return held;
        }
        held = next;
    }
}
