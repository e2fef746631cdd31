//! The steps of Levenberg–Marquardt. The code here computes trial steps, applies bounds and constraints, turns
//! orientations, and decides which steps are accepted. The CPU (`levenberg_marquardt.rs`) and generated GPU
//! kernels (`written/minimise.rs`) run the same code.

use super::arithmetic::{Comparisons, Flag, FlagOf, Stored};
use super::constraints::{CurvedRow, LinearRow};
use super::linear::{Factors, triangle};
use super::normal_equations::Sums;
use super::stage::{BAD, BoundsMethod, DAMPING, GOOD, LESS, MIN_DAMPING, MORE, NO_CURVATURE, StagePlan};
use super::transform;
use super::unknowns::Unknown;
use arcuate_numbers::{Operations, Real, across};

/// The state of the minimisation in a voxel (or in sixteen voxels).
pub(super) struct State<V: Stored> {
    /// The parameter values of the best step so far.
    pub(super) numbers: Vec<V>,
    /// The parameter values of the step that is tried.
    pub(super) trial: Vec<V>,
    /// The normal equations at the best step so far.
    pub(super) best: Sums<V>,
    /// The normal equations at the step that is tried.
    pub(super) tried: Sums<V>,
    pub(super) damping: V,
    /// The predicted decrease of the cost in the step that is tried.
    pub(super) predicted: V,
}

/// Computes Levenberg–Marquardt steps, and holds the memory for this.
pub(super) struct TrialStep<'a, T: Real, V: Stored> {
    stage: &'a StagePlan<T>,
    transforms: bool,
    zero: V::Number,
    factors: Factors<V::Number>,
    matrix: Vec<V::Number>,
    pub(super) scales: Vec<V::Number>,
    /// Scales of the unknowns without the derivative of the transform that keeps them within bounds.
    own_scales: Vec<V::Number>,
    /// The scale of each unknown whose step must be computed, and 0 if the step is already known.
    active: Vec<V::Number>,
    is_active: Vec<FlagOf<V::Number>>,
    step: Vec<V>,
    other: Vec<V::Number>,
    kept: Vec<V::Number>,
}

impl<V: Stored> State<V> {
    /// Allocates the state for a number of parameter values and unknowns. `make` makes variables.
    pub(super) fn new(numbers: usize, unknowns: usize, make: impl Fn() -> V) -> Self {
        let many = |count: usize| (0..count).map(|_| make()).collect();
        Self {
            numbers: many(numbers),
            trial: many(numbers),
            best: Sums::new(unknowns, &make),
            tried: Sums::new(unknowns, &make),
            damping: make(),
            predicted: make(),
        }
    }

    /// Accepts a trial step that lowers the cost (the sum of squared residuals), and updates the damping.
    /// `is_new` is set for a voxel whose damping starts again.
    #[inline(always)]
    pub(super) fn judge(&mut self, is_new: FlagOf<V::Number>) {
        let (before, cost, damping) = (self.best.cost.now(), self.tried.cost.now(), self.damping.now());
        let is_better = before.above(cost);
        let gain = (before - cost) / self.predicted.now();
        let less = (damping * cost.known(LESS)).larger(cost.known(MIN_DAMPING));
        let not_less = gain.below(cost.known(BAD)).choose(damping + damping, damping);
        let after_better = gain.above(cost.known(GOOD)).choose(less, not_less);
        let after = is_better.choose(after_better, damping * cost.known(MORE));
        self.damping.set(is_new.choose(cost.known(DAMPING), after));
        if let Some(branch) = (is_new | is_better).branch() {
            for n in 0..self.numbers.len() {
                self.numbers[n].set_in(&branch, self.trial[n].now());
            }
            self.best.take(&branch, &self.tried);
        }
    }
}

