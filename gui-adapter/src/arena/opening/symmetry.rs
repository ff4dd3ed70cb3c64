//! Positions that differ by a rotation or reflection of the board only.

use tengen_engine::game::{Geometry, Point};
use tengen_engine::games::Referee;

/// A text that is the same for all positions which rotations and reflections of the board turn into one
/// another, and no others: the least of the up to eight pictures of the board, holes and arrows included,
/// and the side to move.
///
/// The rules of all our games treat the pictures alike, the two that Othello's first four discs show
/// included.
#[must_use]
pub fn canonical(referee: &dyn Referee) -> String {
    let geometry = referee.geometry();
    let pictures = (0..8).filter(|turn| geometry.width == geometry.height || turn & 4 == 0).map(|turn| {
        geometry
            .points_from_top()
            .map(|point| referee.cell(image(&geometry, turn, point)).letter())
            .collect::<String>()
    });
    format!("{} {}", pictures.min().unwrap_or_default(), referee.turn().letter())
}

/// The point that comes to `point`: bit 0 mirrors the columns, bit 1 the rows, bit 2 exchanges both.
fn image(geometry: &Geometry, turn: u8, point: Point) -> Point {
    let Point { mut column, mut row } = point;
    if turn & 1 != 0 {
        column = geometry.width - 1 - column;
    }
    if turn & 2 != 0 {
        row = geometry.height - 1 - row;
    }
    if turn & 4 != 0 {
        (column, row) = (row, column);
    }
    Point { column, row }
}
