//! What a peer can say, taken from bytes: fuzzing (`tools/fuzz`) makes the bytes up, and a test replays
//! those worth keeping (`tests/corpus`). Each function here takes the bytes of one case and panics when
//! the program would have done what it must never do.

mod bridge;
mod daemon;
mod fronts;
mod texts;

pub use daemon::daemon;
pub use fronts::{auto, botzone, gomocup, gtp, json, nboard, uci, ugi};
pub use texts::{config, records, wire};

/// Takes the bytes of a case.
pub type Target = fn(&[u8]);

/// Every target by the name it has in `tools/fuzz`.
pub const TARGETS: [(&str, Target); 12] = [
    ("gtp", gtp),
    ("gomocup", gomocup),
    ("uci", uci),
    ("ugi", ugi),
    ("nboard", nboard),
    ("botzone", botzone),
    ("json", json),
    ("auto", auto),
    ("daemon", daemon),
    ("records", records),
    ("wire", wire),
    ("config", config),
];

/// The first byte, which chooses among the forms of a target, and the text behind it.
fn split(data: &[u8]) -> (usize, String) {
    match data.split_first() {
        Some((&first, rest)) => (usize::from(first), String::from_utf8_lossy(rest).into_owned()),
        None => (0, String::new()),
    }
}

/// The lines as the bridge and the daemon would take them from a pipe: cut at line feeds only.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.strip_suffix('\n').unwrap_or(text).split('\n')
}
