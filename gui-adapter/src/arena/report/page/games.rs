//! The games as the script of the page reads them: JSON whose strings are taken apart only when a game is
//! shown.

use serde::Serialize;
use tengen_engine::game::{Cell, Grid, Move, Point, RowOne, notation};
use tengen_engine::games::Referee;

use super::super::super::record::{Finished, Verdict};
use super::super::replay::{self, ReplayError};
use super::super::{end_name, length};

/// All that the script gets.
#[derive(Serialize)]
struct Data<'a> {
    engines: &'a [String],
    boards: Vec<Board>,
    games: Vec<Game<'a>>,
}

/// A set-up, shared by games.
#[derive(PartialEq, Serialize)]
struct Board {
    game: &'static str,
    setup: String,
    /// The column letters, left to right.
    columns: String,
    /// The row numbers, top to bottom.
    rows: Vec<u8>,
    /// Whether pieces stand on the crossings of lines.
    lines: bool,
}

/// One game. Names are short because there may be thousands.
#[derive(Serialize)]
struct Game<'a> {
    /// Number.
    n: u32,
    /// Places of Black and White in `engines`.
    p: [usize; 2],
    /// Place in `boards`.
    s: usize,
    /// The opening's name, and its number of moves.
    o: &'a str,
    k: usize,
    /// `b`, `w` or `d`.
    w: char,
    /// The score, the kind of end, the reason; whether it is a forfeit.
    r: &'a str,
    e: &'static str,
    y: &'a str,
    f: bool,
    /// Number of plies.
    l: usize,
    /// Which side begins: `b` or `w`.
    t: char,
    /// The start, a letter a cell from the top left.
    i: String,
    /// The moves, divided by blanks.
    m: String,
    /// For each move its changed cells, divided by commas: two digits to the base 36 for the place,
    /// then the letter. The cells that the move names come first.
    c: String,
    /// Milliseconds of each move after the opening.
    d: String,
    /// Percent of the mover's claimed winning chance for each of them, `-` for none.
    h: String,
}

/// The JSON, without any `<` so that it can stand in a script element.
pub(super) fn data(engines: &[String], games: &[&Finished]) -> Result<String, ReplayError> {
    let mut data = Data { engines, boards: Vec::new(), games: Vec::with_capacity(games.len()) };
    for game in games {
        let start = replay::start(game)?;
        let board = board(&*start);
        let place = data.boards.iter().position(|known| *known == board).unwrap_or_else(|| {
            data.boards.push(board);
            data.boards.len() - 1
        });
        data.games.push(encode(engines, game, &*start, place)?);
    }
    let json = serde_json::to_string(&data).expect("texts and numbers are JSON");
    // Outside of strings JSON has none of these.
    Ok(json
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029"))
}

fn board(referee: &dyn Referee) -> Board {
    let (geometry, setup) = (referee.geometry(), referee.setup());
    Board {
        game: setup.game.description().name,
        setup: setup.to_string(),
        columns: (0..geometry.width)
            .map(|column| notation::column_letter(geometry.letters, column))
            .collect(),
        rows: geometry.rows_from_top().map(|row| row + 1).collect(),
        lines: geometry.grid == Grid::Lines,
    }
}

fn encode<'a>(
    engines: &[String],
    game: &'a Finished,
    start: &dyn Referee,
    place: usize,
) -> Result<Game<'a>, ReplayError> {
    let mut cells = cells(start);
    let initial: String = cells.iter().map(|cell| cell.letter()).collect();
    let mut changes = Vec::with_capacity(length(game));
    replay::replay(game, |referee, mv| changes.push(changed(referee, mv, &mut cells)))?;
    let index = |name: &str| engines.iter().position(|engine| engine == name).unwrap_or_default();
    let chance = |chance: &Option<f32>| {
        chance.map_or("-".to_owned(), |chance| format!("{:.0}", 100.0 * chance.clamp(0.0, 1.0)))
    };
    Ok(Game {
        n: game.game,
        p: [index(&game.black), index(&game.white)],
        s: place,
        o: &game.opening.name,
        k: game.opening.moves.len(),
        w: match game.result {
            Verdict::Black => 'b',
            Verdict::White => 'w',
            Verdict::Draw => 'd',
        },
        r: &game.score,
        e: end_name(game.end),
        y: &game.reason,
        f: game.end.is_forfeit(),
        l: length(game),
        t: start.turn().letter(),
        i: initial,
        m: joined(game.opening.moves.iter().chain(&game.moves).cloned()),
        c: changes.join(","),
        d: joined(game.times.iter().map(|seconds| format!("{:.0}", (1000.0 * seconds).max(0.0)))),
        h: joined(game.chances.iter().map(chance)),
    })
}

fn joined(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// The board from the top left.
fn cells(referee: &dyn Referee) -> Vec<Cell> {
    referee.geometry().points_from_top().map(|point| referee.cell(point)).collect()
}

/// What the move changed, the cells it names first; `before` is brought up to date.
fn changed(referee: &dyn Referee, mv: Move, before: &mut [Cell]) -> String {
    let geometry = referee.geometry();
    let now = cells(referee);
    let index = |point: Point| {
        let row = match geometry.row_one {
            RowOne::Top => point.row,
            RowOne::Bottom => geometry.height - 1 - point.row,
        };
        usize::from(row) * usize::from(geometry.width) + usize::from(point.column)
    };
    let named: Vec<usize> =
        if mv == Move::PASS { Vec::new() } else { referee.points(mv).into_iter().map(index).collect() };
    let others = (0..now.len()).filter(|place| !named.contains(place));
    let mut text = String::new();
    for place in named.iter().copied().chain(others) {
        if before[place] != now[place] {
            text.extend(digits(place));
            text.push(now[place].letter());
            before[place] = now[place];
        }
    }
    text
}

/// Two digits to the base 36: the largest board has 484 cells.
fn digits(place: usize) -> [char; 2] {
    [place / 36, place % 36].map(|digit| char::from_digit(digit as u32, 36).unwrap_or('0'))
}
