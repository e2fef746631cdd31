//! Non-negative least squares in which some unknowns are eliminated.

use super::safeguard::Safeguard;
use super::{NonNegativeLeastSquares, Outcome, Solution, StoppingRule, Trace, TracePoint};
use crate::{LocalUnknowns, Real, vector};
use rayon::prelude::*;
use std::time::Instant;

/// Number of elements that a task processes.
const CHUNK: usize = 1 << 13;

/// Relative projected gradient up to which the local unknowns are considered to explain the data. Rounding
/// errors in single precision give about 1e-6. In COMMIT of a scan, the gradient is about 0.1.
const EXPLAINED: f64 = 1e-5;

/// Sums over the gradient and the unknowns.
#[derive(Debug, Clone, Copy)]
struct Facts {
    projected_gradient: f64,
    positive: usize,
}

/// Sums over a step.
#[derive(Debug, Clone, Copy, Default)]
struct StepSums {
    /// ‖s‖² of the step s.
    taken: f64,
    /// ⟨s, q⟩ with the change q of the gradient.
    curvature: f64,
    /// ‖q‖² over the unknowns that have changed.
    change: f64,
}

/// Minimises ½‖Aw − y‖² over w ≥ 0 by projected gradients with Barzilai–Borwein step lengths for the shared
/// unknowns. The local unknowns are eliminated (variable projection; Golub and Pereyra 1973,
/// doi:10.1137/0710036). The rules for step lengths, the safeguard and the stopping rule are those of
/// [`projected_barzilai_borwein`](crate::projected_barzilai_borwein).
///
/// Returns `None` if the shared unknowns start at 0 and the local unknowns explain the data without them. The
/// minimum is then not unique, and elimination would select the minimum in which all shared unknowns are 0. An
/// example is the model `volume-fractions` of COMMIT, in which all columns of a voxel are multiples of each other.
pub(super) fn minimise<T: Real>(
    local: &dyn LocalUnknowns<T>,
    problem: &NonNegativeLeastSquares<'_, T>,
    start: &[T],
    rule: &StoppingRule,
    watch: &mut dyn FnMut(&TracePoint) -> bool,
) -> Option<Solution<T>> {
    let started = Instant::now();
    let shared = local.shared();
    let mut gradient = vec![T::zero(); start.len()];
    problem.operator.adjoint(problem.data, &mut gradient);
    for g in &mut gradient {
        *g = -*g;
    }
    let mut weights = vec![T::zero(); start.len()];
    let at_zero = facts(&weights, &gradient).projected_gradient.sqrt();
    for (weight, &start) in weights.iter_mut().zip(start) {
        *weight = start.max(T::zero());
    }
    let mut objective = local.minimise(problem.data, &mut weights, &mut gradient);
    let mut products = 1 + local.products();
    let mut safeguard = Safeguard::new(objective);
    let (mut kept_weights, mut kept_gradient) = (weights.clone(), gradient.clone());
    let (mut best, mut best_objective) = (weights.clone(), f64::INFINITY);
    let mut before = gradient[..shared].to_vec();
    let mut points = Vec::new();
    let mut length = None;
    let relative = |facts: &Facts| {
        let norm = facts.projected_gradient.sqrt();
        if norm == 0.0 { 0.0 } else { norm / at_zero }
    };
    if weights[..shared].iter().all(num_traits::Zero::is_zero)
        && relative(&facts(&weights, &gradient)) <= EXPLAINED
    {
        return None;
    }
    let mut iteration = 0;
    let outcome = loop {
        let now = facts(&weights, &gradient);
        let point = TracePoint {
            iteration,
            products,
            objective,
            projected_gradient: relative(&now),
            positive: now.positive,
            elapsed: started.elapsed(),
        };
        points.push(point);
        if objective < best_objective {
            best_objective = objective;
            best.copy_from_slice(&weights);
        }
        if point.projected_gradient <= rule.tolerance {
            break Outcome::Converged;
        }
        if !watch(&point) || iteration == rule.iterations {
            break Outcome::IterationLimit;
        }
        if Safeguard::is_due(iteration) {
            let promised: f64 = vector::dot(&kept_gradient[..shared], &kept_weights[..shared])
                - vector::dot(&kept_gradient[..shared], &weights[..shared]);
            if safeguard.accepts(objective, promised) {
                kept_weights.copy_from_slice(&weights);
                kept_gradient.copy_from_slice(&gradient);
            }
        }
        let next = if let Some(length) = length {
            length
        } else {
            products += 1;
            first_length(problem, &weights, &gradient, shared)
        };
        let next: f64 = next * safeguard.scale;
        if !(next.is_finite() && next > 0.0) {
            break Outcome::PrecisionLimit;
        }
        before.copy_from_slice(&gradient[..shared]);
        let step = take_step(&mut weights[..shared], &gradient[..shared], T::of(next));
        objective = local.minimise(problem.data, &mut weights, &mut gradient);
        products += local.products();
        let sums = step_sums(&step, &before, &gradient[..shared]);
        length = Some(if iteration.is_multiple_of(2) {
            sums.taken / sums.curvature
        } else {
            sums.curvature / sums.change
        });
        iteration += 1;
    };
    if outcome != Outcome::Converged {
        weights.copy_from_slice(&best);
        objective = local.minimise(problem.data, &mut weights, &mut gradient);
    }
    Some(Solution {
        objective,
        projected_gradient: relative(&facts(&weights, &gradient)),
        weights,
        outcome,
        trace: Trace { points },
    })
}

