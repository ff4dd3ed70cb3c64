//! Turns the games of other collections into chunks of games.
//!
//! The WTHOR base of the Fédération Française d'Othello: files `*.wtb`, each a header of 16 bytes and
//! records of 68 (as described at <https://www.ffothello.org/informatique/la-base-wthor/>). A record names
//! Black's discs at the end with best play from a number of empty squares that the header gives: that is
//! kept as the exact value of the position there.

use std::io::Write;
use std::path::{Path, PathBuf};

use tengen_engine::game::Color;
use tengen_engine::games::{self, Referee, Setup};

use crate::data::game::{self, Game, Games, Ply};
use crate::data::{self, Kind};

/// Bytes before the first record of a WTHOR file.
const HEADER: usize = 16;
/// Bytes of a record.
const RECORD: usize = 68;
/// Broken games that are named.
const NAMED: usize = 5;

/// Games of other collections.
#[derive(clap::Subcommand, Debug)]
pub(crate) enum From {
    /// The WTHOR base of Othello.
    Wthor(Args),
}

/// Where from and where to.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Folder of the *.wtb files.
    folder: PathBuf,
    /// Folder of the games.
    #[arg(long)]
    out: PathBuf,
    /// Games in a file.
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    chunk: u64,
}

/// Imports; writes to `report` how many games there are and which are broken.
///
/// # Errors
/// A file that cannot be read or written, or is no WTHOR file.
pub(crate) fn run(from: &From, report: &mut dyn Write) -> Result<(), String> {
    let From::Wthor(args) = from;
    let named = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    std::fs::create_dir_all(&args.out).map_err(|error| named(&args.out, error))?;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&args.folder).map_err(|error| named(&args.folder, error))? {
        let path = entry.map_err(|error| named(&args.folder, error))?.path();
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wtb")) {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(format!("{}: no file *.wtb in it", args.folder.display()));
    }
    files.sort();

    let setup = Setup::parse(["othello", "size", "8"]).map_err(|error| error.to_string())?;
    let mut referee = games::referee(setup.clone()).map_err(|error| error.to_string())?;
    let (mut all, mut broken) = (Vec::new(), Vec::new());
    for path in &files {
        let bytes = std::fs::read(path).map_err(|error| named(path, error))?;
        let depth = theory_depth(&bytes).map_err(|problem| format!("{}: {problem}", path.display()))?;
        for (index, record) in bytes[HEADER..].chunks_exact(RECORD).enumerate() {
            match game_of(record, depth, &mut *referee) {
                Ok(game) => all.push(game),
                Err(problem) => broken.push(format!("{}: game {}: {problem}", path.display(), index + 1)),
            }
        }
    }

    let (mut positions, mut sums) = (0, Vec::new());
    let count = all.len();
    let mut rest = all.into_iter();
    for number in 0..count.div_ceil(args.chunk as usize) {
        let chunk = Games {
            setup: setup.to_string(),
            command: format!("tengen-tools import wthor --chunk {}", args.chunk),
            source: "WTHOR".into(),
            seed: 0,
            games: rest.by_ref().take(args.chunk as usize).collect(),
        };
        positions += chunk.positions();
        let number = u32::try_from(number).map_err(|_| "too many games")?;
        sums.extend(chunk.write(&args.out.join(Kind::Games.name(number)))?.to_le_bytes());
    }
    let mut tell = || {
        writeln!(report, "{} games left out", broken.len())?;
        broken.iter().take(NAMED).try_for_each(|problem| writeln!(report, "  {problem}"))?;
        if broken.len() > NAMED {
            writeln!(report, "  and {} more", broken.len() - NAMED)?;
        }
        let sum = data::checksum(&sums);
        writeln!(report, "{}: {count} games, {positions} positions, checksum {sum:016x}", args.out.display())
    };
    tell().map_err(|error| error.to_string())
}

/// The number of empty squares at which the theoretical scores of a file hold.
fn theory_depth(bytes: &[u8]) -> Result<u32, String> {
    let head = bytes.get(..HEADER).ok_or("too short for a WTHOR file")?;
    if !matches!(head[12], 0 | 8) {
        return Err(format!("a board of size {}, not 8", head[12]));
    }
    let records = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
    if bytes.len() != HEADER + RECORD * records {
        return Err(format!("{} bytes are not {records} games", bytes.len()));
    }
    Ok(u32::from(head[14]))
}

