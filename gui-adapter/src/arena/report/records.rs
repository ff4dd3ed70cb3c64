//! The games as records of other programs. Each writer plays the games again and stops at the first that
//! the rules do not allow; none is left out.

use std::time::Duration;

use tengen_engine::games::{GameId, Referee};

use super::super::record::{End, Finished, Side, Verdict};
use super::replay::{ReplayError, replay, start};
use super::{in_order, length, player};
use crate::records::{ggf, sgf};

/// The columns a line of PGN may have.
const COLUMNS: usize = 79;

/// All games as one SGF collection.
///
/// # Errors
/// [`ReplayError`] for the first game that cannot be replayed.
pub fn sgf(event: &str, games: &[Finished]) -> Result<String, ReplayError> {
    let mut text = String::new();
    for game in in_order(games) {
        let referee = replay(game, |_, _| {})?;
        let properties = [
            ("EV", event.to_owned()),
            ("RO", game.game.to_string()),
            ("DT", date(game.started, '-')),
            ("PB", game.black.clone()),
            ("PW", game.white.clone()),
            ("RE", sgf_result(game)),
            ("ON", game.opening.name.clone()),
            ("GC", game.reason.clone()),
        ];
        let properties = properties.map(|(name, value)| (name.to_owned(), plain(&value)));
        text.push_str(&sgf::print(&*referee, &properties));
    }
    Ok(text)
}

/// All games in GGF, one a line, with the time of each move; `None` for games the format does not have.
/// Its Black is the side that moves first, in Amazons our White.
///
/// # Errors
/// [`ReplayError`] for the first game that cannot be replayed.
pub fn ggf(event: &str, games: &[Finished]) -> Result<Option<String>, ReplayError> {
    let mut text = String::new();
    for game in in_order(games) {
        let referee = replay(game, |_, _| {})?;
        let black = if referee.setup().game == GameId::Amazons { Side::White } else { Side::Black };
        let tags = [
            ("PC", event.to_owned()),
            ("DT", date(game.started, '.')),
            ("PB", player(game, black).to_owned()),
            ("PW", player(game, other(black)).to_owned()),
            ("RE", ggf_result(game, black)),
        ];
        let tags: Vec<(&str, &str)> = tags.iter().map(|(tag, value)| (*tag, value.as_str())).collect();
        let opening = std::iter::repeat_n(ggf::Note::default(), game.opening.moves.len());
        let times = game
            .times
            .iter()
            .map(|&seconds| ggf::Note { eval: None, time: Duration::try_from_secs_f64(seconds).ok() });
        let notes: Vec<ggf::Note> = opening.chain(times).collect();
        let Some(record) = ggf::print(&*referee, &tags, &notes) else { return Ok(None) };
        text.push_str(&record);
        text.push('\n');
    }
    Ok(Some(text))
}

/// All games in a form that programs for ratings read (Ordo, BayesElo): the headers of PGN, then the moves
/// in the game's own notation.
///
/// `White` is the player that moves first, whatever the colour of its pieces, because these programs
/// give White the advantage of the first move; the header `FirstMover` says which colour that was.
///
/// # Errors
/// [`ReplayError`] for the first game that cannot be replayed.
pub fn pgn(event: &str, games: &[Finished]) -> Result<String, ReplayError> {
    let mut text = String::new();
    for game in in_order(games) {
        let referee = replay(game, |_, _| {})?;
        let first = Side::from(start(game)?.turn());
        let result = match (game.result, first) {
            (Verdict::Draw, _) => "1/2-1/2",
            (Verdict::Black, Side::Black) | (Verdict::White, Side::White) => "1-0",
            _ => "0-1",
        };
        let color = if first == Side::Black { "Black" } else { "White" };
        let headers = [
            ("Event", event),
            ("Site", "?"),
            ("Date", &date(game.started, '.')),
            ("Round", &game.game.to_string()),
            ("White", player(game, first)),
            ("Black", player(game, other(first))),
            ("Result", result),
            ("FirstMover", color),
            ("Variant", &game.setup),
            ("Opening", &game.opening.name),
            ("Termination", termination(game.end)),
            ("Reason", &game.reason),
            ("PlyCount", &length(game).to_string()),
        ];
        for (name, value) in headers {
            header(&mut text, name, value);
        }
        if let Some(position) = &game.opening.position {
            header(&mut text, "Position", position);
        }
        text.push('\n');
        text.push_str(&movetext(&*referee, result));
        text.push('\n');
    }
    Ok(text)
}

