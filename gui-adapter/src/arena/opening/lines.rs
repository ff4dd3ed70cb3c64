//! Openings that stand on one line each.

use tengen_engine::game::{Move, Point};
use tengen_engine::games::{self, GameId, Referee, Setup};

use super::{Opening, records};
use crate::fronts::uci::notation::Notation;

/// The longest line, in bytes. The longest games, 484 moves on the largest Gomoku board, have a fifth of it.
const LONGEST_LINE: usize = 16 << 10;
/// Begins the comment that says which set-up a file is for.
const SETUP: &str = "# setup:";

/// Every opening of a text; an error has its line, from 1.
pub(super) fn all(text: &str, setup: &Setup) -> Result<Vec<Opening>, (usize, String)> {
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let at = |problem| (index + 1, problem);
        let line = line.trim();
        if let Some(words) = line.strip_prefix(SETUP) {
            check_setup(words, setup).map_err(at)?;
        }
        if !line.is_empty() && !line.starts_with('#') {
            openings.push(read(line, setup, format!("line {}", index + 1)).map_err(at)?);
        }
    }
    Ok(openings)
}

/// The set-up that the header of a text names.
pub(super) fn setup_of(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix(SETUP)).map(str::trim)
}

fn check_setup(words: &str, setup: &Setup) -> Result<(), String> {
    let theirs = Setup::parse(words.split_ascii_whitespace()).map_err(|error| error.to_string())?;
    if (theirs.game, theirs.width, theirs.height) == (setup.game, setup.width, setup.height) {
        Ok(())
    } else {
        Err(format!("the openings are for {theirs}, not for {setup}"))
    }
}

fn read(line: &str, setup: &Setup, name: String) -> Result<Opening, String> {
    if line.len() > LONGEST_LINE {
        return Err(format!("longer than {} KiB", LONGEST_LINE >> 10));
    }
    if line.starts_with('(') {
        return records::ggf(line, setup, name);
    }
    let line = match line.split_once(';') {
        Some((line, value)) => {
            check_value(value)?;
            line
        }
        None => line,
    };
    let mut referee = games::referee(setup.clone()).map_err(|error| error.to_string())?;
    if is_position(line) {
        position(&mut *referee, line)?;
    } else if is_offsets(line, setup) {
        offsets(&mut *referee, line)?;
    } else {
        moves(&mut *referee, line.split(|c: char| c == ',' || c.is_whitespace()))?;
    }
    Opening::of(name, &*referee)
}

/// Refuses what is not `VALUE NODES`. Games do not need them, but a line is read as a whole.
fn check_value(text: &str) -> Result<(), String> {
    let mut words = text.split_ascii_whitespace();
    let chance = words.next().and_then(|word| word.parse::<f32>().ok());
    let nodes = words.next().and_then(|word| word.parse::<u64>().ok());
    if chance.is_some_and(|chance| (0.0..=1.0).contains(&chance)) && nodes.is_some() && words.next().is_none()
    {
        return Ok(());
    }
    Err(format!("bad value \"{}\": expected a winning chance and a number of nodes", shown(text)))
}

// ------------------------------------------------------------------------------------------- moves

/// Plays moves in our notation, or squares without anything between them (`f5d6c3`). Passes may be left
/// out.
fn moves<'a>(referee: &mut dyn Referee, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut number = 0;
    for word in words.filter(|word| !word.is_empty()) {
        let pieces = match referee.parse_move(word) {
            Ok(_) => vec![word],
            Err(_) => squares(word),
        };
        // An Amazons move is more than one square, so squares in a row say nothing.
        let glued = pieces.len() > 1 && referee.setup().game != GameId::Amazons;
        for piece in if glued { pieces } else { vec![word] } {
            number += 1;
            let mv = referee.parse_move(piece).map_err(|error| {
                format!("move {number}: bad move \"{}\": expected {}", shown(piece), error.1)
            })?;
            play(referee, mv)
                .map_err(|reason| format!("move {number} ({}): illegal move: {reason}", shown(piece)))?;
        }
    }
    Ok(())
}

