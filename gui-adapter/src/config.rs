//! `tengen.toml`: what a GUI that passes no arguments cannot say.
//!
//! The file beside the program comes first, so that copies of the program may differ, and links to it too:
//! beside the link it was started by, then beside the real file. Then comes the one in the user's
//! configuration folder. The first file found is the only one read, and what the command line says comes
//! before it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use crate::client::args::{EngineArgs, EngineOptions, SetupArgs};

/// The name of the file.
pub const FILE: &str = "tengen.toml";

/// The file's contents; what is not there is left to the front.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The protocol spoken when the program is started without a subcommand: `gtp`, `gomocup`, `ugi`,
    /// `uci`, `nboard`, `botzone` or `json`; by default the first line of the client tells.
    pub front: Option<String>,
    /// The game, as for `--game`.
    pub game: Option<String>,
    /// The size of the board: a number, or text such as `"9x7"`.
    pub size: Option<Scalar>,
    /// The rules, as for `--rules`.
    pub rules: Option<String>,
    /// The command line of the daemon, as for `--engine`.
    pub engine: Option<String>,
    /// The address of a running daemon, as for `--connect`.
    pub connect: Option<String>,
    /// Engine options by name.
    #[serde(default)]
    pub options: std::collections::BTreeMap<String, Spanned<Scalar>>,
}

/// A value a person may write with or without quotes.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Scalar {
    /// A whole number.
    Number(i64),
    /// A number with a fraction.
    Real(f64),
    /// `true` and `false` are on and off.
    Switch(bool),
    /// Anything else.
    Text(String),
}

impl Scalar {
    /// As the command line would have it.
    pub(crate) fn text(&self) -> String {
        match self {
            Scalar::Number(number) => number.to_string(),
            Scalar::Real(number) => number.to_string(),
            Scalar::Switch(on) => if *on { "on" } else { "off" }.to_owned(),
            Scalar::Text(text) => text.clone(),
        }
    }
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct ConfigError {
    path: PathBuf,
    problem: String,
}

impl Config {
    /// The first file there is, or an empty configuration.
    ///
    /// # Errors
    /// When the file cannot be read or says something unknown.
    pub fn load() -> Result<Config, ConfigError> {
        match places().into_iter().find(|path| path.is_file()) {
            Some(path) => Config::read(&path),
            None => Ok(Config::default()),
        }
    }

