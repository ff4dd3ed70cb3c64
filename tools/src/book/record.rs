//! The record beside a book: how it was made and what is in it.

use std::path::Path;

use serde::Serialize;
use tengen_engine::experts::othello::book::Book;
use tengen_engine::games::othello::Othello;
use tengen_engine::games::othello::board::Standard;

/// What is in a book.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    /// The commands that made it, in order. `--positions` of the last one is as many as there are.
    commands: Vec<String>,
    /// Positions.
    pub(super) positions: usize,
    /// Positions with a move out of the book.
    pub(super) leaves: usize,
    /// Leaves with an exact value.
    pub(super) solved: usize,
    /// Least and greatest depth of the leaves.
    pub(super) depth: Option<(u8, u8)>,
    /// Value of the start position in discs.
    pub(super) start: Option<i8>,
    /// Checksum of the weights of the evaluation.
    weights: String,
    /// Length of the file.
    bytes: usize,
    /// Checksum of the file, XXH3.
    checksum: String,
    /// Positions by number of plies, from 0.
    plies: Vec<u32>,
}

impl Record {
    pub(super) fn of(book: &Book) -> Record {
        let entries = book.entries();
        let depths = || entries.iter().filter_map(|entry| entry.leaf).map(|leaf| leaf.depth);
        let mut plies = Vec::new();
        for entry in entries {
            let ply = ((entry.own | entry.opp).count_ones() as usize).saturating_sub(4);
            plies.resize(plies.len().max(ply + 1), 0);
            plies[ply] += 1;
        }
        let start = Othello::<Standard>::start();
        let file = book.encode();
        Record {
            commands: book.command.split("; ").filter(|text| !text.is_empty()).map(str::to_owned).collect(),
            positions: entries.len(),
            leaves: depths().count(),
            solved: entries.iter().filter(|entry| entry.solved()).count(),
            depth: depths().min().zip(depths().max()),
            start: book.find(start.own(), start.opp()).map(|index| entries[index].value),
            weights: format!("{:016x}", book.weights),
            bytes: file.len(),
            checksum: format!("{:016x}", crate::data::checksum(&file)),
            plies,
        }
    }

    /// Writes it beside the book: `book.toml` beside `book.bin`.
    ///
    /// # Errors
    /// One line that names the file.
    pub(super) fn write(&self, book: &Path) -> Result<(), String> {
        let path = book.with_extension("toml");
        let text = toml::to_string(self).map_err(|error| format!("{}: {error}", path.display()))?;
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// What is in a book, in one line.
impl std::fmt::Display for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} positions, {} leaves", self.positions, self.leaves)?;
        if let Some((least, most)) = self.depth {
            write!(f, " of depth {least} to {most}")?;
        }
        write!(f, ", {} of them solved", self.solved)?;
        if let Some(start) = self.start {
            write!(f, ", start {start:+}")?;
        }
        write!(f, ", weights {}, {} bytes, checksum {}", self.weights, self.bytes, self.checksum)
    }
}
