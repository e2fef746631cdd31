//! Small symmetric systems, of numbers side by side and of kernels that are written. `linear.cuh` is the same for those that are not,
//! operation by operation: change both or none.

use arcuate_compute::numbers::Operations;

/// Place of element (i, j), j ≤ i, in a lower triangle stored row by row.
pub(crate) const fn triangle(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

/// A = L D Lᵀ of matrices whose diagonal is about 1.
#[derive(Debug, Clone)]
pub(crate) struct Factors<N: Operations> {
    size: usize,
    /// L below its diagonal, where it is 1.
    lower: Vec<N>,
    inverses: Vec<N>,
}

impl<N: Operations> Factors<N> {
    /// Room for those of matrices of this size; of the number nothing counts but its kind.
    pub(crate) fn new(size: usize, like: N) -> Self {
        let zero = like.known(0.0);
        Self { size, lower: vec![zero; triangle(size, 0)], inverses: vec![zero; size] }
    }

    /// Factorises the lower triangles `a`, which are lost; pivots below `smallest` count as that.
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
                // On the diagonal it is not read again.
                self.lower[triangle(i, j)] = sum * self.inverses[j];
            }
        }
    }

    /// A x = b, in the place of b.
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
