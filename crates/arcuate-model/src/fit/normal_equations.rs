//! The normal equations of least squares, summed over measurements in sixteen voxels at once.

use super::interpreter::{Interpreter, Row, TALLEST};
use super::linear::triangle;
use crate::special::watson::Series;
use arcuate_numbers::{Lanes, Operations, Real};

/// Sums over the measurements of a voxel, for sixteen voxels: squared residuals, products of two derivatives
/// of the signal, and products of a derivative with the residual.
#[derive(Debug, Clone)]
pub(super) struct Sums<T: Real> {
    pub(super) cost: Row<T>,
    /// The lower triangle of the normal matrix (the sums of products of two derivatives), row by row.
    pub(super) normal: Vec<Row<T>>,
    pub(super) gradient: Vec<Row<T>>,
}

impl<T: Real> Sums<T> {
    pub(super) fn new(unknowns: usize) -> Self {
        let zero = Lanes::all(0.0);
        Self { cost: zero, normal: vec![zero; triangle(unknowns, 0)], gradient: vec![zero; unknowns] }
    }

    /// Resets the sums to 0.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        let zero = Lanes::all(0.0);
        self.cost = zero;
        self.normal.fill(zero);
        self.gradient.fill(zero);
    }

    /// Returns the element (i, j) of the symmetric normal matrix, in sixteen voxels.
    #[inline(always)]
    pub(super) fn element(&self, i: usize, j: usize) -> Row<T> {
        self.normal[if j <= i { triangle(i, j) } else { triangle(j, i) }]
    }

    /// Copies the sums of one SIMD lane (one voxel) from the sums `from`.
    #[inline(always)]
    pub(super) fn take_lane(&mut self, lane: usize, from: &Self) {
        self.cost.0[lane] = from.cost.0[lane];
        for (own, other) in self.normal.iter_mut().zip(&from.normal) {
            own.0[lane] = other.0[lane];
        }
        for (own, other) in self.gradient.iter_mut().zip(&from.gradient) {
            own.0[lane] = other.0[lane];
        }
    }
}

impl<T: Series> Sums<T> {
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
