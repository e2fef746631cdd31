//! Products of dictionary rows of any length on the CPU: sums of scaled rows, and dot products of rows with
//! the data of a voxel.

use arcuate_numbers::Real;
use arcuate_numbers::vectors::count;
use pulp::Simd;

/// The rows of a dictionary in memory. Each row has `stride` values, including its padding with zeros.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, T> {
    pub(super) values: &'a [T],
    pub(super) stride: usize,
}

impl<'a, T> Rows<'a, T> {
    #[inline]
    fn row(&self, atom: u16) -> &'a [T] {
        &self.values[atom as usize * self.stride..][..self.stride]
    }
}

/// Returns how many of the `vectors` SIMD vectors of a row are processed together. 96 directions in single
/// precision are 12 vectors of AVX2 or 6 of AVX-512. If 12 vectors are processed together, enough of the 16
/// registers remain for other values.
fn in_registers(vectors: usize) -> usize {
    match vectors {
        12.. => 12,
        8..12 => 8,
        6..8 => 6,
        4..6 => 4,
        2..4 => 2,
        _ => 1,
    }
}

/// Computes block = Σ scale · row, the sum of scaled dictionary rows, for whole rows including their padding.
#[inline(always)]
pub(super) fn sum_rows<S: Simd, T: Real>(
    simd: S,
    block: &mut [T],
    rows: &Rows<'_, T>,
    atoms: &[u16],
    scales: &[T],
) {
    let (mut out, _) = T::vectors_mut::<S>(block);
    let mut first = 0;
    while !out.is_empty() {
        let n = in_registers(out.len());
        let (now, later) = out.split_at_mut(n);
        match n {
            12 => sum_part::<S, T, 12>(simd, now, first, rows, atoms, scales),
            8 => sum_part::<S, T, 8>(simd, now, first, rows, atoms, scales),
            6 => sum_part::<S, T, 6>(simd, now, first, rows, atoms, scales),
            4 => sum_part::<S, T, 4>(simd, now, first, rows, atoms, scales),
            2 => sum_part::<S, T, 2>(simd, now, first, rows, atoms, scales),
            _ => sum_part::<S, T, 1>(simd, now, first, rows, atoms, scales),
        }
        first += n * count::<S, T>();
        out = later;
    }
}

/// Sums scaled dictionary rows, but only N SIMD vectors of each row. The N sums stay in registers.
#[inline(always)]
fn sum_part<S: Simd, T: Real, const N: usize>(
    simd: S,
    out: &mut [T::Vector<S>],
    first: usize,
    rows: &Rows<'_, T>,
    atoms: &[u16],
    scales: &[T],
) {
    let mut sums = [T::splat(simd, T::zero()); N];
    for (&atom, &scale) in atoms.iter().zip(scales) {
        let scale = T::splat(simd, scale);
        let (row, _) = T::vectors::<S>(&rows.row(atom)[first..]);
        #[expect(clippy::expect_used, reason = "rows are padded to whole blocks of vectors, like the data")]
        let row: &[T::Vector<S>; N] = row.first_chunk().expect("rows are padded");
        for n in 0..N {
            sums[n] = T::multiply_add(simd, scale, row[n], sums[n]);
        }
    }
    out.copy_from_slice(&sums);
}

/// Computes out = row · block, the dot product of a dictionary row and the data of a voxel, for each row.
#[inline(always)]
pub(super) fn dot_rows<S: Simd, T: Real>(
    simd: S,
    out: &mut [T],
    rows: &Rows<'_, T>,
    atoms: &[u16],
    block: &[T],
) {
    out.fill(T::zero());
    let (mut block, _) = T::vectors::<S>(block);
    let mut first = 0;
    while !block.is_empty() {
        let n = in_registers(block.len());
        let (now, later) = block.split_at(n);
        match n {
            12 => add_dots::<S, T, 12>(simd, out, first, rows, atoms, now),
            8 => add_dots::<S, T, 8>(simd, out, first, rows, atoms, now),
            6 => add_dots::<S, T, 6>(simd, out, first, rows, atoms, now),
            4 => add_dots::<S, T, 4>(simd, out, first, rows, atoms, now),
            2 => add_dots::<S, T, 2>(simd, out, first, rows, atoms, now),
            _ => add_dots::<S, T, 1>(simd, out, first, rows, atoms, now),
        }
        first += n * count::<S, T>();
        block = later;
    }
}

/// Adds a part of each dot product to the results: the part with N SIMD vectors of each row. These N vectors
/// of the block stay in registers while all rows are read.
#[inline(always)]
fn add_dots<S: Simd, T: Real, const N: usize>(
    simd: S,
    out: &mut [T],
    first: usize,
    rows: &Rows<'_, T>,
    atoms: &[u16],
    block: &[T::Vector<S>],
) {
    #[expect(clippy::expect_used, reason = "the caller passes a block of N vectors")]
    let block: [T::Vector<S>; N] = *block.first_chunk().expect("N vectors");
    // This code is a plain loop, because the compiler does not generate SIMD instructions for code in the
    // closure of an iterator adaptor.
    for (out, &atom) in out.iter_mut().zip(atoms) {
        let (row, _) = T::vectors::<S>(&rows.row(atom)[first..]);
        #[expect(clippy::expect_used, reason = "rows are padded to whole blocks of vectors, like the data")]
        let row: &[T::Vector<S>; N] = row.first_chunk().expect("rows are padded");
        *out += dot(simd, row, &block);
    }
}

/// Returns the dot product of `row` and `block`. It adds to two separate sums in turn, so that an addition
/// need not wait for the preceding one.
#[inline(always)]
pub(super) fn dot<S: Simd, T: Real, const N: usize>(
    simd: S,
    row: &[T::Vector<S>; N],
    block: &[T::Vector<S>; N],
) -> T {
    let mut sums = [T::splat(simd, T::zero()); 2];
    for n in 0..N {
        sums[n % 2] = T::multiply_add(simd, row[n], block[n], sums[n % 2]);
    }
    T::sum_lanes(simd, T::plus(simd, sums[0], sums[1]))
}
