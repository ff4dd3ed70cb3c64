//! Moves: playing, taking back, asking for one, and what the board and the result are.

use tengen_engine::game::{Cell, Color, Outcome, Point, notation::column_letter};

use super::commands::{expected, text};
use super::{Answered, Gtp, Purpose};

/// The one colour that some commands take.
pub(super) fn one_color(args: &[&str], command: &str) -> Result<Color, String> {
    match args {
        [word] => Color::parse(word).map_or_else(|| Err("invalid color".to_owned()), Ok),
        _ => expected(&format!("{command} COLOUR")),
    }
}

fn play_one(gtp: &mut Gtp, color: &str, vertex: &str) -> Result<(), String> {
    let Some(color) = Color::parse(color) else { return Err("invalid color".to_owned()) };
    // A resignation is a result, not a move: it must not enter the record.
    let Some(points) = gtp.notation.parse(vertex) else { return Err("invalid coordinate".to_owned()) };
    if !gtp.notation.steps() && !points.is_empty() && gtp.table.referee().move_of(&points).is_none() {
        return Err("invalid coordinate".to_owned());
    }
    gtp.table.play(color, &points).map_err(|error| format!("illegal move: {error}"))?;
    gtp.rest.clear();
    Ok(())
}

/// `play COLOUR VERTEX`
pub(super) fn play(gtp: &mut Gtp, args: &[&str]) -> Answered {
    let [color, vertex] = args else { return expected("play COLOUR VERTEX") };
    play_one(gtp, color, vertex)?;
    text("")
}

/// `gogui-play_sequence COLOUR VERTEX ...`: all or nothing.
pub(super) fn play_sequence(gtp: &mut Gtp, args: &[&str]) -> Answered {
    let pairs = args.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return expected("gogui-play_sequence COLOUR VERTEX COLOUR VERTEX ...");
    }
    let before = gtp.table.undoable();
    for pair in pairs {
        let [color, vertex] = pair else { continue };
        if let Err(error) = play_one(gtp, color, vertex) {
            gtp.table.undo(gtp.table.undoable().saturating_sub(before)).ok();
            return Err(format!("{error} ({color} {vertex})"));
        }
    }
    text("")
}

/// `genmove COLOUR`
pub(super) fn genmove(gtp: &mut Gtp, args: &[&str]) -> Answered {
    let color = one_color(args, "genmove")?;
    gtp.think(color, Purpose::GenMove)
}

/// `reg_genmove COLOUR`
pub(super) fn reg_genmove(gtp: &mut Gtp, args: &[&str]) -> Answered {
    let color = one_color(args, "reg_genmove")?;
    gtp.think(color, Purpose::RegGenMove)
}

fn take_back(gtp: &mut Gtp, count: usize) -> Answered {
    gtp.table.undo(count)?;
    gtp.rest.clear();
    text("")
}

/// `undo`
pub(super) fn undo(gtp: &mut Gtp, args: &[&str]) -> Answered {
    if !args.is_empty() {
        return expected("undo without arguments");
    }
    take_back(gtp, 1)
}

/// `gg-undo [N]`
pub(super) fn undo_many(gtp: &mut Gtp, args: &[&str]) -> Answered {
    match args {
        [] => take_back(gtp, 1),
        [count] if count.bytes().all(|b| b.is_ascii_digit()) => {
            take_back(gtp, count.parse().unwrap_or(usize::MAX))
        }
        _ => expected("gg-undo [N]"),
    }
}

/// `showboard`: the drawing begins on a line of its own; the last move stands in brackets.
pub(super) fn showboard(gtp: &mut Gtp, _: &[&str]) -> Answered {
    let referee = gtp.table.referee();
    let geometry = gtp.notation.geometry();
    let last = referee.history().last().map(|&(_, mv)| referee.points(mv)).unwrap_or_default();
    let letters: String = (0..geometry.width)
        .map(|c| format!(" {}", column_letter(geometry.letters, c).to_ascii_uppercase()))
        .collect();
    let mut lines = vec![String::new(), format!("  {letters}")];
    for row in geometry.rows_from_top() {
        let number = gtp.notation.row(row);
        let mut line = format!("{number:>2}");
        let mut open = false;
        for column in 0..geometry.width {
            let point = Point { column, row };
            let marked = last.contains(&point) && gtp.table.chosen().is_empty();
            line.push(match (open, marked) {
                (_, true) => '(',
                (true, false) => ')',
                (false, false) => ' ',
            });
            line.push(gtp.table.cell(point).letter());
            open = marked;
        }
        line.push(if open { ')' } else { ' ' });
        lines.push(format!("{line}{number}"));
    }
    lines.push(format!("  {letters}"));
    lines.push(match referee.ending() {
        Some(ending) => ending.to_string(),
        None => {
            let turn = referee.turn();
            format!("{turn} ({}) to move", Cell::Stone(turn).letter())
        }
    });
    text(lines.join("\n"))
}

/// `final_score`: `B+12`, `W+1` where a win is a win, `0` for a draw.
pub(super) fn final_score(gtp: &mut Gtp, _: &[&str]) -> Answered {
    let Some(ending) = gtp.table.referee().ending() else { return Err("cannot score".to_owned()) };
    text(match ending.outcome {
        Outcome::Draw => "0".to_owned(),
        Outcome::Win(winner) => format!("{}+{}", winner.letter().to_ascii_uppercase(), ending.margin),
    })
}

/// `cputime`: seconds spent in searches for moves.
pub(super) fn cputime(gtp: &mut Gtp, _: &[&str]) -> Answered {
    text(format!("{:.3}", gtp.spent.as_secs_f64()))
}

/// `gomill-explain_last_move`
pub(super) fn explain_last_move(gtp: &mut Gtp, _: &[&str]) -> Answered {
    text(super::gogui::Shape::Evaluation.text(&gtp.notation, &gtp.table, &gtp.last))
}
