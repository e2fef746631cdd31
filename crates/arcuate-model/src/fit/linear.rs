//! Small symmetric systems, sixteen side by side: `linear.cuh` is the same for GPUs, operation by operation; change both or
//! none.

use super::interpreter::Row;
use arcuate_compute::numbers::{Lanes, Real};

/// Place of element (i, j), j ≤ i, in a lower triangle stored row by row.
pub(crate) const fn triangle(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

/// A = L D Lᵀ of matrices whose diagonal is about 1.
#[derive(Debug, Clone)]
pub(crate) struct Factors<T: Real> {
    size: usize,
    /// L below its diagonal, where it is 1.
    lower: Vec<Row<T>>,
    inverses: Vec<Row<T>>,
}

impl<T: Real> Factors<T> {
    pub(crate) fn new(size: usize) -> Self {
        Self { size, lower: vec![Lanes::all(0.0); triangle(size, 0)], inverses: vec![Lanes::all(0.0); size] }
    }

    /// Factorises the lower triangles `a`, which are lost; pivots below `smallest` count as that.
    #[inline(always)]
    pub(crate) fn factorise(&mut self, a: &mut [Row<T>], smallest: Row<T>) {
        for j in 0..self.size {
            for i in j..self.size {
                let mut sum = a[triangle(i, j)];
                for k in 0..j {
                    sum = (-self.lower[triangle(i, k)]).fma(a[triangle(j, k)], sum);
                }
                a[triangle(i, j)] = sum;
                if i == j {
                    self.inverses[j] = Lanes::all(1.0) / sum.larger(smallest);
                }
                // On the diagonal it is not read again.
                self.lower[triangle(i, j)] = sum * self.inverses[j];
            }
        }
    }

    /// A x = b, in the place of b.
    #[inline(always)]
    pub(crate) fn solve(&self, x: &mut [Row<T>]) {
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
