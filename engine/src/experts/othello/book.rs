//! The opening book of 8x8: positions with values in discs, kept as one of the eight images that the
//! symmetries of the board make of them.
//!
//! The value of a position is that of its best move (negamax). A move that leads to a position of the
//! book has that position's value; of all others the best one is known by a search, the *leaf*, with
//! its depth and selectivity, as in the books of Edax. Links are not stored: they are found by playing
//! the moves, so that none can be missing or illegal. A position whose side to move must pass is not
//! held either: a move to it leads to what follows the pass.

mod fold;
mod play;
mod study;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::sync::OnceLock;

use super::{MAX_SCORE, NO_SQUARE, SELECTIVITY_NONE, final_score, probcut};
use crate::games::othello::board::{Shape, Standard, squares};
use crate::games::othello::pattern::checksum;

pub use fold::fold;
pub use study::Study;

/// The longest file anybody should read, in bytes.
pub const LONGEST: u64 = 256 << 20;
/// First bytes of the file; the last two are the version.
const MAGIC: &[u8; 8] = b"TngBok01";
/// Bytes of the file for each position.
const RECORD: usize = 20;
/// Bytes before the command: magic, checksum, weights, number of positions, length of the command.
const HEAD: usize = 8 + 8 + 8 + 4 + 2;

/// The best move of a position that leads out of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The move's square, 0 (a1) to 63 (h8), in the image of the board that is held.
    pub square: u8,
    /// Its value in discs for the side that makes it.
    pub value: i8,
    /// Plies searched from the position, this move included.
    pub depth: u8,
    /// Level of selectivity of that search; see [`Leaf::percent`].
    pub selectivity: u8,
}

impl Leaf {
    /// Confidence of the search in percent; 100 cuts nothing off without proof.
    #[must_use]
    pub fn percent(&self) -> u32 {
        probcut::PERCENT[usize::from(self.selectivity) % probcut::PERCENT.len()]
    }
}

/// A position of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Discs of the side to move, which has a move; with `opp` the image [`fold()`] gives.
    pub own: u64,
    /// Discs of the other side.
    pub opp: u64,
    /// Its value in discs for the side to move.
    pub value: i8,
    /// The best move out of the book; none when all moves are links.
    pub leaf: Option<Leaf>,
}

impl Entry {
    /// Whether the leaf's value is certain.
    #[must_use]
    pub fn solved(&self) -> bool {
        self.leaf.is_some_and(|leaf| {
            u32::from(leaf.selectivity) == SELECTIVITY_NONE
                && u32::from(leaf.depth) >= (self.own | self.opp).count_zeros()
        })
    }

    fn discs(&self) -> u32 {
        (self.own | self.opp).count_ones()
    }
}

/// Where a move leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// To the entry with this index; the value is the entry's for the side that moved.
    Held {
        /// Index into [`Book::entries`].
        index: usize,
        /// The entry's value as the side that makes the move sees it.
        value: i32,
        /// Whether the other side passes, so that the entry's side to move is the one that moved.
        passed: bool,
    },
    /// To the end of the game, with this score for the side that moved.
    Over(i32),
}

impl Link {
    /// The move's value in discs for the side that makes it.
    #[must_use]
    pub fn value(self) -> i32 {
        match self {
            Link::Held { value, .. } | Link::Over(value) => value,
        }
    }
}

/// A move of a position of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move's square, 0 (a1) to 63 (h8).
    pub square: u32,
    /// Its value in discs for the side that makes it.
    pub value: i32,
    /// What is known of it: where it leads, or how it was searched.
    pub known: Known,
}

/// What the book knows of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It stays in the book.
    Link(Link),
    /// It is the best of those that leave it.
    Leaf(Leaf),
}

/// An opening book.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    entries: Vec<Entry>,
    /// The command that made it, which tells the level of search.
    pub command: String,
    /// Checksum of the weights by which its leaves were searched.
    pub weights: u64,
}

impl Book {
    /// A book without positions.
    #[must_use]
    pub fn new(weights: u64) -> Book {
        Book { weights, ..Book::default() }
    }

