use crate::Real;

/// A linear operator A from `columns()` unknowns to `rows()` data. It is defined by its products A x and Aᵀ y
/// with vectors.
///
/// An operator implements `apply_forward` and `apply_adjoint`. Users call `forward`, `adjoint` and `normal`,
/// which check the lengths of the vectors first. Operators that consist of other operators call the `apply_*`
/// methods of their parts, so that the lengths are checked once per product.
pub trait LinearOperator<T: Real>: Sync {
    /// Returns the number of data.
    fn rows(&self) -> usize;

    /// Returns the number of unknowns.
    fn columns(&self) -> usize;

    /// Computes data = A · unknowns. `data` is overwritten. The caller must pass vectors of the operator's
    /// lengths.
    fn apply_forward(&self, unknowns: &[T], data: &mut [T]);

    /// Computes unknowns = Aᵀ · data. `unknowns` is overwritten. The caller must pass vectors of the
    /// operator's lengths.
    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]);

    /// Computes out = AᵀA · unknowns. `out` is overwritten. If an operator has a faster method for this
    /// product, such as a convolution, it overrides this method. The caller must pass vectors of the
    /// operator's lengths.
    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        let mut data = vec![T::zero(); self.rows()];
        self.apply_forward(unknowns, &mut data);
        self.apply_adjoint(&data, out);
    }

    /// Computes data = A · unknowns. `data` is overwritten.
    ///
    /// # Panics
    ///
    /// Panics if `unknowns` does not have one element per column of the operator, or if `data` does not have
    /// one element per row.
    fn forward(&self, unknowns: &[T], data: &mut [T]) {
        assert_lengths([data.len(), unknowns.len()], [self.rows(), self.columns()]);
        self.apply_forward(unknowns, data);
    }

    /// Computes unknowns = Aᵀ · data. `unknowns` is overwritten.
    ///
    /// # Panics
    ///
    /// Panics if `unknowns` does not have one element per column of the operator, or if `data` does not have
    /// one element per row.
    fn adjoint(&self, data: &[T], unknowns: &mut [T]) {
        assert_lengths([data.len(), unknowns.len()], [self.rows(), self.columns()]);
        self.apply_adjoint(data, unknowns);
    }

    /// Computes out = AᵀA · unknowns. `out` is overwritten.
    ///
    /// # Panics
    ///
    /// Panics if `unknowns` and `out` do not have one element per column of the operator.
    fn normal(&self, unknowns: &[T], out: &mut [T]) {
        assert_lengths([unknowns.len(), out.len()], [self.columns(); 2]);
        self.apply_normal(unknowns, out);
    }
}

/// Checks the lengths of the two vectors of a product.
fn assert_lengths(given: [usize; 2], expected: [usize; 2]) {
    assert_eq!(given, expected, "vectors do not fit");
}

/// References and boxes of operators are also operators. Operators that consist of other operators can
/// therefore own or borrow them. With `dyn`, these operators can have several types.
macro_rules! forwarded {
    ($pointer:ty) => {
        impl<T: Real, A: LinearOperator<T> + ?Sized> LinearOperator<T> for $pointer {
            fn rows(&self) -> usize {
                (**self).rows()
            }

            fn columns(&self) -> usize {
                (**self).columns()
            }

            fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
                (**self).apply_forward(unknowns, data);
            }

            fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
                (**self).apply_adjoint(data, unknowns);
            }

            fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
                (**self).apply_normal(unknowns, out);
            }
        }
    };
}
forwarded!(&A);
forwarded!(Box<A>);

/// A dense matrix, stored row by row. It is the reference in tests of other operators, and can be used for
/// small problems.
#[derive(Debug, Clone)]
pub struct Dense<T> {
    columns: usize,
    values: Vec<T>,
}

impl<T: Real> Dense<T> {
    /// Creates a matrix with `columns` columns from its elements, which are stored row by row.
    ///
    /// # Panics
    ///
    /// Panics if the last row of the matrix is incomplete.
    pub fn new(columns: usize, values: Vec<T>) -> Self {
        assert!(columns > 0 && values.len().is_multiple_of(columns), "values must fill whole rows");
        Self { columns, values }
    }
}

impl<T: Real> LinearOperator<T> for Dense<T> {
    fn rows(&self) -> usize {
        self.values.len() / self.columns
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        for (row, out) in self.values.chunks_exact(self.columns).zip(data) {
            *out = T::of(row.iter().zip(unknowns).map(|(&a, &x)| a.double() * x.double()).sum());
        }
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        let mut sums = vec![0.0; self.columns];
        for (row, y) in self.values.chunks_exact(self.columns).zip(data) {
            for (sum, &a) in sums.iter_mut().zip(row) {
                *sum += a.double() * y.double();
            }
        }
        for (out, sum) in unknowns.iter_mut().zip(sums) {
            *out = T::of(sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks;

    /// An operator from three unknowns to two data. Its own products accept vectors of any length.
    struct Prefix;

    impl LinearOperator<f64> for Prefix {
        fn rows(&self) -> usize {
            2
        }

        fn columns(&self) -> usize {
            3
        }

        fn apply_forward(&self, unknowns: &[f64], data: &mut [f64]) {
            data.iter_mut().zip(unknowns).for_each(|(y, x)| *y = *x);
        }

        fn apply_adjoint(&self, data: &[f64], unknowns: &mut [f64]) {
            unknowns.fill(0.0);
            unknowns.iter_mut().zip(data).for_each(|(x, y)| *x = *y);
        }
    }

    #[test]
    fn operators_need_no_checks_of_lengths() {
        checks::all(&Prefix, 1e-15);
        checks::all(&Box::new(Prefix), 1e-15);
        checks::all(&(&Prefix as &dyn LinearOperator<f64>), 1e-15);
        let mut data = [0.0; 1];
        Prefix.apply_forward(&[4.0; 5], &mut data);
        assert_eq!(data, [4.0], "only the public products check lengths");
    }

    #[test]
    fn a_dense_matrix_passes_the_shared_checks() {
        let values: Vec<f64> = (0..35).map(|n| f64::from(n * n % 17) - 8.0).collect();
        checks::all(&Dense::new(5, values.clone()), 1e-13);
        let single = Dense::new(5, values.iter().map(|&v| v as f32).collect());
        checks::all(&single, 1e-6);
    }
}
