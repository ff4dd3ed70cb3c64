//! Gives the positions of games labels to learn, in chunks of samples: see [`crate::data`].
//!
//! A position gets the first of these that it has:
//!
//! 1. an exact value: recorded in the game, or found by solving it when few points are empty;
//! 2. with `--depth`, the value of a search;
//! 3. the value recorded in the game, mixed with the game's result by `--mix`;
//! 4. a step of temporal differences: a share `--td` of the game's result and for the rest the value four
//!    plies later in the same game (as in the training of the Logistello and Edax families).
//!
//! The result of a position is the next exact value in the game, which the end always is. Nothing is
//! taken from behind a move drawn by lot; a position that gets no label by that is left out, as are those
//! whose side to move must pass.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use tengen_engine::game::{Color, random};
use tengen_engine::games::{GameId, Setup};
use tengen_engine::options::Options;
use tengen_engine::player::{self, Player};
use tengen_engine::search::Limits;

use crate::data::game::{self, Game, Games};
use crate::data::sample::{self, Samples};
use crate::data::work::{self, Part};
use crate::data::{self, Kind};
use crate::selfplay::{fingerprint, searched, share, value_of};

/// Plies between a position and the value it learns from.
const AHEAD: usize = 4;
/// Largest label of Othello.
const OTHELLO_MAX: i16 = 6_400;

/// Labels for positions of games.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Files or folders of games.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Folder of the samples; the same command goes on where it was interrupted.
    #[arg(long)]
    out: PathBuf,
    /// Positions with at most so many empty points are solved.
    #[arg(long, default_value_t = 0)]
    exact: u32,
    /// Depth in plies of a search for all other positions.
    #[arg(long)]
    depth: Option<u32>,
    /// Share of the result in labels that are recorded values.
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    mix: f64,
    /// Share of the result where no value is recorded.
    #[arg(long, default_value_t = 0.25, value_parser = share)]
    td: f64,
    /// Depth in plies of the search for the value four plies later.
    #[arg(long, default_value_t = 1)]
    td_depth: u32,
    /// Share of the positions that are kept, drawn by lot.
    #[arg(long, default_value_t = 1.0, value_parser = share)]
    sample: f64,
    /// Seed of the draw.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// MiB of the search's table.
    #[arg(long, default_value_t = 16)]
    hash: u64,
    /// Threads, each with files of its own.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Only part I of N of the files, for several processes.
    #[arg(long, default_value = "1/1")]
    part: Part,
}

impl Args {
    /// What decides the labels, as a command.
    fn command(&self) -> String {
        let depth = self.depth.map(|depth| format!(" --depth {depth}")).unwrap_or_default();
        format!(
            "tengen-tools label --exact {}{depth} --mix {} --td {} --td-depth {} --sample {} --seed {} --hash {}",
            self.exact, self.mix, self.td, self.td_depth, self.sample, self.seed, self.hash
        )
    }
}

/// Makes the chunks that are missing, and writes to `report` what there is then.
///
/// # Errors
/// A chunk that cannot be read, written or played, or is there of another command.
pub(crate) fn run(args: &Args, report: &mut dyn Write) -> Result<(), String> {
    let started = Instant::now();
    std::fs::create_dir_all(&args.out).map_err(|error| format!("{}: {error}", args.out.display()))?;
    let inputs = data::chunks(&args.games, Kind::Games)?;
    let mut tasks = Vec::new();
    for (number, path) in inputs.into_iter().enumerate() {
        let number = u32::try_from(number).map_err(|_| "too many files")?;
        if args.part.has(number) {
            tasks.push((path, args.out.join(Kind::Samples.name(number))));
        }
    }
    let command = args.command();
    let bar = work::bar(tasks.len() as u64, "files")?;
    work::share(
        &tasks,
        args.jobs,
        || Ok(None),
        |engine: &mut Option<Engine>, (input, output)| {
            let named = |problem: String| format!("{}: {problem}", input.display());
            let (chunk, sum) = Games::read(input)?;
            let setup = chunk.setup().map_err(named)?;
            if engine.as_ref().is_none_or(|engine| engine.setup != setup) {
                *engine = Some(Engine::new(setup)?);
            }
            let Some(engine) = engine else { return Ok(()) };
            let source = format!("games {sum:016x}; {}", engine.name);
            if !there(output, &command, &source)? {
                engine.player.forget();
                let mut samples = Samples::new(&engine.setup, command.clone(), source);
                for (index, game) in chunk.games.iter().enumerate() {
                    let labels = engine.labels(args, game);
                    let labels = labels.map_err(|problem| named(format!("game {}: {problem}", index + 1)))?;
                    engine.keep(args, game, &labels, &mut samples)?;
                }
                samples.write(output)?;
            }
            bar.inc(1);
            Ok(())
        },
    )?;
    bar.finish_and_clear();

    let (mut count, mut exact, mut sums) = (0, 0, Vec::new());
    for (_, output) in &tasks {
        let (samples, sum) = Samples::read(output)?;
        count += samples.len();
        exact += samples.iter().filter(|sample| sample.flags & sample::EXACT != 0).count();
        sums.extend(sum.to_le_bytes());
    }
    writeln!(
        report,
        "{}: {count} samples, {exact} of them exact, checksum {:016x}; {:.1} s",
        args.out.display(),
        data::checksum(&sums),
        started.elapsed().as_secs_f64()
    )
    .map_err(|error| error.to_string())
}

