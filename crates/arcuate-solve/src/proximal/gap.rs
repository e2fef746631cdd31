//! Computes an upper bound of the difference between an objective and its minimum. A feasible point of the
//! dual problem gives a lower bound of the minimum.

use super::regulariser::Penalties;
use crate::{LinearOperator, NonNegativeLeastSquares, Real, Regulariser, vector};
use rayon::prelude::*;

/// The objective of a solution, and an upper bound of its difference from the minimum.
///
/// Let R be the penalty and a(θ) = Aᵀθ. The dual of the problem min_x ½‖y − Ax‖² + R(x) is
///
/// ```text
/// max_θ D(θ) = ½‖y‖² − ½‖y − θ‖²   where   a_i ≤ λ_i for unknowns in no group,
///                                  ‖[a_g − λ]₊‖₂ ≤ λ_g for groups
/// ```
///
/// This dual problem is for x ≥ 0. If the signs of x are free, |a_i| replaces a_i (Boyd and Vandenberghe
/// 2004, Convex Optimization, section 5; for groups with λ_i Ndiaye et al. 2016, NIPS 29). For any feasible
/// θ, D(θ) is a lower bound of the minimum. The objective at x is therefore at most `gap` above the minimum.
/// At the optimum, θ = y − Ax. Before the optimum, y − Ax is not feasible, but t(y − Ax) is feasible for a
/// small enough factor t. For x ≥ 0, a *shift* is used if it gives a better bound. With a shift, θ = y − Ax −
/// δs with Aᵀs ≥ 0 and the smallest sufficient δ. The gap is undefined if neither method gives a feasible θ.
/// This is the case if signs are free and an unknown has no penalty, or if neither s = 1 nor s = A1 gives a
/// feasible θ.
///
/// Because of products in single precision, the gap has a resolution of about 10⁻⁷ of ½‖y‖².
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DualityGap {
    /// The objective ½‖y − Ax‖² + R(x).
    pub objective: f64,
    /// Upper bound of the difference between the objective and its minimum. It is at least 0.
    pub gap: f64,
}

impl DualityGap {
    /// Returns the gap divided by the objective. If both are 0, returns 0.
    pub fn relative(&self) -> f64 {
        if self.gap == 0.0 { 0.0 } else { self.gap / self.objective }
    }
}

impl<T: Real> NonNegativeLeastSquares<'_, T> {
    /// Computes the duality gap of `weights` ≥ 0, which may be the result of any solver. Returns `None` if no
    /// feasible point of the dual problem is easily found. This method computes three to five products with A
    /// or Aᵀ.
    ///
    /// # Panics
    ///
    /// Panics if `weights` does not have one element per column of the operator.
    #[doc(hidden)]
    pub fn duality_gap(&self, weights: &[T]) -> Option<DualityGap> {
        let columns = self.operator.columns();
        assert_eq!(weights.len(), columns, "weights and operator do not fit");
        let regulariser = Regulariser::uniform(columns, self.l1);
        let penalties = Penalties::new(&regulariser, None);
        let mut residual = vec![T::zero(); self.operator.rows()];
        let mut gradient = vec![T::zero(); columns];
        self.operator.forward(weights, &mut residual);
        vector::subtract(&mut residual, self.data);
        self.operator.adjoint(&residual, &mut gradient);
        Dual::new(self.operator, self.data).gap(&penalties, weights, &residual, &gradient)
    }
}

/// The dual problem of a solver. It has the data and, once needed, the direction s by which dual points are
/// shifted to make them feasible.
pub(crate) struct Dual<'a, T> {
    operator: &'a dyn LinearOperator<T>,
    data: &'a [T],
    shift: Option<Shift<T>>,
    pub(crate) products: usize,
}

struct Shift<T> {
    /// The direction s of shifts.
    direction: Vec<T>,
    /// The product Aᵀs, where s is the direction of shifts.
    image: Vec<T>,
}

impl<'a, T: Real> Dual<'a, T> {
    pub(crate) fn new(operator: &'a dyn LinearOperator<T>, data: &'a [T]) -> Self {
        Self { operator, data, shift: None, products: 0 }
    }