impl<'a, T: Real, V: Stored> TrialStep<'a, T, V> {
    /// `zero` is the number 0, and `make` makes variables.
    pub(super) fn new(
        stage: &'a StagePlan<T>,
        bounds: BoundsMethod,
        zero: V::Number,
        make: impl Fn() -> V,
    ) -> Self {
        let unknowns = stage.unknowns.len();
        Self {
            stage,
            transforms: bounds == BoundsMethod::Transform,
            zero,
            factors: Factors::new(unknowns, zero),
            matrix: vec![zero; triangle(unknowns, 0)],
            scales: vec![zero; unknowns],
            own_scales: vec![zero; unknowns],
            active: vec![zero; unknowns],
            is_active: vec![zero.flag(false); unknowns],
            step: (0..unknowns).map(|_| make()).collect(),
            other: vec![zero; unknowns],
            kept: vec![zero; unknowns],
        }
    }

    /// Computes the next trial step from the best parameter values so far and their normal equations. Sets the
    /// trial values of the parameters and the predicted decrease of the cost. `curved` contains the constraints
    /// that are not linear.
    #[inline(always)]
    pub(super) fn propose(&mut self, state: &mut State<V>, curved: &[CurvedRow<V::Number>]) {
        let (zero, one) = (self.zero, self.zero.known(1.0));
        let unknowns = self.stage.unknowns.len();
        // The scales make the diagonal of the normal matrix 1. An unknown that stays fixed has a scale of 0.
        for i in 0..unknowns {
            let (slope, rests) = self.slope_and_rest(i, state);
            let curvature = state.best.normal[triangle(i, i)].now() * (slope * slope);
            let no_curvature = zero.known(NO_CURVATURE);
            let scale = one / curvature.larger(no_curvature).root();
            let has_effect = !rests & curvature.above(no_curvature);
            self.own_scales[i] = has_effect.choose(scale, zero);
            self.scales[i] = slope * self.own_scales[i];
            self.active[i] = self.scales[i];
            self.step[i].set(zero);
        }
        self.solve(state, curved);
        if !self.transforms {
            // Another solution does not change the step of a voxel in which no step was shortened.
            let is_shortened = self.fix_those_beyond(state);
            if let Some(_branch) = is_shortened.branch() {
                self.solve(state, curved);
            }
        }
        self.move_numbers(state);
        // The quadratic model of the cost predicts this decrease for the shortened step.
        let mut predicted = zero;
        for i in 0..unknowns {
            let gradient = state.best.gradient[i].now();
            let mut sum = gradient + gradient;
            for j in 0..unknowns {
                sum = (-state.best.element(i, j)).fma(self.step[j].now(), sum);
            }
            predicted = self.step[i].now().fma(sum, predicted);
        }
        state.predicted.set(predicted);
    }

    /// Computes the step of the unknowns that can move (active unknowns), given the known steps of the other
    /// unknowns.
    #[inline(always)]
    fn solve(&mut self, state: &State<V>, curved: &[CurvedRow<V::Number>]) {
        let (zero, one) = (self.zero, self.zero.known(1.0));
        let (stage, best) = (self.stage, &state.best);
        let unknowns = stage.unknowns.len();
        for i in 0..unknowns {
            for j in 0..i {
                self.matrix[triangle(i, j)] =
                    best.normal[triangle(i, j)].now() * self.active[i] * self.active[j];
            }
            self.matrix[triangle(i, i)] = one + state.damping.now();
            self.is_active[i] = self.active[i].size().above(zero);
            // The known steps of the other unknowns.
            self.kept[i] = self.is_active[i].choose(zero, self.scales[i] * self.step[i].now());
        }
        for i in 0..unknowns {
            // The gradient of the cost that remains after the known steps of the other unknowns.
            let mut right = best.gradient[i].now();
            for j in 0..unknowns {
                right = (-best.element(i, j)).fma(self.kept[j], right);
            }
            self.other[i] = right * self.active[i];
        }
        self.factors.factorise(&mut self.matrix, zero.known(MIN_DAMPING));
        self.factors.solve(&mut self.other);
        for i in 0..unknowns {
            let step = self.is_active[i].choose(self.other[i], self.step[i].now());
            self.step[i].set(step);
        }
        for row in &stage.constraints {
            let mut after = slack(row, &state.numbers, zero);
            for (i, unknown) in stage.unknowns.iter().enumerate() {
                self.kept[i] = zero;
                if let Unknown::Number(n) = unknown {
                    let weight = zero.known(row.weights[usize::from(*n)].double());
                    self.kept[i] = weight * self.active[i];
                    after = (weight * self.scales[i]).fma(self.step[i].now(), after);
                }
            }
            self.bend(after, row.is_equality);
        }
        for row in curved {
            let mut after = row.slack;
            for i in 0..unknowns {
                self.kept[i] = row.derivatives[i] * self.active[i];
                after = (row.derivatives[i] * self.scales[i]).fma(self.step[i].now(), after);
            }
            self.bend(after, row.is_equality);
        }
    }

