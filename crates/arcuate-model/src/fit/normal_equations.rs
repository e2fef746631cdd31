//! The normal equations of least squares, summed over measurements.

use super::arithmetic::{BranchOf, Stored};
use super::interpreter::{Interpreter, Row, TALLEST};
use super::linear::triangle;
use crate::special::watson::Series;
use arcuate_numbers::{Lanes, Operations};

/// Sums over the measurements of a voxel (or of sixteen voxels): squared residuals, products of two
/// derivatives of the signal, and products of a derivative with the residual.
#[derive(Debug, Clone)]
pub(super) struct Sums<V: Stored> {
    pub(super) cost: V,
    /// The lower triangle of the normal matrix (the sums of products of two derivatives), row by row.
    pub(super) normal: Vec<V>,
    pub(super) gradient: Vec<V>,
}

impl<V: Stored> Sums<V> {
    /// Allocates the sums. `make` makes variables.
    pub(super) fn new(unknowns: usize, make: impl Fn() -> V) -> Self {
        Self {
            cost: make(),
            normal: (0..triangle(unknowns, 0)).map(|_| make()).collect(),
            gradient: (0..unknowns).map(|_| make()).collect(),
        }
    }

    /// Resets the sums to `zero`.
    #[inline(always)]
    pub(super) fn clear(&mut self, zero: V::Number) {
        self.cost.set(zero);
        for sum in &mut self.normal {
            sum.set(zero);
        }
        for sum in &mut self.gradient {
            sum.set(zero);
        }
    }

    /// Returns the element (i, j) of the symmetric normal matrix.
    #[inline(always)]
    pub(super) fn element(&self, i: usize, j: usize) -> V::Number {
        self.normal[if j <= i { triangle(i, j) } else { triangle(j, i) }].now()
    }

    /// Copies the sums `from` in the voxels that need this branch.
    #[inline(always)]
    pub(super) fn take(&mut self, branch: &BranchOf<V::Number>, from: &Self) {
        self.cost.set_in(branch, from.cost.now());
        for n in 0..self.normal.len() {
            self.normal[n].set_in(branch, from.normal[n].now());
        }
        for n in 0..self.gradient.len() {
            self.gradient[n].set_in(branch, from.gradient[n].now());
        }
    }
}

impl<T: Series> Sums<Row<T>> {
    /// Adds the terms of the block of measurements that was computed last. `usable` is 0 for measurements to
    /// skip, and 1 for the others.
    #[inline(always)]
    pub(super) fn add<const ALL_USABLE: bool>(
        &mut self,
        interpreter: &Interpreter<T>,
        signals: &[Row<T>],
        usable: &[Row<T>],
    ) {
        let (zero, count) = (Lanes::all(0.0), signals.len());
        let predicted = interpreter.result(0, count);
        let mut differences = [zero; TALLEST];
        for m in 0..count {
            let difference = signals[m] - predicted[m];
            differences[m] = if ALL_USABLE { difference } else { usable[m].if_above(zero, difference, zero) };
            self.cost = differences[m].fma(differences[m], self.cost);
        }
        for i in 0..self.gradient.len() {
            let of_i = interpreter.result(1 + i, count);
            let mut sum = self.gradient[i];
            for m in 0..count {
                let next = of_i[m].fma(differences[m], sum);
                sum = if ALL_USABLE { next } else { usable[m].if_above(zero, next, sum) };
            }
            self.gradient[i] = sum;
            for j in 0..=i {
                let of_j = interpreter.result(1 + j, count);
                let mut sum = self.normal[triangle(i, j)];
                for m in 0..count {
                    let next = of_i[m].fma(of_j[m], sum);
                    sum = if ALL_USABLE { next } else { usable[m].if_above(zero, next, sum) };
                }
                self.normal[triangle(i, j)] = sum;
            }
        }
    }
}
