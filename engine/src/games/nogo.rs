//! NoGo (Anti-Atari Go): who cannot move without taking away a last liberty loses.
//!
//! * [`Standard`] is the game itself; `Capture` is the variant in which stones are taken.
//! * `bits` holds sets of points, `shape` the board and what blocks of stones see on it, `chains` the
//!   blocks as playouts keep them.
//! * `knowledge` and `capture_knowledge` are what a search knows of either rule.

mod bits;
mod capture;
mod capture_knowledge;
mod chains;
mod knowledge;
mod shape;
mod standard;

pub use bits::{Bits, Large, Members, Nine, Plane, Small, Wide};
pub use capture::Capture;
pub use standard::Standard;

use super::{Setup, SetupError, Visitor};
use crate::game::Point;
use shape::Shape;

/// The start position of the default set-up: the empty 9x9 board, standard rule, any first move.
#[must_use]
pub fn nine() -> Standard<Nine> {
    Standard::new(Shape::new(9, 9, &[], false))
}

/// The hollow boards of the Taiwanese computer game contests: 2021 without D4 to F6, 2022 without
/// B5 C5 G5 H5 E2 E3 E7 E8, both of 9x9.
fn holes(name: &str) -> Vec<Point> {
    match name {
        "2021" => (3..6).flat_map(|row| (3..6).map(move |column| Point { column, row })).collect(),
        "2022" => [(1, 4), (2, 4), (6, 4), (7, 4), (4, 1), (4, 2), (4, 6), (4, 7)]
            .map(|(column, row)| Point { column, row })
            .to_vec(),
        _ => Vec::new(),
    }
}

/// Opens a set-up with the type that fits its rule and size.
pub(crate) fn open<V: Visitor>(setup: Setup, visitor: V) -> Result<V::Out, SetupError> {
    let (width, height) = (setup.width, setup.height);
    let hole = setup.choice("hole");
    let holes = holes(hole);
    if !holes.is_empty() && (width, height) != (9, 9) {
        return Err(SetupError(format!("hole={hole} needs size 9, not {width}x{height}")));
    }
    let ban = setup.choice("centre") == "forbidden";
    if ban && (width % 2 == 0 || height % 2 == 0) {
        return Err(SetupError(format!("centre=forbidden needs odd sides: {width}x{height} has no centre")));
    }
    if ban && holes.contains(&Point { column: width / 2, row: height / 2 }) {
        return Err(SetupError(format!("centre=forbidden needs a centre: hole={hole} has none")));
    }
    // u128 holds all rows, guard bits included, in 128 bits.
    let small = (u32::from(width) + 1) * u32::from(height) <= u128::BITS;
    let capture = setup.rules == "capture";
    Ok(match (capture, small, width) {
        (false, true, 9) => {
            visitor.visit(setup, Standard::<Nine>::new(Shape::new(width, height, &holes, ban)))
        }
        (false, true, _) => {
            visitor.visit(setup, Standard::<Small>::new(Shape::new(width, height, &holes, ban)))
        }
        (false, false, _) => {
            visitor.visit(setup, Standard::<Large>::new(Shape::new(width, height, &holes, ban)))
        }
        (true, true, _) => {
            visitor.visit(setup, Capture::<Small>::new(Shape::new(width, height, &holes, ban)))
        }
        (true, false, _) => {
            visitor.visit(setup, Capture::<Large>::new(Shape::new(width, height, &holes, ban)))
        }
    })
}
