//! Matrix products, where a net spends its time.
//!
//! The matrix is cut into panels of [`LANES`] outputs. A block of rows times a panel is summed up in registers:
//! `ROWS`, and 4, 2 and 1 of those that are left. The sums of a row do not depend on which rows are computed
//! with it, so that a position has the same result in every batch, to the bit.

use wide::f32x16;

/// Outputs of a panel, and rows that are computed together: as many sums as the registers hold.
#[cfg(target_feature = "avx512f")]
const SIZES: (usize, usize) = (32, 8);
#[cfg(not(target_feature = "avx512f"))]
const SIZES: (usize, usize) = (16, 6);

/// Outputs of a panel.
pub const LANES: usize = SIZES.0;

/// Rows that are computed together.
const ROWS: usize = SIZES.1;

/// Multiplications between two calls of `is_over`, about: some tens of microseconds.
const MULTIPLICATIONS: usize = 1 << 20;

/// Numbers of a vector.
const VECTOR: usize = 16;

/// Numbers of one input for the outputs of a panel, in explicit vectors: where vectors of 512 bits can be had,
/// the compiler makes loops of those of 256 bits, for whose sums there are too few registers (rustc 1.95).
type Lanes = [f32x16; LANES / VECTOR];

const _: () = assert!(LANES.is_multiple_of(VECTOR));

/// The first [`LANES`] numbers of a row.
#[inline(always)]
fn lanes(row: &[f32]) -> Lanes {
    let (vectors, _) = row[..LANES].as_chunks::<VECTOR>();
    std::array::from_fn(|vector| f32x16::new(vectors[vector]))
}

/// Writes the first [`LANES`] numbers of a row.
#[inline(always)]
fn store(lanes: &Lanes, row: &mut [f32]) {
    let (vectors, _) = row[..LANES].as_chunks_mut::<VECTOR>();
    vectors.iter_mut().zip(lanes).for_each(|(numbers, vector)| *numbers = vector.to_array());
}

/// Adds the products of a number with those of a panel.
#[inline(always)]
fn add_multiple(sums: &mut Lanes, factor: f32, numbers: &Lanes) {
    let factor = f32x16::splat(factor);
    sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum = factor.mul_add(*number, *sum));
}

/// The least multiple of [`LANES`] that is not less: the outputs of a matrix, with unused ones at the end.
pub fn padded(outputs: usize) -> usize {
    outputs.next_multiple_of(LANES)
}

/// A matrix that rows are multiplied with.
#[derive(Clone, Debug)]
pub struct Matrix {
    inputs: usize,
    /// For each panel, the numbers of each input.
    panels: Vec<Lanes>,
}

impl Matrix {
    /// The matrix with `number(output, input)`. Outputs beyond `outputs` are 0.
    pub fn new(inputs: usize, outputs: usize, number: impl Fn(usize, usize) -> f32) -> Matrix {
        let panel = |first: usize| {
            let number = &number;
            (0..inputs).map(move |input| {
                lanes(&std::array::from_fn::<_, LANES, _>(|lane| match first + lane {
                    output if output < outputs => number(output, input),
                    _ => 0.0,
                }))
            })
        };
        Matrix { inputs, panels: (0..outputs).step_by(LANES).flat_map(panel).collect() }
    }

    /// Adds the products to rows of `sums`. A product is that of the row of `x` that begins at one of `from`
    /// plus `shift`; it is added to the row of `sums` that begins at the same of `to`. `None`, with some of
    /// the products added, once `is_over` returns true.
    pub fn multiply(
        &self,
        x: &[f32],
        from: &[usize],
        shift: usize,
        sums: &mut [f32],
        to: &[usize],
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        for (number, panel) in self.panels.chunks_exact(self.inputs).enumerate() {
            let mut product = Product { x, shift, panel, sums, lane: LANES * number, is_over };
            let rest = product.add::<ROWS>((from, to))?;
            let rest = product.add::<4>(rest)?;
            let rest = product.add::<2>(rest)?;
            product.add::<1>(rest)?;
        }
        Some(())
    }
}

/// The product of rows and a panel, of which blocks of rows are added to `sums` one after the other.
struct Product<'a> {
    x: &'a [f32],
    shift: usize,
    panel: &'a [Lanes],
    sums: &'a mut [f32],
    lane: usize,
    is_over: &'a mut dyn FnMut() -> bool,
}

