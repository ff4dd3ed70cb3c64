//! Openings from game records: SGF and GGF.

use std::path::Path;

use tengen_engine::games::{self, Referee, Setup};

use super::Opening;
use crate::records::sgf::SgfError;
use crate::records::{ggf, sgf};

/// Whether a file holds SGF: by its name, or because it begins with a game that is not in GGF, where the
/// value of `GM` is a word and the end `;)`.
pub(super) fn is_sgf(name: &str, text: &str) -> bool {
    if Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sgf")) {
        return true;
    }
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.filter(|line| line.starts_with('(')).is_some_and(|line| match line.split_once("GM[") {
        Some((_, game)) => game.trim_start().starts_with(|c: char| c.is_ascii_digit()),
        None => !line.ends_with(";)"),
    })
}

/// The main line of every game of a collection; an error has the line, from 1, that its game begins on.
pub(super) fn games(text: &str, setup: &Setup) -> Result<Vec<Opening>, (usize, String)> {
    let mut openings = Vec::new();
    let (mut rest, mut line) = (text, 1);
    loop {
        let skipped = rest.len() - rest.trim_start().len();
        let (blank, game) = rest.split_at_checked(skipped).unwrap_or(("", rest));
        line += newlines(blank);
        if game.is_empty() {
            return Ok(openings);
        }
        // What stands before a game is a comment, but for what is behind the last one.
        let (before, tree) = sgf::first_tree(game).map_err(|error| located(line, &error))?;
        line += newlines(before);
        let number = openings.len() + 1;
        let opening = load(tree, setup, format!("game {number}"));
        let opening = opening.map_err(|problem| (line, format!("game {number}: {problem}")))?;
        openings.push(opening);
        line += newlines(tree);
        rest = game.get(before.len() + tree.len()..).unwrap_or("");
    }
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

/// The error of a text that begins on `first`, with the line of the file.
fn located(first: usize, error: &SgfError) -> (usize, String) {
    match error {
        SgfError::Syntax { line, problem } => (first + line - 1, (*problem).to_owned()),
        SgfError::TooManyNodes(line) => (first + line - 1, "the record has too many nodes".to_owned()),
        other => (first, other.to_string()),
    }
}

fn load(tree: &str, setup: &Setup, name: String) -> Result<Opening, String> {
    let referee = sgf::load(tree, setup, None).map_err(|error| error.to_string())?;
    transfer(&*referee, setup, name)
}

/// The opening of a GGF line.
pub(super) fn ggf(line: &str, setup: &Setup, name: String) -> Result<Opening, String> {
    let loaded = ggf::load(line).map_err(|error| error.to_string())?;
    transfer(&*loaded.referee, setup, name)
}

/// The opening of a recorded game under the rules of `setup`, which the record may not know.
fn transfer(record: &dyn Referee, setup: &Setup, name: String) -> Result<Opening, String> {
    let theirs = record.setup();
    if (theirs.game, theirs.width, theirs.height) != (setup.game, setup.width, setup.height) {
        return Err(format!("the record is of {theirs}, not of {setup}"));
    }
    let mut referee = games::referee(setup.clone()).map_err(|error| error.to_string())?;
    if let Some(start) = record.start_text() {
        referee.set_position(&start).map_err(|error| format!("bad position: {error}"))?;
    }
    for (index, (color, mv)) in record.history().into_iter().enumerate() {
        referee.play(Some(color), mv).map_err(|reason| {
            format!("move {} ({}): illegal move: {reason}", index + 1, record.move_text(mv))
        })?;
    }
    Opening::of(name, &*referee)
}
