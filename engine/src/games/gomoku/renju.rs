//! What Renju forbids to Black, by the definitions of the Renju International Federation (rules of
//! 2008, section 3), without tables: four windows of eleven cells decide all but double threes, which
//! need the verdict on points that make a straight four, and so on.

use super::lines::{Lines, STEPS, empties, fives, stones};
use crate::game::{Color, Illegal};

/// What a black stone on an empty point would do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It makes exactly five: allowed, whatever else it makes.
    Five,
    /// It may not be played.
    Forbidden(Illegal),
    /// Neither.
    Plain,
}

/// The eleven cells around a point, with a black stone on it.
#[derive(Clone, Copy)]
struct Window {
    /// Black stones: bit `2 i` is cell `i`, the point itself is cell 5.
    black: u64,
    /// Empty cells.
    empty: u64,
}

/// The lower bits of the eleven cells.
const CELLS: u64 = 0x15_5555;
/// The first cells of runs of five that contain the point.
const STARTS: u64 = 0x554;

impl Window {
    fn new(lines: &Lines, direction: usize, cell: usize) -> Window {
        let key = lines.window(direction, cell) | 1 << 10;
        Window { black: stones(key, Color::Black) & CELLS, empty: empties(key) & CELLS }
    }

    fn is_five(self) -> bool {
        fives(self.black) & !(self.black << 2) & !(self.black >> 10) & STARTS != 0
    }

    fn is_overline(self) -> bool {
        fives(self.black) & self.black >> 10 != 0
    }

    /// How many fours contain the point: stones to which one more makes exactly five. The two ends of
    /// a straight four complete the same four.
    fn fours(self) -> u32 {
        let mut count = 0;
        let mut before = 0;
        for start in 1..=5 {
            let span = 0x155 << (2 * start);
            let sides = 0x1001 << (2 * start - 2);
            let gap = self.empty & span;
            let four = (self.black & span).count_ones() == 4 && gap != 0 && self.black & sides == 0;
            let straight = before != 0 && before << 10 == gap;
            count += u32::from(four && !straight);
            before = if four { gap } else { 0 };
        }
        count
    }

    /// The empty cells (as lower bits) where one more stone makes a straight four with the point.
    fn straight_fours(self) -> u64 {
        let mut points = 0;
        for start in 2..=5 {
            let span = 0x55 << (2 * start);
            let ends = 0x401 << (2 * start - 2);
            let beyond = 0x4001 << (2 * start - 4);
            if (self.black & span).count_ones() == 3 && self.empty & ends == ends && self.black & beyond == 0
            {
                points |= self.empty & span;
            }
        }
        points
    }
}

fn effect(lines: &Lines, cell: usize) -> Effect {
    let windows: [Window; 4] = std::array::from_fn(|direction| Window::new(lines, direction, cell));
    // Two more stones for each of two threes or fours, or four more for two fours on one line.
    let others = windows.map(|window| window.black.count_ones() - 1);
    if others.iter().filter(|&&n| n >= 2).count() < 2 && others.iter().all(|&n| n < 4) {
        return Effect::Plain;
    }
    if windows.iter().any(|window| window.is_five()) {
        return Effect::Five;
    }
    if windows.iter().any(|window| window.is_overline()) {
        return Effect::Forbidden(Illegal::Overline);
    }
    let fours = windows.map(Window::fours);
    if fours.iter().sum::<u32>() >= 2 {
        return Effect::Forbidden(Illegal::DoubleFour);
    }
    let points: [u64; 4] =
        std::array::from_fn(
            |direction| {
                if fours[direction] == 0 { windows[direction].straight_fours() } else { 0 }
            },
        );
    let mut possible = points.iter().filter(|&&points| points != 0).count();
    if possible < 2 {
        return Effect::Plain;
    }
    let mut after = lines.clone();
    after.toggle(cell, Color::Black);
    let mut threes = 0;
    for (mut left, step) in points.into_iter().zip(STEPS) {
        if left == 0 {
            continue;
        }
        possible -= 1;
        while left != 0 {
            let offset = left.trailing_zeros() as isize / 2 - 5;
            left &= left - 1;
            let next = cell.wrapping_add_signed(offset * step);
            if effect(&after, next) == Effect::Plain {
                threes += 1;
                break;
            }
        }
        if threes == 2 {
            return Effect::Forbidden(Illegal::DoubleThree);
        }
        if threes + possible < 2 {
            break;
        }
    }
    Effect::Plain
}

/// Why Black may not play on an empty point, or `None` when it is allowed.
pub(super) fn verdict(lines: &Lines, cell: usize) -> Option<Illegal> {
    match effect(lines, cell) {
        Effect::Forbidden(reason) => Some(reason),
        Effect::Five | Effect::Plain => None,
    }
}
