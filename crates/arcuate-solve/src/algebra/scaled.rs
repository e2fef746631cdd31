use crate::{LinearOperator, Real, vector};

/// The multiple c A of a linear operator A, with a number c. Products with vectors allocate no memory.
#[derive(Debug, Clone)]
pub struct Scaled<A> {
    factor: f64,
    operator: A,
}

impl<A> Scaled<A> {
    /// Creates the operator `factor` times `operator`.
    pub fn new(factor: f64, operator: A) -> Self {
        Self { factor, operator }
    }
}

impl<T: Real, A: LinearOperator<T>> LinearOperator<T> for Scaled<A> {
    fn rows(&self) -> usize {
        self.operator.rows()
    }

    fn columns(&self) -> usize {
        self.operator.columns()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        self.operator.apply_forward(unknowns, data);
        vector::scale(data, self.factor);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.operator.apply_adjoint(data, unknowns);
        vector::scale(unknowns, self.factor);
    }

    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        self.operator.apply_normal(unknowns, out);
        vector::scale(out, self.factor * self.factor);
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_matrix::{Matrix, Witness};
    use super::*;

    #[test]
    fn scaled_operators_agree_with_scaled_matrices() {
        let matrix = Matrix::new(6, 4, 1);
        let expected = matrix.scaled(-0.75);
        expected.is::<f32>(&Scaled::new(-0.75, matrix.dense::<f32>()));
        let witness = Witness::new(matrix.dense::<f64>());
        expected.is::<f64>(&Scaled::new(-0.75, &witness));
        assert!(witness.was_called());
    }
}
