//! A game in the terminal, for a person who has just typed `cargo run --release`.
//!
//! * `board` draws, `words` explains refusals and results.
//! * `opponent` is the engine as the session sees it.
//! * `session` is the game itself, over any reader and writer.

mod board;
mod opponent;
mod session;
mod words;

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use clap::ValueEnum;
use tengen_engine::games::{self, Referee, Setup, SetupError};
use tengen_engine::search::clock;

use crate::client::args::EngineArgs;

use board::Style;
use opponent::Engine;
use session::{Session, first_mover};

/// Plays a game in the terminal
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Args {
    /// The game: nogo, gomoku, renju, othello or amazons; you are asked when it is not given
    #[arg(value_name = "GAME")]
    pub game: Option<String>,
    /// Side of the board, or COLUMNSxROWS
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// The rules: gomoku has freestyle, standard, renju, caro; nogo has standard, capture
    #[arg(long, value_name = "RULES")]
    pub rules: Option<String>,
    /// The side you play [default: the one that moves first]
    #[arg(long, value_enum, ignore_case = true)]
    pub color: Option<Sides>,
    /// The engine's time for a move in seconds [default: 2]
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<String>,
    /// The engine and its options, the level among them.
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// The sides a person plays; the engine has the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sides {
    /// Black.
    Black,
    /// White.
    White,
    /// Both: the engine only gives hints.
    Both,
    /// None: the engine plays against itself.
    None,
}

impl Sides {
    /// Whether a person plays Black, and White.
    fn flags(self) -> [bool; 2] {
        [matches!(self, Sides::Black | Sides::Both), matches!(self, Sides::White | Sides::Both)]
    }
}

/// Plays in the terminal until the person leaves; arguments that make no game give exit status 2.
pub fn run(args: &Args) -> ExitCode {
    let stdout = io::stdout();
    let style = Style::detect(stdout.is_terminal(), |name| std::env::var(name).ok());
    match play(args, style, io::stdin().lock(), stdout.lock()) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(problem)) => {
            // With stderr gone there is nobody to tell.
            let _ = writeln!(io::stderr(), "error: {problem}");
            ExitCode::from(2)
        }
        // Whoever read our output has left, and so do we.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The outer result is about input and output, the inner one about the arguments.
fn play(
    args: &Args,
    style: Style,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<Result<(), String>> {
    let mut engine = match engine(args) {
        Ok(engine) => engine,
        Err(problem) => return Ok(Err(problem)),
    };
    let referee = match &args.game {
        Some(game) => match referee(game, args) {
            Ok(referee) => referee,
            Err(problem) => return Ok(Err(problem.to_string())),
        },
        None => match ask(args, &mut input, &mut output)? {
            Some(referee) => referee,
            None => return Ok(Ok(())),
        },
    };
    let mut humans = [false; 2];
    humans[first_mover(referee.setup().game).index()] = true;
    let humans = args.color.map_or(humans, Sides::flags);
    Session::new(input, output, style, &mut engine, referee, humans).run().map(Ok)
}

fn engine(args: &Args) -> Result<Engine, String> {
    let launcher = args.engine.launcher().map_err(|error| error.to_string())?;
    let mut options = args.engine.options.clone();
    if let Some(text) = &args.time {
        let milliseconds = clock::parse_seconds(text).map(|time| time.as_millis()).filter(|&time| time > 0);
        let milliseconds = milliseconds.ok_or_else(|| format!("bad time \"{}\"", text.escape_default()))?;
        options.set("move_time", &milliseconds.to_string()).map_err(|error| error.to_string())?;
    }
    Ok(Engine::new(launcher, options))
}

fn referee(game: &str, args: &Args) -> Result<Box<dyn Referee>, SetupError> {
    let mut setup = Setup::parse(game.split_ascii_whitespace())?;
    if let Some(rules) = &args.rules {
        setup.set_rules(rules)?;
    }
    if let Some(size) = &args.size {
        setup.set_size(size)?;
    }
    games::referee(setup)
}

/// What a person without a preference is offered.
const MENU: [(&str, &str); 5] = [
    ("nogo", "NoGo: who cannot move without taking a last liberty loses"),
    ("gomoku", "Gomoku: five in a row win"),
    ("renju", "Renju: Gomoku with moves forbidden to Black"),
    ("othello", "Othello (Reversi): have more discs in the end"),
    ("amazons", "Amazons: shut the other side's four queens in"),
];

/// Asks which game to play, until there is one; `None` when the person leaves.
fn ask(
    args: &Args,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<Option<Box<dyn Referee>>> {
    writeln!(output, "Tengen plays these games:\n")?;
    for (index, (_, text)) in MENU.iter().enumerate() {
        writeln!(output, "  {}  {text}", index + 1)?;
    }
    writeln!(output)?;
    loop {
        write!(output, "Which one (number or name, \"quit\" to leave)? [1] ")?;
        output.flush()?;
        let Some(line) = session::read_line(input)? else {
            writeln!(output)?;
            return Ok(None);
        };
        let answer = line.trim();
        if ["quit", "exit", "q"].iter().any(|word| answer.eq_ignore_ascii_case(word)) {
            return Ok(None);
        }
        let number = if answer.is_empty() { Some(1) } else { answer.parse::<usize>().ok() };
        let name = match number {
            Some(number) => MENU.get(number.wrapping_sub(1)).map(|(name, _)| *name),
            None => Some(answer),
        };
        match name.map(|name| referee(name, args)) {
            Some(Ok(referee)) => return Ok(Some(referee)),
            Some(Err(problem)) => writeln!(output, "{problem}")?,
            None => writeln!(output, "There are only the games 1 to {}.", MENU.len())?,
        }
    }
}

#[cfg(test)]
mod tests;
