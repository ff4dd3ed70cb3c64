//! The hot functions of 8x8 in three versions: for any processor, for AVX2 and for AVX-512.
//!
//! Code that recurses over positions is generic over an [`Isa`] and compiled once for each. The
//! instructions are only used where the whole caller may use them, so such code enters through a
//! function with the `target_feature` attribute and marks everything below `#[inline(always)]`.
//! [`best`] tells which version the processor at hand can run.

use std::fmt::Debug;
use std::sync::LazyLock;

use super::board::{flips_8x8, mobility_8x8};
use super::pattern::{CENTRES, DELTAS, FEATURES, Features, LANES, SIZE};

/// A set of instructions.
///
/// Squares are numbered from a1 = 0 along the rows to h8 = 63; `square` is below 64.
pub trait Isa: Copy + Debug + Send + Sync + 'static {
    /// The discs of `opp` that a disc of `own` on the empty `square` turns over.
    fn flips(square: u32, own: u64, opp: u64) -> u64;
    /// The empty squares where a disc of `own` turns something over.
    fn mobility(own: u64, opp: u64) -> u64;
    /// The features after a move, for the side that moves next.
    fn after(features: &Features, square: u32, flips: u64) -> Features;
    /// The sum of the weights of the features.
    fn sum(weights: &[i16; SIZE], features: &Features) -> i32;
    /// The sum of the weights of the features after a move.
    fn sum_after(weights: &[i16; SIZE], features: &Features, square: u32, flips: u64) -> i32;
    /// The same features seen by the other side.
    #[inline(always)]
    fn swapped(features: &Features) -> Features {
        Features(features.0.map(i16::wrapping_neg))
    }
}

/// Instructions every processor has.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

/// AVX2, BMI and LZCNT (x86-64-v3).
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

/// The same and AVX-512 with CD and VL (x86-64-v4).
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

