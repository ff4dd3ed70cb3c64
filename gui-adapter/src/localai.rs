//! Botzone's "local AI": a bot that plays on the site from the user's own machine. The site is asked for
//! requests again and again (long polling); the front [`Local`] answers them.
//!
//! The user's secret is part of the address of every request, so that no address is ever shown or logged,
//! and texts of errors are searched for it.

mod site;

use std::collections::HashSet;
use std::error::Error;
use std::io::{self, Read, Write};
use std::time::Duration;

use crossbeam::channel::{self, Receiver, Sender};

use crate::bridge::{self, Engines};
use crate::client::args::EngineArgs;
use crate::config::Config;
use crate::fronts::botzone::Kind;
use crate::fronts::botzone::local::{self, END, Local};

use site::{FAILURES, Opening, Site, Unstarted};

/// Where the secret is looked for without `--secret-file`.
const VARIABLE: &str = "TENGEN_BOTZONE_SECRET";
/// Lines of a reply that may wait for the front.
const CHUNK: usize = 64;

/// The arguments of `tengen-adapter botzone-local`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The game of all matches
    #[arg(long, value_enum)]
    game: Kind,
    /// Your user id on the site: the middle part of the address that it shows for local AIs
    #[arg(long, value_name = "ID")]
    user_id: String,
    /// A file with your secret, the last part of that address; else it is read from the environment
    /// variable TENGEN_BOTZONE_SECRET
    #[arg(long, value_name = "FILE")]
    secret_file: Option<std::path::PathBuf>,
    /// The site
    #[arg(long, value_name = "URL", default_value = "https://www.botzone.org.cn")]
    url: String,
    /// Leave after so many matches; without it, never
    #[arg(long, value_name = "N")]
    matches: Option<u32>,
    /// Start matches against this bot; without it, wait for those that are started on the site
    #[arg(long, value_name = "BOT")]
    opponent: Option<String>,
    /// Our place in matches that are started: 0 begins
    #[arg(long, value_name = "0|1", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..2))]
    slot: u8,
    /// How many matches are started at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    at_once: u32,
    /// The initial data of matches that are started, as the game has it
    #[arg(long, value_name = "TEXT", default_value = "")]
    initdata: String,
    /// Seconds a turn may take
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    time_limit: Duration,
    /// How many engines search at a time; further matches wait for their turn
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    engines: u16,
    /// Seconds to wait before the site is asked again
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    retry: Duration,
    #[command(flatten)]
    engine: EngineArgs,
    /// What is logged on stderr: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    log_level: log::LevelFilter,
}

/// Reads a number of seconds above 0 and up to an hour.
///
/// # Errors
/// What was expected.
pub fn seconds(text: &str) -> Result<Duration, String> {
    tengen_engine::search::clock::parse_seconds(text)
        .filter(|time| !time.is_zero() && *time <= Duration::from_secs(3600))
        .ok_or_else(|| "expected a number of seconds, at most 3600".to_owned())
}

/// Plays until there were enough matches or the site refuses us. `file` fills in what the arguments do not
/// say about the engine.
///
/// # Errors
/// When the arguments do not fit, there is no secret, or the site refuses it.
pub fn run(mut args: Args, file: &Config) -> Result<(), Box<dyn Error>> {
    file.complete_engine(&mut args.engine);
    tengen_engine::cli::start_log(args.log_level.as_str());
    let site = Site::new(&args.url, &args.user_id, secret(&args)?, args.retry)?;
    let mut front = Local::new(local::Config {
        kind: args.game,
        time_limit: args.time_limit,
        engines: usize::from(args.engines),
        options: args.engine.options.clone(),
    })?;
    let mut engines = Engines::new(args.engine.launcher()?);
    let opening = args.opponent.clone().map(|opponent| Opening {
        game: args.game.name(),
        opponent,
        slot: args.slot,
        initdata: args.initdata.clone(),
        simple_io: !matches!(args.game, Kind::Gomoku | Kind::Renju),
        time_limit: args.time_limit,
    });
    let (to_front, lines) = channel::bounded(CHUNK);
    let (to_poller, said) = channel::unbounded();
    let mut poller = Poller {
        site,
        opening,
        matches: args.matches,
        at_once: args.at_once,
        started: 0,
        finished: 0,
        live: HashSet::new(),
        to_front,
        said,
    };
    let thread = std::thread::spawn(move || poller.run());
    let input = Lines { lines, rest: Vec::new() };
    if let Err(error) = bridge::run(&mut front, &mut engines, input, Said { to_poller, line: Vec::new() }) {
        // The poller has left and says why itself.
        log::debug!(target: "adapter::botzone", "{error}");
    }
    match thread.join() {
        Ok(result) => result.map_err(Into::into),
        Err(_) => Err("internal error: the poller failed".into()),
    }
}

