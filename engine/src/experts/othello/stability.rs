//! Discs that can never be turned over again, as far as they are easy to see: a bound on the score.

use std::sync::LazyLock;

use super::MAX_SCORE;

/// `EDGES[own + 256 * opp]`: the stable discs of `own` on an edge.
static EDGES: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    let mut table = vec![0; 1 << 16].into_boxed_slice();
    // From full edges to empty ones, so that what a move leads to is known before it.
    for empty in 0..=8 {
        for own in 0..=255_u8 {
            for opp in 0..=255_u8 {
                if own & opp == 0 && (own | opp).count_zeros() == empty {
                    table[usize::from(own) + 256 * usize::from(opp)] = stable_on_edge(&table, own, opp);
                }
            }
        }
    }
    table
});

/// Computes the table if that has not been done.
pub(super) fn prepare() {
    LazyLock::force(&EDGES);
}

/// The discs of `own` that stay whoever moves on the edge, given the same for fuller edges. A disc put
/// there need not turn anything over on the edge itself.
fn stable_on_edge(table: &[u8], own: u8, opp: u8) -> u8 {
    let stable_after = |own: u8, opp: u8| table[usize::from(own) + 256 * usize::from(opp)];
    let mut stable = own;
    for square in 0..8 {
        let bit = 1 << square;
        if (own | opp) & bit != 0 {
            continue;
        }
        let turned = turned_on_edge(own, opp, square);
        stable &= stable_after(own | turned | bit, opp & !turned);
        let turned = turned_on_edge(opp, own, square);
        stable &= stable_after(own & !turned, opp | turned | bit);
    }
    stable
}

fn turned_on_edge(own: u8, opp: u8, square: i32) -> u8 {
    let mut turned = 0;
    for side in [-1, 1] {
        let mut run = 0;
        let mut at = square + side;
        while (0..8).contains(&at) && opp >> at & 1 != 0 {
            run |= 1 << at;
            at += side;
        }
        if (0..8).contains(&at) && own >> at & 1 != 0 {
            turned |= run;
        }
    }
    turned
}

const COLUMN_A: u64 = 0x0101_0101_0101_0101;
const COLUMN_H: u64 = COLUMN_A << 7;
const ROWS_18: u64 = 0xFF00_0000_0000_00FF;

/// Gathers column a into a byte, row 1 lowest.
#[inline(always)]
fn column_a(set: u64) -> usize {
    ((set & COLUMN_A).wrapping_mul(0x0102_0408_1020_4080) >> 56) as usize
}

/// Spreads a byte over column a, the lowest bit in row 1.
#[inline(always)]
fn to_column_a(byte: u8) -> u64 {
    let low = u64::from(byte & 0x7F).wrapping_mul(0x0002_0408_1020_4081) & COLUMN_A;
    low | u64::from(byte >> 7) << 56
}

/// The squares whose row, column, diagonal and antidiagonal have no empty square.
#[inline(always)]
fn full_lines(discs: u64) -> [u64; 4] {
    let mut rows = discs & discs >> 4;
    rows &= rows >> 2;
    rows &= rows >> 1;
    let rows = (rows & COLUMN_A).wrapping_mul(0xFF);

    let mut columns = discs & discs.rotate_right(32);
    columns &= columns.rotate_right(16);
    columns &= columns.rotate_right(8);

    // A square beyond the edge counts as filled.
    const FILLED_UP: [u64; 3] = [0xFF80_8080_8080_8080, 0xFFFF_C0C0_C0C0_C0C0, 0xFFFF_FFFF_F0F0_F0F0];
    const FILLED_DOWN: [u64; 3] = [0x0101_0101_0101_01FF, 0x0303_0303_0303_FFFF, 0x0F0F_0F0F_FFFF_FFFF];
    const ANTI_UP: [u64; 3] = [0xFF01_0101_0101_0101, 0xFFFF_0303_0303_0303, 0xFFFF_FFFF_0F0F_0F0F];
    const ANTI_DOWN: [u64; 3] = [0x8080_8080_8080_80FF, 0xC0C0_C0C0_C0C0_FFFF, 0xF0F0_F0F0_FFFF_FFFF];
    let line = |step: u32, up: &[u64; 3], down: &[u64; 3]| {
        let (mut towards_high, mut towards_low) = (discs, discs);
        for (i, &factor) in [1, 2, 4].iter().enumerate() {
            towards_high &= towards_high >> (step * factor) | up[i];
            towards_low &= towards_low << (step * factor) | down[i];
        }
        towards_high & towards_low
    };
    [rows, columns, line(9, &FILLED_UP, &FILLED_DOWN), line(7, &ANTI_UP, &ANTI_DOWN)]
}

/// Discs of `own` that are certainly stable.
pub(super) fn stable(own: u64, opp: u64) -> u64 {
    let edges: &[u8] = &EDGES;
    let edge = |own: usize, opp: usize| edges[(own & 255) + 256 * (opp & 255)];
    let mut stable = u64::from(edge(own as usize, opp as usize))
        | u64::from(edge((own >> 56) as usize, (opp >> 56) as usize)) << 56
        | to_column_a(edge(column_a(own), column_a(opp)))
        | to_column_a(edge(column_a(own >> 7), column_a(opp >> 7))) << 7;

    let [rows, columns, diagonals, antidiagonals] = full_lines(own | opp);
    stable |= rows & columns & diagonals & antidiagonals & own;
    if stable == 0 {
        return 0;
    }
    // On each of its four lines a stable disc has a stable neighbour, the edge behind it, or no empty
    // square.
    const SIDES: u64 = COLUMN_A | COLUMN_H;
    loop {
        let grown = own
            & (stable << 1 | stable >> 1 | rows | SIDES)
            & (stable << 8 | stable >> 8 | columns | ROWS_18)
            & (stable << 9 | stable >> 9 | diagonals | SIDES | ROWS_18)
            & (stable << 7 | stable >> 7 | antidiagonals | SIDES | ROWS_18);
        // Shifts run over the sides, but squares on a side are let in by the masks of three lines and
        // the edge table knows them: none is added there.
        let grown = stable | grown & !(SIDES | ROWS_18);
        if grown == stable {
            return stable;
        }
        stable = grown;
    }
}

/// The most the side that owns `own` can still score, seen from the discs of `opp` that are stable.
#[inline(always)]
pub(super) fn most(own: u64, opp: u64) -> i32 {
    MAX_SCORE - 2 * stable(opp, own).count_ones() as i32
}
