//! Least squares with a quadratic penalty by conjugate gradients, and the choice of the penalty.

mod choice;
mod cpu;
mod cuda;
mod element;
mod engine;
mod kernels;
mod misfit;
mod problem;
mod sums;
#[cfg(test)]
mod tests;

pub use choice::{ChoiceOutcome, CurvePoint, DISCREPANCY_SOLVES, PenaltyChoice, by_discrepancy, by_l_curve};
pub use cuda::gradients_bytes;
pub use element::QuadraticElement;
pub use problem::{QuadraticPoint, QuadraticProblem, QuadraticSolution, ResidualRule};

/// Solves least squares with a quadratic penalty by conjugate gradients on the normal equations (Hestenes and
/// Stiefel 1952, doi:10.6028/jres.049.044). Each iteration uses the operator's `normal`: one product with
/// AᵀA, and none with A or Aᵀ. If the sums of the iteration do not give the misfit to four digits, there is
/// one product with A at the end.
///
/// If the operator and its penalty have their `normal` on a GPU, all vectors stay on the GPU. If the GPU
/// fails, a warning is given, and the solver runs again on the CPU. `watch` then receives the iterations
/// again from the start.
///
/// Vectors have the precision `T`, and sums have double precision. The objective decreases with every
/// iteration. If rounding prevents that, or if the curvature along the direction is not positive, the solver
/// stops with [`Outcome::PrecisionLimit`](crate::Outcome::PrecisionLimit). `watch` receives every iteration,
/// including the start and the last one. If it returns `false`, the solver stops as at its iteration limit.
///
/// # Panics
/// Panics if `start` does not have the operator's number of columns.
pub fn conjugate_gradients<T: QuadraticElement>(
    problem: &QuadraticProblem<'_, T>,
    start: Option<&[T]>,
    rule: &ResidualRule,
    mut watch: impl FnMut(&QuadraticPoint) -> bool,
) -> QuadraticSolution<T> {
    T::minimise(problem, start, rule, &mut watch)
}
