//! The position a search works on: the rules' position and, for every empty point, the shapes a stone
//! of either side would make, updated on each move along the four lines through it.

use arrayvec::ArrayVec;

use super::Gomoku;
use super::lines::{self, MARGIN, Points, STEPS, STRIDE, cells, empties, place};
use super::renju;
use super::shapes::{Info, Scores, Shape, THREATS, Tables, Threat, spread};
use crate::game::{Color, Game, Move, Outcome};

/// Cells of the padded board.
const CELLS: usize = STRIDE * STRIDE;

/// Points by colour and threat.
type Sets = [[Points; THREATS]; 2];

/// Sums over all empty points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    /// By colour: [`Info::moving`] and [`Info::waiting`].
    values: [[i32; 2]; 2],
    /// How many points are of a threat, by colour.
    counts: [[u16; THREATS]; 2],
}

/// A position with the shapes of all empty points.
#[derive(Clone)]
pub struct GomokuSearch {
    rules: Gomoku,
    tables: &'static Tables,
    /// By cell: four nibbles of Black's shapes, then four of White's, by direction. 0 where no empty
    /// point is.
    codes: [u32; CELLS],
    /// The points with stones.
    stones: Points,
    sets: Sets,
    sums: Sums,
}

/// The points a move changed.
#[derive(Debug)]
pub struct SearchUndo {
    sums: Sums,
    /// Cells and their codes before; the move itself and up to ten points a line.
    changed: ArrayVec<(u16, u32), 41>,
}

impl std::fmt::Debug for GomokuSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GomokuSearch({:?})", self.rules)
    }
}

/// The half of a code that belongs to one side.
#[inline]
const fn half(code: u32, color: Color) -> u16 {
    match color {
        Color::Black => code as u16,
        Color::White => (code >> 16) as u16,
    }
}

impl GomokuSearch {
    /// The position of the rules with all shapes computed; builds the rule's tables on first use.
    #[must_use]
    pub fn new(rules: &Gomoku) -> GomokuSearch {
        let mut position = GomokuSearch {
            rules: rules.clone(),
            tables: Tables::get(rules.rule),
            codes: [0; CELLS],
            stones: [0; STRIDE],
            sets: [[[0; STRIDE]; THREATS]; 2],
            sums: Sums::default(),
        };
        rules.any_empty(|cell| {
            let mut code = 0;
            for direction in 0..4 {
                let shapes = position.tables.shapes(rules.lines.window(direction, cell));
                code |= spread(shapes) << (4 * direction);
            }
            position.codes[cell] = code;
            position.enter(cell, code);
            position.stones[cell / STRIDE] |= 1 << (cell % STRIDE);
            false
        });
        // Until here the empty points.
        let board = ((1 << rules.size) - 1) << MARGIN;
        for row in rules.rows() {
            position.stones[row] ^= board;
        }
        position
    }

    /// The position of the rules.
    #[must_use]
    pub fn rules(&self) -> &Gomoku {
        &self.rules
    }

    /// Knowledge of an empty point for one side.
    #[inline]
    pub(super) fn info(&self, cell: usize, color: Color) -> &'static Info {
        self.tables.info(color, half(self.codes[cell % CELLS], color))
    }

    /// How many empty points are of a threat.
    #[inline]
    pub(super) fn count_of(&self, color: Color, threat: Threat) -> u16 {
        self.sums.counts[color.index()][threat as usize]
    }

    /// The worth of all empty points for `mover` as the side to move: what they are to it, less what
    /// they are to the other side.
    #[inline]
    pub(super) fn value(&self, mover: Color) -> i32 {
        self.sums.values[mover.index()][0] - self.sums.values[(!mover).index()][1]
    }

    /// The points of a threat, row by row.
    #[inline]
    pub(super) fn points_of(&self, color: Color, threat: Threat) -> impl Iterator<Item = usize> + '_ {
        cells(&self.sets[color.index()][threat as usize])
    }

    /// Whether the side to move may take the empty cell of an unfinished game. Black's shapes decide
    /// all but points with two apparent threes.
    #[inline]
    pub(super) fn allowed(&self, cell: usize) -> bool {
        if !self.rules.restricted() {
            return true;
        }
        let threat = self.info(cell, Color::Black).threat;
        if threat == Threat::Unsure as u8 {
            return renju::verdict(&self.rules.lines, cell).is_none();
        }
        threat != Threat::Forbidden as u8
    }

    /// Ordering scores of an empty point for one side.
    #[inline]
    pub(super) fn scores(&self, cell: usize, color: Color) -> Scores {
        self.tables.scores(color, half(self.codes[cell % CELLS], color))
    }

    /// What `cell` would be for `color` with a stone of `stone` on another cell of one of its lines.
    pub(super) fn info_after(
        &self,
        cell: usize,
        color: Color,
        direction: usize,
        offset: isize,
        stone: Color,
    ) -> &'static Info {
        let window = self.rules.lines.window(direction, cell) | lines::code(stone) << (2 * (offset + 5));
        let code = self.codes[cell % CELLS] & !(0xF_000F << (4 * direction))
            | spread(self.tables.shapes(window)) << (4 * direction);
        self.tables.info(color, half(code, color))
    }

    /// The points with stones.
    #[inline]
    pub(super) fn stones(&self) -> &Points {
        &self.stones
    }

    /// Whether a stone of `color` on an empty point makes a four or five on one line.
    #[inline]
    pub(super) fn makes_four(&self, cell: usize, color: Color, direction: usize) -> bool {
        let shape = half(self.codes[cell % CELLS], color) >> (4 * direction) & 15;
        (Shape::ClosedFour as u16..=Shape::Five as u16).contains(&shape)
    }

    /// Counts a point in for both sides.
    #[inline]
    fn enter(&mut self, cell: usize, code: u32) {
        for color in Color::ALL {
            let info = self.tables.info(color, half(code, color));
            let [moving, waiting] = &mut self.sums.values[color.index()];
            *moving += i32::from(info.moving);
            *waiting += i32::from(info.waiting);
            self.sums.counts[color.index()][usize::from(info.threat) % THREATS] += 1;
            self.flip(cell, color, info.threat);
        }
    }

    #[inline]
    fn flip(&mut self, cell: usize, color: Color, threat: u8) {
        self.sets[color.index()][usize::from(threat) % THREATS][cell / STRIDE % STRIDE] ^=
            1 << (cell % STRIDE);
    }

    /// Counts a point out for both sides.
    #[inline]
    fn leave(&mut self, cell: usize, code: u32) {
        for color in Color::ALL {
            let info = self.tables.info(color, half(code, color));
            let [moving, waiting] = &mut self.sums.values[color.index()];
            *moving -= i32::from(info.moving);
            *waiting -= i32::from(info.waiting);
            self.sums.counts[color.index()][usize::from(info.threat) % THREATS] -= 1;
            self.flip(cell, color, info.threat);
        }
    }

    /// Replaces the code of a point that stays empty.
    #[inline]
    fn change(&mut self, cell: usize, old: u32, new: u32) {
        for color in Color::ALL {
            let (before, after) = (half(old, color), half(new, color));
            if before == after {
                continue;
            }
            let (before, after) = (self.tables.info(color, before), self.tables.info(color, after));
            let [moving, waiting] = &mut self.sums.values[color.index()];
            *moving += i32::from(after.moving) - i32::from(before.moving);
            *waiting += i32::from(after.waiting) - i32::from(before.waiting);
            if before.threat != after.threat {
                let counts = &mut self.sums.counts[color.index()];
                counts[usize::from(before.threat) % THREATS] -= 1;
                counts[usize::from(after.threat) % THREATS] += 1;
                self.flip(cell, color, before.threat);
                self.flip(cell, color, after.threat);
            }
        }
    }
}

