//! The spread of both sides at once in 256-bit registers, for x86-64 processors with AVX2.
//!
//! A register holds Black's set in its low half and White's in its high half, each as two 64-bit lanes.

use std::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm256_and_si256, _mm256_andnot_si256, _mm256_bslli_epi128,
    _mm256_bsrli_epi128, _mm256_extract_epi64, _mm256_or_si256, _mm256_permute4x64_epi64, _mm256_set_epi64x,
    _mm256_setzero_si256, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_testz_si256,
};

use super::board::{Board, Set};
use super::spread::Spread;

/// Both sets a place to the left, `0 < places < 64`.
#[inline]
#[target_feature(enable = "avx2")]
fn up(sets: __m256i, places: usize) -> __m256i {
    let moved = _mm256_sll_epi64(sets, _mm_cvtsi32_si128(places as i32));
    let carried = _mm256_srl_epi64(sets, _mm_cvtsi32_si128(64 - places as i32));
    _mm256_or_si256(moved, _mm256_bslli_epi128::<8>(carried))
}

/// Both sets a place to the right, `0 < places < 64`.
#[inline]
#[target_feature(enable = "avx2")]
fn down(sets: __m256i, places: usize) -> __m256i {
    let moved = _mm256_srl_epi64(sets, _mm_cvtsi32_si128(places as i32));
    let carried = _mm256_sll_epi64(sets, _mm_cvtsi32_si128(64 - places as i32));
    _mm256_or_si256(moved, _mm256_bsrli_epi128::<8>(carried))
}

/// Black's and White's set in one register.
#[inline]
#[target_feature(enable = "avx2")]
fn pair(black: Set, white: Set) -> __m256i {
    let (low, high) = (|set: Set| set as u64 as i64, |set: Set| (set >> 64) as u64 as i64);
    _mm256_set_epi64x(high(white), low(white), high(black), low(black))
}

/// A register's two sets.
#[inline]
#[target_feature(enable = "avx2")]
fn sets(pair: __m256i) -> [Set; 2] {
    let join = |low: i64, high: i64| Set::from(low as u64) | Set::from(high as u64) << 64;
    [
        join(_mm256_extract_epi64::<0>(pair), _mm256_extract_epi64::<1>(pair)),
        join(_mm256_extract_epi64::<2>(pair), _mm256_extract_epi64::<3>(pair)),
    ]
}

/// The sides exchanged.
#[inline]
#[target_feature(enable = "avx2")]
fn swap(pair: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0b01_00_11_10>(pair)
}

/// The squares that end a run of two and of four empty squares along one line, upwards and downwards.
#[derive(Clone, Copy)]
struct Runs {
    two: __m256i,
    four: __m256i,
    two_down: __m256i,
    four_down: __m256i,
}

#[inline]
#[target_feature(enable = "avx2")]
fn runs(empty: __m256i, line: usize) -> Runs {
    let two = _mm256_and_si256(empty, up(empty, line));
    let four = _mm256_and_si256(two, up(two, 2 * line));
    Runs { two, four, two_down: down(two, line), four_down: down(four, 3 * line) }
}

/// `from` and the squares a queen on one of them can go to along one line.
#[inline]
#[target_feature(enable = "avx2")]
fn slide<const N: usize>(from: __m256i, empty: __m256i, runs: &Runs, line: usize) -> __m256i {
    let mut fill = _mm256_or_si256(from, _mm256_and_si256(up(from, line), empty));
    let mut sink = _mm256_or_si256(from, _mm256_and_si256(down(from, line), empty));
    fill = _mm256_or_si256(fill, _mm256_and_si256(up(fill, 2 * line), runs.two));
    sink = _mm256_or_si256(sink, _mm256_and_si256(down(sink, 2 * line), runs.two_down));
    if N > 4 {
        fill = _mm256_or_si256(fill, _mm256_and_si256(up(fill, 4 * line), runs.four));
        sink = _mm256_or_si256(sink, _mm256_and_si256(down(sink, 4 * line), runs.four_down));
    }
    if N > 8 {
        fill = _mm256_or_si256(fill, _mm256_and_si256(up(fill, 2 * line), runs.two));
        sink = _mm256_or_si256(sink, _mm256_and_si256(down(sink, 2 * line), runs.two_down));
    }
    _mm256_or_si256(fill, sink)
}

