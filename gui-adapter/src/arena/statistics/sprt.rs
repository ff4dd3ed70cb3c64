//! Sequential probability ratio tests (Wald 1945) on the generalised likelihood ratio.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::{NELO, Pentanomial, Trinomial, elo_to_score, moments, scores};

/// What stands for a result that has not come yet, so that no likelihood is 0 (as in fastchess).
const UNSEEN: f64 = 1e-3;
/// The largest difference in Elo a test may ask about.
const LARGEST: f64 = 1000.0;
/// The same for normalised Elo, where one standard deviation a game is 347.
const LARGEST_NORMALISED: f64 = 200.0;
/// The most rounds of the fixed point of normalised Elo; it takes about ten.
const ROUNDS: usize = 200;

/// What `elo0` and `elo1` measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Logistic Elo: the expected score.
    Logistic,
    /// Normalised Elo: the expected lead in standard deviations of a game. The length of a test then
    /// depends neither on the draw rate nor on the openings.
    #[default]
    Normalized,
}

/// What a test has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The difference is `elo0` or less.
    AcceptH0,
    /// The difference is `elo1` or more.
    AcceptH1,
    /// More games are needed.
    Continue,
}

/// A test of the hypothesis H0 "the difference is `elo0`" against H1 "it is `elo1`". Always a sound one:
/// made by [`Sprt::new`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: Model,
    pairs: bool,
}

/// Where a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtState {
    /// The log-likelihood ratio of H1 to H0.
    pub llr: f64,
    /// At this or below H0 is accepted.
    pub lower: f64,
    /// At this or above H1 is accepted.
    pub upper: f64,
    /// Which of them, if any.
    pub verdict: Verdict,
}

/// Why there is no such test.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// `elo0` and `elo1` are not two numbers in order.
    #[error("sprt: elo0 ({0}) must be less than elo1 ({1}), both within {2} of 0")]
    Elo(f64, f64, f64),
    /// `alpha` and `beta` are no error rates.
    #[error("sprt: alpha ({0}) and beta ({1}) must be above 0 and less than 1 together")]
    Rates(f64, f64),
}

/// The name of a model was none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such model: \"{}\"; expected logistic or normalized", .0.escape_debug())]
pub struct BadModel(String);

impl FromStr for Model {
    type Err = BadModel;

    fn from_str(text: &str) -> Result<Model, BadModel> {
        match text.to_ascii_lowercase().as_str() {
            "logistic" => Ok(Model::Logistic),
            "normalized" | "normalised" => Ok(Model::Normalized),
            _ => Err(BadModel(text.to_owned())),
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Model::Logistic => "logistic",
            Model::Normalized => "normalized",
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::AcceptH0 => "H0 accepted",
            Verdict::AcceptH1 => "H1 accepted",
            Verdict::Continue => "go on",
        })
    }
}

/// `elo [0, 10] normalized, alpha 0.05, beta 0.05`.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt { elo0, elo1, alpha, beta, model, .. } = self;
        write!(f, "elo [{elo0}, {elo1}] {model}, alpha {alpha}, beta {beta}")
    }
}

