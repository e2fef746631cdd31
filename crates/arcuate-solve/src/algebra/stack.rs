use super::Transposed;
use super::scratch::Scratch;
use crate::{LinearOperator, Real};

/// Linear operators with the same unknowns, stacked vertically. The data of the stack are the data of the
/// first operator, followed by the data of the second, and so on.
///
/// The method `normal` (the product with AᵀA) of the stack is the sum of the `normal` products of its
/// operators. If several threads compute products at once, the stack keeps one temporary vector of unknowns
/// for each.
#[derive(Debug)]
pub struct VerticalStack<T, A> {
    parts: Vec<A>,
    rows: usize,
    scratch: Scratch<T>,
}

impl<T: Real, A: LinearOperator<T>> VerticalStack<T, A> {
    /// Creates the vertical stack of `parts`. The first part is at the top.
    ///
    /// # Panics
    ///
    /// Panics if `parts` is empty or if the operators have different numbers of columns.
    pub fn new(parts: Vec<A>) -> Self {
        assert!(!parts.is_empty(), "a stack of no operators");
        let columns = parts[0].columns();
        assert!(parts.iter().all(|part| part.columns() == columns), "parts differ in their common dimension");
        let rows = parts.iter().map(A::rows).sum();
        Self { parts, rows, scratch: Scratch::new() }
    }
}

impl<T: Real, A: LinearOperator<T>> LinearOperator<T> for VerticalStack<T, A> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.parts[0].columns()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        let mut rest = data;
        for part in &self.parts {
            let (here, below) = rest.split_at_mut(part.rows());
            part.apply_forward(unknowns, here);
            rest = below;
        }
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        let mut rest = data;
        self.scratch.add_up(&self.parts, unknowns, |part, out| {
            let (here, below) = rest.split_at(part.rows());
            part.apply_adjoint(here, out);
            rest = below;
        });
    }

    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        self.scratch.add_up(&self.parts, out, |part, out| part.apply_normal(unknowns, out));
    }
}

/// Linear operators with the same data, stacked horizontally. The unknowns of the stack are the unknowns of
/// the first operator, followed by the unknowns of the second, and so on. The data are the sum of the results
/// of all operators. This stack is the transpose of the vertical stack of the transposes.
///
/// If several threads compute products at once, the stack keeps one temporary vector of data for each. The
/// method `normal` (the product with AᵀA) allocates another vector.
#[derive(Debug)]
pub struct HorizontalStack<T, A> {
    transposed: Transposed<VerticalStack<T, Transposed<A>>>,
}

impl<T: Real, A: LinearOperator<T>> HorizontalStack<T, A> {
    /// Creates the horizontal stack of `parts`. The first part is on the left.
    ///
    /// # Panics
    ///
    /// Panics if `parts` is empty or if the operators have different numbers of rows.
    pub fn new(parts: Vec<A>) -> Self {
        let columns = parts.into_iter().map(Transposed::new).collect();
        Self { transposed: Transposed::new(VerticalStack::new(columns)) }
    }
}

impl<T: Real, A: LinearOperator<T>> LinearOperator<T> for HorizontalStack<T, A> {
    fn rows(&self) -> usize {
        self.transposed.rows()
    }

    fn columns(&self) -> usize {
        self.transposed.columns()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        self.transposed.apply_forward(unknowns, data);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.transposed.apply_adjoint(data, unknowns);
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_matrix::{Matrix, Witness};
    use super::super::{Identity, Scaled};
    use super::*;

    #[test]
    fn vertical_stacks_have_the_rows_of_all_parts() {
        let parts = [(4, 1), (1, 2), (6, 3)].map(|(rows, seed)| Matrix::new(rows, 5, seed));
        let all = parts[0].above(&parts[1]).above(&parts[2]);
        all.is::<f32>(&VerticalStack::new(parts.iter().map(Matrix::dense).collect()));
        let witness = parts.each_ref().map(|part| Witness::new(part.dense::<f64>()));
        all.is::<f64>(&VerticalStack::new(witness.iter().collect()));
        assert!(witness.iter().all(Witness::was_called));
        parts[2].is::<f64>(&VerticalStack::new(vec![parts[2].dense()]));
    }

    #[test]
    fn horizontal_stacks_have_the_columns_of_all_parts() {
        let parts = [(4, 1), (1, 2), (6, 3)].map(|(columns, seed)| Matrix::new(5, columns, seed));
        let transposed = parts.each_ref().map(Matrix::transposed);
        let all = transposed[0].above(&transposed[1]).above(&transposed[2]).transposed();
        all.is::<f32>(&HorizontalStack::new(parts.iter().map(Matrix::dense).collect()));
        all.is::<f64>(&HorizontalStack::new(parts.iter().map(Matrix::dense).collect()));
    }

    #[test]
    fn stacks_can_combine_different_operator_types() {
        let (matrix, root) = (Matrix::new(7, 4, 1), 0.25);
        let expected = matrix.above(&Matrix::identity(4).scaled(root));
        let (dense, penalty) = (matrix.dense::<f64>(), Scaled::new(root, Identity::new(4)));
        expected.is(&VerticalStack::new(vec![&dense as &dyn LinearOperator<f64>, &penalty]));
    }

    #[test]
    #[should_panic(expected = "parts differ in their common dimension")]
    fn vertical_stacks_need_equal_column_counts() {
        VerticalStack::new(vec![Matrix::new(7, 5, 1).dense::<f32>(), Matrix::new(7, 4, 1).dense()]);
    }

    #[test]
    #[should_panic(expected = "parts differ in their common dimension")]
    fn horizontal_stacks_need_equal_row_counts() {
        HorizontalStack::new(vec![Matrix::new(7, 5, 1).dense::<f32>(), Matrix::new(6, 5, 1).dense()]);
    }
}
