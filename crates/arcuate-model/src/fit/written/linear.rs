//! Small symmetric systems, written into a kernel: `fit/linear.rs` says what is computed.

use crate::fit::linear::triangle;
use arcuate_compute::cuda::writer::Value;

/// A = L D Lᵀ of a matrix whose diagonal is about 1.
pub(super) struct Factors<'w> {
    size: usize,
    lower: Vec<Value<'w>>,
    inverses: Vec<Value<'w>>,
}

impl<'w> Factors<'w> {
    /// Of the lower triangle `a`; pivots below `smallest` count as that.
    pub(super) fn new(mut a: Vec<Value<'w>>, size: usize, smallest: Value<'w>) -> Self {
        let one = smallest.all(1.0);
        let mut lower = a.clone();
        let mut inverses = vec![one; size];
        for j in 0..size {
            for i in j..size {
                let mut sum = a[triangle(i, j)];
                for k in 0..j {
                    sum = (-lower[triangle(i, k)]).fma(a[triangle(j, k)], sum);
                }
                a[triangle(i, j)] = sum;
                if i == j {
                    inverses[j] = one / sum.larger(smallest);
                }
                lower[triangle(i, j)] = sum * inverses[j];
            }
        }
        Self { size, lower, inverses }
    }

    /// A x = b.
    pub(super) fn solve(&self, b: &[Value<'w>]) -> Vec<Value<'w>> {
        let mut x = b.to_vec();
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
        x
    }
}
