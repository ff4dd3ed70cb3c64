//! The transposition table: full positions, both bounds, two moves.
//!
//! Threads share it without locks. An entry is three words; the discs are stored combined with the
//! data, so that words of two different writes do not fit together and the entry is not found (R.
//! Hyatt, T. Mann, "A lock-less transposition table implementation for parallel search", 2002).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{MAX_SCORE, NO_SQUARE};
use crate::search::memory;

/// What is known of a position, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The value is at least this, in discs.
    pub(crate) lower: i8,
    /// The value is at most this.
    pub(crate) upper: i8,
    /// The best move known and the one before it, [`NO_SQUARE`] where there is none.
    pub(crate) moves: [u8; 2],
    /// Plies searched.
    pub(crate) depth: u8,
    /// Selectivity of the search that found the bounds, see [`super::probcut`].
    pub(crate) selectivity: u8,
    /// Binary logarithm of the nodes it took.
    cost: u8,
    /// The search that wrote or used it last.
    date: u8,
}

impl Entry {
    fn unpack(data: u64) -> Entry {
        let [lower, upper, first, second, depth, selectivity, cost, date] = data.to_le_bytes();
        Entry {
            lower: lower as i8,
            upper: upper as i8,
            moves: [first, second],
            depth,
            selectivity,
            cost,
            date,
        }
    }

    fn pack(self) -> u64 {
        let [first, second] = self.moves;
        u64::from_le_bytes([
            self.lower as u8,
            self.upper as u8,
            first,
            second,
            self.depth,
            self.selectivity,
            self.cost,
            self.date,
        ])
    }

    /// What replacement spares: recent entries first, among them those that took most nodes.
    fn worth(data: u64, date: u8) -> u32 {
        let entry = Entry::unpack(data);
        let age = u32::from(date.wrapping_sub(entry.date));
        (255 - age) << 16 | u32::from(entry.cost) << 8 | u32::from(entry.depth)
    }
}

/// Entries in a bucket.
const WAYS: usize = 5;

/// Words of a bucket: two cache lines.
const WORDS: usize = 16;

/// The result of a search to be stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) depth: u32,
    pub(crate) selectivity: u32,
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
    pub(crate) score: i32,
    pub(crate) best: u8,
    pub(crate) nodes: u64,
}

/// A table shared by the threads of a search.
#[derive(Debug)]
pub(crate) struct Table {
    words: Box<[AtomicU64]>,
    /// The word where a cache line and the first bucket begin.
    first: usize,
    buckets: usize,
    date: u8,
}

/// A hash of a position, all 64 bits of which are well mixed.
#[inline(always)]
pub(crate) fn hash(own: u64, opp: u64) -> u64 {
    let mixed =
        own.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ opp.rotate_left(29).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xFF51_AFD7_ED55_8CCD)
}

impl Table {
    /// A table of about `bytes`, less where the system has not the memory.
    pub(crate) fn new(bytes: u64) -> Table {
        let line = 8 * WORDS as u64;
        let words = memory::zeroed(bytes.max(line) + line);
        let first = words.as_ptr().align_offset(line as usize);
        let buckets = (words.len() - first) / WORDS;
        Table { words, first, buckets, date: 0 }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        8 * self.words.len() as u64
    }

    /// Begins a new search: older entries are replaced first.
    pub(crate) fn begin(&mut self) {
        self.date = self.date.wrapping_add(1);
    }

