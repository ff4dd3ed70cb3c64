//! Multi-ProbCut (M. Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function
//! for Othello", 1997): a position is left without a full search when a shallower one says with enough
//! confidence that its value lies outside the window.
//!
//! A level of selectivity is a confidence; the last one, [`SELECTIVITY_NONE`](super::SELECTIVITY_NONE),
//! cuts nothing.

/// How many standard deviations the shallow value must lie outside, by level: confidences of 73, 87,
/// 95, 98 and 99 % (Edax).
const MARGINS: [f32; 5] = [1.1, 1.5, 2.0, 2.6, 3.3];

/// Confidence of each level in percent, for display.
pub(super) const PERCENT: [u32; 6] = [73, 87, 95, 98, 99, 100];

/// Least depth at which cuts are tried.
pub(super) const LEAST_DEPTH: u32 = 3;

/// Plies of the shallow search that stands for one of `depth` plies, of the same parity.
#[inline(always)]
pub(super) fn reduced(depth: u32) -> u32 {
    let half = depth / 4 * 2 + depth % 2;
    if half == 0 { depth - 2 } else { half.min(depth - 2) }
}

/// Standard deviation, in discs, of the difference of searches of `depth` and `shallow` plies.
fn deviation(empty: f32, depth: f32, shallow: f32) -> f32 {
    let s = -0.100_268 * empty + 0.310_277 * depth - 0.577_726 * shallow;
    (0.075_856 * s * s + 1.164_926 * s + 5.417_17).max(0.5)
}

/// Margins in discs for each level, number of empty squares and depth.
#[derive(Debug)]
pub(super) struct Table {
    /// For the shallow search, and for the static evaluation that decides whether it is tried.
    margins: Box<[[[(i8, i8); 64]; 64]; 5]>,
}

impl Table {
    pub(super) fn new() -> Table {
        let mut margins: Box<[[[(i8, i8); 64]; 64]; 5]> =
            vec![[[(0, 0); 64]; 64]; 5].try_into().unwrap_or_else(|_| unreachable!("its length"));
        for (level, margin) in MARGINS.iter().enumerate() {
            for empty in 0..64_u32 {
                for depth in LEAST_DEPTH..64 {
                    let shallow = reduced(depth);
                    let of = |shallow: u32| deviation(empty as f32, depth as f32, shallow as f32);
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
