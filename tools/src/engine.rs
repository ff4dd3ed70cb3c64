//! Our own search as the pipeline uses it: in process, with one thread, ended by depth or nodes.

use std::path::Path;
use std::time::Instant;

use tengen_engine::games::{self, GameId, Setup};
use tengen_engine::options::Options;
use tengen_engine::player::{self, Ask, Found, Player};
use tengen_engine::search::{Control, Goal, Limits, Stopwatch};

use crate::data;

/// Depth of the search that tells one engine from another.
const FINGERPRINT: u32 = 6;

/// A value for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    /// In hundredths of the game's unit.
    pub(crate) value: i16,
    /// Whether it is proven.
    pub(crate) exact: bool,
}

/// Makes all searches of this process use other weights. Returns what a command that uses them says: the
/// option with the file's name and checksum, nothing for the weights built in.
///
/// # Errors
/// One line that names the file; a game without weights to be changed.
pub(crate) fn install(weights: Option<&Path>, setup: &Setup) -> Result<String, String> {
    let Some(path) = weights else { return Ok(String::new()) };
    let named = |problem: &str| format!("{}: {problem}", path.display());
    let file = std::fs::read(path).map_err(|error| named(&error.to_string()))?;
    games::install_weights(setup.game, &file).map_err(|problem| named(&problem))?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    Ok(format!(" --weights {name} ({:016x})", data::checksum(&file)))
}

/// A player for the set-up.
///
/// # Errors
/// When the game refuses it.
pub(crate) fn open(setup: &Setup) -> Result<Box<dyn Player>, String> {
    player::open(setup.clone()).map_err(|error| error.to_string())
}

/// What tells this engine from others: version, and the value and the nodes of a search.
///
/// # Errors
/// When the set-up is refused.
pub(crate) fn fingerprint(setup: &Setup) -> Result<String, String> {
    let limits = Limits { depth: Some(FINGERPRINT), nodes: Some(20_000), ..Limits::default() };
    let options = Options { hash: 1, ..Options::default() };
    let found = search(&mut *open(setup)?, &options, limits, Goal::Move)?;
    let score = found.lines.first().map_or(0.0, |line| line.score);
    Ok(format!("tengen {} ({score:.2} {})", env!("CARGO_PKG_VERSION"), found.nodes))
}

/// Searches the player's position.
///
/// # Errors
/// When nothing was found, which no unfinished position should lead to.
pub(crate) fn search(
    player: &mut dyn Player,
    options: &Options,
    limits: Limits,
    goal: Goal,
) -> Result<Found, String> {
    let found = player.search(
        options,
        Ask {
            // As endless, so that a value is as good as the limit says where there is but one move.
            limits: Limits { endless: true, ..limits },
            control: &Control::default(),
            started: Stopwatch::wall(Instant::now()),
            threads: 1,
            goal,
            weaken: false,
            interval: None,
            on_info: &mut |_| {},
        },
    );
    if found.best.is_none() || found.lines.is_empty() {
        return Err(format!("the search found nothing in {}", player.referee().position_text()));
    }
    Ok(found)
}

/// The value of the best line. In a game of margins it is exact when the margin is, else when the result
/// is proven.
pub(crate) fn value_of(setup: &Setup, found: &Found) -> Option<Value> {
    let line = found.lines.first()?;
    let exact = line.margin.is_some() || (line.proven.is_some() && setup.game != GameId::Othello);
    let value = line.margin.map_or(line.score, |margin| margin as f32);
    // A conversion from f32 saturates.
    Some(Value { value: (100.0 * value).round() as i16, exact })
}
