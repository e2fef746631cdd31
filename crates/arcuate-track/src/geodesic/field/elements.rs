//! Symmetric 3 × 3 matrices, stored as six elements.

use arcuate_numbers::{Symmetric, Vector, dot};

/// Row and column of each of the six stored elements of a symmetric matrix.
pub(super) const ELEMENTS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// Returns the matrix Σ λᵢ eᵢ eᵢᵀ with eigenvalues λᵢ and eigenvectors eᵢ.
#[inline(always)]
pub(super) fn rebuilt<const W: usize>(
    values: &Vector<f64, W>,
    vectors: &[Vector<f64, W>; 3],
) -> Symmetric<f64, W> {
    let mut result = [values[0]; 6];
    for (k, (a, b)) in ELEMENTS.into_iter().enumerate() {
        let mut weighted = *values;
        let mut others = *values;
        for n in 0..3 {
            weighted[n] = values[n] * vectors[n][a];
            others[n] = vectors[n][b];
        }
        result[k] = dot(weighted, others);
    }
    result
}