    /// Returns the duality gap at x, from the residual r = Ax − y and the gradient g = Aᵀr.
    pub(crate) fn gap(
        &mut self,
        penalties: &Penalties<'_, T>,
        x: &[T],
        residual: &[T],
        gradient: &[T],
    ) -> Option<DualityGap> {
        let square = vector::norm_squared(residual);
        let objective = 0.5 * square + penalties.value(x);
        let with_data = -vector::dot(self.data, residual);
        let mut dual = scaled(penalties, gradient, square, with_data);
        if penalties.non_negative {
            if self.shift.is_none() {
                self.shift = Some(self.find_shift());
            }
            let Shift { direction, image } = self.shift.as_ref()?;
            if let Some(delta) = smallest_shift(penalties, gradient, image) {
                // The shifted dual point is θ = −r − δs. It is multiplied by the best factor up to 1. The
                // result is feasible, because the feasible set is convex and contains 0.
                let shift_square = vector::norm_squared(direction);
                let square =
                    square + 2.0 * delta * vector::dot(residual, direction) + delta * delta * shift_square;
                let with_data = with_data - delta * vector::dot(self.data, direction);
                let shifted = best_factor(with_data, square, 0.0, 1.0);
                dual = Some(dual.map_or(shifted, |dual| dual.max(shifted)));
            }
        }
        // Rounding errors can make the lower bound of the minimum exceed the objective.
        dual.map(|dual| DualityGap { objective, gap: (objective - dual).max(0.0) })
    }

    /// Returns the direction s by which dual points are shifted. If Aᵀ1 ≥ 0, which is the case for
    /// non-negative responses, the direction is s = 1. If not, it is s = A1 if that is possible, and s = 1
    /// otherwise.
    fn find_shift(&mut self) -> Shift<T> {
        let ones = vec![T::one(); self.operator.rows()];
        let mut image = vec![T::zero(); self.operator.columns()];
        self.operator.adjoint(&ones, &mut image);
        self.products += 1;
        if image.iter().all(|&c| c >= T::zero()) {
            return Shift { direction: ones, image };
        }
        let mut direction = vec![T::zero(); self.operator.rows()];
        let mut second = vec![T::one(); self.operator.columns()];
        self.operator.forward(&second, &mut direction);
        self.operator.adjoint(&direction, &mut second);
        self.products += 2;
        if second.iter().all(|&c| c >= T::zero()) {
            return Shift { direction, image: second };
        }
        Shift { direction: ones, image }
    }
}

impl<T: Real> Penalties<'_, T> {
    /// Returns the penalty R(x).
    pub(crate) fn value(&self, x: &[T]) -> f64 {
        let penalty = |(i, x): (usize, &T)| if x.is_zero() { 0.0 } else { self.l1(i) * x.double().abs() };
        let l1: f64 = if self.l1.is_empty() { 0.0 } else { x.iter().enumerate().map(penalty).sum() };
        let groups = self.groups.iter().flat_map(|groups| groups.iter());
        l1 + groups
            .map(|(members, weight)| {
                weight * super::regulariser::norm(members.iter().map(|&m| x[m as usize]))
            })
            .sum::<f64>()
    }

    /// Returns one flag for each unknown, which is true if the unknown is in a group.
    fn grouped(&self) -> Vec<bool> {
        let Some(groups) = self.groups else { return Vec::new() };
        let mut grouped = vec![false; groups.members().iter().max().map_or(0, |&m| m as usize + 1)];
        for &m in groups.members() {
            grouped[m as usize] = true;
        }
        grouped
    }

    /// Returns ‖[a_g − λ]₊‖₂ of a group. If signs are free, |a_g| replaces a_g.
    pub(crate) fn excess(&self, members: &[u32], a: impl Fn(usize) -> f64) -> f64 {
        let square = |&m: &u32| self.shrink(a(m as usize), self.l1(m as usize)).powi(2);
        members.iter().map(square).sum::<f64>().sqrt()
    }
}

/// Returns the maximum of the dual objective D(tθ) = t⟨y, θ⟩ − ½t²‖θ‖² over the factors t in [low, high].
fn best_factor(with_data: f64, square: f64, low: f64, high: f64) -> f64 {
    let factor = if square > 0.0 { (with_data / square).clamp(low, high) } else { 0.0 };
    factor * with_data - 0.5 * factor * factor * square
}

