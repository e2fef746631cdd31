//! Computes the Levenberg–Marquardt step in sixteen voxels at once. The code here applies bounds and
//! constraints, and turns orientations. `levenberg_marquardt.rs` decides which steps are accepted.

use super::constraints::LinearRow;
use super::curved_constraints::Curves;
use super::interpreter::{Row, WIDTH};
use super::linear::{Factors, triangle};
use super::normal_equations::Sums;
use super::stage::{BoundsMethod, MIN_DAMPING, NO_CURVATURE, StagePlan};
use super::transform;
use super::unknowns::Unknown;
use crate::special::watson::Series;
use arcuate_numbers::{Lanes, Operations, Real, across};

/// Computes Levenberg–Marquardt steps in sixteen voxels, and holds the memory for this.
pub(super) struct TrialStep<'a, T: Series> {
    stage: &'a StagePlan<T>,
    transforms: bool,
    factors: Factors<Row<T>>,
    matrix: Vec<Row<T>>,
    scales: Vec<Row<T>>,
    /// Scales of the unknowns without the derivative of the transform that keeps them within bounds.
    own_scales: Vec<Row<T>>,
    /// For each unknown and voxel, 0 if the step of the unknown is already known, and 1 if it must be
    /// computed.
    active: Vec<Row<T>>,
    step: Vec<Row<T>>,
    other: Vec<Row<T>>,
    /// The constraints of the model, if at least one constraint is not linear.
    curves: Option<Curves<T>>,
}

impl<'a, T: Series> TrialStep<'a, T> {
    pub(super) fn new(stage: &'a StagePlan<T>, bounds: BoundsMethod) -> Self {
        let (unknowns, zero) = (stage.unknowns.len(), Lanes::all(0.0));
        Self {
            stage,
            transforms: bounds == BoundsMethod::Transform,
            factors: Factors::new(unknowns, zero),
            matrix: vec![zero; triangle(unknowns, 0)],
            scales: vec![zero; unknowns],
            own_scales: vec![zero; unknowns],
            active: vec![zero; unknowns],
            step: vec![zero; unknowns],
            other: vec![zero; unknowns],
            curves: stage.curved.as_ref().map(|curved| Curves::new(curved, unknowns)),
        }
    }

    /// Computes the next trial step from the best parameter values so far and their normal equations, and
    /// writes the new parameter values to `trial`. Returns the predicted decrease of the cost.
    #[inline(always)]
    pub(super) fn propose(
        &mut self,
        best: &Sums<T>,
        numbers: &[Row<T>],
        damping: Row<T>,
        trial: &mut [Row<T>],
    ) -> Row<T> {
        let (zero, one) = (Lanes::all(0.0), Lanes::all(1.0));
        let unknowns = self.stage.unknowns.len();
        if let Some(curves) = &mut self.curves {
            curves.evaluate(numbers);
        }
        // The scales make the diagonal of the normal matrix 1. An unknown that stays fixed has a scale of 0.
        for i in 0..unknowns {
            let (slope, rests) = self.slope_and_rest(i, best, numbers);
            let curvature = best.normal[triangle(i, i)] * (slope * slope);
            let scale = one / curvature.larger(Lanes::all(NO_CURVATURE)).root();
            let scale = curvature.if_above(Lanes::all(NO_CURVATURE), scale, zero);
            self.own_scales[i] = rests.if_above(zero, zero, scale);
            self.scales[i] = slope * self.own_scales[i];
        }
        for i in 0..unknowns {
            self.active[i] = self.scales[i];
            self.step[i] = zero;
        }
        self.solve(best, numbers, damping);
        if !self.transforms && self.fix_those_beyond(numbers) {
            self.solve(best, numbers, damping);
        }
        self.move_numbers(numbers, trial);
        let failed = self.bring_back(numbers, trial);
        // The result is the decrease of the cost that the quadratic model of the cost predicts for the
        // shortened step.
        let mut predicted = zero;
        for i in 0..unknowns {
            let mut sum = best.gradient[i] + best.gradient[i];
            for j in 0..unknowns {
                let element = best.element(i, j);
                sum = (-element).fma(self.step[j], sum);
            }
            predicted = self.step[i].fma(sum, predicted);
        }
        match failed {
            // If the predicted decrease is too small, the fit ends. After a step that the constraints
            // rejected, the fit must not end, so that the prediction is infinite.
            Some(failed) => failed.if_above(zero, Lanes::all(f64::INFINITY), predicted),
            None => predicted,
        }
    }

    /// Projects the trial values of the parameters back to constraints that are not all linear. If this
    /// fails, the trial values are set to those before the step, and the result is above 0. The step itself
    /// is unchanged, so that a decrease lost by the projection counts as a bad step. This prevents
    /// oscillations around the minimum.
    fn bring_back(&mut self, numbers: &[Row<T>], trial: &mut [Row<T>]) -> Option<Row<T>> {
        let curves = self.curves.as_mut()?;
        let (zero, stage) = (Lanes::all(0.0), self.stage);
        let failed = curves.bring_back(&stage.unknowns, &stage.bounds, &self.scales, trial);
        for (trial, number) in trial.iter_mut().zip(numbers) {
            *trial = failed.if_above(zero, *number, *trial);
        }
        Some(failed)
    }

