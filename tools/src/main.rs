//! Measuring, matches and training for Tengen.

mod book;
mod calibrate;
mod data;
mod engine;
mod import;
mod label;
mod latency;
mod openings;
mod selfplay;
mod train;
mod verify;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(version, about)]
enum Tool {
    /// Makes a library of balanced openings.
    Openings(openings::Args),
    /// Measures what the adapter costs between a GUI and the daemon.
    Latency(latency::Args),
    /// Plays the engine against itself and keeps the games.
    Selfplay(selfplay::Args),
    /// Turns the games of other collections into files of games.
    #[command(subcommand)]
    Import(import::From),
    /// Gives the positions of games labels to learn.
    Label(label::Args),
    /// Grows the opening book of Othello and looks into it.
    #[command(subcommand)]
    Book(book::Task),
    /// Trains the tables of an evaluation.
    Train(train::Args),
    /// Measures how far shallow and deep searches of Othello differ.
    Calibrate(calibrate::Args),
    /// Checks files of games and of samples.
    Verify(verify::Args),
}

fn main() -> ExitCode {
    let mut out = std::io::stdout().lock();
    let done = match Tool::parse() {
        Tool::Openings(args) => openings::run(&args, &mut out),
        Tool::Latency(args) => latency::run(&args, &mut out),
        Tool::Selfplay(args) => selfplay::run(&args, &mut out),
        Tool::Import(from) => import::run(&from, &mut out),
        Tool::Label(args) => label::run(&args, &mut out),
        Tool::Book(task) => book::run(&task, &mut out),
        Tool::Train(args) => train::run(&args, &mut out),
        Tool::Calibrate(args) => calibrate::run(&args, &mut out),
        Tool::Verify(args) => verify::run(&args, &mut out),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _unwritable = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}
