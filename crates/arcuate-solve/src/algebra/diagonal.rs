use crate::vector::PIECE;
use crate::{LinearOperator, Real};
use rayon::prelude::*;
use std::marker::PhantomData;

/// The identity operator I for real or complex vectors. Its products with vectors allocate no memory.
#[derive(Debug, Clone, Copy)]
pub struct Identity<T> {
    length: usize,
    precision: PhantomData<T>,
}

impl<T> Identity<T> {
    /// Creates the identity operator for vectors of `length` real numbers. A complex number counts as two
    /// real numbers.
    pub fn new(length: usize) -> Self {
        Self { length, precision: PhantomData }
    }
}

impl<T: Real> LinearOperator<T> for Identity<T> {
    fn rows(&self) -> usize {
        self.length
    }

    fn columns(&self) -> usize {
        self.length
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        data.copy_from_slice(unknowns);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.apply_forward(data, unknowns);
    }

    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        self.apply_forward(unknowns, out);
    }
}

/// The diagonal operator diag(d) with real d. Its products allocate no memory.
#[derive(Debug, Clone)]
pub struct Diagonal<T> {
    values: Vec<T>,
}

impl<T: Real> Diagonal<T> {
    /// Creates the diagonal operator from the values on its diagonal.
    pub fn new(values: Vec<T>) -> Self {
        Self { values }
    }
}

impl<T: Real> LinearOperator<T> for Diagonal<T> {
    fn rows(&self) -> usize {
        self.values.len()
    }

    fn columns(&self) -> usize {
        self.values.len()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        each::<T, 1>(&self.values, unknowns, data, |[d], [x]| [d * x]);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.apply_forward(data, unknowns);
    }

    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        each::<T, 1>(&self.values, unknowns, out, |[d], [x]| [d * (d * x)]);
    }
}

/// A diagonal operator for complex vectors. All vectors are stored as real numbers, in which the real part of
/// each complex number precedes its imaginary part. The adjoint multiplies by the complex conjugates of the
/// diagonal. Products allocate no memory.
#[derive(Debug, Clone)]
pub struct ComplexDiagonal<T> {
    values: Vec<T>,
}

impl<T: Real> ComplexDiagonal<T> {
    /// Creates the operator from the complex values on the diagonal, stored as real numbers (real part,
    /// imaginary part, …).
    ///
    /// # Panics
    ///
    /// Panics if the number of real numbers is odd.
    pub fn new(values: Vec<T>) -> Self {
        assert!(values.len().is_multiple_of(2), "a real part without an imaginary one");
        Self { values }
    }
}

impl<T: Real> LinearOperator<T> for ComplexDiagonal<T> {
    fn rows(&self) -> usize {
        self.values.len()
    }

    fn columns(&self) -> usize {
        self.values.len()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        each::<T, 2>(&self.values, unknowns, data, |[a, b], [x, y]| [a * x - b * y, a * y + b * x]);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        each::<T, 2>(&self.values, data, unknowns, |[a, b], [x, y]| [a * x + b * y, a * y - b * x]);
    }

    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        each::<T, 2>(&self.values, unknowns, out, |[a, b], [x, y]| {
            let square = a * a + b * b;
            [square * x, square * y]
        });
    }
}

/// Computes out = action(values, from) for N numbers at a time.
fn each<T: Real, const N: usize>(
    values: &[T],
    from: &[T],
    out: &mut [T],
    action: impl Fn([T; N], [T; N]) -> [T; N] + Sync,
) {
    const { assert!(PIECE.is_multiple_of(N), "a piece ends within a number") };
    let pieces = out.par_chunks_mut(PIECE).zip(from.par_chunks(PIECE)).zip(values.par_chunks(PIECE));
    pieces.for_each(|((out, from), values)| {
        let (out, from, values) =
            (out.as_chunks_mut::<N>().0, from.as_chunks::<N>().0, values.as_chunks::<N>().0);
        for ((out, &from), &values) in out.iter_mut().zip(from).zip(values) {
            *out = action(values, from);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::Composition;
    use super::super::test_matrix::Matrix;
    use super::*;
    use crate::checks;

    #[test]
    fn the_identity_is_a_matrix_of_ones_on_the_diagonal() {
        Matrix::identity(6).is::<f32>(&Identity::new(6));
        Matrix::identity(6).is::<f64>(&Identity::new(6));
        // The identity operator of complex vectors also commutes with the multiplication by i.
        checks::complex_linearity(&Identity::<f64>::new(6), 0.0);
    }

    #[test]
    fn diagonal_operators_agree_with_diagonal_matrices() {
        let values = [1.5, -2.0, 0.0, 0.25, 3.0];
        let matrix = Matrix::diagonal(&values);
        matrix.is::<f64>(&Diagonal::new(values.to_vec()));
        matrix.is::<f32>(&Diagonal::new(values.map(|v| v as f32).to_vec()));
        // A diagonal operator W in the product W A multiplies the rows of A by weights.
        let other = Matrix::new(5, 3, 1);
        matrix.times(&other).is::<f64>(&Composition::new(Diagonal::new(values.to_vec()), other.dense()));
    }

    #[test]
    fn complex_diagonals_agree_with_two_by_two_blocks() {
        let values = [1.5, -2.0, 0.0, 0.25, 3.0, 0.0, -0.5, -1.0];
        // This matrix is the complex number a + ib, written as a real 2 × 2 matrix.
        let block = |row: usize, column: usize| {
            let [a, b] = [values[row / 2 * 2], values[row / 2 * 2 + 1]];
            match (row / 2 == column / 2, row % 2, column % 2) {
                (false, ..) => 0.0,
                (true, 0, 1) => -b,
                (true, 1, 0) => b,
                _ => a,
            }
        };
        let matrix = Matrix::of(8, 8, block);
        let double = ComplexDiagonal::new(values.to_vec());
        matrix.is::<f64>(&double);
        matrix.is::<f32>(&ComplexDiagonal::new(values.map(|v| v as f32).to_vec()));
        // The compiler may combine one of the two multiplications with the addition (FMA), which changes the
        // rounding.
        checks::complex_linearity(&double, 1e-15);
    }

    #[test]
    fn long_vectors_are_multiplied_piece_by_piece() {
        let n = 2 * PIECE + 6;
        let values: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let unknowns: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut data = vec![f64::NAN; n];
        Diagonal::new(values.clone()).forward(&unknowns, &mut data);
        assert!((0..n).all(|i| data[i] == values[i] * unknowns[i]));
        ComplexDiagonal::new(values.clone()).adjoint(&unknowns, &mut data);
        let conjugate = |i: usize| values[i] * unknowns[i] + values[i + 1] * unknowns[i + 1];
        assert!((0..n).step_by(2).all(|i| data[i] == conjugate(i)));
    }

    #[test]
    #[should_panic(expected = "a real part without an imaginary one")]
    fn complex_diagonals_need_an_even_number_of_values() {
        ComplexDiagonal::new(vec![1f32; 3]);
    }
}
