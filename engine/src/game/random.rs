//! Repeatable random numbers and hash keys.

use rand::SeedableRng;
pub use rand::rngs::Xoshiro256PlusPlus;

/// The generator of playouts and of level noise: the same seed gives the same numbers on every
/// machine, which `StdRng` and `SmallRng` do not promise.
pub type Rng = Xoshiro256PlusPlus;

/// A generator for a seed.
#[must_use]
pub fn rng(seed: u64) -> Rng {
    Rng::seed_from_u64(seed)
}

/// A number in `0..bound` (`bound > 0`), by multiplication: one multiply, a bias below `bound / 2^32`.
#[inline]
pub fn below(rng: &mut Rng, bound: u32) -> u32 {
    use rand::Rng as _;
    ((u64::from(rng.next_u32()) * u64::from(bound)) >> 32) as u32
}

/// SplitMix64's output function (Steele, Lea, Flood 2014): a bijection that spreads any input, for
/// Zobrist tables made at compile time and for hashing bit boards.
#[must_use]
#[inline]
pub const fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A table of `N` Zobrist keys; different `salt`s give unrelated tables.
#[must_use]
pub const fn keys<const N: usize>(salt: u64) -> [u64; N] {
    let mut table = [0; N];
    let mut i = 0;
    while i < N {
        table[i] = mix(mix(salt) ^ (i as u64).wrapping_mul(0xD134_2543_DE82_EF95));
        i += 1;
    }
    table
}
