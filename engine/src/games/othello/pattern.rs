//! The trained evaluation of 8x8: a sum of weights looked up by patterns of discs.
//!
//! A pattern is a set of squares (an edge, a corner, a diagonal, ...); each of its instances on the
//! board gives a number in base 3 (0 empty, 1 own, 2 other side), and the number gives a weight. The
//! idea and most of the patterns are those of Logistello (M. Buro, "Experiments with Multi-ProbCut
//! and a new high-quality evaluation function for Othello", 1997). Mobility and the number of empty
//! squares are features of the same kind. Every weight counts hundredths of a disc.
//!
//! The weights are in `weights.bin`, made by the tools' `othello-eval` from human games.

use std::sync::LazyLock;

use super::board::{Shape, Standard};

/// Phases of the game, each with weights of its own.
pub const STAGES: usize = 12;

/// Features of a position.
pub const FEATURES: usize = 51;

/// A kind of feature: weights shared by all its instances.
struct Class {
    /// Squares of the pattern; 0 for a plain number below [`NUMBERS`].
    squares: u32,
    /// The same pattern seen in a mirror that maps its instances to themselves: digit `i` of the
    /// mirror image is digit `mirror[i]`. Both have one weight. Empty without such a mirror.
    mirror: &'static [u8],
}

/// Values of a feature that is a plain number.
const NUMBERS: u32 = 64;

const REVERSED: [&[u8]; 9] = [
    &[],
    &[],
    &[],
    &[],
    &[3, 2, 1, 0],
    &[4, 3, 2, 1, 0],
    &[5, 4, 3, 2, 1, 0],
    &[6, 5, 4, 3, 2, 1, 0],
    &[7, 6, 5, 4, 3, 2, 1, 0],
];

const EDGE: usize = 0;
const CORNER_3X3: usize = 1;
const CORNER_2X5: usize = 2;
const ROW_2: usize = 3;
const DIAGONAL_8: usize = 6;
const MOVES: usize = 11;
const REPLIES: usize = 12;
const OWN_FRONTIER: usize = 13;
const OTHER_FRONTIER: usize = 14;
const EMPTY: usize = 15;

const CLASSES: [Class; 16] = [
    // An edge and the two X squares behind it: a1..h1, b2, g2.
    Class { squares: 10, mirror: &[7, 6, 5, 4, 3, 2, 1, 0, 9, 8] },
    // a1 b1 c1 a2 b2 c2 a3 b3 c3.
    Class { squares: 9, mirror: &[0, 3, 6, 1, 4, 7, 2, 5, 8] },
    // a1..e1 a2..e2.
    Class { squares: 10, mirror: &[] },
    // Rows 2, 3 and 4.
    Class { squares: 8, mirror: REVERSED[8] },
    Class { squares: 8, mirror: REVERSED[8] },
    Class { squares: 8, mirror: REVERSED[8] },
    // Diagonals of 8 to 4 squares.
    Class { squares: 8, mirror: REVERSED[8] },
    Class { squares: 7, mirror: REVERSED[7] },
    Class { squares: 6, mirror: REVERSED[6] },
    Class { squares: 5, mirror: REVERSED[5] },
    Class { squares: 4, mirror: REVERSED[4] },
    // Moves of the side to move, of the other side.
    Class { squares: 0, mirror: &[] },
    Class { squares: 0, mirror: &[] },
    // Empty squares next to own discs, to discs of the other side.
    Class { squares: 0, mirror: &[] },
    Class { squares: 0, mirror: &[] },
    // Empty squares.
    Class { squares: 0, mirror: &[] },
];

impl Class {
    const fn size(&self) -> u32 {
        if self.squares == 0 { NUMBERS } else { 3_u32.pow(self.squares) }
    }
}

/// Where the weights of each class begin, and after the last one the number of all weights.
const OFFSETS: [u32; CLASSES.len() + 1] = {
    let mut offsets = [0; CLASSES.len() + 1];
    let mut i = 0;
    while i < CLASSES.len() {
        offsets[i + 1] = offsets[i] + CLASSES[i].size();
        i += 1;
    }
    offsets
};

/// Weights of one stage.
pub const SIZE: usize = OFFSETS[CLASSES.len()] as usize;

/// `TERNARY[bits]`: the bits read as digits of base 3.
static TERNARY: [u16; 1024] = {
    let mut table = [0; 1024];
    let mut bits = 1;
    while bits < 1024 {
        table[bits] = 3 * table[bits / 2] + (bits % 2) as u16;
        bits += 1;
    }
    table
};