fn secret(args: &Args) -> Result<String, Box<dyn Error>> {
    let text = match &args.secret_file {
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read the secret from {}: {error}", path.display()))?,
        None => std::env::var(VARIABLE)
            .map_err(|_| format!("no secret: give --secret-file FILE or set {VARIABLE}"))?,
    };
    Ok(text.trim().to_owned())
}

/// The thread that talks to the site.
struct Poller {
    site: Site,
    opening: Option<Opening>,
    matches: Option<u32>,
    at_once: u32,
    started: u32,
    finished: u32,
    /// The matches that are being played.
    live: HashSet<String>,
    to_front: Sender<Vec<u8>>,
    said: Receiver<String>,
}

impl Poller {
    fn run(&mut self) -> Result<(), String> {
        let mut answers = Vec::new();
        loop {
            self.start_matches()?;
            let body = self.site.poll(&mut answers)?;
            for line in body.lines().chain([END]) {
                if self.to_front.send(format!("{line}\n").into_bytes()).is_err() {
                    return Err("internal error: the front has left".to_owned());
                }
            }
            if self.hear(&mut answers)? {
                std::thread::sleep(self.site.retry());
            }
            if self.matches.is_some_and(|most| self.finished >= most) && self.live.is_empty() {
                return Ok(());
            }
        }
    }

    /// Starts matches as long as more are wanted.
    fn start_matches(&mut self) -> Result<(), String> {
        let Some(opening) = &self.opening else { return Ok(()) };
        let running = self.started.saturating_sub(self.finished);
        let wanted = self.matches.map_or(u32::MAX, |most| most.saturating_sub(self.started));
        let mut missing = wanted.min(self.at_once.saturating_sub(running));
        let mut failures = 0;
        while missing > 0 {
            match self.site.start(opening) {
                Ok(id) => {
                    missing -= 1;
                    failures = 0;
                    self.started += 1;
                    show(&format!("match {id}: started"));
                }
                Err(Unstarted::Refused(why)) if self.started == self.finished => return Err(why),
                Err(Unstarted::Failed(why)) if self.started == self.finished => {
                    failures += 1;
                    if failures == FAILURES {
                        return Err(why);
                    }
                    if failures == 1 {
                        show(&format!("{why}; trying again"));
                    }
                    std::thread::sleep(self.site.retry());
                }
                // What is being played goes on.
                Err(Unstarted::Failed(why) | Unstarted::Refused(why)) => {
                    show(&why);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Takes what the front says to the end of a round. Gives whether the next one should wait.
    fn hear(&mut self, answers: &mut Vec<(String, String)>) -> Result<bool, String> {
        for line in &self.said {
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            let (id, text) = rest.split_once(' ').unwrap_or((rest, ""));
            match word {
                "answer" => {
                    self.live.insert(id.to_owned());
                    answers.retain(|(other, _)| other != id);
                    answers.push((id.to_owned(), text.to_owned()));
                }
                "finished" => {
                    self.live.remove(id);
                    answers.retain(|(other, _)| other != id);
                    self.finished += 1;
                    show(&format!("match {id}: {text}"));
                }
                "note" => show(rest),
                "wait" => return Ok(true),
                _ => return Ok(false),
            }
        }
        Err("internal error: the front has left".to_owned())
    }
}

/// Tells the user something; nobody needs to read it.
fn show(text: &str) {
    let _unread = writeln!(io::stdout(), "{text}");
}

/// What the poller sends, as the input of the front.
struct Lines {
    lines: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            match self.lines.recv() {
                Ok(line) => self.rest = line,
                Err(_) => return Ok(0),
            }
        }
        let read = self.rest.as_slice().read(buffer)?;
        self.rest.drain(..read);
        Ok(read)
    }
}

/// What the front says, line by line to the poller.
struct Said {
    to_poller: Sender<String>,
    line: Vec<u8>,
}

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte != b'\n' {
                self.line.push(byte);
                continue;
            }
            let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
            self.to_poller.send(line).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
