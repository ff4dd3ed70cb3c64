//! Elo, likelihood of superiority and sequential tests.
//!
//! The formulas of fastchess (Disservin/fastchess, `app/src/matchmaking/elo` and `sprt`, which follow
//! Michel Van den Bergh's notes for Fishtest), solved to full precision.
//!
//! A result is counted game by game ([`Trinomial`]) or, where each opening is played with both colours,
//! pair by pair ([`Pentanomial`]). The games of a pair are not independent, and an opening that favours
//! one side spreads their results without saying anything of the engines: counted by pairs the error is
//! the right one, and mostly the smaller one.
//!
//! Nothing here is ever NaN. What has no bound is infinite, which JSON writes as `null`.

mod rating;
mod sprt;

use serde::Serialize;

pub use rating::{Rating, Ratings, ratings};
pub use sprt::{Model, Sprt, SprtError, SprtState, Verdict};

/// The quantile of the normal law that bounds a two-sided interval of 95 %.
const Z95: f64 = 1.959_963_984_540_054;
/// Normalised Elo of one standard deviation a game: 800 / ln 10.
const NELO: f64 = 800.0 / std::f64::consts::LN_10;

/// Games counted one by one, as one engine sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Trinomial {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

/// Pairs of games with colours swapped, as one engine sees them: how many brought 0, 0.5, 1, 1.5 and 2
/// points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pentanomial(pub [u32; 5]);

/// What results say of the difference between an engine and its opponents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Points a game, 0 to 1; 0.5 without games.
    pub score: f64,
    /// Logistic Elo, infinite when every game was won or lost.
    pub elo: f64,
    /// Half the width of the 95 % interval of `elo`, infinite when the interval has no bound.
    pub error: f64,
    /// Lower end of the 95 % interval of `elo`.
    pub low: f64,
    /// Upper end of the 95 % interval of `elo`.
    pub high: f64,
    /// Normalised Elo: the mean over the standard deviation of a game. Infinite when all results are
    /// equal and no draws.
    pub nelo: f64,
    /// Half the width of the 95 % interval of `nelo`.
    pub nelo_error: f64,
    /// Likelihood of superiority, 0 to 1: the chance that the engine is the stronger one.
    pub los: f64,
}

impl Trinomial {
    /// Number of games.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points, a draw for half of one.
    #[must_use]
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + 0.5 * f64::from(self.draws)
    }

    /// The share of drawn games, 0 to 1; 0 without games.
    #[must_use]
    pub fn draw_rate(&self) -> f64 {
        f64::from(self.draws) / f64::from(self.games().max(1))
    }

    /// The same games as the opponent sees them.
    #[must_use]
    pub fn reversed(&self) -> Trinomial {
        Trinomial { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// What these games say, each for itself.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        estimate([self.losses, self.draws, self.wins].map(f64::from), 1.0)
    }
}

impl std::ops::AddAssign for Trinomial {
    fn add_assign(&mut self, other: Trinomial) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

impl Pentanomial {
    /// Number of pairs.
    #[must_use]
    pub fn pairs(&self) -> u32 {
        self.0.iter().sum()
    }

    /// Counts a pair by the half points it brought, 0 to 4 (more are counted as 4).
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }

    /// Won pairs for each lost pair, infinite when none was lost; `None` when neither was.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let [lost2, lost1, _, won1, won2] = self.0;
        let (won, lost) = (won1 + won2, lost1 + lost2);
        (won + lost > 0).then(|| f64::from(won) / f64::from(lost))
    }

    /// The same pairs as the opponent sees them.
    #[must_use]
    pub fn reversed(&self) -> Pentanomial {
        let mut counts = self.0;
        counts.reverse();
        Pentanomial(counts)
    }

    /// What these pairs say.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        estimate(self.0.map(f64::from), 2.0)
    }
}

impl std::ops::AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Pentanomial) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

/// The expected score (0 to 1) at a difference in logistic Elo.
#[must_use]
pub fn elo_to_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

/// The difference in logistic Elo that explains a score, infinite for 0 and 1 and beyond.
#[must_use]
pub fn score_to_elo(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        -400.0 * (1.0 / score - 1.0).log10()
    }
}

/// The distribution function of the standard normal law.
#[must_use]
pub fn normal(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

/// The scores a unit (a game or a pair) can have, as points a game: 0 to 1 in equal steps.
fn scores<const N: usize>() -> [f64; N] {
    std::array::from_fn(|i| i as f64 / (N - 1) as f64)
}

/// Mean and variance of a distribution over [`scores`].
fn moments<const N: usize>(shares: &[f64; N]) -> (f64, f64) {
    let scores = scores::<N>();
    let mean: f64 = scores.iter().zip(shares).map(|(a, p)| a * p).sum();
    let variance = scores.iter().zip(shares).map(|(a, p)| p * (a - mean) * (a - mean)).sum();
    (mean, variance)
}

/// The estimate from counts of units of `games` games each.
fn estimate<const N: usize>(counts: [f64; N], games: f64) -> Estimate {
    let total: f64 = counts.iter().sum();
    if total == 0.0 {
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        return Estimate {
            score: 0.5,
            elo: 0.0,
            error: high,
            low,
            high,
            nelo: 0.0,
            nelo_error: high,
            los: 0.5,
        };
    }
    let (score, variance) = moments(&counts.map(|count| count / total));
    let spread = Z95 * (variance / total).sqrt();
    let (low, high) = (score_to_elo(score - spread), score_to_elo(score + spread));
    let lead = score - 0.5;
    // Equal results have no variance. All won or all lost, their number decides, as in a test of signs.
    let (sigmas, nelo) = match (variance > 0.0, lead == 0.0) {
        (true, _) => (lead / (variance / total).sqrt(), lead / (games * variance).sqrt() * NELO),
        (false, true) => (0.0, 0.0),
        (false, false) => (total.sqrt().copysign(lead), f64::INFINITY.copysign(lead)),
    };
    // Equal results say nothing of how they vary: the interval has no bounds. One from infinity to infinity
    // has no width of its own.
    let (low, high) = if variance > 0.0 { (low, high) } else { (f64::NEG_INFINITY, f64::INFINITY) };
    let error = if low.is_finite() && high.is_finite() { (high - low) / 2.0 } else { f64::INFINITY };
    let nelo_error =
        if nelo.is_finite() && variance > 0.0 { Z95 / (games * total).sqrt() * NELO } else { f64::INFINITY };
    Estimate { score, elo: score_to_elo(score), error, low, high, nelo, nelo_error, los: normal(sigmas) }
}

#[cfg(test)]
mod tests;
