//! Grows the opening book of Othello and looks into it: see [`tengen_engine::experts::othello::book`].

mod add;
mod grow;
mod record;
#[cfg(test)]
mod tests;
mod workshop;

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use tengen_engine::experts::othello::book::{Book, Known, LONGEST, Link};
use tengen_engine::game::notation::position_text;
use tengen_engine::game::{Color, Game as _, Move, Rules as _};
use tengen_engine::games::othello::Othello;
use tengen_engine::games::othello::board::Standard;

use record::Record;

/// The opening book of Othello 8x8.
#[derive(clap::Subcommand, Debug)]
pub(crate) enum Task {
    /// Adds the positions most likely to be asked for, and their values.
    Grow(grow::Args),
    /// Adds the positions that games have in common.
    Add(add::Args),
    /// Prints the moves of a position with their values in discs.
    Show {
        /// The book.
        book: PathBuf,
        /// Moves from the start position: f5d6 or f5 d6.
        moves: Vec<String>,
    },
    /// Checks the file, that every move is accounted for, and every value against its moves.
    Check {
        /// The book.
        book: PathBuf,
    },
}

/// Does the task; writes to `report` what came of it.
///
/// # Errors
/// One line: a file that cannot be read or written or is damaged, or moves that are not legal.
pub(crate) fn run(task: &Task, report: &mut dyn Write) -> Result<(), String> {
    match task {
        Task::Grow(args) => grow::run(args, report),
        Task::Add(args) => add::run(args, report),
        Task::Show { book, moves } => show(&read(book)?, &moves.join(" "), report),
        Task::Check { book: path } => {
            let book = read(path)?;
            book.check().map_err(|(entry, problem)| {
                let position = Othello::new(entry.own, entry.opp, Color::Black);
                format!("{}: {}: {problem}", path.display(), text_of(&position))
            })?;
            writeln!(report, "{}: {}", path.display(), Record::of(&book)).map_err(|error| error.to_string())
        }
    }
}

/// The commands that made a book, the same one in a row once.
fn after(before: &str, command: String) -> String {
    if before.is_empty() || before.rsplit("; ").next() == Some(command.as_str()) {
        return if before.is_empty() { command } else { before.to_owned() };
    }
    format!("{before}; {command}")
}

/// Reads a book.
///
/// # Errors
/// One line that names the file.
fn read(path: &Path) -> Result<Book, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if fs::metadata(path).map_err(failed)?.len() > LONGEST {
        return Err(format!("{}: longer than {} MiB", path.display(), LONGEST >> 20));
    }
    let bytes = fs::read(path).map_err(failed)?;
    Book::read(&bytes).map_err(|problem| format!("{}: {problem}", path.display()))
}

/// Writes a book under a temporary name, on to the disk, and renames it.
fn write(path: &Path, book: &Book) -> Result<(), String> {
    let temporary = path.with_added_extension("tmp");
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(&book.encode())?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    });
    written.map_err(|error| format!("{}: {error}", path.display()))
}

/// Plays moves written one after the other, passes left out or not.
///
/// # Errors
/// What is wrong with the first bad one.
fn play(
    position: &mut Othello<Standard>,
    text: &str,
    mut visit: impl FnMut(&Othello<Standard>),
) -> Result<(), String> {
    let blank = |c: char| c.is_whitespace() || c == ',';
    let mut rest = text.trim_matches(blank);
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let length = if rest.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("pass")) { 4 } else { 2 };
        let (word, after) = rest
            .split_at_checked(length)
            .ok_or_else(|| format!("move {number}: \"{}\" is no move", rest.escape_default()))?;
        let wrong = |problem: String| format!("move {number} ({}): {problem}", word.escape_default());
        let mv = position.parse_move(word).map_err(|error| wrong(error.to_string()))?;
        if mv != Move::PASS && position.is_legal(Move::PASS) {
            position.play(Move::PASS);
        }
        position.check(mv).map_err(|reason| wrong(format!("illegal move: {reason}")))?;
        visit(position);
        position.play(mv);
        rest = after.trim_start_matches(blank);
    }
    visit(position);
    Ok(())
}

/// A position as the protocol writes it.
fn text_of(position: &Othello<Standard>) -> String {
    position_text(&position.geometry(), |point| position.cell(point), position.turn(), "")
}

/// Prints a position and its moves.
fn show(book: &Book, moves: &str, report: &mut dyn Write) -> Result<(), String> {
    let mut position = Othello::<Standard>::start();
    play(&mut position, moves, |_| {})?;
    if position.is_legal(Move::PASS) {
        position.play(Move::PASS);
    }
    let choices = book
        .probe(position.own(), position.opp())
        .ok_or_else(|| format!("not in the book: {}", text_of(&position)))?;
    let print = || {
        writeln!(report, "{}", text_of(&position))?;
        for choice in choices {
            let what = match choice.known {
                Known::Link(Link::Held { passed: false, .. }) => "book".to_owned(),
                Known::Link(Link::Held { passed: true, .. }) => "book, the other side passes".to_owned(),
                Known::Link(Link::Over(_)) => "the end".to_owned(),
                Known::Leaf(leaf) => format!("leaf, depth {} at {} %", leaf.depth, leaf.percent()),
            };
            writeln!(report, "{} {:+} {what}", position.move_text(Move::new(choice.square)), choice.value)?;
        }
        Ok(())
    };
    print().map_err(|error: std::io::Error| error.to_string())
}
