//! The board as lines: every row, column and diagonal is one 64-bit key of 2 bits a cell.
//!
//! The board lies in a square of 32x32 cells with at least [`MARGIN`] cells of wall on each side, so a
//! window of five cells either way of any point needs no bounds check, and a line of the largest board
//! (22) fills a key exactly. A line costs four XORs to change and a shift to read.

use super::Five;
use crate::game::{Cell, Color};

/// Cells in a row of the padded board.
pub(super) const STRIDE: usize = 32;
/// Cells of wall before the first point of a row and column.
pub(super) const MARGIN: usize = 5;
/// The lower bit of every cell of a key.
const LOW: u64 = 0x5555_5555_5555_5555;

/// Points of the padded board by row, a bit a column.
pub(super) type Points = [u32; STRIDE];

/// From a cell to the next one of its line, by direction: along the row, up the column, up to the
/// right, down to the right.
pub(super) const STEPS: [isize; 4] = [1, 32, 33, -31];

/// Where a cell lies: the line of the direction and the place on that line.
#[inline]
pub(super) const fn place(direction: usize, cell: usize) -> (usize, usize) {
    let (x, y) = (cell % STRIDE, cell / STRIDE % STRIDE);
    match direction {
        0 => (y, x),
        1 => (x, y),
        2 => (STRIDE + x - y, x),
        _ => (x + y, x),
    }
}

/// The bits of a stone in a key: 0 is empty, 3 is wall.
#[inline]
pub(super) const fn code(color: Color) -> u64 {
    match color {
        Color::Black => 1,
        Color::White => 2,
    }
}

/// The stones of one colour in a key, as the lower bits of their cells.
#[inline]
pub(super) const fn stones(key: u64, color: Color) -> u64 {
    match color {
        Color::Black => key & !(key >> 1) & LOW,
        Color::White => (key >> 1) & !key & LOW,
    }
}

/// The empty cells of a key, as the lower bits of their cells.
#[inline]
pub(super) const fn empties(key: u64) -> u64 {
    !(key | key >> 1) & LOW
}

/// The first cells of runs of five (parts of longer runs included).
#[inline]
pub(super) const fn fives(own: u64) -> u64 {
    let two = own & own >> 2;
    two & two >> 4 & own >> 8
}

/// Whether a line holds a winning run.
#[inline]
const fn wins(key: u64, kind: Five, color: Color) -> bool {
    let own = stones(key, color);
    let runs = fives(own);
    if runs == 0 {
        return false;
    }
    match kind {
        Five::OrMore => true,
        Five::Exactly => runs & !(own << 2) & !(own >> 10) != 0,
        Five::Unblocked => {
            let enemy = stones(
                key,
                match color {
                    Color::Black => Color::White,
                    Color::White => Color::Black,
                },
            );
            runs & !(own << 2) & !(own >> 10) & !(enemy << 2 & enemy >> 10) != 0
        }
    }
}

/// The cells of a set, row by row.
#[inline]
pub(super) fn cells(points: &Points) -> impl Iterator<Item = usize> + '_ {
    points.iter().enumerate().flat_map(|(row, &set)| {
        let mut left = set;
        std::iter::from_fn(move || {
            (left != 0).then(|| {
                let column = left.trailing_zeros() as usize;
                left &= left - 1;
                STRIDE * row + column
            })
        })
    })
}

/// All lines of a board. Lines without points are wall throughout.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Lines {
    keys: [[u64; 2 * STRIDE]; 4],
}

impl Lines {
    /// An empty board.
    pub(super) fn new(size: u8) -> Lines {
        let mut lines = Lines { keys: [[u64::MAX; 2 * STRIDE]; 4] };
        let range = MARGIN..MARGIN + usize::from(size);
        for row in range.clone() {
            for column in range.clone() {
                lines.flip(STRIDE * row + column, 3);
            }
        }
        lines
    }

    #[inline]
    fn flip(&mut self, cell: usize, bits: u64) {
        for direction in 0..4 {
            let (line, at) = place(direction, cell);
            self.keys[direction][line % (2 * STRIDE)] ^= bits << (2 * at);
        }
    }

    /// Puts a stone on an empty cell or takes it away.
    #[inline]
    pub(super) fn toggle(&mut self, cell: usize, color: Color) {
        self.flip(cell, code(color));
    }

    /// The key of the line through a cell.
    #[inline]
    pub(super) fn line(&self, direction: usize, cell: usize) -> u64 {
        self.keys[direction % 4][place(direction, cell).0 % (2 * STRIDE)]
    }

    /// The eleven cells around a cell of the board, itself in bits 10 and 11; higher bits are those of
    /// the line beyond.
    #[inline]
    pub(super) fn window(&self, direction: usize, cell: usize) -> u64 {
        let (line, at) = place(direction, cell);
        self.keys[direction % 4][line % (2 * STRIDE)] >> ((2 * (at - MARGIN)) & 63)
    }

    #[inline]
    fn bits(&self, cell: usize) -> u64 {
        self.keys[0][cell / STRIDE % STRIDE] >> (2 * (cell % STRIDE)) & 3
    }

    /// Whether a cell of the padded board is an empty point.
    #[inline]
    pub(super) fn is_empty(&self, cell: usize) -> bool {
        self.bits(cell) == 0
    }

    /// The empty points of a row, as the lower bits of their cells.
    #[inline]
    pub(super) fn empties_of_row(&self, row: usize) -> u64 {
        empties(self.keys[0][row % STRIDE])
    }

    /// What stands on a cell; walls are blocked.
    pub(super) fn cell(&self, cell: usize) -> Cell {
        match self.bits(cell) {
            0 => Cell::Empty,
            1 => Cell::Stone(Color::Black),
            2 => Cell::Stone(Color::White),
            _ => Cell::Blocked,
        }
    }

    /// Whether one of the four lines through a cell holds a winning run.
    #[inline]
    pub(super) fn five_through(&self, cell: usize, kind: Five, color: Color) -> bool {
        (0..4).any(|direction| wins(self.line(direction, cell), kind, color))
    }

    /// Whether any line holds a winning run.
    pub(super) fn any_five(&self, kind: Five, color: Color) -> bool {
        self.keys.iter().flatten().any(|&key| wins(key, kind, color))
    }

    /// Whether any line holds six or more in a row.
    pub(super) fn any_six(&self, color: Color) -> bool {
        self.keys.iter().flatten().any(|&key| {
            let own = stones(key, color);
            fives(own) & own >> 10 != 0
        })
    }
}