/// A line `[Name "value"]`. The readers have no common escape for a quote, so it becomes an apostrophe.
fn header(text: &mut String, name: &str, value: &str) {
    let value = plain(value).replace('"', "'").replace('\\', "/");
    text.push_str(&format!("[{name} \"{value}\"]\n"));
}

/// The moves with their numbers and the result, in lines of [`COLUMNS`]. Their texts are letters, digits
/// and hyphens, so no comment can begin in them.
fn movetext(referee: &dyn Referee, result: &str) -> String {
    let mut words = Vec::new();
    for (index, (_, mv)) in referee.history().into_iter().enumerate() {
        if index.is_multiple_of(2) {
            words.push(format!("{}.", index / 2 + 1));
        }
        words.push(referee.move_text(mv));
    }
    words.push(result.to_owned());
    let (mut text, mut column) = (String::new(), 0);
    for word in words {
        if column > 0 && column + 1 + word.len() > COLUMNS {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        column += word.len();
        text.push_str(&word);
    }
    text.push('\n');
    text
}

/// A text on one line.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn other(side: Side) -> Side {
    match side {
        Side::Black => Side::White,
        Side::White => Side::Black,
    }
}

/// The standard's words for how a game ended.
fn termination(end: End) -> &'static str {
    match end {
        End::Rules | End::Resignation => "normal",
        End::Adjudication => "adjudication",
        End::Time => "time forfeit",
        End::Illegal | End::Claim | End::Garbage => "rules infraction",
        End::Hang | End::Crash | End::Start => "abandoned",
    }
}

/// The winner's lead in the game's own unit, 1 where `score` has none.
fn margin(game: &Finished) -> u32 {
    game.score.rsplit('+').next().and_then(|number| number.parse().ok()).unwrap_or(1)
}

/// `B+12`, `W+R`, `B+T`, `W+F`, `0`.
fn sgf_result(game: &Finished) -> String {
    let winner = match game.result {
        Verdict::Draw => return "0".to_owned(),
        Verdict::Black => 'B',
        Verdict::White => 'W',
    };
    let points = if game.setup.starts_with("othello") { margin(game).to_string() } else { String::new() };
    let how = match game.end {
        End::Rules | End::Adjudication => points.as_str(),
        End::Resignation => "R",
        End::Time => "T",
        _ => "F",
    };
    format!("{winner}+{how}")
}

/// `+12.00`, `-1.00:r`: for the format's Black; `r` a resignation, `t` the time, `l` left the game.
fn ggf_result(game: &Finished, black: Side) -> String {
    let sign = if game.points(black) < 0.5 { '-' } else { '+' };
    let lead = if game.result == Verdict::Draw { 0 } else { margin(game) };
    let how = match game.end {
        End::Rules | End::Adjudication => "",
        End::Resignation => ":r",
        End::Time => ":t",
        _ => ":l",
    };
    format!("{sign}{lead}.00{how}")
}

/// The day in UTC as year, month, day, from seconds since 1970 (Howard Hinnant, "chrono-compatible
/// low-level date algorithms").
fn date(seconds: u64, divider: char) -> String {
    // Years begin with March, so that the leap day is the last one; eras are of 400 years.
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) =
        if month < 10 { (era * 400 + year, month + 3) } else { (era * 400 + year + 1, month - 9) };
    format!("{year:04}{divider}{month:02}{divider}{day:02}")
}
