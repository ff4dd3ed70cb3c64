//! Ratings of more than two engines from all their games.

use super::{Z95, elo_to_score};

/// Natural units of rating in one Elo.
const PER_ELO: f64 = std::f64::consts::LN_10 / 400.0;
/// The most steps of Newton's method; it takes about five.
const STEPS: usize = 200;

/// One engine's rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Logistic Elo; the mean of all ratings is 0.
    pub elo: f64,
    /// Half the width of the 95 % interval, infinite for an engine without games.
    pub error: f64,
}

/// Ratings of engines, in the order of the engines.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// The ratings.
    pub ratings: Vec<Rating>,
    /// Whether a drawn game with an average opponent was added to each engine's, because the games alone
    /// have no finite best fit: some engines won or lost all games against the others.
    pub prior: bool,
}

/// The ratings under which the results are most likely, by the model of Bradley and Terry (1952) with a
/// draw as half a win and half a loss: the same expected score as logistic Elo, so that each engine's
/// points are those its rating expects.
///
/// `points[i][j]` is what engine `i` scored against `j`; the number of their games is
/// `points[i][j] + points[j][i]`. The error is 1.96 standard deviations by the Fisher information. That
/// counts every game as won or lost, so it is a little too wide where many are drawn.
#[must_use]
pub fn ratings(points: &[Vec<f64>]) -> Ratings {
    let count = points.len();
    if count == 0 {
        return Ratings { ratings: Vec::new(), prior: false };
    }
    let prior = !connected(points);
    let mut elo = vec![0.0; count];
    let mut fit = Fit::at(points, &elo, prior);
    for _ in 0..STEPS {
        let Some(step) = solve(&fit.information, &fit.gradient) else { break };
        // The likelihood is concave, so that a short enough step always gains.
        let mut length = 1.0;
        let mut next;
        loop {
            next = elo.iter().zip(&step).map(|(elo, step)| elo + length * step).collect::<Vec<f64>>();
            center(&mut next, prior);
            let better = Fit::at(points, &next, prior);
            // Next to the best fit the gain is lost in rounding.
            if better.likelihood >= fit.likelihood - 1e-12 * fit.likelihood.abs() || length < 1e-6 {
                fit = better;
                break;
            }
            length *= 0.5;
        }
        let change = next.iter().zip(&elo).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        elo = next;
        if change < 1e-9 {
            break;
        }
    }
    let errors = errors(&fit.information, prior);
    center(&mut elo, false);
    let lonely = |i: usize| (0..count).all(|j| j == i || points[i][j] + points[j][i] == 0.0);
    let ratings = elo
        .iter()
        .zip(errors)
        .enumerate()
        .map(|(i, (&elo, error))| Rating { elo, error: if lonely(i) { f64::INFINITY } else { error } })
        .collect();
    Ratings { ratings, prior }
}

/// The likelihood at some ratings and its derivatives.
struct Fit {
    likelihood: f64,
    gradient: Vec<f64>,
    /// The Fisher information, made regular in the direction that moves all ratings together.
    information: Vec<Vec<f64>>,
}

impl Fit {
    fn at(points: &[Vec<f64>], elo: &[f64], prior: bool) -> Fit {
        let count = elo.len();
        let mut fit = Fit {
            likelihood: 0.0,
            gradient: vec![0.0; count],
            information: vec![vec![if prior { 0.0 } else { PER_ELO * PER_ELO }; count]; count],
        };
        for i in 0..count {
            for j in 0..count {
                let (won, games) = (points[i][j], points[i][j] + points[j][i]);
                if i == j || games == 0.0 {
                    continue;
                }
                let expected = elo_to_score(elo[i] - elo[j]);
                fit.likelihood += won * ln_score(elo[i] - elo[j]);
                fit.gradient[i] += PER_ELO * (won - games * expected);
                let weight = PER_ELO * PER_ELO * games * expected * (1.0 - expected);
                fit.information[i][i] += weight;
                fit.information[i][j] -= weight;
            }
            if prior {
                let expected = elo_to_score(elo[i]);
                fit.likelihood += 0.5 * (ln_score(elo[i]) + ln_score(-elo[i]));
                fit.gradient[i] += PER_ELO * (0.5 - expected);
                fit.information[i][i] += PER_ELO * PER_ELO * expected * (1.0 - expected);
            }
        }
        fit
    }
}

/// The logarithm of the expected score, exact for any difference.
fn ln_score(elo: f64) -> f64 {
    let x = elo * PER_ELO;
    x.min(0.0) - (-x.abs()).exp().ln_1p()
}

/// Moves all ratings so that their mean is 0, unless a prior holds them.
fn center(elo: &mut [f64], held: bool) {
    if !held {
        let mean = elo.iter().sum::<f64>() / elo.len() as f64;
        elo.iter_mut().for_each(|elo| *elo -= mean);
    }
}

/// Half widths of 95 % intervals of the ratings about their mean.
fn errors(information: &[Vec<f64>], prior: bool) -> Vec<f64> {
    let count = information.len();
    let mean = 1.0 / count as f64;
    (0..count)
        .map(|i| {
            // The variance of a rating less the mean of all.
            let direction: Vec<f64> = (0..count).map(|j| f64::from(u8::from(i == j)) - mean).collect();
            let Some(solved) = solve(information, &direction) else { return f64::INFINITY };
            let variance: f64 = direction.iter().zip(&solved).map(|(a, b)| a * b).sum();
            debug_assert!(prior || variance.is_finite());
            Z95 * variance.max(0.0).sqrt()
        })
        .collect()
}

/// Whether everyone scored against everyone, directly or through others: then, and only then, the best
/// fit is finite (Ford 1957).
fn connected(points: &[Vec<f64>]) -> bool {
    let reaches_all = |scored: &dyn Fn(usize, usize) -> bool| {
        let mut reached = vec![false; points.len()];
        let mut open = vec![0];
        reached[0] = true;
        while let Some(i) = open.pop() {
            for (j, reached) in reached.iter_mut().enumerate().filter(|(_, reached)| !**reached) {
                if scored(i, j) {
                    *reached = true;
                    open.push(j);
                }
            }
        }
        reached.iter().all(|&reached| reached)
    };
    reaches_all(&|i, j| points[i][j] > 0.0) && reaches_all(&|i, j| points[j][i] > 0.0)
}

/// The solution of a system of linear equations by elimination with pivots, `None` if it has not one.
fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
    let count = right.len();
    let mut rows: Vec<Vec<f64>> =
        matrix.iter().zip(right).map(|(row, &value)| row.iter().copied().chain([value]).collect()).collect();
    for column in 0..count {
        let pivot =
            (column..count).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        rows.swap(column, pivot);
        if rows[column][column] == 0.0 || !rows[column][column].is_finite() {
            return None;
        }
        let (upper, lower) = rows.split_at_mut(column + 1);
        let head = &upper[column];
        for row in lower {
            let factor = row[column] / head[column];
            for (value, above) in row.iter_mut().zip(head).skip(column) {
                *value -= factor * above;
            }
        }
    }
    let mut solution = vec![0.0; count];
    for row in (0..count).rev() {
        let known: f64 = (row + 1..count).map(|column| rows[row][column] * solution[column]).sum();
        solution[row] = (rows[row][count] - known) / rows[row][row];
    }
    Some(solution)
}