/// The stage of a position with that many empty squares: five squares each, stage 0 the end.
#[must_use]
#[inline]
pub fn stage(empty: u32) -> usize {
    (empty as usize / 5).min(STAGES - 1)
}

/// The board reflected in the diagonal a1-h8 (three block swaps; H. S. Warren, Hacker's Delight).
#[inline]
fn transposed(mut board: u64) -> u64 {
    let mut swap = (board ^ (board >> 7)) & 0x00AA_00AA_00AA_00AA;
    board ^= swap ^ (swap << 7);
    swap = (board ^ (board >> 14)) & 0x0000_CCCC_0000_CCCC;
    board ^= swap ^ (swap << 14);
    swap = (board ^ (board >> 28)) & 0x0000_0000_F0F0_F0F0;
    board ^ swap ^ (swap << 28)
}

/// The board seen from eight sides: as it is, upside down, and both reflected in the diagonal (0 to
/// 3), then the mirror images of these, left and right exchanged (4 to 7).
#[inline]
fn views(board: u64) -> [u64; 8] {
    let turned = transposed(board);
    let (back, turned_back) = (board.reverse_bits(), turned.reverse_bits());
    [
        board,
        board.swap_bytes(),
        turned,
        turned.swap_bytes(),
        back.swap_bytes(),
        back,
        turned_back.swap_bytes(),
        turned_back,
    ]
}

/// The squares of a diagonal that starts `shift` columns right of a1, as bits from its first square.
#[inline]
fn diagonal_right(board: u64, shift: usize) -> u64 {
    const MAIN: u64 = 0x8040_2010_0804_0201;
    // The squares lie in different columns, so the product adds them up in its top row.
    (board & (MAIN >> (8 * shift))).wrapping_mul(0x0101_0101_0101_0101) >> (56 + shift)
}

/// The same for a diagonal that starts `shift` rows below a1.
#[inline]
fn diagonal_down(board: u64, shift: usize) -> u64 {
    const MAIN: u64 = 0x8040_2010_0804_0201;
    (board & (MAIN << (8 * shift))).wrapping_mul(0x0101_0101_0101_0101) >> 56
}

/// The index of each feature of a position into the weights of a stage.
#[must_use]
#[inline]
pub fn features(own: u64, opp: u64) -> [u32; FEATURES] {
    let mut all = [0; FEATURES];
    let mut filled = 0;
    let mut add = |class: usize, value: u32| {
        all[filled] = OFFSETS[class] + value;
        filled += 1;
    };
    let ternary =
        |a: u64, b: u64| u32::from(TERNARY[a as usize & 1023]) + 2 * u32::from(TERNARY[b as usize & 1023]);
    let (own_views, opp_views) = (views(own), views(opp));

    for (&a, &b) in own_views.iter().zip(&opp_views).take(4) {
        let edge = |v: u64| v & 0xFF | v >> 1 & 0x100 | v >> 5 & 0x200;
        add(EDGE, ternary(edge(a), edge(b)));
        for row in 1..4 {
            add(ROW_2 + row - 1, ternary(a >> (8 * row) & 0xFF, b >> (8 * row) & 0xFF));
        }
    }
    for side in [0, 1, 4, 5] {
        let corner = |v: u64| v & 7 | v >> 5 & 0o70 | v >> 10 & 0o700;
        add(CORNER_3X3, ternary(corner(own_views[side]), corner(opp_views[side])));
    }
    for (&a, &b) in own_views.iter().zip(&opp_views) {
        let corner = |v: u64| v & 0x1F | v >> 3 & 0x3E0;
        add(CORNER_2X5, ternary(corner(a), corner(b)));
    }
    for side in [0, 1] {
        let (a, b) = (own_views[side], opp_views[side]);
        add(DIAGONAL_8, ternary(diagonal_down(a, 0), diagonal_down(b, 0)));
        for shift in 1..5 {
            add(DIAGONAL_8 + shift, ternary(diagonal_down(a, shift), diagonal_down(b, shift)));
            add(DIAGONAL_8 + shift, ternary(diagonal_right(a, shift), diagonal_right(b, shift)));
        }
    }
    let empty = !(own | opp);
    // At most 60 squares are empty, so every number is below 64.
    add(MOVES, Standard::mobility(own, opp).count_ones() % NUMBERS);
    add(REPLIES, Standard::mobility(opp, own).count_ones() % NUMBERS);
    add(OWN_FRONTIER, (Standard::neighbours(own) & empty).count_ones() % NUMBERS);
    add(OTHER_FRONTIER, (Standard::neighbours(opp) & empty).count_ones() % NUMBERS);
    add(EMPTY, empty.count_ones() % NUMBERS);
    all
}

