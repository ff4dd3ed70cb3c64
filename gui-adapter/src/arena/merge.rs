//! Joins the shares of a match.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::journal::{self, Plan};
use super::outcome;
use super::record::Finished;
use super::report::Standings;

/// Joins journals into a folder of its own: the same games and the same result as one run would have given.
///
/// # Errors
/// When the folders are not of one match, or have a game twice that is not the same game.
pub(super) fn run(out: &Path, shares: &[PathBuf]) -> Result<(), String> {
    let mut plan: Option<Plan> = None;
    let mut games: Vec<Finished> = Vec::new();
    for folder in shares {
        let share = journal::read_plan(folder)?;
        if let Some(difference) = plan.as_ref().and_then(|plan| plan.difference(&share)) {
            return Err(format!("{} is of another match: {difference}", folder.display()));
        }
        plan.get_or_insert(Plan { shard: None, ..share });
        games.extend(journal::read_games(folder)?);
    }
    let plan = plan.ok_or("nothing to join")?;
    games.sort_by_key(|game| game.game);
    // A share that was given twice is no harm; two different games with one number are.
    games.dedup();
    for pair in games.windows(2) {
        if let [one, two] = pair
            && one.game == two.game
        {
            return Err(format!("game {} was played twice", one.game));
        }
    }
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    if out.join("lock").exists() {
        return Err(format!("{} holds a match that was played there: use another --out", out.display()));
    }
    let sprt = plan.test()?;
    let mut standings = Standings::new(&plan.engines, sprt);
    for game in &games {
        standings.add(game).map_err(|error| error.to_string())?;
    }
    let summary = standings.summary();
    journal::write_plan(out, &plan)?;
    journal::write_games(out, &games)?;
    outcome::write(out, &plan, sprt, &summary, &mut games)?;
    let missing = plan.games.saturating_sub(u32::try_from(games.len()).unwrap_or(u32::MAX));
    let note =
        if missing > 0 { format!("{missing} of {} games are missing\n", plan.games) } else { String::new() };
    // Whoever does not read it any more has the files.
    let _unread = std::io::stdout().write_all(format!("{}{note}", summary.text()).as_bytes());
    Ok(())
}