    fn read(path: &Path) -> Result<Config, ConfigError> {
        let failed = |problem: String| ConfigError { path: path.to_owned(), problem };
        let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        Config::parse(&text).map_err(failed)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// When it is no TOML or says something unknown; the text names the line.
    pub fn parse(text: &str) -> Result<Config, String> {
        let line = |at: usize| 1 + text.bytes().take(at).filter(|&b| b == b'\n').count();
        let config: Config = toml::from_str(text).map_err(|error| {
            let place = error.span().map_or(String::new(), |span| format!("line {}: ", line(span.start)));
            format!("{place}{}", error.message().lines().collect::<Vec<_>>().join(" "))
        })?;
        let mut options = EngineOptions::default();
        for (name, value) in &config.options {
            let refused = |problem: String| format!("line {}: {problem}", line(value.span().start));
            if options.get(name).is_some() {
                return Err(refused(format!("the option {name} is given twice")));
            }
            options.set(name, &value.get_ref().text()).map_err(|error| refused(error.to_string()))?;
        }
        Ok(config)
    }

    /// Fills in what the command line has not said about the game. A game on the command line is another
    /// game: the file's size and rules do not belong to it.
    pub fn complete_setup(&self, setup: &mut SetupArgs) {
        if setup.game.is_none() {
            setup.game.clone_from(&self.game);
            setup.size = setup.size.take().or_else(|| self.size.as_ref().map(Scalar::text));
            setup.rules = setup.rules.take().or_else(|| self.rules.clone());
        }
    }

    /// Fills in what the command line has not said about the engine.
    pub fn complete_engine(&self, engine: &mut EngineArgs) {
        if engine.engine.is_none() && engine.connect.is_none() {
            engine.engine.clone_from(&self.engine);
            engine.connect.clone_from(&self.connect);
        }
        for (name, value) in &self.options {
            if engine.options.get(name).is_none()
                && let Err(error) = engine.options.set(name, &value.get_ref().text())
            {
                log::warn!(target: "adapter", "{FILE}: {error}");
            }
        }
    }
}

/// Where the file may be, the first place first.
fn places() -> Vec<PathBuf> {
    let real = std::env::current_exe().ok();
    let programs = [started_by(std::env::args_os().next()), real];
    let beside = programs.into_iter().flatten().filter_map(|program| Some(program.parent()?.join(FILE)));
    let own = config_folder().map(|folder| folder.join("tengen").join(FILE));
    beside.chain(own).collect()
}

/// The path of the program as it was started, links not followed: a name alone is found as the shell
/// finds it.
fn started_by(name: Option<OsString>) -> Option<PathBuf> {
    let path = PathBuf::from(name?);
    if path.parent().is_some_and(|folder| !folder.as_os_str().is_empty()) {
        return Some(path);
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(&path)).find(|path| path.is_file())
}

/// Where the user's programs keep their configuration, by the custom of the system.
fn config_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        return variable("APPDATA");
    }
    variable("XDG_CONFIG_HOME").or_else(|| {
        let home = std::env::home_dir()?;
        Some(home.join(if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = "front = 'gomocup'\ngame = 'gomoku'\nsize = 20\nrules = 'renju'\nengine = 'x y'\n\
                        [options]\nthreads = 2\nponder = true\nalgorithm = 'mcts'\n";

    #[test]
    fn the_command_line_comes_first() {
        let config = Config::parse(FULL).unwrap();
        let mut setup = SetupArgs { size: Some("15".into()), ..SetupArgs::default() };
        config.complete_setup(&mut setup);
        assert_eq!(setup.setup().unwrap().to_string(), "gomoku size 15 rules renju");
        let mut setup = SetupArgs { game: Some("othello".into()), ..SetupArgs::default() };
        config.complete_setup(&mut setup);
        assert_eq!(setup.setup().unwrap().to_string(), "othello size 8 rules standard");
        let mut engine = EngineArgs::default();
        engine.options.set("threads", "7").unwrap();
        config.complete_engine(&mut engine);
        assert_eq!(engine.engine.as_deref(), Some("x y"));
        let mut pairs: Vec<String> = engine.options.pairs().map(|(n, v)| format!("{n}={v}")).collect();
        pairs.sort();
        assert_eq!(pairs, ["algorithm=mcts", "ponder=on", "threads=7"]);
        let mut engine = EngineArgs { connect: Some("tcp:h:1".into()), ..EngineArgs::default() };
        config.complete_engine(&mut engine);
        assert_eq!((engine.engine, engine.connect.as_deref()), (None, Some("tcp:h:1")));
    }

    #[test]
    fn an_option_in_another_spelling_does_not_beat_the_command_line() {
        let config = Config::parse("[options]\nThreads = 2\nmove-time = 10\n").unwrap();
        let mut engine = EngineArgs::default();
        engine.options.set("threads", "7").unwrap();
        engine.options.set("move_time", "20").unwrap();
        config.complete_engine(&mut engine);
        assert_eq!(engine.options.pairs().collect::<Vec<_>>(), [("threads", "7"), ("move_time", "20")]);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, problem) in [
            ("game = 'nogo'\nsiez = 9\n", "line 2: unknown field `siez`"),
            ("game = \n", "line 1: "),
            ("[options]\nspeed = 3\n", "line 2: no such option: \"speed\""),
            ("[options]\nponder = true\nthreads = 0\n", "line 3: bad value \"0\" for threads"),
            ("[options]\nThreads = 2\nthreads = 3\n", "line 3: the option threads is given twice"),
            ("options = 3\n", "line 1: invalid type"),
        ] {
            let error = Config::parse(text).unwrap_err();
            assert!(error.starts_with(problem) && !error.contains('\n'), "{text}: {error}");
        }
        assert_eq!(Config::parse("").unwrap(), Config::default());
    }
}
