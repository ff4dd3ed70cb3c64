//! What a search of Gomoku knows: the worth of shapes, static threats, and which moves matter.
//!
//! The order of things, from both sides' threats: a five wins; an enemy five must be stopped; an open
//! four wins; an enemy open four must be stopped, or held off by fours; all else is a matter of
//! judgement. Only the first four are used as proofs, and each is one (see
//! [`candidates`](Knowledge::candidates)).

use arrayvec::ArrayVec;

use super::Rule;
use super::lines::{MARGIN, Points, STEPS, STRIDE, cells, empties};
use super::search::GomokuSearch;
use super::shapes::{Info, Scores, Shape, Threat};
use crate::game::{Color, EVAL_MAX, Game, Knowledge, Leaf, Move, Rng};

/// Worth of one line of an empty point while its side is to move, by [`Shape`]; 400 units a unit of
/// log-odds. This and the next three are a logistic fit (ridge 0.002) of results on the quiet positions
/// of 5,000 freestyle and standard games of a one-ply player against itself: a first set, to be
/// replaced by values for every combination of shapes and rule.
const MOVING_OF_SHAPE: [i16; 14] = [0, 0, 0, 0, 0, 6, 8, 6, 13, 27, 17, 0, 0, 0];
/// Worth of an empty point on top of its lines while its side is to move, by [`Threat`].
const MOVING_OF_THREAT: [i16; 15] = [0, 0, 0, -7, 0, -2, 5, 0, 26, 78, 7, 53, 413, 0, 0];
/// Worth of one line while the other side is to move, by [`Shape`].
const WAITING_OF_SHAPE: [i16; 14] = [0, -1, 0, 0, 0, 6, 7, 8, 16, 19, 25, 32, 0, 0];
/// Worth on top of the lines while the other side is to move, by [`Threat`].
const WAITING_OF_THREAT: [i16; 15] = [0, 0, 0, -7, -2, -6, 1, -4, 19, 72, -6, 38, 215, 104, 0];
/// Ordering score of one's own move by line, by [`Shape`].
const OWN_OF_SHAPE: [i16; 14] = [0, 4, 10, 18, 34, 38, 42, 50, 85, 95, 60, 100, 100, 0];
/// Ordering score of one's own move by [`Threat`].
const OWN_OF_THREAT: [i16; 15] = [0, -300, -100, 0, 20, 0, 30, 20, 60, 250, 0, 60, 450, 800, 1500];
/// Ordering score for taking the enemy's point by line, by [`Shape`].
const BLOCK_OF_SHAPE: [i16; 14] = [0, 2, 8, 12, 26, 30, 34, 30, 65, 75, 40, 80, 80, 0];
/// Ordering score for taking the enemy's point by [`Threat`].
const BLOCK_OF_THREAT: [i16; 15] = [0, -100, 20, 0, 15, 0, 20, 20, 50, 180, 0, 40, 320, 550, 1100];

/// The mover makes five.
const FIVE_NEXT: i32 = 15_000;
/// The mover cannot stop a five.
const FIVE_LOST: i32 = -14_000;
/// The mover makes an open four.
const OPEN_FOUR: i32 = 13_000;
/// The mover makes a four and a three, the enemy has no four to upset it: on top of the tables.
const FOUR_THREE: i32 = 300;
/// The mover makes two threes, the enemy has no four to upset it: on top of the tables.
const THREE_THREE: i32 = 150;
/// Bound of the plain part, below every static win.
const PLAIN: i32 = 2_500;

/// Most moves a guessed list holds.
const WIDTH: usize = 56;

fn sum(shapes: [Shape; 4], threat: Threat, of_shape: &[i16; 14], of_threat: &[i16; 15]) -> i16 {
    shapes.iter().map(|&shape| of_shape[shape as usize]).sum::<i16>() + of_threat[threat as usize]
}

/// What a position counts of a point with these shapes.
pub(super) fn info(shapes: [Shape; 4], threat: Threat) -> Info {
    Info {
        moving: sum(shapes, threat, &MOVING_OF_SHAPE, &MOVING_OF_THREAT),
        waiting: sum(shapes, threat, &WAITING_OF_SHAPE, &WAITING_OF_THREAT),
        threat: threat as u8,
        four: u8::from(shapes.iter().any(|s| matches!(s, Shape::ClosedFour | Shape::OpenFour | Shape::Five))),
    }
}