    /// Computes the step of the unknowns that can move (active unknowns), given the known steps of the other
    /// unknowns.
    #[inline(always)]
    fn solve(&mut self, best: &Sums<T>, numbers: &[Row<T>], damping: Row<T>) {
        let (zero, one) = (Lanes::all(0.0), Lanes::all(1.0));
        let unknowns = self.stage.unknowns.len();
        for i in 0..unknowns {
            for j in 0..i {
                self.matrix[triangle(i, j)] = best.normal[triangle(i, j)] * self.active[i] * self.active[j];
            }
            self.matrix[triangle(i, i)] = one + damping;
        }
        for i in 0..unknowns {
            // The gradient of the cost that remains after the known steps of the other unknowns.
            let mut right = best.gradient[i];
            for j in 0..unknowns {
                let known = self.active[j].size().if_above(zero, zero, self.scales[j] * self.step[j]);
                let element = best.element(i, j);
                right = (-element).fma(known, right);
            }
            self.other[i] = right * self.active[i];
        }
        self.factors.factorise(&mut self.matrix, Lanes::all(MIN_DAMPING));
        self.factors.solve(&mut self.other);
        for i in 0..unknowns {
            self.step[i] = self.active[i].size().if_above(zero, self.other[i], self.step[i]);
        }
        for constraint in 0..self.stage.constraints.len() {
            self.meet(constraint, numbers);
        }
        for constraint in 0..self.curves.as_ref().map_or(0, Curves::len) {
            self.meet_curved(constraint);
        }
    }

    /// Shortens steps that would pass a bound, and makes the unknowns of these steps inactive. Returns
    /// whether a step was shortened.
    #[inline(always)]
    fn fix_those_beyond(&mut self, numbers: &[Row<T>]) -> bool {
        let (zero, one) = (Lanes::all(0.0), Lanes::all(1.0));
        let mut any = zero;
        for (i, unknown) in self.stage.unknowns.iter().enumerate() {
            let Unknown::Number(n) = *unknown else { continue };
            let [low, high] = self.stage.bounds[i].map(|bound| Lanes([bound; WIDTH]));
            let number = numbers[usize::from(n)];
            let scale = self.scales[i];
            let moved = scale.fma(self.step[i], number);
            let bound = low.if_above(moved, low, high);
            let is_beyond = low.if_above(moved, one, moved.if_above(high, one, zero));
            let to_bound = (bound - number) / scale.if_above(zero, scale, one);
            self.step[i] = is_beyond.if_above(zero, to_bound, self.step[i]);
            self.active[i] = is_beyond.if_above(zero, zero, self.active[i]);
            any = any.larger(is_beyond);
        }
        any.0.iter().any(|any| *any > T::of(0.0))
    }

    /// Returns two values for an unknown. The first is the derivative of the parameter with respect to its
    /// transformed variable, or 1 without transforms. The second is above 0 if the unknown must stay: it is
    /// fixed, or it is at a bound and would pass this bound.
    #[inline(always)]
    fn slope_and_rest(&self, i: usize, best: &Sums<T>, numbers: &[Row<T>]) -> (Row<T>, Row<T>) {
        let (zero, one) = (Lanes::all(0.0), Lanes::all(1.0));
        if self.stage.resting[i] {
            return (one, one);
        }
        let Unknown::Number(n) = self.stage.unknowns[i] else { return (one, zero) };
        let number = numbers[usize::from(n)];
        let [low, high] = self.stage.bounds[i];
        if self.transforms {
            return (transform::slope(number, low, high), zero);
        }
        let gradient = best.gradient[i];
        let at_low = Lanes([low; WIDTH]).if_reaches(number, one, zero);
        let at_high = number.if_reaches(Lanes([high; WIDTH]), one, zero);
        let down = zero.if_above(gradient, at_low, zero);
        let up = gradient.if_above(zero, at_high, zero);
        (one, down + up)
    }

    /// Deflects the step so that it does not violate the given linear constraint.
    #[inline(always)]
    fn meet(&mut self, constraint: usize, numbers: &[Row<T>]) {
        let zero = Lanes::all(0.0);
        let row = &self.stage.constraints[constraint];
        let mut after = slack(row, numbers);
        for (i, unknown) in self.stage.unknowns.iter().enumerate() {
            self.other[i] = zero;
            if let Unknown::Number(n) = unknown {
                let weight = Lanes([row.weights[usize::from(*n)]; WIDTH]);
                self.other[i] = weight * self.active[i];
                after = (weight * self.scales[i]).fma(self.step[i], after);
            }
        }
        self.bend(after, row.is_equality);
    }

