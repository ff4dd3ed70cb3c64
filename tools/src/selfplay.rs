//! Plays the engine against itself and keeps the games, in chunks: see [`crate::data`].
//!
//! Every search has one thread and ends by depth or nodes, and a chunk begins with an empty table, so
//! that the same command makes the same games on every machine, whatever was there before.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::ProgressBar;
use tengen_adapter::arena::opening::{self, Opening};
use tengen_engine::game::random::{self, Rng};
use tengen_engine::games::Setup;
use tengen_engine::options::Options;
use tengen_engine::player::Player;
use tengen_engine::search::{Goal, Limits};

use crate::data::game::{self, Game, Games, Ply};
use crate::data::work::{self, Part};
use crate::data::{self, Kind};
use crate::engine;
use crate::openings::{Plies, range};

/// How often an opening is drawn again after one that ended the game.
const ATTEMPTS: u32 = 100;

/// Games of the engine against itself.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Set-up as for newgame: "othello".
    #[arg(long)]
    game: String,
    /// Folder of the games; the same command goes on where it was interrupted.
    #[arg(long)]
    out: PathBuf,
    /// Games wanted; more than before adds games.
    #[arg(long)]
    games: u64,
    /// Games in a file.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    chunk: u64,
    /// Seed of everything.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads, each with games of its own.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Only part I of N of the files, for several processes.
    #[arg(long, default_value = "1/1")]
    part: Part,
    /// Depth of the search in plies.
    #[arg(long, required_unless_present = "nodes", conflicts_with = "nodes")]
    depth: Option<u32>,
    /// Nodes of the search.
    #[arg(long)]
    nodes: Option<u64>,
    /// Weights to play with instead of those built in.
    #[arg(long)]
    weights: Option<PathBuf>,
    /// MiB of the search's table or tree.
    #[arg(long, default_value_t = 16)]
    hash: u64,
    /// Random moves a game begins with: a number, or the least and the most ("8..40").
    #[arg(long, value_parser = range, default_value = "0")]
    random_plies: Plies,
    /// Opening file; each game begins with a line of it, then come the random moves.
    #[arg(long)]
    openings: Option<PathBuf>,
    /// Positions with at most so many empty points are solved.
    #[arg(long, default_value_t = 0)]
    solve_at: u32,
    /// Share of the moves that are replaced by random ones.
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    stray: f64,
}

/// A number from 0 to 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or("expected a number from 0 to 1".into())
}

impl Args {
    /// What decides the games, as a command.
    fn command(&self, setup: &Setup, weights: &str) -> String {
        let limit = match (self.depth, self.nodes) {
            (Some(depth), _) => format!("--depth {depth}"),
            (None, nodes) => format!("--nodes {}", nodes.unwrap_or_default()),
        };
        let openings = match &self.openings {
            Some(path) => {
                format!(" --openings {}", path.file_name().map(Path::new).unwrap_or(path).display())
            }
            None => String::new(),
        };
        format!(
            "tengen-tools selfplay --game \"{setup}\" --chunk {} --seed {} {limit} --hash {} \
             --random-plies {}..{}{openings} --solve-at {} --stray {}{weights}",
            self.chunk,
            self.seed,
            self.hash,
            self.random_plies.least,
            self.random_plies.most,
            self.solve_at,
            self.stray
        )
    }

    fn limits(&self) -> Limits {
        Limits { depth: self.depth, nodes: self.nodes, ..Limits::default() }
    }
}

/// Makes the chunks that are missing, and writes to `report` what there is then.
///
/// # Errors
/// A set-up or file of openings that is refused, a chunk of another command, a file that cannot be
/// written.
pub(crate) fn run(args: &Args, report: &mut dyn Write) -> Result<(), String> {
    let started = Instant::now();
    let setup = Setup::parse(args.game.split_ascii_whitespace()).map_err(|error| error.to_string())?;
    let openings = match &args.openings {
        Some(path) => opening::read(path, &setup).map_err(|error| error.to_string())?,
        None => vec![Opening::default()],
    };
    std::fs::create_dir_all(&args.out).map_err(|error| format!("{}: {error}", args.out.display()))?;
    let command = args.command(&setup, &engine::install(args.weights.as_deref(), &setup)?);
    let source = engine::fingerprint(&setup)?;
    let count = u32::try_from(args.games.div_ceil(args.chunk)).map_err(|_| "too many games")?;
    let numbers: Vec<u32> = (0..count).filter(|&number| args.part.has(number)).collect();
    let wanted = |number: u32| args.chunk.min(args.games - u64::from(number) * args.chunk);

    let mut missing = Vec::new();
    for &number in &numbers {
        if !there(&args.out.join(Kind::Games.name(number)), &command, wanted(number), report)? {
            missing.push(number);
        }
    }
    let bar = work::bar(missing.iter().map(|&number| wanted(number)).sum(), "games")?;
    work::share(
        &missing,
        args.jobs,
        || engine::open(&setup),
        |player, &number| {
            let first = u64::from(number) * args.chunk;
            player.forget();
            let mut table = Table { args, player: &mut **player, setup: &setup, openings: &openings };
            let games = (first..first + wanted(number)).map(|game| table.played(game, &bar));
            let chunk = Games {
                setup: setup.to_string(),
                command: command.clone(),
                source: source.clone(),
                seed: args.seed,
                games: games.collect::<Result<_, _>>()?,
            };
            chunk.write(&args.out.join(Kind::Games.name(number))).map(|_| ())
        },
    )?;
    bar.finish_and_clear();

    let (mut games, mut positions, mut sums) = (0, 0, Vec::new());
    for &number in &numbers {
        let (chunk, sum) = Games::read(&args.out.join(Kind::Games.name(number)))?;
        games += chunk.games.len();
        positions += chunk.positions();
        sums.extend(sum.to_le_bytes());
    }
    writeln!(
        report,
        "{}: {games} games, {positions} positions, checksum {:016x}; {} files made in {:.1} s",
        args.out.display(),
        data::checksum(&sums),
        missing.len(),
        started.elapsed().as_secs_f64()
    )
    .map_err(|error| error.to_string())
}