impl Game for GomokuSearch {
    type Undo = SearchUndo;

    #[inline]
    fn turn(&self) -> Color {
        self.rules.turn()
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        if let Some(winner) = self.rules.winner {
            Some(Outcome::Win(winner))
        } else if self.rules.empties == 0 {
            Some(Outcome::Draw)
        } else if self.rules.restricted() && !self.rules.any_empty(|cell| self.allowed(cell)) {
            Some(Outcome::Win(Color::White))
        } else {
            None
        }
    }

    fn moves(&self, out: &mut Vec<Move>) {
        if self.rules.winner.is_none() {
            self.rules.any_empty(|cell| {
                if self.allowed(cell) {
                    out.push(Move::new(cell as u32));
                }
                false
            });
        }
    }

    fn count(&self) -> u64 {
        self.rules.count()
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        let cell = mv.index();
        self.rules.winner.is_none() && cell < CELLS && self.rules.lines.is_empty(cell) && self.allowed(cell)
    }

    #[inline]
    fn play(&mut self, mv: Move) -> SearchUndo {
        let cell = mv.index() % CELLS;
        let mut undo = SearchUndo { sums: self.sums, changed: ArrayVec::new() };
        let own = self.codes[cell];
        undo.changed.push((cell as u16, own));
        self.leave(cell, own);
        self.codes[cell] = 0;
        self.stones[cell / STRIDE] ^= 1 << (cell % STRIDE);
        self.rules.play(mv);
        for (direction, step) in STEPS.into_iter().enumerate() {
            let key = self.rules.lines.line(direction, cell);
            let at = place(direction, cell).1;
            let first = at - MARGIN;
            let mut left = empties(key >> (2 * first)) & 0x3F_FFFF;
            while left != 0 {
                let there = first + left.trailing_zeros() as usize / 2;
                left &= left - 1;
                let other = cell.wrapping_add_signed((there as isize - at as isize) * step) % CELLS;
                let shapes = self.tables.shapes(key >> (2 * (there - MARGIN)));
                let old = self.codes[other];
                let new = old & !(0xF_000F << (4 * direction)) | spread(shapes) << (4 * direction);
                if old != new {
                    undo.changed.push((other as u16, old));
                    self.codes[other] = new;
                    self.change(other, old, new);
                }
            }
        }
        undo
    }

    #[inline]
    fn undo(&mut self, mv: Move, undo: SearchUndo) {
        self.rules.undo(mv, ());
        let Some((&(cell, own), others)) = undo.changed.split_first() else { return };
        for &(cell, old) in others {
            let cell = usize::from(cell) % CELLS;
            let new = std::mem::replace(&mut self.codes[cell], old);
            for color in Color::ALL {
                let before = self.tables.info(color, half(old, color)).threat;
                let after = self.tables.info(color, half(new, color)).threat;
                if before != after {
                    self.flip(cell, color, before);
                    self.flip(cell, color, after);
                }
            }
        }
        let cell = usize::from(cell) % CELLS;
        self.codes[cell] = own;
        self.stones[cell / STRIDE] ^= 1 << (cell % STRIDE);
        for color in Color::ALL {
            self.flip(cell, color, self.tables.info(color, half(own, color)).threat);
        }
        self.sums = undo.sums;
    }

    #[inline]
    fn key(&self) -> u64 {
        self.rules.key()
    }

    fn horizon(&self) -> u32 {
        if self.outcome().is_some() { 0 } else { u32::from(self.rules.empties) }
    }
}
