//! Sets of points as bit boards.
//!
//! Point (column, row) is bit `row * stride + column` with `stride = width + 1`: one guard bit ends
//! each row, so that shifts by one never carry a point into the next row once the result is cut to
//! the board.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use crate::game::random::mix;

/// A set of small numbers.
pub trait Bits:
    Copy
    + Debug
    + Eq
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// The empty set.
    const EMPTY: Self;
    /// Members are below this number.
    const CAPACITY: usize;
    /// A table of numbers for every member and a rim of guard cells before and after.
    type Cells: Clone + Debug;
    /// A table of one set for every member.
    type Sets: Clone + Debug;

    /// The set of one member.
    fn bit(index: usize) -> Self;
    /// Whether `index` is a member.
    fn has(self, index: usize) -> bool;
    /// Whether there is no member.
    fn is_empty(self) -> bool;
    /// Number of members.
    fn count(self) -> u32;
    /// The smallest member of a set that has one.
    fn lowest(self) -> usize;
    /// The set without its smallest member.
    fn without_lowest(self) -> Self;
    /// Adds `by` (below 64) to every member; those that reach [`CAPACITY`](Self::CAPACITY) are lost.
    fn up(self, by: usize) -> Self;
    /// Subtracts `by` (below 64) from every member; those below zero are lost.
    fn down(self, by: usize) -> Self;
    /// A hash of the set; different salts give unrelated hashes.
    fn hash(self, salt: u64) -> u64;

    /// A table filled with one number.
    fn cells(fill: usize) -> Self::Cells;
    /// Reads a cell.
    fn cell(cells: &Self::Cells, index: usize) -> usize;
    /// Writes a cell.
    fn set_cell(cells: &mut Self::Cells, index: usize, value: usize);
    /// A table of empty sets.
    fn sets() -> Self::Sets;
    /// Reads a set.
    fn set(sets: &Self::Sets, index: usize) -> Self;
    /// Writes a set.
    fn set_set(sets: &mut Self::Sets, index: usize, value: Self);

    /// Whether there is at most one member.
    #[inline]
    fn at_most_one(self) -> bool {
        self.without_lowest().is_empty()
    }

    /// The set of the smallest member of a set that has one.
    #[inline]
    fn first(self) -> Self {
        self ^ self.without_lowest()
    }

    /// The members in rising order.
    #[inline]
    fn iter(self) -> Members<Self> {
        Members(self)
    }
}

/// Iterator over the members of a set, in rising order.
#[derive(Clone, Debug)]
pub struct Members<B>(B);

impl<B: Bits> Iterator for Members<B> {
    type Item = usize;
    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        let index = self.0.lowest();
        self.0 = self.0.without_lowest();
        Some(index)
    }
}

impl Bits for u128 {
    const EMPTY: u128 = 0;
    const CAPACITY: usize = 128;
    type Cells = [u8; 256];
    type Sets = [u128; 128];

    #[inline]
    fn bit(index: usize) -> u128 {
        1 << (index & 127)
    }
    #[inline]
    fn has(self, index: usize) -> bool {
        index < 128 && self >> index & 1 != 0
    }
    #[inline]
    fn is_empty(self) -> bool {
        self == 0
    }
    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }
    #[inline]
    fn lowest(self) -> usize {
        self.trailing_zeros() as usize
    }
    #[inline]
    fn without_lowest(self) -> u128 {
        self & self.wrapping_sub(1)
    }
    #[inline]
    fn up(self, by: usize) -> u128 {
        self << (by & 63)
    }
    #[inline]
    fn down(self, by: usize) -> u128 {
        self >> (by & 63)
    }
    #[inline]
    fn hash(self, salt: u64) -> u64 {
        mix(self as u64 ^ mix(salt)) ^ mix((self >> 64) as u64 ^ mix(!salt))
    }

    #[inline]
    fn cells(fill: usize) -> [u8; 256] {
        [fill as u8; 256]
    }
    #[inline]
    fn cell(cells: &[u8; 256], index: usize) -> usize {
        usize::from(cells[index & 255])
    }
    #[inline]
    fn set_cell(cells: &mut [u8; 256], index: usize, value: usize) {
        cells[index & 255] = value as u8;
    }
    #[inline]
    fn sets() -> [u128; 128] {
        [0; 128]
    }
    #[inline]
    fn set(sets: &[u128; 128], index: usize) -> u128 {
        sets[index & 127]
    }
    #[inline]
    fn set_set(sets: &mut [u128; 128], index: usize, value: u128) {
        sets[index & 127] = value;
    }
}

/// A set for the boards that do not fit into 128 bits: 384 bits, enough for 19 rows of 20.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide([u64; 6]);