/// How a point with these shapes ranks.
pub(super) fn scores(shapes: [Shape; 4], threat: Threat) -> Scores {
    let block = sum(shapes, threat, &BLOCK_OF_SHAPE, &BLOCK_OF_THREAT);
    Scores {
        own: sum(shapes, threat, &OWN_OF_SHAPE, &OWN_OF_THREAT),
        block: if threat == Threat::Forbidden { 0 } else { block },
    }
}

impl GomokuSearch {
    /// All empty points.
    fn empty_points(&self) -> Points {
        let board = ((1 << self.rules().size) - 1) << MARGIN;
        let mut points = [0; STRIDE];
        for row in self.rules().rows() {
            points[row] = board & !self.stones()[row];
        }
        points
    }

    /// Ordering score of an empty point for the side to move.
    #[inline]
    fn score(&self, cell: usize) -> i32 {
        let turn = self.turn();
        i32::from(self.scores(cell, turn).own) + i32::from(self.scores(cell, !turn).block)
    }

    /// Adds the legal ones of `points` to a list of moves, row by row.
    fn push_allowed(&self, points: &Points, out: &mut Vec<Move>) {
        let allowed = cells(points).filter(|&cell| self.allowed(cell));
        out.extend(allowed.map(|cell| Move::new(cell as u32)));
    }

    /// Adds any legal move.
    fn push_any(&self, out: &mut Vec<Move>) {
        self.rules().any_empty(|cell| {
            let allowed = self.allowed(cell);
            if allowed {
                out.push(Move::new(cell as u32));
            }
            allowed
        });
    }

    /// The points where a stone of the side to move leaves the enemy no point of `threat`
    /// ([`Threat::Five`] or [`Threat::OpenFour`]); the enemy must have such points, and none higher.
    /// Exact: all empty points are considered, since only those on a line of fours within five cells
    /// can change the threat.
    fn defences(&self, threat: Threat) -> Points {
        let (me, enemy) = (self.turn(), !self.turn());
        let mut all = self.empty_points();
        for point in self.points_of(enemy, threat) {
            let mut stops: Points = [0; STRIDE];
            stops[point / STRIDE % STRIDE] |= 1 << (point % STRIDE);
            for (direction, step) in STEPS.into_iter().enumerate() {
                if !self.makes_four(point, enemy, direction) {
                    continue;
                }
                let window = self.rules().lines.window(direction, point);
                let mut left = empties(window) & 0x3F_FFFF & !(1 << (2 * MARGIN));
                while left != 0 {
                    let offset = left.trailing_zeros() as isize / 2 - MARGIN as isize;
                    left &= left - 1;
                    let after = self.info_after(point, enemy, direction, offset, me);
                    if after.threat < threat as u8 {
                        let cell = point.wrapping_add_signed(offset * step);
                        stops[cell / STRIDE % STRIDE] |= 1 << (cell % STRIDE);
                    }
                }
            }
            for (all, stops) in all.iter_mut().zip(&stops) {
                *all &= stops;
            }
        }
        all
    }

    /// The moves of the side to move that make a four (none makes five or an open four).
    fn own_fours(&self, points: &mut Points) {
        let me = self.turn();
        for threat in [Threat::Four, Threat::FourPlus, Threat::FourThree, Threat::Unsure] {
            if self.count_of(me, threat) == 0 {
                continue;
            }
            for cell in self.points_of(me, threat) {
                if self.info(cell, me).four != 0 {
                    points[cell / STRIDE] |= 1 << (cell % STRIDE);
                }
            }
        }
    }

    /// A move that makes five for the side to move, if there is one.
    #[must_use]
    pub fn five(&self) -> Option<Move> {
        let me = self.turn();
        if self.count_of(me, Threat::Five) == 0 {
            return None;
        }
        self.points_of(me, Threat::Five).next().map(|cell| Move::new(cell as u32))
    }

