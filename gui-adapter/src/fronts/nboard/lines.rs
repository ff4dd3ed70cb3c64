//! The lines for the GUI.

use std::time::Duration;

use tengen_engine::game::{Cell, Point};
use tengen_engine::games::Referee;
use tengen_engine::protocol::Info;

use crate::records::ggf;

/// Discs from the mover's view: the exact margin where it is known.
pub(super) fn eval(info: &Info) -> f64 {
    // Zero has no sign.
    info.margin.map_or(f64::from(info.score), f64::from) + 0.0
}

/// `12`, or `100%` for an exact margin, `100%W` for one of which only the winner is certain.
fn depth(info: &Info) -> String {
    match (info.margin, info.proven) {
        (Some(_), _) => "100%".to_owned(),
        (None, Some(_)) => "100%W".to_owned(),
        (None, None) => info.depth.to_string(),
    }
}

/// `search F5d6C3 -1.25 0 12`
pub(super) fn search(info: &Info) -> String {
    let line: String = info.pv.iter().map(|mv| ggf::move_text(mv)).collect();
    format!("search {line} {:.2} 0 {}", eval(info), depth(info))
}

/// `nodestats NODES SECONDS`
pub(super) fn node_stats(info: &Info) -> String {
    format!("nodestats {} {:.2}", info.nodes, info.time.as_secs_f64())
}

/// A time without more digits than the GUI has use for.
pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The empty squares of the board.
pub(super) fn empties(referee: &dyn Referee) -> u32 {
    let geometry = referee.geometry();
    let points =
        (0..geometry.height).flat_map(|row| (0..geometry.width).map(move |column| Point { column, row }));
    points.map(|point| u32::from(referee.cell(point) == Cell::Empty)).sum()
}
