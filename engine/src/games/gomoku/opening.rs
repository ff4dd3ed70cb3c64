//! Where the stones of an opening may stand.

use crate::game::Point;
use crate::game::random::{Rng, below};

/// Side of the square that the three stones of a proposed opening lie in.
const SPREAD: u8 = 7;
/// How far, in steps of a king, a stone that balances a position lies from another at most.
const REACH: u8 = 3;

/// Three different points of a board for the first stones of a game: close enough together to matter to
/// each other, anywhere on the board. Near the edge the first side's advantage is smaller.
pub fn three(size: u8, rng: &mut Rng) -> [Point; 3] {
    let spread = SPREAD.min(size);
    let mut number = |bound: u8| below(rng, u32::from(bound)) as u8;
    let corner = Point { column: number(size - spread + 1), row: number(size - spread + 1) };
    let mut point = || Point { column: corner.column + number(spread), row: corner.row + number(spread) };
    loop {
        let points = [point(), point(), point()];
        if points[0] != points[1] && points[0] != points[2] && points[1] != points[2] {
            return points;
        }
    }
}

/// Whether a stone on one of the points matters to the other.
pub fn near(a: Point, b: Point) -> bool {
    a.column.abs_diff(b.column).max(a.row.abs_diff(b.row)) <= REACH
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::random::rng;

    #[test]
    fn three_points_are_on_the_board_and_differ() {
        let mut rng = rng(1);
        for size in 5..=22 {
            for _ in 0..50 {
                let points = three(size, &mut rng);
                assert!(points.iter().all(|p| p.column < size && p.row < size), "{points:?}");
                assert!(points[0] != points[1] && points[1] != points[2] && points[0] != points[2]);
            }
        }
    }
}
