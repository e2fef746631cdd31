use super::scratch::Scratch;
use crate::{LinearOperator, Real};

/// A linear operator without some of its columns. The unknowns of the removed columns keep their positions in
/// vectors. Products A x treat these unknowns as 0, and products Aᵀ y set them to 0. If a solver starts with
/// these unknowns at 0, they stay 0.
///
/// The method `normal` (the product with AᵀA) is that of the original operator, restricted to the remaining
/// unknowns. If several threads compute products at once, the operator keeps one temporary vector of unknowns
/// for each.
#[derive(Debug)]
pub struct WithoutColumns<T, A> {
    operator: A,
    removed: Vec<bool>,
    scratch: Scratch<T>,
}

impl<T: Real, A: LinearOperator<T>> WithoutColumns<T, A> {
    /// Removes those columns of `operator` whose flag is `true`.
    ///
    /// # Panics
    ///
    /// Panics if there is not one flag for each column.
    pub fn new(operator: A, removed: Vec<bool>) -> Self {
        assert_eq!(removed.len(), operator.columns(), "flags and operator do not fit");
        Self { operator, removed, scratch: Scratch::new() }
    }

    /// Calls `work` with a copy of the unknowns, in which the unknowns of removed columns are 0.
    fn remaining(&self, unknowns: &[T], work: impl FnOnce(&[T])) {
        self.scratch.lend(unknowns.len(), |remaining| {
            remaining.copy_from_slice(unknowns);
            self.clear(remaining);
            work(remaining);
        });
    }

    fn clear(&self, unknowns: &mut [T]) {
        for (x, &removed) in unknowns.iter_mut().zip(&self.removed) {
            if removed {
                *x = T::zero();
            }
        }
    }
}

impl<T: Real, A: LinearOperator<T>> LinearOperator<T> for WithoutColumns<T, A> {
    fn rows(&self) -> usize {
        self.operator.rows()
    }

    fn columns(&self) -> usize {
        self.operator.columns()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        self.remaining(unknowns, |remaining| self.operator.apply_forward(remaining, data));
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.operator.apply_adjoint(data, unknowns);
        self.clear(unknowns);
    }

    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        self.remaining(unknowns, |remaining| self.operator.apply_normal(remaining, out));
        self.clear(out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_matrix::{Matrix, Witness};
    use super::*;
    use crate::{NonNegativeLeastSquares, StoppingRule, projected_barzilai_borwein};

    #[test]
    fn removed_columns_are_columns_of_zeros() {
        let (whole, removed) = (Matrix::new(6, 4, 1), vec![false, true, false, true]);
        let expected =
            Matrix::of(6, 4, |row, column| if removed[column] { 0.0 } else { whole.entry(row, column) });
        expected.is::<f32>(&WithoutColumns::new(whole.dense::<f32>(), removed.clone()));
        let witness = Witness::new(whole.dense::<f64>());
        expected.is::<f64>(&WithoutColumns::new(&witness, removed));
        assert!(witness.was_called());
    }

    #[test]
    fn values_of_removed_unknowns_do_not_matter() {
        let operator =
            WithoutColumns::new(Matrix::new(6, 4, 1).dense::<f64>(), vec![true, false, false, false]);
        let image = |first: f64| {
            let mut data = vec![0.0; 6];
            operator.forward(&[first, 1.0, 2.0, 3.0], &mut data);
            data
        };
        assert_eq!(image(f64::NAN), image(0.0));
    }

    #[test]
    fn solvers_leave_removed_unknowns_at_zero() {
        let matrix = Matrix::new(12, 4, 1).dense::<f64>();
        let mut data = vec![0.0; 12];
        matrix.forward(&[1.0, 2.0, 3.0, 4.0], &mut data);
        let rest = WithoutColumns::new(&matrix, vec![false, false, true, false]);
        let problem = NonNegativeLeastSquares::new(&rest, &data);
        let weights =
            projected_barzilai_borwein(&problem, &[0.0; 4], &StoppingRule::default(), |_| true).weights;
        assert!(weights[2] == 0.0 && weights[0] > 0.0, "{weights:?}");
    }

    #[test]
    #[should_panic(expected = "flags and operator do not fit")]
    fn every_column_has_a_flag() {
        WithoutColumns::new(Matrix::new(6, 4, 1).dense::<f32>(), vec![false; 6]);
    }
}
