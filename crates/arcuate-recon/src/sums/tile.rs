//! The innermost loop of Fourier sums on the CPU: a tile of a matrix product, kept in registers.

use arcuate_numbers::Real;
use arcuate_numbers::vectors::count;
use pulp::Simd;

/// Number of terms of a sum that one run of the innermost loop adds. The matrix rows and the columns for
/// these terms fit in the first-level cache of a CPU core.
pub(super) const DEPTH: usize = 128;
/// Number of SIMD vectors in a row of a panel (a block of matrix rows).
pub(super) const WIDTH: usize = 2;

/// Returns the number of elements in a row of a panel (a block of matrix rows).
pub(super) fn panel<S: Simd, T: Real>() -> usize {
    WIDTH * count::<S, T>()
}

/// Returns the number of matrix columns in a tile, which depends on the number of registers. The registers
/// hold `WIDTH` sums per column, a row of the panel, and one number of a column.
pub(super) const fn columns<S: Simd>() -> usize {
    if S::REGISTER_COUNT >= 32 { 12 } else { 6 }
}

/// A column of a tile, with one number for each term of the sum.
pub(super) type Column<T> = [T; DEPTH];

/// Returns the sum Σ_k column[k] · row[k] for every column of a tile and each of the `WIDTH` SIMD vectors in
/// a row of the panel. Terms after the last row of the panel are not read.
#[inline(always)]
pub(super) fn tile<S: Simd, T: Real, const COLUMNS: usize>(
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