impl Sprt {
    /// A test with error rates `alpha` (H1 accepted although H0 holds) and `beta` (the other way round),
    /// on `pairs` or on single games.
    ///
    /// # Errors
    /// [`SprtError`] when the numbers make no test.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: Model,
        pairs: bool,
    ) -> Result<Sprt, SprtError> {
        let largest = match model {
            Model::Logistic => LARGEST,
            Model::Normalized => LARGEST_NORMALISED,
        };
        if !(-largest <= elo0 && elo0 < elo1 && elo1 <= largest) {
            return Err(SprtError::Elo(elo0, elo1, largest));
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(SprtError::Rates(alpha, beta));
        }
        Ok(Sprt { elo0, elo1, alpha, beta, model, pairs })
    }

    /// Whether the test counts pairs rather than games.
    #[must_use]
    pub fn pairs(&self) -> bool {
        self.pairs
    }

    /// Wald's bounds: `ln(beta / (1 - alpha))` and `ln((1 - beta) / alpha)`.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of games counted one by one.
    #[must_use]
    pub fn llr_games(&self, games: &Trinomial) -> f64 {
        self.llr([games.losses, games.draws, games.wins], 1.0)
    }

    /// The log-likelihood ratio of pairs.
    #[must_use]
    pub fn llr_pairs(&self, pairs: &Pentanomial) -> f64 {
        self.llr(pairs.0, 2.0)
    }

    /// Where the test stands by the counts it goes by: `pairs` if it is one on pairs, else `games`.
    #[must_use]
    pub fn state(&self, games: &Trinomial, pairs: &Pentanomial) -> SprtState {
        let llr = if self.pairs { self.llr_pairs(pairs) } else { self.llr_games(games) };
        let (lower, upper) = self.bounds();
        let verdict = if llr >= upper {
            Verdict::AcceptH1
        } else if llr <= lower {
            Verdict::AcceptH0
        } else {
            Verdict::Continue
        };
        SprtState { llr, lower, upper, verdict }
    }

    /// The likelihoods of the counts under the most likely distributions that have `elo1` and `elo0`.
    fn llr<const N: usize>(&self, counts: [u32; N], games: f64) -> f64 {
        if counts.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let counts = counts.map(|count| if count == 0 { UNSEEN } else { f64::from(count) });
        let total: f64 = counts.iter().sum();
        let shares = counts.map(|count| count / total);
        let fit = |elo: f64| match self.model {
            Model::Logistic => with_mean(&shares, elo_to_score(elo)),
            Model::Normalized => with_lead(&shares, games.sqrt() * elo / NELO),
        };
        let (h0, h1) = (fit(self.elo0), fit(self.elo1));
        counts.iter().zip(h1.iter().zip(&h0)).map(|(count, (p1, p0))| count * (p1 / p0).ln()).sum()
    }
}

/// The most likely distribution with this mean: Proposition 1.1 of Van den Bergh, "Comparing the
/// approximations for the generalized log likelihood ratio of a multinomial distribution".
fn with_mean<const N: usize>(shares: &[f64; N], mean: f64) -> [f64; N] {
    tilted(shares, &scores::<N>().map(|score| score - mean)).unwrap_or(*shares)
}

/// The most likely distribution whose mean is `lead` standard deviations above 0.5: the fixed point of
/// section 4.1 of Van den Bergh, "Comments on normalized Elo", from the uniform distribution on.
fn with_lead<const N: usize>(shares: &[f64; N], lead: f64) -> [f64; N] {
    let scores = scores::<N>();
    let mut found = [1.0 / N as f64; N];
    for _ in 0..ROUNDS {
        let (mean, variance) = moments(&found);
        let sigma = variance.sqrt();
        let weights = scores.map(|score| {
            let distance = (score - mean) / sigma;
            score - 0.5 - 0.5 * lead * sigma * (1.0 + distance * distance)
        });
        let Some(next) = tilted(shares, &weights) else { break };
        let change = next.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        found = next;
        if change < 1e-13 {
            break;
        }
    }
    found
}

/// The most likely distribution under which `weights` have the mean 0: `share / (1 + theta weight)`, with
/// the only theta that keeps all of it positive. `None` when the weights all have one sign.
fn tilted<const N: usize>(shares: &[f64; N], weights: &[f64; N]) -> Option<[f64; N]> {
    let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
    let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(least < 0.0 && most > 0.0) {
        return None;
    }
    // The mean falls from infinity to minus infinity between these: Newton's method, halving the
    // interval where a step would leave it.
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    let mut theta = 0.0;
    for _ in 0..100 {
        let (mut mean, mut slope) = (0.0, 0.0);
        for (share, weight) in shares.iter().zip(weights) {
            let ratio = weight / (1.0 + theta * weight);
            mean += share * ratio;
            slope -= share * ratio * ratio;
        }
        if mean > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
        let step = theta - mean / slope;
        let next = if step > low && step < high { step } else { 0.5 * (low + high) };
        let change = (next - theta).abs();
        theta = next;
        if change <= 1e-15 * (1.0 + theta.abs()) {
            break;
        }
    }
    Some(std::array::from_fn(|i| shares[i] / (1.0 + theta * weights[i])))
}
