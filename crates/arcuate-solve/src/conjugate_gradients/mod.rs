//! Least squares with a quadratic penalty by conjugate gradients, and how much of the penalty to take.

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

/// Conjugate gradients on the normal equations (Hestenes and Stiefel 1952, doi:10.6028/jres.049.044), with the operator's own
/// `normal`: one product with AᵀA per iteration, and none with A or Aᵀ. At the end there is one product with A, if the misfit is so
/// small that the sums of the iteration do not give it to four digits.
///
/// Where the problem's operator and its penalty have their `normal` on a GPU, all vectors stay there; where that fails, it is done
/// again on the processor, with one warning, and `watch` sees it from its start.
///
/// Vectors are in the precision `T`, sums in double precision. The objective falls with every iteration; where rounding
/// lets it fall no further, or curvature is lost, the solver ends with [`Outcome::PrecisionLimit`](crate::Outcome::PrecisionLimit). `watch` sees every
/// iteration, the start and the last one too; where it returns `false` the solver stops as at its iteration limit.
///
/// # Panics
/// Where `start` does not have the operator's number of columns.
pub fn conjugate_gradients<T: QuadraticElement>(
    problem: &QuadraticProblem<'_, T>,
    start: Option<&[T]>,
    rule: &ResidualRule,
    mut watch: impl FnMut(&QuadraticPoint) -> bool,
) -> QuadraticSolution<T> {
    T::minimise(problem, start, rule, &mut watch)
}