impl Wide {
    #[inline]
    fn zip(self, other: Wide, f: impl Fn(u64, u64) -> u64) -> Wide {
        Wide(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl BitAnd for Wide {
    type Output = Wide;
    #[inline]
    fn bitand(self, other: Wide) -> Wide {
        self.zip(other, |a, b| a & b)
    }
}

impl BitOr for Wide {
    type Output = Wide;
    #[inline]
    fn bitor(self, other: Wide) -> Wide {
        self.zip(other, |a, b| a | b)
    }
}

impl BitXor for Wide {
    type Output = Wide;
    #[inline]
    fn bitxor(self, other: Wide) -> Wide {
        self.zip(other, |a, b| a ^ b)
    }
}

impl Not for Wide {
    type Output = Wide;
    #[inline]
    fn not(self) -> Wide {
        Wide(self.0.map(|word| !word))
    }
}

impl Bits for Wide {
    const EMPTY: Wide = Wide([0; 6]);
    const CAPACITY: usize = 384;
    type Cells = [u16; 512];
    type Sets = [Wide; 384];

    #[inline]
    fn bit(index: usize) -> Wide {
        Wide(std::array::from_fn(|i| if i == index >> 6 { 1 << (index & 63) } else { 0 }))
    }
    #[inline]
    fn has(self, index: usize) -> bool {
        self.0.get(index >> 6).is_some_and(|word| word >> (index & 63) & 1 != 0)
    }
    #[inline]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }
    #[inline]
    fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
    #[inline]
    fn lowest(self) -> usize {
        let i = self.0.iter().position(|&word| word != 0).unwrap_or(5);
        i * 64 + self.0[i].trailing_zeros() as usize
    }
    #[inline]
    fn without_lowest(mut self) -> Wide {
        for word in &mut self.0 {
            if *word != 0 {
                *word &= *word - 1;
                break;
            }
        }
        self
    }
    #[inline]
    fn up(self, by: usize) -> Wide {
        let by = by & 63;
        // Two shifts, because a shift by 64 - 0 is not defined.
        let carry = |i: usize| if i == 0 { 0 } else { self.0[i - 1] >> 1 >> (63 - by) };
        Wide(std::array::from_fn(|i| self.0[i] << by | carry(i)))
    }
    #[inline]
    fn down(self, by: usize) -> Wide {
        let by = by & 63;
        let carry = |i: usize| if i == 5 { 0 } else { self.0[i + 1] << 1 << (63 - by) };
        Wide(std::array::from_fn(|i| self.0[i] >> by | carry(i)))
    }
    #[inline]
    fn hash(self, salt: u64) -> u64 {
        let salted = |(i, &word): (usize, &u64)| mix(word ^ mix(salt.wrapping_add(i as u64)));
        self.0.iter().enumerate().map(salted).fold(0, |all, part| all ^ part)
    }

    #[inline]
    fn cells(fill: usize) -> [u16; 512] {
        [fill as u16; 512]
    }
    #[inline]
    fn cell(cells: &[u16; 512], index: usize) -> usize {
        usize::from(cells[index & 511])
    }
    #[inline]
    fn set_cell(cells: &mut [u16; 512], index: usize, value: usize) {
        cells[index & 511] = value as u16;
    }
    #[inline]
    fn sets() -> [Wide; 384] {
        [Wide::EMPTY; 384]
    }
    #[inline]
    fn set(sets: &[Wide; 384], index: usize) -> Wide {
        sets[index]
    }
    #[inline]
    fn set_set(sets: &mut [Wide; 384], index: usize, value: Wide) {
        sets[index] = value;
    }
}

/// How a board lies in its bits.
pub trait Plane: Copy + Debug + Send + Sync + 'static {
    /// The sets of points.
    type Bits: Bits;

    /// The plane of a board with that many columns.
    fn new(width: u8) -> Self;

    /// Bits from one row to the next: width + 1.
    fn stride(self) -> usize;

    /// The orthogonal neighbours of the members, some of them outside the board.
    #[inline]
    fn around(self, set: Self::Bits) -> Self::Bits {
        let stride = self.stride();
        set.up(1) | set.down(1) | set.up(stride) | set.down(stride)
    }

    /// The neighbours in the rows above and below, some of them outside the board.
    #[inline]
    fn up_and_down(self, set: Self::Bits) -> Self::Bits {
        set.up(self.stride()) | set.down(self.stride())
    }

    /// The members of `within` that are connected to `seed` (a subset of `within`).
    #[inline]
    fn flood(self, seed: Self::Bits, within: Self::Bits) -> Self::Bits {
        let mut block = seed;
        loop {
            let next = (block | self.around(block)) & within;
            if next == block {
                return block;
            }
            block = next;
        }
    }
}

/// Boards of nine columns, with the shifts known to the compiler.
#[derive(Clone, Copy, Debug)]
pub struct Nine;

impl Plane for Nine {
    type Bits = u128;
    fn new(_width: u8) -> Nine {
        Nine
    }
    #[inline]
    fn stride(self) -> usize {
        10
    }
}

/// Boards whose rows, guard bits included, fit into 128 bits.
#[derive(Clone, Copy, Debug)]
pub struct Small(u8);

impl Plane for Small {
    type Bits = u128;
    fn new(width: u8) -> Small {
        Small(width + 1)
    }
    #[inline]
    fn stride(self) -> usize {
        usize::from(self.0)
    }
}

/// The larger boards.
#[derive(Clone, Copy, Debug)]
pub struct Large(u8);

impl Plane for Large {
    type Bits = Wide;
    fn new(width: u8) -> Large {
        Large(width + 1)
    }
    #[inline]
    fn stride(self) -> usize {
        usize::from(self.0)
    }
}