/// Returns the largest dual objective D(tθ) for θ = y − Ax = −r, over all factors t for which tθ is feasible.
/// Returns `None` if only t = 0 is feasible.
fn scaled<T: Real>(penalties: &Penalties<'_, T>, gradient: &[T], square: f64, with_data: f64) -> Option<f64> {
    let grouped = penalties.grouped();
    let room = |i: usize| {
        let a = -gradient[i].double();
        let a = if penalties.non_negative { a.max(0.0) } else { a.abs() };
        if a == 0.0 || grouped.get(i) == Some(&true) { f64::INFINITY } else { penalties.l1(i) / a }
    };
    let mut maximum = (0..gradient.len()).into_par_iter().map(room).reduce(|| f64::INFINITY, f64::min);
    for (members, weight) in penalties.groups.iter().flat_map(|groups| groups.iter()) {
        let excess = |t: f64| penalties.excess(members, |i| -t * gradient[i].double());
        // Factors t above 1 are not tried, because they hardly improve the lower bound.
        maximum = maximum.min(1.0);
        if excess(maximum) > weight {
            maximum = bisect(0.0, maximum, |t| excess(t) <= weight);
        }
    }
    // If x ≥ 0 is required, a negative factor t is never tried. It can be feasible only if signs are free.
    let low = if penalties.non_negative { 0.0 } else { -maximum };
    (maximum > 0.0).then(|| best_factor(with_data, square, low, maximum))
}

/// Searches the value at which feasibility changes, between a feasible and an infeasible value. Returns the
/// feasible end of a small interval around it.
fn bisect(feasible: f64, infeasible: f64, is_feasible: impl Fn(f64) -> bool) -> f64 {
    let (mut good, mut bad) = (feasible, infeasible);
    for _ in 0..100 {
        let middle = 0.5 * (good + bad);
        if middle == good || middle == bad {
            break;
        }
        if is_feasible(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

/// Returns the smallest shift δ ≥ 0 that was found for which −g − δc is feasible for x ≥ 0. Here g is the
/// gradient and c = Aᵀs. Returns `None` if none was found.
fn smallest_shift<T: Real>(penalties: &Penalties<'_, T>, gradient: &[T], image: &[T]) -> Option<f64> {
    let grouped = penalties.grouped();
    let is_grouped = |i: usize| grouped.get(i) == Some(&true);
    // These are the values of the shift δ for which the condition −g_i − δc_i ≤ λ_i holds with equality.
    let needed = |i: usize| {
        let (over, c) = (-gradient[i].double() - penalties.l1(i), image[i].double());
        match (over > 0.0, c > 0.0) {
            (false, _) => 0.0,
            (true, true) => over / c,
            (true, false) => f64::INFINITY,
        }
    };
    let singles = (0..gradient.len()).into_par_iter().filter(|&i| !is_grouped(i));
    let mut delta = singles.map(needed).reduce(|| 0.0, f64::max);
    for (members, weight) in penalties.groups.iter().flat_map(|groups| groups.iter()) {
        let excess =
            |delta: f64| penalties.excess(members, |i| -gradient[i].double() - delta * image[i].double());
        if delta.is_finite() && excess(delta) > weight {
            // For all shifts δ from this value on, all terms of the group are 0.
            let maximum = members.iter().map(|&m| needed(m as usize)).fold(0.0, f64::max);
            if !maximum.is_finite() {
                return None;
            }
            delta = bisect(maximum, delta, |delta| excess(delta) <= weight);
        }
    }
    if !delta.is_finite() {
        return None;
    }
    // If c is negative for an unknown, a shift makes this unknown less feasible.
    let single = |i: usize| {
        is_grouped(i)
            || image[i].double() >= 0.0
            || -gradient[i].double() - delta * image[i].double() <= penalties.l1(i)
    };
    let of_groups = || {
        penalties.groups.iter().flat_map(|groups| groups.iter()).all(|(members, weight)| {
            members.iter().all(|&m| image[m as usize].double() >= 0.0)
                || penalties.excess(members, |i| -gradient[i].double() - delta * image[i].double()) <= weight
        })
    };
    ((0..gradient.len()).into_par_iter().all(single) && of_groups()).then_some(delta)
}
