//! Chooses the device on which the method of conjugate gradients runs.

use super::cpu::CpuEngine;
use super::cuda::CudaEngine;
use super::engine::minimise;
use super::problem::{QuadraticPoint, QuadraticProblem, QuadraticSolution, ResidualRule};
use crate::Real;

/// The floating-point types of conjugate gradients: `f32` and `f64`. The trait's function runs the solver.
pub trait QuadraticElement: Real {
    /// Runs [`conjugate_gradients`](crate::conjugate_gradients).
    #[doc(hidden)]
    fn minimise(
        problem: &QuadraticProblem<'_, Self>,
        start: Option<&[Self]>,
        rule: &ResidualRule,
        watch: &mut dyn FnMut(&QuadraticPoint) -> bool,
    ) -> QuadraticSolution<Self>;
}

/// The solver is compiled in this crate for both precisions. Otherwise, every crate that uses this long
/// generic code would compile it again.
macro_rules! compiled {
    ($($precision:ty),+) => {$(
        impl QuadraticElement for $precision {
            fn minimise(
                problem: &QuadraticProblem<'_, Self>,
                start: Option<&[Self]>,
                rule: &ResidualRule,
                watch: &mut dyn FnMut(&QuadraticPoint) -> bool,
            ) -> QuadraticSolution<Self> {
                on_gpu_or_processor(problem, start, rule, watch)
            }
        }
    )+};
}

compiled!(f32, f64);

/// Minimises the objective on the GPU that has the operator and its penalty. If there is no such GPU, or if
/// it fails, minimises on the CPU.
fn on_gpu_or_processor<T: Real>(
    problem: &QuadraticProblem<'_, T>,
    start: Option<&[T]>,
    rule: &ResidualRule,
    watch: &mut dyn FnMut(&QuadraticPoint) -> bool,
) -> QuadraticSolution<T> {
    let penalty_is_there = problem.penalty.is_none_or(|penalty| penalty.device_normal().is_some());
    if let Some(operator) = problem.operator.device_normal().filter(|_| penalty_is_there) {
        let on_gpu = CudaEngine::new(problem, operator);
        match on_gpu.and_then(|engine| minimise(problem, engine, start, rule, watch)) {
            Ok(solution) => return solution,
            Err(error) => operator.retreat(&error),
        }
    }
    let Ok(solution) = minimise(problem, CpuEngine::new(problem), start, rule, watch);
    solution
}