/// As [`super::spread::spread`], which it must equal.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn spread<const N: usize>(amazons: [Set; 2], empty: Set) -> Spread {
    let [line_a, line_b, line_c, line_d] = Board::<N>::LINES;
    let start = pair(amazons[0], amazons[1]);
    let empty = pair(empty, empty);
    let nothing = _mm256_setzero_si256();
    let (a, b) = (runs(empty, line_a), runs(empty, line_b));
    let (c, d) = (runs(empty, line_c), runs(empty, line_d));

    let (mut new, mut reached, mut first, mut ties) = (start, nothing, nothing, nothing);
    let (mut past_1, mut past_2, mut past_3) = (nothing, nothing, nothing);
    let (mut apart_1, mut apart_2, mut apart_3) = (nothing, nothing, nothing);
    loop {
        let straight =
            _mm256_or_si256(slide::<N>(new, empty, &a, line_a), slide::<N>(new, empty, &c, line_c));
        let diagonal =
            _mm256_or_si256(slide::<N>(new, empty, &b, line_b), slide::<N>(new, empty, &d, line_d));
        new = _mm256_andnot_si256(reached, _mm256_and_si256(_mm256_or_si256(straight, diagonal), empty));
        if _mm256_testz_si256(new, new) != 0 {
            break;
        }
        reached = _mm256_or_si256(reached, new);
        first = _mm256_or_si256(first, _mm256_andnot_si256(swap(reached), new));
        let theirs = swap(new);
        ties = _mm256_or_si256(ties, _mm256_and_si256(new, theirs));
        apart_1 = _mm256_or_si256(apart_1, _mm256_and_si256(new, past_1));
        apart_2 = _mm256_or_si256(apart_2, _mm256_and_si256(new, past_2));
        apart_3 = _mm256_or_si256(apart_3, _mm256_and_si256(new, past_3));
        (past_1, past_2, past_3) = (theirs, past_1, past_2);
    }

    let (mut new, mut king_reached, mut king) = (start, nothing, nothing);
    loop {
        let row = _mm256_or_si256(new, _mm256_or_si256(up(new, 1), down(new, 1)));
        let block = _mm256_or_si256(row, _mm256_or_si256(up(row, N + 1), down(row, N + 1)));
        new = _mm256_andnot_si256(king_reached, _mm256_and_si256(block, empty));
        if _mm256_testz_si256(new, new) != 0 {
            break;
        }
        king_reached = _mm256_or_si256(king_reached, new);
        king = _mm256_or_si256(king, _mm256_andnot_si256(swap(king_reached), new));
    }

    let [apart_1, apart_2, apart_3] = [sets(apart_1), sets(apart_2), sets(apart_3)];
    Spread {
        queen: sets(first),
        queen_ties: sets(ties)[0],
        king: sets(king),
        reached: sets(reached),
        apart: [apart_1[0] | apart_1[1], apart_2[0] | apart_2[1], apart_3[0] | apart_3[1]],
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::squares;
    use super::*;
    use crate::game::random;

    fn agrees<const N: usize>(rng: &mut random::Rng) {
        for density in 0..=N * N {
            let mut sets = [0; 3];
            for square in squares(Board::<N>::ALL) {
                let piece = random::below(rng, 6 * (N * N) as u32) as usize;
                match piece {
                    0..4 => sets[0] |= 1 << square,
                    4..8 => sets[1] |= 1 << square,
                    _ if piece % (N * N) >= density => sets[2] |= 1 << square,
                    _ => {}
                }
            }
            // SAFETY: called only where the processor has AVX2.
            let fast = unsafe { spread::<N>([sets[0], sets[1]], sets[2]) };
            assert_eq!(fast, super::super::spread::spread::<N>([sets[0], sets[1]], sets[2]), "{sets:x?}");
        }
    }

    #[test]
    fn agrees_with_the_portable_kernel() {
        if !is_x86_feature_detected!("avx2") {
            return;
        }
        let mut rng = random::rng(1);
        for _ in 0..50 {
            agrees::<4>(&mut rng);
            agrees::<5>(&mut rng);
            agrees::<6>(&mut rng);
            agrees::<7>(&mut rng);
            agrees::<8>(&mut rng);
            agrees::<9>(&mut rng);
            agrees::<10>(&mut rng);
        }
    }
}
