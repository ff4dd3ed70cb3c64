//! Adds the positions that games have in common.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tengen_engine::experts::othello::book::fold;
use tengen_engine::game::{Game as _, Rules as _};
use tengen_engine::games::GameId;
use tengen_engine::games::othello::Othello;
use tengen_engine::games::othello::board::Standard;

use super::play;
use super::workshop::{Making, Workshop};
use crate::data::game::Games;
use crate::data::{self, Kind, work};

/// The longest file of transcripts that is read, in bytes.
const LONGEST: u64 = 256 << 20;
/// Positions added at once.
const AT_ONCE: usize = 128;

/// Adding games to a book.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    making: Making,
    /// Games: files of selfplay and import, folders of them, or texts with a game a line: f5d6c3d3c4...
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Plies of each game that are looked at.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=60))]
    plies: u32,
    /// Games a position must occur in.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
}

impl Args {
    fn command(&self, before: &str) -> String {
        let files: Vec<String> = (self.games.iter())
            .map(|path| path.file_name().map(Path::new).unwrap_or(path).display().to_string())
            .collect();
        let command = format!(
            "tengen-tools book add --depth {} --hash {} --plies {} --times {} {}",
            self.making.depth,
            self.making.hash,
            self.plies,
            self.times,
            files.join(" ")
        );
        super::after(before, command)
    }
}

/// How often each position occurs.
type Counts = BTreeMap<(u64, u64), u32>;

/// Adds games; writes to `report` what there is then.
///
/// # Errors
/// A file that cannot be read or written, a bad game, or a book of other weights.
pub(crate) fn run(args: &Args, report: &mut dyn Write) -> Result<(), String> {
    let started = Instant::now();
    let mut counts = Counts::new();
    let mut games = 0;
    for path in &args.games {
        games += if path.is_dir() || Kind::of(path).is_ok() {
            from_chunks(path, args.plies, &mut counts)?
        } else {
            from_text(path, args.plies, &mut counts)?
        };
    }
    let mut workshop = Workshop::open(&args.making, |before| args.command(before))?;
    workshop.deepen(None)?;
    let mut new: Vec<(u64, u64)> = (counts.iter())
        .filter(|&(&(own, opp), &times)| times >= args.times && workshop.book.find(own, opp).is_none())
        .map(|(&position, _)| position)
        .collect();
    // The fullest boards first: a move to a position that is there already is not searched.
    new.sort_by_key(|&(own, opp)| std::cmp::Reverse((own | opp).count_ones()));
    let bar = work::bar(new.len() as u64, "positions")?;
    for part in new.chunks(AT_ONCE) {
        workshop.extend(part.iter().copied())?;
        bar.inc(part.len() as u64);
    }
    bar.finish_and_clear();
    let record = workshop.finish()?;
    writeln!(
        report,
        "{}: {games} games, {} positions added; {}; {} searches in {:.1} s",
        workshop.out(),
        new.len(),
        record,
        workshop.searches,
        started.elapsed().as_secs_f64()
    )
    .map_err(|error| error.to_string())
}

/// Counts a position whose side to move has a move.
fn count(position: &Othello<Standard>, counts: &mut Counts) {
    if position.mobility() != 0 {
        *counts.entry(fold(position.own(), position.opp())).or_default() += 1;
    }
}

/// Counts the positions of files of games; returns the number of games.
fn from_chunks(path: &Path, plies: u32, counts: &mut Counts) -> Result<usize, String> {
    let mut games = 0;
    for file in data::chunks(&[path.to_owned()], Kind::Games)? {
        let (chunk, _) = Games::read(&file)?;
        let setup = chunk.setup().map_err(|problem| format!("{}: {problem}", file.display()))?;
        if (setup.game, setup.width) != (GameId::Othello, 8) {
            return Err(format!("{}: games of {setup}, not of othello size 8", file.display()));
        }
        for (index, game) in chunk.games.iter().enumerate() {
            let wrong = |problem: String| format!("{}: game {}: {problem}", file.display(), index + 1);
            let start = Othello::<Standard>::start();
            let mut position = match &game.start {
                None => start,
                Some(text) => start.parse_position(text).map_err(|error| wrong(error.to_string()))?,
            };
            for (number, ply) in game.plies.iter().take(plies as usize).enumerate() {
                count(&position, counts);
                position.check(ply.mv).map_err(|reason| wrong(format!("move {}: {reason}", number + 1)))?;
                position.play(ply.mv);
            }
            count(&position, counts);
        }
        games += chunk.games.len();
    }
    Ok(games)
}

/// Counts the positions of a text with a game a line; returns the number of games.
fn from_text(path: &Path, plies: u32, counts: &mut Counts) -> Result<usize, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if std::fs::metadata(path).map_err(failed)?.len() > LONGEST {
        return Err(format!("{}: longer than {} MiB", path.display(), LONGEST >> 20));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    let mut games = 0;
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut ply = 0;
        let visit = |position: &Othello<Standard>| {
            if ply <= plies {
                count(position, counts);
            }
            ply += 1;
        };
        play(&mut Othello::start(), line, visit)
            .map_err(|problem| format!("{}: line {}: {problem}", path.display(), number + 1))?;
        games += 1;
    }
    Ok(games)
}
