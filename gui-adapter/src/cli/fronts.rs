//! The arguments of the fronts, and how each is opened from them and the configuration file.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use tengen_engine::game::random;
use tengen_engine::games::GameId;

use super::Done;
use crate::bridge::{self, Dialect, Engines};
use crate::client::args::{EngineArgs, SetupArgs};
use crate::config::Config;
use crate::fronts::auto::Protocol;
use crate::fronts::botzone::{self, Botzone};
use crate::fronts::gomocup::{self, Gomocup};
use crate::fronts::gtp::{self, Gtp, Profile};
use crate::fronts::json::{self, Json};
use crate::fronts::nboard::NBoard;
use crate::fronts::uci::{self, Uci, Variant};
use crate::{localai, terminal};

type Opened<T> = Result<T, Box<dyn std::error::Error>>;

/// What every front logs. Some GUIs merge stderr into stdout; the log marks its lines so that none looks
/// like a reply.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct LogArgs {
    /// What is logged on stderr: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    log_level: log::LevelFilter,
}

/// Runs a front on the standard streams until it or the client has enough.
fn run(front: &mut dyn Dialect, engine: &EngineArgs, level: log::LevelFilter) -> Done {
    tengen_engine::cli::start_log(level.as_str());
    let mut engines = Engines::new(engine.launcher()?);
    if let Err(error) = bridge::run(front, &mut engines, std::io::stdin(), std::io::stdout()) {
        // The GUI is gone; there is nobody left to tell.
        log::info!(target: "adapter", "stdout: {error}");
    }
    Ok(())
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct GtpArgs {
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

impl GtpArgs {
    pub(super) fn run(mut self, file: &Config) -> Done {
        file.complete_setup(&mut self.setup);
        file.complete_engine(&mut self.engine);
        run(&mut self.open()?, &self.engine, self.log.log_level)
    }

    fn open(&self) -> Opened<Gtp> {
        Ok(Gtp::new(gtp::Config {
            setup: self.setup.setup()?,
            profile: match self.profile {
                ProfileArg::Auto => None,
                ProfileArg::Gtp => Some(Profile::Plain),
                ProfileArg::Quarry => Some(Profile::Quarry),
                ProfileArg::Gogui => Some(Profile::GoGui),
            },
            row_one_at_bottom: self.othello_row_one == RowOneArg::Bottom,
            options: self.engine.options.clone(),
        })?)
    }
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct GomocupArgs {
    /// The rule until the manager names one: freestyle, standard, renju or caro
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Coordinates are row first and rule 2 is Renju, as the Yixin-Board writes
    #[arg(long)]
    yixin: bool,
    #[command(flatten)]
    engine: EngineArgs,
    /// What is logged on stderr: off, error, warn, info, debug or trace; managers take what is written
    /// there for answers
    #[arg(long, value_name = "LEVEL", default_value = "off")]
    log_level: log::LevelFilter,
}

impl GomocupArgs {
    pub(super) fn run(mut self, file: &Config) -> Done {
        // The rules of another game do not belong here.
        self.rules = self.rules.or_else(|| {
            let game = file.game.as_deref().and_then(GameId::parse);
            file.rules.clone().filter(|_| game.is_none_or(|game| game == GameId::Gomoku))
        });
        file.complete_engine(&mut self.engine);
        run(&mut self.open()?, &self.engine, self.log_level)
    }

    fn open(&self) -> Opened<Gomocup> {
        let mut options = self.engine.options.clone();
        // Openings differ from run to run, unless a seed was given.
        if options.get("seed").is_none() {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let seed = random::mix(u64::from(now.subsec_nanos()) ^ (now.as_secs() << 32));
            options.set("seed", &seed.to_string())?;
        }
        Ok(Gomocup::new(gomocup::Config { rules: self.rules.clone(), yixin: self.yixin, options })?)
    }
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct UgiArgs {
    /// The game until the client sets the options Game, Size and Rules.
    #[command(flatten)]
    setup: SetupArgs,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    log: LogArgs,
}

impl UgiArgs {
    pub(super) fn run(mut self, file: &Config) -> Done {
        file.complete_setup(&mut self.setup);
        file.complete_engine(&mut self.engine);
        run(&mut self.open()?, &self.engine, self.log.log_level)
    }

    fn open(&self) -> Opened<Uci> {
        let (setup, options) = (self.setup.setup()?, self.engine.options.clone());
        Ok(Uci::new(uci::Config { protocol: uci::Protocol::Ugi, setup, options })?)
    }
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct UciArgs {
    /// The variant until the client sets the option UCI_Variant
    #[arg(long, value_name = "VARIANT", default_value = uci::VARIANTS[0].name, value_parser = variants())]
    pub(super) variant: Variant,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    log: LogArgs,
}

/// Reads the name of a variant.
fn variants() -> impl TypedValueParser<Value = Variant> {
    PossibleValuesParser::new(uci::VARIANTS.map(|variant| variant.name))
        .try_map(|name| Variant::parse(&name).ok_or("no such variant"))
}

impl UciArgs {
    pub(super) fn run(mut self, file: &Config) -> Done {
        file.complete_engine(&mut self.engine);
        run(&mut self.open()?, &self.engine, self.log.log_level)
    }

    fn open(&self) -> Opened<Uci> {
        let (setup, options) = (self.variant.setup(), self.engine.options.clone());
        Ok(Uci::new(uci::Config { protocol: uci::Protocol::Uci, setup, options })?)
    }
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct NBoardArgs {
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    log: LogArgs,
}

impl NBoardArgs {
    pub(super) fn run(mut self, file: &Config) -> Done {
        file.complete_engine(&mut self.engine);
        run(&mut NBoard::new(self.engine.options.clone())?, &self.engine, self.log.log_level)
    }
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct BotzoneArgs {
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

impl BotzoneArgs {
    pub(super) fn run(mut self, file: &Config) -> Done {
        file.complete_engine(&mut self.engine);
        run(&mut self.open()?, &self.engine, self.log.log_level)
    }

    fn open(&self) -> Opened<Botzone> {
        Ok(Botzone::new(botzone::Config {
            kind: self.game,
            keep_running: self.keep_running,
            simple_io: self.simple_io,
            time_limit: self.time_limit,
            options: self.engine.options.clone(),
        })?)
    }
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct JsonArgs {
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

impl JsonArgs {
    pub(super) fn run(mut self, file: &Config) -> Done {
        file.complete_setup(&mut self.setup);
        file.complete_engine(&mut self.engine);
        run(&mut self.open()?, &self.engine, self.log.log_level)
    }

    fn open(&self) -> Opened<Json> {
        Ok(Json::new(json::Config {
            setup: self.setup.setup()?,
            options: self.engine.options.clone(),
            parallel: usize::from(self.parallel),
            quit_without_waiting: self.quit_without_waiting,
        })?)
    }
}

/// A front opened without its own arguments, by what the program was told in general.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    setup: SetupArgs,
    engine: EngineArgs,
}

impl Plain {
    pub(super) fn new(play: &terminal::Args, file: &Config) -> Plain {
        let (size, rules) = (play.size.clone(), play.rules.clone());
        let mut setup = SetupArgs { game: None, size, rules };
        file.complete_setup(&mut setup);
        let mut engine = play.engine.clone();
        file.complete_engine(&mut engine);
        Plain { setup, engine }
    }

    /// Checks the set-up, before a client is there whose protocol could not tell a mistake.
    ///
    /// # Errors
    /// When there is no such game, size or rule.
    pub(super) fn check(&self) -> Done {
        self.setup.setup()?;
        Ok(())
    }

    /// Opens the front of a protocol, with the defaults of its own arguments.
    pub(super) fn open(&self, protocol: Protocol) -> Opened<Box<dyn Dialect>> {
        let (setup, engine) = (self.setup.clone(), self.engine.clone());
        let log = LogArgs { log_level: log::LevelFilter::Error };
        Ok(match protocol {
            Protocol::Gtp => {
                let (profile, othello_row_one) = (ProfileArg::Auto, RowOneArg::Top);
                Box::new(GtpArgs { setup, profile, othello_row_one, engine, log }.open()?)
            }
            Protocol::Gomocup | Protocol::Yixin => {
                let rules = self.gomoku_rules();
                let yixin = protocol == Protocol::Yixin;
                Box::new(GomocupArgs { rules, yixin, engine, log_level: log::LevelFilter::Off }.open()?)
            }
            Protocol::Ugi => Box::new(UgiArgs { setup, engine, log }.open()?),
            Protocol::Uci => {
                let variant = uci::VARIANTS.into_iter().find(|variant| self.is(*variant));
                let variant = variant.unwrap_or(uci::VARIANTS[0]);
                Box::new(UciArgs { variant, engine, log }.open()?)
            }
            Protocol::NBoard => Box::new(NBoard::new(engine.options)?),
            Protocol::Botzone => {
                let game = botzone::Kind::of(&setup.setup()?);
                let (keep_running, simple_io, time_limit) = (false, false, Duration::from_secs(1));
                Box::new(BotzoneArgs { game, keep_running, simple_io, time_limit, engine, log }.open()?)
            }
            Protocol::Json => {
                Box::new(JsonArgs { setup, parallel: 1, quit_without_waiting: false, engine, log }.open()?)
            }
        })
    }

    /// The rules, if they are some of Gomoku.
    fn gomoku_rules(&self) -> Option<String> {
        let setup = self.setup.setup().ok()?;
        (setup.game == GameId::Gomoku).then(|| setup.rules.to_owned())
    }

    fn is(&self, variant: Variant) -> bool {
        self.setup.game.is_some() && self.setup.setup().is_ok_and(|setup| setup == variant.setup())
    }

    /// Runs it, silent on stderr: nobody has said that it is read.
    pub(super) fn run(&self, front: &mut dyn Dialect) -> Done {
        run(front, &self.engine, log::LevelFilter::Off)
    }
}