/// The game of a record; the passes, which the base leaves out, are put in.
fn game_of(record: &[u8], depth: u32, referee: &mut dyn Referee) -> Result<Game, String> {
    referee.reset();
    let mut game = Game::default();
    let theory = 2 * i32::from(record[7]) - 64;
    if !(-64..=64).contains(&theory) {
        return Err(format!("a theoretical score of {} discs", record[7]));
    }
    let mut valued = false;
    let mut play = |referee: &mut dyn Referee, mv| {
        let mut ply = Ply::plain(mv);
        if !valued && game::empty(referee) == depth {
            let value = if referee.turn() == Color::Black { theory } else { -theory };
            (ply.value, ply.exact, valued) = (i16::try_from(100 * value).ok(), true, true);
        }
        referee.play(None, mv).map_err(|reason| format!("move {}: {reason}", game.plies.len() + 1))?;
        game.plies.push(ply);
        Ok::<(), String>(())
    };
    for &number in record[8..].iter().take_while(|&&number| number != 0) {
        let square = |digit: u8| char::from(b'a' + digit - 1);
        let (row, column) = (number / 10, number % 10);
        if !(1..=8).contains(&row) || !(1..=8).contains(&column) {
            return Err(format!("{number} is no square"));
        }
        if referee.must_pass() {
            let pass = referee.parse_move("pass").map_err(|error| error.to_string())?;
            play(referee, pass)?;
        }
        let mv =
            referee.parse_move(&format!("{}{row}", square(column))).map_err(|error| error.to_string())?;
        play(referee, mv)?;
    }
    game.result = game::margin(referee).ok_or("it stops while there are moves")?;
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::tests::Scratch;

    /// The shortest game without a pass (nine moves: f5 d6 c5 f4 e7 f6 g5 e6 e3): Black wins by 64.
    const SHORTEST: [u8; 9] = [56, 64, 53, 46, 75, 66, 57, 65, 35];

    fn file(records: &[([u8; 2], &[u8])], depth: u8) -> Vec<u8> {
        let mut bytes = vec![20, 1, 1, 1];
        bytes.extend((records.len() as u32).to_le_bytes());
        bytes.extend([0, 0, 0xE7, 7, 8, 0, depth, 0]);
        for (discs, moves) in records {
            bytes.extend([0; 6]);
            bytes.extend(discs);
            let mut padded = moves.to_vec();
            padded.resize(60, 0);
            bytes.extend(padded);
        }
        bytes
    }

    #[test]
    fn a_record_made_by_hand_becomes_a_game() {
        let scratch = Scratch::new("wthor");
        let (folder, out) = (scratch.0.join("in"), scratch.0.join("out"));
        std::fs::create_dir(&folder).unwrap();
        let illegal = [56, 56];
        let records =
            [([64, 44], &SHORTEST[..]), ([32, 32], &illegal), ([64, 20], &SHORTEST), ([0, 32], &[56])];
        std::fs::write(folder.join("WTH_2023.wtb"), file(&records, 54)).unwrap();
        let args = Args { folder: folder.clone(), out: out.clone(), chunk: 5_000 };
        let mut report = Vec::new();
        run(&From::Wthor(args), &mut report).unwrap();
        let report = String::from_utf8(report).unwrap();
        assert!(report.contains("2 games left out"), "{report}");
        assert!(report.contains("WTH_2023.wtb: game 2: move 2: occupied"), "{report}");
        assert!(report.contains("game 4: it stops while there are moves"), "{report}");

        let (chunk, _) = Games::read(&out.join(Kind::Games.name(0))).unwrap();
        let mut referee = games::referee(chunk.setup().unwrap()).unwrap();
        assert_eq!(chunk.games.len(), 2);
        let texts: Vec<String> = chunk.games[0].plies.iter().map(|ply| referee.move_text(ply.mv)).collect();
        assert_eq!(texts.join(" "), "f5 d6 c5 f4 e7 f6 g5 e6 e3");
        for (game, theory) in chunk.games.iter().zip([24, -24]) {
            game.replay(&mut *referee, |_, _, _| {}).unwrap();
            assert_eq!(game.result, 64);
            // 54 squares are empty after six moves: Black is to move.
            let valued: Vec<_> =
                game.plies.iter().enumerate().filter(|(_, ply)| ply.value.is_some()).collect();
            assert_eq!(valued.len(), 1);
            assert_eq!((valued[0].0, valued[0].1.value, valued[0].1.exact), (6, Some(100 * theory), true));
        }
    }

    #[test]
    fn files_of_another_form_are_refused() {
        let whole = file(&[([64, 64], &SHORTEST)], 24);
        assert_eq!(theory_depth(&whole), Ok(24));
        assert!(theory_depth(&whole[..70]).unwrap_err().contains("are not 1 games"));
        assert!(theory_depth(&whole[..10]).unwrap_err().contains("too short"));
        let mut ten = whole;
        ten[12] = 10;
        assert!(theory_depth(&ten).unwrap_err().contains("size 10"));
    }
}
