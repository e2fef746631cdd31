//! Helps to choose penalties. It computes the largest useful penalties and the solutions for a sequence of
//! penalties, and removes the bias that penalties cause.

use super::regulariser::Penalties;
use super::{GapRule, ProximalElement, ProximalPoint, ProximalProblem, ProximalSolution, Regulariser, fista};
use crate::{Real, vector};
use std::ops::Range;

impl<T: Real> ProximalProblem<'_, T> {
    /// Returns λ_max of the unknowns in `range`, for given values of the other unknowns. It is max_i a_i over
    /// `range` (|a_i| if signs are free), or 0 if this maximum is negative. Here a = Aᵀ(y − Ax), and x is
    /// `rest` with the unknowns in `range` set to 0.
    ///
    /// Suppose that this x is the best vector among those that are 0 in `range`. Then x is the solution for
    /// every penalty λ ≥ λ_max of the range, and for no smaller λ. The solution of a problem in which the
    /// unknowns in `range` are fixed at 0 ([`with_fixed`](Self::with_fixed)) is such an x. If there are no
    /// other unknowns, x is 0. The function computes one product with A and one with Aᵀ.
    ///
    /// # Panics
    ///
    /// Panics if `rest` does not have one element per column of the operator, or if the range exceeds the
    /// columns.
    pub fn largest_useful_l1(&self, rest: &[T], range: Range<usize>) -> f64 {
        let mut held = rest.to_vec();
        held[range.clone()].fill(T::zero());
        let gradient = self.gradient(&held);
        let of = |g: &T| if self.regulariser.is_non_negative() { -g.double() } else { g.double().abs() };
        gradient[range].iter().map(of).fold(0.0, f64::max)
    }

    /// Returns the smallest common factor of all λ_g for which all groups are 0, for given values of the
    /// other unknowns and of λ_i. It is max_g ‖[a_g − λ]₊‖₂ / λ_g (soft thresholds of a_g if signs are free).
    /// Here a = Aᵀ(y − Ax), and x is `rest` with the unknowns of all groups set to 0. If x is the best vector
    /// of this kind, it is the solution for this factor and every larger one, and for no smaller factor.
    /// Groups with λ_g = 0 are ignored. If there are no groups, the result is 0. The function computes one
    /// product with A and one with Aᵀ.
    ///
    /// # Panics
    ///
    /// Panics if `rest` does not have one element per column of the operator.
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

    /// Returns the gradient Aᵀ(Ax − y).
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

/// Solves the problem once with each of `regularisers`, instead of its own regulariser. Each solve starts
/// from the previous solution. If the penalties decrease along the list, every solve is short.
///
/// `watch` is called in every iteration, with the index of the current regulariser. If it returns `false`,
/// the current solve stops.
///
/// # Panics
///
/// Panics if `start` or a regulariser does not have one element per column of the operator.
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

/// Removes the bias that penalties cause in a solution. It solves least squares without a penalty over the
/// non-zero unknowns of `weights`, starting from `weights`. The other unknowns stay 0, and x ≥ 0 if the
/// problem requires it.
///
/// # Panics
///
/// Panics if `weights` does not have one element per column of the operator.
pub fn debias<T: ProximalElement>(
    problem: &ProximalProblem<'_, T>,
    weights: &[T],
    rule: &GapRule,
    watch: impl FnMut(&ProximalPoint) -> bool,
) -> ProximalSolution<T> {
    let columns = problem.operator.columns();
    let regulariser = Regulariser::new(columns, problem.regulariser.is_non_negative(), Vec::new(), None)
        .expect("these arguments are valid");
    let fixed: Vec<bool> = weights.iter().map(num_traits::Zero::is_zero).collect();
    let refit = ProximalProblem { regulariser: &regulariser, fixed: Some(&fixed), ..*problem };
    fista(&refit, weights, rule, watch)
}
