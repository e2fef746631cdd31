//! The Levenberg–Marquardt fit of a voxel, from its starting values to its result. The CPU
//! (`levenberg_marquardt.rs`) and generated GPU kernels (`written/minimise.rs`) run the same code.

use super::arithmetic::{BranchOf, Comparisons, Flag, FlagOf, Stored};
use super::linear::triangle;
use super::stage::{BoundsMethod, MAX_DAMPING, StagePlan, TURNS};
use super::transform::inside;
use super::trial_step::{State, TrialStep, axis, towards};
use super::unknowns::Unknown;
use arcuate_numbers::{Operations, Real};
use std::ops::Range;

/// The fit of a voxel (or of sixteen voxels).
pub(super) struct Minimiser<'a, T: Real, V: Stored, S> {
    stage: &'a StagePlan<T>,
    transforms: bool,
    pub(super) state: State<V>,
    /// The stored parameter values of the voxel: those before the fit, and the result when it is finished.
    pub(super) stored: Vec<S>,
    step: TrialStep<'a, T, V>,
    orientations: Vec<Orientation<V>>,
    /// Set for each orientation without effect on the signal, such as that of a fibre population with
    /// fraction 0. If such an orientation turns by a radian, the sum of squared residuals changes negligibly.
    idle: Vec<FlagOf<V::Number>>,
    /// 1 if an orientation without effect on the signal was turned, and 0 if not.
    is_turned: V,
}

/// An orientation that the stage fits.
struct Orientation<V> {
    /// The index of its first component among the parameter values.
    first: u16,
    /// The index of the unknown of its first rotation.
    unknown: usize,
    /// The number of directions that were already tried while the orientation had no effect on the signal.
    tried: V,
}

impl<V> Orientation<V> {
    fn places(&self) -> Range<usize> {
        usize::from(self.first)..usize::from(self.first) + 3
    }
}

/// The outcome of a trial step.
pub(super) struct Outcome<F> {
    /// Set if the signal is not finite at the starting values.
    pub(super) failed: F,
    /// Set if the fit has converged.
    pub(super) converged: F,
    /// Set if the damping starts again, because an orientation was turned.
    pub(super) is_new: F,
    /// Set if the fit of the voxel is finished.
    pub(super) is_done: F,
}

impl<'a, T: Real, V: Stored, S: Stored<Number = V::Number>> Minimiser<'a, T, V, S> {
    /// `numbers` is the number of parameter values. `zero` is the number 0, and `make` makes variables.
    pub(super) fn new(
        stage: &'a StagePlan<T>,
        bounds: BoundsMethod,
        numbers: usize,
        zero: V::Number,
        make: impl Fn() -> V,
    ) -> Self {
        let orientation = |(n, unknown): (usize, &Unknown)| match *unknown {
            Unknown::Turn { first, vector: 0, .. } if !stage.resting[n] => {
                Some(Orientation { first, unknown: n, tried: make() })
            }
            _ => None,
        };
        Self {
            stage,
            transforms: bounds == BoundsMethod::Transform,
            state: State::new(numbers, stage.unknowns.len(), &make),
            stored: Vec::new(),
            step: TrialStep::new(stage, bounds, zero, &make),
            orientations: stage.unknowns.iter().enumerate().filter_map(orientation).collect(),
            idle: Vec::new(),
            is_turned: make(),
        }
    }

    /// Loads the parameter values of voxels. If transforms keep parameters within bounds, starting values are
    /// moved away from bounds, because no step can leave a bound.
    #[inline(always)]
    pub(super) fn enter(&mut self, branch: &BranchOf<V::Number>) {
        for (trial, number) in self.state.trial.iter_mut().zip(&self.stored) {
            trial.set_in(branch, number.now());
        }
        for (unknown, [low, high]) in self.stage.unknowns.iter().zip(&self.stage.bounds) {
            if let (Unknown::Number(n), true) = (*unknown, self.transforms) {
                let trial = &mut self.state.trial[usize::from(n)];
                trial.set_in(branch, inside(trial.now(), *low, *high));
            }
        }
        for orientation in &mut self.orientations {
            let none = orientation.tried.now().known(0.0);
            orientation.tried.set_in(branch, none);
        }
    }

