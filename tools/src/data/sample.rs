//! Chunks of samples: positions with labels.
//!
//! A position is two sets of points, bit `row * width + column` of little-endian bytes: the points of the
//! side to move and those of the other side; a point in both is blocked. On 8x8 these are the two 64-bit
//! numbers of Othello's boards.

use std::path::Path;

use tengen_engine::game::{Cell, Color, Point};
use tengen_engine::games::{Referee, Setup};

use super::bytes::{self, Reader};
use super::{Kind, read, write};

/// The label is exact.
pub(crate) const EXACT: u8 = 1;
/// White is to move.
pub(crate) const WHITE: u8 = 2;
/// Bytes of a sample after the two sets.
const TAIL: usize = 6;

/// A chunk of samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Samples {
    /// The set-up, as for `newgame`.
    pub(crate) setup: String,
    /// The command that makes the same labels, without folders and numbers of threads.
    pub(crate) command: String,
    /// The games and the engine that gave the labels.
    pub(crate) source: Source,
    /// Bytes of each of the two sets of points.
    pub(crate) width: usize,
    records: Vec<u8>,
}

/// Where samples are from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Source {
    /// The command that made the games.
    pub(crate) games: String,
    /// The engine that played them, or the collection.
    pub(crate) players: String,
    /// The checksum of the chunk of games.
    pub(crate) checksum: u64,
    /// The engine that gave the labels.
    pub(crate) engine: String,
}

/// A position and its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample<'a> {
    /// The points of the side to move, then those of the other side.
    pub(crate) sets: &'a [u8],
    /// The value for the side to move in hundredths of the game's unit.
    pub(crate) label: i16,
    /// What the game falls into training or validation by: its key's upper bits.
    pub(crate) split: u16,
    /// Empty points.
    pub(crate) empty: u8,
    /// [`EXACT`] and [`WHITE`].
    pub(crate) flags: u8,
}

impl Samples {
    /// An empty chunk.
    pub(crate) fn new(setup: &Setup, command: String, source: Source) -> Samples {
        let points = usize::from(setup.width) * usize::from(setup.height);
        Samples { setup: setup.to_string(), command, source, width: points.div_ceil(8), records: Vec::new() }
    }

    /// Number of samples.
    pub(crate) fn len(&self) -> usize {
        self.records.len() / self.record()
    }

    fn record(&self) -> usize {
        2 * self.width + TAIL
    }

    /// Adds a position of the chunk's set-up.
    pub(crate) fn push(&mut self, sets: &[u8], label: i16, split: u16, empty: u8, flags: u8) {
        debug_assert_eq!(sets.len(), 2 * self.width);
        self.records.extend_from_slice(sets);
        self.records.extend(label.to_le_bytes());
        self.records.extend(split.to_le_bytes());
        self.records.extend([empty, flags]);
    }

    /// All samples.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Sample<'_>> {
        self.records.chunks_exact(self.record()).map(|record| {
            let (sets, tail) = record.split_at(2 * self.width);
            Sample {
                sets,
                label: i16::from_le_bytes([tail[0], tail[1]]),
                split: u16::from_le_bytes([tail[2], tail[3]]),
                empty: tail[4],
                flags: tail[5],
            }
        })
    }

    /// Writes the chunk and returns its checksum.
    ///
    /// # Errors
    /// One line that names the file.
    pub(crate) fn write(&self, path: &Path) -> Result<u64, String> {
        let mut body = Vec::with_capacity(self.records.len() + 512);
        let Source { games, players, checksum, engine } = &self.source;
        for text in [&self.setup, &self.command, games, players, engine] {
            bytes::put_text(&mut body, text);
        }
        bytes::put(&mut body, *checksum);
        bytes::put(&mut body, self.width as u64);
        bytes::put(&mut body, self.len() as u64);
        body.extend_from_slice(&self.records);
        write(path, Kind::Samples, &body)
    }

    /// Reads a chunk; returns its checksum too.
    ///
    /// # Errors
    /// One line that names the file.
    pub(crate) fn read(path: &Path) -> Result<(Samples, u64), String> {
        let (body, sum) = read(path, Kind::Samples)?;
        let samples = Samples::decode(&body).map_err(|problem| format!("{}: {problem}", path.display()))?;
        Ok((samples, sum))
    }

    fn decode(body: &[u8]) -> Result<Samples, String> {
        let mut reader = Reader::new(body);
        let (setup, command) = (reader.text()?, reader.text()?);
        let (games, players, engine) = (reader.text()?, reader.text()?, reader.text()?);
        let source = Source { games, players, engine, checksum: reader.number()? };
        let (width, count) = (reader.count()?, reader.count()?);
        let records = reader.take(count.saturating_mul(2 * width + TAIL))?.to_vec();
        if !reader.done() {
            return Err("something follows the last sample".into());
        }
        Ok(Samples { setup, command, source, width, records })
    }
}