/// Returns the length of a step along the free part of the gradient that minimises the objective if the local
/// unknowns stay the same.
fn first_length<T: Real>(
    problem: &NonNegativeLeastSquares<'_, T>,
    weights: &[T],
    gradient: &[T],
    shared: usize,
) -> f64 {
    let mut direction = vec![T::zero(); weights.len()];
    for n in 0..shared {
        if is_free(weights[n], gradient[n]) {
            direction[n] = gradient[n];
        }
    }
    let mut image = vec![T::zero(); problem.data.len()];
    problem.operator.forward(&direction, &mut image);
    vector::norm_squared(&direction) / vector::norm_squared(&image)
}

/// Returns whether an unknown can change along its gradient.
fn is_free<T: Real>(weight: T, gradient: T) -> bool {
    weight > T::zero() || gradient < T::zero()
}

fn facts<T: Real>(weights: &[T], gradient: &[T]) -> Facts {
    let of_chunk = |(weights, gradient): (&[T], &[T])| {
        let mut facts = Facts { projected_gradient: 0.0, positive: 0 };
        for (&weight, &gradient) in weights.iter().zip(gradient) {
            facts.positive += usize::from(weight > T::zero());
            if is_free(weight, gradient) {
                facts.projected_gradient += gradient.double() * gradient.double();
            }
        }
        facts
    };
    let chunks: Vec<Facts> =
        weights.par_chunks(CHUNK).zip(gradient.par_chunks(CHUNK)).map(of_chunk).collect();
    chunks.iter().fold(Facts { projected_gradient: 0.0, positive: 0 }, |sum, facts| Facts {
        projected_gradient: sum.projected_gradient + facts.projected_gradient,
        positive: sum.positive + facts.positive,
    })
}

/// Sets w ← [w − length · g]₊ and returns the changes of w.
fn take_step<T: Real>(weights: &mut [T], gradient: &[T], length: T) -> Vec<T> {
    let mut step = vec![T::zero(); weights.len()];
    let chunks = weights.par_chunks_mut(CHUNK).zip(gradient.par_chunks(CHUNK));
    chunks.zip(step.par_chunks_mut(CHUNK)).for_each(|((weights, gradient), step)| {
        for ((weight, &gradient), step) in weights.iter_mut().zip(gradient).zip(step) {
            let new = (*weight - length * gradient).max(T::zero());
            *step = new - *weight;
            *weight = new;
        }
    });
    step
}

fn step_sums<T: Real>(step: &[T], before: &[T], after: &[T]) -> StepSums {
    let of_chunk = |((step, before), after): ((&[T], &[T]), &[T])| {
        let mut sums = StepSums::default();
        for ((step, before), after) in step.iter().zip(before).zip(after) {
            let (step, change) = (step.double(), after.double() - before.double());
            if step != 0.0 {
                sums.taken += step * step;
                sums.curvature += step * change;
                sums.change += change * change;
            }
        }
        sums
    };
    let chunks = step.par_chunks(CHUNK).zip(before.par_chunks(CHUNK)).zip(after.par_chunks(CHUNK));
    let chunks: Vec<StepSums> = chunks.map(of_chunk).collect();
    chunks.iter().fold(StepSums::default(), |sum, chunk| StepSums {
        taken: sum.taken + chunk.taken,
        curvature: sum.curvature + chunk.curvature,
        change: sum.change + chunk.change,
    })
}
