//! The command line of `tengen-adapter`.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};

use crate::attach;
use crate::bridge::{self, Dialect, Engines};
use crate::client::args::{EngineArgs, SetupArgs};
use crate::fronts::botzone::{self, Botzone};
use crate::fronts::gtp::{Config, Gtp, Profile};
use crate::fronts::json::{self, Json};
use crate::fronts::nboard::NBoard;
use crate::{localai, terminal};

#[derive(Debug, Parser)]
#[command(name = "tengen-adapter", version, about, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    play: terminal::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play in the terminal (what happens without a subcommand, too)
    Play(terminal::Args),
    /// Speak GTP 2 on the standard streams: for Quarry, GoGui, Sabaki, Lizzie, match runners and servers
    Gtp(GtpArgs),
    /// Answer queries of one JSON object a line: analysis of many positions at once, and the dialogue of
    /// web pages
    Json(JsonArgs),
    /// Print what to do in another program so that it uses Tengen; --list names the programs
    Attach(AttachArgs),
    /// Speak NBoard 2 on the standard streams: for NBoard and other Othello programs
    Nboard(NBoardArgs),
    /// Be a bot of the site Botzone on the standard streams
    Botzone(BotzoneArgs),
    /// Play matches on the site Botzone from here ("local AI")
    BotzoneLocal(localai::Args),
    /// Be the engine daemon; `engine --help` lists its own arguments
    #[command(disable_help_flag = true)]
    Engine {
        /// Arguments of the daemon.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
}

#[derive(Debug, clap::Args)]
struct GtpArgs {
    #[command(flatten)]
    setup: SetupArgs,
    /// The kind of client, which decides how moves are written; auto tells it from its commands
    #[arg(long, value_enum, default_value_t = ProfileArg::Auto)]
    profile: ProfileArg,
    /// Where Othello's row 1 is: at the top as in books and other programs, or at the bottom, so that
    /// GoGui, which always draws row 1 there, shows the board as books do
    #[arg(long, value_enum, default_value_t = RowOneArg::Top)]
    othello_row_one: RowOneArg,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    log: LogArgs,
}

#[derive(Debug, clap::Args)]
struct JsonArgs {
    #[command(flatten)]
    setup: SetupArgs,
    /// Positions searched at once, each on an engine of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
    parallel: u8,
    /// Drop what is not finished when the input ends, instead of finishing it
    #[arg(long)]
    quit_without_waiting: bool,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    log: LogArgs,
}

#[derive(Debug, clap::Args)]
struct AttachArgs {
    /// The other program
    #[arg(value_name = "PROGRAM", required_unless_present = "list")]
    program: Option<String>,
    /// List the programs known
    #[arg(long)]
    list: bool,
}

#[derive(Debug, clap::Args)]
struct NBoardArgs {
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    log: LogArgs,
}

#[derive(Debug, clap::Args)]
struct BotzoneArgs {
    /// The game, as the site has it
    #[arg(long, value_enum)]
    game: botzone::Kind,
    /// Ask the site to keep the process for the next turns, stopped while the opponent thinks
    #[arg(long)]
    keep_running: bool,
    /// Moves are numbers on lines, not JSON
    #[arg(long)]
    simple_io: bool,
    /// Seconds a turn may take where the site does not say it; the first turn may take twice as long
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = localai::seconds)]
    time_limit: Duration,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    log: LogArgs,
}

/// What every front logs. Some GUIs merge stderr into stdout; the log marks its lines so that none looks
/// like a reply.
#[derive(Debug, clap::Args)]
struct LogArgs {
    /// What is logged on stderr: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    log_level: log::LevelFilter,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ProfileArg {
    Auto,
    /// Go's coordinates for NoGo and Gomoku
    Gtp,
    /// As gtp, and a game is never left hanging by an error
    Quarry,
    /// Go's coordinates throughout, Amazons moves in three plays
    Gogui,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RowOneArg {
    Top,
    Bottom,
}

/// Runs the adapter with the program's arguments, its name first.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and the version go to stdout with status 0, all else to stderr.
            error.print().ok();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match cli.command {
        None => terminal::run(&cli.play),
        Some(Command::Play(args)) => terminal::run(&args),
        Some(Command::Engine { args }) => {
            tengen_engine::cli::main(std::iter::once("tengen-adapter engine".into()).chain(args))
        }
        Some(Command::Gtp(args)) => status(gtp(args)),
        Some(Command::Json(args)) => status(run_json(args)),
        Some(Command::Nboard(args)) => status(nboard(&args)),
        Some(Command::Botzone(args)) => status(run_botzone(&args)),
        Some(Command::BotzoneLocal(args)) => status(localai::run(&args)),
        Some(Command::Attach(args)) => status(recipe(&args)),
    }
}

