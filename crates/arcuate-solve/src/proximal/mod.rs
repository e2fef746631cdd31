//! Least squares with penalties that make unknowns or groups of unknowns 0. The module has a proximal
//! gradient method and the duality gap.

mod gap;
mod iteration;
mod path;
mod problem;
mod regulariser;
#[cfg(test)]
mod tests;
mod vectors;

pub use gap::DualityGap;
pub use iteration::ProximalElement;
pub use path::{debias, penalty_path};
pub use problem::{GapRule, ProximalPoint, ProximalProblem, ProximalSolution};
pub use regulariser::{GroupPenalty, Regulariser};
pub(crate) use vectors::{kernels, layout};

/// Solves penalised least squares by the fast iterative shrinkage-thresholding algorithm (FISTA; Beck and
/// Teboulle 2009, doi:10.1137/080716542). A step from x is x⁺ = prox(z − t∇f(z)) with the step length t. It
/// starts at the extrapolated point z = x + β(x − x′), with the previous unknowns x′ and the momentum β.
///
/// The step length t grows slightly with every step. If the measured curvature ‖A(x⁺ − z)‖² / ‖x⁺ − z‖²
/// requires it, t is reduced (backtracking; momentum for variable lengths after Scheinberg, Goldfarb and Bai
/// 2014, doi:10.1007/s10208-014-9189-9). If the momentum points uphill or has increased the objective, it is
/// reset (O'Donoghue and Candès 2015, doi:10.1007/s10208-013-9150-3). The objective therefore decreases with
/// every iteration, except for rounding.
///
/// An iteration needs two products with A or Aᵀ, and one more for each rejected step. The residual and the
/// gradient at z are linear combinations of those at x and x′. The gradient at x also gives the duality gap.
/// The gap is checked every ten iterations at first. Later, it is checked at intervals of a tenth of the
/// number of iterations.
///
/// Without a penalty, [`projected_barzilai_borwein`](crate::projected_barzilai_borwein) solves the same
/// problem. [`NonNegativeLeastSquares::duality_gap`](crate::NonNegativeLeastSquares::duality_gap) gives the
/// accuracy of its solution. The table below has the number of products that each solver needed for a duality
/// gap of 10⁻⁶ of the objective:
///
/// | A | FISTA | Barzilai–Borwein |
/// |---|---|---|
/// | random, sparse, 600 × 400 | 563 | 244 |
/// | random, sparse, 1500 × 300 | 134 | 80 |
/// | columns in groups of five that are nearly equal | 8,587 | 11,076 |
///
/// If the data are not finite, the solver stops at once. The outcome is
/// [`Outcome::PrecisionLimit`](crate::Outcome::PrecisionLimit), and the weights are those of the start.
/// `watch` is called in every iteration. If it returns `false`, the solver stops as if it had reached its
/// maximum number of iterations.
///
/// # Panics
///
/// Panics if `start` does not have one element per column of the operator.
pub fn fista<T: ProximalElement>(
    problem: &ProximalProblem<'_, T>,
    start: &[T],
    rule: &GapRule,
    mut watch: impl FnMut(&ProximalPoint) -> bool,
) -> ProximalSolution<T> {
    T::minimise(problem, start, rule, &mut watch)
}