    /// Judges the trial step, whose sums were computed, and proposes the next step with `propose`. `is_new` is
    /// set for voxels whose damping starts again, `is_first` at the starting values, and `may_go_on` if the
    /// maximum number of evaluations is not reached. `tolerance` and `floor` are those of
    /// [`Control`](super::stage::Control), the latter multiplied by the sum of squared signals.
    #[inline(always)]
    pub(super) fn advance(
        &mut self,
        [is_new, is_first, may_go_on]: [FlagOf<V::Number>; 3],
        [tolerance, floor]: [V::Number; 2],
        mut propose: impl FnMut(&mut TrialStep<'a, T, V>, &mut State<V>),
    ) -> Outcome<FlagOf<V::Number>> {
        let has_cost = self.state.tried.cost.now().below(floor.known(f64::INFINITY));
        let failed = is_first & !has_cost;
        self.state.judge(is_new);
        // The smallest decrease of the sum of squared residuals that counts as progress.
        let negligible = tolerance.fma(self.state.best.cost.now(), floor);
        self.idle.clear();
        for orientation in &self.orientations {
            let curvature = |i: usize| self.state.best.normal[triangle(i, i)].now();
            let both = curvature(orientation.unknown) + curvature(orientation.unknown + 1);
            self.idle.push(negligible.reaches(both));
        }
        propose(&mut self.step, &mut self.state);
        // A step that was shortened at a bound may increase the cost (the sum of squared residuals). The step
        // is tried anyway. If the cost increases, the damping increases.
        let converged = negligible.reaches(self.state.predicted.now().size())
            | self.state.damping.now().reaches(floor.known(MAX_DAMPING));
        let may_go_on = may_go_on & !failed;
        let is_new = self.turn_without_effect(converged & may_go_on);
        Outcome { failed, converged, is_new, is_done: !(is_new | (!converged & may_go_on)) }
    }

    /// Turns an orientation without effect on the signal to the next direction in [`TURNS`], because a
    /// parameter at a bound may decrease the cost with this direction. Returns whether a direction was left
    /// to try. The stored parameter values keep the original orientation.
    #[inline(always)]
    fn turn_without_effect(&mut self, wants: FlagOf<V::Number>) -> FlagOf<V::Number> {
        let zero = self.is_turned.now().known(0.0);
        let one = zero.known(1.0);
        self.is_turned.set(zero);
        let Self { orientations, idle, is_turned, state, stored, .. } = self;
        if let Some(_branch) = wants.branch() {
            for (orientation, is_idle) in orientations.iter_mut().zip(idle) {
                let tried = orientation.tried.now();
                let is_left = tried.below(zero.known(TURNS.len() as f64));
                let turns = wants & is_turned.now().below(one) & *is_idle & is_left;
                let Some(branch) = turns.branch() else { continue };
                is_turned.set_in(&branch, one);
                for (trial, number) in state.trial.iter_mut().zip(&state.numbers) {
                    trial.set_in(&branch, number.now());
                }
                if let Some(branch) = (turns & tried.below(one)).branch() {
                    for n in orientation.places() {
                        stored[n].set_in(&branch, state.numbers[n].now());
                    }
                }
                let axis = axis(stored, orientation.first);
                let [along, by_u, by_v] = [0, 1, 2].map(|part| turn(tried, part));
                let turned = towards(axis, axis.map(|component| along * component), by_u, by_v);
                for (n, component) in orientation.places().zip(turned) {
                    state.trial[n].set_in(&branch, component);
                }
                orientation.tried.set_in(&branch, tried + one);
            }
        }
        !is_turned.now().below(one)
    }

    /// Stores the fitted parameter values of finished voxels. Orientations that were turned without a decrease
    /// of the cost keep their original values.
    #[inline(always)]
    pub(super) fn leave(&mut self, is_done: FlagOf<V::Number>, branch: &BranchOf<V::Number>) {
        let Self { orientations, idle, is_turned, state, stored, .. } = self;
        for n in 0..stored.len() {
            if !orientations.iter().any(|orientation| orientation.places().contains(&n)) {
                stored[n].set_in(branch, state.numbers[n].now());
            }
        }
        for (orientation, is_idle) in orientations.iter().zip(idle) {
            let is_original = orientation.tried.now().below(is_turned.now().known(1.0));
            if let Some(branch) = (is_done & (!*is_idle | is_original)).branch() {
                for n in orientation.places() {
                    stored[n].set_in(&branch, state.numbers[n].now());
                }
            }
        }
    }
}

/// Returns a factor of the direction in [`TURNS`] with the index `tried`.
#[inline(always)]
fn turn<N: Comparisons>(tried: N, part: usize) -> N {
    let (last, others) = (TURNS.len() - 1, TURNS[..TURNS.len() - 1].iter().enumerate());
    others.rev().fold(tried.known(TURNS[last][part]), |otherwise, (n, turn)| {
        tried.below(tried.known(n as f64 + 0.5)).choose(tried.known(turn[part]), otherwise)
    })
}
