//! The command line of a match.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tengen_engine::game::random;
use tengen_engine::games::{GameId, Setup};
use tengen_engine::search::clock::{TimeControl, parse_seconds};

use super::adjudication::Agreement;
use super::drivers;
use super::journal::{self, Plan};
use super::limit::{self, Limit, Measure};
use super::opening::{self, Opening};
use super::process::MEASURES_CPU;
use super::schedule::{self, Scheduled, Shard, Tournament};
use super::spec::{self, EngineSpec, Protocol};
use super::statistics::{Model, Sprt};
use crate::client::args::SetupArgs;

/// Plays engines against each other.
#[derive(Clone, Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    /// What to do with matches that were played.
    #[command(subcommand)]
    pub then: Option<Then>,
    #[command(flatten)]
    setup: SetupArgs,
    /// An engine: name=A,cmd=COMMAND,proto=P,option.K=V with P one of native, gtp, gomocup, ugi, uci, nboard
    /// and random; without cmd the one in this program; or a name of --engines. Other keys: dir, env.K, start and stop
    /// (seconds it may take), restart=on (a new process each game), tc, movetime, nodes, depth (its own
    /// limit), and for GTP letters=all|skip-i, row1=top|bottom, pass=told|implied. May be given often
    #[arg(long = "engine", value_name = "ENGINE")]
    engine: Vec<String>,
    /// A TOML file of engines; without --engine all of them play
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
    /// Who plays whom; by default two engines each other, more all against all
    #[arg(long, value_enum)]
    tournament: Option<Tournament>,
    /// Games of each two engines that meet, rounded up to pairs with the colours swapped
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    /// Clock in seconds: 10+0.1 (main and increment), 10, 40/60 (moves in a period), 10+25/60, 10+5x3
    /// (three periods of byo-yomi), inf
    #[arg(long, value_name = "CLOCK", conflicts_with = "movetime")]
    tc: Option<String>,
    /// Seconds a move
    #[arg(long, value_name = "SECONDS")]
    movetime: Option<String>,
    /// Nodes a move
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Depth of a search in plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// What the limits of time count: wall time, or the CPU time of the engine and all it starts, which a
    /// busy machine does not change (Linux)
    #[arg(long, value_enum, default_value_t = Measure::Wall)]
    clock: Measure,
    /// Seconds a side may use beyond its time without losing; they are not given back
    #[arg(long, value_name = "SECONDS", default_value = "0.1")]
    grace: String,
    /// Seconds after which a move of an engine without a clock is given up, and one that uses no CPU time
    /// under --clock cpu
    #[arg(long, value_name = "SECONDS", default_value = "120")]
    hang: String,
    /// Where games begin: a file (move lists, transcripts, positions, SGF, GGF, Gomocup's formats),
    /// library (balanced openings that come with this program), random:PLIES, or start; by default the
    /// library, and random:4 where it has nothing for the set-up
    #[arg(long, value_name = "FILE")]
    openings: Option<String>,
    /// The engines make the opening by swap2 (Gomoku)
    #[arg(long, conflicts_with = "openings")]
    swap2: bool,
    /// Seed of the openings and of what is random in the engines
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at once; never more than the processors have room for
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: u32,
    /// Stop as soon as a sequential test (SPRT) knows whether the first engine is better by ELO0 or ELO1
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<String>,
    /// What ELO0 and ELO1 measure: normalized or logistic
    #[arg(long, value_name = "MODEL", default_value_t = Model::default(), requires = "sprt")]
    sprt_model: Model,
    /// Error rates of the test
    #[arg(long, value_name = "ALPHA,BETA", default_value = "0.05,0.05", requires = "sprt")]
    sprt_errors: String,
    /// End a game that both engines give PERCENT or less to the same side for MOVES moves each
    #[arg(long, value_name = "PERCENT,MOVES")]
    resign: Option<String>,
    /// End a game as drawn that both engines see within PERCENT of even for MOVES moves each from PLY on
    #[arg(long, value_name = "PERCENT,MOVES,PLY")]
    draw: Option<String>,
    /// End a game as drawn after so many plies
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    max_plies: Option<u32>,
    /// End a game of Othello with so many empty squares by its exact result
    #[arg(long, value_name = "EMPTIES", value_parser = clap::value_parser!(u32).range(1..=20))]
    solve: Option<u32>,
    /// Folder of the results: games.jsonl, result.json, report.html and the records
    #[arg(long, value_name = "DIR", required = true)]
    out: Option<PathBuf>,
    /// Go on with the match in the folder, if there is one
    #[arg(long)]
    recover: bool,
    /// Play a share of the match: I/N with I from 1, auto in a Slurm array, auto/N in an indexed job of
    /// Kubernetes. A sequential test waits for `match merge` then
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Write a JSON object a game on stdout, as in games.jsonl, then the result
    #[arg(long)]
    json: bool,
    /// What is logged on stderr: off, error, warn, info, debug or trace (all that engines say)
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub(super) log_level: log::LevelFilter,
}

