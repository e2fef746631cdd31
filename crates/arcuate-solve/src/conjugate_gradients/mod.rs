//! Least squares with a quadratic penalty by conjugate gradients, and how much of the penalty to take.

mod choice;
mod cpu;
mod cuda;
mod engine;
mod kernels;
mod problem;
#[cfg(test)]
mod tests;

pub use choice::{CurvePoint, DISCREPANCY_SOLVES, PenaltyChoice, by_discrepancy, by_l_curve};
pub use cuda::gradients_bytes;
pub use problem::{QuadraticPoint, QuadraticProblem, QuadraticSolution, ResidualRule};

use crate::Real;

use cpu::CpuEngine;
use cuda::CudaEngine;
use engine::minimise;

/// Conjugate gradients on the normal equations (Hestenes and Stiefel 1952, doi:10.6028/jres.049.044), with the operator's own
/// `normal`: one product with AᵀA an iteration, none with A or Aᵀ.
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
pub fn conjugate_gradients<T: Real>(
    problem: &QuadraticProblem<'_, T>,
    start: Option<&[T]>,
    rule: &ResidualRule,
    mut watch: impl FnMut(&QuadraticPoint) -> bool,
) -> QuadraticSolution<T> {
    let penalty_is_there = problem.penalty.is_none_or(|penalty| penalty.device_normal().is_some());
    if let Some(operator) = problem.operator.device_normal().filter(|_| penalty_is_there) {
        let on_gpu = CudaEngine::new(problem, operator);
        match on_gpu.and_then(|engine| minimise(problem, engine, start, rule, &mut watch)) {
            Ok(solution) => return solution,
            Err(error) => operator.retreat(&error),
        }
    }
    let Ok(solution) = minimise(problem, CpuEngine::new(problem), start, rule, &mut watch);
    solution
}