impl Product<'_> {
    /// Adds blocks of `N` rows; returns the rows that are too few for another one, `None` once it is over, as in
    /// [`Matrix::multiply`]. Some rows at once matter even where they are few: a dense layer of a small batch
    /// spends its time on reading the panel.
    fn add<'r, const N: usize>(
        &mut self,
        (from, to): (&'r [usize], &'r [usize]),
    ) -> Option<(&'r [usize], &'r [usize])> {
        let (blocks, rest) = from.as_chunks::<N>();
        let (to_blocks, to_rest) = to.as_chunks::<N>();
        let at_once = (MULTIPLICATIONS / (self.panel.len() * LANES * N).max(1)).max(1);
        for (blocks, to_blocks) in blocks.chunks(at_once).zip(to_blocks.chunks(at_once)) {
            if (self.is_over)() {
                return None;
            }
            for (from, to) in blocks.iter().zip(to_blocks) {
                let (from, to) = (from.map(|row| row + self.shift), to.map(|row| row + self.lane));
                block(self.x, from, self.panel, self.sums, to);
            }
        }
        Some((rest, to_rest))
    }
}

/// Adds the products of some rows and a panel.
///
/// Never inlined: inlined, the sums do not stay in registers, and it takes thirty times as long (rustc 1.95).
#[inline(never)]
fn block<const N: usize>(x: &[f32], from: [usize; N], panel: &[Lanes], sums: &mut [f32], to: [usize; N]) {
    let rows = from.map(|row| &x[row..][..panel.len()]);
    let mut totals = to.map(|row| lanes(&sums[row..]));
    for (input, weights) in panel.iter().enumerate() {
        for (total, row) in totals.iter_mut().zip(rows) {
            add_multiple(total, row[input], weights);
        }
    }
    for (total, row) in totals.iter().zip(to) {
        store(total, &mut sums[row..]);
    }
}

/// Adds the products of each of `inputs` numbers with each number of an output row, summed over all rows, to
/// `sums`, input by input: the gradient of a matrix. Input rows of `x` begin at `from` plus `shift`, output
/// rows of `y` at `to`.
pub fn add_outer_products(
    x: &[f32],
    from: &[usize],
    shift: usize,
    y: &[f32],
    to: &[usize],
    inputs: usize,
    sums: &mut [f32],
) {
    let outputs = sums.len() / inputs;
    let (blocks, rest) = sums.split_at_mut((inputs - inputs % ROWS) * outputs);
    for lane in (0..outputs).step_by(LANES) {
        let (x, y) = (&x[shift..], &y[lane..]);
        for (sums, input) in blocks.chunks_exact_mut(ROWS * outputs).zip((0..).step_by(ROWS)) {
            outer_block::<ROWS>(&x[input..], from, y, to, &mut sums[lane..], outputs);
        }
        for (sums, input) in rest.chunks_exact_mut(outputs).zip(inputs - inputs % ROWS..) {
            outer_block::<1>(&x[input..], from, y, to, &mut sums[lane..], outputs);
        }
    }
}

/// Adds the products of the first inputs and the outputs of a panel, summed over all rows. Never inlined, for
/// the same reason as [`block`]; with one list for each input, as sums do not stay in registers where the
/// inputs are a list (a twentieth of the speed).
#[inline(never)]
fn outer_block<const N: usize>(
    x: &[f32],
    from: &[usize],
    y: &[f32],
    to: &[usize],
    sums: &mut [f32],
    outputs: usize,
) {
    let columns: [&[f32]; N] = std::array::from_fn(|input| &x[input..]);
    let mut totals: [Lanes; N] = std::array::from_fn(|input| lanes(&sums[input * outputs..]));
    for (&from, &to) in from.iter().zip(to) {
        let row = lanes(&y[to..]);
        for (total, column) in totals.iter_mut().zip(columns) {
            add_multiple(total, column[from], &row);
        }
    }
    for (total, sums) in totals.iter().zip(sums.chunks_mut(outputs)) {
        store(total, sums);
    }
}

/// `a * b + c`: fused only where the processor does it, as it is slow in software.
#[inline(always)]
pub fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(target_feature = "fma") { a.mul_add(b, c) } else { a * b + c }
}

/// The sum of the products of two lists of the same length.
pub fn dot(one: &[f32], other: &[f32]) -> f32 {
    const PARTS: usize = 16;
    let (blocks, rest) = one.as_chunks::<PARTS>();
    let (other_blocks, other_rest) = other.as_chunks::<PARTS>();
    let mut sums = [0.0; PARTS];
    for (one, other) in blocks.iter().zip(other_blocks) {
        for ((sum, a), b) in sums.iter_mut().zip(one).zip(other) {
            *sum = multiply_add(*a, *b, *sum);
        }
    }
    let rest: f32 = rest.iter().zip(other_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}
