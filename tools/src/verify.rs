//! Checks files of games and of samples: see [`crate::data`].

use std::io::Write;
use std::path::{Path, PathBuf};

use tengen_engine::games::{self, GameId, Setup};

use crate::data::game::Games;
use crate::data::sample::{EXACT, Sample, Samples};
use crate::data::{self, Kind};

/// Largest score of Othello in discs.
const OTHELLO_MAX: i16 = 64;

/// Files to check.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Files, or folders of them.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
}

/// Checks every file and writes to `report` what is in them.
///
/// # Errors
/// The first file that is damaged or holds what the rules do not allow, in one line.
pub(crate) fn run(args: &Args, report: &mut dyn Write) -> Result<(), String> {
    for path in &args.paths {
        let line = check(path)?;
        writeln!(report, "{}: {line}", path.display()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Checks a file, or the chunks of a folder.
fn check(path: &Path) -> Result<String, String> {
    let (mut games, mut positions, mut valued, mut samples, mut exact) = (0, 0, 0, 0, 0);
    let (mut files, mut sums) = (0, Vec::new());
    let mut all = Vec::new();
    if path.is_dir() {
        for kind in [Kind::Games, Kind::Samples] {
            all.extend(data::chunks(&[path.to_owned()], kind).unwrap_or_default());
        }
        if all.is_empty() {
            return Err(format!("{}: no file of games or samples in it", path.display()));
        }
    } else {
        all.push(path.to_owned());
    }
    for file in all {
        let named = |problem: String| format!("{}: {problem}", file.display());
        let sum = match Kind::of(&file)? {
            Kind::Games => {
                let (chunk, sum) = Games::read(&file)?;
                check_games(&chunk).map_err(named)?;
                games += chunk.games.len();
                positions += chunk.positions();
                valued +=
                    chunk.games.iter().flat_map(|game| &game.plies).filter(|ply| ply.value.is_some()).count();
                sum
            }
            Kind::Samples => {
                let (chunk, sum) = Samples::read(&file)?;
                exact += check_samples(&chunk).map_err(named)?;
                samples += chunk.len();
                sum
            }
        };
        sums.extend(sum.to_le_bytes());
        files += 1;
    }
    let mut line = format!("{files} files");
    if games > 0 {
        line += &format!(", {games} games, {positions} positions, {valued} of them valued");
    }
    if samples > 0 {
        line += &format!(", {samples} samples, {exact} of them exact");
    }
    Ok(format!("{line}, checksum {:016x}", data::checksum(&sums)))
}

/// Plays every game.
fn check_games(chunk: &Games) -> Result<(), String> {
    let setup = chunk.setup()?;
    let mut referee = games::referee(setup.clone()).map_err(|error| error.to_string())?;
    for (index, game) in chunk.games.iter().enumerate() {
        let mut wrong = None;
        let played = game.replay(&mut *referee, |at, ply, _| {
            if let (Some(value), true) = (ply.value, ply.exact) {
                let problem = exact_problem(&setup, value);
                wrong = wrong.take().or(problem.map(|problem| format!("move {}: {problem}", at + 1)));
            }
        });
        let checked = wrong.map_or(played, Err);
        checked.map_err(|problem| format!("game {}: {problem}", index + 1))?;
    }
    Ok(())
}

/// Checks every sample; the number of exact ones.
fn check_samples(chunk: &Samples) -> Result<usize, String> {
    let setup = Setup::parse(chunk.setup.split_ascii_whitespace()).map_err(|error| error.to_string())?;
    let points = usize::from(setup.width) * usize::from(setup.height);
    if chunk.width != points.div_ceil(8) {
        return Err(format!("sets of {} bytes, not of {points} points", chunk.width));
    }
    let mut exact = 0;
    for (index, sample) in chunk.iter().enumerate() {
        exact += usize::from(sample.flags & EXACT != 0);
        if let Some(problem) = sample_problem(&setup, &sample, points) {
            return Err(format!("sample {}: {problem}", index + 1));
        }
    }
    Ok(exact)
}

fn sample_problem(setup: &Setup, sample: &Sample<'_>, points: usize) -> Option<String> {
    let (own, other) = sample.sets.split_at(sample.sets.len() / 2);
    let taken: u32 = own.iter().zip(other).map(|(a, b)| (a | b).count_ones()).sum();
    if taken as usize + usize::from(sample.empty) != points {
        return Some(format!("{taken} points taken and {} empty of {points}", sample.empty));
    }
    if setup.game == GameId::Othello && own.iter().zip(other).any(|(a, b)| a & b != 0) {
        return Some("a square with two discs".into());
    }
    if setup.game == GameId::Othello && sample.label.unsigned_abs() > 100 * OTHELLO_MAX.unsigned_abs() {
        return Some(format!("a label of {} hundredths of a disc", sample.label));
    }
    if sample.flags & EXACT != 0 { exact_problem(setup, sample.label) } else { None }
}

/// What is wrong with an exact value, if something is: Othello's scores are even numbers of discs (on
/// boards of an even number of squares, the empty ones counted for the winner), 64 at most on 8x8.
fn exact_problem(setup: &Setup, value: i16) -> Option<String> {
    let most = i16::from(setup.width) * i16::from(setup.height);
    match setup.game {
        GameId::Othello if value % 200 != 0 || value.unsigned_abs() > 100 * most.unsigned_abs() => {
            Some(format!("an exact value of {} hundredths of a disc", value))
        }
        _ if value % 100 != 0 => Some(format!("an exact value of {value} hundredths")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::game::tests::random_games;
    use crate::data::sample::Source;
    use crate::data::tests::Scratch;

    fn problem(paths: &[&Path]) -> String {
        let paths = paths.iter().map(|&path| path.to_owned()).collect();
        run(&Args { paths }, &mut Vec::new()).unwrap_err()
    }

    #[test]
    fn games_are_played_and_values_looked_at() {
        let scratch = Scratch::new("verify-games");
        let path = scratch.0.join(Kind::Games.name(3));
        let mut chunk = random_games("othello", 5);
        for ply in chunk.games.iter_mut().flat_map(|game| &mut game.plies).filter(|ply| ply.exact) {
            ply.value = ply.value.map(|value| value % 32 * 200);
        }
        chunk.write(&path).unwrap();
        let mut report = Vec::new();
        run(&Args { paths: vec![scratch.0.clone(), path.clone()] }, &mut report).unwrap();
        let report = String::from_utf8(report).unwrap();
        assert!(report.lines().count() == 2 && report.contains("1 files, 5 games"), "{report}");

        let mut odd = chunk.clone();
        odd.games[2].plies[9].value = Some(1_300);
        odd.games[2].plies[9].exact = true;
        odd.write(&path).unwrap();
        let line = problem(&[&scratch.0]);
        assert!(
            line.ends_with("games-000003.tgg: game 3: move 10: an exact value of 1300 hundredths of a disc")
        );

        let mut illegal = chunk;
        illegal.games[4].plies.remove(8);
        illegal.write(&path).unwrap();
        assert!(problem(&[&path]).contains("games-000003.tgg: game 5: move "));
        std::fs::write(&path, b"TngGame").unwrap();
        assert!(problem(&[&path]).contains("games-000003.tgg: "));
        assert!(problem(&[&scratch.0.join("none")]).contains("none: "));
    }

    #[test]
    fn labels_keep_parity_and_range() {
        let setup = Setup::parse(["othello"]).unwrap();
        let scratch = Scratch::new("verify-samples");
        let path = scratch.0.join(Kind::Samples.name(0));
        let mut sets = [0; 16];
        (sets[3], sets[4], sets[11], sets[12]) = (0x10, 0x08, 0x08, 0x10);
        let both = [0xFF; 16];
        for (sets, label, empty, flags, wrong) in [
            (sets, 6_400, 60, EXACT, None),
            (sets, -333, 60, 0, None),
            (sets, 300, 60, EXACT, Some("an exact value of 300")),
            (sets, 6_600, 60, EXACT, Some("a label of 6600")),
            (sets, -6_401, 60, 0, Some("a label of -6401")),
            (sets, 0, 59, 0, Some("4 points taken and 59 empty of 64")),
            (both, 0, 0, 0, Some("a square with two discs")),
        ] {
            let mut samples = Samples::new(&setup, String::new(), Source::default());
            samples.push(&sets, label, 0, empty, flags);
            samples.write(&path).unwrap();
            match wrong {
                None => run(&Args { paths: vec![path.clone()] }, &mut Vec::new()).unwrap(),
                Some(text) => assert!(problem(&[&path]).contains(&format!("sample 1: {text}"))),
            }
        }
    }
}
