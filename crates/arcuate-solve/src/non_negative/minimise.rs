//! Where a solver runs.

use super::course::Course;
use super::engine::Engine;
use super::{NonNegativeLeastSquares, Outcome, Solution, StoppingRule, TracePoint, cpu, cuda};
use crate::gpus::on_gpus_while_they_work;
use crate::{LinearOperator, Real};

/// Which way the steps are chosen.
pub(crate) trait Method: Copy {
    /// Takes steps until the rule is met, or there are none left to take, or `watch` returns `false`.
    fn iterate<T, E: Engine<T>>(
        self,
        course: &mut Course<E>,
        rule: &StoppingRule,
        watch: &mut dyn FnMut(&TracePoint) -> bool,
    ) -> Result<Outcome, E::Error>;
}

/// Minimises on the GPUs of the operator where it has some, and on the processor where it has none or they fail: a
/// failure costs time and a line, never the run.
pub(crate) fn minimise<T: Real, A: LinearOperator<T>>(
    method: impl Method,
    problem: &NonNegativeLeastSquares<'_, T, A>,
    start: &[T],
    rule: &StoppingRule,
    watch: &mut dyn FnMut(&TracePoint) -> bool,
) -> Solution<T> {
    assert_eq!(start.len(), problem.operator.columns(), "start and operator do not fit");
    let mut start = start.to_vec();
    problem.hold(&mut start);
    let on_gpus = on_gpus_while_they_work(
        || problem.operator.on_gpus(),
        |operator| {
            let engine = cuda::CudaEngine::new(problem, operator)?;
            run(method, engine, problem.l1, &start, rule, watch)
        },
    );
    on_gpus.unwrap_or_else(|| {
        match run(method, cpu::CpuEngine::new(problem), problem.l1, &start, rule, watch) {
            Ok(solution) => solution,
            Err(never) => match never {},
        }
    })
}

fn run<T: Real, E: Engine<T>>(
    method: impl Method,
    engine: E,
    l1: f64,
    start: &[T],
    rule: &StoppingRule,
    watch: &mut dyn FnMut(&TracePoint) -> bool,
) -> Result<Solution<T>, E::Error> {
    let mut course = Course::new(engine, l1, start)?;
    let outcome = method.iterate(&mut course, rule, watch)?;
    course.finish(outcome)
}