/// The pieces of a transcript: each begins with a letter.
fn squares(text: &str) -> Vec<&str> {
    let starts = text.char_indices().filter(|&(at, letter)| at > 0 && letter.is_ascii_alphabetic());
    let mut cuts: Vec<usize> = starts.map(|(at, _)| at).collect();
    cuts.insert(0, 0);
    cuts.push(text.len());
    cuts.windows(2).filter_map(|cut| text.get(*cut.first()?..*cut.last()?)).collect()
}

/// Plays a move, after the pass that it implies.
fn play(referee: &mut dyn Referee, mv: Move) -> Result<(), tengen_engine::game::Illegal> {
    let mover = if mv != Move::PASS && referee.must_pass() { !referee.turn() } else { referee.turn() };
    referee.play(Some(mover), mv)
}

/// Whether the line is nothing but numbers, as in Gomocup's files.
fn is_offsets(line: &str, setup: &Setup) -> bool {
    setup.game == GameId::Gomoku
        && line.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | ',') || c.is_whitespace())
}

/// `x,y, x,y`: columns and rows from the point at half the size, rounded down.
fn offsets(referee: &mut dyn Referee, line: &str) -> Result<(), String> {
    let geometry = referee.geometry();
    let words: Vec<&str> =
        line.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()).collect();
    let on_board = |word: &str, side: u8| -> Result<Option<u8>, String> {
        let offset: i32 = word.parse().map_err(|_| format!("bad offset \"{}\"", shown(word)))?;
        Ok(u8::try_from(offset.saturating_add(i32::from(side / 2))).ok().filter(|&at| at < side))
    };
    for (index, pair) in words.chunks(2).enumerate() {
        let number = index + 1;
        let &[x, y] = pair else {
            return Err(format!("move {number}: the second offset is missing"));
        };
        let text = format!("{}, {}", shown(x), shown(y));
        let (Some(column), Some(row)) = (on_board(x, geometry.width)?, on_board(y, geometry.height)?) else {
            return Err(format!("move {number} ({text}): not on the board of {}", geometry.width));
        };
        let mv = referee.move_of(&[Point { column, row }]).ok_or("this game has no points")?;
        referee.play(None, mv).map_err(|reason| format!("move {number} ({text}): illegal move: {reason}"))?;
    }
    Ok(())
}

// --------------------------------------------------------------------------------------- positions

/// Whether a line begins with the rows of a board: with slashes that are not those of an Amazons move
/// (`d1-d7/g7`), or with a side to move behind it.
fn is_position(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let rows = words.next().unwrap_or_default();
    let squares = rows.split('/').next().unwrap_or_default();
    let side = words.next().is_some_and(|word| matches!(word, "b" | "w" | "black" | "white"));
    (rows.contains('/') && !squares.contains('-')) || side
}

/// A position, then `moves` and moves of the same notation if there are some.
fn position(referee: &mut dyn Referee, line: &str) -> Result<(), String> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let mut parts = words.splitn(2, |&word| word == "moves");
    let (start, played) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_fen = start.first().is_some_and(|rows| rows.contains(['P', 'p', 'Q', 'q', '*', '[']));
    let text = start.join(" ");
    if !is_fen {
        referee.set_position(&text).map_err(|error| format!("bad position: {error}"))?;
        return moves(referee, played.iter().copied());
    }
    let notation = match referee.setup().game {
        GameId::Othello => Notation::Flipello,
        GameId::Amazons => Notation::Amazons,
        GameId::NoGo | GameId::Gomoku => return Err("FEN is for Othello and Amazons only".to_owned()),
    };
    let counter = |word: &str| word == "-" || word.parse::<u32>().is_ok();
    if let Some(word) = start.iter().skip(2).find(|word| !counter(word)) {
        return Err(format!("bad position: unknown word \"{}\"", shown(word)));
    }
    let mut tail = notation.set_up(referee, &text).map_err(|error| format!("bad position: {error}"))?;
    for (index, word) in played.iter().enumerate() {
        let number = index + 1;
        let ply =
            notation.read(referee, &tail, word).map_err(|problem| format!("move {number}: {problem}"))?;
        notation
            .play(referee, &mut tail, ply)
            .map_err(|reason| format!("move {number} ({}): illegal move: {reason}", shown(word)))?;
    }
    Ok(())
}

/// A piece of the file in an error message.
fn shown(text: &str) -> String {
    text.trim().chars().take(20).collect::<String>().escape_default().to_string()
}