    /// A point where the side not to move would make five.
    #[must_use]
    pub fn enemy_five(&self) -> Option<Move> {
        let enemy = !self.turn();
        if self.count_of(enemy, Threat::Five) == 0 {
            return None;
        }
        self.points_of(enemy, Threat::Five).next().map(|cell| Move::new(cell as u32))
    }

    /// Adds the moves of the side to move that leave the other side no point of five, where it has one.
    pub fn stops_of_five(&self, out: &mut Vec<Move>) {
        let enemy = !self.turn();
        match self.count_of(enemy, Threat::Five) {
            0 => {}
            _ if self.rules().rule == Rule::Caro => self.push_allowed(&self.defences(Threat::Five), out),
            1 => {
                let point = self.points_of(enemy, Threat::Five).find(|&cell| self.allowed(cell));
                out.extend(point.map(|cell| Move::new(cell as u32)));
            }
            // Each five has its own point, and a stone elsewhere stops none of them.
            _ => {}
        }
    }

    /// Adds the moves of the side to move that make a four and leave the other side no five, the most
    /// promising first.
    pub fn fours(&self, out: &mut Vec<Move>) {
        let (me, before) = (self.turn(), out.len());
        if self.count_of(!me, Threat::Five) > 0 {
            self.stops_of_five(out);
            let stops = out.split_off(before);
            out.extend(stops.into_iter().filter(|mv| self.info(mv.index(), me).four != 0));
        } else {
            let mut points = [0; STRIDE];
            self.own_fours(&mut points);
            for cell in self.points_of(me, Threat::OpenFour) {
                points[cell / STRIDE] |= 1 << (cell % STRIDE);
            }
            self.push_allowed(&points, out);
        }
        let rank = |mv: &Move| {
            let cell = mv.index();
            std::cmp::Reverse((self.info(cell, me).threat, self.scores(cell, me).own))
        };
        out[before..].sort_by_key(rank);
    }

    /// The empty points near a stone: at most two rows and columns away, or up to four along a line.
    fn near(&self) -> Points {
        let stones = self.stones();
        let at = |row: usize| stones[row % STRIDE];
        let board = ((1 << self.rules().size) - 1) << MARGIN;
        let mut near = [0; STRIDE];
        for row in self.rules().rows() {
            let own = at(row);
            let close = at(row - 2) | at(row - 1) | own | at(row + 1) | at(row + 2);
            let (above, below) = (at(row + 3), at(row - 3));
            let (above4, below4) = (at(row + 4), at(row - 4));
            let three = above | below;
            let four = above4 | below4;
            let mask = close
                | close << 1
                | close >> 1
                | close << 2
                | close >> 2
                | own << 3
                | own >> 3
                | own << 4
                | own >> 4
                | three
                | three << 3
                | three >> 3
                | four
                | four << 4
                | four >> 4;
            near[row] = mask & board & !own;
        }
        near
    }

    /// The points in the middle of the board: one and its neighbours.
    fn centre(&self) -> Points {
        let middle = MARGIN + usize::from(self.rules().size) / 2;
        let mut points = [0; STRIDE];
        for row in &mut points[middle - 1..=middle + 1] {
            *row = 0b111 << (middle - 1);
        }
        points
    }

    /// Guessed moves: the near points, the best [`WIDTH`] of them. Returns whether nothing was left
    /// out.
    fn guess(&self, out: &mut Vec<Move>) -> bool {
        let empties = u32::from(self.rules().empties);
        let area = u32::from(self.rules().size).pow(2);
        let points = if empties == area { self.centre() } else { self.near() };
        let mut best: ArrayVec<u32, { 22 * 22 }> = ArrayVec::new();
        let mut seen = 0;
        for cell in cells(&points) {
            seen += 1;
            // Score first, then the earlier cell; all keys differ.
            best.push((((self.score(cell) + 0x8000) as u32) << 10) | (0x3FF - cell as u32));
        }
        let mut least = 0;
        let cut = best.len() > WIDTH;
        if cut {
            let mut keys = best.clone();
            least = *keys.select_nth_unstable_by(WIDTH - 1, |a, b| b.cmp(a)).1;
        }
        let before = out.len();
        for key in best {
            let cell = (0x3FF - (key & 0x3FF)) as usize;
            if key >= least && self.allowed(cell) {
                out.push(Move::new(cell as u32));
            }
        }
        if out.len() == before {
            self.moves(out);
            return true;
        }
        !cut && seen == empties
    }
}

