//! The command line of the daemon: `tengen-engine [OPTIONS]`, `tengen-engine perft`,
//! `tengen-engine bench`.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};

use crate::bench;
use crate::experts::othello::book::{self, Book};
use crate::game::{self, Rules};
use crate::games::{self, GameId, Setup, Visitor};
use crate::options::{self, Kind, Options};
use crate::server::{self, Address, Listener, Pool};

/// The options of [`options::TABLE`] as command-line flags, for every program that starts a daemon.
#[must_use]
pub fn option_args() -> Vec<Arg> {
    let arg = |spec: &'static options::OptionSpec| {
        let arg = Arg::new(spec.name)
            .long(spec.name.replace('_', "-"))
            .help(format!("{} [default: {}]", spec.help.trim(), spec.default))
            .help_heading("Engine options");
        match spec.kind {
            Kind::Spin { .. } => arg.value_name("N"),
            Kind::Check => arg.value_parser(PossibleValuesParser::new(["on", "off"])),
            Kind::Combo(words) => arg.value_parser(PossibleValuesParser::new(words)),
        }
    };
    options::TABLE.iter().map(arg).collect()
}

/// The options given by the flags of [`option_args`].
///
/// # Errors
/// The first value that its option does not take.
pub fn options_of(matches: &ArgMatches) -> Result<Options, options::OptionError> {
    let mut options = Options::default();
    for spec in options::TABLE {
        if let Some(value) = matches.get_one::<String>(spec.name) {
            options.set(spec.name, value)?;
        }
    }
    Ok(options)
}

fn command(name: &'static str) -> Command {
    let game = |command: Command| {
        command
            .arg(Arg::new("game").required(true).help("nogo, gomoku, renju, othello or amazons"))
            .arg(Arg::new("size").long("size").value_name("S").help("side of the board, or COLUMNSxROWS"))
            .arg(Arg::new("rules").long("rules").value_name("R").help("rule of the game"))
            .arg(
                Arg::new("choice")
                    .long("option")
                    .value_name("KEY=VALUE")
                    .action(ArgAction::Append)
                    .help("a further choice of the game, such as hole=2021"),
            )
    };
    Command::new(name)
        .about(
            "Plays NoGo, Gomoku/Renju, Othello and Amazons over a line-based text protocol (see protocol.md)",
        )
        .version(env!("CARGO_PKG_VERSION"))
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS")
                .value_parser(|text: &str| text.parse::<Address>())
                .help("serve tcp:127.0.0.1:PORT or unix:PATH instead of standard input and output"),
        )
        .arg(
            Arg::new("log-level")
                .long("log-level")
                .value_parser(PossibleValuesParser::new(["off", "error", "warn", "info", "debug", "trace"]))
                .default_value("warn")
                .help("what is logged on standard error"),
        )
        .arg(
            Arg::new("book-file")
                .long("book-file")
                .value_name("GAME=FILE")
                .help("opening book in place of the one built in: othello=FILE"),
        )
        .arg(
            Arg::new("weights")
                .long("weights")
                .value_name("GAME=FILE")
                .action(ArgAction::Append)
                .global(true)
                .help("an evaluation trained by the tools instead of the built-in one (othello)"),
        )
        .args(option_args())
        .subcommand(
            game(Command::new("perft").about("Counts the move sequences from the start position"))
                .arg(Arg::new("depth").required(true).value_parser(clap::value_parser!(u32).range(0..=60)))
                .arg(
                    Arg::new("position").long("position").value_name("TEXT").help("count from this position"),
                )
                .arg(
                    Arg::new("divide")
                        .long("divide")
                        .action(ArgAction::SetTrue)
                        .help("one line for each first move"),
                )
                .arg(
                    Arg::new("full")
                        .long("full")
                        .action(ArgAction::SetTrue)
                        .help("play the last ply instead of counting its moves"),
                ),
        )
        .subcommand(
            Command::new("bench")
                .about("Searches fixed positions with fixed nodes and prints the signature")
                .arg(
                    Arg::new("nodes")
                        .long("nodes")
                        .value_name("N")
                        .value_parser(clap::value_parser!(u64).range(1..))
                        .help("nodes for each position; the signature holds for the default only"),
                ),
        )
}

/// Runs the daemon or one of its tools. `args` begins with the name the program goes by.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let matches = match command("tengen-engine").try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version end here too, on standard output and with success.
            let printed = error.print();
            return if printed.is_ok() && !error.use_stderr() {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(2)
            };
        }
    };
    if let Some(level) = matches.get_one::<String>("log-level") {
        start_log(level);
    }
    if let Err(message) = take_weights(&matches) {
        complain(&message);
        return ExitCode::FAILURE;
    }
    let done = match matches.subcommand() {
        Some(("perft", matches)) => perft(matches),
        Some(("bench", matches)) => {
            bench::run(matches.get_one("nodes").copied(), &mut std::io::stdout().lock())
        }
        _ => serve(&matches),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            complain(&message);
            ExitCode::FAILURE
        }
    }
}

