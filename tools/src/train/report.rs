//! What a training leaves beside the weights: the learning curve as a table and as a plot, and the record.

use std::fmt::Write as _;
use std::process::Command;

use plotters::prelude::*;
use serde::Serialize;

use super::store::{Input, Store};
use super::{Args, Course};

/// Width and height of the plot in pixels.
const PLOT: (u32, u32) = (1_200, 520);

#[derive(Serialize)]
struct Record<'a> {
    command: String,
    commit: String,
    weights: Weights,
    inputs: &'a [Input],
    stages: Vec<Stage>,
}

/// The file of weights.
#[derive(Serialize)]
struct Weights {
    bytes: usize,
    /// XXH3 of the file.
    checksum: String,
    validation: f64,
    /// Over all samples held out, in the game's unit.
    mean_error: f64,
    root_mean_square_error: f64,
}

#[derive(Serialize)]
struct Stage {
    stage: usize,
    empty: [u32; 2],
    samples: usize,
    held_out: usize,
    training_error: f64,
    mean_error: f64,
    root_mean_square_error: f64,
}

/// Writes `curve.csv`, `curve.svg` and `record.toml`.
///
/// # Errors
/// One line that names the file.
pub(super) fn write(args: &Args, store: &Store, courses: &[Course], file: &[u8]) -> Result<(), String> {
    let save = |name: &str, text: String| {
        let path = args.out.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    save("curve.csv", table(courses))?;
    save("curve.svg", plot(courses).map_err(|error| format!("curve.svg: {error}"))?)?;
    let record = record(args, store, courses, file);
    save("record.toml", toml::to_string(&record).map_err(|error| format!("record.toml: {error}"))?)
}

fn table(courses: &[Course]) -> String {
    let mut text = "epoch,stage,train,validation\n".to_owned();
    for course in courses {
        for (epoch, (training, validation)) in course.epochs.iter().enumerate() {
            let line = format!("{},{},{:.4},{:.4}", epoch + 1, course.stage, training.mean, validation.mean);
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

fn record<'a>(args: &Args, store: &'a Store, courses: &[Course], file: &[u8]) -> Record<'a> {
    let rounded = |error: f64| (error * 1e4).round() / 1e4;
    let (mut absolute, mut squared, mut count) = (0.0, 0.0, 0);
    let mut stages = Vec::new();
    for course in courses {
        let (training, validation) = course.epochs.last().copied().unwrap_or_default();
        absolute += validation.mean * course.samples.1 as f64;
        squared += validation.root * validation.root * course.samples.1 as f64;
        count += course.samples.1;
        stages.push(Stage {
            stage: course.stage,
            empty: [course.empty.0, course.empty.1],
            samples: course.samples.0,
            held_out: course.samples.1,
            training_error: rounded(training.mean),
            mean_error: rounded(validation.mean),
            root_mean_square_error: rounded(validation.root),
        });
    }
    let count = f64::from(u32::try_from(count.max(1)).unwrap_or(u32::MAX));
    Record {
        command: args.command(),
        commit: commit(),
        weights: Weights {
            bytes: file.len(),
            checksum: format!("{:016x}", crate::data::checksum(file)),
            validation: args.validation,
            mean_error: rounded(absolute / count),
            root_mean_square_error: rounded((squared / count).sqrt()),
        },
        inputs: &store.inputs,
        stages,
    }
}

/// The commit of the sources of this program, `-dirty` when they were changed since.
fn commit() -> String {
    let describe = ["describe", "--always", "--dirty", "--abbrev=12"];
    let git = Command::new("git").current_dir(env!("CARGO_MANIFEST_DIR")).args(describe).output();
    let text = git.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    text.map_or_else(|| "unknown".into(), |text| String::from_utf8_lossy(&text).trim().to_owned())
}

/// Validation error by epoch, a line for each stage, and after the last epoch by empty points.
fn plot(courses: &[Course]) -> Result<String, Box<dyn std::error::Error>> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, PLOT).into_drawing_area();
        area.fill(&WHITE)?;
        let (left, right) = area.split_horizontally(PLOT.0 / 2);
        let errors = courses.iter().flat_map(|course| &course.epochs);
        let most = errors.map(|errors| errors.0.mean.max(errors.1.mean)).fold(0.1, f64::max) * 1.05;
        let epochs = courses.iter().map(|course| course.epochs.len()).max().unwrap_or(1);
        let color = |stage: usize| HSLColor(0.75 * stage as f64 / courses.len().max(1) as f64, 0.8, 0.45);

        let mut chart = ChartBuilder::on(&left)
            .caption("validation by stage, red the end of the game", ("sans-serif", 16))
            .margin(10)
            .x_label_area_size(35)
            .y_label_area_size(45)
            .build_cartesian_2d(1.0..(epochs as f64).max(2.0), 0.0..most)?;
        chart.configure_mesh().x_desc("epoch").y_desc("mean absolute error").draw()?;
        for course in courses.iter().filter(|course| course.samples.1 > 0) {
            let points = course.epochs.iter().enumerate();
            let line = points.map(|(epoch, errors)| (epoch as f64 + 1.0, errors.1.mean));
            chart.draw_series(LineSeries::new(line, color(course.stage)))?;
        }

        let empty = courses.iter().map(|course| course.empty.1).max().unwrap_or(1);
        let mut chart = ChartBuilder::on(&right)
            .caption("after the last epoch: validation blue, training red", ("sans-serif", 16))
            .margin(10)
            .x_label_area_size(35)
            .y_label_area_size(45)
            .build_cartesian_2d(0.0..f64::from(empty), 0.0..most)?;
        chart.configure_mesh().x_desc("empty points").y_desc("mean absolute error").draw()?;
        let done = || courses.iter().filter(|course| course.samples.1 > 0);
        let middle = |course: &Course| f64::from(course.empty.0 + course.empty.1) / 2.0;
        let validation = done().filter_map(|course| Some((middle(course), course.epochs.last()?.1.mean)));
        let training = done().filter_map(|course| Some((middle(course), course.epochs.last()?.0.mean)));
        chart.draw_series(LineSeries::new(validation, BLUE))?;
        chart.draw_series(LineSeries::new(training, RED))?;
        area.present()?;
    }
    Ok(svg)
}
