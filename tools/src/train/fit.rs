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
    /// Derivative by the value; for small errors it is about the error, the same for every loss that has
    /// no kink there.
    fn slope(self, value: f32, label: f32, scale: f32) -> f32 {
        match self {
            Loss::Absolute => ((value - label) / ROUND).clamp(-1.0, 1.0),
            Loss::Squared => value - label,
            Loss::Logistic => 4.0 * scale * (chance(value / scale) - chance(label / scale)),
        }
    }
}

fn chance(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// How a stage is fitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// What is made small.
    pub(crate) loss: Loss,
    /// Units in which a win is likely with 73 %: of [`Loss::Logistic`].
    pub(crate) scale: f32,
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

/// The weights of a stage: sums of table entries of `K` numbers each. The first sum is the linear part of
/// the value; each of the others goes through a hidden unit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights<const K: usize> {
    /// The entries of all tables, one behind the other.
    pub(crate) rows: Vec<[f32; K]>,
    /// What the units do with the sums.
    pub(crate) head: Head<K>,
}

/// The hidden units: unit `i` adds `out[i] * max(0, sum[i] + bias[i])`. Number 0 is the linear part, whose
/// bias is 0 and factor 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Head<const K: usize> {
    /// What is added to each sum.
    pub(crate) bias: [f32; K],
    /// The factor of each unit.
    pub(crate) out: [f32; K],
}

impl<const K: usize> Weights<K> {
    /// Linear parts of 0, and hidden ones drawn by lot so that the sums of so many terms are about 1.
    pub(crate) fn begin(size: usize, terms: usize, rng: &mut Rng) -> Weights<K> {
        let most = (3.0 / terms.max(1) as f32).sqrt();
        let mut lot = || most * (random::below(rng, 2_001) as f32 / 1_000.0 - 1.0);
        let mut rows = vec![[0.0; K]; size];
        rows.iter_mut().flat_map(|row| &mut row[1..]).for_each(|weight| *weight = lot());
        let mut head = Head { bias: [0.0; K], out: [1.0; K] };
        // Units of either sign.
        head.out[1..].iter_mut().skip(1).step_by(2).for_each(|out| *out = -1.0);
        Weights { rows, head }
    }

    /// The sums of a position's entries.
    fn sums(&self, bases: &[u32], row: &[u16]) -> [f32; K] {
        let mut sums = [0.0; K];
        for (&base, &number) in bases.iter().zip(row) {
            let entry = &self.rows[base as usize + usize::from(number)];
            sums.iter_mut().zip(entry).for_each(|(sum, weight)| *sum += weight);
        }
        sums
    }

    /// The value of a position in the game's unit.
    pub(crate) fn value(&self, bases: &[u32], row: &[u16]) -> f32 {
        self.head.value(&self.sums(bases, row))
    }
}

impl<const K: usize> Head<K> {
    fn value(&self, sums: &[f32; K]) -> f32 {
        (1..K).fold(sums[0], |value, unit| value + self.out[unit] * (sums[unit] + self.bias[unit]).max(0.0))
    }
}

/// The weights of a stage while they are fitted.
pub(crate) struct Fit<'a, const K: usize> {
    plan: Plan,
    bases: &'a [u32],
    weights: Weights<K>,
    /// The weights at the beginning.
    start: Weights<K>,
    /// Samples that have each entry.
    counts: Vec<u32>,
    moments: Vec<Moments<K>>,
    head: [Moments<K>; 2],
}

/// Adam's averages of an entry, and the gradient of the batch.
#[derive(Clone, Copy)]
struct Moments<const K: usize> {
    gradient: [f32; K],
    hits: f32,
    mean: [f32; K],
    square: [f32; K],
    /// What is left of the averages' empty beginning.
    left: (f32, f32),
}

impl<const K: usize> Moments<K> {
    const NEW: Moments<K> =
        Moments { gradient: [0.0; K], hits: 0.0, mean: [0.0; K], square: [0.0; K], left: (1.0, 1.0) };

    fn collect(&mut self, slopes: &[f32; K]) {
        self.hits += 1.0;
        self.gradient.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope);
    }

    /// Ends the batch and moves the weights.
    fn step(&mut self, weights: &mut [f32; K], rate: f32) {
        self.left = (self.left.0 * BETA.0, self.left.1 * BETA.1);
        let (whole, squares) = (rate / (1.0 - self.left.0), 1.0 / (1.0 - self.left.1));
        for (i, weight) in weights.iter_mut().enumerate() {
            let gradient = self.gradient[i];
            self.mean[i] += (1.0 - BETA.0) * (gradient - self.mean[i]);
            self.square[i] += (1.0 - BETA.1) * (gradient * gradient - self.square[i]);
            *weight -= whole * self.mean[i] / ((squares * self.square[i]).sqrt() + EPSILON);
        }
        self.end();
    }

    fn end(&mut self) {
        (self.gradient, self.hits) = ([0.0; K], 0.0);
    }
}

