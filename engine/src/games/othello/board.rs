//! Bit boards of the three sizes: where the squares are, which discs a move turns over, which moves
//! there are.
//!
//! A square's number is its row times the stride plus its column, from a1's number on. Rays to higher
//! numbers are called forward, the others backward.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, Not};

use super::{kernel, pattern};
use crate::game::Point;

/// An unsigned integer used as a set of squares.
pub trait Bits: Copy + Eq + Debug + Send + Sync + 'static
where
    Self: BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>,
{
    /// The empty set.
    const ZERO: Self;
    /// Number of bits.
    const SIZE: u32;
    /// The set of one square (`square < SIZE`).
    fn single(square: u32) -> Self;
    /// Whether no square is in the set.
    fn is_empty(self) -> bool;
    /// Number of squares in the set.
    fn count(self) -> u32;
    /// The lowest square of a set that is not empty.
    fn lowest(self) -> u32;
    /// The set without its lowest square (the set must not be empty).
    fn without_lowest(self) -> Self;
    /// Every square moved to the number `by` higher.
    fn up(self, by: u32) -> Self;
    /// Every square moved to the number `by` lower.
    fn down(self, by: u32) -> Self;
    /// 64 bits for hashing.
    fn fold(self, salt: u64) -> u64;
}

macro_rules! bits {
    ($int:ty, $fold:expr) => {
        impl Bits for $int {
            const ZERO: Self = 0;
            const SIZE: u32 = <$int>::BITS;
            #[inline(always)]
            fn single(square: u32) -> Self {
                1 << square
            }
            #[inline(always)]
            fn is_empty(self) -> bool {
                self == 0
            }
            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn without_lowest(self) -> Self {
                self & self.wrapping_sub(1)
            }
            #[inline(always)]
            fn up(self, by: u32) -> Self {
                self << by
            }
            #[inline(always)]
            fn down(self, by: u32) -> Self {
                self >> by
            }
            #[inline(always)]
            fn fold(self, salt: u64) -> u64 {
                let fold: fn($int, u64) -> u64 = $fold;
                fold(self, salt)
            }
        }
    };
}

bits!(u64, |bits, salt| bits ^ salt);
bits!(u128, |bits, salt| crate::game::random::mix(bits as u64 ^ salt) ^ (bits >> 64) as u64);

/// The squares of a set, lowest first.
#[inline]
pub fn squares<B: Bits>(mut set: B) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        if set.is_empty() {
            return None;
        }
        let square = set.lowest();
        set = set.without_lowest();
        Some(square)
    })
}

