//! Linear algebra of small dense matrices, in loops over contiguous rows that the compiler vectorises. Every
//! element is computed by the same operations in the same order for any SIMD width. `dense.cuh` is the GPU
//! implementation, which gives the same bits: change both together.

use arcuate_core::narrow;

/// Number of partial sums into which [`dot`] divides the terms of a dot product.
const LANES: usize = 8;

/// Adds the product of `factor` and `row` to `target`. If the lengths differ, stops after the shorter one.
#[inline(always)]
pub(crate) fn add_multiple(target: &mut [f64], factor: f64, row: &[f64]) {
    // The loop uses indices. Iterators over pairs or fixed-length chunks would not be inlined, because this
    // code is compiled for another SIMD instruction set than the rest of the crate.
    let length = target.len().min(row.len());
    let (target, row) = (&mut target[..length], &row[..length]);
    for i in 0..length {
        target[i] += factor * row[i];
    }
}

/// Adds Σ factorₙ · rowₙ to `target`, for four rows that have the length of `target`. The four products are
/// added as (1 + 2) + (3 + 4).
#[inline(always)]
fn add_four_multiples(target: &mut [f64], [a, b, c, d]: [f64; 4], [p, q, r, s]: [&[f64]; 4]) {
    let length = target.len();
    let (p, q, r, s) = (&p[..length], &q[..length], &r[..length], &s[..length]);
    for i in 0..length {
        target[i] += (a * p[i] + b * q[i]) + (c * r[i] + d * s[i]);
    }
}

/// Returns Σ aᵢ bᵢ up to the length of the shorter vector. The order in which the products are added is
/// fixed.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let length = a.len().min(b.len());
    let (a, b) = (&a[..length], &b[..length]);
    let mut sums = [0.0; LANES];
    let whole = length / LANES * LANES;
    let mut first = 0;
    while first < whole {
        let (a, b) = (&a[first..first + LANES], &b[first..first + LANES]);
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
        first += LANES;
    }
    let mut rest = 0.0;
    for i in whole..length {
        rest += a[i] * b[i];
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h)) + rest
}

/// Sets `out` to Σ factorsᵢ · rowᵢ, a weighted sum of matrix rows. The rows have the length of `out`.
#[inline(always)]
pub(crate) fn combine(out: &mut [f64], factors: &[f64], rows: &[f64]) {
    out.fill(0.0);
    add_multiples(out, factors, rows);
}

/// Adds Σ factorsᵢ · rowᵢ, a weighted sum of matrix rows, to `out`. The rows have the length of `out`.
#[inline(always)]
pub(crate) fn add_multiples(out: &mut [f64], factors: &[f64], rows: &[f64]) {
    let (length, count) = (out.len(), factors.len());
    // Four matrix rows are added at a time, so that `out` is read and written once per four rows.
    let mut k = 0;
    while k + 4 <= count {
        let four = [factors[k], factors[k + 1], factors[k + 2], factors[k + 3]];
        let (p, rest) = rows[k * length..(k + 4) * length].split_at(length);
        let (q, rest) = rest.split_at(length);
        let (r, s) = rest.split_at(length);
        add_four_multiples(out, four, [p, q, r, s]);
        k += 4;
    }
    while k < count {
        add_multiple(out, factors[k], &rows[k * length..(k + 1) * length]);
        k += 1;
    }
}

/// Returns the index of the first element of the SIMD vector that contains element `index`.
#[inline(always)]
fn whole(index: usize) -> usize {
    index / LANES * LANES
}

/// A symmetric matrix. Only its elements on and above the diagonal are valid. Element (i, j) with j ≥ i has
/// the index `i * size + j`.
#[derive(Debug, Clone)]
pub(crate) struct Symmetric {
    size: usize,
    elements: Vec<f64>,
}

/// Minimum pivot of a factorisation, as a fraction of the largest diagonal element. A smaller pivot is 0 up
/// to rounding errors.
pub(crate) const SINGULAR: f64 = 1e-14;

impl Symmetric {
    /// Creates a symmetric matrix of zeros.
    pub(crate) fn zero(size: usize) -> Self {
        Self { size, elements: vec![0.0; size * size] }
    }

    /// Returns AᵀA for a matrix A, whose rows have `size` elements.
    pub(crate) fn normal(rows: &[f64], size: usize) -> Self {
        let mut matrix = Self::zero(size);
        for row in rows.chunks_exact(size) {
            matrix.add_square(1.0, row);
        }
        matrix
    }

