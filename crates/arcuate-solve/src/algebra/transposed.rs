use crate::{LinearOperator, Real};

/// The transpose Aᵀ of a linear operator A. If A is an operator for complex vectors, it is the conjugate
/// transpose. The method `normal` (the product with AAᵀ) allocates a vector with one number per column of A.
#[derive(Debug, Clone)]
pub struct Transposed<A> {
    operator: A,
}

impl<A> Transposed<A> {
    /// Creates the transpose of `operator`.
    pub fn new(operator: A) -> Self {
        Self { operator }
    }
}

impl<T: Real, A: LinearOperator<T>> LinearOperator<T> for Transposed<A> {
    fn rows(&self) -> usize {
        self.operator.columns()
    }

    fn columns(&self) -> usize {
        self.operator.rows()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        self.operator.apply_adjoint(unknowns, data);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.operator.apply_forward(data, unknowns);
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_matrix::Matrix;
    use super::*;

    #[test]
    fn transposes_agree_with_transposed_matrices() {
        let matrix = Matrix::new(6, 4, 1);
        matrix.transposed().is::<f32>(&Transposed::new(matrix.dense::<f32>()));
        matrix.transposed().is::<f64>(&Transposed::new(&matrix.dense::<f64>()));
    }
}