/// What to do with matches that were played.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Then {
    /// Join the shares of a match, or what there is of them
    Merge {
        /// Folder of the joined results
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Folders of the shares
        #[arg(required = true, value_name = "DIR")]
        shares: Vec<PathBuf>,
    },
    /// End the engines of a runner that has gone
    #[command(hide = true)]
    Guard,
}

/// A match ready to be played.
#[derive(Debug)]
pub(super) struct Match {
    pub(super) setup: Setup,
    pub(super) engines: Vec<EngineSpec>,
    pub(super) limit: Limit,
    pub(super) measure: Measure,
    pub(super) grace: Duration,
    pub(super) hang: Duration,
    pub(super) tournament: Tournament,
    /// The games of this share.
    pub(super) schedule: Vec<Scheduled>,
    /// By the round of the schedule.
    pub(super) openings: Vec<Opening>,
    pub(super) swap2: bool,
    pub(super) agreement: Agreement,
    pub(super) seed: u64,
    pub(super) concurrency: u32,
    pub(super) sprt: Option<Sprt>,
    pub(super) folder: PathBuf,
    pub(super) recover: bool,
    pub(super) json: bool,
    pub(super) plan: Plan,
}

fn seconds(text: &str) -> Result<Duration, String> {
    parse_seconds(text).ok_or_else(|| format!("bad time \"{}\": expected seconds", text.escape_default()))
}

/// The numbers of `3,5`, as many as there must be.
fn numbers<const N: usize>(name: &str, text: &str) -> Result<[f64; N], String> {
    let read: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    read.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| {
        format!("bad value \"{}\" for {name}: expected {N} numbers with commas", text.escape_default())
    })
}

fn percent(name: &str, value: f64) -> Result<f32, String> {
    // Half of a chance at most: more would be both sides' at once.
    if (0.0..50.0).contains(&value) {
        Ok(value as f32 / 100.0)
    } else {
        Err(format!("{name}: expected 0 to 50 percent"))
    }
}

fn count(name: &str, value: f64) -> Result<u32, String> {
    if value.fract() == 0.0 && (1.0..1e6).contains(&value) {
        Ok(value as u32)
    } else {
        Err(format!("{name}: expected a whole number from 1"))
    }
}