/// What the processor can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// [`Portable`].
    Portable,
    /// [`Avx2`].
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// [`Avx512`].
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The best level of this processor, or the one named by the environment variable `TENGEN_ISA`
/// (`portable`, `avx2`) where it is lower.
#[must_use]
pub fn best() -> Level {
    static BEST: LazyLock<Level> = LazyLock::new(|| {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let wanted = std::env::var("TENGEN_ISA").unwrap_or_default();
            let v3 = has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
            let v4 = has!("avx512f") && has!("avx512cd") && has!("avx512vl");
            if !v3 || wanted == "portable" {
                Level::Portable
            } else if !v4 || wanted == "avx2" {
                Level::Avx2
            } else {
                Level::Avx512
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Level::Portable
    });
    *BEST
}

/// Defines a trait whose functions are entries into code compiled for each [`Isa`]:
///
/// `entries!(/** docs */ pub trait Name { fn entry(argument: Type, ...) -> Type = body; ... });`
///
/// where `body::<I: Name>` takes the same arguments and is `#[inline(always)]`. Bodies may call the
/// entries, also of themselves.
macro_rules! entries {
    ($(#[$about:meta])* $vis:vis trait $name:ident {
        $($(#[$doc:meta])* fn $entry:ident($($argument:ident: $type:ty),* $(,)?) -> $out:ty = $body:path;)*
    }) => {
        $(#[$about])*
        $vis trait $name: $crate::games::othello::kernel::Isa {
            $($(#[$doc])* fn $entry($($argument: $type),*) -> $out;)*
        }
        impl $name for $crate::games::othello::kernel::Portable {
            $(fn $entry($($argument: $type),*) -> $out {
                use $body as body;
                body::<$crate::games::othello::kernel::Portable>($($argument),*)
            })*
        }
        #[cfg(target_arch = "x86_64")]
        impl $name for $crate::games::othello::kernel::Avx2 {
            $(#[inline(always)]
            fn $entry($($argument: $type),*) -> $out {
                use $body as body;
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn compiled($($argument: $type),*) -> $out {
                    body::<$crate::games::othello::kernel::Avx2>($($argument),*)
                }
                // SAFETY: `with_isa!` chooses this type only where the processor has the features.
                unsafe { compiled($($argument),*) }
            })*
        }
        #[cfg(target_arch = "x86_64")]
        impl $name for $crate::games::othello::kernel::Avx512 {
            $(#[inline(always)]
            fn $entry($($argument: $type),*) -> $out {
                use $body as body;
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512cd,avx512vl")]
                fn compiled($($argument: $type),*) -> $out {
                    body::<$crate::games::othello::kernel::Avx512>($($argument),*)
                }
                // SAFETY: as above.
                unsafe { compiled($($argument),*) }
            })*
        }
    };
}
pub(crate) use entries;

/// `with_isa!(I => expression)`: the expression with `I` as the best [`Isa`] of this processor.
macro_rules! with_isa {
    ($isa:ident => $body:expr) => {{
        use $crate::games::othello::kernel;
        match kernel::best() {
            #[cfg(target_arch = "x86_64")]
            kernel::Level::Avx512 => {
                type $isa = kernel::Avx512;
                $body
            }
            #[cfg(target_arch = "x86_64")]
            kernel::Level::Avx2 => {
                type $isa = kernel::Avx2;
                $body
            }
            kernel::Level::Portable => {
                type $isa = kernel::Portable;
                $body
            }
        }
    }};
}
pub(crate) use with_isa;

impl Isa for Portable {
    #[inline(always)]
    fn flips(square: u32, own: u64, opp: u64) -> u64 {
        flips_8x8(own, opp, square)
    }

    #[inline(always)]
    fn mobility(own: u64, opp: u64) -> u64 {
        mobility_8x8(own, opp)
    }

    #[inline(always)]
    fn after(features: &Features, square: u32, mut flips: u64) -> Features {
        let mut turned = [0_i16; LANES];
        while flips != 0 {
            let delta = &DELTAS[flips.trailing_zeros() as usize % 64].0;
            for (sum, &step) in turned.iter_mut().zip(delta) {
                *sum = sum.wrapping_add(step);
            }
            flips &= flips - 1;
        }
        let mut after = [0_i16; LANES];
        let placed = &DELTAS[square as usize % 64].0;
        for lane in 0..LANES {
            let now = features.0[lane].wrapping_add(placed[lane]);
            after[lane] = now.wrapping_add(turned[lane].wrapping_mul(2)).wrapping_neg();
        }
        Features(after)
    }

    #[inline(always)]
    fn sum(weights: &[i16; SIZE], features: &Features) -> i32 {
        let first = weights.as_ptr();
        let mut sum = 0;
        for (&centre, &number) in CENTRES.iter().zip(&features.0).take(FEATURES) {
            let index = centre as isize + isize::from(number);
            debug_assert!((0..SIZE as isize).contains(&index));
            // SAFETY: features of n squares are at most (3^n - 1) / 2 from 0 while they are sums of the
            // deltas of discs on different squares, which is all the pattern module and the search make.
            sum += i32::from(unsafe { *first.offset(index) });
        }
        sum
    }

    #[inline(always)]
    fn sum_after(weights: &[i16; SIZE], features: &Features, square: u32, flips: u64) -> i32 {
        Self::sum(weights, &Self::after(features, square, flips))
    }
}

/// `RAYS[square]`: the squares from `square` to the edge, without it, towards higher numbers by steps
/// of 1, 8, 7 and 9, then towards lower ones by the same steps.
#[cfg(target_arch = "x86_64")]
static RAYS: [Rays; 64] = {
    const STEPS: [(i32, i32); 8] = [(1, 0), (0, 1), (-1, 1), (1, 1), (-1, 0), (0, -1), (1, -1), (-1, -1)];
    let mut table = [const { Rays([0; 8]) }; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (dx, dy) = STEPS[direction];
            let (mut x, mut y) = (square % 8 + dx, square / 8 + dy);
            while x >= 0 && x < 8 && y >= 0 && y < 8 {
                table[square as usize].0[direction] |= 1 << (8 * y + x);
                (x, y) = (x + dx, y + dy);
            }
            direction += 1;
        }
        square += 1;
    }
    table
};

#[cfg(target_arch = "x86_64")]
#[repr(align(64))]
struct Rays([u64; 8]);

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_cvtsi128_si64, _mm_or_si128,
        _mm_shuffle_epi32, _mm_unpackhi_epi64, _mm256_add_epi16, _mm256_add_epi32, _mm256_add_epi64,
        _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi64,
        _mm256_cvtepi16_epi32, _mm256_extracti128_si256, _mm256_i32gather_epi32, _mm256_load_si256,
        _mm256_loadu_si256, _mm256_lzcnt_epi64, _mm256_or_si256, _mm256_set_epi64x, _mm256_set1_epi64x,
        _mm256_setzero_si256, _mm256_slli_epi32, _mm256_sllv_epi64, _mm256_srai_epi32, _mm256_srlv_epi64,
        _mm256_store_si256, _mm256_sub_epi16, _mm256_sub_epi64,
    };

    use super::super::board::{Shape, Standard};
    use super::{CENTRES, DELTAS, FEATURES, Features, LANES, RAYS, SIZE};

    // These are compiled with their callers and for what those are compiled for: functions with the
    // `target_feature` attribute cannot be inlined always. All are safe where the processor has AVX2
    // (and LZCNT of AVX-512 for `flips_avx512`).

    /// Lanes by step: 1, 8, 7, 9.
    #[inline(always)]
    unsafe fn steps() -> __m256i {
        // SAFETY: the caller promises the instructions; tables are aligned to 32 bytes and more.
        unsafe { _mm256_set_epi64x(9, 7, 8, 1) }
    }

    #[inline(always)]
    unsafe fn any(set: __m256i) -> u64 {
        // SAFETY: the caller promises the instructions; tables are aligned to 32 bytes and more.
        unsafe {
            let half = _mm_or_si128(_mm256_castsi256_si128(set), _mm256_extracti128_si256::<1>(set));
            _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
        }
    }

    #[inline(always)]
    unsafe fn rays(square: u32) -> (__m256i, __m256i) {
        // SAFETY: the caller promises the instructions; tables are aligned to 32 bytes and more.
        unsafe {
            let rays: *const u64 = RAYS[square as usize % 64].0.as_ptr();
            (_mm256_load_si256(rays.cast()), _mm256_load_si256(rays.add(4).cast()))
        }
    }

    /// The discs turned over on the rays to higher numbers: adding 1 at the near end of a ray carries
    /// through the run of `opp` and stops behind it.
    #[inline(always)]
    unsafe fn upward(ray: __m256i, own: __m256i, opp: __m256i) -> __m256i {
        // SAFETY: the caller promises the instructions; tables are aligned to 32 bytes and more.
        unsafe {
            let zero = _mm256_setzero_si256();
            let behind = _mm256_sub_epi64(zero, _mm256_andnot_si256(opp, ray));
            let end = _mm256_and_si256(behind, _mm256_and_si256(ray, own));
            // The squares below the end, none when there is none.
            let ones = _mm256_set1_epi64x(-1);
            let below = _mm256_add_epi64(end, _mm256_sub_epi64(ones, _mm256_cmpeq_epi64(end, zero)));
            _mm256_and_si256(below, ray)
        }
    }

    /// AVX2 has no count of leading zeros, so the run is bounded by smearing the squares that are not
    /// of `opp` towards the far end of each ray.
    #[inline(always)]
    pub(super) unsafe fn flips_avx2(square: u32, own: u64, opp: u64) -> u64 {
        // SAFETY: the caller promises the instructions; tables are aligned to 32 bytes and more.
        unsafe {
            let (up, down) = rays(square);
            let (own, opp) = (_mm256_set1_epi64x(own as i64), _mm256_set1_epi64x(opp as i64));
            let step = steps();
            let twice = _mm256_add_epi64(step, step);
            let mut beyond = _mm256_andnot_si256(opp, down);
            beyond = _mm256_or_si256(beyond, _mm256_srlv_epi64(beyond, step));
            beyond = _mm256_or_si256(beyond, _mm256_srlv_epi64(beyond, twice));
            beyond = _mm256_or_si256(beyond, _mm256_srlv_epi64(beyond, _mm256_add_epi64(twice, twice)));
            let nearest = _mm256_andnot_si256(_mm256_srlv_epi64(beyond, step), beyond);
            let open = _mm256_cmpeq_epi64(_mm256_and_si256(nearest, own), _mm256_setzero_si256());
            let backward = _mm256_andnot_si256(_mm256_or_si256(beyond, open), down);
            any(_mm256_or_si256(upward(up, own, opp), backward))
        }
    }

    #[inline(always)]
    pub(super) unsafe fn flips_avx512(square: u32, own: u64, opp: u64) -> u64 {
        // SAFETY: the caller promises the instructions; tables are aligned to 32 bytes and more.
        unsafe {
            let (up, down) = rays(square);
            let (own, opp) = (_mm256_set1_epi64x(own as i64), _mm256_set1_epi64x(opp as i64));
            // Shifting by 64, for a ray full of `opp`, gives 0.
            let stops = _mm256_lzcnt_epi64(_mm256_andnot_si256(opp, down));
            let nearest = _mm256_srlv_epi64(_mm256_set1_epi64x(i64::MIN), stops);
            let end = _mm256_and_si256(nearest, own);
            let above = _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_add_epi64(end, end));
            any(_mm256_or_si256(upward(up, own, opp), _mm256_and_si256(above, down)))
        }
    }

    /// For each direction the runs of `opp` that start next to a disc of `own` are filled by doubling
    /// steps, then the squares behind them are taken.
    #[inline(always)]
    pub(super) unsafe fn mobility(own: u64, opp: u64) -> u64 {
        // SAFETY: the caller promises the instructions; tables are aligned to 32 bytes and more.
        unsafe {
            let inner = Standard::INNER as i64;
            let step = steps();
            let twice = _mm256_add_epi64(step, step);
            let mine = _mm256_set1_epi64x(own as i64);
            let through =
                _mm256_and_si256(_mm256_set1_epi64x(opp as i64), _mm256_set_epi64x(inner, inner, -1, inner));
            let mut up = _mm256_and_si256(through, _mm256_sllv_epi64(mine, step));
            let mut down = _mm256_and_si256(through, _mm256_srlv_epi64(mine, step));
            up = _mm256_or_si256(up, _mm256_and_si256(through, _mm256_sllv_epi64(up, step)));
            down = _mm256_or_si256(down, _mm256_and_si256(through, _mm256_srlv_epi64(down, step)));
            let pair_up = _mm256_and_si256(through, _mm256_sllv_epi64(through, step));
            let pair_down = _mm256_srlv_epi64(pair_up, step);
            up = _mm256_or_si256(up, _mm256_and_si256(pair_up, _mm256_sllv_epi64(up, twice)));
            down = _mm256_or_si256(down, _mm256_and_si256(pair_down, _mm256_srlv_epi64(down, twice)));
            up = _mm256_or_si256(up, _mm256_and_si256(pair_up, _mm256_sllv_epi64(up, twice)));
            down = _mm256_or_si256(down, _mm256_and_si256(pair_down, _mm256_srlv_epi64(down, twice)));
            let reach = _mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step));
            any(reach) & !(own | opp)
        }
    }

    type Lanes = [__m256i; 3];

    #[inline(always)]
    unsafe fn load(features: &Features) -> Lanes {
        const { assert!(LANES == 48) };
        let lanes: *const __m256i = features.0.as_ptr().cast();
        // SAFETY: the caller promises the instructions; the lanes are three vectors, aligned to 32 bytes.
        unsafe {
            [_mm256_load_si256(lanes), _mm256_load_si256(lanes.add(1)), _mm256_load_si256(lanes.add(2))]
        }
    }

    #[inline(always)]
    unsafe fn lanes_after(features: &Features, square: u32, mut flips: u64) -> Lanes {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let now = load(features);
            let placed = load(&DELTAS[square as usize % 64]);
            let mut turned = [_mm256_setzero_si256(); 3];
            while flips != 0 {
                let delta = load(&DELTAS[flips.trailing_zeros() as usize % 64]);
                turned = [
                    _mm256_add_epi16(turned[0], delta[0]),
                    _mm256_add_epi16(turned[1], delta[1]),
                    _mm256_add_epi16(turned[2], delta[2]),
                ];
                flips &= flips - 1;
            }
            let mut out = now;
            for i in 0..3 {
                let turned = _mm256_add_epi16(turned[i], turned[i]);
                let sum = _mm256_add_epi16(_mm256_add_epi16(now[i], placed[i]), turned);
                out[i] = _mm256_sub_epi16(_mm256_setzero_si256(), sum);
            }
            out
        }
    }

    #[inline(always)]
    pub(super) unsafe fn after(features: &Features, square: u32, flips: u64) -> Features {
        // SAFETY: the caller promises the instructions; the lanes are three vectors, aligned to 32 bytes.
        unsafe {
            let after = lanes_after(features, square, flips);
            let mut out = Features([0; LANES]);
            let lanes: *mut __m256i = out.0.as_mut_ptr().cast();
            for (i, &lane) in after.iter().enumerate() {
                _mm256_store_si256(lanes.add(i), lane);
            }
            out
        }
    }

    /// Gathers pairs of weights, of which the first count. The lanes without a feature read the first
    /// weight, which is taken off again.
    #[inline(always)]
    unsafe fn gather(weights: &[i16; SIZE], lanes: Lanes) -> i32 {
        // SAFETY: the caller promises the instructions. A feature of n squares is at most (3^n - 1) / 2
        // from 0, as it is a sum of the deltas of discs on different squares, so each index is that of a
        // weight, and not the last one: the constants follow.
        unsafe {
            let centres: *const __m256i = CENTRES.as_ptr().cast();
            let eight = |numbers: __m128i, i: usize| {
                let index =
                    _mm256_add_epi32(_mm256_cvtepi16_epi32(numbers), _mm256_loadu_si256(centres.add(i)));
                let pairs = _mm256_i32gather_epi32::<2>(weights.as_ptr().cast(), index);
                _mm256_srai_epi32::<16>(_mm256_slli_epi32::<16>(pairs))
            };
            let mut sum = _mm256_setzero_si256();
            for (i, &lane) in lanes.iter().enumerate() {
                sum = _mm256_add_epi32(sum, eight(_mm256_castsi256_si128(lane), 2 * i));
                sum = _mm256_add_epi32(sum, eight(_mm256_extracti128_si256::<1>(lane), 2 * i + 1));
            }
            let half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
            let half = _mm_add_epi32(half, _mm_unpackhi_epi64(half, half));
            let half = _mm_add_epi32(half, _mm_shuffle_epi32::<0x55>(half));
            _mm_cvtsi128_si32(half) - (LANES - FEATURES) as i32 * i32::from(weights[0])
        }
    }

    #[inline(always)]
    pub(super) unsafe fn sum(weights: &[i16; SIZE], features: &Features) -> i32 {
        // SAFETY: as the caller promises.
        unsafe { gather(weights, load(features)) }
    }

    #[inline(always)]
    pub(super) unsafe fn sum_after(
        weights: &[i16; SIZE],
        features: &Features,
        square: u32,
        flips: u64,
    ) -> i32 {
        // SAFETY: as the caller promises.
        unsafe { gather(weights, lanes_after(features, square, flips)) }
    }
}

