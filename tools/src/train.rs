//! Trains the tables of an evaluation from samples.
//!
//! Stages are fitted from the end of the game to its beginning, each from the weights of the stage before,
//! on the samples of its own numbers of empty points and some more on either side, so that the stages
//! join without a jump. A share of the games is kept for validation. Beside the weights go the learning
//! curve and a record of how they were made.

mod fit;
mod model;
mod network;
mod report;
mod store;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use tengen_engine::game::random;
use tengen_engine::games::Setup;

use crate::data::work;
use crate::selfplay::share;
use fit::{Errors, Fit, Loss, Plan, Weights};
use model::Model;
use store::Store;

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
    #[arg(long, default_value_t = 5)]
    epochs: u32,
    /// What is made small.
    #[arg(long, value_enum, default_value = "squared")]
    loss: Loss,
    /// Logistic loss: the value in the game's unit that stands for a chance of 73 %.
    #[arg(long, default_value_t = 8.0)]
    scale: f32,
    /// Hidden units beside the sum: none, 3, 7 or 15. With some, the file is a network (network.bin).
    #[arg(long, default_value_t = 0, value_parser = hidden)]
    hidden: usize,
    /// Size of the first step in the game's unit; the steps shrink to a fiftieth of it.
    #[arg(long, default_value_t = 0.05)]
    lr: f32,
    /// Pull of a weight to that of the stage before, as strong as so many samples.
    #[arg(long, default_value_t = 10.0)]
    l2: f32,
    /// Numbers of empty points beyond its own that a stage learns from on either side.
    #[arg(long, default_value_t = 1)]
    window: u32,
    /// Weights that fewer samples have stay as in the stage before.
    #[arg(long, default_value_t = 1)]
    min_count: u32,
    /// Seed of the order.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Share of the games kept for validation.
    #[arg(long, default_value_t = 0.02, value_parser = share)]
    validation: f64,
}

fn hidden(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|units| [0, 3, 7, 15].contains(units)).ok_or("expected 0, 3, 7 or 15".into())
}

