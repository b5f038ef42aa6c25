//! The 16-bit arithmetic of nets, in loops that the compiler vectorizes and in explicit vectors.

use wide::{i16x16, i32x8};

/// Numbers that are computed together.
pub(super) const LANES: usize = 32;

/// The quantised 1 of an accumulator.
pub(super) const ONE: i16 = 255;

/// A block of numbers.
pub(super) type Lanes = [i16; LANES];

/// A block of zeros.
pub(super) const ZEROS: Lanes = [0; LANES];

/// The number of blocks for this many numbers.
pub(super) const fn blocks(numbers: usize) -> usize {
    numbers.div_ceil(LANES)
}

/// Rows of `width` numbers as rows of whole blocks, with zeros at the end of each.
pub(super) fn padded(numbers: &[i16], width: usize) -> impl Iterator<Item = Lanes> {
    let block = |part: &[i16]| {
        let mut block = ZEROS;
        block[..part.len()].copy_from_slice(part);
        block
    };
    numbers.chunks_exact(width).flat_map(move |row| row.chunks(LANES).map(block))
}

/// The columns of the first layer, the weights of its inputs, and the number of the column of each input.
pub(super) struct Columns<'a> {
    pub(super) weights: &'a [Lanes],
    pub(super) numbers: &'a [u16],
}

impl Columns<'_> {
    /// `to` becomes `from` plus the columns of some inputs less those of others. Sums wrap around, so that
    /// their order does not matter.
    #[inline]
    pub(super) fn add_and_subtract(
        &self,
        from: &[Lanes],
        added: &[u16],
        subtracted: &[u16],
        to: &mut [Lanes],
    ) {
        let blocks = to.len();
        let column = |input| &self.weights[blocks * self.number(input)..][..blocks];
        // Most moves change no more inputs than this.
        match (added, subtracted) {
            (&[], &[]) => to.copy_from_slice(from),
            (&[a], &[s]) => few(from, [column(a)], [column(s)], to),
            (&[a], &[s, t]) => few(from, [column(a)], [column(s), column(t)], to),
            (&[a, b], &[s]) => few(from, [column(a), column(b)], [column(s)], to),
            (&[a, b], &[s, t]) => few(from, [column(a), column(b)], [column(s), column(t)], to),
            _ => self.many(from, added, subtracted, to),
        }
    }

    #[inline]
    fn number(&self, input: u16) -> usize {
        self.numbers[usize::from(input)].into()
    }

    fn many(&self, from: &[Lanes], added: &[u16], subtracted: &[u16], to: &mut [Lanes]) {
        let blocks = to.len();
        for (block, (from, to)) in from.iter().zip(to).enumerate() {
            let column = |input| &self.weights[blocks * self.number(input) + block];
            let mut sums = *from;
            for &input in added {
                let column = column(input);
                sums = std::array::from_fn(|lane| sums[lane].wrapping_add(column[lane]));
            }
            for &input in subtracted {
                let column = column(input);
                sums = std::array::from_fn(|lane| sums[lane].wrapping_sub(column[lane]));
            }
            *to = sums;
        }
    }
}

/// A block is summed up in registers; each column is a slice of its own, as the sums would not stay there
/// otherwise.
#[inline]
fn few<const A: usize, const S: usize>(
    from: &[Lanes],
    added: [&[Lanes]; A],
    subtracted: [&[Lanes]; S],
    to: &mut [Lanes],
) {
    let from = &from[..to.len()];
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

/// The sum of the products of weights and activations, SCReLU: the square of a number that is cut off at 0
/// and at [`ONE`]. Weights are at most 127 in magnitude, so that the product of weight and number, the first
/// of the two that are computed, has 16 bits.
///
/// In explicit vectors, as the compiler makes a plain loop of vectors half as long: their number of lanes is
/// that of the sums, which have 32 bits.
#[inline]
pub(super) fn activated_dot(numbers: &[Lanes], weights: &[Lanes]) -> i32 {
    let (zero, one) = (i16x16::ZERO, i16x16::splat(ONE));
    let mut sums = [i32x8::ZERO; LANES / 16];
    for (numbers, weights) in numbers.iter().zip(weights) {
        let parts = numbers.as_chunks().0.iter().zip(weights.as_chunks().0);
        for (sum, (&numbers, &weights)) in sums.iter_mut().zip(parts) {
            let numbers = i16x16::new(numbers).max(zero).min(one);
            *sum += (numbers * i16x16::new(weights)).dot(numbers);
        }
    }
    (sums[0] + sums[1]).reduce_add()
}