/// Whether the chunk is there. One that is damaged or of other games is made again.
fn there(path: &std::path::Path, command: &str, source: &str) -> Result<bool, String> {
    match Samples::read(path) {
        Ok((samples, _)) if samples.command != command => {
            Err(format!("{}: made by another command: {}", path.display(), samples.command))
        }
        Ok((samples, _)) => Ok(samples.source == source),
        Err(_) => Ok(false),
    }
}

/// A value for the side to move, in hundredths of the game's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Value {
    value: f64,
    exact: bool,
}

/// What labels are made with.
struct Engine {
    setup: Setup,
    player: Box<dyn Player>,
    name: String,
}

impl Engine {
    fn new(setup: Setup) -> Result<Engine, String> {
        let player = player::open(setup.clone()).map_err(|error| error.to_string())?;
        Ok(Engine { name: fingerprint(&setup)?, setup, player })
    }

    fn search(&mut self, args: &Args, depth: Option<u32>) -> Result<Value, String> {
        let options = Options { hash: args.hash, seed: args.seed, ..Options::default() };
        let limits = Limits { depth, endless: true, ..Limits::default() };
        let found = searched(&mut *self.player, &options, limits, depth.is_none())?;
        let (value, exact) = value_of(&self.setup, &found).ok_or("the search found no value")?;
        Ok(Value { value: f64::from(value), exact })
    }

    /// The label of each position of a game.
    fn labels(&mut self, args: &Args, game: &Game) -> Result<Vec<Option<Value>>, String> {
        let count = game.plies.len();
        let (mut colors, mut choices, mut empty) = (vec![], vec![], vec![]);
        game.replay(self.player.referee_mut(), |_, _, referee| {
            colors.push(referee.turn());
            choices.push(!referee.must_pass());
            empty.push(game::empty(referee));
        })?;

        // From the end, so that what was solved before helps with what comes now.
        let mut values: Vec<Option<Value>> = vec![None; count];
        for at in (0..count).rev() {
            self.player.referee_mut().undo(1).map_err(|error| error.to_string())?;
            let ply = &game.plies[at];
            values[at] = if !choices[at] {
                None
            } else if let (Some(value), true) = (ply.value, ply.exact) {
                Some(Value { value: f64::from(value), exact: true })
            } else if empty[at] <= args.exact {
                Some(self.search(args, None)?)
            } else if args.depth.is_some() {
                Some(self.search(args, args.depth)?)
            } else if let Some(value) = ply.value {
                Some(Value { value: f64::from(value), exact: false })
            } else if at >= AHEAD
                && !random_between(game, at - AHEAD, at)
                && game.plies[at - AHEAD].value.is_none()
            {
                Some(self.search(args, Some(args.td_depth))?)
            } else {
                None
            };
        }

        // The next exact value from each ply on, for Black.
        let sign = |at: usize| if colors[at] == Color::Black { 1.0 } else { -1.0 };
        let mut result = Some(100.0 * f64::from(game.result));
        let mut results = vec![None; count];
        for at in (0..count).rev() {
            if game.plies[at].random {
                result = None;
            }
            if let Some(exact) = values[at].filter(|value| value.exact) {
                result = Some(sign(at) * exact.value);
            }
            results[at] = result;
        }
        let labels = (0..count).map(|at| {
            let known = values[at];
            let recorded = game.plies[at].value.is_some();
            if !choices[at] || known.is_some_and(|value| value.exact) || args.depth.is_some() {
                return known;
            }
            let result = results[at].map(|black| sign(at) * black);
            if let (Some(value), true) = (known, recorded) {
                let share = if result.is_some() { args.mix } else { 0.0 };
                let value = share * result.unwrap_or_default() + (1.0 - share) * value.value;
                return Some(Value { value, exact: false });
            }
            let result = result?;
            if random_between(game, at, at + AHEAD) {
                return None;
            }
            // A forced pass has no value of its own; past the end the result stands.
            let later = (at + AHEAD..count).find(|&later| choices[later]);
            let later = later.map_or(Some(result), |later| {
                values[later].map(|value| sign(at) * sign(later) * value.value)
            })?;
            Some(Value { value: args.td * result + (1.0 - args.td) * later, exact: false })
        });
        Ok(labels.collect())
    }

    /// Adds the samples of a game that the draw keeps.
    fn keep(
        &mut self,
        args: &Args,
        game: &Game,
        labels: &[Option<Value>],
        samples: &mut Samples,
    ) -> Result<(), String> {
        let key = game.key();
        let split = (key >> 48) as u16;
        let mut rng = random::rng(random::mix(args.seed) ^ key);
        let most = if self.setup.game == GameId::Othello { OTHELLO_MAX } else { i16::MAX };
        game.replay(self.player.referee_mut(), |at, _, referee| {
            let lot = f64::from(random::below(&mut rng, 1 << 24)) / f64::from(1 << 24);
            let Some(label) = labels[at].filter(|_| lot < args.sample) else { return };
            let exact = if label.exact { sample::EXACT } else { 0 };
            let value = (label.value.round() as i16).clamp(-most, most);
            let empty = u8::try_from(game::empty(referee)).unwrap_or(u8::MAX);
            samples.push(&sample::sets_of(referee), value, split, empty, exact | sample::side(referee));
        })
    }
}

/// Whether one of the moves `from..to` was drawn by lot.
fn random_between(game: &Game, from: usize, to: usize) -> bool {
    game.plies[from..to.min(game.plies.len())].iter().any(|ply| ply.random)
}