/// Reads the files of `--weights` and puts them in the place of what is built in.
fn take_weights(matches: &ArgMatches) -> Result<(), String> {
    for text in matches.get_many::<String>("weights").into_iter().flatten() {
        let (game, file) = text
            .split_once('=')
            .ok_or_else(|| format!("--weights {text}: expected GAME=FILE, such as othello=weights.bin"))?;
        let game = GameId::parse(game)
            .ok_or_else(|| format!("--weights {text}: no such game: \"{}\"", game.escape_debug()))?;
        let failed = |error: &dyn std::fmt::Display| format!("--weights {text}: {error}");
        let length = std::fs::metadata(file).map_err(|error| failed(&error))?.len();
        if length > games::WEIGHTS_MAX {
            return Err(failed(&format!("{length} bytes are more than any weights have")));
        }
        let bytes = std::fs::read(file).map_err(|error| failed(&error))?;
        games::install_weights(game, &bytes).map_err(|error| failed(&error))?;
    }
    Ok(())
}

/// Writes an error to standard error.
pub fn complain(message: &str) {
    // Nothing is left to be done when even that fails.
    let _unwritable = writeln!(std::io::stderr(), "error: {message}");
}

/// Sends the log to standard error, every line with a mark no protocol uses. The programs' own log alone:
/// what a library logs may hold what nobody should see, such as the address of a request.
pub fn start_log(level: &str) {
    let filter = level.parse().unwrap_or(log::LevelFilter::Warn);
    let started = env_logger::Builder::new()
        .filter_level(log::LevelFilter::Off)
        .filter_module("tengen", filter)
        .filter_module("adapter", filter)
        .format(|out, record| writeln!(out, "log: {} {}: {}", record.level(), record.target(), record.args()))
        .try_init();
    if started.is_err() {
        log::debug!("the log was started before");
    }
}

fn serve(matches: &ArgMatches) -> Result<(), String> {
    let options = options_of(matches).map_err(|error| error.to_string())?;
    if let Some(text) = matches.get_one::<String>("book-file") {
        take_book(text)?;
    }
    match matches.get_one::<Address>("listen") {
        None => {
            server::serve(std::io::stdin(), std::io::stdout(), options, &Pool::default());
            Ok(())
        }
        Some(address) => {
            let listener =
                Listener::bind(address).map_err(|error| format!("cannot listen on {address}: {error}"))?;
            let bound = listener.address().map_err(|error| error.to_string())?;
            // Whoever starts the daemon with port 0 reads the port here.
            writeln!(std::io::stdout(), "listening {bound}").map_err(|error| error.to_string())?;
            listener.run(&options).map_err(|error| error.to_string())
        }
    }
}

/// Reads the file of `--book-file` and puts it in the place of the book built in.
fn take_book(text: &str) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("--book-file {text}: {error}");
    let (game, file) =
        text.split_once('=').ok_or_else(|| failed(&"expected GAME=FILE, such as othello=book.bin"))?;
    match GameId::parse(game) {
        Some(GameId::Othello) => {}
        Some(_) => return Err(failed(&"this game has no opening book")),
        None => return Err(failed(&format_args!("no such game: \"{}\"", game.escape_debug()))),
    }
    let length = std::fs::metadata(file).map_err(|error| failed(&error))?.len();
    if length > book::LONGEST {
        return Err(failed(&format_args!("longer than {} MiB", book::LONGEST >> 20)));
    }
    let bytes = std::fs::read(file).map_err(|error| failed(&error))?;
    Book::read(&bytes).and_then(book::install).map_err(|error| failed(&error))
}

fn setup_of(matches: &ArgMatches) -> Result<Setup, String> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let mut words = vec![text("game").unwrap_or_default().to_owned()];
    for (key, name) in [("size", "size"), ("rules", "rules")] {
        if let Some(value) = text(name) {
            words.extend([key.to_owned(), value.to_owned()]);
        }
    }
    words.extend(matches.get_many::<String>("choice").into_iter().flatten().cloned());
    Setup::parse(words.iter().map(String::as_str)).map_err(|error| error.to_string())
}

fn perft(matches: &ArgMatches) -> Result<(), String> {
    struct Count<'a> {
        depth: u32,
        divide: bool,
        full: bool,
        position: Option<&'a str>,
    }
    impl Visitor for Count<'_> {
        type Out = Result<(), String>;
        fn visit<R: Rules>(self, _setup: Setup, start: R) -> Result<(), String> {
            let mut position = match self.position {
                None => start,
                Some(text) => start.parse_position(text).map_err(|error| format!("bad position: {error}"))?,
            };
            let mut out = std::io::stdout().lock();
            let mut print = |text: String| writeln!(out, "{text}").map_err(|error| error.to_string());
            let begun = Instant::now();
            let total = if self.divide && self.depth > 0 {
                let mut moves = Vec::new();
                position.moves(&mut moves);
                let mut total = 0;
                for mv in moves {
                    let name = position.move_text(mv);
                    let undo = position.play(mv);
                    let count = game::perft(&mut position, self.depth - 1, self.full);
                    position.undo(mv, undo);
                    print(format!("{name} {count}"))?;
                    total += count;
                }
                total
            } else {
                game::perft(&mut position, self.depth, self.full)
            };
            let seconds = begun.elapsed().as_secs_f64();
            print(format!(
                "perft {} {total} ({seconds:.3} s, {:.0} a second)",
                self.depth,
                total as f64 / seconds.max(1e-9)
            ))
        }
    }
    let count = Count {
        depth: matches.get_one("depth").copied().unwrap_or(0),
        divide: matches.get_flag("divide"),
        full: matches.get_flag("full"),
        position: matches.get_one::<String>("position").map(String::as_str),
    };
    games::open(setup_of(matches)?, count).map_err(|error| error.to_string())?
}
