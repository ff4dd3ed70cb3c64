//! The last four empty squares, written out. The discs a last move turns over are only counted.
//!
//! The order of squares and the shape of these functions follow what the authors of Edax and of its
//! AVX version describe; scores are differences in discs for the side to move, the empty squares to
//! the winner, fail-soft.

use super::{Code, MAX_SCORE, final_score};

/// `TURNED[place][line]`: twice the number of discs turned over on a line of eight by a disc on
/// `place`, when `line` holds the own discs and all other squares but `place` are the other side's.
static TURNED: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8_usize {
        let mut line = 0;
        while line < 256_usize {
            let mut up = place + 1;
            while up < 8 && line >> up & 1 == 0 {
                up += 1;
            }
            if up < 8 {
                table[place][line] += 2 * (up - place - 1) as u8;
            }
            let mut down = place;
            while down > 0 && line >> (down - 1) & 1 == 0 {
                down -= 1;
            }
            if down > 0 {
                table[place][line] += 2 * (place - down) as u8;
            }
            line += 1;
        }
        place += 1;
    }
    table
};

/// The diagonals through each square: to the lower right, to the lower left.
static DIAGONALS: [[u64; 2]; 64] = {
    let mut table = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        let mut other = 0;
        while other < 64 {
            let (x, y, u, v) = (square % 8, square / 8, other % 8, other / 8);
            table[square][0] |= ((x + v == y + u) as u64) << other;
            table[square][1] |= ((x + y == u + v) as u64) << other;
            other += 1;
        }
        square += 1;
    }
    table
};

/// The squares next to each square.
pub(super) static NEIGHBOURS: [u64; 64] = {
    let mut table = [0; 64];
    let mut square = 0_usize;
    while square < 64 {
        let mut other = 0_usize;
        while other < 64 {
            let (x, y, u, v) = (square % 8, square / 8, other % 8, other / 8);
            let near = x.abs_diff(u) <= 1 && y.abs_diff(v) <= 1 && square != other;
            table[square] |= (near as u64) << other;
            other += 1;
        }
        square += 1;
    }
    table
};

/// Twice the discs turned over by the side that owns `own` on the only empty square.
#[inline(always)]
fn turned(own: u64, square: u32) -> i32 {
    const ROWS: u64 = 0x0101_0101_0101_0101;
    let square = square as usize % 64;
    let (x, y) = (square % 8, square / 8);
    let [diagonal, antidiagonal] = DIAGONALS[square];
    let column = (own >> x & ROWS).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let line = |place: usize, line: u64| i32::from(TURNED[place][line as usize & 255]);
    line(x, own >> (8 * y))
        + line(y, column)
        + line(x, (own & diagonal).wrapping_mul(ROWS) >> 56)
        + line(x, (own & antidiagonal).wrapping_mul(ROWS) >> 56)
}

/// One empty square.
#[inline(always)]
pub(super) fn last1(own: u64, square: u32) -> i32 {
    let lost = 2 * own.count_ones() as i32 - MAX_SCORE;
    let gain = turned(own, square);
    if gain != 0 {
        return lost + 2 + gain;
    }
    let loss = turned(!own & !(1 << square), square);
    if loss != 0 {
        return lost - loss;
    }
    if lost >= 0 { lost + 2 } else { lost }
}

/// Two empty squares.
#[inline(always)]
pub(super) fn last2<I: Code>(nodes: &mut u64, own: u64, opp: u64, squares: (u32, u32), beta: i32) -> i32 {
    *nodes += 1;
    let (first, second) = squares;
    let mut best = -i32::MAX;
    for (square, other) in [(first, second), (second, first)] {
        if NEIGHBOURS[square as usize % 64] & opp != 0 {
            let flips = I::flips(square, own, opp);
            if flips != 0 {
                *nodes += 1;
                best = best.max(-last1(opp ^ flips, other));
                if best >= beta {
                    return best;
                }
            }
        }
    }
    if best > -i32::MAX {
        return best;
    }
    let mut worst = i32::MAX;
    for (square, other) in [(first, second), (second, first)] {
        if NEIGHBOURS[square as usize % 64] & own != 0 {
            let flips = I::flips(square, opp, own);
            if flips != 0 {
                *nodes += 1;
                worst = worst.min(last1(own ^ flips, other));
            }
        }
    }
    if worst < i32::MAX { worst } else { final_score(own, opp) }
}

/// Three empty squares, in the order in which they are tried.
#[inline(always)]
pub(super) fn last3<I: Code>(
    nodes: &mut u64,
    own: u64,
    opp: u64,
    squares: [u32; 3],
    alpha: i32,
    beta: i32,
) -> i32 {
    *nodes += 1;
    let mut best = -i32::MAX;
    let [a, b, c] = squares;
    for (square, rest) in [(a, (b, c)), (b, (a, c)), (c, (a, b))] {
        if NEIGHBOURS[square as usize % 64] & opp != 0 {
            let flips = I::flips(square, own, opp);
            if flips != 0 {
                let value =
                    -last2::<I>(nodes, opp ^ flips, own ^ flips ^ 1 << square, rest, -alpha.max(best));
                best = best.max(value);
                if best >= beta {
                    return best;
                }
            }
        }
    }
    if best > -i32::MAX {
        best
    } else if I::mobility(opp, own) != 0 {
        -I::pass3(nodes, opp, own, squares, -beta, -alpha)
    } else {
        final_score(own, opp)
    }
}

/// Four empty squares; `odd` holds the quarters of the board with an odd number of empty squares.
#[inline(always)]
pub(super) fn last4<I: Code>(nodes: &mut u64, own: u64, opp: u64, odd: u64, alpha: i32, beta: i32) -> i32 {
    *nodes += 1;
    let empty = !(own | opp);
    let mut squares = [0; 4];
    let mut filled = 0;
    for mut set in [empty & odd, empty & !odd] {
        while set != 0 {
            squares[filled % 4] = set.trailing_zeros();
            filled += 1;
            set &= set - 1;
        }
    }
    let mut best = -i32::MAX;
    let [a, b, c, d] = squares;
    // Two pairs: the partner of the square just taken is now alone in its quarter.
    let orders = if empty & odd == 0 {
        let near = |x: u32, y: u32| super::QUARTERS[x as usize % 64] == super::QUARTERS[y as usize % 64];
        if near(a, c) {
            [(a, [c, b, d]), (c, [a, b, d]), (b, [d, a, c]), (d, [b, a, c])]
        } else if near(a, d) {
            [(a, [d, b, c]), (d, [a, b, c]), (b, [c, a, d]), (c, [b, a, d])]
        } else {
            [(a, [b, c, d]), (b, [a, c, d]), (c, [d, a, b]), (d, [c, a, b])]
        }
    } else {
        [(a, [b, c, d]), (b, [a, c, d]), (c, [a, b, d]), (d, [a, b, c])]
    };
    for (square, rest) in orders {
        if NEIGHBOURS[square as usize % 64] & opp != 0 {
            let flips = I::flips(square, own, opp);
            if flips != 0 {
                let (own, opp) = (opp ^ flips, own ^ flips ^ 1 << square);
                let value = -last3::<I>(nodes, own, opp, rest, -beta, -alpha.max(best));
                best = best.max(value);
                if best >= beta {
                    return best;
                }
            }
        }
    }
    if best > -i32::MAX {
        best
    } else if I::mobility(opp, own) != 0 {
        -I::last4(nodes, opp, own, odd, -beta, -alpha)
    } else {
        final_score(own, opp)
    }
}
