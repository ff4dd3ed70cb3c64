//! The command-line arguments that every way of running the adapter takes: which game, which engine,
//! and the engine's options, which come from the engine's own table.

use clap::{Arg, ArgAction, ArgMatches, Command};
use tengen_engine::cli as engine;
use tengen_engine::games::{self, GameId, Setup, SetupError};
use tengen_engine::options::{self, Kind, Options};

use super::{LaunchError, Launcher};

/// The game to be played.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SetupArgs {
    /// The game: nogo, gomoku, renju, othello, amazons; or a whole set-up, "nogo size 7 hole=2021"
    #[arg(long, value_name = "GAME")]
    pub game: Option<String>,
    /// Side of the board, or COLUMNSxROWS
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// The rules: gomoku has freestyle, standard, renju, caro; nogo has standard, capture
    #[arg(long, value_name = "RULES")]
    pub rules: Option<String>,
}

impl SetupArgs {
    /// The set-up; without a game, NoGo.
    ///
    /// # Errors
    /// When there is no such game, size or rule.
    pub fn setup(&self) -> Result<Setup, SetupError> {
        let mut setup = match &self.game {
            Some(text) => Setup::parse(text.split_ascii_whitespace())?,
            None => Setup::new(GameId::NoGo),
        };
        if let Some(rules) = &self.rules {
            setup.set_rules(rules)?;
        }
        if let Some(size) = &self.size {
            setup.set_size(size)?;
        }
        games::referee(setup.clone()).map(|_| setup)
    }
}

/// The engine to be used.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct EngineArgs {
    /// Command line of the engine daemon; without it this program starts itself as the engine
    #[arg(long, value_name = "COMMAND", conflicts_with = "connect")]
    pub engine: Option<String>,
    /// Connect to a running daemon: tcp:HOST:PORT or unix:PATH
    #[arg(long, value_name = "ADDRESS")]
    pub connect: Option<String>,
    /// Options for the engine.
    #[command(flatten)]
    pub options: EngineOptions,
}

impl EngineArgs {
    /// How to come by the daemon.
    ///
    /// # Errors
    /// When the command line or the address is malformed.
    pub fn launcher(&self) -> Result<Launcher, LaunchError> {
        match (&self.engine, &self.connect) {
            (Some(line), _) => Launcher::command(line),
            (None, Some(address)) => Launcher::address(address),
            (None, None) => Launcher::own(),
        }
    }
}

/// Options of the engine that were given, by name, checked against the engine's table. On the command
/// line each option has a flag of its name; `--set NAME=VALUE` is another way to write it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineOptions(Vec<(String, String)>);

impl EngineOptions {
    /// Sets an option, in place of an earlier value.
    ///
    /// # Errors
    /// When there is no such option or it does not take the value; nothing is changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), options::OptionError> {
        let name = options::spec(name)?.name;
        let mut all = Options::default();
        all.set(name, value)?;
        let value = all.get(name)?;
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, current)) => *current = value,
            None => self.0.push((name.to_owned(), value)),
        }
        Ok(())
    }
}

impl EngineOptions {
    /// The value an option was given; the name as [`EngineOptions::set`] takes it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let name = options::spec(name).ok()?.name;
        self.pairs().find_map(|(given, value)| (given == name).then_some(value))
    }

    /// Names and values, in the order they were first given.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The same as a request carries them.
    #[must_use]
    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }

    /// The values of all options, the table's defaults among them.
    #[must_use]
    pub fn all(&self) -> Options {
        let mut all = Options::default();
        for (name, value) in &self.0 {
            if let Err(error) = all.set(name, value) {
                log::warn!(target: "adapter", "{error}");
            }
        }
        all
    }
}

/// The engine's own flags; a switch may also be given without a value, for on.
fn flags() -> impl Iterator<Item = Arg> {
    engine::option_args().into_iter().zip(options::TABLE).map(|(arg, spec)| match spec.kind {
        Kind::Check => arg.num_args(0..=1).default_missing_value("on"),
        Kind::Spin { .. } | Kind::Combo(_) => arg,
    })
}

impl clap::Args for EngineOptions {
    fn augment_args(command: Command) -> Command {
        let set = Arg::new("set")
            .long("set")
            .value_name("NAME=VALUE")
            .action(ArgAction::Append)
            .help("Set an engine option by name")
            .help_heading("Engine options");
        command.args(flags()).arg(set)
    }

    fn augment_args_for_update(command: Command) -> Command {
        EngineOptions::augment_args(command)
    }
}

impl clap::FromArgMatches for EngineOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<EngineOptions, clap::Error> {
        let mut given = EngineOptions::default();
        given.update_from_arg_matches(matches)?;
        Ok(given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let refuse = |message: String| clap::Error::raw(clap::error::ErrorKind::ValueValidation, message);
        for spec in options::TABLE {
            if let Some(value) = matches.get_one::<String>(spec.name) {
                self.set(spec.name, value).map_err(|error| refuse(error.to_string()))?;
            }
        }
        for pair in matches.get_many::<String>("set").into_iter().flatten() {
            let (name, value) =
                pair.split_once('=').ok_or_else(|| refuse(format!("--set {pair}: expected NAME=VALUE")))?;
            self.set(name.trim(), value.trim()).map_err(|error| refuse(error.to_string()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        setup: SetupArgs,
        #[command(flatten)]
        engine: EngineArgs,
    }

    fn parse(line: &str) -> Result<Line, clap::Error> {
        Line::try_parse_from(std::iter::once("x").chain(line.split_ascii_whitespace()))
    }

    #[test]
    fn every_option_of_the_table_is_a_flag() {
        for spec in options::TABLE {
            let flag = spec.name.replace('_', "-");
            let line = parse(&format!("--{flag}={}", spec.default)).unwrap();
            let pairs: Vec<_> = line.engine.options.pairs().collect();
            assert_eq!(pairs, [(spec.name, spec.default)]);
            assert_eq!(line.engine.options.get(&flag.to_uppercase()), Some(spec.default));
        }
        let line = parse("--ponder --threads 2 --set hash=16 --set Threads=3").unwrap();
        let pairs: Vec<_> = line.engine.options.pairs().collect();
        assert_eq!(pairs, [("threads", "3"), ("ponder", "on"), ("hash", "16")]);
    }

    #[test]
    fn what_the_engine_would_refuse_is_refused_here() {
        for bad in
            ["--threads 0", "--set foo=1", "--set threads", "--algorithm magic", "--engine x --connect y"]
        {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn set_ups() {
        let setup = |line: &str| parse(line).unwrap().setup.setup().map(|s| s.to_string());
        assert_eq!(setup("").unwrap(), "nogo size 9 rules standard");
        assert_eq!(setup("--game Reversi --size 6").unwrap(), "othello size 6 rules standard");
        assert_eq!(setup("--game renju").unwrap(), "gomoku size 15 rules renju");
        for bad in ["--game chess", "--game othello --size 7", "--rules renju", "--size 0"] {
            assert!(setup(bad).is_err(), "{bad}");
        }
    }
}
