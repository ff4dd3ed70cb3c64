//! The transposition table: four entries to a cache line, without locks.
//!
//! An entry is two words, the key xored with the data and the data (Hyatt, Mann 2002): an entry torn
//! by two writers fails the comparison of keys and is simply not found.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::game::Move;
use crate::search::memory;

/// Entries in a bucket.
const WAYS: usize = 4;
/// The depth of an entry whose subtree was searched to the end of the game.
pub(super) const SOLVED: u8 = u8::MAX;

/// What a stored value says of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// It is the value.
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

/// An entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Best move, or [`Move::NONE`].
    pub(super) mv: Move,
    /// Value for the side to move; distances to a win count from this node.
    pub(super) value: i32,
    /// Plies searched, or [`SOLVED`].
    pub(super) depth: u8,
    /// What the value says.
    pub(super) bound: Bound,
    /// The search that stored it, modulo 64.
    pub(super) generation: u8,
}

impl Entry {
    fn pack(self) -> u64 {
        u64::from(self.mv.raw())
            | u64::from(self.value as i16 as u16) << 32
            | u64::from(self.depth) << 48
            | (self.bound as u64) << 56
            | u64::from(self.generation & 63) << 58
    }

    fn unpack(data: u64) -> Entry {
        Entry {
            mv: Move::new(data as u32),
            value: i32::from((data >> 32) as u16 as i16),
            depth: (data >> 48) as u8,
            bound: match (data >> 56) & 3 {
                0 => Bound::Exact,
                1 => Bound::Lower,
                _ => Bound::Upper,
            },
            generation: (data >> 58) as u8,
        }
    }
}

/// The table; allocated at the first search.
#[derive(Debug, Default)]
pub(super) struct Table {
    words: Box<[AtomicU64]>,
    buckets: u64,
    mib: u64,
    generation: u8,
}

impl Table {
    pub(super) fn new(mib: u64) -> Table {
        Table { mib, ..Table::default() }
    }

    pub(super) fn mib(&self) -> u64 {
        self.mib
    }

    pub(super) fn bytes(&self) -> u64 {
        self.words.len() as u64 * 8
    }

    /// Allocates the table if that has not been done, and begins a new generation.
    pub(super) fn begin(&mut self) {
        if self.words.is_empty() {
            self.words = memory::zeroed((self.mib << 20).max(16 * WAYS as u64));
            self.buckets = self.words.len() as u64 / (2 * WAYS as u64);
        }
        self.generation = (self.generation + 1) & 63;
    }

    fn bucket(&self, key: u64) -> &[AtomicU64] {
        let bucket = ((u128::from(key) * u128::from(self.buckets)) >> 64) as usize;
        &self.words[bucket * WAYS * 2..][..WAYS * 2]
    }

    /// The entry of a position, and whether an earlier search stored it.
    pub(super) fn probe(&self, key: u64) -> Option<(Entry, bool)> {
        for slot in self.bucket(key).chunks_exact(2) {
            let data = slot[1].load(Ordering::Relaxed);
            if data != 0 && slot[0].load(Ordering::Relaxed) ^ data == key {
                let entry = Entry::unpack(data);
                return Some((entry, entry.generation != self.generation));
            }
        }
        None
    }

    /// Stores an entry over the one of the same position, or else over the least useful: shallow
    /// ones and those of old searches go first.
    pub(super) fn store(&self, key: u64, mut entry: Entry) {
        entry.generation = self.generation;
        let mut victim = None;
        let mut least = i32::MAX;
        for (i, slot) in self.bucket(key).chunks_exact(2).enumerate() {
            let data = slot[1].load(Ordering::Relaxed);
            let old = Entry::unpack(data);
            if data != 0 && slot[0].load(Ordering::Relaxed) ^ data == key {
                if entry.mv == Move::NONE {
                    entry.mv = old.mv;
                }
                victim = Some(i);
                break;
            }
            let age = i32::from((self.generation.wrapping_sub(old.generation)) & 63);
            let worth = if data == 0 { i32::MIN } else { i32::from(old.depth) - 8 * age };
            if worth < least {
                (victim, least) = (Some(i), worth);
            }
        }
        let slot = &self.bucket(key)[victim.unwrap_or(0) * 2..][..2];
        let data = entry.pack();
        slot[0].store(key ^ data, Ordering::Relaxed);
        slot[1].store(data, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_stored() {
        let mut table = Table::new(1);
        table.begin();
        for (i, bound) in [Bound::Exact, Bound::Lower, Bound::Upper].into_iter().enumerate() {
            let key = 0x1234_5678_9ABC_DEF0 + i as u64;
            let entry =
                Entry { mv: Move::new(0x77_55_33), value: -31_064, depth: SOLVED, bound, generation: 1 };
            table.store(key, entry);
            assert_eq!(table.probe(key), Some((entry, false)));
        }
        assert_eq!(table.probe(7), None);
        table.begin();
        assert!(table.probe(0x1234_5678_9ABC_DEF0).unwrap().1, "known from an earlier search");
        assert!(table.bytes() <= 1 << 20);
    }
}
