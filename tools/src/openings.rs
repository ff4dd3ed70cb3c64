//! Makes the libraries of balanced openings that the adapter ships.
//!
//! Random openings are searched twice, shallowly to find those that look even and deeply to keep those
//! that are. Where the tree search is the stronger one its value says little of early positions (in NoGo
//! it hardly leaves 0.5), but its games differ by their seed: there short games against itself decide.
//! Everything is bounded by nodes and has one thread, so the same command makes the same file on every
//! machine.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use tengen_adapter::arena::opening::{self, Opening, symmetry};
use tengen_engine::game::random::{self, Rng};
use tengen_engine::game::{Color, Move, Outcome, Point};
use tengen_engine::games::{GameId, Referee, Setup};
use tengen_engine::options::Options;
use tengen_engine::player::{self, Ask, Found, Player};
use tengen_engine::search::{Control, Goal, Limits, Stopwatch};

/// MiB of the searches' table or tree: it has to be cleared for each opening.
const HASH: u64 = 16;
/// Gomoku: the first stone lies within so many lines of the centre, each other one within so many of an
/// older stone, as in games that people begin.
const REACH: u8 = 2;
/// Gomoku: no stone of an opening lies more lines from the centre.
const SPREAD: u8 = 4;

/// A library of balanced openings.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Set-up as for newgame: "nogo size 9".
    setup: String,
    /// Openings wanted.
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// Plies of an opening: a number, or the least and the most ("5..7").
    #[arg(long, value_parser = range)]
    plies: Plies,
    /// Nodes of the first search.
    #[arg(long, default_value_t = 5_000)]
    nodes: u64,
    /// Distance from an even winning chance that the first search may find.
    #[arg(long, default_value_t = 0.06)]
    window: f32,
    /// Nodes of the second search, whose value goes into the file; it has another seed.
    #[arg(long, default_value_t = 40_000)]
    verify: u64,
    /// Distance from an even winning chance that the second search may find.
    #[arg(long, default_value_t = 0.12)]
    verify_window: f32,
    /// Games of the search against itself from each opening that is left; for the tree search.
    #[arg(long, default_value_t = 0)]
    games: u32,
    /// Nodes a move in these games.
    #[arg(long, default_value_t = 500)]
    game_nodes: u64,
    /// Distance from half of the points that these games may end with.
    #[arg(long, default_value_t = 0.25)]
    game_window: f64,
    /// Seed of the openings.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Openings tried at most for each one wanted.
    #[arg(long, default_value_t = 1_000)]
    tries: usize,
    /// File to write.
    #[arg(long)]
    out: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plies {
    pub(crate) least: u32,
    pub(crate) most: u32,
}

pub(crate) fn range(text: &str) -> Result<Plies, String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    match (least.parse(), most.parse()) {
        (Ok(least), Ok(most)) if least <= most => Ok(Plies { least, most }),
        _ => Err("expected a number, or two as in 5..7".into()),
    }
}

/// Makes the file, and writes to `report` how it went.
///
/// # Errors
/// A set-up that is refused, too few openings, or a file that cannot be written.
pub(crate) fn run(args: &Args, report: &mut dyn Write) -> Result<(), String> {
    let started = Instant::now();
    let setup = Setup::parse(args.setup.split_ascii_whitespace()).map_err(|error| error.to_string())?;
    let mut judge = Judge { player: player::open(setup.clone()).map_err(|error| error.to_string())? };
    let style =
        ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}").map_err(|error| error.to_string())?;
    let bar = ProgressBar::new(args.count as u64).with_style(style);

    let mut lines = String::new();
    let (mut seen, mut found, mut tried, mut even) = (HashSet::new(), 0, 0, 0);
    while found < args.count {
        if tried == args.count.saturating_mul(args.tries) {
            return Err(format!("only {found} openings of {} in {tried} tries", args.count));
        }
        tried += 1;
        bar.set_message(format!("tried {tried}, even at first sight {even}"));
        let Some(opening) = candidate(&setup, args, tried as u64)? else { continue };
        let referee = opening.referee(&setup)?;
        if !seen.insert(symmetry::canonical(&*referee)) {
            continue;
        }
        let first = judge.chance(&*referee, args.nodes, 0)?;
        if first.is_none_or(|chance| (chance - 0.5).abs() > args.window) {
            continue;
        }
        even += 1;
        let second = judge.chance(&*referee, args.verify, 1)?;
        let Some(chance) = second.filter(|chance| (chance - 0.5).abs() <= args.verify_window) else {
            continue;
        };
        if args.games > 0 {
            let share = judge.points(&*referee, args.games, args.game_nodes)? / f64::from(args.games);
            if (share - 0.5).abs() > args.game_window {
                continue;
            }
        }
        let moves: Vec<String> = referee.history().into_iter().map(|(_, mv)| referee.move_text(mv)).collect();
        writeln!(lines, "{}; {chance:.4} {}", moves.join(" "), args.verify).map_err(|e| e.to_string())?;
        found += 1;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let text = format!("{}{lines}", header(&setup, args));
    opening::parse(&args.out.display().to_string(), &text, &setup).map_err(|error| error.to_string())?;
    std::fs::write(&args.out, text).map_err(|error| format!("{}: {error}", args.out.display()))?;
    writeln!(
        report,
        "{}: {found} openings; {tried} tried, {even} even at first sight; {:.1} s",
        args.out.display(),
        started.elapsed().as_secs_f64()
    )
    .map_err(|error| error.to_string())
}

