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

/// Conjugate gradients on the normal equations (Hestenes and Stiefel 1952, doi:10.6028/jres.049.044), with
/// the operator's own `normal`: one product with AᵀA per iteration, and none with A or Aᵀ. If the sums of the
/// iteration do not give the misfit to four digits, there is one product with A at the end.
///
/// If the operator and its penalty have their `normal` on a GPU, all vectors stay there. If the GPU fails,
/// the solve is repeated on the CPU after one warning, and `watch` sees it from its start.
///
/// Vectors have the precision `T`, sums double precision. The objective decreases with every iteration. If
/// rounding prevents that, or curvature is lost, the solver stops with
/// [`Outcome::PrecisionLimit`](crate::Outcome::PrecisionLimit). `watch` receives every iteration, including
/// the start and the last one; if it returns `false`, the solver stops as at its iteration limit.
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