impl Args {
    /// Checks everything that can be checked before the first game.
    ///
    /// # Errors
    /// A line that names the problem.
    pub(super) fn prepare(&self) -> Result<Match, String> {
        let setup = self.setup.setup().map_err(|error| error.to_string())?;
        let engines = self.engines()?;
        let limit = self.limit()?;
        if self.clock == Measure::Cpu && !MEASURES_CPU {
            return Err("--clock cpu: CPU time cannot be measured on this system".to_owned());
        }
        let tournament = self.tournament.unwrap_or(match engines.len() {
            2 => Tournament::Pair,
            _ => Tournament::RoundRobin,
        });
        if tournament == Tournament::Pair && engines.len() != 2 {
            return Err(format!("--tournament pair: there are {} engines", engines.len()));
        }
        let schedule = schedule::schedule(tournament, engines.len(), self.games).ok_or("too many games")?;
        let total = u32::try_from(schedule.len()).map_err(|error| error.to_string())?;
        let shard = match &self.shard {
            Some(text) => Some(Shard::parse(text, |name| std::env::var(name).ok())?),
            None => None,
        };
        if shard.is_some() && tournament == Tournament::Ladder {
            return Err(
                "--shard: a ladder cannot be played in shares, the next rung depends on the last".to_owned()
            );
        }
        let schedule: Vec<Scheduled> =
            schedule.into_iter().filter(|game| shard.is_none_or(|shard| shard.has(game))).collect();
        let (openings, opening_terms) = self.openings(&setup)?;
        if self.swap2 && setup.game != GameId::Gomoku {
            return Err(format!("--swap2: {} has no such opening", setup.game));
        }
        let positions = openings.iter().any(|opening| opening.position.is_some());
        for engine in &engines {
            let own = engine.limit.unwrap_or(limit);
            if own == Limit::default() && engine.limit.is_none() && engine.protocol != Protocol::Random {
                return Err(
                    "how long may engines think? Give --tc, --movetime, --nodes or --depth".to_owned()
                );
            }
            if let Some(reason) = drivers::unsuited(engine, &setup, &own, positions, self.swap2) {
                return Err(reason);
            }
        }
        let agreement = self.agreement()?;
        let (sprt, sprt_terms) = self.test(engines.len())?;
        let (grace, hang) = (seconds(&self.grace)?, seconds(&self.hang)?);
        if hang.is_zero() {
            return Err("--hang: expected more than 0 seconds".to_owned());
        }
        if self.solve.is_some() && setup.game != GameId::Othello {
            return Err(format!("--solve: the solver is for othello, not for {}", setup.game));
        }
        let mut terms = Map::new();
        let mut term = |name: &str, value: Value| terms.insert(name.to_owned(), value);
        term("setup", setup.to_string().into());
        for engine in &engines {
            term(&format!("engine {}", engine.name), engine.to_string().into());
        }
        term("tournament", format!("{tournament:?}").to_lowercase().into());
        term("limit", limit.to_string().into());
        term("clock", format!("{:?}", self.clock).to_lowercase().into());
        term("grace", grace.as_secs_f64().into());
        term("hang", hang.as_secs_f64().into());
        term("openings", opening_terms);
        term("resign", self.resign.clone().into());
        term("draw", self.draw.clone().into());
        term("max_plies", self.max_plies.into());
        term("solve", self.solve.into());
        term("seed", self.seed.into());
        let plan = Plan {
            engines: engines.iter().map(|engine| engine.name.clone()).collect(),
            games: total,
            shard: shard.map(|shard| shard.to_string()),
            sprt: sprt_terms,
            terms,
        };
        Ok(Match {
            setup,
            limit,
            measure: self.clock,
            grace,
            hang,
            tournament,
            schedule,
            openings,
            swap2: self.swap2,
            agreement,
            seed: self.seed,
            concurrency: self.concurrency(&engines),
            engines,
            sprt: sprt.filter(|_| shard.is_none()),
            folder: self.out.clone().ok_or("--out is missing")?,
            recover: self.recover,
            json: self.json,
            plan,
        })
    }

    fn engines(&self) -> Result<Vec<EngineSpec>, String> {
        let file = match &self.engines {
            Some(path) => {
                let told = |error: String| format!("{}: {error}", path.display());
                let text = std::fs::read_to_string(path).map_err(|error| told(error.to_string()))?;
                spec::parse_file(&text).map_err(told)?
            }
            None => Vec::new(),
        };
        let engines = match self.engine.as_slice() {
            [] => file,
            given => given.iter().map(|text| EngineSpec::parse(text, &file)).collect::<Result<_, _>>()?,
        };
        if engines.len() < 2 {
            return Err(
                "a match needs two engines or more: give --engine name=A --engine name=B,...".to_owned()
            );
        }
        for (index, engine) in engines.iter().enumerate() {
            if engines.iter().take(index).any(|other| other.name == engine.name) {
                return Err(format!("two engines have the name {}", engine.name));
            }
            engine.find_program()?;
        }
        Ok(engines)
    }

    fn limit(&self) -> Result<Limit, String> {
        let control = match (&self.tc, &self.movetime) {
            (Some(text), _) => limit::parse_control(text)?,
            (None, Some(text)) => limit::parse_control(&format!("{text}/move"))?,
            (None, None) => TimeControl::None,
        };
        Ok(Limit { control, nodes: self.nodes, depth: self.depth })
    }