/// What the file is and the command that makes it.
fn header(setup: &Setup, args: &Args) -> String {
    let plies = if args.plies.least == args.plies.most {
        args.plies.most.to_string()
    } else {
        format!("{}..{}", args.plies.least, args.plies.most)
    };
    let name = args.out.file_name().map(Path::new).unwrap_or(&args.out);
    format!(
        "# setup: {setup}\n\
         # Balanced openings: moves; winning chance of the side to move, nodes searched.\n\
         # Made by: tengen-tools openings \"{}\" --count {} --plies {plies} --nodes {} --window {} --verify {} \
         --verify-window {} --games {} --game-nodes {} --game-window {} --seed {} --tries {} --out {}\n",
        args.setup,
        args.count,
        args.nodes,
        args.window,
        args.verify,
        args.verify_window,
        args.games,
        args.game_nodes,
        args.game_window,
        args.seed,
        args.tries,
        name.display()
    )
}

/// The opening of that number, if there is one.
fn candidate(setup: &Setup, args: &Args, number: u64) -> Result<Option<Opening>, String> {
    let seed = random::mix(random::mix(args.seed) ^ number);
    let mut rng = random::rng(seed);
    let plies = args.plies.least + random::below(&mut rng, args.plies.most - args.plies.least + 1);
    if setup.game == GameId::Gomoku {
        gathered(setup, plies, &mut rng)
    } else {
        opening::random(setup, plies, seed).map(Some)
    }
}

/// A Gomoku opening whose stones lie together around the centre; `None` when they leave no room or end the
/// game.
fn gathered(setup: &Setup, plies: u32, rng: &mut Rng) -> Result<Option<Opening>, String> {
    let mut referee = Opening::default().referee(setup)?;
    let geometry = referee.geometry();
    let centre = Point { column: geometry.width / 2, row: geometry.height / 2 };
    let distance = |a: Point, b: Point| a.column.abs_diff(b.column).max(a.row.abs_diff(b.row));
    let mut stones: Vec<Point> = Vec::new();
    for _ in 0..plies {
        let fits = |referee: &dyn Referee, mv: Move| {
            let point = referee.points(mv).first().copied().unwrap_or(centre);
            let near = |other: &Point| distance(*other, point) <= REACH;
            distance(point, centre) <= SPREAD && stones.iter().any(near) || near(&centre) && stones.is_empty()
        };
        let moves: Vec<Move> = referee
            .legal_moves(None)
            .unwrap_or_default()
            .into_iter()
            .filter(|&mv| fits(&*referee, mv))
            .collect();
        let Some(&mv) = moves.get(random::below(rng, moves.len().max(1) as u32) as usize) else {
            return Ok(None);
        };
        stones.extend(referee.points(mv));
        referee.play(None, mv).map_err(|reason| reason.to_string())?;
    }
    Ok(Opening::of(String::new(), &*referee).ok())
}

/// Our search, with nothing kept from one position to the next.
struct Judge {
    player: Box<dyn Player>,
}