impl Args {
    /// What decides the weights, as a command.
    fn command(&self) -> String {
        let name = |word: &dyn std::fmt::Debug| format!("{word:?}").to_lowercase();
        format!(
            "tengen-tools train --game \"{}\" --epochs {} --loss {} --scale {} --hidden {} --lr {} --l2 {} \
             --window {} --min-count {} --seed {} --validation {}",
            self.game,
            self.epochs,
            name(&self.loss),
            self.scale,
            self.hidden,
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
    let (name, (file, courses)) = match args.hidden {
        0 => {
            let (stages, courses) = fitted::<1>(args, &*model, &store)?;
            let weights: Vec<f32> = stages.iter().flat_map(|stage| &stage.rows).map(|row| row[0]).collect();
            (model.file_name(), (model.encode(&weights)?, courses))
        }
        3 => ("network.bin", network::<4>(args, &setup, &*model, &store)?),
        7 => ("network.bin", network::<8>(args, &setup, &*model, &store)?),
        _ => ("network.bin", network::<16>(args, &setup, &*model, &store)?),
    };
    let path = args.out.join(name);
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

/// The file of a network, and how it was trained.
fn network<const K: usize>(
    args: &Args,
    setup: &Setup,
    model: &dyn Model,
    store: &Store,
) -> Result<(Vec<u8>, Vec<Course>), String> {
    let (stages, courses) = fitted::<K>(args, model, store)?;
    Ok((network::encode(setup, model, &stages), courses))
}

/// The weights of all stages.
fn fitted<const K: usize>(
    args: &Args,
    model: &dyn Model,
    store: &Store,
) -> Result<(Vec<Weights<K>>, Vec<Course>), String> {
    let bases = model.bases();
    let (mut all, mut courses) = (Vec::new(), Vec::new());
    let mut weights = Weights::begin(model.size(), model.terms().len(), &mut random::rng(args.seed));
    let bar = work::bar(model.stages() as u64 * u64::from(args.epochs), "epochs")?;
    for stage in 0..model.stages() {
        let mut counts = (0..store.training.len() as u32).filter(|&empty| model.stage(empty) == stage);
        let Some(first) = counts.next() else { return Err(format!("stage {stage} has no positions")) };
        let own = first..=counts.last().unwrap_or(first);
        let wide = own.start().saturating_sub(args.window)..=own.end() + args.window;
        let mut rng = random::rng(random::mix(args.seed) ^ stage as u64);
        let mut places = Store::places(&store.training, &wide);
        fit::shuffle(&mut places, &mut rng);
        let rows = store.rows(&store.training, &places, model);
        let held = store.rows(&store.validation, &Store::places(&store.validation, &own), model);

        let mut fit = Fit::new(args.plan(), &bases, weights, &rows);
        let mut epochs = Vec::new();
        for epoch in 0..args.epochs {
            let training = fit.epoch(epoch, &rows, &mut rng);
            let validation = fit.errors(&held);
            bar.set_message(format!("stage {stage}: {:.3}", validation.mean));
            bar.inc(1);
            epochs.push((training, validation));
        }
        weights = fit.into_weights();
        all.push(weights.clone());
        let samples = (rows.labels.len(), held.labels.len());
        courses.push(Course { stage, empty: (*own.start(), *own.end()), samples, epochs });
    }
    bar.finish_and_clear();
    Ok((all, courses))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser;
    use tengen_engine::games::othello::pattern::Weights;

    use super::*;
    use crate::data::Kind;
    use crate::data::sample::{Samples, Source};
    use crate::data::tests::Scratch;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn train(folder: &Path, out: &str, words: &str) -> String {
        let line = format!("train {0} --game othello --out {0}/{out} {words}", folder.display());
        let args = Cli::try_parse_from(line.split_ascii_whitespace()).unwrap().args;
        let mut report = Vec::new();
        run(&args, &mut report).unwrap();
        String::from_utf8(report).unwrap()
    }

    /// Boards of discs thrown at random, labelled by a rule that the tables can say: the difference in
    /// discs on the edges, and three discs for having the move.
    fn thrown(folder: &Path, count: u32) -> Vec<(u64, u64, i16)> {
        const EDGES: u64 = 0xFF81_8181_8181_81FF;
        let mut rng = random::rng(4);
        let mut bits = || {
            u64::from(random::below(&mut rng, u32::MAX)) << 32 | u64::from(random::below(&mut rng, u32::MAX))
        };
        let mut samples =
            Samples::new(&Setup::parse(["othello"]).unwrap(), "thrown".into(), Source::default());
        let mut all = Vec::new();
        for _ in 0..count {
            let (taken, own, split) = (bits() | bits() | 0x18_1800_0000, bits(), bits() as u16);
            let (own, opp) = (taken & own, taken & !own);
            let difference = (own & EDGES).count_ones() as i16 - (opp & EDGES).count_ones() as i16;
            let label = 100 * (difference + 3);
            let sets: Vec<u8> = own.to_le_bytes().into_iter().chain(opp.to_le_bytes()).collect();
            samples.push(&sets, label, split, taken.count_zeros() as u8, 0);
            all.push((own, opp, label));
        }
        samples.write(&folder.join(Kind::Samples.name(0))).unwrap();
        all
    }

    #[test]
    fn known_weights_are_found_again() {
        let scratch = Scratch::new("train");
        let all = thrown(&scratch.0, 30_000);
        for words in ["--loss squared", "--loss absolute", "--loss logistic --lr 0.1"] {
            let report = train(&scratch.0, "out", &format!("--epochs 12 --validation 0.1 --l2 1 {words}"));
            let out = scratch.0.join("out");
            let weights = Weights::read(&std::fs::read(out.join("weights.bin")).unwrap()).unwrap();
            // Stages with few boards are left out: 16 empty squares of 64 are most likely.
            let errors: Vec<f64> = all
                .iter()
                .filter(|(own, opp, _)| (12..=20).contains(&(own | opp).count_zeros()))
                .map(|&(own, opp, label)| (f64::from(weights.evaluate(own, opp)) - f64::from(label)).abs())
                .collect();
            let mean = errors.iter().sum::<f64>() / errors.len() as f64;
            assert!(mean < 50.0, "{words}: {mean} hundredths of a disc\n{report}");

            let record = std::fs::read_to_string(out.join("record.toml")).unwrap();
            let table: toml::Table = record.parse().unwrap();
            assert_eq!(table["inputs"][0]["samples"].as_integer(), Some(30_000));
            assert_eq!(table["stages"].as_array().map(Vec::len), Some(30));
            let error = table["weights"]["mean_error"].as_float().unwrap();
            assert!(error < 1.2, "{words}: validation error {error}");
            let curve = std::fs::read_to_string(out.join("curve.csv")).unwrap();
            assert_eq!(curve.lines().count(), 1 + 12 * 30);
            assert!(std::fs::read_to_string(out.join("curve.svg")).unwrap().ends_with("</svg>\n"));
        }
    }

    #[test]
    fn the_seed_decides_the_weights() {
        let scratch = Scratch::new("train-seed");
        thrown(&scratch.0, 20_000);
        let file = |out: &str, words: &str| {
            train(&scratch.0, out, &format!("--epochs 2 {words}"));
            std::fs::read(scratch.0.join(out).join("weights.bin")).unwrap()
        };
        let first = file("a", "--seed 5");
        assert!(first == file("b", "--seed 5"));
        assert!(first != file("b", "--seed 6"));
    }
}
