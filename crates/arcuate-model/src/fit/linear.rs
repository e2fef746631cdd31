//! Solves small symmetric linear systems in SIMD lanes and in generated GPU kernels.

use arcuate_numbers::Operations;

/// Returns the index of the matrix element (i, j), j ≤ i, in a lower triangle stored row by row.
pub(crate) const fn triangle(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

/// The factorisation A = L D Lᵀ of a matrix whose diagonal is about 1.
#[derive(Debug, Clone)]
pub(crate) struct Factors<N: Operations> {
    size: usize,
    /// The elements of the triangular factor L below its diagonal, which is 1.
    lower: Vec<N>,
    inverses: Vec<N>,
}

impl<N: Operations> Factors<N> {
    /// Allocates memory for the factors L and D of a matrix of this size. `like` only determines the number
    /// type.
    pub(crate) fn new(size: usize, like: N) -> Self {
        let zero = like.known(0.0);
        Self { size, lower: vec![zero; triangle(size, 0)], inverses: vec![zero; size] }
    }

    /// Factorises the matrices A = L D Lᵀ given by their lower triangles `a`, and overwrites `a`. Pivots
    /// (elements of D) below `smallest` are replaced by `smallest`.
    #[inline(always)]
    pub(crate) fn factorise(&mut self, a: &mut [N], smallest: N) {
        for j in 0..self.size {
            for i in j..self.size {
                let mut sum = a[triangle(i, j)];
                for k in 0..j {
                    sum = (-self.lower[triangle(i, k)]).fma(a[triangle(j, k)], sum);
                }
                a[triangle(i, j)] = sum;
                if i == j {
                    self.inverses[j] = smallest.known(1.0) / sum.larger(smallest);
                }
                // If i = j, this is the diagonal of the factor L, which is stored but never read.
                self.lower[triangle(i, j)] = sum * self.inverses[j];
            }
        }
    }

    /// Solves A x = b with the factorised matrix A. `x` contains b on entry and the solution on return.
    #[inline(always)]
    pub(crate) fn solve(&self, x: &mut [N]) {
        for i in 0..self.size {
            let mut sum = x[i];
            for k in 0..i {
                sum = (-self.lower[triangle(i, k)]).fma(x[k], sum);
            }
            x[i] = sum;
        }
        for i in (0..self.size).rev() {
            let mut sum = x[i] * self.inverses[i];
            for k in i + 1..self.size {
                sum = (-self.lower[triangle(k, i)]).fma(x[k], sum);
            }
            x[i] = sum;
        }
    }
}