    /// Shortens steps that would pass a bound, and makes the unknowns of these steps inactive. Returns
    /// whether a step was shortened.
    #[inline(always)]
    fn fix_those_beyond(&mut self, state: &State<V>) -> FlagOf<V::Number> {
        let (zero, one) = (self.zero, self.zero.known(1.0));
        let mut any = zero.flag(false);
        for (i, unknown) in self.stage.unknowns.iter().enumerate() {
            let Unknown::Number(n) = *unknown else { continue };
            let [low, high] = self.bounds(i);
            let (number, scale) = (state.numbers[usize::from(n)].now(), self.scales[i]);
            let moved = scale.fma(self.step[i].now(), number);
            let is_below = low.above(moved);
            let is_beyond = is_below | moved.above(high);
            let to_bound = (is_below.choose(low, high) - number) / scale.if_above(zero, scale, one);
            let step = is_beyond.choose(to_bound, self.step[i].now());
            self.step[i].set(step);
            self.active[i] = is_beyond.choose(zero, self.active[i]);
            any = any | is_beyond;
        }
        any
    }

    #[inline(always)]
    fn bounds(&self, i: usize) -> [V::Number; 2] {
        let [low, high] = self.stage.bounds[i];
        [self.zero.known(low.double()), self.zero.known(high.double())]
    }

    /// Returns two values for an unknown. The first is the derivative of the parameter with respect to its
    /// transformed variable, or 1 without transforms. The second is set if the unknown must stay: it is fixed,
    /// or it is at a bound and would pass this bound.
    #[inline(always)]
    fn slope_and_rest(&self, i: usize, state: &State<V>) -> (V::Number, FlagOf<V::Number>) {
        let (zero, one) = (self.zero, self.zero.known(1.0));
        let rests = self.stage.resting[i];
        let Unknown::Number(n) = self.stage.unknowns[i] else { return (one, zero.flag(rests)) };
        if rests {
            return (one, zero.flag(true));
        }
        let number = state.numbers[usize::from(n)].now();
        if self.transforms {
            let [low, high] = self.stage.bounds[i];
            return (transform::slope(number, low, high), zero.flag(false));
        }
        let ([low, high], gradient) = (self.bounds(i), state.best.gradient[i].now());
        let at_low = zero.above(gradient) & low.reaches(number);
        let at_high = gradient.above(zero) & number.reaches(high);
        (one, at_low | at_high)
    }

    /// Deflects the step if the step would violate a constraint. `after` is the slack of the constraint after
    /// the step. The deflection makes this slack 0. `kept` contains the weights of the unknowns in the
    /// constraint.
    #[inline(always)]
    fn bend(&mut self, after: V::Number, is_equality: bool) {
        let (zero, no_curvature) = (self.zero, self.zero.known(NO_CURVATURE));
        self.other.copy_from_slice(&self.kept);
        self.factors.solve(&mut self.other);
        let mut product = zero;
        for i in 0..self.kept.len() {
            product = self.kept[i].fma(self.other[i], product);
        }
        let factor = (-after) / product.larger(no_curvature);
        let factor = product.if_above(no_curvature, factor, zero);
        let factor = if is_equality { factor } else { zero.if_above(after, factor, zero) };
        for i in 0..self.step.len() {
            let step = self.step[i].now();
            let bent = factor.fma(self.other[i], step);
            self.step[i].set(self.is_active[i].choose(bent, step));
        }
    }

