//! Least squares with a quadratic penalty by the method of conjugate gradients. Also chooses the weight of
//! the penalty.

mod choice;
mod element;
mod iteration;
mod misfit;
mod problem;
mod sums;
#[cfg(test)]
mod tests;

pub use choice::{ChoiceOutcome, CurvePoint, DISCREPANCY_SOLVES, PenaltyChoice, by_discrepancy, by_l_curve};
pub use element::{QuadraticElement, gradients_bytes};
pub(crate) use iteration::kernels;
pub use problem::{QuadraticPoint, QuadraticProblem, QuadraticSolution, ResidualRule};

/// Solves a least squares problem with a quadratic penalty by conjugate gradients on the normal equations
/// (Hestenes and Stiefel 1952, doi:10.6028/jres.049.044). Each iteration calls the operator's method
/// `normal`: one product with AᵀA, and none with A or Aᵀ. If the sums of the iteration do not give the misfit
/// ‖y − Ax‖² to four digits, one product with A is computed at the end.
///
/// If the operator and its penalty compute `normal` on a GPU, all vectors stay on the GPU. If the GPU fails,
/// a warning is logged, and the solver starts again on the CPU. `watch` is then called again for all
/// iterations.
///
/// Vectors have the precision `T`, and sums have double precision. The objective decreases with every
/// iteration. If rounding prevents that, or if the curvature along the search direction is not positive, the
/// solver stops with [`Outcome::PrecisionLimit`](crate::Outcome::PrecisionLimit). `watch` is called for every
/// iteration, including the start and the last one. If it returns `false`, the solver stops as if it had
/// reached its maximum number of iterations.
///
/// # Panics
///
/// Panics if `start` does not have one element per column of the operator.
pub fn conjugate_gradients<T: QuadraticElement>(
    problem: &QuadraticProblem<'_, T>,
    start: Option<&[T]>,
    rule: &ResidualRule,
    mut watch: impl FnMut(&QuadraticPoint) -> bool,
) -> QuadraticSolution<T> {
    T::minimise(problem, start, rule, &mut watch)
}