/// An [`Isa`] of [`x86`]'s functions, of which only `flips` differs.
#[cfg(target_arch = "x86_64")]
macro_rules! x86_isa {
    ($isa:ty, $flips:path) => {
        impl Isa for $isa {
            #[inline(always)]
            fn flips(square: u32, own: u64, opp: u64) -> u64 {
                // SAFETY: `with_isa!` chooses this type only where the processor has the instructions.
                unsafe { $flips(square, own, opp) }
            }

            #[inline(always)]
            fn mobility(own: u64, opp: u64) -> u64 {
                // SAFETY: as above.
                unsafe { x86::mobility(own, opp) }
            }

            #[inline(always)]
            fn after(features: &Features, square: u32, flips: u64) -> Features {
                // SAFETY: as above.
                unsafe { x86::after(features, square, flips) }
            }

            #[inline(always)]
            fn sum(weights: &[i16; SIZE], features: &Features) -> i32 {
                // SAFETY: as above.
                unsafe { x86::sum(weights, features) }
            }

            #[inline(always)]
            fn sum_after(weights: &[i16; SIZE], features: &Features, square: u32, flips: u64) -> i32 {
                // SAFETY: as above.
                unsafe { x86::sum_after(weights, features, square, flips) }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
x86_isa!(Avx2, x86::flips_avx2);
#[cfg(target_arch = "x86_64")]
x86_isa!(Avx512, x86::flips_avx512);

entries! {
    /// Perft.
    trait Perft {
        fn bulk(own: u64, opp: u64, depth: u32) -> u64 = bulk;
        fn full(own: u64, opp: u64, depth: u32) -> u64 = full;
    }
}

/// Leaves of the game tree `depth` plies from a position; a forced pass counts as a ply, and a game
/// that ends earlier as one leaf. The last ply is counted by mobility, or played too if `full`.
#[must_use]
pub fn perft(own: u64, opp: u64, depth: u32, full: bool) -> u64 {
    match (depth, full) {
        (0, _) => 1,
        (_, false) => with_isa!(I => I::bulk(own, opp, depth)),
        (_, true) => with_isa!(I => I::full(own, opp, depth)),
    }
}

#[inline(always)]
fn bulk<I: Perft>(own: u64, opp: u64, depth: u32) -> u64 {
    let mut moves = I::mobility(own, opp);
    if moves == 0 {
        return if depth == 1 || I::mobility(opp, own) == 0 { 1 } else { I::bulk(opp, own, depth - 1) };
    }
    if depth == 1 {
        return u64::from(moves.count_ones());
    }
    let mut total = 0;
    while moves != 0 {
        let square = moves.trailing_zeros();
        let flips = I::flips(square, own, opp);
        let (next_own, next_opp) = (opp ^ flips, own | flips | 1 << square);
        total += if depth == 2 {
            // The call is saved where most of the time goes; one without a move has a pass or an end.
            u64::from(I::mobility(next_own, next_opp).count_ones().max(1))
        } else {
            I::bulk(next_own, next_opp, depth - 1)
        };
        moves &= moves - 1;
    }
    total
}

#[inline(always)]
fn full<I: Perft>(own: u64, opp: u64, depth: u32) -> u64 {
    let mut moves = I::mobility(own, opp);
    if moves == 0 {
        return if depth == 1 || I::mobility(opp, own) == 0 { 1 } else { I::full(opp, own, depth - 1) };
    }
    let mut total = 0;
    while moves != 0 {
        let square = moves.trailing_zeros();
        let flips = I::flips(square, own, opp);
        let (next_own, next_opp) = (opp ^ flips, own | flips | 1 << square);
        total += if depth == 1 {
            // Kept alive, so that the position is really made.
            std::hint::black_box((next_own, next_opp));
            1
        } else {
            I::full(next_own, next_opp, depth - 1)
        };
        moves &= moves - 1;
    }
    total
}
