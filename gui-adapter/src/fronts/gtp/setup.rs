//! Which game, on what board, from what position.

use tengen_engine::game::{Cell, Color, Point, notation};
use tengen_engine::games::{self, GAMES, GameId, Setup};

use super::commands::{expected, text};
use super::play::one_color;
use super::{Answered, Gtp, Loading, Outcome, Purpose};
use crate::bridge::Action;
use crate::records::sgf;

impl Gtp {
    fn open(&mut self, setup: Setup) -> Result<(), String> {
        let referee = games::referee(setup).map_err(|error| error.to_string())?;
        self.table.replace(referee);
        self.placed.clear();
        self.renew_notation();
        Ok(())
    }

    /// Loads a record up to before the move with this number.
    pub(super) fn load(&mut self, text: &str, number: Option<usize>) -> Result<String, String> {
        let hint = self.table.referee().setup().clone();
        let referee = sgf::load(text, &hint, number).map_err(|error| format!("cannot load file: {error}"))?;
        self.table.replace(referee);
        self.placed.clear();
        self.renew_notation();
        Ok(String::new())
    }
}

/// `list_games`: one name a line; Quarry looks for `Othello` and `Amazons`.
pub(super) fn list_games(_: &mut Gtp, _: &[&str]) -> Answered {
    text(GAMES.map(|game| game.title).join("\n"))
}

/// `set_game NAME`: the game's usual board and rules; those of the command line where it is its game.
pub(super) fn set_game(gtp: &mut Gtp, args: &[&str]) -> Answered {
    let [name] = args else { return expected("set_game NAME") };
    let setup = match GameId::parse(name) {
        None => return Err("unsupported game".to_owned()),
        Some(game) if game == gtp.asked.game && !name.eq_ignore_ascii_case("renju") => gtp.asked.clone(),
        Some(_) => Setup::parse([*name]).map_err(|error| error.to_string())?,
    };
    gtp.open(setup)?;
    text("")
}

/// `boardsize SIDE`, `boardsize COLUMNS ROWS`; clears the board.
pub(super) fn boardsize(gtp: &mut Gtp, args: &[&str]) -> Answered {
    let (width, height) = match args {
        [side] => (side, side),
        [width, height] => (width, height),
        _ => return expected("boardsize SIDE or COLUMNS ROWS"),
    };
    let side = |word: &str| match word.bytes().all(|b| b.is_ascii_digit()) {
        true => word.parse::<u8>().map_err(|_| "unacceptable size".to_owned()),
        false => expected("a whole number"),
    };
    let mut setup = gtp.table.referee().setup().clone();
    let refused = |error: String| match error.starts_with("unacceptable size") {
        true => error,
        false => format!("unacceptable size: {error}"),
    };
    setup.set_sides(side(width)?, side(height)?).map_err(|error| refused(error.to_string()))?;
    gtp.open(setup).map_err(refused)?;
    text("")
}

/// `clear_board`
pub(super) fn clear_board(gtp: &mut Gtp, _: &[&str]) -> Answered {
    gtp.table.clear();
    gtp.placed.clear();
    gtp.rest.clear();
    text("")
}

/// `komi NUMBER`: no game here has one, but managers want it taken.
pub(super) fn komi(gtp: &mut Gtp, args: &[&str]) -> Answered {
    match args {
        [word] => match word.parse::<f32>() {
            Ok(komi) if komi.is_finite() => gtp.komi = komi,
            _ => return expected("a number"),
        },
        _ => return expected("komi NUMBER"),
    }
    text("")
}

/// `get_komi`
pub(super) fn get_komi(gtp: &mut Gtp, _: &[&str]) -> Answered {
    text(gtp.komi.to_string())
}

/// A path without the quotes around it.
fn unquoted(path: &str) -> &str {
    path.strip_prefix('"').and_then(|path| path.strip_suffix('"')).unwrap_or(path)
}

