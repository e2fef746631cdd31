//! The methods by which non-negative solvers choose their step lengths.

use super::solver_state::SolverState;
use super::{Outcome, StoppingRule, TracePoint};
use crate::Real;
use crate::engine::Products;

/// Number of iterations after which the residual and the gradient are recomputed from the weights, to limit
/// rounding errors. In the iterations between, they are updated by addition.
const REFRESH: usize = 50;

/// The method that chooses the step lengths.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum Method {
    /// The step lengths of [`sbbnnls`](crate::sbbnnls).
    Sbbnnls,
    /// The step lengths of [`projected_barzilai_borwein`](crate::projected_barzilai_borwein).
    ProjectedBarzilaiBorwein,
}

impl Method {
    /// Takes steps until the stopping rule is met, no further step is possible, or `watch` returns `false`.
    pub(super) fn iterate<T: Real, E: Products<T>>(
        self,
        course: &mut SolverState<T, E>,
        rule: &StoppingRule,
        watch: &mut dyn FnMut(&TracePoint) -> bool,
    ) -> Result<Outcome, E::Error> {
        match self {
            Self::Sbbnnls => sbbnnls(course, rule, watch),
            Self::ProjectedBarzilaiBorwein => projected_barzilai_borwein(course, rule, watch),
        }
    }
}

fn sbbnnls<T: Real, E: Products<T>>(
    course: &mut SolverState<T, E>,
    rule: &StoppingRule,
    watch: &mut dyn FnMut(&TracePoint) -> bool,
) -> Result<Outcome, E::Error> {
    let mut iteration = 0;
    loop {
        let point = course.note(iteration)?;
        if course.converged(&point, rule)? {
            return Ok(Outcome::Converged);
        }
        if !watch(&point) || iteration == rule.iterations {
            return Ok(Outcome::IterationLimit);
        }
        let even = !iteration.is_multiple_of(2);
        let norms = course.vectors.descent(even)?;
        course.products += if even { 2 } else { 1 };
        let length = if even { norms.image / norms.curvature } else { norms.direction / norms.image };
        let length = length * course.next_scale(iteration)?;
        if !(length.is_finite() && length > 0.0) {
            return Ok(Outcome::PrecisionLimit);
        }
        course.vectors.move_along_descent(length)?;
        course.recompute()?;
        iteration += 1;
    }
}

fn projected_barzilai_borwein<T: Real, E: Products<T>>(
    course: &mut SolverState<T, E>,
    rule: &StoppingRule,
    watch: &mut dyn FnMut(&TracePoint) -> bool,
) -> Result<Outcome, E::Error> {
    let mut next = None;
    let mut iteration = 0;
    loop {
        let point = course.note(iteration)?;
        if course.converged(&point, rule)? {
            return Ok(Outcome::Converged);
        }
        if !watch(&point) || iteration == rule.iterations {
            return Ok(Outcome::IterationLimit);
        }
        let length = if let Some(length) = next {
            length
        } else {
            // The first step length minimises the objective along the free part of the gradient.
            let norms = course.vectors.descent(false)?;
            course.products += 1;
            norms.direction / norms.image
        };
        let length = length * course.next_scale(iteration)?;
        if !(length.is_finite() && length > 0.0) {
            return Ok(Outcome::PrecisionLimit);
        }
        let norms = course.step(length)?;
        if (iteration + 1).is_multiple_of(REFRESH) {
            course.recompute()?;
        }
        next = Some(if iteration.is_multiple_of(2) {
            norms.taken / norms.image
        } else {
            norms.image / norms.change
        });
        iteration += 1;
    }
}