    /// The openings by round, and what they are.
    fn openings(&self, setup: &Setup) -> Result<(Vec<Opening>, Value), String> {
        let start = || vec![Opening { name: "start".to_owned(), ..Opening::default() }];
        if self.swap2 {
            return Ok((start(), "swap2".into()));
        }
        let rounds = usize::try_from(self.games.div_ceil(2)).map_err(|error| error.to_string())?;
        let source = self.openings.as_deref();
        let library =
            if matches!(source, None | Some("library")) { opening::library(setup) } else { Vec::new() };
        let random = source.and_then(|text| text.strip_prefix("random:"));
        let (drawn, distinct) = match (source, random) {
            (_, Some(plies)) => {
                let plies = plies.parse().map_err(|_| {
                    format!("bad openings \"random:{}\": expected random:PLIES", plies.escape_default())
                })?;
                self.random(setup, plies, rounds)?
            }
            (None, _) if library.is_empty() => self.random(setup, 4, rounds)?,
            _ => {
                let all = match source {
                    None | Some("library") => library,
                    Some("start") => start(),
                    Some(file) => opening::read(file.as_ref(), setup).map_err(|error| error.to_string())?,
                };
                (opening::draw(&all, rounds, self.seed), all.len())
            }
        };
        if distinct == 0 {
            return Err(format!("--openings: there are none for {setup}"));
        }
        if rounds > distinct {
            log::warn!(
                target: "arena",
                "{rounds} pairs of games have {distinct} different openings between them: engines that play \
                 the same each time play games again, and the error bars do not know it"
            );
        }
        // The file may change or lie elsewhere: what was drawn is what matters. More games of the same begin
        // in the same way.
        let mark = drawn.first().map(|opening| format!("{opening:?}")).unwrap_or_default();
        let print = mark.bytes().fold(0_u64, |hash, byte| random::mix(hash ^ u64::from(byte)));
        Ok((drawn, json!({ "source": source.unwrap_or("default"), "first": format!("{print:016x}") })))
    }

    /// Random openings, which differ as long as the board has enough, and how many differ.
    fn random(&self, setup: &Setup, plies: u32, rounds: usize) -> Result<(Vec<Opening>, usize), String> {
        /// Seeds tried in a row for one that is new.
        const PATIENCE: u32 = 50;
        let mut seen = HashSet::new();
        let mut drawn: Vec<Opening> = Vec::new();
        let mut seed = random::mix(self.seed);
        let mut stale = 0;
        while drawn.len() < rounds {
            let opening = opening::random(setup, plies, seed)?;
            seed = seed.wrapping_add(1);
            let new = seen.insert(opening::symmetry::canonical(&*opening.referee(setup)?));
            stale = if new { 0 } else { stale + 1 };
            // A small board has no more: those there are begin again.
            if stale > PATIENCE {
                break;
            }
            if new {
                drawn.push(Opening { name: format!("random {}", drawn.len() + 1), ..opening });
            }
        }
        let distinct = drawn.len();
        Ok((drawn, distinct))
    }

    fn agreement(&self) -> Result<Agreement, String> {
        let resign = match &self.resign {
            Some(text) => {
                let [chance, moves] = numbers("--resign", text)?;
                Some((percent("--resign", chance)?, count("--resign", moves)?))
            }
            None => None,
        };
        let draw = match &self.draw {
            Some(text) => {
                let [width, moves, from] = numbers("--draw", text)?;
                Some((percent("--draw", width)?, count("--draw", moves)?, count("--draw", from)?))
            }
            None => None,
        };
        Ok(Agreement { resign, draw, longest: self.max_plies, solve: self.solve })
    }

    fn test(&self, engines: usize) -> Result<(Option<Sprt>, Option<Value>), String> {
        let Some(text) = &self.sprt else { return Ok((None, None)) };
        if engines != 2 {
            return Err("--sprt: a test is between two engines".to_owned());
        }
        let (elo, errors) = (numbers("--sprt", text)?, numbers("--sprt-errors", &self.sprt_errors)?);
        let sprt = journal::test(elo, errors, self.sprt_model)?;
        let terms = json!({ "elo": elo, "errors": errors, "model": self.sprt_model.to_string() });
        Ok((Some(sprt), Some(terms)))
    }

    /// As many games at once as wanted, but no more than the processors can think about.
    fn concurrency(&self, engines: &[EngineSpec]) -> u32 {
        let cores =
            std::thread::available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(1));
        let threads = engines.iter().map(EngineSpec::threads).max().unwrap_or(1);
        let most = (cores / threads.max(1)).max(1);
        if self.concurrency > most {
            log::warn!(
                target: "arena",
                "{} games at once are too many for {cores} processors and engines with {threads} threads: {most}",
                self.concurrency
            );
        }
        self.concurrency.min(most)
    }
}
