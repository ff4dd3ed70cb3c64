//! The labels of a game's positions from what is known of them. All values are in hundredths of the
//! game's unit.

use tengen_engine::game::Color;

/// Plies between a position and the value it learns from.
pub(super) const AHEAD: usize = 4;

/// Where a value for the side to move comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Known {
    /// A proof.
    Exact(f64),
    /// A search that gives the label.
    Searched(f64),
    /// The record of the game.
    Recorded(f64),
    /// A short search, for earlier positions to learn from.
    Glimpsed(f64),
}

impl Known {
    fn value(self) -> f64 {
        match self {
            Known::Exact(value)
            | Known::Searched(value)
            | Known::Recorded(value)
            | Known::Glimpsed(value) => value,
        }
    }
}

/// A position of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    /// The side to move.
    pub(super) color: Color,
    /// Empty points.
    pub(super) empty: u32,
    /// Whether it can only pass.
    pub(super) pass: bool,
    /// Whether its move was drawn by lot.
    pub(super) random: bool,
    /// Its value, as far as known.
    pub(super) known: Option<Known>,
}

/// Shares of the game's result in labels, 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    /// Where a value is recorded.
    pub(super) mix: f64,
    /// In a step of temporal differences.
    pub(super) td: f64,
}

/// A label for the side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Label {
    pub(super) value: f64,
    pub(super) exact: bool,
}

/// Whether a position without a value [`AHEAD`] plies before `at`, or one before a pass there, may learn
/// from the value at `at`.
pub(super) fn looks_ahead(positions: &[Position], at: usize, unvalued: impl Fn(usize) -> bool) -> bool {
    // Only passes lie between AHEAD plies on and the position whose value stands for it.
    let passes = positions[..at].iter().rev().take_while(|position| position.pass).count();
    (0..=passes)
        .filter_map(|passes| at.checked_sub(AHEAD + passes))
        .any(|before| unvalued(before) && !random_within(positions, before))
}

/// The label of each position of a game that ended with `result` for Black; `None` where there is none.
pub(super) fn labels(positions: &[Position], result: f64, shares: Shares) -> Vec<Option<Label>> {
    let sign = |at: usize| if positions[at].color == Color::Black { 1.0 } else { -1.0 };
    // For Black; unknown in front of a move drawn by lot.
    let mut results = vec![None; positions.len()];
    let mut next = Some(result);
    for (at, position) in positions.iter().enumerate().rev() {
        if position.random {
            next = None;
        }
        if let Some(Known::Exact(value)) = position.known {
            next = Some(sign(at) * value);
        }
        results[at] = next;
    }
    let label = |at: usize| {
        let position = &positions[at];
        let result = results[at].map(|black| sign(at) * black);
        match position.known {
            _ if position.pass => None,
            Some(Known::Exact(value)) => Some(Label { value, exact: true }),
            Some(Known::Searched(value)) => Some(Label { value, exact: false }),
            Some(Known::Recorded(value)) => {
                let value = result.map_or(value, |result| shares.mix * result + (1.0 - shares.mix) * value);
                Some(Label { value, exact: false })
            }
            Some(Known::Glimpsed(_)) | None if random_within(positions, at) => None,
            Some(Known::Glimpsed(_)) | None => {
                let result = result?;
                // A forced pass has no value of its own; past the end the result stands.
                let later = (at + AHEAD..positions.len()).find(|&later| !positions[later].pass);
                let ahead = match later {
                    Some(later) => sign(at) * sign(later) * positions[later].known?.value(),
                    None => result,
                };
                Some(Label { value: shares.td * result + (1.0 - shares.td) * ahead, exact: false })
            }
        }
    };
    (0..positions.len()).map(label).collect()
}

/// Whether one of the next [`AHEAD`] moves was drawn by lot.
fn random_within(positions: &[Position], at: usize) -> bool {
    positions[at..].iter().take(AHEAD).any(|position| position.random)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Black and White in turn, ten positions.
    fn positions(known: impl Fn(usize) -> Option<Known>) -> Vec<Position> {
        let position = |at: usize| Position {
            color: if at.is_multiple_of(2) { Color::Black } else { Color::White },
            empty: 10 - at as u32,
            pass: false,
            random: false,
            known: known(at),
        };
        (0..10).map(position).collect()
    }

    fn values(positions: &[Position], mix: f64, td: f64) -> Vec<Option<f64>> {
        labels(positions, 600.0, Shares { mix, td })
            .into_iter()
            .map(|label| label.map(|label| label.value))
            .collect()
    }

    #[test]
    fn a_label_is_a_share_of_the_result_and_of_the_value_four_plies_on() {
        let glimpsed = positions(|at| Some(Known::Glimpsed(10.0 * at as f64)));
        let labels = values(&glimpsed, 0.0, 0.25);
        assert_eq!(labels[0], Some(0.25 * 600.0 + 0.75 * 40.0));
        assert_eq!(labels[1], Some(0.25 * -600.0 + 0.75 * 50.0));
        assert_eq!(labels[5], Some(0.25 * -600.0 + 0.75 * 90.0));
        assert_eq!(labels[6], Some(600.0), "the game ends within four plies");

        let exact =
            positions(|at| if at == 7 { Some(Known::Exact(-200.0)) } else { Some(Known::Glimpsed(0.0)) });
        let labels = values(&exact, 0.0, 0.25);
        assert_eq!(labels[2], Some(0.25 * 200.0), "the result is the next exact one");
        assert_eq!(labels[3], Some(0.25 * -200.0 + 0.75 * -200.0));
        assert_eq!((labels[7], labels[8]), (Some(-200.0), Some(600.0)));
    }

    #[test]
    fn nothing_comes_from_behind_a_random_move() {
        let mut all =
            positions(|at| if at < 6 { Some(Known::Recorded(100.0)) } else { Some(Known::Glimpsed(8.0)) });
        all[4].random = true;
        let labels = values(&all, 0.5, 0.5);
        assert_eq!(labels[3], Some(100.0));
        assert_eq!(labels[5], Some(0.5 * 100.0 + 0.5 * -600.0));

        let mut all = positions(|_| Some(Known::Glimpsed(8.0)));
        all[4].random = true;
        let labels = values(&all, 0.0, 0.5);
        assert!(labels[..5].iter().all(Option::is_none), "{labels:?}");
        assert_eq!(labels[5], Some(0.5 * -600.0 + 0.5 * 8.0));
        let wanted: Vec<usize> = (0..10).filter(|&at| looks_ahead(&all, at, |_| true)).collect();
        assert_eq!(wanted, [4, 9], "the ways back that are free");
    }

    #[test]
    fn a_pass_is_stepped_over() {
        // White passes at ply 5.
        let mut all = positions(|at| (at != 5).then_some(Known::Glimpsed(at as f64)));
        all[5].pass = true;
        let labels = values(&all, 0.0, 0.0);
        assert_eq!((labels[1], labels[5]), (Some(-6.0), None));
        assert_eq!((labels[0], labels[2]), (Some(4.0), Some(6.0)));
        // The ply after the pass serves those four and five plies before.
        all[2].random = true;
        assert!(!looks_ahead(&all, 6, |_| true));
        all[2].random = false;
        all[1].random = true;
        assert!(looks_ahead(&all, 6, |_| true) && !looks_ahead(&all, 5, |_| true));
    }
}