fn status(result: Result<(), Box<dyn std::error::Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tengen_engine::cli::complain(&error.to_string());
            ExitCode::from(2)
        }
    }
}

/// Runs a front on the standard streams until it or the client has enough.
fn run(
    front: &mut dyn Dialect,
    engine: &EngineArgs,
    log: &LogArgs,
) -> Result<(), Box<dyn std::error::Error>> {
    tengen_engine::cli::start_log(log.log_level.as_str());
    let mut engines = Engines::new(engine.launcher()?);
    if let Err(error) = bridge::run(front, &mut engines, std::io::stdin(), std::io::stdout()) {
        // The GUI is gone; there is nobody left to tell.
        log::info!(target: "adapter", "stdout: {error}");
    }
    Ok(())
}

fn run_json(mut args: JsonArgs) -> Result<(), Box<dyn std::error::Error>> {
    complete(&mut args.setup, &mut args.engine)?;
    let mut front = Json::new(json::Config {
        setup: args.setup.setup()?,
        options: args.engine.options.clone(),
        parallel: usize::from(args.parallel),
        quit_without_waiting: args.quit_without_waiting,
    })?;
    run(&mut front, &args.engine, &args.log)
}

fn recipe(args: &AttachArgs) -> Result<(), Box<dyn std::error::Error>> {
    let text = match &args.program {
        Some(name) if !args.list => attach::recipe(name, &std::env::current_exe()?)?,
        _ => attach::list(),
    };
    // Whoever does not read it any more needs no error.
    let _unread = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}

/// What the configuration file adds to the command line.
fn complete(setup: &mut SetupArgs, engine: &mut EngineArgs) -> Result<(), Box<dyn std::error::Error>> {
    let file = crate::config::Config::load()?;
    file.complete_setup(setup);
    file.complete_engine(engine);
    Ok(())
}

fn gtp(mut args: GtpArgs) -> Result<(), Box<dyn std::error::Error>> {
    complete(&mut args.setup, &mut args.engine)?;
    let config = Config {
        setup: args.setup.setup()?,
        profile: match args.profile {
            ProfileArg::Auto => None,
            ProfileArg::Gtp => Some(Profile::Plain),
            ProfileArg::Quarry => Some(Profile::Quarry),
            ProfileArg::Gogui => Some(Profile::GoGui),
        },
        row_one_at_bottom: args.othello_row_one == RowOneArg::Bottom,
        options: args.engine.options.clone(),
    };
    run(&mut Gtp::new(config)?, &args.engine, &args.log)
}

fn nboard(args: &NBoardArgs) -> Result<(), Box<dyn std::error::Error>> {
    run(&mut NBoard::new(args.engine.options.clone())?, &args.engine, &args.log)
}

fn run_botzone(args: &BotzoneArgs) -> Result<(), Box<dyn std::error::Error>> {
    let config = botzone::Config {
        kind: args.game,
        keep_running: args.keep_running,
        simple_io: args.simple_io,
        time_limit: args.time_limit,
        options: args.engine.options.clone(),
    };
    run(&mut Botzone::new(config)?, &args.engine, &args.log)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
        let cli =
            Cli::try_parse_from(["tengen-adapter", "gtp", "--game", "renju", "--ponder", "--level", "3"]);
        assert!(matches!(cli.unwrap().command, Some(Command::Gtp(_))));
        let cli = Cli::try_parse_from(["tengen-adapter", "engine", "--help", "--listen", "tcp:x:1"]).unwrap();
        assert!(matches!(cli.command, Some(Command::Engine { args }) if args.len() == 3));
        assert!(Cli::try_parse_from(["tengen-adapter", "gtp", "--profile", "foo"]).is_err());
    }
}