/// A size of board.
pub trait Shape: Copy + Eq + Debug + Send + Sync + 'static {
    /// The type of a set of squares.
    type Bits: Bits;
    /// Squares on a side.
    const SIDE: u8;
    /// Distance of the numbers of two squares one above the other.
    const STRIDE: u32;
    /// The number of a1.
    const ORIGIN: u32;
    /// All squares of the board.
    const AREA: Self::Bits;
    /// The squares on which a run of discs along a row or diagonal can be enclosed. It keeps shifts
    /// from running over the edge into the next row.
    const INNER: Self::Bits;

    /// The discs of `opp` that a disc of `own` on the empty `square` turns over; empty when the move
    /// is illegal.
    fn flips(own: Self::Bits, opp: Self::Bits, square: u32) -> Self::Bits;

    /// A trained evaluation in hundredths of a disc for the side that owns `own`, where there is one.
    #[inline]
    fn trained(_own: Self::Bits, _opp: Self::Bits) -> Option<i32> {
        None
    }

    /// Perft by the kernels of this size, where there are any.
    #[inline]
    fn perft(_own: Self::Bits, _opp: Self::Bits, _depth: u32, _full: bool) -> Option<u64> {
        None
    }

    /// The number of a square of the board.
    #[inline]
    fn square(point: Point) -> u32 {
        Self::ORIGIN + u32::from(point.row) * Self::STRIDE + u32::from(point.column)
    }

    /// The square with this number (in [`AREA`](Shape::AREA)).
    #[inline]
    fn point(square: u32) -> Point {
        let offset = square - Self::ORIGIN;
        Point { column: (offset % Self::STRIDE) as u8, row: (offset / Self::STRIDE) as u8 }
    }

    /// The set of one square.
    #[inline]
    fn bit(point: Point) -> Self::Bits {
        Self::Bits::single(Self::square(point))
    }

    /// All squares next to one of `set`, in the eight directions; may contain squares of `set`.
    #[inline]
    fn neighbours(set: Self::Bits) -> Self::Bits {
        // Vertical steps first: a column of the set and its two neighbours, then the same sideways.
        let tall = set | set.up(Self::STRIDE) | set.down(Self::STRIDE);
        let (left, right) = (tall & !Self::FIRST, tall & !Self::LAST);
        (set.up(Self::STRIDE) | set.down(Self::STRIDE) | left.down(1) | right.up(1)) & Self::AREA
    }

    /// Column a.
    const FIRST: Self::Bits;
    /// The last column.
    const LAST: Self::Bits;
    /// The first and the last row.
    const ENDS: Self::Bits;

    /// The left half.
    const LEFT: Self::Bits;
    /// The half with row 1.
    const TOP: Self::Bits;

    /// The quarter of the board that holds the square of `bit`.
    #[inline]
    fn quarter(bit: Self::Bits) -> Self::Bits {
        let half = |half: Self::Bits| if (bit & half).is_empty() { Self::AREA & !half } else { half };
        half(Self::LEFT) & half(Self::TOP)
    }

    /// The squares of the edge.
    #[inline]
    fn edges() -> Self::Bits {
        Self::FIRST | Self::LAST | Self::ENDS
    }

    /// The four corners.
    #[inline]
    fn corners() -> Self::Bits {
        (Self::FIRST | Self::LAST) & Self::ENDS
    }

    /// The empty squares where a disc of `own` would turn something over.
    #[inline]
    fn mobility(own: Self::Bits, opp: Self::Bits) -> Self::Bits {
        mobility::<Self>(own, opp)
    }
}

/// For each direction the runs of `opp` that start next to a disc of `own` are filled by doubling
/// steps (1, 2, 4, 6, 8 squares), then the squares behind them are taken.
#[inline(always)]
fn mobility<S: Shape>(own: S::Bits, opp: S::Bits) -> S::Bits {
    let inner = opp & S::INNER;
    let reach = along::<S>(own, inner, 1)
        | along::<S>(own, opp, S::STRIDE)
        | along::<S>(own, inner, S::STRIDE - 1)
        | along::<S>(own, inner, S::STRIDE + 1);
    reach & S::AREA & !(own | opp)
}

/// The squares behind runs of `through` that start next to `own`, both ways along one line.
#[inline(always)]
fn along<S: Shape>(own: S::Bits, through: S::Bits, step: u32) -> S::Bits {
    let mut up = through & own.up(step);
    let mut down = through & own.down(step);
    up = up | (through & up.up(step));
    down = down | (through & down.down(step));
    let pair_up = through & through.up(step);
    let pair_down = pair_up.down(step);
    for _ in 0..(S::SIDE - 3) / 2 {
        up = up | (pair_up & up.up(2 * step));
        down = down | (pair_down & down.down(2 * step));
    }
    up.up(step) | down.down(step)
}

/// 6x6, kept as the middle of an 8x8 board: only the playing area differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Small;

/// 8x8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standard;

/// 10x10 in rows of eleven: the spare column stays empty and ends every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Large;

