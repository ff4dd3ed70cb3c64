//! Trains the tables of an evaluation from samples.
//!
//! Stages are fitted from the end of the game to its beginning, each from the weights of the stage before,
//! on the samples of its own numbers of empty points and some more on either side, so that the stages
//! join without a jump. A share of the games is kept for validation. Beside the weights go the learning
//! curve and a record of how they were made.

mod fit;
mod model;
mod report;
mod store;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use tengen_engine::game::random;
use tengen_engine::games::Setup;

use crate::selfplay::share;
use fit::{Errors, Fit, Loss, Optimiser, Plan};
use model::Model;
use store::{Rows, Store};

/// Weights from samples.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Set-up as for newgame: "othello".
    #[arg(long)]
    game: String,
    /// Files or folders of samples.
    #[arg(required = true)]
    samples: Vec<PathBuf>,
    /// Folder for the weights, the learning curve and the record.
    #[arg(long)]
    out: PathBuf,
    /// Passes over the samples of a stage.
    #[arg(long, default_value_t = 10)]
    epochs: u32,
    /// What is made small.
    #[arg(long, value_enum, default_value = "squared")]
    loss: Loss,
    /// Logistic loss: the value in the game's unit that stands for a chance of 73 %.
    #[arg(long, default_value_t = 8.0)]
    scale: f32,
    /// How steps are made.
    #[arg(long, value_enum, default_value = "adam")]
    optimiser: Optimiser,
    /// Size of the first step in the game's unit; the steps shrink to a fiftieth of it.
    #[arg(long, default_value_t = 0.02)]
    lr: f32,
    /// Pull of a weight to that of the stage before, as strong as so many samples.
    #[arg(long, default_value_t = 1.0)]
    l2: f32,
    /// Numbers of empty points beyond its own that a stage learns from on either side.
    #[arg(long, default_value_t = 1)]
    window: u32,
    /// Weights that fewer samples have stay as in the stage before.
    #[arg(long, default_value_t = 2)]
    min_count: u32,
    /// Seed of the order.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Share of the games kept for validation.
    #[arg(long, default_value_t = 0.02, value_parser = share)]
    validation: f64,
}

impl Args {
    /// What decides the weights, as a command.
    fn command(&self) -> String {
        let name = |word: &dyn std::fmt::Debug| format!("{word:?}").to_lowercase();
        format!(
            "tengen-tools train --game \"{}\" --epochs {} --loss {} --scale {} --optimiser {} --lr {} --l2 {} \
             --window {} --min-count {} --seed {} --validation {}",
            self.game,
            self.epochs,
            name(&self.loss),
            self.scale,
            name(&self.optimiser),
            self.lr,
            self.l2,
            self.window,
            self.min_count,
            self.seed,
            self.validation
        )
    }

    fn plan(&self) -> Plan {
        Plan {
            loss: self.loss,
            scale: self.scale,
            optimiser: self.optimiser,
            epochs: self.epochs,
            rate: self.lr,
            pull: self.l2,
            least: self.min_count,
        }
    }
}

/// The errors of a stage.
#[derive(Clone, Debug)]
struct Course {
    stage: usize,
    /// Least and most empty points of the stage itself.
    empty: (u32, u32),
    /// Samples learned from, and kept for validation.
    samples: (usize, usize),
    /// Errors while training and then in validation, after each epoch.
    epochs: Vec<(Errors, Errors)>,
}

/// Trains, and writes to `report` the validation error of each stage.
///
/// # Errors
/// Samples that cannot be read, a set-up without a model, files that cannot be written.
pub(crate) fn run(args: &Args, report: &mut dyn Write) -> Result<(), String> {
    let started = Instant::now();
    let setup = Setup::parse(args.game.split_ascii_whitespace()).map_err(|error| error.to_string())?;
    let model = model::open(&setup)?;
    let store = Store::read(&args.samples, &setup, args.validation)?;
    std::fs::create_dir_all(&args.out).map_err(|error| format!("{}: {error}", args.out.display()))?;
    let (weights, courses) = fitted(args, &*model, &store)?;
    let file = model.encode(&weights)?;
    let path = args.out.join(model.file_name());
    std::fs::write(&path, &file).map_err(|error| format!("{}: {error}", path.display()))?;
    report::write(args, &store, &courses, &file)?;
    let mut tell = || {
        for course in &courses {
            let (training, validation) = course.epochs.last().copied().unwrap_or_default();
            writeln!(
                report,
                "stage {:2} ({:2} to {:2} empty): {:8} samples, mean error {:.3}; {:7} held out, {:.3} (root of squares {:.3})",
                course.stage,
                course.empty.0,
                course.empty.1,
                course.samples.0,
                training.mean,
                course.samples.1,
                validation.mean,
                validation.root
            )?;
        }
        let seconds = started.elapsed().as_secs_f64();
        writeln!(report, "{}: {} bytes; {seconds:.1} s", path.display(), file.len())
    };
    tell().map_err(|error| error.to_string())
}

/// The weights of all stages.
fn fitted(args: &Args, model: &dyn Model, store: &Store) -> Result<(Vec<f32>, Vec<Course>), String> {
    let bases = model.bases();
    let (mut all, mut courses) = (Vec::new(), Vec::new());
    let mut weights = vec![0.0; model.size()];
    let bar = crate::data::work::bar(model.stages() as u64 * u64::from(args.epochs), "epochs")?;
    for stage in 0..model.stages() {
        let counts = 0..store.training.len() as u32;
        let mut own = counts.filter(|&empty| model.stage(empty) == stage);
        let Some(first) = own.next() else { return Err(format!("stage {stage} has no positions")) };
        let empty = (first, own.last().unwrap_or(first));
        let wide = (empty.0.saturating_sub(args.window), empty.1 + args.window);
        let mut rng = random::rng(random::mix(args.seed) ^ stage as u64);
        let mut places = Store::places(&store.training, |count| (wide.0..=wide.1).contains(&count));
        fit::shuffle(&mut places, &mut rng);
        let rows = store.rows(&store.training, &places, model);
        let held = Store::places(&store.validation, |count| (empty.0..=empty.1).contains(&count));
        let held = store.rows(&store.validation, &held, model);
        let samples = (rows.labels.len(), held.labels.len());
        let mut course = Course { stage, empty, samples, epochs: Vec::new() };
        weights = fit_stage(args.plan(), &bases, weights, &rows, &held, &mut course, &mut rng, &bar);
        all.extend_from_slice(&weights);
        courses.push(course);
    }
    bar.finish_and_clear();
    Ok((all, courses))
}

#[allow(clippy::too_many_arguments, reason = "for now")]
fn fit_stage(
    plan: Plan,
    bases: &[u32],
    start: Vec<f32>,
    rows: &Rows,
    held: &Rows,
    course: &mut Course,
    rng: &mut random::Rng,
    bar: &indicatif::ProgressBar,
) -> Vec<f32> {
    let mut fit = Fit::new(plan, bases, start, rows);
    for epoch in 0..plan.epochs {
        let training = fit.epoch(epoch, rows, rng);
        let validation = fit.errors(held);
        course.epochs.push((training, validation));
        bar.set_message(format!("stage {}: {:.3}", course.stage, validation.mean));
        bar.inc(1);
    }
    fit.into_weights()
}
