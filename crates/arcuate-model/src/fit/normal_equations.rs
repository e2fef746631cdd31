//! The normal equations of least squares, summed over measurements.

use super::arithmetic::{BranchOf, Stored};
use super::interpreter::TALLEST;
use super::linear::triangle;
use arcuate_numbers::Operations;

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

    /// Adds the terms of a block of measurements. `usable` is 0 for measurements to skip, and 1 for the others.
    /// `result` returns the predicted signals (0), or their derivatives with respect to an unknown (from 1).
    #[inline(always)]
    pub(super) fn add<'r, const ALL_USABLE: bool>(
        &mut self,
        signals: &[V::Number],
        usable: &[V::Number],
        result: impl Fn(usize) -> &'r [V::Number],
    ) where
        V::Number: 'r,
    {
        let zero = signals[0].known(0.0);
        let (predicted, mut differences, mut cost) = (result(0), [zero; TALLEST], self.cost.clone());
        for m in 0..signals.len() {
            let difference = signals[m] - predicted[m];
            differences[m] = if ALL_USABLE { difference } else { usable[m].if_above(zero, difference, zero) };
            cost.add_product(differences[m], differences[m]);
        }
        self.cost = cost;
        for i in 0..self.gradient.len() {
            let of_i = result(1 + i);
            add_products::<ALL_USABLE, V>(&mut self.gradient[i], of_i, &differences, usable);
            for j in 0..=i {
                add_products::<ALL_USABLE, V>(&mut self.normal[triangle(i, j)], of_i, result(1 + j), usable);
            }
        }
    }
}

/// Adds the products of a and b to a sum, for the usable measurements of a block.
#[inline(always)]
pub(super) fn add_products<const ALL_USABLE: bool, V: Stored>(
    into: &mut V,
    a: &[V::Number],
    b: &[V::Number],
    usable: &[V::Number],
) {
    // On the CPU, this is a local copy of the sum. In a kernel, it is the same register.
    let mut sum = into.clone();
    let b = &b[..a.len()];
    for m in 0..a.len() {
        if ALL_USABLE {
            sum.add_product(a[m], b[m]);
        } else {
            let next = a[m].fma(b[m], sum.now());
            sum.set(usable[m].if_above(next.known(0.0), next, sum.now()));
        }
    }
    *into = sum;
}
