//! Small explicit matrices with which composed operators are compared in tests.

use crate::{Dense, LinearOperator, Real, checks};
use nalgebra::DMatrix;
use std::sync::atomic::{AtomicBool, Ordering};

/// A small matrix for tests. Sums and products of such matrices are computed entry by entry.
#[derive(Debug, Clone)]
pub(super) struct Matrix {
    entries: DMatrix<f64>,
}

impl Matrix {
    pub(super) fn of(rows: usize, columns: usize, entry: impl FnMut(usize, usize) -> f64) -> Self {
        Self { entries: DMatrix::from_fn(rows, columns, entry) }
    }

    /// Creates a matrix of pseudo-random entries between −1 and 1. Single and double precision represent
    /// these entries exactly.
    pub(super) fn new(rows: usize, columns: usize, seed: u64) -> Self {
        let mut state = seed;
        Self::of(rows, columns, |_, _| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 56) as f64 / 128.0 - 1.0
        })
    }

    pub(super) fn identity(size: usize) -> Self {
        Self::diagonal(&vec![1.0; size])
    }

    pub(super) fn diagonal(values: &[f64]) -> Self {
        Self::of(values.len(), values.len(), |row, column| if row == column { values[row] } else { 0.0 })
    }

    pub(super) fn entry(&self, row: usize, column: usize) -> f64 {
        self.entries[(row, column)]
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        Self { entries: &self.entries * &other.entries }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Self { entries: &self.entries + &other.entries }
    }

    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self { entries: &self.entries * factor }
    }

    pub(super) fn transposed(&self) -> Self {
        Self { entries: self.entries.transpose() }
    }

    pub(super) fn above(&self, other: &Self) -> Self {
        let (rows, columns) = (self.entries.nrows(), self.entries.ncols());
        Self::of(rows + other.entries.nrows(), columns, |row, column| {
            if row < rows { self.entry(row, column) } else { other.entry(row - rows, column) }
        })
    }

    pub(super) fn dense<T: Real>(&self) -> Dense<T> {
        // The entries of a matrix row by row are the entries of its transpose column by column.
        Dense::new(self.entries.ncols(), self.entries.transpose().iter().map(|&v| T::of(v)).collect())
    }

    /// Asserts that `operator` passes the checks that every operator must pass, and that its products equal
    /// those of this matrix.
    pub(super) fn is<T: Real>(&self, operator: &impl LinearOperator<T>) {
        // The tolerance allows for the rounding of sums of about a hundred products of numbers around 1, in
        // two or three steps.
        let tolerance = if T::NAME == "f32" { 3e-6 } else { 1e-14 };
        checks::all(operator, tolerance);
        let dense = self.dense::<T>();
        assert_eq!((operator.rows(), operator.columns()), (dense.rows(), dense.columns()));
        let (found, expected) = (products(operator), products(&dense));
        let names = ["forward", "adjoint", "normal"];
        for (name, (found, expected)) in names.into_iter().zip(found.iter().zip(&expected)) {
            let error = checks::relative_difference(found, expected);
            assert!(error <= tolerance, "{name}: {error:e} > {tolerance:e}: {found:?} {expected:?}");
        }
    }
}

/// Returns the products of A, Aᵀ and AᵀA with pseudo-random vectors.
fn products<T: Real>(operator: &impl LinearOperator<T>) -> [Vec<T>; 3] {
    let (rows, columns) = (operator.rows(), operator.columns());
    let (x, y) = (checks::probe(columns, 7), checks::probe(rows, 8));
    let [mut image, mut back, mut both] = [rows, columns, columns].map(|length| vec![T::nan(); length]);
    operator.forward(&x, &mut image);
    operator.adjoint(&y, &mut back);
    operator.normal(&x, &mut both);
    [image, back, both]
}

/// An operator for tests that records whether its own method `normal` was called.
pub(super) struct Witness<A> {
    operator: A,
    called: AtomicBool,
}

impl<A> Witness<A> {
    pub(super) fn new(operator: A) -> Self {
        Self { operator, called: AtomicBool::new(false) }
    }

    pub(super) fn was_called(&self) -> bool {
        self.called.load(Ordering::Relaxed)
    }
}

impl<T: Real, A: LinearOperator<T>> LinearOperator<T> for Witness<A> {
    fn rows(&self) -> usize {
        self.operator.rows()
    }

    fn columns(&self) -> usize {
        self.operator.columns()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        self.operator.apply_forward(unknowns, data);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.operator.apply_adjoint(data, unknowns);
    }

    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        self.called.store(true, Ordering::Relaxed);
        self.operator.apply_normal(unknowns, out);
    }
}