/// Rays of the squares of 10x10: the four forward ones (right, down left, down, down right), then
/// their opposites.
static RAYS_10: [[u128; 8]; 128] = {
    const STEPS: [(i32, i32); 8] = [(1, 0), (-1, 1), (0, 1), (1, 1), (-1, 0), (1, -1), (0, -1), (-1, -1)];
    let mut table = [[0; 8]; 128];
    let mut square = 0;
    while square < 100 {
        let (column, row) = (square % 10, square / 10);
        let mut direction = 0;
        while direction < 8 {
            let (dx, dy) = STEPS[direction];
            let (mut x, mut y) = (column + dx, row + dy);
            while x >= 0 && x < 10 && y >= 0 && y < 10 {
                table[(row * 11 + column) as usize][direction] |= 1 << (y * 11 + x);
                (x, y) = (x + dx, y + dy);
            }
            direction += 1;
        }
        square += 1;
    }
    table
};

/// The discs of `opp` on a forward ray that lie between its origin and the nearest disc of `own` with
/// nothing else between.
///
/// Adding 1 to the board with every square outside the ray filled carries through the run of `opp`
/// and stops at the square behind it.
#[inline(always)]
fn between_forward(ray: u128, own: u128, opp: u128) -> u128 {
    let end = (opp | !ray).wrapping_add(1) & ray & own;
    end.saturating_sub(1) & ray
}

/// The same for a backward ray: the square behind the run is the highest one of the ray without a
/// disc of `opp`.
#[inline(always)]
fn between_backward(ray: u128, own: u128, opp: u128) -> u128 {
    let stop = ray & !opp;
    // Without a stop this looks at a1, which is then either off the ray or of `opp`.
    let end = (1 << (127 - (stop | 1).leading_zeros())) & stop & own;
    ray & (end << 1).wrapping_neg()
}

/// One bit in every row: multiplying by it adds the rows up in the top one.
const ROWS: u64 = 0x0101_0101_0101_0101;

/// The column, the diagonal and the antidiagonal through each square of 8x8.
static LINES: [[u64; 3]; 64] = {
    let mut table = [[0; 3]; 64];
    let mut square = 0;
    while square < 64 {
        let mut other = 0;
        while other < 64 {
            let (x, y) = (square % 8, square / 8);
            let (u, v) = (other % 8, other / 8);
            table[square][0] |= ((x == u) as u64) << other;
            table[square][1] |= ((x + v == y + u) as u64) << other;
            table[square][2] |= ((x + y == u + v) as u64) << other;
            other += 1;
        }
        square += 1;
    }
    table
};

/// `RUN_ENDS[place][inner]`: a line of eight squares with opposing discs at bits 1 to 6 given by `inner`;
/// the squares right behind the runs that start next to `place`, on both sides.
static RUN_ENDS: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut place = 0;
    while place < 8 {
        let mut inner = 0;
        while inner < 64 {
            let opp = inner << 1;
            let mut up = place + 1;
            while up < 8 && opp >> up & 1 != 0 {
                up += 1;
            }
            if up < 8 && up > place + 1 {
                table[place][inner] |= 1 << up;
            }
            let mut down = place as i32 - 1;
            while down >= 0 && opp >> down & 1 != 0 {
                down -= 1;
            }
            if down >= 0 && down < place as i32 - 1 {
                table[place][inner] |= 1 << down;
            }
            inner += 1;
        }
        place += 1;
    }
    table
};

/// `RUNS[place][ends]`: the squares between `place` and the nearest of `ends` on each side, in every
/// row of the board.
static RUNS: [[u64; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut ends = 0;
        while ends < 256 {
            let mut runs = 0;
            let mut side = -1;
            while side <= 1 {
                let mut run = 0;
                let mut square = place as i32 + side;
                while square >= 0 && square < 8 && ends >> square & 1 == 0 {
                    run |= 1 << square;
                    square += side;
                }
                if square >= 0 && square < 8 {
                    runs |= run;
                }
                side += 2;
            }
            table[place][ends] = ROWS * runs;
            ends += 1;
        }
        place += 1;
    }
    table
};