/// The two sets of points of a position.
pub(crate) fn sets_of(referee: &dyn Referee) -> Vec<u8> {
    let shape = referee.geometry();
    let columns = usize::from(shape.width);
    let half = (columns * usize::from(shape.height)).div_ceil(8);
    let mut sets = vec![0; 2 * half];
    for row in 0..shape.height {
        for column in 0..shape.width {
            let bit = usize::from(row) * columns + usize::from(column);
            let (own, other) = match referee.cell(Point { column, row }) {
                Cell::Empty => continue,
                Cell::Stone(color) => (color == referee.turn(), color != referee.turn()),
                Cell::Blocked => (true, true),
            };
            sets[bit / 8] |= u8::from(own) << (bit % 8);
            sets[half + bit / 8] |= u8::from(other) << (bit % 8);
        }
    }
    sets
}

/// [`WHITE`] or nothing.
pub(crate) fn side(referee: &dyn Referee) -> u8 {
    if referee.turn() == Color::White { WHITE } else { 0 }
}

#[cfg(test)]
mod tests {
    use tengen_engine::games;

    use super::*;
    use crate::data::tests::Scratch;

    #[test]
    fn samples_come_back_and_damage_is_found() {
        let setup = Setup::parse(["othello"]).unwrap();
        let mut samples =
            Samples::new(&setup, "a test".into(), Source { checksum: u64::MAX, ..Source::default() });
        for i in 0..100_u8 {
            samples.push(&[i; 16], i16::from(i) * -65, u16::from(i) * 650, i % 61, i % 4);
        }
        let scratch = Scratch::new("samples");
        let path = scratch.0.join(Kind::Samples.name(0));
        let sum = samples.write(&path).unwrap();
        assert_eq!(Samples::read(&path), Ok((samples.clone(), sum)));
        let last = samples.iter().last().unwrap();
        let wanted = Sample { sets: &[99; 16], label: -6_435, split: 64_350, empty: 38, flags: 3 };
        assert_eq!((samples.len(), last), (100, wanted));
        let body = &std::fs::read(&path).unwrap()[16..];
        assert!((0..body.len()).all(|at| Samples::decode(&body[..at]).is_err()));
    }

    #[test]
    fn sets_are_othello_boards_seen_by_the_side_to_move() {
        let mut referee = games::referee(Setup::parse(["othello"]).unwrap()).unwrap();
        let boards = |referee: &dyn Referee| {
            let sets = sets_of(referee);
            let (own, opp) = sets.split_at(8);
            [own, opp].map(|set| u64::from_le_bytes(set.try_into().unwrap()))
        };
        assert_eq!(boards(&*referee), [0x0000_0008_1000_0000, 0x0000_0010_0800_0000]);
        let mv = referee.parse_move("d3").unwrap();
        referee.play(None, mv).unwrap();
        assert_eq!(boards(&*referee), [0x0000_0010_0000_0000, 0x0000_0008_1808_0000]);
        assert_eq!(side(&*referee), WHITE);
    }

    #[test]
    fn blocked_points_are_in_both_sets() {
        let mut referee = games::referee(Setup::parse(["amazons", "size", "5"]).unwrap()).unwrap();
        let mv = referee.legal_moves(None).unwrap()[0];
        referee.play(None, mv).unwrap();
        let sets = sets_of(&*referee);
        let both: u32 = sets[..4].iter().zip(&sets[4..]).map(|(a, b)| (a & b).count_ones()).sum();
        assert_eq!((sets.len(), both), (8, 1));
    }
}
