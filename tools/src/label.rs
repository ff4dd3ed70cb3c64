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

mod rule;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tengen_engine::game::random;
use tengen_engine::games::{GameId, Setup};
use tengen_engine::options::Options;
use tengen_engine::player::Player;
use tengen_engine::search::{Goal, Limits};

use crate::data::game::{self, Game, Games};
use crate::data::sample::{self, Samples, Source};
use crate::data::work::{self, Part};
use crate::data::{self, Kind};
use crate::engine;
use crate::selfplay::share;
use rule::{Known, Position};

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
    /// Weights to search with instead of those built in.
    #[arg(long)]
    weights: Option<PathBuf>,
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
    fn command(&self, weights: &str) -> String {
        let depth = self.depth.map(|depth| format!(" --depth {depth}")).unwrap_or_default();
        format!(
            "tengen-tools label --exact {}{depth} --mix {} --td {} --td-depth {} --sample {} --seed {} --hash {}{weights}",
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
    let Some((first, _)) = tasks.first() else { return Err("no file of games for this part".into()) };
    let setup = Games::read(first)?.0.setup().map_err(|problem| format!("{}: {problem}", first.display()))?;
    let command = args.command(&engine::install(args.weights.as_deref(), &setup)?);
    let engine = engine::fingerprint(&setup)?;
    let bar = work::bar(tasks.len() as u64, "files")?;
    let start = || Ok(Labeller { args, setup: &setup, player: engine::open(&setup)? });
    work::share(&tasks, args.jobs, start, |labeller, (input, output)| {
        let named = |problem: String| format!("{}: {problem}", input.display());
        let (chunk, sum) = Games::read(input)?;
        if chunk.setup().map_err(named)? != setup {
            return Err(named(format!("games of {}, not of {setup}", chunk.setup)));
        }
        let source = Source {
            games: chunk.command.clone(),
            players: chunk.source.clone(),
            checksum: sum,
            engine: engine.clone(),
        };
        if !there(output, &command, &source)? {
            labeller.player.forget();
            let mut samples = Samples::new(&setup, command.clone(), source);
            for (index, game) in chunk.games.iter().enumerate() {
                let done = labeller.add(game, &mut samples);
                done.map_err(|problem| named(format!("game {}: {problem}", index + 1)))?;
            }
            samples.write(output)?;
        }
        bar.inc(1);
        Ok(())
    })?;
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
fn there(path: &Path, command: &str, source: &Source) -> Result<bool, String> {
    match Samples::read(path) {
        Ok((samples, _)) if samples.command != command => {
            Err(format!("{}: made by another command: {}", path.display(), samples.command))
        }
        Ok((samples, _)) => Ok(samples.source == *source),
        Err(_) => Ok(false),
    }
}

/// What labels are made with.
struct Labeller<'a> {
    args: &'a Args,
    setup: &'a Setup,
    player: Box<dyn Player>,
}

impl Labeller<'_> {
    /// Adds the samples of a game that the draw keeps.
    fn add(&mut self, game: &Game, samples: &mut Samples) -> Result<(), String> {
        let mut positions = Vec::with_capacity(game.plies.len());
        game.replay(self.player.referee_mut(), |_, ply, referee| {
            positions.push(Position {
                color: referee.turn(),
                empty: game::empty(referee),
                pass: referee.must_pass(),
                random: ply.random,
                known: None,
            });
        })?;
        // From the end, so that what was solved before helps with what comes now.
        for at in (0..positions.len()).rev() {
            self.player.referee_mut().undo(1).map_err(|error| error.to_string())?;
            positions[at].known = self.known(game, &positions, at)?;
        }
        let shares = rule::Shares { mix: self.args.mix, td: self.args.td };
        let labels = rule::labels(&positions, 100.0 * f64::from(game.result), shares);

        let key = game.key();
        let split = (key >> 48) as u16;
        let mut rng = random::rng(random::mix(self.args.seed) ^ key);
        let most = if self.setup.game == GameId::Othello { OTHELLO_MAX } else { i16::MAX };
        game.replay(self.player.referee_mut(), |at, _, referee| {
            let lot = f64::from(random::below(&mut rng, 1 << 24)) / f64::from(1 << 24);
            let Some(label) = labels[at].filter(|_| lot < self.args.sample) else { return };
            let exact = if label.exact { sample::EXACT } else { 0 };
            let value = (label.value.round() as i16).clamp(-most, most);
            let empty = u8::try_from(positions[at].empty).unwrap_or(u8::MAX);
            samples.push(&sample::sets_of(referee), value, split, empty, exact | sample::side(referee));
        })
    }

    /// The value of the position that the player is at.
    fn known(&mut self, game: &Game, positions: &[Position], at: usize) -> Result<Option<Known>, String> {
        let recorded = game.plies[at].value.map(f64::from);
        if positions[at].pass {
            return Ok(None);
        }
        match recorded {
            Some(value) if game.plies[at].exact => return Ok(Some(Known::Exact(value))),
            _ if positions[at].empty <= self.args.exact => {
                return self.searched(None, Known::Searched).map(Some);
            }
            _ if self.args.depth.is_some() => {
                return self.searched(self.args.depth, Known::Searched).map(Some);
            }
            Some(value) => return Ok(Some(Known::Recorded(value))),
            None => {}
        }
        let wanted = rule::looks_ahead(positions, at, |at| game.plies[at].value.is_none());
        Ok(if wanted { Some(self.searched(Some(self.args.td_depth), Known::Glimpsed)?) } else { None })
    }

    /// Searches so many plies, or for the exact value.
    fn searched(&mut self, depth: Option<u32>, inexact: fn(f64) -> Known) -> Result<Known, String> {
        let options = Options { hash: self.args.hash, seed: self.args.seed, ..Options::default() };
        let goal = if depth.is_none() { Goal::Exact } else { Goal::Move };
        let limits = Limits { depth, ..Limits::default() };
        let found = engine::search(&mut *self.player, &options, limits, goal)?;
        let value = engine::value_of(self.setup, &found).ok_or("the search found no value")?;
        let number = f64::from(value.value);
        Ok(if value.exact { Known::Exact(number) } else { inexact(number) })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use tengen_engine::games::{self, Referee};

    use super::*;
    use crate::data::game::tests::random_games;
    use crate::data::tests::Scratch;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn label(games: &Path, out: &Path, words: &str) -> Result<String, String> {
        let line = format!("label {} --out {} {words}", games.display(), out.display());
        let args =
            Cli::try_parse_from(line.split_ascii_whitespace()).map_err(|error| error.to_string())?.args;
        let mut report = Vec::new();
        run(&args, &mut report)?;
        Ok(String::from_utf8(report).unwrap())
    }

    /// Two chunks of games of random moves, without values.
    fn games_in(folder: &Path, setup: &str) {
        std::fs::create_dir_all(folder).unwrap();
        let mut chunk = random_games(setup, 6);
        for ply in chunk.games.iter_mut().flat_map(|game| &mut game.plies) {
            (ply.value, ply.exact, ply.random) = (None, false, false);
        }
        let games = chunk.games.split_off(3);
        chunk.write(&folder.join(Kind::Games.name(0))).unwrap();
        Games { games, ..chunk }.write(&folder.join(Kind::Games.name(1))).unwrap();
    }

    fn samples_in(folder: &Path) -> Vec<Samples> {
        let files = data::chunks(&[folder.to_owned()], Kind::Samples).unwrap();
        files.iter().map(|file| Samples::read(file).unwrap().0).collect()
    }

    /// The best margin for the side to move, by trying every move.
    fn best(referee: &mut dyn Referee) -> i32 {
        let turn = referee.turn();
        let sign = if turn == tengen_engine::game::Color::Black { 1 } else { -1 };
        if let Some(margin) = game::margin(referee) {
            return sign * margin;
        }
        let moves = referee.legal_moves(None).unwrap();
        let value = |mv| {
            referee.play(None, mv).unwrap();
            let value = -best(referee);
            referee.undo(1).unwrap();
            value
        };
        moves.into_iter().map(value).max().unwrap()
    }

    #[test]
    fn exact_labels_are_those_of_trying_every_move() {
        let scratch = Scratch::new("label-exact");
        let (input, out) = (scratch.0.join("games"), scratch.0.join("samples"));
        games_in(&input, "othello");
        label(&input, &out, "--exact 6 --td 1").unwrap();
        let samples = samples_in(&out);
        let mut referee = games::referee(Setup::parse(["othello"]).unwrap()).unwrap();
        let mut labels = samples.iter().flat_map(Samples::iter);
        let mut exact = 0;
        for number in 0..2 {
            let (chunk, _) = Games::read(&input.join(Kind::Games.name(number))).unwrap();
            for game in &chunk.games {
                game.replay(&mut *referee, |_, _, referee| {
                    if referee.must_pass() {
                        return;
                    }
                    let sample = labels.next().unwrap();
                    assert_eq!(sample.sets, sample::sets_of(referee));
                    assert_eq!(u32::from(sample.empty), game::empty(referee));
                    assert_eq!(sample.flags & sample::EXACT != 0, sample.empty <= 6);
                    if sample.empty <= 6 {
                        let wanted = 100 * best(&mut *referee.boxed_clone());
                        assert_eq!(i32::from(sample.label), wanted, "{referee:?}");
                        exact += 1;
                    }
                })
                .unwrap();
            }
        }
        assert!(labels.next().is_none() && exact > 30, "{exact}");
    }

    #[test]
    fn an_interrupted_run_goes_on_to_the_same_files() {
        let scratch = Scratch::new("label-resume");
        let (input, out) = (scratch.0.join("games"), scratch.0.join("samples"));
        games_in(&input, "othello");
        let words = "--exact 5 --depth 2 --sample 0.5";
        label(&input, &out, words).unwrap();
        let made = samples_in(&out);
        let all: usize = made.iter().map(Samples::len).sum();
        assert!((120..240).contains(&all), "half of 360 positions: {all}");
        std::fs::remove_file(out.join(Kind::Samples.name(0))).unwrap();
        std::fs::write(out.join(Kind::Samples.name(1)), b"TngSamp").unwrap();
        label(&input, &out, &format!("{words} --part 2/2")).unwrap();
        label(&input, &out, &format!("{words} --jobs 2")).unwrap();
        assert_eq!(samples_in(&out), made);
        let refused = label(&input, &out, "--exact 6 --depth 2").unwrap_err();
        assert!(refused.contains("samples-000000.tgs: made by another command"), "{refused}");

        // Other games under the same name.
        std::fs::copy(input.join(Kind::Games.name(1)), input.join(Kind::Games.name(0))).unwrap();
        label(&input, &out, words).unwrap();
        let again = samples_in(&out);
        assert!(again[0].iter().eq(again[1].iter()) && again[1] == made[1]);
    }

    #[test]
    fn what_is_recorded_is_not_searched_again() {
        let scratch = Scratch::new("label-recorded");
        let (input, out) = (scratch.0.join("games"), scratch.0.join("samples"));
        std::fs::create_dir_all(&input).unwrap();
        let mut chunk = random_games("othello", 2);
        for game in &mut chunk.games {
            for (at, ply) in game.plies.iter_mut().enumerate() {
                (ply.random, ply.exact) = (at < 10, false);
                ply.value = (at >= 10).then_some(at as i16 * 7);
            }
        }
        chunk.write(&input.join(Kind::Games.name(0))).unwrap();
        label(&input, &out, "").unwrap();
        let samples = samples_in(&out);
        let mut referee = games::referee(Setup::parse(["othello"]).unwrap()).unwrap();
        let mut wanted = Vec::new();
        for game in &chunk.games {
            let choice = |at: usize, ply: &game::Ply, referee: &dyn Referee| {
                wanted.extend(ply.value.filter(|_| at >= 10 && !referee.must_pass()));
            };
            game.replay(&mut *referee, choice).unwrap();
        }
        assert!(samples[0].iter().map(|sample| sample.label).eq(wanted));
    }
}