/// The number at the end of a line and the path before it.
fn path_and_number(line: &str) -> Option<(&str, usize)> {
    let (path, word) = line.rsplit_once(' ')?;
    let number = word.bytes().all(|b| b.is_ascii_digit()).then(|| word.parse().ok()).flatten()?;
    (number > 0).then_some((path.trim_end(), number))
}

/// `loadsgf FILE [MOVE_NUMBER]`: the position before that move, or the last. The path may have blanks
/// in it, and quotes around it.
pub(super) fn loadsgf(_: &mut Gtp, args: &[&str]) -> Answered {
    let [line] = args else { return expected("loadsgf FILE [MOVE_NUMBER]") };
    let (path, loading) = match path_and_number(line) {
        Some((path, number)) => {
            // Quotes say where the path ends.
            let whole = (unquoted(path) == path).then(|| (*line).to_owned());
            (path, Loading { number: Some(number), whole, problem: None })
        }
        None => (*line, Loading::default()),
    };
    match unquoted(path) {
        "" => expected("loadsgf FILE [MOVE_NUMBER]"),
        path => Ok(Outcome::File(Action::Read(path.to_owned()), Purpose::Load(loading))),
    }
}

/// `printsgf [FILE]`: without a file, or with `-`, in the reply.
pub(super) fn printsgf(gtp: &mut Gtp, args: &[&str]) -> Answered {
    let program = ("AP".to_owned(), format!("Tengen:{}", env!("CARGO_PKG_VERSION")));
    let record = sgf::print(gtp.table.referee(), &[program]);
    match args {
        [] | ["-"] => text(record),
        [path] if !unquoted(path).is_empty() => {
            let path = unquoted(path).to_owned();
            Ok(Outcome::File(Action::Write { path, text: record + "\n" }, Purpose::Save))
        }
        _ => expected("printsgf [FILE]"),
    }
}

/// The position text of a board of these cells.
fn board_text(gtp: &Gtp, cell: impl Fn(Point) -> Cell, turn: Color) -> String {
    notation::position_text(&gtp.table.referee().geometry(), cell, turn, "")
}

/// `gogui-setup COLOUR POINT ...`: a board with these stones and no others, before any move. The side
/// to move is the one that fits the stones; `gogui-setup_player` names it where both do.
pub(super) fn gogui_setup(gtp: &mut Gtp, args: &[&str]) -> Answered {
    if !gtp.table.untouched() {
        return Err("board not empty".to_owned());
    }
    let mut placed = gtp.placed.clone();
    let pairs = args.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return expected("gogui-setup COLOUR POINT COLOUR POINT ...");
    }
    for pair in pairs {
        let [color, name] = pair else { continue };
        let Some(color) = Color::parse(color) else { return Err("invalid color".to_owned()) };
        let Some(point) = gtp.notation.parse_point(name) else { return Err("invalid coordinate".to_owned()) };
        placed.retain(|&(other, _)| other != point);
        placed.push((point, color));
    }
    let cell = |point: Point| match placed.iter().find(|(other, _)| *other == point) {
        Some(&(_, color)) => Cell::Stone(color),
        None if gtp.table.cell(point) == Cell::Blocked => Cell::Blocked,
        None => Cell::Empty,
    };
    let turn = gtp.table.referee().turn();
    let [usual, other] = [turn, !turn].map(|turn| board_text(gtp, cell, turn));
    if let Err(error) = gtp.table.set_position(&usual)
        && gtp.table.set_position(&other).is_err()
    {
        return Err(format!("cannot set up: {error}"));
    }
    gtp.placed = placed;
    gtp.rest.clear();
    text("")
}

/// `gogui-setup_player COLOUR`: who is to move, before any move.
pub(super) fn gogui_setup_player(gtp: &mut Gtp, args: &[&str]) -> Answered {
    let color = one_color(args, "gogui-setup_player")?;
    if !gtp.table.untouched() {
        return Err("board not empty".to_owned());
    }
    if color != gtp.table.referee().turn() {
        let position = board_text(gtp, |point| gtp.table.cell(point), color);
        gtp.table.set_position(&position).map_err(|error| format!("cannot set up: {error}"))?;
    }
    text("")
}