impl Knowledge for GomokuSearch {
    const LEAF: Leaf = Leaf::Static;
    const SCALE: i32 = 700;
    const UNIT: i32 = 100;

    fn evaluate(&self) -> i32 {
        let (me, enemy) = (self.turn(), !self.turn());
        let plain = |value: i32| value.clamp(-PLAIN, PLAIN);
        if self.count_of(me, Threat::Five) > 0 {
            return FIVE_NEXT;
        }
        let fives = self.count_of(enemy, Threat::Five);
        if fives > 0 {
            let block = match (fives, self.rules().rule) {
                (1, _) => self.points_of(enemy, Threat::Five).next(),
                // One stone at a closed row's open end stops every five of that row.
                (_, Rule::Caro) => cells(&self.defences(Threat::Five)).next(),
                _ => None,
            };
            let Some(block) = block.filter(|&block| self.allowed(block)) else {
                return FIVE_LOST;
            };
            // The stone must go there and the enemy moves next, unless it makes a four of its own.
            let own = self.info(block, me);
            return if own.threat == Threat::OpenFour as u8 {
                OPEN_FOUR
            } else if own.four != 0 {
                plain(self.value(me))
            } else {
                plain(-self.value(enemy))
            };
        }
        if self.count_of(me, Threat::OpenFour) > 0 {
            return OPEN_FOUR;
        }
        let fours = [Threat::OpenFour, Threat::FourThree, Threat::FourPlus, Threat::Four];
        let bonus = if fours.iter().any(|&threat| self.count_of(enemy, threat) > 0) {
            0
        } else if self.count_of(me, Threat::FourThree) > 0 {
            FOUR_THREE
        } else if self.count_of(me, Threat::ThreeThree) > 0 {
            THREE_THREE
        } else {
            0
        };
        plain(self.value(me) + bonus)
    }

    /// Four cases are proofs, each because of what the cases before it exclude:
    ///
    /// 1. An own five wins at once.
    /// 2. The enemy has a point of five: every move that leaves one loses.
    /// 3. An own open four: neither side has a five, so the enemy has one move, and no one move stops
    ///    every five.
    /// 4. The enemy has a point of open four (for Black in Renju: surely allowed, and no enemy stone
    ///    can forbid it). A move that leaves one and makes no four loses: the enemy makes it, the
    ///    mover has no five.
    ///
    /// Where no move is left, all lose and any stands for the rest.
    fn candidates(&self, out: &mut Vec<Move>) -> bool {
        let (me, enemy) = (self.turn(), !self.turn());
        let before = out.len();
        for (threat, defend) in [(Threat::Five, Threat::Five), (Threat::OpenFour, Threat::OpenFour)] {
            if self.count_of(me, threat) > 0
                && let Some(cell) = self.points_of(me, threat).next()
            {
                out.push(Move::new(cell as u32));
                return true;
            }
            let points = match self.count_of(enemy, defend) {
                0 => continue,
                1 if defend == Threat::Five && self.rules().rule != Rule::Caro => {
                    let mut points = [0; STRIDE];
                    for cell in self.points_of(enemy, Threat::Five) {
                        points[cell / STRIDE] |= 1 << (cell % STRIDE);
                    }
                    points
                }
                _ => {
                    let mut points = self.defences(defend);
                    if defend == Threat::OpenFour {
                        self.own_fours(&mut points);
                    }
                    points
                }
            };
            self.push_allowed(&points, out);
            if out.len() == before {
                self.push_any(out);
            }
            return true;
        }
        self.guess(out)
    }

    fn order(&self, moves: &[Move], out: &mut Vec<i32>) {
        out.extend(moves.iter().map(|mv| self.score(mv.index())));
    }

    /// The static value at once: random play says little about threats.
    fn playout(&mut self, _: &mut Rng) -> f32 {
        let x = self.evaluate().clamp(-EVAL_MAX, EVAL_MAX) as f32 / Self::SCALE as f32;
        let mover = 0.5 + 0.5 * x / (1.0 + x * x).sqrt();
        if self.turn() == Color::Black { mover } else { 1.0 - mover }
    }
}
