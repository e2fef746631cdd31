//! The innermost loop of Fourier sums on the CPU: a tile of a matrix product, kept in registers.

use arcuate_compute::numbers::Vectors;
use arcuate_compute::numbers::vectors::count;
use pulp::Simd;

/// Number of terms of a sum that one run of the innermost loop adds. The corresponding parts of a panel and
/// of a tile's columns fit in the first-level cache of a core.
pub(super) const DEPTH: usize = 128;
/// Number of SIMD vectors in a panel's row.
pub(super) const WIDTH: usize = 2;

/// Returns the number of elements in a panel's row.
pub(super) fn panel<S: Simd, T: Vectors>() -> usize {
    WIDTH * count::<S, T>()
}

/// Returns the number of columns of a tile, which depends on the number of registers. They hold `WIDTH` sums per
/// column, a row of the panel, and one number of a column.
pub(super) const fn columns<S: Simd>() -> usize {
    if S::REGISTER_COUNT >= 32 { 12 } else { 6 }
}

/// A column of a tile: one number for each term of the sum.
pub(super) type Column<T> = [T; DEPTH];

/// Returns the sum Σ_k column[k] · row[k] of every column, for the `WIDTH` SIMD vectors in each row of a
/// panel. Terms after the last row are not read.
#[inline(always)]
pub(super) fn tile<S: Simd, T: Vectors, const COLUMNS: usize>(
    simd: S,
    rows: &[[T::Vector<S>; WIDTH]],
    columns: &[Column<T>; COLUMNS],
) -> [[T::Vector<S>; WIDTH]; COLUMNS] {
    let mut sums = [[T::splat(simd, T::zero()); WIDTH]; COLUMNS];
    for (k, row) in rows[..rows.len().min(DEPTH)].iter().enumerate() {
        for c in 0..COLUMNS {
            let factor = T::splat(simd, columns[c][k]);
            for n in 0..WIDTH {
                sums[c][n] = T::multiply_add(simd, row[n], factor, sums[c][n]);
            }
        }
    }
    sums
}