    /// Computes the parameter values at the end of the step, and the step that remains after bounds and
    /// constraints.
    #[inline(always)]
    fn move_numbers(&mut self, state: &mut State<V>) {
        let (zero, one, stage) = (self.zero, self.zero.known(1.0), self.stage);
        let State { numbers, trial, .. } = state;
        for n in 0..numbers.len() {
            trial[n].set(numbers[n].now());
        }
        for (i, unknown) in stage.unknowns.iter().enumerate() {
            let Unknown::Number(n) = *unknown else { continue };
            let (number, step) = (numbers[usize::from(n)].now(), self.step[i].now());
            let moved = if self.transforms {
                let [low, high] = stage.bounds[i];
                transform::moved(number, step * self.own_scales[i], low, high)
            } else {
                self.scales[i].fma(step, number)
            };
            let [low, high] = self.bounds(i);
            trial[usize::from(n)].set(moved.larger(low).smaller(high));
        }
        let mut part = one;
        for row in &stage.constraints {
            if row.is_equality {
                continue;
            }
            let before = slack(row, numbers, zero).larger(zero);
            let after = slack(row, trial, zero);
            let shorter = before / (before - after);
            part = part.smaller(zero.if_above(after, shorter, one));
        }
        for (i, unknown) in stage.unknowns.iter().enumerate() {
            let scaled = self.scales[i] * self.step[i].now();
            match *unknown {
                Unknown::Number(n) => {
                    let n = usize::from(n);
                    let mut moved = trial[n].now() - numbers[n].now();
                    if !stage.constraints.is_empty() {
                        moved = part * moved;
                        trial[n].set(numbers[n].now() + moved);
                    }
                    // If transforms keep parameters within bounds, the predicted decrease of the cost is
                    // linear in the transformed variable.
                    self.step[i].set(if self.transforms { scaled } else { moved });
                }
                Unknown::Turn { first, vector, .. } => {
                    self.step[i].set(part * scaled);
                    // The two rotations of an orientation are neighbours.
                    if vector == 1 {
                        let axis = axis(numbers, first);
                        let turned = towards(axis, axis, self.step[i - 1].now(), self.step[i].now());
                        let [x, y, z] = turned;
                        let length = z.fma(z, y.fma(y, x * x)).root();
                        for n in 0..3 {
                            trial[usize::from(first) + n].set(turned[n] / length);
                        }
                    }
                }
            }
        }
    }
}

/// Returns the slack of a linear constraint. Terms with a weight of 0 are omitted, because they add nothing.
#[inline(always)]
fn slack<T: Real, V: Stored>(row: &LinearRow<T>, numbers: &[V], zero: V::Number) -> V::Number {
    let mut slack = zero.known(row.offset.double());
    for (number, weight) in numbers.iter().zip(&row.weights) {
        if *weight != T::of(0.0) {
            slack = zero.known(weight.double()).fma(number.now(), slack);
        }
    }
    slack
}

/// Returns the three components of an orientation. `first` is the index of the first component among the
/// parameter values.
#[inline(always)]
pub(super) fn axis<V: Stored>(numbers: &[V], first: u16) -> [V::Number; 3] {
    let first = usize::from(first);
    [numbers[first].now(), numbers[first + 1].now(), numbers[first + 2].now()]
}

/// Computes `from` + `by_u` u + `by_v` v with two vectors u and v perpendicular to the orientation `axis`.
#[inline(always)]
pub(super) fn towards<N: Operations>(axis: [N; 3], from: [N; 3], by_u: N, by_v: N) -> [N; 3] {
    let (u, v) = across(axis);
    let mut sum = from;
    for n in 0..3 {
        sum[n] = by_v.fma(v[n], by_u.fma(u[n], from[n]));
    }
    sum
}
