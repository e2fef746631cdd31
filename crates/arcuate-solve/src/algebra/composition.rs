use super::scratch::Scratch;
use crate::{LinearOperator, Real};

/// The product A B of two linear operators. It applies B to the unknowns first, and then A to the result.
///
/// The product with (AB)ᵀAB = Bᵀ AᵀA B uses the `normal` method of A (the product with AᵀA). If several
/// threads compute products at once, the operator keeps one temporary vector (the result of B) for each. For
/// `normal`, it keeps a second one.
#[derive(Debug)]
pub struct Composition<T, A, B> {
    last: A,
    first: B,
    between: Scratch<T>,
}

impl<T: Real, A: LinearOperator<T>, B: LinearOperator<T>> Composition<T, A, B> {
    /// Creates the operator that applies `first`, and then `last` to the result.
    ///
    /// # Panics
    ///
    /// Panics if `last` does not have as many columns as `first` has rows.
    pub fn new(last: A, first: B) -> Self {
        assert_eq!(last.columns(), first.rows(), "operators do not follow each other");
        Self { last, first, between: Scratch::new() }
    }
}

impl<T: Real, A: LinearOperator<T>, B: LinearOperator<T>> LinearOperator<T> for Composition<T, A, B> {
    fn rows(&self) -> usize {
        self.last.rows()
    }

    fn columns(&self) -> usize {
        self.first.columns()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        self.between.lend(self.first.rows(), |between| {
            self.first.apply_forward(unknowns, between);
            self.last.apply_forward(between, data);
        });
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.between.lend(self.first.rows(), |between| {
            self.last.apply_adjoint(data, between);
            self.first.apply_adjoint(between, unknowns);
        });
    }

    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        let length = self.first.rows();
        self.between.lend(length, |image| {
            self.first.apply_forward(unknowns, image);
            self.between.lend(length, |normal| {
                self.last.apply_normal(image, normal);
                self.first.apply_adjoint(normal, out);
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_matrix::{Matrix, Witness};
    use super::super::{Identity, Scaled};
    use super::*;

    #[test]
    fn compositions_agree_with_matrix_products() {
        let (a, b) = (Matrix::new(7, 5, 1), Matrix::new(5, 9, 2));
        let product = a.times(&b);
        product.is::<f64>(&Composition::new(&a.dense(), &b.dense()));
        product.is::<f32>(&Composition::new(a.dense(), b.dense()));
        // The test composes three operators.
        let c = Matrix::new(9, 4, 3);
        let three = Composition::new(Composition::new(a.dense::<f64>(), b.dense()), c.dense());
        product.times(&c).is(&three);
    }

    #[test]
    fn compositions_use_the_normal_product_of_the_outer_operator() {
        let a = Matrix::new(7, 5, 1);
        let witness = Witness::new(a.dense::<f64>());
        a.scaled(0.5).is(&Composition::new(&witness, Scaled::new(0.5, Identity::new(5))));
        assert!(witness.was_called());
    }

    #[test]
    #[should_panic(expected = "operators do not follow each other")]
    fn shapes_must_match() {
        let matrix = Matrix::new(7, 5, 1).dense::<f32>();
        Composition::new(&matrix, &matrix);
    }
}
