//! How far both sides' amazons spread: the squares each gets to first, by queen and by king moves.

use super::board::{Board, Set};

/// Who gets where first. Sides are [`Color::index`](crate::game::Color::index).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spread {
    /// Squares nearer to each side by queen moves.
    pub(super) queen: [Set; 2],
    /// Squares both sides reach in the same number of queen moves.
    pub(super) queen_ties: Set,
    /// Squares nearer to each side by king moves.
    pub(super) king: [Set; 2],
    /// Squares each side reaches at all.
    pub(super) reached: [Set; 2],
    /// Squares both sides reach with queen distances that differ by 1, 2, 3.
    pub(super) apart: [Set; 3],
}

/// The squares that end a run of two and of four empty squares along one line, upwards and downwards.
struct Runs {
    two: Set,
    four: Set,
    two_down: Set,
    four_down: Set,
}

impl Runs {
    #[inline(always)]
    fn new(empty: Set, line: usize) -> Runs {
        let two = empty & empty << line;
        let four = two & two << (2 * line);
        Runs { two, four, two_down: two >> line, four_down: four >> (3 * line) }
    }

    /// `from` and the squares a queen on one of them can go to along the line (parallel prefix fill:
    /// three doublings and, where rays are longer than seven squares, a fourth step).
    #[inline(always)]
    fn slide<const N: usize>(&self, from: Set, empty: Set, line: usize) -> Set {
        let mut fill = from | from << line & empty;
        let mut sink = from | from >> line & empty;
        fill |= fill << (2 * line) & self.two;
        sink |= sink >> (2 * line) & self.two_down;
        if N > 4 {
            fill |= fill << (4 * line) & self.four;
            sink |= sink >> (4 * line) & self.four_down;
        }
        if N > 8 {
            fill |= fill << (2 * line) & self.two;
            sink |= sink >> (2 * line) & self.two_down;
        }
        fill | sink
    }
}

/// Calls `visit(new, before)` for each number of queen moves, from 1: the squares each side reaches for
/// the first time, and those it reached with fewer.
#[inline(always)]
pub(super) fn queen_levels<const N: usize>(
    amazons: [Set; 2],
    empty: Set,
    mut visit: impl FnMut([Set; 2], [Set; 2]),
) {
    // Line by line in so many words: the shifts must be constants to be fast.
    let [a, b, c, d] = Board::<N>::LINES;
    let runs = [Runs::new(empty, a), Runs::new(empty, b), Runs::new(empty, c), Runs::new(empty, d)];
    let slide = |from: Set, reached: Set| {
        let straight = runs[0].slide::<N>(from, empty, a) | runs[2].slide::<N>(from, empty, c);
        let diagonal = runs[1].slide::<N>(from, empty, b) | runs[3].slide::<N>(from, empty, d);
        (straight | diagonal) & empty & !reached
    };
    let mut new = amazons;
    let mut reached = [0; 2];
    loop {
        new = [slide(new[0], reached[0]), slide(new[1], reached[1])];
        if new == [0; 2] {
            break;
        }
        visit(new, reached);
        reached = [reached[0] | new[0], reached[1] | new[1]];
    }
}

/// As [`queen_levels`] for king moves.
#[inline(always)]
pub(super) fn king_levels<const N: usize>(
    amazons: [Set; 2],
    empty: Set,
    mut visit: impl FnMut([Set; 2], [Set; 2]),
) {
    let mut new = amazons;
    let mut reached = [0; 2];
    loop {
        new = [
            Board::<N>::dilate(new[0]) & empty & !reached[0],
            Board::<N>::dilate(new[1]) & empty & !reached[1],
        ];
        if new == [0; 2] {
            break;
        }
        visit(new, reached);
        reached = [reached[0] | new[0], reached[1] | new[1]];
    }
}

/// Who gets where first.
#[inline(always)]
pub(super) fn spread<const N: usize>(amazons: [Set; 2], empty: Set) -> Spread {
    let mut s = Spread::default();
    // The new squares of one, two and three moves ago.
    let mut past = [[0; 2]; 3];
    queen_levels::<N>(amazons, empty, |new, before| {
        s.queen[0] |= new[0] & !(before[1] | new[1]);
        s.queen[1] |= new[1] & !(before[0] | new[0]);
        s.queen_ties |= new[0] & new[1];
        for (apart, [black, white]) in s.apart.iter_mut().zip(past) {
            *apart |= new[0] & white | new[1] & black;
        }
        past = [new, past[0], past[1]];
        s.reached = [before[0] | new[0], before[1] | new[1]];
    });
    king_levels::<N>(amazons, empty, |new, before| {
        s.king[0] |= new[0] & !(before[1] | new[1]);
        s.king[1] |= new[1] & !(before[0] | new[0]);
    });
    s
}
