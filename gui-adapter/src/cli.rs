//! The command line of `tengen-adapter`.

mod fronts;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::config::Config;
use crate::fronts::auto::{Auto, Protocol};
use crate::{arena, attach, localai, terminal};

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
    /// Play in the terminal (what happens without a subcommand, too, in a terminal)
    Play(terminal::Args),
    /// Speak GTP 2 on the standard streams: for Quarry, GoGui, Sabaki, Lizzie, match runners and servers
    Gtp(fronts::GtpArgs),
    /// Speak the Gomocup protocol on the standard streams: for Piskvork, tournaments, the Yixin-Board
    Gomocup(fronts::GomocupArgs),
    /// Speak UGI on the standard streams: for CuteGames and other match runners
    Ugi(fronts::UgiArgs),
    /// Speak UCI as Fairy-Stockfish does: for Fairyground and other GUIs for chess variants
    Uci(fronts::UciArgs),
    /// Speak NBoard 2 on the standard streams: for NBoard and other Othello programs
    Nboard(fronts::NBoardArgs),
    /// Be a bot of the site Botzone on the standard streams
    Botzone(fronts::BotzoneArgs),
    /// Play matches on the site Botzone from here ("local AI")
    BotzoneLocal(localai::Args),
    /// Answer queries of one JSON object a line: analysis of many positions at once, and the dialogue of
    /// web pages
    Json(fronts::JsonArgs),
    /// Play engines against each other: a match, a tournament, a sequential test
    Match(Box<arena::args::Args>),
    /// Print what to do in another program so that it uses Tengen; --list names the programs
    Attach(AttachArgs),
    /// Be the engine daemon; `engine --help` lists its own arguments
    #[command(disable_help_flag = true)]
    Engine {
        /// Arguments of the daemon.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
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

/// What a way of running the adapter comes to: an error is told on stderr, with exit status 2.
type Done = Result<(), Box<dyn std::error::Error>>;

/// Runs the adapter with the program's arguments, its name first.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and the version go to stdout with status 0, all else to stderr.
            error.print().ok();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let done = match cli.command {
        None => match unasked(args.first(), &cli.play) {
            None => return terminal::run(&cli.play),
            Some(named) => configured().and_then(|file| speak(named, &cli.play, &file)),
        },
        Some(Command::Play(args)) => return terminal::run(&args),
        Some(Command::Engine { args }) => {
            return tengen_engine::cli::main(std::iter::once("tengen-adapter engine".into()).chain(args));
        }
        Some(Command::Gtp(args)) => configured().and_then(|file| args.run(&file)),
        Some(Command::Gomocup(args)) => configured().and_then(|file| args.run(&file)),
        Some(Command::Ugi(args)) => configured().and_then(|file| args.run(&file)),
        Some(Command::Uci(args)) => configured().and_then(|file| args.run(&file)),
        Some(Command::Nboard(args)) => configured().and_then(|file| args.run(&file)),
        Some(Command::Botzone(args)) => configured().and_then(|file| args.run(&file)),
        Some(Command::BotzoneLocal(args)) => configured().and_then(|file| localai::run(args, &file)),
        Some(Command::Json(args)) => configured().and_then(|file| args.run(&file)),
        Some(Command::Match(args)) => arena::run(&args),
        Some(Command::Attach(args)) => recipe(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tengen_engine::cli::complain(&error.to_string());
            ExitCode::from(2)
        }
    }
}

fn configured() -> Result<Config, Box<dyn std::error::Error>> {
    Ok(Config::load()?)
}

/// What is wanted without a subcommand: a game in the terminal (`None`) when a person is there or has
/// named a game, else to speak the protocol of the program's name, if that tells one.
fn unasked(program: Option<&OsString>, play: &terminal::Args) -> Option<Option<Protocol>> {
    let name = program.and_then(|path| Path::new(path).file_name()?.to_str());
    let named = name.and_then(Protocol::of_program);
    let for_a_person = play.game.is_some() || play.color.is_some() || play.time.is_some();
    let terminal = || for_a_person || std::io::stdin().is_terminal();
    (named.is_some() || !terminal()).then_some(named)
}

/// Speaks the protocol of the program's name, or of the configuration, or of the client's first line.
fn speak(named: Option<Protocol>, play: &terminal::Args, file: &Config) -> Done {
    let protocol = match (named, file.front.as_deref()) {
        // Yixin-Board's dialect is Gomocup with another order of coordinates.
        (Some(_), Some(front)) if front.eq_ignore_ascii_case("yixin") => Some(Protocol::Yixin),
        (Some(named), _) => Some(named),
        (None, Some(front)) => Some(Protocol::parse(front).ok_or_else(|| {
            format!("{}: no such front: \"{}\"", crate::config::FILE, front.escape_default())
        })?),
        (None, None) => None,
    };
    let plain = fronts::Plain::new(play, file);
    match protocol {
        Some(protocol) => plain.run(&mut *plain.open(protocol)?),
        None => {
            plain.check()?;
            let opener = plain.clone();
            let open = move |protocol| opener.open(protocol).map_err(|error| error.to_string());
            plain.run(&mut Auto::new(Box::new(open)))
        }
    }
}

fn recipe(args: &AttachArgs) -> Done {
    let text = match &args.program {
        Some(name) if !args.list => attach::recipe(name, &std::env::current_exe()?)?,
        _ => attach::list(),
    };
    // Whoever does not read it any more needs no error.
    let _unread = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(words: &[&str]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from([&["tengen-adapter"], words].concat())
    }

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
        let cli = parse(&["gtp", "--game", "renju", "--ponder", "--level", "3"]);
        assert!(matches!(cli.unwrap().command, Some(Command::Gtp(_))));
        let cli = parse(&["engine", "--help", "--listen", "tcp:x:1"]).unwrap();
        assert!(matches!(cli.command, Some(Command::Engine { args }) if args.len() == 3));
        assert!(parse(&["gtp", "--profile", "foo"]).is_err());
        let variant = |args: &[&str]| match parse(&[&["uci"], args].concat()) {
            Ok(Cli { command: Some(Command::Uci(args)), .. }) => Some(args.variant.name),
            _ => None,
        };
        assert_eq!(variant(&[]), Some("flipello"));
        assert_eq!(variant(&["--variant", "amazons"]), Some("amazons"));
        assert_eq!(variant(&["--variant", "chess"]), None);
    }

    #[test]
    fn the_name_of_the_program_tells_the_protocol() {
        let program = OsString::from("/games/pbrain-tengen64.exe");
        let spoken = unasked(Some(&program), &terminal::Args::default());
        assert_eq!(spoken, Some(Some(Protocol::Gomocup)));
    }
}
