//! The arithmetic of 16-bit numbers on which all time of a net is spent, in loops that the compiler turns
//! into vector instructions.

/// Numbers that are computed together.
pub(super) const LANES: usize = 32;

/// What stands for 1 in an accumulator.
pub(super) const ONE: i16 = 255;

/// A block of numbers.
pub(super) type Lanes = [i16; LANES];

/// A block of zeros.
pub(super) const ZEROS: Lanes = [0; LANES];

/// The blocks that hold so many numbers.
pub(super) const fn blocks(numbers: usize) -> usize {
    numbers.div_ceil(LANES)
}

/// Rows of `width` numbers as rows of whole blocks, with zeros at the end of each.
pub(super) fn padded(numbers: &[i16], width: usize) -> Vec<Lanes> {
    let block = |part: &[i16]| -> Lanes { std::array::from_fn(|lane| part.get(lane).copied().unwrap_or(0)) };
    numbers.chunks_exact(width).flat_map(|row| row.chunks(LANES).map(block)).collect()
}

/// `to` becomes `from` plus some columns less some others. Sums wrap around, so that their order does not
/// matter. A block is summed up in registers; each column is a slice of its own, as the sums would not stay
/// there otherwise.
#[inline]
pub(super) fn add_and_subtract<const A: usize, const S: usize>(
    from: &[Lanes],
    added: [&[Lanes]; A],
    subtracted: [&[Lanes]; S],
    to: &mut [Lanes],
) {
    let from = &from[..to.len()];
    let (added, subtracted) = (added.map(|column| &column[..to.len()]), subtracted.map(|c| &c[..to.len()]));
    for block in 0..to.len() {
        let mut sums = from[block];
        for column in added {
            for (sum, number) in sums.iter_mut().zip(column[block]) {
                *sum = sum.wrapping_add(number);
            }
        }
        for column in subtracted {
            for (sum, number) in sums.iter_mut().zip(column[block]) {
                *sum = sum.wrapping_sub(number);
            }
        }
        to[block] = sums;
    }
}

/// Adds a column.
#[inline]
pub(super) fn add(sums: &mut [Lanes], column: &[Lanes]) {
    for (sums, column) in sums.iter_mut().zip(column) {
        // In place, the compiler would add number by number.
        *sums = std::array::from_fn(|lane| sums[lane].wrapping_add(column[lane]));
    }
}

/// Subtracts a column.
#[inline]
pub(super) fn subtract(sums: &mut [Lanes], column: &[Lanes]) {
    for (sums, column) in sums.iter_mut().zip(column) {
        *sums = std::array::from_fn(|lane| sums[lane].wrapping_sub(column[lane]));
    }
}

/// The sum of the products of weights and activations, SCReLU: the square of a number that is cut off at 0
/// and at [`ONE`]. Weights are at most 127 in magnitude, so that the product of weight and number, the first
/// of the two that are computed, has 16 bits.
#[inline]
pub(super) fn activated_dot(numbers: &[Lanes], weights: &[Lanes]) -> i32 {
    let mut sum = 0_i32;
    // One loop over all numbers: of two loops, the compiler would add up the lanes of each block.
    for (&number, &weight) in numbers.as_flattened().iter().zip(weights.as_flattened()) {
        let number = number.clamp(0, ONE);
        sum = sum.wrapping_add(i32::from(number.wrapping_mul(weight)) * i32::from(number));
    }
    sum
}