/// For each index into the weights of a stage the index that holds its weight in the file: the
/// smaller one of a pattern and its mirror image.
#[must_use]
pub fn representatives() -> Vec<u32> {
    let mut all = Vec::with_capacity(SIZE);
    for (class, &offset) in CLASSES.iter().zip(&OFFSETS) {
        for index in 0..class.size() {
            let mut image = 0;
            for &digit in class.mirror.iter().rev() {
                image = 3 * image + index / 3_u32.pow(u32::from(digit)) % 3;
            }
            let partner = if class.mirror.is_empty() { index } else { image };
            all.push(offset + index.min(partner));
        }
    }
    all
}

/// First bytes of the file.
pub const MAGIC: &[u8; 8] = b"TngOth01";

/// FNV-1a, 64 bits: the checksum of the file.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// The weights of all stages.
#[derive(Debug)]
pub struct Weights {
    /// `STAGES * SIZE` weights in hundredths of a disc, stage 0 first.
    all: Vec<i16>,
}

impl Weights {
    /// Reads the file: [`MAGIC`]; number of stages and of stored weights a stage, 4 bytes each; the
    /// [`checksum`] of the rest, 8 bytes (all little endian); then the weights of the
    /// [`representatives`], stage by stage, as tokens that begin with one byte `t`:
    ///
    /// * `t` in 0..192: the weight `t - 96`;
    /// * `t` in 192..224: the weight `((t - 192) << 8 | next byte) - 4096`;
    /// * `t` in 224..256: `t - 222` zeros.
    ///
    /// # Errors
    /// When the file is not one of this version or is damaged.
    pub fn read(file: &[u8]) -> Result<Weights, &'static str> {
        let representatives = representatives();
        let stored = representatives.iter().enumerate().filter(|&(i, &r)| i == r as usize).count();
        let (head, body) = file.split_at_checked(24).ok_or("no header")?;
        let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if !head.starts_with(MAGIC) || number(8) as usize != STAGES || number(12) as usize != stored {
            return Err("another version");
        }
        if checksum(body) != u64::from(number(16)) | u64::from(number(20)) << 32 {
            return Err("wrong checksum");
        }
        let mut bytes = body.iter().map(|&byte| i16::from(byte));
        let mut all = Vec::with_capacity(STAGES * SIZE);
        let mut zeros = 0;
        for _ in 0..STAGES {
            let first = all.len();
            for (index, &representative) in representatives.iter().enumerate() {
                if index != representative as usize {
                    all.push(all[first + representative as usize]);
                    continue;
                }
                if zeros > 0 {
                    zeros -= 1;
                    all.push(0);
                    continue;
                }
                all.push(match bytes.next().ok_or("too short")? {
                    token @ 0..192 => token - 96,
                    token @ 192..224 => ((token - 192) << 8 | bytes.next().ok_or("too short")?) - 4096,
                    token => {
                        zeros = token - 223;
                        0
                    }
                });
            }
        }
        if zeros > 0 || bytes.next().is_some() { Err("too long") } else { Ok(Weights { all }) }
    }

    /// The value of a position in hundredths of a disc for the side that owns `own` and is to move.
    #[must_use]
    #[inline]
    pub fn evaluate(&self, own: u64, opp: u64) -> i32 {
        let first = stage((!(own | opp)).count_ones()) * SIZE;
        let weights = &self.all[first..first + SIZE];
        features(own, opp).iter().map(|&index| i32::from(weights[index as usize])).sum()
    }
}

static BUILT_IN: LazyLock<Option<Weights>> =
    LazyLock::new(|| Weights::read(include_bytes!("weights.bin")).ok());

/// The value by the built-in weights; `None` when they are damaged, which a test excludes.
#[must_use]
#[inline]
pub fn evaluate(own: u64, opp: u64) -> Option<i32> {
    BUILT_IN.as_ref().map(|weights| weights.evaluate(own, opp))
}