impl<'a, const K: usize> Fit<'a, K> {
    /// Begins with the weights given.
    pub(crate) fn new(plan: Plan, bases: &'a [u32], start: Weights<K>, rows: &Rows) -> Fit<'a, K> {
        let mut counts = vec![0_u32; start.rows.len()];
        for row in rows.rows(0..rows.labels.len()) {
            for (&base, &number) in bases.iter().zip(row) {
                let count = &mut counts[base as usize + usize::from(number)];
                *count = count.saturating_add(1);
            }
        }
        let moments = vec![Moments::NEW; start.rows.len()];
        Fit { plan, bases, weights: start.clone(), start, counts, moments, head: [Moments::NEW; 2] }
    }

    /// The weights.
    pub(crate) fn into_weights(self) -> Weights<K> {
        self.weights
    }

    /// Errors over samples that are not learned.
    pub(crate) fn errors(&self, rows: &Rows) -> Errors {
        let (mut absolute, mut squared) = (0.0, 0.0);
        for (row, &label) in rows.rows(0..rows.labels.len()).zip(&rows.labels) {
            let error = f64::from(self.weights.value(self.bases, row) - label);
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
                let sums = self.weights.sums(self.bases, row);
                let value = self.weights.head.value(&sums);
                let error = f64::from(value - label);
                absolute += error.abs();
                squared += error * error;
                let slope = self.plan.loss.slope(value, label, self.plan.scale);
                self.collect(row, &sums, slope, &mut touched);
            }
            self.step(&mut touched, rate);
        }
        Errors::of(absolute, squared, count)
    }

    /// Adds the gradient of a sample to that of the batch.
    fn collect(&mut self, row: &[u16], sums: &[f32; K], slope: f32, touched: &mut Vec<u32>) {
        let mut slopes = [slope; K];
        if K > 1 {
            let mut outs = [0.0; K];
            let Head { bias, out } = &self.weights.head;
            for unit in 1..K {
                let open = sums[unit] + bias[unit];
                outs[unit] = slope * open.max(0.0);
                slopes[unit] = if open > 0.0 { slope * out[unit] } else { 0.0 };
            }
            self.head[0].collect(&slopes);
            self.head[1].collect(&outs);
        }
        for (&base, &number) in self.bases.iter().zip(row) {
            let index = base + u32::from(number);
            let moments = &mut self.moments[index as usize];
            if moments.hits == 0.0 {
                touched.push(index);
            }
            moments.collect(&slopes);
        }
    }

    /// A step of Adam for the entries that the batch has.
    fn step(&mut self, touched: &mut Vec<u32>, rate: f32) {
        for index in touched.drain(..) {
            let index = index as usize;
            let (moments, count) = (&mut self.moments[index], self.counts[index]);
            if count < self.plan.least {
                moments.end();
                continue;
            }
            let pull = self.plan.pull * moments.hits / count as f32;
            let (entry, start) = (&mut self.weights.rows[index], &self.start.rows[index]);
            for i in 0..K {
                moments.gradient[i] += pull * (entry[i] - start[i]);
            }
            moments.step(entry, rate);
        }
        if K > 1 {
            let Head { mut bias, mut out } = self.weights.head;
            self.head[0].step(&mut bias, rate);
            self.head[1].step(&mut out, rate);
            (bias[0], out[0]) = (0.0, 1.0);
            self.weights.head = Head { bias, out };
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

    const PLAN: Plan = Plan { loss: Loss::Squared, scale: 8.0, epochs: 30, rate: 0.2, pull: 0.0, least: 1 };

    /// Two terms of one table of ten numbers, valued by a function of the two numbers.
    fn rows(count: usize, value: fn(f32, f32) -> f32) -> Rows {
        let mut rng = random::rng(3);
        let numbers: Vec<u16> = (0..2 * count).map(|_| random::below(&mut rng, 10) as u16).collect();
        let labels = numbers.chunks(2).map(|pair| value(f32::from(pair[0]), f32::from(pair[1]))).collect();
        Rows::new(2, numbers, labels)
    }

    fn fitted<const K: usize>(plan: Plan, rows: &Rows, size: usize) -> (Weights<K>, Errors) {
        let mut rng = random::rng(1);
        let mut fit = Fit::<K>::new(plan, &[0, 0], Weights::begin(size, 2, &mut rng), rows);
        for epoch in 0..plan.epochs {
            fit.epoch(epoch, rows, &mut rng);
        }
        let errors = fit.errors(rows);
        (fit.into_weights(), errors)
    }

    #[test]
    fn the_weights_of_a_sum_are_recovered() {
        let (weights, errors) = fitted::<1>(PLAN, &rows(20_000, |a, b| a + b), 11);
        for (number, weight) in weights.rows[..10].iter().enumerate() {
            assert!((weight[0] - number as f32).abs() < 0.02, "{weights:?}");
        }
        assert_eq!(weights.rows[10], [0.0], "no sample has it");
        assert!(errors.mean < 0.02, "{errors:?}");
    }

    #[test]
    fn rare_weights_stay_and_a_pull_holds_back() {
        let rows = Rows::new(2, vec![0, 1, 0, 1, 0, 2], vec![10.0, 10.0, 10.0]);
        let (weights, _) = fitted::<1>(Plan { least: 2, ..PLAN }, &rows, 3);
        assert!(weights.rows[2] == [0.0] && weights.rows[1][0] > 0.5, "{weights:?}");
        let (free, _) = fitted::<1>(PLAN, &rows, 3);
        let (held, _) = fitted::<1>(Plan { pull: 1_000.0, ..PLAN }, &rows, 3);
        assert!(held.rows[1][0].abs() < 0.2 * free.rows[1][0].abs(), "{held:?}, {free:?}");
    }

    #[test]
    fn hidden_units_learn_what_no_sum_can_say() {
        let rows = rows(20_000, |a, b| (a + b - 9.0).abs());
        let plan = Plan { rate: 0.02, ..PLAN };
        let (_, sum) = fitted::<1>(plan, &rows, 10);
        let (_, net) = fitted::<8>(plan, &rows, 10);
        assert!(sum.mean > 1.5, "{sum:?}");
        assert!(net.mean < 0.2, "{net:?}");
    }
}