    /// Returns the tiles of 4 × 4 elements on and above the diagonal, in the memory layout of the GPU
    /// kernels. Element e of all tiles is stored contiguously. It begins an odd number of positions after
    /// element e − 1, so that different elements use different memory banks.
    pub(crate) fn tiles(&self) -> Vec<f64> {
        let places = tile_places(self.size);
        let pitch = tile_pitch(self.size);
        let mut tiles = vec![0.0; pitch * SIDE * SIDE];
        for (element, out) in tiles.chunks_exact_mut(pitch).enumerate() {
            for (out, place) in out.iter_mut().zip(&places) {
                let (row, column) = ((place >> 16) as usize, (place & 0xffff) as usize);
                let (row, column) = (row * SIDE + element / SIDE, column * SIDE + element % SIDE);
                // If an element below the diagonal is needed, it is replaced by the equal element above the
                // diagonal.
                *out = self.elements[row.min(column) * self.size + row.max(column)];
            }
        }
        tiles
    }

    /// Replaces all elements of the matrix by those of another matrix of the same size.
    #[inline(always)]
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.elements.copy_from_slice(&other.elements);
    }

    /// Adds another matrix of the same size.
    pub(crate) fn add(&mut self, other: &Self) {
        add_multiple(&mut self.elements, 1.0, &other.elements);
    }

    /// Adds factor · row rowᵀ to the matrix, the product of a column vector and a row vector.
    #[inline(always)]
    pub(crate) fn add_square(&mut self, factor: f64, row: &[f64]) {
        for i in 0..self.size {
            let first = whole(i);
            let target = &mut self.elements[i * self.size + first..(i + 1) * self.size];
            add_multiple(target, factor * row[i], &row[first..]);
        }
    }

    /// Adds factor · row rowᵀ for four rows at a time, so that the elements of the matrix are read and
    /// written once per four rows.
    #[inline(always)]
    pub(crate) fn add_four_squares(&mut self, factors: [f64; 4], rows: [&[f64]; 4]) {
        let size = self.size;
        let [p, q, r, s] = rows;
        for i in 0..size {
            let first = whole(i);
            let own = [factors[0] * p[i], factors[1] * q[i], factors[2] * r[i], factors[3] * s[i]];
            let rows = [&p[first..size], &q[first..size], &r[first..size], &s[first..size]];
            add_four_multiples(&mut self.elements[i * size + first..(i + 1) * size], own, rows);
        }
    }

    /// Adds a multiple of the identity matrix to the matrix.
    pub(crate) fn add_to_diagonal(&mut self, value: f64) {
        self.add_to_diagonal_from(0, value);
    }

    /// Adds a number to the diagonal elements whose row index is at least `first`.
    pub(crate) fn add_to_diagonal_from(&mut self, first: usize, value: f64) {
        for i in first..self.size {
            self.elements[i * self.size + i] += value;
        }
    }

    /// Returns the mean of the diagonal elements.
    pub(crate) fn mean_diagonal(&self) -> f64 {
        (0..self.size).map(|i| self.elements[i * self.size + i]).sum::<f64>() / self.size as f64
    }

    /// Replaces the matrix by the factor U of its Cholesky factorisation UᵀU. The diagonal elements of U are
    /// stored as reciprocals, so that solving an equation needs no divisions. Returns `false` if the matrix
    /// is not positive definite up to rounding errors, or not finite.
    #[inline(always)]
    pub(crate) fn factorise(&mut self) -> bool {
        let size = self.size;
        let largest = (0..size).map(|i| self.elements[i * size + i]).fold(0.0, f64::max);
        // Four rows of U are computed at a time, so that the rows below them are read and written once per
        // four rows.
        let mut block = 0;
        while block < size {
            let end = (block + 4).min(size);
            for k in block..end {
                let (above, below) = self.elements.split_at_mut(k * size);
                let row = &mut below[..size];
                for p in block..k {
                    let pivot_row = &above[p * size..(p + 1) * size];
                    add_multiple(&mut row[k..], -pivot_row[k], &pivot_row[k..]);
                }
                let pivot = row[k];
                if !(pivot > SINGULAR * largest && pivot < f64::INFINITY) {
                    return false;
                }
                let inverse = 1.0 / pivot.sqrt();
                for j in k + 1..size {
                    row[j] *= inverse;
                }
                row[k] = inverse;
            }
            let (above, below) = self.elements.split_at_mut(end * size);
            let rows = &above[block * size..];
            // If the matrix has rows below this block of rows, the block has exactly four rows.
            for i in end..size {
                let first = whole(i);
                let of = [
                    &rows[first..size],
                    &rows[size + first..2 * size],
                    &rows[2 * size + first..3 * size],
                    &rows[3 * size + first..],
                ];
                let factors = [-rows[i], -rows[size + i], -rows[2 * size + i], -rows[3 * size + i]];
                let at = (i - end) * size;
                add_four_multiples(&mut below[at + first..at + size], factors, of);
            }
            block = end;
        }
        true
    }

    /// Replaces the vector x by U⁻ᵀ x. The matrix must already be [factorised](Self::factorise).
    #[inline(always)]
    pub(crate) fn solve_transposed(&self, x: &mut [f64]) {
        for i in 0..self.size {
            let row = &self.elements[i * self.size + i..(i + 1) * self.size];
            let (first, rest) = x[i..].split_at_mut(1);
            first[0] *= row[0];
            add_multiple(rest, -first[0], &row[1..]);
        }
    }

    /// Replaces the vector x by U⁻¹ x. The matrix must already be [factorised](Self::factorise).
    #[inline(always)]
    pub(crate) fn solve_upper(&self, x: &mut [f64]) {
        let size = self.size;
        // Four unknowns are computed at a time. The products of their rows with later unknowns are
        // independent of each other.
        for first in (0..size).step_by(4).rev() {
            let end = (first + 4).min(size);
            for i in first..end {
                x[i] -= dot(&self.elements[i * size + end..(i + 1) * size], &x[end..size]);
            }
            for i in (first..end).rev() {
                x[i] *= self.elements[i * size + i];
                for above in first..i {
                    x[above] -= self.elements[above * size + i] * x[i];
                }
            }
        }
    }
}

