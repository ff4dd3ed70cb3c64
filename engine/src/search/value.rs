//! The scale of values, shared by both searchers.

use crate::game::{Color, EVAL_MAX, Outcome};

/// Values at or beyond this are certain results.
pub const PROVEN: i32 = 30_500;
/// The value of a result with margin `m` in a game of margins is `MARGIN + m`.
pub const MARGIN: i32 = 31_000;
/// The value of a win `n` plies from the root in a game without margins is `WIN - n`.
pub const WIN: i32 = 32_000;
/// The value of a position that looks lost, but only among the moves that were tried.
pub const SEEMS_LOST: i32 = -(EVAL_MAX + 1_000);
/// Beyond every value.
pub const INFINITE: i32 = 32_500;

/// The winning chance, 0 to 1, an evaluation stands for: `0.5 + 0.5 x / sqrt(1 + x^2)` with
/// `x = value / scale`. An algebraic curve, because IEEE 754 fixes the square root to the last bit
/// while libm's exponential differs from machine to machine.
#[must_use]
pub fn chance(value: i32, scale: i32) -> f32 {
    if value >= PROVEN {
        return 1.0;
    }
    if value <= -PROVEN {
        return 0.0;
    }
    let x = value as f32 / scale as f32;
    0.5 + 0.5 * x / (1.0 + x * x).sqrt()
}

/// The evaluation a winning chance stands for, the inverse of [`chance`], within `EVAL_MAX`.
#[must_use]
pub fn evaluation(chance: f32, scale: i32) -> i32 {
    let y = (2.0 * chance - 1.0).clamp(-0.999_999, 0.999_999);
    let x = y / (1.0 - y * y).sqrt();
    ((x * scale as f32) as i32).clamp(-EVAL_MAX, EVAL_MAX)
}

/// The value, for `side`, of a finished game `plies` from the root.
#[must_use]
pub fn of_outcome(outcome: Outcome, margin: Option<i32>, side: Color, plies: u32) -> i32 {
    match outcome {
        Outcome::Draw => 0,
        Outcome::Win(winner) => {
            let value =
                margin.map_or_else(|| WIN - plies.min(1_000) as i32, |margin| MARGIN + margin.clamp(0, 400));
            if winner == side { value } else { -value }
        }
    }
}

/// The certain result a value stands for, if it does.
#[must_use]
pub fn proven(value: i32, side: Color) -> Option<Outcome> {
    if value >= PROVEN {
        Some(Outcome::Win(side))
    } else if value <= -PROVEN {
        Some(Outcome::Win(!side))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_and_evaluation_are_inverse() {
        for value in [-5000, -700, -1, 0, 3, 250, 4000] {
            let back = evaluation(chance(value, 600), 600);
            assert!((back - value).abs() <= 1 + value.abs() / 100, "{value} {back}");
        }
        assert_eq!(chance(WIN - 3, 600), 1.0);
        assert!(chance(20_000, 100) < 1.0);
    }

    #[test]
    fn certain_values_are_beyond_all_others() {
        let win = of_outcome(Outcome::Win(Color::Black), None, Color::Black, 1_000);
        let least = of_outcome(Outcome::Win(Color::Black), Some(1), Color::White, 0);
        assert!(win >= PROVEN && least <= -PROVEN);
        const { assert!(SEEMS_LOST > -PROVEN && SEEMS_LOST < -EVAL_MAX) };
        assert_eq!(proven(least, Color::White), Some(Outcome::Win(Color::Black)));
        const { assert!(WIN > MARGIN + 100 && INFINITE > WIN) };
    }
}
