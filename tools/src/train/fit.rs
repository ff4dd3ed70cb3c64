//! Fits the weights of one stage.

use clap::ValueEnum;
use tengen_engine::game::random::{self, Rng};

use super::store::Rows;

/// Samples between two steps of Adam.
const BATCH: usize = 1_024;
/// Adam's decay of the mean of gradients and of their squares (D. Kingma, J. Ba: "Adam: a method for
/// stochastic optimization", 2015).
const BETA: (f32, f32) = (0.9, 0.999);
/// Keeps Adam from dividing by nothing.
const EPSILON: f32 = 1e-8;
/// Share of the first step's size that the last one has.
const LAST_STEP: f32 = 0.02;
/// The absolute error is squared within so many units of 0, where its slope would jump.
const ROUND: f32 = 0.5;

/// What is made small.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum Loss {
    /// The absolute error.
    Absolute,
    /// The squared error.
    Squared,
    /// The cross entropy of the winning chances that label and value stand for.
    Logistic,
}

impl Loss {
    /// Derivative by the value.
    fn slope(self, value: f32, label: f32, scale: f32) -> f32 {
        match self {
            Loss::Absolute => ((value - label) / ROUND).clamp(-1.0, 1.0),
            Loss::Squared => value - label,
            Loss::Logistic => chance(value / scale) - chance(label / scale),
        }
    }
}

fn chance(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// How steps are made.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum Optimiser {
    /// Adam on batches; a weight's averages stand still while no sample of a batch has it.
    Adam,
    /// A step for each sample, the smaller the more often the weight was met.
    Sgd,
}

/// How a stage is fitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// What is made small.
    pub(crate) loss: Loss,
    /// Units in which a win is likely with 73 %: of [`Loss::Logistic`].
    pub(crate) scale: f32,
    /// How steps are made.
    pub(crate) optimiser: Optimiser,
    /// Passes over the samples.
    pub(crate) epochs: u32,
    /// Size of the first step, in units.
    pub(crate) rate: f32,
    /// Pull of a weight to where it began, as that of so many samples.
    pub(crate) pull: f32,
    /// Weights met by fewer samples stay as they began.
    pub(crate) least: u32,
}

/// Errors of an epoch, in the game's unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Errors {
    /// Mean absolute error.
    pub(crate) mean: f64,
    /// Root of the mean squared error.
    pub(crate) root: f64,
}

impl Errors {
    /// From sums over samples.
    fn of(absolute: f64, squared: f64, count: usize) -> Errors {
        let count = count.max(1) as f64;
        Errors { mean: absolute / count, root: (squared / count).sqrt() }
    }
}

/// The weights of a stage while they are fitted.
pub(crate) struct Fit<'a> {
    plan: Plan,
    bases: &'a [u32],
    weights: Vec<f32>,
    /// The weights at the beginning.
    start: Vec<f32>,
    /// Samples that have each weight.
    counts: Vec<u32>,
    moments: Vec<Moments>,
}

/// Adam's averages of a weight, and the gradient of the batch.
#[derive(Clone, Copy, Default)]
struct Moments {
    gradient: f32,
    hits: f32,
    mean: f32,
    square: f32,
    /// What is left of the averages' empty beginning.
    left: (f32, f32),
}