/// Number of rows and columns of a tile.
const SIDE: usize = 4;

/// Returns the position of each tile of a matrix with `size` rows (a multiple of 4). A position is row · 2¹⁶
/// + column, both counted in tiles.
pub(crate) fn tile_places(size: usize) -> Vec<u32> {
    let rows = narrow::<u32>(size / SIDE);
    (0..rows).flat_map(|row| (row..rows).map(move |column| row << 16 | column)).collect()
}

/// Returns the distance in memory between neighbouring elements of a tile.
pub(crate) fn tile_pitch(size: usize) -> usize {
    let rows = size / SIDE;
    (rows * (rows + 1) / 2) | 1
}

/// Returns the number of elements in memory of all tiles, including the gaps between the elements.
pub(crate) fn tile_elements(size: usize) -> usize {
    tile_pitch(size) * SIDE * SIDE
}

/// Rounds a number of elements up to a multiple of the length of a SIMD vector.
pub(crate) fn whole_vectors(count: usize) -> usize {
    count.next_multiple_of(LANES)
}

/// Appends zeros to each row of a matrix, so that the rows have the length `stride`.
pub(crate) fn padded(rows: &[f64], columns: usize, stride: usize) -> Vec<f64> {
    let zeros = std::iter::repeat_n(0.0, stride - columns);
    rows.chunks_exact(columns).flat_map(|row| row.iter().copied().chain(zeros.clone())).collect()
}

/// Returns the transposed matrix.
pub(crate) fn transposed(rows: &[f64], columns: usize) -> Vec<f64> {
    (0..columns).flat_map(|column| rows.iter().skip(column).step_by(columns).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns numbers without a regular pattern. A regular pattern could hide an error.
    fn numbers(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|n| ((n * 37 + seed * 101) as f64 * 0.618_034).fract() - 0.45).collect()
    }

    #[test]
    fn linear_systems_are_solved() {
        for size in [1, 2, 3, 8, 13, 45] {
            let rows = numbers(size * (size + 7), size);
            let matrix = Symmetric::normal(&rows, size);
            let truth = numbers(size, 5);
            // The expected result AᵀA x for the matrix A is computed as a sum over the rows of A.
            let mut right = vec![0.0; size];
            for row in rows.chunks_exact(size) {
                add_multiple(&mut right, dot(row, &truth), row);
            }
            let mut factor = matrix.clone();
            factor.add_to_diagonal(1e-3);
            right.iter_mut().zip(&truth).for_each(|(value, x)| *value += 1e-3 * x);
            assert!(factor.factorise(), "{size}");
            factor.solve_transposed(&mut right);
            factor.solve_upper(&mut right);
            for (x, truth) in right.iter().zip(&truth) {
                // The matrices have condition numbers up to 1e5.
                assert!((x - truth).abs() < 1e-10, "{size}: {x} {truth}");
            }
        }
    }

    #[test]
    fn singular_matrices_are_detected() {
        let rows = numbers(3 * 5, 1);
        assert!(!Symmetric::normal(&rows, 5).factorise());
        assert!(!Symmetric::zero(4).factorise());
        let mut undefined = Symmetric::normal(&numbers(40, 2), 4);
        undefined.add_square(f64::NAN, &[1.0; 4]);
        assert!(!undefined.factorise());
    }

    #[test]
    fn products_are_sums_of_multiples() {
        for (rows, columns) in [(1, 1), (4, 9), (7, 3), (45, 301)] {
            let (matrix, factors) = (numbers(rows * columns, 1), numbers(rows, 2));
            let mut out = vec![7.0; columns];
            combine(&mut out, &factors, &matrix);
            let columns_of = transposed(&matrix, columns);
            for (column, value) in columns_of.chunks_exact(rows).zip(&out) {
                let expected: f64 = column.iter().zip(&factors).map(|(a, b)| a * b).sum();
                assert!((value - expected).abs() < 1e-13 && (dot(column, &factors) - expected).abs() < 1e-13);
            }
        }
    }
}
