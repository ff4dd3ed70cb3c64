//! The files of a match that are made from its journal.

use std::path::Path;

use super::journal::{self, Plan};
use super::record::Finished;
use super::report::{self, Summary, records};
use super::statistics::Sprt;

/// Writes `result.json`.
///
/// # Errors
/// When it could not be written.
pub(super) fn write_result(folder: &Path, summary: &Summary) -> Result<(), String> {
    journal::write(&folder.join("result.json"), &summary.json())
}

/// Writes everything: the result, the records, the page. The games are put in the order of the schedule.
///
/// # Errors
/// When a file could not be written, or a game of the journal is none.
pub(super) fn write(
    folder: &Path,
    plan: &Plan,
    sprt: Option<Sprt>,
    summary: &Summary,
    games: &mut [Finished],
) -> Result<(), String> {
    games.sort_by_key(|game| game.game);
    write_result(folder, summary)?;
    let title = title(plan);
    let told = |error: report::ReplayError| error.to_string();
    journal::write(&folder.join("games.sgf"), &records::sgf(&title, games).map_err(told)?)?;
    journal::write(&folder.join("games.pgn"), &records::pgn(&title, games).map_err(told)?)?;
    if let Some(ggf) = records::ggf(&title, games).map_err(told)? {
        journal::write(&folder.join("games.ggf"), &ggf)?;
    }
    let page = report::page(&title, &plan.engines, sprt, games).map_err(|error| error.to_string())?;
    journal::write(&folder.join("report.html"), &page)
}

/// `A - B: nogo size 9 rules standard, 0.1/move`
fn title(plan: &Plan) -> String {
    let term = |name: &str| plan.terms.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
    let players = match plan.engines.as_slice() {
        [one, two] => format!("{one} - {two}"),
        engines => format!("{} engines", engines.len()),
    };
    format!("{players}: {}, {}", term("setup"), term("limit"))
}
