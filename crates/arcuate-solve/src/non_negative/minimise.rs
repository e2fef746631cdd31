//! Chooses the device on which the solvers for non-negative least squares run.

use super::methods::Method;
use super::solver_state::SolverState;
use super::{LAYOUT, NonNegativeLeastSquares, Solution, StoppingRule, TracePoint, elimination};
use crate::engine::{CpuEngine, Products, SplitEngine};
use crate::gpus::on_gpus_while_they_work;
use crate::{LocalUnknowns, Real, vector};

/// The floating-point types of non-negative least squares: `f32` and `f64`. The trait's function runs the
/// solvers.
pub trait NonNegativeElement: Real {
    /// Runs [`sbbnnls`](crate::sbbnnls) or [`projected_barzilai_borwein`](crate::projected_barzilai_borwein).
    #[doc(hidden)]
    fn minimise(
        method: Method,
        problem: &NonNegativeLeastSquares<'_, Self>,
        start: &[Self],
        rule: &StoppingRule,
        watch: &mut dyn FnMut(&TracePoint) -> bool,
    ) -> Solution<Self>;
}

/// The solver is compiled in this crate for both precisions. Otherwise, every crate that uses this long
/// generic code would compile it again.
macro_rules! compiled {
    ($($precision:ty),+) => {$(
        impl NonNegativeElement for $precision {
            fn minimise(
                method: Method,
                problem: &NonNegativeLeastSquares<'_, Self>,
                start: &[Self],
                rule: &StoppingRule,
                watch: &mut dyn FnMut(&TracePoint) -> bool,
            ) -> Solution<Self> {
                minimise(method, problem, start, rule, watch)
            }
        }
    )+};
}

compiled!(f32, f64);

/// Minimises the objective on the GPUs that have the operator. If there are none, or if they fail, minimises
/// on the CPU. If a GPU fails, the run takes longer and a warning is logged, but the run completes.
fn minimise<T: Real>(
    method: Method,
    problem: &NonNegativeLeastSquares<'_, T>,
    start: &[T],
    rule: &StoppingRule,
    watch: &mut dyn FnMut(&TracePoint) -> bool,
) -> Solution<T> {
    assert_eq!(start.len(), problem.operator.columns(), "start and operator do not fit");
    let mut start = start.to_vec();
    vector::clear(&mut start, problem.fixed);
    let on_gpus = on_gpus_while_they_work(
        || problem.operator.on_gpus(),
        |operator| {
            let size = (problem.operator.columns(), LAYOUT);
            let engine = SplitEngine::new(operator, problem.data, size, problem.fixed, None)?;
            run(method, engine, problem.l1, &start, rule, watch)
        },
    );
    on_gpus.unwrap_or_else(|| {
        let eliminated = operator_with_local_unknowns(method, problem)
            .and_then(|local| elimination::minimise(&*local, problem, &start, rule, watch));
        if let Some(solution) = eliminated {
            return solution;
        }
        let mut engine = CpuEngine::new(problem.operator, problem.data, LAYOUT);
        engine.fixed = problem.fixed;
        let Ok(solution) = run(method, engine, problem.l1, &start, rule, watch);
        solution
    })
}

/// Returns the operator as one with local unknowns, if the solver can eliminate them.
fn operator_with_local_unknowns<'a, T: Real>(
    method: Method,
    problem: &NonNegativeLeastSquares<'a, T>,
) -> Option<Box<dyn LocalUnknowns<T> + 'a>> {
    let plain = problem.l1 == 0.0 && problem.fixed.is_none();
    match method {
        Method::ProjectedBarzilaiBorwein if plain => problem.operator.local_unknowns(),
        _ => None,
    }
}

fn run<T: Real, E: Products<T>>(
    method: Method,
    engine: E,
    l1: f64,
    start: &[T],
    rule: &StoppingRule,
    watch: &mut dyn FnMut(&TracePoint) -> bool,
) -> Result<Solution<T>, E::Error> {
    let mut course = SolverState::new(engine, l1, start)?;
    let outcome = method.iterate(&mut course, rule, watch)?;
    course.finish(outcome)
}
