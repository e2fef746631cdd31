//! Chooses the device on which the method of conjugate gradients runs.

use super::iteration::{layout, minimise};
use super::problem::{QuadraticPoint, QuadraticProblem, QuadraticSolution, ResidualRule};
use crate::Real;
use crate::engine::{CpuEngine, Device};
use arcuate_compute::cuda::{CudaResult, Gpu};

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
    let on_gpu = problem.penalty.map(|penalty| penalty.device_normal());
    let size = (problem.unknowns(), layout(problem.penalty.is_some()));
    if let (Some(operator), None | Some(Some(_))) = (problem.operator.device_normal(), on_gpu) {
        // If the right side is in CPU memory, it is copied and not computed again.
        let data = problem.data.filter(|_| problem.right_side.get().is_none());
        let engine = Device::with_normal(operator, on_gpu.flatten(), size, data, || problem.right_side());
        match engine.and_then(|engine| minimise(problem, engine, start, rule, watch)) {
            Ok(solution) => return solution,
            Err(error) => operator.retreat(&error),
        }
    }
    let mut engine = CpuEngine::new(problem.operator, problem.right_side(), size.1);
    engine.penalty = problem.penalty.map(|penalty| penalty as _);
    let Ok(solution) = minimise(problem, engine, start, rule, watch);
    solution
}

/// Returns the GPU memory in bytes that the method of conjugate gradients needs for this number of unknowns.
/// The memory of the operator is not included.
///
/// Returns an error if the GPU driver fails.
pub fn gradients_bytes<T: Real>(gpu: &Gpu, unknowns: usize, penalty: bool) -> CudaResult<u64> {
    gpu.bytes_of(|gpu| Device::<T>::for_normal(gpu, unknowns, layout(penalty)).map(drop))
}
