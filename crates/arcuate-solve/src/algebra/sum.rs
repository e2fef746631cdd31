use super::scratch::Scratch;
use crate::{LinearOperator, Real};

/// The sum A₁ + A₂ + … of linear operators with the same numbers of rows and columns.
///
/// If several threads compute products at once, the sum of operators keeps one temporary vector for each. Its
/// length is the larger of the numbers of rows and columns. The method `normal` computes `forward` and then
/// `adjoint`, because AᵀA contains products of different terms. It keeps another such vector.
#[derive(Debug)]
pub struct Sum<T, A> {
    terms: Vec<A>,
    scratch: Scratch<T>,
}

impl<T: Real, A: LinearOperator<T>> Sum<T, A> {
    /// Creates the sum of the operators `terms`.
    ///
    /// # Panics
    ///
    /// Panics if `terms` is empty or if the operators have different numbers of rows or columns.
    pub fn new(terms: Vec<A>) -> Self {
        let shape = |term: &A| (term.rows(), term.columns());
        assert!(!terms.is_empty(), "a sum of no operators");
        assert!(terms.iter().all(|term| shape(term) == shape(&terms[0])), "terms have different shapes");
        Self { terms, scratch: Scratch::new() }
    }
}

impl<T: Real, A: LinearOperator<T>> LinearOperator<T> for Sum<T, A> {
    fn rows(&self) -> usize {
        self.terms[0].rows()
    }

    fn columns(&self) -> usize {
        self.terms[0].columns()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        self.scratch.add_up(&self.terms, data, |term, out| term.apply_forward(unknowns, out));
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.scratch.add_up(&self.terms, unknowns, |term, out| term.apply_adjoint(data, out));
    }

    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        self.scratch.lend(self.rows(), |data| {
            self.apply_forward(unknowns, data);
            self.apply_adjoint(data, out);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_matrix::Matrix;
    use super::super::{Identity, Scaled};
    use super::*;

    #[test]
    fn sums_agree_with_sums_of_matrices() {
        let terms = [1, 2, 3].map(|seed| Matrix::new(6, 8, seed));
        let sum = terms[0].plus(&terms[1]).plus(&terms[2]);
        sum.is::<f64>(&Sum::new(terms.iter().map(Matrix::dense).collect()));
        sum.is::<f32>(&Sum::new(terms.iter().map(Matrix::dense).collect()));
        terms[0].is::<f32>(&Sum::new(vec![terms[0].dense()]));
    }

    #[test]
    fn sums_can_combine_different_operator_types() {
        let matrix = Matrix::new(5, 5, 1);
        let expected = matrix.plus(&Matrix::identity(5).scaled(-2.5));
        let (dense, shift) = (matrix.dense::<f64>(), Scaled::new(-2.5, Identity::new(5)));
        expected.is(&Sum::new(vec![&dense as &dyn LinearOperator<f64>, &shift]));
        let boxed: Vec<Box<dyn LinearOperator<f64>>> = vec![Box::new(shift), Box::new(dense)];
        expected.is(&Sum::new(boxed));
    }

    #[test]
    #[should_panic(expected = "terms have different shapes")]
    fn shapes_must_be_the_same() {
        Sum::new(vec![Matrix::new(7, 5, 1).dense::<f32>(), Matrix::new(5, 7, 1).dense()]);
    }
}
