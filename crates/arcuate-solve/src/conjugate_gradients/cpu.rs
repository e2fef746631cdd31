//! The iteration on the processor.

use super::{QuadraticPoint, QuadraticProblem, QuadraticSolution, ResidualRule};
use crate::{Outcome, Real, vector};
use std::time::Instant;

pub(super) fn minimise<T: Real>(
    problem: &QuadraticProblem<'_, T>,
    start: Option<&[T]>,
    rule: &ResidualRule,
    watch: &mut dyn FnMut(&QuadraticPoint) -> bool,
) -> QuadraticSolution<T> {
    let started = Instant::now();
    let b = &problem.right_side;
    let mut x = vec![T::zero(); b.len()];
    let mut scratch = vec![T::zero(); b.len()];
    let mut image = vec![T::zero(); b.len()];
    let mut residual = b.clone();
    let mut products = 0;
    if let Some(start) = start {
        x.copy_from_slice(start);
        problem.apply(&x, &mut image, &mut scratch);
        vector::subtract(&mut residual, &image);
        products = 1;
    }
    let size = vector::norm_squared(b);
    let mut direction = residual.clone();
    let mut square = vector::norm_squared(&residual);
    let mut trace = Vec::new();
    let mut outcome = Outcome::IterationLimit;
    for iteration in 0.. {
        // With Nx = b − r, ½xᵀNx − bᵀx + ½‖y‖² is ½(‖y‖² − xᵀb − xᵀr).
        let [of_b, of_r] = vector::pass([], [&x, b, &residual], |[], [x, b, r]| {
            ([], [x.wide() * b.wide(), x.wide() * r.wide()])
        });
        let point = QuadraticPoint {
            iteration,
            products,
            objective: 0.5 * (problem.data_squared - of_b - of_r),
            residual: if square == 0.0 { 0.0 } else { (square / size).sqrt() },
            elapsed: started.elapsed(),
        };
        trace.push(point);
        let goes_on = watch(&point);
        if !point.residual.is_finite() {
            outcome = Outcome::PrecisionLimit;
            break;
        }
        let explained = rule.misfit.is_some_and(|enough| {
            2.0 * point.objective - problem.lambda * penalty_where_it_counts(problem, &x) <= enough
        });
        if point.residual <= rule.tolerance || explained {
            outcome = Outcome::Converged;
            break;
        }
        if !goes_on || iteration == rule.iterations {
            break;
        }
        problem.apply(&direction, &mut image, &mut scratch);
        products += 1;
        let curvature = vector::dot(&direction, &image);
        let length = square / curvature;
        if !(length > 0.0 && length.is_finite()) {
            outcome = Outcome::PrecisionLimit;
            break;
        }
        let read = [direction.as_slice(), &image];
        let [next] = vector::pass([&mut x, &mut residual], read, |[x, r], [p, image]| {
            let r = T::of(r.wide() - length * image.wide());
            ([T::of(x.wide() + length * p.wide()), r], [r.wide() * r.wide()])
        });
        let keep = next / square;
        vector::pass([&mut direction], [&residual], |[p], [r]| ([T::of(r.wide() + keep * p.wide())], []));
        square = next;
    }
    let last = trace.last().copied().expect("the start is noted");
    let penalty = problem.penalty_of(&x);
    QuadraticSolution {
        objective: last.objective,
        residual: last.residual,
        misfit: 2.0 * last.objective - problem.lambda * penalty,
        penalty,
        unknowns: x,
        outcome,
        trace,
    }
}

fn penalty_where_it_counts<T: Real>(problem: &QuadraticProblem<'_, T>, x: &[T]) -> f64 {
    if problem.lambda == 0.0 { 0.0 } else { problem.penalty_of(x) }
}
