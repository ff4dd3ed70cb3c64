//! Multi-ProbCut (M. Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function
//! for Othello", 1997): a position is left without a full search when a shallower one says with enough
//! confidence that its value lies outside the window.
//!
//! A level of selectivity is a confidence; the last one, `SELECTIVITY_NONE`,
//! cuts nothing.

/// How many standard deviations the shallow value must lie outside, by level: confidences of 73, 87,
/// 95, 98 and 99 % (Edax).
const MARGINS: [f32; 5] = [1.1, 1.5, 2.0, 2.6, 3.3];

/// Confidence of each level in percent, for display.
pub(super) const PERCENT: [u32; 6] = [73, 87, 95, 98, 99, 100];

/// Least depth at which cuts are tried.
pub const LEAST_DEPTH: u32 = 3;

/// Plies of the shallow search that stands for one of `depth` plies, of the same parity.
#[inline(always)]
pub(super) fn reduced(depth: u32) -> u32 {
    let half = depth / 4 * 2 + depth % 2;
    if half == 0 { depth - 2 } else { half.min(depth - 2) }
}

/// The logarithm of the standard deviation, in discs, of the difference of two searches is a sum of
/// these, times 1, the number of empty squares, the greater and the smaller depth, and 1 where the
/// greater one is to the end. Fitted by `tengen-tools calibrate` to searches with the built-in weights;
/// `weights.toml` beside them has the command.
const LOG_DEVIATION: [f32; 5] = [1.5917, -0.0169, 0.0605, -0.1451, 0.0719];

/// Standard deviation, in discs, of the difference of searches of `depth` and `shallow` plies.
#[must_use]
pub fn deviation(empty: u32, depth: u32, shallow: u32) -> f32 {
    terms(empty, depth, shallow)
        .iter()
        .zip(LOG_DEVIATION)
        .map(|(term, weight)| term * weight)
        .sum::<f32>()
        .exp()
}

/// What the logarithm of the deviation is a linear function of.
#[must_use]
pub fn terms(empty: u32, depth: u32, shallow: u32) -> [f32; 5] {
    let end = f32::from(u8::from(depth >= empty));
    [1.0, empty as f32, depth as f32, shallow as f32, end]
}

/// Margins by number of empty squares and depth.
type ByDepth = [[(i8, i8); 64]; 64];

/// Margins in discs for each level, number of empty squares and depth.
#[derive(Debug)]
pub(super) struct Table {
    /// For the shallow search, and for the static evaluation that decides whether it is tried.
    margins: Box<[ByDepth; 5]>,
}

impl Table {
    pub(super) fn new() -> Table {
        let mut margins: Box<[ByDepth; 5]> =
            vec![[[(0, 0); 64]; 64]; 5].try_into().unwrap_or_else(|_| unreachable!("its length"));
        for (level, margin) in MARGINS.iter().enumerate() {
            for empty in 0..64_u32 {
                for depth in LEAST_DEPTH..64 {
                    let shallow = reduced(depth);
                    let of = |shallow: u32| deviation(empty, depth, shallow);
                    let search = margin * of(shallow) + 0.5;
                    let gate = 0.5 * margin * (of(0) + of(shallow));
                    margins[level][empty as usize][depth as usize] =
                        (search.min(127.0) as i8, gate.min(127.0) as i8);
                }
            }
        }
        Table { margins }
    }

    /// Margins of the shallow search and of the static evaluation, in discs.
    #[inline(always)]
    pub(super) fn margins(&self, selectivity: u32, empty: u32, depth: u32) -> (i32, i32) {
        let (search, gate) = self.margins[selectivity as usize % 5][empty as usize % 64][depth as usize % 64];
        (i32::from(search), i32::from(gate))
    }
}