    /// Reads a file: `MAGIC`; the checksum of the rest, 8 bytes (all little endian); the checksum of the
    /// weights, 8; the number of positions, 4; the length of the command, 2, and the command; then 20 bytes
    /// for each position in ascending order of the discs: those of the side to move, those of the other
    /// side, and from the lowest bit on 8 bits of value + 64, 8 of the leaf's value + 64, 7 of its square
    /// (64 is none), 6 of its depth and 3 of its selectivity.
    ///
    /// # Errors
    /// When the file is not one of this version or is damaged, or holds what no book can.
    pub fn read(file: &[u8]) -> Result<Book, &'static str> {
        let (head, rest) = file.split_at_checked(HEAD).ok_or("no header")?;
        if !head.starts_with(MAGIC) {
            return Err("no opening book of this version");
        }
        if checksum(&file[16..]) != word(&head[8..]) {
            return Err("wrong checksum");
        }
        let count = u32::from_le_bytes([head[24], head[25], head[26], head[27]]) as usize;
        let length = usize::from(u16::from_le_bytes([head[28], head[29]]));
        let (command, records) = rest.split_at_checked(length).ok_or("too short")?;
        let command = str::from_utf8(command).map_err(|_| "a command that is not UTF-8")?.to_owned();
        if records.len() != count.saturating_mul(RECORD) {
            return Err("another number of positions than it says");
        }
        let entries = records.chunks_exact(RECORD).map(unpack).collect::<Result<Vec<Entry>, _>>()?;
        if !entries.is_sorted_by(|a, b| (a.own, a.opp) < (b.own, b.opp)) {
            return Err("positions out of order");
        }
        Ok(Book { entries, command, weights: word(&head[16..]) })
    }

    /// The file of the book. A command longer than 65,535 bytes is cut.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut body = self.weights.to_le_bytes().to_vec();
        let command = &self.command[..self.command.floor_char_boundary(usize::from(u16::MAX))];
        body.extend((self.entries.len() as u32).to_le_bytes());
        body.extend((command.len() as u16).to_le_bytes());
        body.extend(command.as_bytes());
        self.entries.iter().for_each(|entry| body.extend(pack(entry)));
        let mut file = MAGIC.to_vec();
        file.extend(checksum(&body).to_le_bytes());
        file.extend(body);
        file
    }

    /// The positions in ascending order of `(own, opp)`.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The index of a position, in whatever image.
    #[must_use]
    pub fn find(&self, own: u64, opp: u64) -> Option<usize> {
        let folded = fold(own, opp);
        self.entries.binary_search_by_key(&folded, |entry| (entry.own, entry.opp)).ok()
    }

    /// Where a legal move leads, if the book knows.
    #[must_use]
    pub fn link(&self, own: u64, opp: u64, square: u32) -> Option<Link> {
        let (own, opp) = after(own, opp, square);
        let held = |own, opp| self.find(own, opp).map(|index| (index, i32::from(self.entries[index].value)));
        if Standard::mobility(own, opp) != 0 {
            let (index, value) = held(own, opp)?;
            Some(Link::Held { index, value: -value, passed: false })
        } else if Standard::mobility(opp, own) != 0 {
            let (index, value) = held(opp, own)?;
            Some(Link::Held { index, value, passed: true })
        } else {
            Some(Link::Over(-final_score(own, opp)))
        }
    }

    /// The moves of a position that lead to known values, with where they lead.
    pub fn links(&self, own: u64, opp: u64) -> impl Iterator<Item = (u32, Link)> {
        squares(Standard::mobility(own, opp))
            .filter_map(move |square| self.link(own, opp, square).map(|link| (square, link)))
    }

    /// The moves of a position that the book knows, the best first; of equal ones those that stay in the
    /// book before the leaf, then the one on the lower square. A leaf that has become a link in the
    /// meantime counts as link alone. `None` when the position is not held.
    #[must_use]
    pub fn probe(&self, own: u64, opp: u64) -> Option<Vec<Choice>> {
        let entry = &self.entries[self.find(own, opp)?];
        let out = entry.leaf.map(|leaf| (leaf, folded_after(entry.own, entry.opp, leaf.square)));
        let known = |square: u32| {
            if let Some(link) = self.link(own, opp, square) {
                return Some(Choice { square, value: link.value(), known: Known::Link(link) });
            }
            let (child_own, child_opp) = after(own, opp, square);
            let (leaf, _) = out.filter(|&(_, out)| out == fold(child_own, child_opp))?;
            Some(Choice { square, value: i32::from(leaf.value), known: Known::Leaf(leaf) })
        };
        let mut choices: Vec<Choice> = squares(Standard::mobility(own, opp)).filter_map(known).collect();
        choices.sort_by_key(|choice| (Reverse(choice.value), matches!(choice.known, Known::Leaf(_))));
        Some(choices)
    }

    /// Puts positions in, in place of those that are the same. Values are not settled.
    pub fn insert(&mut self, entries: impl IntoIterator<Item = Entry>) {
        self.entries.extend(entries);
        // The sort is stable, so that of equal positions the newest comes last, and stays.
        self.entries.sort_by_key(|entry| (entry.own, entry.opp));
        self.entries.reverse();
        self.entries.dedup_by_key(|entry| (entry.own, entry.opp));
        self.entries.reverse();
    }

    /// Whether the entry's leaf is missing although a move leads out of the book, or is a link by now.
    #[must_use]
    pub fn lacks_leaf(&self, entry: &Entry) -> bool {
        let linked = |square: u32| self.link(entry.own, entry.opp, square).is_some();
        match entry.leaf {
            Some(leaf) => linked(u32::from(leaf.square)),
            None => !squares(Standard::mobility(entry.own, entry.opp)).all(linked),
        }
    }

    /// The best value of the entry's moves; none when no move is known.
    fn best(&self, entry: &Entry) -> Option<i32> {
        let leaf = entry.leaf.map(|leaf| i32::from(leaf.value));
        self.links(entry.own, entry.opp).map(|(_, link)| link.value()).chain(leaf).max()
    }

    /// Gives every position the value of its best move, from the fullest boards to the emptiest.
    pub fn settle(&mut self) {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by_key(|&index| Reverse(self.entries[index].discs()));
        for index in order {
            if let Some(best) = self.best(&self.entries[index]) {
                self.entries[index].value = best as i8;
            }
        }
    }

    /// Checks that every move is accounted for and every value is that of the best move.
    ///
    /// # Errors
    /// The first entry where one is not, and what is wrong with it.
    pub fn check(&self) -> Result<(), (Entry, String)> {
        for entry in &self.entries {
            if self.lacks_leaf(entry) {
                let problem =
                    if entry.leaf.is_some() { "its leaf is in the book" } else { "it lacks a leaf" };
                return Err((*entry, problem.to_owned()));
            }
            let best = self.best(entry);
            if best != Some(i32::from(entry.value)) {
                return Err((*entry, format!("a value of {}, but its best move has {best:?}", entry.value)));
            }
        }
        Ok(())
    }
}