    /// Whether an entry is from an earlier search.
    #[inline(always)]
    pub(crate) fn is_old(&self, entry: &Entry) -> bool {
        entry.date != self.date
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> &[AtomicU64; WORDS] {
        // The high half of a product spreads a hash over any number of buckets (D. Lemire, 2016).
        let index = ((u128::from(hash) * self.buckets as u128) >> 64) as usize;
        debug_assert!(index < self.buckets);
        // SAFETY: the high half of hash * buckets is below buckets, and so many follow the first.
        unsafe { &*self.words.as_ptr().add(self.first + WORDS * index).cast() }
    }

    /// Fetches the bucket of a position that will soon be asked for.
    #[inline(always)]
    pub(crate) fn prefetch(&self, hash: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket: *const i8 = std::ptr::from_ref(self.bucket(hash)).cast();
            // SAFETY: the address is that of a bucket; prefetching changes nothing.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(bucket);
                _mm_prefetch::<_MM_HINT_T0>(bucket.add(64));
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = hash;
    }

    /// What is known of a position.
    #[inline(always)]
    pub(crate) fn probe(&self, hash: u64, own: u64, opp: u64) -> Option<Entry> {
        let words = self.bucket(hash);
        for way in 0..WAYS {
            let data = words[3 * way + 2].load(Relaxed);
            if words[3 * way].load(Relaxed) ^ data == own
                && words[3 * way + 1].load(Relaxed) ^ data.rotate_left(32) == opp
            {
                return Some(Entry::unpack(data));
            }
        }
        None
    }

    /// Stores what a search of the window `alpha..beta` found.
    pub(crate) fn store(&self, hash: u64, own: u64, opp: u64, found: &Found) {
        let words = self.bucket(hash);
        let cost = (64 - found.nodes.leading_zeros()) as u8;
        let (mut victim, mut least) = (0, u32::MAX);
        let mut known = None;
        for way in 0..WAYS {
            let data = words[3 * way + 2].load(Relaxed);
            let (first, second) = (words[3 * way].load(Relaxed), words[3 * way + 1].load(Relaxed));
            if first ^ data == own && second ^ data.rotate_left(32) == opp {
                (victim, known) = (way, Some(Entry::unpack(data)));
                break;
            }
            let worth = if first | second | data == 0 { 0 } else { Entry::worth(data, self.date) };
            if worth < least {
                (victim, least) = (way, worth);
            }
        }
        let mut entry = Entry {
            lower: -MAX_SCORE as i8,
            upper: MAX_SCORE as i8,
            moves: [NO_SQUARE; 2],
            depth: found.depth as u8,
            selectivity: found.selectivity as u8,
            cost,
            date: self.date,
        };
        if let Some(known) = known {
            entry.moves = known.moves;
            if known.depth == entry.depth && known.selectivity == entry.selectivity {
                (entry.lower, entry.upper, entry.cost) = (known.lower, known.upper, cost.max(known.cost));
            }
        }
        let score = found.score as i8;
        if found.score < found.beta && score < entry.upper {
            entry.upper = score;
        }
        if found.score > found.alpha && score > entry.lower {
            entry.lower = score;
        }
        if entry.lower > entry.upper {
            // Bounds of a selective search may disagree; the newer one is kept.
            (entry.lower, entry.upper) = (-MAX_SCORE as i8, MAX_SCORE as i8);
            if found.score < found.beta {
                entry.upper = score;
            }
            if found.score > found.alpha {
                entry.lower = score;
            }
        }
        if found.best != NO_SQUARE && found.best != entry.moves[0] {
            entry.moves = [found.best, entry.moves[0]];
        }
        let data = entry.pack();
        words[3 * victim + 2].store(data, Relaxed);
        words[3 * victim].store(own ^ data, Relaxed);
        words[3 * victim + 1].store(opp ^ data.rotate_left(32), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(alpha: i32, beta: i32, score: i32, best: u8) -> Found {
        Found { depth: 10, selectivity: 5, alpha, beta, score, best, nodes: 1000 }
    }

    #[test]
    fn bounds_meet_and_moves_move_down() {
        let table = Table::new(1 << 16);
        let (own, opp) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
        let key = hash(own, opp);
        assert_eq!(table.probe(key, own, opp), None);
        table.store(key, own, opp, &found(3, 4, 6, 19));
        table.store(key, own, opp, &found(8, 9, 6, 26));
        let entry = table.probe(key, own, opp).expect("stored");
        assert_eq!((entry.lower, entry.upper, entry.moves), (6, 6, [26, 19]));
        assert_eq!(table.probe(hash(opp, own), opp, own), None);
    }

    #[test]
    fn a_full_bucket_gives_up_its_cheapest_oldest_entry() {
        let mut table = Table::new(128);
        for n in 0..5_u64 {
            table.store(0, n + 1, 1 << 40, &Found { nodes: 1000 << n, ..found(0, 1, 2, 0) });
        }
        table.begin();
        table.store(0, 1, 1 << 40, &found(0, 1, 2, 0));
        table.store(0, 77, 1 << 40, &found(0, 1, 2, 0));
        assert!(table.probe(0, 1, 1 << 40).is_some(), "used in this search");
        assert!(table.probe(0, 2, 1 << 40).is_none(), "the cheapest of the old ones");
        assert!(table.probe(0, 5, 1 << 40).is_some());
    }
}