/// The discs a move turns over on 8x8, line by line: the line's squares are gathered into a byte,
/// tables give the runs of `opp` and, once their ends are known to be of `own`, the discs in them.
#[inline(always)]
pub(super) fn flips_8x8(own: u64, opp: u64, square: u32) -> u64 {
    /// Gathers a column, shifted to column a, into the top byte, row 1 lowest.
    const COLUMN: u64 = 0x0102_0408_1020_4080;
    /// Spreads the low byte over column a (after masking).
    const SPREAD: u64 = 0x0002_0408_1020_4081;
    let square = square as usize % 64;
    let (x, y) = (square % 8, square / 8);
    let [column, diagonal, antidiagonal] = LINES[square];
    let runs = |place: usize, own_line: u64, opp_inner: u64| {
        let ends = RUN_ENDS[place][opp_inner as usize & 63] & own_line as u8;
        RUNS[place][usize::from(ends)]
    };
    let row = (runs(x, own >> (8 * y), opp >> (8 * y + 1)) & 0xFF) << (8 * y);
    let slanted = |line: u64| {
        let gather = |set: u64| (set & line).wrapping_mul(ROWS);
        runs(x, gather(own) >> 56, gather(opp) >> 57) & line
    };
    let gather = |set: u64| (set >> x & ROWS).wrapping_mul(COLUMN);
    let upright = (runs(y, gather(own) >> 56, gather(opp) >> 57) & 0xFF).wrapping_mul(SPREAD) & ROWS;
    row | slanted(diagonal) | slanted(antidiagonal) | (upright << x & column)
}

/// [`Shape::mobility`] of 8x8 with the board and its image upside down side by side in one register:
/// each step up the board is then a step down in the other half.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn mobility_sse2(own: u64, opp: u64) -> u64 {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cvtsi128_si64, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi64x,
        _mm_slli_epi64, _mm_unpackhi_epi64,
    };
    #[inline]
    #[target_feature(enable = "sse2")]
    fn forward<const STEP: i32, const TWICE: i32>(own: __m128i, through: __m128i) -> __m128i {
        let mut fill = _mm_and_si128(through, _mm_slli_epi64(own, STEP));
        fill = _mm_or_si128(fill, _mm_and_si128(through, _mm_slli_epi64(fill, STEP)));
        let pair = _mm_and_si128(through, _mm_slli_epi64(through, STEP));
        fill = _mm_or_si128(fill, _mm_and_si128(pair, _mm_slli_epi64(fill, TWICE)));
        fill = _mm_or_si128(fill, _mm_and_si128(pair, _mm_slli_epi64(fill, TWICE)));
        _mm_slli_epi64(fill, STEP)
    }
    let both = |set: u64| _mm_set_epi64x(set.swap_bytes() as i64, set as i64);
    let (own_both, opp_both) = (both(own), both(opp));
    let inner_both = _mm_and_si128(opp_both, _mm_set1_epi64x(Standard::INNER as i64));
    let reach = _mm_or_si128(
        _mm_or_si128(forward::<8, 16>(own_both, opp_both), forward::<7, 14>(own_both, inner_both)),
        forward::<9, 18>(own_both, inner_both),
    );
    let down = _mm_cvtsi128_si64(reach) as u64;
    let up = (_mm_cvtsi128_si64(_mm_unpackhi_epi64(reach, reach)) as u64).swap_bytes();
    (down | up | along::<Standard>(own, opp & Standard::INNER, 1)) & !(own | opp)
}

/// [`Shape::mobility`] of 8x8.
#[inline(always)]
pub(super) fn mobility_8x8(own: u64, opp: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { mobility_sse2(own, opp) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        mobility::<Standard>(own, opp)
    }
}

