//! The iteration of the method of conjugate gradients.

use super::misfit::Progress;
use super::sums::Sums;
use super::{QuadraticPoint, QuadraticProblem, QuadraticSolution, ResidualRule};
use crate::engine::{Layout, Normal, Vector, pass, solver_dot};
use crate::{Outcome, Real};
use std::time::Instant;

const X: Vector = Vector::Unknowns(0);
/// The residual r = b − (AᵀA + λWᵀW) x of the normal equations, with their right side b.
const RESIDUAL: Vector = Vector::Unknowns(1);
/// The search direction p.
const DIRECTION: Vector = Vector::Unknowns(2);
const IMAGE: Vector = Vector::Unknowns(3);
/// The product of WᵀW with a vector. It exists only if there is a W.
const OF_PENALTY: Vector = Vector::Unknowns(4);

/// Positions of the sums: those in [`Sums`], an inner product, and ‖b‖².
const SUMS: usize = 0;
const CURVATURE: usize = 4;
const SIZE: usize = 5;

pub(super) fn layout(penalty: bool) -> Layout {
    Layout { unknowns: 4 + usize::from(penalty), data: 0, sums: 6 }
}

pass! {
    /// Sets the residual and the search direction to the right side b. Sums: those in [`Sums`].
    fn gradients_begin(_, [], [_, _], [x, b]) {} -> [b, b], sums [b * b, x * b, x * b, x * x];

    /// Sets the residual and the search direction to b − image. Sums: those in [`Sums`].
    fn gradients_begin_from(round, [], [_, _], [x, b, image]) {
        let r = round(b - image);
    } -> [r, r], sums [r * r, x * b, x * r, x * x];

    /// Adds λ w to the image q of p. Sum: the inner product of p and q.
    fn gradients_add_penalty(round, [lambda], [q], [p, w]) {
        let q = round(q + lambda * w);
    } -> [q], sums [p * q], like_dot;

    /// Moves x along the search direction p, and updates the residual. Sums: those in [`Sums`].
    fn gradients_step(round, [length], [x, r], [p, image, b]) {
        let x = round(x + length * p);
        let r = round(r - length * image);
    } -> [x, r], sums [r * r, x * b, x * r, x * x];

    /// Computes the next search direction p.
    fn gradients_turn(_, [keep], [p], [r]) {} -> [r + keep * p], sums [];
}

/// Computes IMAGE = (AᵀA + λWᵀW) v, and its inner product with v.
fn apply<T: Real, E: Normal<T>>(engine: &mut E, lambda: f64, v: Vector) -> Result<(), E::Error> {
    engine.normal(v, IMAGE)?;
    if lambda == 0.0 {
        return engine.pass(solver_dot, [], [], [v, IMAGE], Some(CURVATURE));
    }
    let added = if engine.penalty_normal(v, OF_PENALTY)? { OF_PENALTY } else { v };
    engine.pass(gradients_add_penalty, [lambda], [IMAGE], [v, added], Some(CURVATURE))
}

/// Sets x to `start`, or to 0 if there is no `start`. Computes the residual r and the search direction p = r.
/// Returns ‖b‖² for the right side b, and the sums over these vectors.
fn begin<T: Real, E: Normal<T>>(
    engine: &mut E,
    lambda: f64,
    start: Option<&[T]>,
) -> Result<(f64, Sums), E::Error> {
    engine.pass(solver_dot, [], [], [Vector::Given; 2], Some(SIZE))?;
    if let Some(start) = start {
        engine.set(X, start)?;
        apply(engine, lambda, X)?;
        let read = [X, Vector::Given, IMAGE];
        engine.pass(gradients_begin_from, [], [RESIDUAL, DIRECTION], read, Some(SUMS))?;
    } else {
        engine.pass(gradients_begin, [], [RESIDUAL, DIRECTION], [X, Vector::Given], Some(SUMS))?;
    }
    let sums = engine.sums()?;
    Ok((sums[SIZE], Sums::new(&sums[SUMS..], 0.0)))
}

/// Moves x along the search direction p to the minimum of the objective, and updates the residual r and p. If
/// the objective does not decrease along p, returns `None` and changes nothing.
fn step<T: Real, E: Normal<T>>(engine: &mut E, lambda: f64, before: &Sums) -> Result<Option<Sums>, E::Error> {
    apply(engine, lambda, DIRECTION)?;
    let length = before.residual / engine.sums()?[CURVATURE];
    if !(length > 0.0 && length.is_finite()) {
        return Ok(None);
    }
    let read = [DIRECTION, IMAGE, Vector::Given];
    engine.pass(gradients_step, [length], [X, RESIDUAL], read, Some(SUMS))?;
    let sums = Sums::new(&engine.sums()?[SUMS..], length * before.residual);
    let keep = sums.residual / before.residual;
    engine.pass(gradients_turn, [keep], [DIRECTION], [RESIDUAL], None)?;
    Ok(Some(sums))
}

pub(super) fn minimise<T: Real, E: Normal<T>>(
    problem: &QuadraticProblem<'_, T>,
    mut engine: E,
    start: Option<&[T]>,
    rule: &ResidualRule,
    watch: &mut dyn FnMut(&QuadraticPoint) -> bool,
) -> Result<QuadraticSolution<T>, E::Error> {
    let penalty = |engine: &mut E, sums: &Sums| engine.penalty(X, OF_PENALTY, sums.x_squared, CURVATURE);
    let started = Instant::now();
    let before = usize::from(start.is_some());
    let (size, mut sums) = begin(&mut engine, problem.lambda, start)?;
    let mut progress = Progress::begin(problem, start.is_some(), &sums);
    let mut outcome = Outcome::IterationLimit;
    for iteration in 0.. {
        let point = QuadraticPoint {
            iteration,
            products: before + iteration,
            objective: progress.objective(),
            residual: if sums.residual == 0.0 { 0.0 } else { (sums.residual / size).sqrt() },
            elapsed: started.elapsed(),
        };
        progress.trace.push(point);
        let continues = watch(&point);
        if !point.residual.is_finite() {
            outcome = Outcome::PrecisionLimit;
            break;
        }
        let explained = match rule.misfit {
            None => false,
            Some(enough) => {
                let penalty = if problem.lambda == 0.0 { 0.0 } else { penalty(&mut engine, &sums)? };
                progress.explains(enough, penalty, || engine.get(X))?
            }
        };
        if point.residual <= rule.tolerance || explained {
            outcome = Outcome::Converged;
            break;
        }
        if !continues || iteration == rule.iterations {
            break;
        }
        let Some(after) = step(&mut engine, problem.lambda, &sums)? else {
            outcome = Outcome::PrecisionLimit;
            break;
        };
        sums = after;
        progress.advance(&sums);
    }
    let residual = progress.trace.last().map_or(f64::NAN, |point| point.residual);
    let penalty = penalty(&mut engine, &sums)?;
    // The vectors on the device are freed before the misfit is computed, because the product with the
    // operator may need their memory.
    let unknowns = engine.get(X)?;
    drop(engine);
    let misfit = progress.finish(penalty, &unknowns);
    Ok(QuadraticSolution {
        objective: progress.objective(),
        residual,
        misfit: misfit.value,
        misfit_resolution: misfit.resolution,
        penalty,
        unknowns,
        outcome,
        trace: progress.trace,
    })
}