/// Whether the chunk is there with all its games. A damaged one is told of, to be made again.
fn there(path: &Path, command: &str, games: u64, report: &mut dyn Write) -> Result<bool, String> {
    if !path.exists() {
        return Ok(false);
    }
    match Games::read(path) {
        Ok((chunk, _)) if chunk.command != command => {
            Err(format!("{}: made by another command: {}", path.display(), chunk.command))
        }
        Ok((chunk, _)) => Ok(chunk.games.len() as u64 >= games),
        Err(problem) => {
            writeln!(report, "{problem}; it is made again").map_err(|error| error.to_string())?;
            Ok(false)
        }
    }
}

/// Where the games of a chunk are played.
struct Table<'a> {
    args: &'a Args,
    player: &'a mut dyn Player,
    setup: &'a Setup,
    openings: &'a [Opening],
}

impl Table<'_> {
    /// The game of that number.
    fn played(&mut self, number: u64, bar: &ProgressBar) -> Result<Game, String> {
        let seed = random::mix(random::mix(self.args.seed) ^ number);
        let mut rng = random::rng(seed);
        let mut game = self.opened(&mut rng)?;
        let options = Options { hash: self.args.hash, seed, ..Options::default() };
        let result = loop {
            if let Some(result) = game::margin(self.player.referee()) {
                break result;
            }
            let ply = self.chosen(&options, &mut rng)?;
            self.player.referee_mut().play(None, ply.mv).map_err(|reason| reason.to_string())?;
            game.plies.push(ply);
        };
        bar.inc(1);
        Ok(Game { result, ..game })
    }

    /// A game with its opening played, not over yet.
    fn opened(&mut self, rng: &mut Rng) -> Result<Game, String> {
        let Plies { least, most } = self.args.random_plies;
        for _ in 0..ATTEMPTS {
            let opening = &self.openings[random::below(rng, self.openings.len() as u32) as usize];
            let count = least + random::below(rng, most - least + 1);
            let referee = self.player.referee_mut();
            referee.reset();
            if let Some(start) = &opening.position {
                referee.set_position(start).map_err(|error| error.to_string())?;
            }
            let mut plies: Vec<Ply> = Vec::new();
            for &mv in &opening.moves {
                referee.play(None, mv).map_err(|reason| reason.to_string())?;
                plies.push(Ply::plain(mv));
            }
            for _ in 0..count {
                let moves = referee.legal_moves(None).unwrap_or_default();
                let Some(&mv) = moves.get(random::below(rng, moves.len().max(1) as u32) as usize) else {
                    break;
                };
                referee.play(None, mv).map_err(|reason| reason.to_string())?;
                plies.push(Ply { random: true, ..Ply::plain(mv) });
            }
            if referee.ending().is_none() {
                return Ok(Game { start: opening.position.clone(), plies, result: 0 });
            }
        }
        Err(format!("no random opening of {least} to {most} plies leaves a game of {}", self.setup))
    }

    /// The next move and the value of the position.
    fn chosen(&mut self, options: &Options, rng: &mut Rng) -> Result<Ply, String> {
        let referee = self.player.referee();
        let moves = referee.legal_moves(None).unwrap_or_default();
        if let ([mv], true) = (&moves[..], referee.must_pass()) {
            return Ok(Ply::plain(*mv));
        }
        let solve = self.args.solve_at > 0 && game::empty(referee) <= self.args.solve_at;
        let (limits, goal) =
            if solve { (Limits::default(), Goal::Exact) } else { (self.args.limits(), Goal::Move) };
        let found = engine::search(self.player, options, limits, goal)?;
        let value = engine::value_of(self.setup, &found);
        let best = found.best.ok_or("the search found no move")?;
        let lot = f64::from(random::below(rng, 1 << 24)) / f64::from(1 << 24);
        let drawn = if lot < self.args.stray {
            moves.get(random::below(rng, moves.len().max(1) as u32) as usize).copied()
        } else {
            None
        };
        let mv = drawn.unwrap_or(best);
        Ok(Ply {
            mv,
            value: value.map(|value| value.value),
            exact: value.is_some_and(|value| value.exact),
            random: mv != best,
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::data::tests::Scratch;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn play(out: &Path, words: &str) -> Result<String, String> {
        let line = format!("selfplay --out {} {words}", out.display());
        let args = Cli::try_parse_from(shlex(&line)).map_err(|error| error.to_string())?.args;
        let mut report = Vec::new();
        run(&args, &mut report)?;
        Ok(String::from_utf8(report).unwrap())
    }

    /// Words of a line in which `_` stands for a blank.
    fn shlex(line: &str) -> Vec<String> {
        line.split(' ').map(|word| word.replace('_', " ")).collect()
    }

    fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let paths = data::chunks(&[folder.to_owned()], Kind::Games).unwrap();
        paths.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    }

    const OTHELLO: &str = "--game othello --chunk 4 --depth 2 --random-plies 4..30 --solve-at 6 --stray 0.1";

    #[test]
    fn an_interrupted_run_goes_on_to_the_same_files() {
        let scratch = Scratch::new("selfplay");
        let whole = play(&scratch.0, &format!("{OTHELLO} --games 14 --jobs 2")).unwrap();
        let made = files(&scratch.0);
        assert_eq!(made.len(), 4);
        assert!(whole.contains("14 games"), "{whole}");

        // One file lost, one damaged, the last one short.
        std::fs::remove_file(&made[1].0).unwrap();
        let mut bytes = made[2].1.clone();
        bytes[100] ^= 1;
        std::fs::write(&made[2].0, bytes).unwrap();
        std::fs::remove_file(&made[3].0).unwrap();
        play(&scratch.0, &format!("{OTHELLO} --games 13 --part 2/2")).unwrap();
        let report = play(&scratch.0, &format!("{OTHELLO} --games 14")).unwrap();
        assert!(report.contains("games-000002.tgg: damaged"), "{report}");
        assert!(report.contains("2 files made"), "{report}");
        assert_eq!(files(&scratch.0), made);

        let other = play(&scratch.0, &format!("{OTHELLO} --games 14 --seed 2")).unwrap_err();
        assert!(other.contains("games-000000.tgg: made by another command"), "{other}");
    }

    #[test]
    fn values_are_those_of_the_side_to_move() {
        let scratch = Scratch::new("values");
        play(&scratch.0, &format!("{OTHELLO} --games 4")).unwrap();
        let (chunk, _) = Games::read(&scratch.0.join(Kind::Games.name(0))).unwrap();
        let mut referee = tengen_engine::games::referee(chunk.setup().unwrap()).unwrap();
        let mut exact = 0;
        for game in &chunk.games {
            let mut last: Option<Ply> = None;
            // From a solved position on, best play keeps the value: it changes sides with the turn.
            game.replay(&mut *referee, |_, ply, referee| {
                let solved = game::empty(referee) <= 6;
                assert!(ply.exact || !solved || referee.must_pass(), "{referee:?}");
                exact += u32::from(ply.exact);
                if let Some(before) = last.filter(|before| before.exact && !before.random && ply.exact) {
                    assert_eq!(before.value, ply.value.map(|value| -value), "{referee:?}");
                }
                last = Some(*ply);
            })
            .unwrap();
        }
        assert!(exact >= 16, "{exact}");
    }

    #[test]
    fn every_game_can_be_played() {
        for (setup, words) in [
            ("gomoku_size_9", "--nodes 50"),
            ("nogo_size_5", "--nodes 20"),
            ("amazons_size_5", "--nodes 20"),
            ("othello_size_6", "--depth 1"),
        ] {
            let scratch = Scratch::new(&setup.replace('_', "-"));
            let words = format!("--game {setup} --games 3 --chunk 2 --random-plies 2 {words}");
            play(&scratch.0, &words).unwrap();
            for (path, _) in files(&scratch.0) {
                let (chunk, _) = Games::read(&path).unwrap();
                let mut referee = tengen_engine::games::referee(chunk.setup().unwrap()).unwrap();
                for game in &chunk.games {
                    assert!(game.plies.iter().skip(2).any(|ply| ply.value.is_some()));
                    game.replay(&mut *referee, |_, _, _| {}).unwrap();
                }
            }
        }
    }
}