/// The discs after a legal move, those of the side to move first.
fn after(own: u64, opp: u64, square: u32) -> (u64, u64) {
    let flips = Standard::flips(own, opp, square);
    (opp ^ flips, own ^ flips ^ 1 << square)
}

fn folded_after(own: u64, opp: u64, square: u8) -> (u64, u64) {
    let (own, opp) = after(own, opp, u32::from(square));
    fold(own, opp)
}

/// The first 8 bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fn pack(entry: &Entry) -> [u8; RECORD] {
    let leaf = entry.leaf.unwrap_or(Leaf { square: NO_SQUARE, value: 0, depth: 0, selectivity: 0 });
    let value = |value: i8| (i32::from(value) + MAX_SCORE) as u32;
    let data = value(entry.value)
        | value(leaf.value) << 8
        | u32::from(leaf.square) << 16
        | u32::from(leaf.depth) << 23
        | u32::from(leaf.selectivity) << 29;
    let mut record = [0; RECORD];
    record[..8].copy_from_slice(&entry.own.to_le_bytes());
    record[8..16].copy_from_slice(&entry.opp.to_le_bytes());
    record[16..].copy_from_slice(&data.to_le_bytes());
    record
}

fn unpack(record: &[u8]) -> Result<Entry, &'static str> {
    let (own, opp) = (word(record), word(&record[8..]));
    let data = word(&record[16..]) as u32;
    let value = |raw: u32| {
        let value = (raw & 0xFF) as i32 - MAX_SCORE;
        if value <= MAX_SCORE { Ok(value as i8) } else { Err("a value beyond 64 discs") }
    };
    let mobility = if own & opp == 0 { Standard::mobility(own, opp) } else { 0 };
    if mobility == 0 || fold(own, opp) != (own, opp) {
        return Err("a position no book holds");
    }
    let square = (data >> 16 & 0x7F) as u8;
    let leaf = Leaf {
        square,
        value: value(data >> 8)?,
        depth: (data >> 23 & 0x3F) as u8,
        selectivity: (data >> 29) as u8,
    };
    let leaf = match square {
        NO_SQUARE => None,
        _ if square < NO_SQUARE && mobility >> square & 1 != 0 => Some(leaf),
        _ => return Err("a move that is not legal"),
    };
    if leaf.is_some_and(|leaf| u32::from(leaf.selectivity) > SELECTIVITY_NONE) {
        return Err("an unknown selectivity");
    }
    Ok(Entry { own, opp, value: value(data)?, leaf })
}

static BOOK: OnceLock<Book> = OnceLock::new();

/// The book in use: that of [`install`], else the one built in.
#[must_use]
pub fn book() -> &'static Book {
    BOOK.get_or_init(|| {
        Book::read(include_bytes!("book.bin")).unwrap_or_else(|error| {
            log::error!("the built-in opening book of Othello cannot be read: {error}");
            Book::default()
        })
    })
}

/// Makes all searches of this process use another book. To be called before the first search.
///
/// # Errors
/// When a book is in use already.
pub fn install(book: Book) -> Result<(), &'static str> {
    BOOK.set(book).map_err(|_| "an opening book is in use already")
}