    /// Deflects the step along the tangent of the given nonlinear constraint.
    fn meet_curved(&mut self, constraint: usize) {
        let Some(curves) = &self.curves else { return };
        let mut after = curves.slack(constraint);
        for i in 0..self.stage.unknowns.len() {
            let weight = curves.derivative(constraint, i);
            self.other[i] = weight * self.active[i];
            after = (weight * self.scales[i]).fma(self.step[i], after);
        }
        let is_equality = curves.is_equality(constraint);
        self.bend(after, is_equality);
    }

    /// Deflects the step if the step would violate a constraint. `after` is the slack of the constraint after
    /// the step. The deflection makes this slack 0. `other` contains the weights of the unknowns in the
    /// constraint.
    #[inline(always)]
    fn bend(&mut self, after: Row<T>, is_equality: bool) {
        let zero = Lanes::all(0.0);
        let kept = self.other.clone();
        self.factors.solve(&mut self.other);
        let mut product = zero;
        for (a, b) in kept.iter().zip(&self.other) {
            product = a.fma(*b, product);
        }
        let factor = (-after) / product.larger(Lanes::all(NO_CURVATURE));
        let factor = product.if_above(Lanes::all(NO_CURVATURE), factor, zero);
        let factor = if is_equality { factor } else { zero.if_above(after, factor, zero) };
        for i in 0..self.step.len() {
            let bent = factor.fma(self.other[i], self.step[i]);
            self.step[i] = self.active[i].size().if_above(zero, bent, self.step[i]);
        }
    }

    /// Computes the parameter values at the end of the step, and the step that remains after bounds and
    /// constraints.
    #[inline(always)]
    fn move_numbers(&mut self, numbers: &[Row<T>], trial: &mut [Row<T>]) {
        let zero = Lanes::all(0.0);
        trial.copy_from_slice(numbers);
        for (i, unknown) in self.stage.unknowns.iter().enumerate() {
            if let Unknown::Number(n) = *unknown {
                let n = usize::from(n);
                let [low, high] = self.stage.bounds[i];
                let moved = if self.transforms {
                    let step = self.step[i] * self.own_scales[i];
                    transform::moved(numbers[n], step, low, high)
                } else {
                    self.scales[i].fma(self.step[i], numbers[n])
                };
                trial[n] = moved.larger(Lanes([low; WIDTH])).smaller(Lanes([high; WIDTH]));
            }
        }
        let mut part = Lanes::all(1.0);
        for row in self.stage.constraints.iter().filter(|row| !row.is_equality) {
            let before = slack(row, numbers).larger(zero);
            let after = slack(row, trial);
            let shorter = before / (before - after);
            part = part.smaller(zero.if_above(after, shorter, Lanes::all(1.0)));
        }
        let is_cut = !self.stage.constraints.is_empty();
        let mut turns: Option<Row<T>> = None;
        for (i, unknown) in self.stage.unknowns.iter().enumerate() {
            match *unknown {
                Unknown::Number(n) => {
                    let n = usize::from(n);
                    let mut moved = trial[n] - numbers[n];
                    if is_cut {
                        moved = part * moved;
                        trial[n] = numbers[n] + moved;
                    }
                    // If transforms keep parameters within bounds, the predicted decrease of the cost is
                    // linear in the transformed variable.
                    self.step[i] = if self.transforms { self.scales[i] * self.step[i] } else { moved };
                }
                Unknown::Turn { first, vector, .. } => {
                    let first = usize::from(first);
                    self.step[i] = part * (self.scales[i] * self.step[i]);
                    match turns.take() {
                        None => turns = Some(self.step[i]),
                        Some(u) => {
                            assert_eq!(vector, 1, "both turns of an orientation come together");
                            let axis = [numbers[first], numbers[first + 1], numbers[first + 2]];
                            trial[first..][..3].copy_from_slice(&turned(axis, u, self.step[i]));
                        }
                    }
                }
            }
        }
    }
}

/// Returns the slack of a linear constraint.
#[inline(always)]
fn slack<T: Real>(row: &LinearRow<T>, numbers: &[Row<T>]) -> Row<T> {
    let mut slack = Lanes([row.offset; WIDTH]);
    for (number, weight) in numbers.iter().zip(&row.weights) {
        slack = Lanes([*weight; WIDTH]).fma(*number, slack);
    }
    slack
}

/// Turns an orientation by the angles `u` and `v` (radians) towards two vectors perpendicular to the
/// orientation.
#[inline(always)]
fn turned<T: Real>(axis: [Row<T>; 3], u: Row<T>, v: Row<T>) -> [Row<T>; 3] {
    let (to_u, to_v) = across(axis);
    let mut turned = axis;
    for n in 0..3 {
        turned[n] = v.fma(to_v[n], u.fma(to_u[n], axis[n]));
    }
    let square = turned[2].fma(turned[2], turned[1].fma(turned[1], turned[0] * turned[0]));
    let length = square.root();
    for n in 0..3 {
        turned[n] = turned[n] / length;
    }
    turned
}