impl Judge {
    /// The winning chance of the side to move; `None` when the result is proven.
    fn chance(&mut self, position: &dyn Referee, nodes: u64, seed: u64) -> Result<Option<f32>, String> {
        self.take_up(position)?;
        let found = self.search(nodes, seed);
        let line = found.lines.first().ok_or("the search found nothing")?;
        Ok(line.proven.is_none().then_some(line.winrate))
    }

    /// Black's points from games of the search against itself, each with another seed.
    fn points(&mut self, position: &dyn Referee, games: u32, nodes: u64) -> Result<f64, String> {
        let mut points = 0.0;
        for game in 0..games {
            self.take_up(position)?;
            let outcome = loop {
                if let Some(ending) = self.player.referee().ending() {
                    break ending.outcome;
                }
                let best = self.search(nodes, u64::from(game)).best.ok_or("the search found no move")?;
                self.player.referee_mut().play(None, best).map_err(|reason| reason.to_string())?;
            };
            points += match outcome {
                Outcome::Win(Color::Black) => 1.0,
                Outcome::Win(Color::White) => 0.0,
                Outcome::Draw => 0.5,
            };
        }
        Ok(points)
    }

    fn take_up(&mut self, position: &dyn Referee) -> Result<(), String> {
        self.player.forget();
        let referee = self.player.referee_mut();
        referee.reset();
        for (color, mv) in position.history() {
            referee.play(Some(color), mv).map_err(|reason| reason.to_string())?;
        }
        Ok(())
    }

    fn search(&mut self, nodes: u64, seed: u64) -> Found {
        self.player.search(
            &Options { hash: HASH, seed, ..Options::default() },
            Ask {
                // As endless, so that all values rest on the same number of nodes.
                limits: Limits { nodes: Some(nodes), endless: true, ..Limits::default() },
                control: &Control::default(),
                started: Stopwatch::wall(Instant::now()),
                threads: 1,
                goal: Goal::Move,
                weaken: false,
                interval: None,
                on_info: &mut |_| {},
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(setup: &str, plies: &str, out: &Path) -> String {
        let args = Args {
            setup: setup.into(),
            count: 5,
            plies: range(plies).unwrap(),
            nodes: 300,
            window: 0.06,
            verify: 1_000,
            verify_window: 0.12,
            games: if setup.starts_with("nogo") { 4 } else { 0 },
            game_nodes: 50,
            game_window: 0.25,
            seed: 3,
            tries: 200,
            out: out.to_owned(),
        };
        run(&args, &mut Vec::new()).unwrap();
        std::fs::read_to_string(out).unwrap()
    }

    #[test]
    fn the_same_command_makes_the_same_file() {
        let folder = std::env::temp_dir().join(format!("tengen-library-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (setup, plies) in [
            ("nogo size 5", "2..4"),
            ("gomoku size 9 rules renju", "4..6"),
            ("othello size 6", "4"),
            ("amazons size 5", "2"),
        ] {
            let out = folder.join("made.txt");
            let text = made(setup, plies, &out);
            assert_eq!(text, made(setup, plies, &out));
            assert!(text.contains(&format!("openings \"{setup}\" --count 5 --plies {plies} ")), "{text}");
            let setup = Setup::parse(setup.split_ascii_whitespace()).unwrap();
            assert_eq!(opening::read(&out, &setup).unwrap().len(), 5);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn stones_lie_together_around_the_centre() {
        let setup = Setup::parse("gomoku size 20".split_ascii_whitespace()).unwrap();
        let mut rng = random::rng(1);
        for _ in 0..100 {
            let opening = gathered(&setup, 6, &mut rng).unwrap().unwrap();
            let referee = opening.referee(&setup).unwrap();
            for mv in opening.moves {
                let point = referee.points(mv)[0];
                assert!(point.column.abs_diff(10) <= SPREAD && point.row.abs_diff(10) <= SPREAD);
            }
        }
    }

    #[test]
    fn plies_are_a_number_or_a_range() {
        assert_eq!(range("4"), Ok(Plies { least: 4, most: 4 }));
        assert_eq!(range("4..6"), Ok(Plies { least: 4, most: 6 }));
        assert!(range("6..4").is_err() && range("x").is_err());
    }
}
