//! Choosing penalties: from where on they leave nothing, solutions along a path of them, and what remains without them.

use super::regulariser::Penalties;
use super::{GapRule, ProximalElement, ProximalPoint, ProximalProblem, ProximalSolution, Regulariser, fista};
use crate::{Real, vector};
use std::ops::Range;

impl<T: Real> ProximalProblem<'_, T> {
    /// λ_max of some unknowns, given the rest: max_i a_i over `range` (of |a_i| where signs are free; 0 where that is
    /// negative), with a = Aᵀ(y − Ax) where x is `rest` with the `range` at 0. Where that x is the optimum among those
    /// with the range at 0 (of a problem [`with_fixed`](Self::with_fixed) unknowns; `rest` = 0 where nothing else is
    /// asked), it is the optimum of all for every λ of the range from λ_max on, and for none below. Two products.
    ///
    /// # Panics
    /// Where `rest` does not have the operator's number of columns, or the range goes beyond.
    pub fn largest_useful_l1(&self, rest: &[T], range: Range<usize>) -> f64 {
        let mut held = rest.to_vec();
        held[range.clone()].fill(T::zero());
        let gradient = self.gradient(&held);
        let of = |g: &T| if self.regulariser.is_non_negative() { -g.double() } else { g.double().abs() };
        gradient[range].iter().map(of).fold(0.0, f64::max)
    }

    /// The factor of all λ_g from which on no group is left, given the rest and λ_i: max_g ‖[a_g − λ]₊‖₂ / λ_g (soft
    /// thresholds of a_g where signs are free) with a = Aᵀ(y − Ax) where x is `rest` with the unknowns of all groups at
    /// 0. Where that x is the optimum among those, it is the optimum of all from this factor on, and not below. Groups
    /// with λ_g = 0 do not count; 0 without groups. Two products.
    ///
    /// # Panics
    /// Where `rest` does not have the operator's number of columns.
    pub fn largest_useful_group_factor(&self, rest: &[T]) -> f64 {
        let penalties = Penalties::<T>::new(self.regulariser, self.fixed);
        let Some(groups) = penalties.groups else { return 0.0 };
        let mut held = rest.to_vec();
        for &m in groups.members() {
            held[m as usize] = T::zero();
        }
        let gradient = self.gradient(&held);
        let factor = |(members, weight)| penalties.excess(members, |i| -gradient[i].double()) / weight;
        groups.iter().filter(|(_, weight)| *weight > 0.0).map(factor).fold(0.0, f64::max)
    }

    /// Aᵀ(Ax − y).
    fn gradient(&self, x: &[T]) -> Vec<T> {
        assert_eq!(x.len(), self.operator.columns(), "unknowns and operator do not fit");
        let mut residual = vec![T::zero(); self.operator.rows()];
        self.operator.forward(x, &mut residual);
        vector::subtract(&mut residual, self.data);
        let mut gradient = vec![T::zero(); x.len()];
        self.operator.adjoint(&residual, &mut gradient);
        gradient
    }
}

/// Solutions along a path of penalties: of the problem with each of `regularisers` in place of its own, each solution
/// the start of the next. From large penalties to small ones every step has little to do.
///
/// `watch` sees the number of the regulariser and every iteration; where it returns `false` that run ends.
///
/// # Panics
/// Where `start` or a regulariser does not have the operator's number of columns.
pub fn penalty_path<T: ProximalElement>(
    problem: &ProximalProblem<'_, T>,
    regularisers: &[Regulariser],
    start: &[T],
    rule: &GapRule,
    mut watch: impl FnMut(usize, &ProximalPoint) -> bool,
) -> Vec<ProximalSolution<T>> {
    let mut solutions: Vec<ProximalSolution<T>> = Vec::with_capacity(regularisers.len());
    for (n, regulariser) in regularisers.iter().enumerate() {
        assert_eq!(regulariser.columns(), problem.operator.columns(), "regulariser and operator do not fit");
        let problem = ProximalProblem { regulariser, ..*problem };
        let start = solutions.last().map_or(start, |solution| &solution.weights);
        let solution = fista(&problem, start, rule, |point| watch(n, point));
        solutions.push(solution);
    }
    solutions
}

/// The same unknowns without the bias of penalties: least squares over those of `weights` that are not 0, the others
/// held there, with x ≥ 0 where the problem asks for it, from `weights` on.
///
/// # Panics
/// Where `weights` does not have the operator's number of columns.
pub fn debias<T: ProximalElement>(
    problem: &ProximalProblem<'_, T>,
    weights: &[T],
    rule: &GapRule,
    watch: impl FnMut(&ProximalPoint) -> bool,
) -> ProximalSolution<T> {
    let columns = problem.operator.columns();
    let regulariser = Regulariser::new(columns, problem.regulariser.is_non_negative(), Vec::new(), None)
        .expect("nothing in it can be wrong");
    let fixed: Vec<bool> = weights.iter().map(num_traits::Zero::is_zero).collect();
    let refit = ProximalProblem { regulariser: &regulariser, fixed: Some(&fixed), ..*problem };
    fista(&refit, weights, rule, watch)
}
