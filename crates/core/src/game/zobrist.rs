//! Constant random numbers for Zobrist keys, and a hash function for numbers.

/// A table of random numbers, computed at compile time from `seed`.
///
/// The generator is SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
pub const fn random_table<const N: usize>(seed: u64) -> [u64; N] {
    let mut table = [0; N];
    let mut state = seed;
    let mut i = 0;
    while i < N {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        table[i] = mixed(state);
        i += 1;
    }
    table
}

/// Hashes a number to a key (the finaliser of SplitMix64).
#[inline]
pub const fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}
