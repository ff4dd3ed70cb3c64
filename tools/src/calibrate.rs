//! `calibrate`: how much the values of a deep and a shallow search differ, for Multi-ProbCut.
//!
//! Positions of self-play are searched to every depth up to `--depth` without any cut but proven ones;
//! for each number of empty squares and each pair of depths of the same parity the standard deviation of
//! the difference is taken, and its logarithm is fitted by least squares as a linear function of the
//! terms in `engine/src/experts/othello/probcut.rs`. The constants printed belong there.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use tengen_engine::experts::othello::{Expert, probcut};
use tengen_engine::game::{Game as _, random};
use tengen_engine::games::Setup;
use tengen_engine::games::othello::Othello;
use tengen_engine::games::othello::board::Standard;

use crate::data::game::Games;
use crate::data::{self, Kind, work};
use crate::engine;

/// Arguments of `calibrate`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files or folders of games of Othello 8x8.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Positions for each number of empty squares.
    #[arg(long, default_value_t = 60)]
    positions: usize,
    /// Greatest depth in plies.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(2..=20))]
    depth: u32,
    /// Positions with at most so many empty squares are solved too.
    #[arg(long, default_value_t = 18, value_parser = clap::value_parser!(u32).range(0..=24))]
    solve: u32,
    /// Weights to search with instead of those built in.
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Seed of the draw of positions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// File for the statistics of every pair of depths, as CSV.
    #[arg(long)]
    table: Option<PathBuf>,
}

