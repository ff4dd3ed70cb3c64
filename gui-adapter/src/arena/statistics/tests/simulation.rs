//! Whether tests keep their error rates.

use tengen_engine::game::random::{self, Rng, below};

use super::*;

/// The distribution of pairs between engines `elo` apart with this share of draws, where in `bias` of the
/// pairs the opening decides: the second game then goes the other way as the first, as far as their own
/// chances allow (antithetic variates).
fn pair_shares(elo: f64, draws: f64, bias: f64) -> [f64; 5] {
    let win = elo_to_score(elo) - 0.5 * draws;
    let games = [1.0 - draws - win, draws, win];
    let mut shares = [0.0; 5];
    let starts = [0.0, games[0], games[0] + games[1]];
    for i in 0..3 {
        for j in 0..3 {
            // The overlap of the i-th interval with the j-th mirrored at one half.
            let (low, high) = (1.0 - starts[j] - games[j], 1.0 - starts[j]);
            let overlap = (high.min(starts[i] + games[i]) - low.max(starts[i])).max(0.0);
            shares[i + j] += (1.0 - bias) * games[i] * games[j] + bias * overlap;
        }
    }
    shares
}

fn draw(rng: &mut Rng, shares: &[f64; 5]) -> usize {
    let mut rest = f64::from(below(rng, u32::MAX)) / f64::from(u32::MAX);
    for (index, share) in shares.iter().enumerate() {
        if rest < *share {
            return index;
        }
        rest -= share;
    }
    4
}

/// How many of `runs` tests end in [`Verdict::AcceptH1`] when the pairs come from `shares`.
fn accepted(sprt: &Sprt, shares: &[f64; 5], runs: u32, rng: &mut Rng) -> u32 {
    let games = Trinomial::default();
    let mut accepted = 0;
    for _ in 0..runs {
        let mut pairs = Pentanomial::default();
        loop {
            pairs.add(draw(rng, shares));
            match sprt.state(&games, &pairs).verdict {
                Verdict::Continue => {}
                Verdict::AcceptH0 => break,
                Verdict::AcceptH1 => {
                    accepted += 1;
                    break;
                }
            }
        }
    }
    accepted
}

/// 10,000 tests at each end keep what they promise: the rates of error are within three standard
/// deviations of alpha and beta, on both sides.
///
/// Wald's bounds leave out that a test ends beyond its bound, not on it, which makes real rates smaller by
/// about `exp(-0.58 s)`, with `s` the standard deviation of one pair's likelihood ratio. So the two
/// hypotheses are chosen close, 20 Elo: with 20 % of draws and an opening that decides each tenth pair `s`
/// is 0.096 and the bias 5.4 % of alpha, less than half of the 13 % that three standard deviations are; a
/// test then takes some 600 pairs. So it holds on both sides without a correction (three seeds gave 503,
/// 477 and 480 false alarms, 474, 496 and 507 misses).
#[test]
fn simulated_tests_keep_their_error_rates() {
    const RUNS: u32 = 10_000;
    let mut rng = random::rng(20);
    let (elo0, elo1) = (0.0, 20.0);
    let sprt = test(elo0, elo1, Model::Logistic, true);
    let false_alarms = accepted(&sprt, &pair_shares(elo0, 0.2, 0.1), RUNS, &mut rng);
    let misses = RUNS - accepted(&sprt, &pair_shares(elo1, 0.2, 0.1), RUNS, &mut rng);
    let sigma = (0.05 * 0.95 / f64::from(RUNS)).sqrt();
    for errors in [false_alarms, misses] {
        close(f64::from(errors) / f64::from(RUNS), 0.05, 3.0 * sigma);
    }
}

#[test]
fn the_simulated_pairs_have_the_score_they_should() {
    for elo in [-50.0, 0.0, 20.0, 150.0] {
        for bias in [0.0, 0.1, 1.0] {
            let shares = pair_shares(elo, 0.2, bias);
            close(shares.iter().sum(), 1.0, 1e-12);
            close(moments(&shares).0, elo_to_score(elo), 1e-12);
        }
    }
}