/// The squares of columns `from..to` and rows `from..to`.
const fn rectangle(stride: u32, columns: (u32, u32), rows: (u32, u32)) -> u128 {
    let mut set = 0;
    let mut row = rows.0;
    while row < rows.1 {
        let mut column = columns.0;
        while column < columns.1 {
            set |= 1 << (row * stride + column);
            column += 1;
        }
        row += 1;
    }
    set
}

impl Shape for Standard {
    type Bits = u64;
    const SIDE: u8 = 8;
    const STRIDE: u32 = 8;
    const ORIGIN: u32 = 0;
    const AREA: u64 = !0;
    const INNER: u64 = rectangle(8, (1, 7), (0, 8)) as u64;
    const FIRST: u64 = rectangle(8, (0, 1), (0, 8)) as u64;
    const LAST: u64 = rectangle(8, (7, 8), (0, 8)) as u64;
    const ENDS: u64 = (rectangle(8, (0, 8), (0, 1)) | rectangle(8, (0, 8), (7, 8))) as u64;
    const LEFT: u64 = rectangle(8, (0, 4), (0, 8)) as u64;
    const TOP: u64 = rectangle(8, (0, 8), (0, 4)) as u64;

    #[inline(always)]
    fn flips(own: u64, opp: u64, square: u32) -> u64 {
        flips_8x8(own, opp, square)
    }

    #[inline]
    fn mobility(own: u64, opp: u64) -> u64 {
        mobility_8x8(own, opp)
    }

    fn perft(own: u64, opp: u64, depth: u32, full: bool) -> Option<u64> {
        Some(kernel::perft(own, opp, depth, full))
    }

    #[inline]
    fn trained(own: u64, opp: u64) -> Option<i32> {
        Some(pattern::evaluate(own, opp))
    }
}

impl Shape for Small {
    type Bits = u64;
    const SIDE: u8 = 6;
    const STRIDE: u32 = 8;
    const ORIGIN: u32 = 9;
    const AREA: u64 = rectangle(8, (1, 7), (1, 7)) as u64;
    const INNER: u64 = Self::AREA;
    const FIRST: u64 = rectangle(8, (1, 2), (1, 7)) as u64;
    const LAST: u64 = rectangle(8, (6, 7), (1, 7)) as u64;
    const ENDS: u64 = (rectangle(8, (1, 7), (1, 2)) | rectangle(8, (1, 7), (6, 7))) as u64;
    const LEFT: u64 = rectangle(8, (1, 4), (1, 7)) as u64;
    const TOP: u64 = rectangle(8, (1, 7), (1, 4)) as u64;

    #[inline(always)]
    fn flips(own: u64, opp: u64, square: u32) -> u64 {
        flips_8x8(own, opp, square)
    }

    #[inline]
    fn mobility(own: u64, opp: u64) -> u64 {
        mobility_8x8(own, opp) & Self::AREA
    }
}

impl Shape for Large {
    type Bits = u128;
    const SIDE: u8 = 10;
    const STRIDE: u32 = 11;
    const ORIGIN: u32 = 0;
    const AREA: u128 = rectangle(11, (0, 10), (0, 10));
    const INNER: u128 = Self::AREA;
    const FIRST: u128 = rectangle(11, (0, 1), (0, 10));
    const LAST: u128 = rectangle(11, (9, 10), (0, 10));
    const ENDS: u128 = rectangle(11, (0, 10), (0, 1)) | rectangle(11, (0, 10), (9, 10));
    const LEFT: u128 = rectangle(11, (0, 5), (0, 10));
    const TOP: u128 = rectangle(11, (0, 10), (0, 5));

    #[inline(always)]
    fn flips(own: u128, opp: u128, square: u32) -> u128 {
        let rays = &RAYS_10[square as usize % 128];
        let forward = rays[..4].iter().fold(0, |all, &ray| all | between_forward(ray, own, opp));
        rays[4..].iter().fold(forward, |all, &ray| all | between_backward(ray, own, opp))
    }
}