/// Sums of differences.
#[derive(Clone, Copy, Default)]
struct Cell {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Cell {
    fn add(&mut self, difference: f64) {
        self.count += 1.0;
        self.sum += difference;
        self.squares += difference * difference;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    fn deviation(&self) -> f64 {
        (self.squares / self.count - self.mean().powi(2)).max(0.0).sqrt()
    }
}

/// Empty squares, deep and shallow depth.
type Key = (u32, u32, u32);

/// Measures, fits and reports.
///
/// # Errors
/// Unreadable games or weights, and too few positions.
pub(crate) fn run(args: &Args, report: &mut dyn Write) -> Result<(), String> {
    let started = Instant::now();
    let setup = Setup::parse(["othello"]).map_err(|error| error.to_string())?;
    let _named = engine::install(args.weights.as_deref(), &setup)?;
    let tasks = drawn(args, &setup)?;
    let bar = work::bar(tasks.len() as u64, "positions")?;
    let cells: Mutex<BTreeMap<Key, Cell>> = Mutex::default();
    work::share(
        &tasks,
        args.jobs,
        || Ok(Expert::new(64)),
        |expert, position: &Othello<Standard>| {
            let empty = position.empty().count_ones();
            let most = if empty <= args.solve { empty } else { args.depth.min(empty - 1) };
            let values = expert.values(position, most);
            let mut cells = cells.lock().map_err(|_| "a thread failed")?;
            for deep in probcut::LEAST_DEPTH..=most {
                if deep > args.depth && deep < empty {
                    continue;
                }
                for shallow in (0..deep).rev().filter(|shallow| (deep - shallow) % 2 == 0 || *shallow == 0) {
                    let difference = f64::from(values[deep as usize] - values[shallow as usize]);
                    cells.entry((empty, deep, shallow)).or_default().add(difference);
                }
            }
            bar.inc(1);
            Ok(())
        },
    )?;
    bar.finish_and_clear();
    let cells = cells.into_inner().map_err(|_| "a thread failed")?;

    if let Some(path) = &args.table {
        let mut text = "empty,deep,shallow,count,mean,deviation\n".to_owned();
        for (&(empty, deep, shallow), cell) in &cells {
            let (mean, deviation) = (cell.mean(), cell.deviation());
            text += &format!("{empty},{deep},{shallow},{},{mean:.3},{deviation:.3}\n", cell.count);
        }
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let fitted = fit(&cells).ok_or("too few positions to fit anything")?;
    let mut error = Cell::default();
    for (&(empty, deep, shallow), cell) in &cells {
        if cell.deviation() > 0.0 {
            let says = said(&fitted, (empty, deep, shallow));
            error.add(says - cell.deviation().ln());
        }
    }
    let mut line = |text: String| writeln!(report, "{text}").map_err(|error| error.to_string());
    line(format!("const LOG_DEVIATION: [f32; 5] = {fitted:.4?};"))?;
    line(format!(
        "{} positions, {} cells, the logarithm of the deviation is off by {:.3}; {:.1} s",
        tasks.len(),
        cells.len(),
        error.deviation(),
        started.elapsed().as_secs_f64()
    ))
}

/// The positions to be searched: as many for each number of empty squares as there are, drawn by lot
/// among games, passes and decided ends left out.
fn drawn(args: &Args, setup: &Setup) -> Result<Vec<Othello<Standard>>, String> {
    let mut wanted = BTreeMap::<u32, usize>::new();
    let mut tasks = Vec::new();
    let mut rng = random::rng(random::mix(args.seed));
    for path in data::chunks(&args.games, Kind::Games)? {
        let (chunk, _) = Games::read(&path)?;
        if chunk.setup()? != *setup {
            return Err(format!("{}: games of {}, not of {setup}", path.display(), chunk.setup));
        }
        for game in chunk.games {
            let mut position = Othello::<Standard>::start();
            let at = random::below(&mut rng, game.plies.len().max(1) as u32) as usize;
            for ply in &game.plies[..at.min(game.plies.len())] {
                position.play(ply.mv);
            }
            let taken = wanted.entry(position.empty().count_ones()).or_default();
            if position.empty().count_ones() > probcut::LEAST_DEPTH
                && position.mobility() != 0
                && *taken < args.positions
            {
                *taken += 1;
                tasks.push(position);
            }
        }
    }
    Ok(tasks)
}

fn said(fitted: &[f64; 5], (empty, deep, shallow): Key) -> f64 {
    let terms = probcut::terms(empty, deep, shallow);
    terms.iter().zip(fitted).map(|(&term, weight)| f64::from(term) * weight).sum()
}

/// Least squares, cells weighed by their positions: the normal equations by Gaussian elimination.
fn fit(cells: &BTreeMap<Key, Cell>) -> Option<[f64; 5]> {
    let mut rows = [[0.0; 6]; 5];
    for (&(empty, deep, shallow), cell) in cells {
        if cell.count < 10.0 || cell.deviation() <= 0.0 {
            continue;
        }
        let terms = probcut::terms(empty, deep, shallow).map(f64::from);
        for i in 0..5 {
            for j in 0..5 {
                rows[i][j] += cell.count * terms[i] * terms[j];
            }
            rows[i][5] += cell.count * terms[i] * cell.deviation().ln();
        }
    }
    for column in 0..5 {
        let pivot = (column..5).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        rows.swap(column, pivot);
        if rows[column][column].abs() < 1e-9 {
            return None;
        }
        for row in 0..5 {
            if row != column {
                let (factor, taken) = (rows[row][column] / rows[column][column], rows[column]);
                for (entry, taken) in rows[row].iter_mut().zip(taken).skip(column) {
                    *entry -= factor * taken;
                }
            }
        }
    }
    let mut fitted = [0.0; 5];
    for (i, weight) in fitted.iter_mut().enumerate() {
        *weight = rows[i][5] / rows[i][i];
    }
    Some(fitted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_deviations_are_found_again() {
        let known = [1.1, -0.01, 0.05, -0.08, 0.3];
        let mut cells = BTreeMap::new();
        for empty in 8..50 {
            for deep in 3..=8_u32 {
                for shallow in (deep % 2..deep).step_by(2) {
                    // Two values this far on either side of their mean.
                    let deviation = said(&known, (empty, deep, shallow)).exp();
                    let mut cell = Cell::default();
                    for _ in 0..10 {
                        cell.add(2.0 + deviation);
                        cell.add(2.0 - deviation);
                    }
                    cells.insert((empty, deep, shallow), cell);
                }
            }
        }
        let fitted = fit(&cells).unwrap();
        for (found, right) in fitted.iter().zip(known) {
            assert!((found - right).abs() < 1e-6, "{fitted:?}");
        }
        assert_eq!(fit(&BTreeMap::new()), None);
    }
}