impl<'a> Fit<'a> {
    /// Begins with the weights given.
    pub(crate) fn new(plan: Plan, bases: &'a [u32], start: Vec<f32>, rows: &Rows) -> Fit<'a> {
        let mut counts = vec![0_u32; start.len()];
        for row in rows.rows(0..rows.labels.len()) {
            for (&base, &number) in bases.iter().zip(row) {
                let count = &mut counts[base as usize + usize::from(number)];
                *count = count.saturating_add(1);
            }
        }
        let moments = vec![Moments { left: (1.0, 1.0), ..Moments::default() }; start.len()];
        Fit { plan, bases, weights: start.clone(), start, counts, moments }
    }

    /// The weights.
    pub(crate) fn into_weights(self) -> Vec<f32> {
        self.weights
    }

    fn value(&self, row: &[u16]) -> f32 {
        let terms = self.bases.iter().zip(row);
        terms.map(|(&base, &number)| self.weights[base as usize + usize::from(number)]).sum()
    }

    /// Errors over samples that are not learned.
    pub(crate) fn errors(&self, rows: &Rows) -> Errors {
        let (mut absolute, mut squared) = (0.0, 0.0);
        for (row, &label) in rows.rows(0..rows.labels.len()).zip(&rows.labels) {
            let error = f64::from(self.value(row) - label);
            absolute += error.abs();
            squared += error * error;
        }
        Errors::of(absolute, squared, rows.labels.len())
    }

    /// One pass over the samples, batch by batch in an order drawn by lot. Returns the errors met on the
    /// way.
    pub(crate) fn epoch(&mut self, epoch: u32, rows: &Rows, rng: &mut Rng) -> Errors {
        let count = rows.labels.len();
        let mut batches: Vec<usize> = (0..count.div_ceil(BATCH)).collect();
        shuffle(&mut batches, rng);
        let total = (self.plan.epochs as usize * batches.len()).max(1) as f32;
        let (mut absolute, mut squared) = (0.0, 0.0);
        let mut touched = Vec::new();
        for (done, &batch) in batches.iter().enumerate() {
            let progress = (epoch as usize * batches.len() + done) as f32 / total;
            let rate = self.plan.rate * (1.0 + (LAST_STEP - 1.0) * progress);
            let range = batch * BATCH..((batch + 1) * BATCH).min(count);
            let labels = &rows.labels[range.clone()];
            for (row, &label) in rows.rows(range).zip(labels) {
                let value = self.value(row);
                let error = f64::from(value - label);
                absolute += error.abs();
                squared += error * error;
                let slope = self.plan.loss.slope(value, label, self.plan.scale);
                match self.plan.optimiser {
                    Optimiser::Adam => self.collect(row, slope, &mut touched),
                    Optimiser::Sgd => self.step(row, slope, rate),
                }
            }
            if self.plan.optimiser == Optimiser::Adam {
                self.adam(&mut touched, rate);
            }
        }
        Errors::of(absolute, squared, count)
    }

    fn collect(&mut self, row: &[u16], slope: f32, touched: &mut Vec<u32>) {
        for (&base, &number) in self.bases.iter().zip(row) {
            let index = base + u32::from(number);
            let moments = &mut self.moments[index as usize];
            if moments.hits == 0.0 {
                touched.push(index);
            }
            moments.hits += 1.0;
            moments.gradient += slope;
        }
    }

    /// A step of Adam for the weights that the batch has.
    fn adam(&mut self, touched: &mut Vec<u32>, rate: f32) {
        for index in touched.drain(..) {
            let index = index as usize;
            let moments = &mut self.moments[index];
            let count = self.counts[index];
            let share = moments.hits / count.max(1) as f32;
            let gradient =
                moments.gradient + self.plan.pull * share * (self.weights[index] - self.start[index]);
            (moments.gradient, moments.hits) = (0.0, 0.0);
            if count < self.plan.least {
                continue;
            }
            moments.mean += (1.0 - BETA.0) * (gradient - moments.mean);
            moments.square += (1.0 - BETA.1) * (gradient * gradient - moments.square);
            moments.left = (moments.left.0 * BETA.0, moments.left.1 * BETA.1);
            let mean = moments.mean / (1.0 - moments.left.0);
            let square = moments.square / (1.0 - moments.left.1);
            self.weights[index] -= rate * mean / (square.sqrt() + EPSILON);
        }
    }

    /// A step for one sample.
    fn step(&mut self, row: &[u16], slope: f32, rate: f32) {
        for (&base, &number) in self.bases.iter().zip(row) {
            let index = base as usize + usize::from(number);
            let count = self.counts[index];
            if count < self.plan.least {
                continue;
            }
            let moments = &mut self.moments[index];
            moments.hits += 1.0;
            let rate = rate / moments.hits.sqrt().sqrt();
            // The pull is that of the point the step leads to, so that it never leads past the start.
            let start = self.start[index];
            let moved = self.weights[index] - rate * slope - start;
            self.weights[index] = start + moved / (1.0 + rate * self.plan.pull / count as f32);
        }
    }
}

/// Fisher and Yates, from the end.
pub(crate) fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for last in (1..items.len()).rev() {
        let bound = u32::try_from(last + 1).unwrap_or(u32::MAX);
        items.swap(last, random::below(rng, bound) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(optimiser: Optimiser) -> Plan {
        Plan { loss: Loss::Squared, scale: 8.0, optimiser, epochs: 30, rate: 0.2, pull: 0.0, least: 1 }
    }

    /// Two terms of one table of ten weights; the value is the sum of the weights' numbers.
    fn rows(count: usize) -> Rows {
        let mut rng = random::rng(3);
        let numbers: Vec<u16> = (0..2 * count).map(|_| random::below(&mut rng, 10) as u16).collect();
        let labels = numbers.chunks(2).map(|pair| f32::from(pair[0] + pair[1])).collect();
        Rows::new(2, numbers, labels)
    }

    fn fitted(plan: Plan, rows: &Rows, start: f32) -> Vec<f32> {
        let mut fit = Fit::new(plan, &[0, 0], vec![start; 11], rows);
        let mut rng = random::rng(1);
        for epoch in 0..plan.epochs {
            fit.epoch(epoch, rows, &mut rng);
        }
        fit.into_weights()
    }

    #[test]
    fn the_weights_of_a_sum_are_recovered() {
        let rows = rows(20_000);
        for optimiser in [Optimiser::Adam, Optimiser::Sgd] {
            let weights = fitted(plan(optimiser), &rows, 1.0);
            for (number, weight) in weights[..10].iter().enumerate() {
                assert!((weight - number as f32).abs() < 0.02, "{optimiser:?}: {weights:?}");
            }
            assert_eq!(weights[10], 1.0, "no sample has it");
        }
    }

    #[test]
    fn rare_weights_stay_and_a_pull_holds_back() {
        let rows = Rows::new(2, vec![0, 1, 0, 1, 0, 2], vec![10.0, 10.0, 10.0]);
        for optimiser in [Optimiser::Adam, Optimiser::Sgd] {
            let weights = fitted(Plan { least: 2, ..plan(optimiser) }, &rows, 0.0);
            assert!(weights[2] == 0.0 && weights[1] > 0.5, "{optimiser:?}: {weights:?}");
            let free = fitted(plan(optimiser), &rows, 0.0);
            let held = fitted(Plan { pull: 1_000.0, ..plan(optimiser) }, &rows, 0.0);
            assert!(held[1].abs() < 0.2 * free[1].abs(), "{optimiser:?}: {held:?}, {free:?}");
        }
    }
}
