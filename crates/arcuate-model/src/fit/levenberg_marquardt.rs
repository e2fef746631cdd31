//! Nonlinear least squares in sixteen voxels at once (Levenberg 1944; Marquardt 1963; bounds by projection after
//! Kanzow, Yamashita and Fukushima 2004, doi:10.1016/j.cam.2004.02.013).
//!
//! When the fit of a voxel is finished, its SIMD lane takes the next voxel at once, so that all lanes stay in
//! use. The result of a voxel is bit-identical whatever the other lanes compute. `trial_step.rs` computes the
//! steps and judges them. Generated GPU kernels run the same code.

use super::arithmetic::LaneFlags;
use super::curved_constraints::Curves;
use super::interpreter::{Interpreter, Row, WIDTH};
use super::linear::triangle;
use super::stage::{BoundsMethod, Control, MAX_DAMPING, StagePlan, TURN_BITS, TURNS};
use super::status::Status;
use super::transform;
use super::trial_step::{State, TrialStep, towards};
use super::unknowns::Unknown;
use super::voxels::Voxels;
use crate::special::watson::Series;
use arcuate_numbers::{Lanes, Operations};

/// Runs one stage of a fit (a Levenberg–Marquardt minimisation) on all voxels.
pub(crate) struct Solver<'a, T: Series> {
    stage: &'a StagePlan<T>,
    control: Control<T>,
    interpreter: Interpreter<T>,
    state: State<Row<T>>,
    step: TrialStep<'a, T, Row<T>>,
    /// The constraints of the model, if at least one constraint is not linear.
    curves: Option<Curves<T>>,
    maps: Vec<Row<T>>,
    /// For each measurement and SIMD lane (voxel), `usable` is 1 if the signal is usable, and 0 if it is not.
    signals: Vec<Row<T>>,
    usable: Vec<Row<T>>,
    all_usable: bool,
    squares: Row<T>,
}

impl<'a, T: Series> Solver<'a, T> {
    pub(crate) fn new(stage: &'a StagePlan<T>, control: Control<T>, measurements: usize) -> Self {
        let (unknowns, zero) = (stage.unknowns.len(), Lanes::all(0.0));
        Self {
            stage,
            control,
            interpreter: Interpreter::new(&stage.schedule, measurements),
            state: State::new(0, unknowns, || zero),
            step: TrialStep::new(stage, control.bounds, zero, || zero),
            curves: stage.curved.as_ref().map(|curved| Curves::new(curved, unknowns)),
            maps: Vec::new(),
            signals: vec![zero; measurements],
            usable: vec![Lanes::all(1.0); measurements],
            all_usable: true,
            squares: zero,
        }
    }

    /// Fits all voxels that do not have an error status, starting from their current parameter values.
    #[inline(always)]
    pub(crate) fn fit(&mut self, voxels: &mut Voxels<T>) {
        let zero = Lanes::all(0.0);
        self.state = State::new(voxels.number_count(), self.stage.unknowns.len(), || zero);
        self.maps = vec![zero; voxels.map_count()];
        let mut waiting = 0;
        let mut lanes = [None; WIDTH];
        let mut evaluations = [0u32; WIDTH];
        for lane in 0..WIDTH {
            lanes[lane] = self.next(voxels, &mut waiting, lane);
        }
        // `is_new` is true for SIMD lanes whose damping starts again. `turns` has, for each lane, the number
        // of times that each orientation without effect on the signal was turned.
        let mut is_new = [true; WIDTH];
        let mut turns = [0u64; WIDTH];
        while lanes.iter().any(Option::is_some) {
            self.evaluate();
            let mut failed = [false; WIDTH];
            for lane in 0..WIDTH {
                evaluations[lane] += 1;
                let has_cost = self.state.tried.cost.0[lane] < T::of(f64::INFINITY);
                failed[lane] = evaluations[lane] == 1 && !has_cost;
            }
            let mut starts_again = LaneFlags(zero);
            for lane in 0..WIDTH {
                starts_again.0.0[lane] = T::of(f64::from(u8::from(is_new[lane])));
            }
            self.state.judge(starts_again);
            is_new = [false; WIDTH];
            self.propose();
            for lane in 0..WIDTH {
                let Some(voxel) = lanes[lane] else { continue };
                // A step that was shortened at a bound may increase the cost (the sum of squared residuals).
                // The step is tried anyway. If the cost increases, the damping increases.
                let ended = self.state.predicted.0[lane].size() <= self.negligible(lane)
                    || self.state.damping.0[lane] >= T::of(MAX_DAMPING);
                let may_go_on = evaluations[lane] < self.stage.evaluations;
                let status = if failed[lane] {
                    Status::NoModel
                } else if ended {
                    is_new[lane] =
                        may_go_on && self.turn_without_effect(voxels, voxel, lane, &mut turns[lane]);
                    Status::Converged
                } else {
                    Status::Limit
                };
                if is_new[lane] || !failed[lane] && !ended && may_go_on {
                    continue;
                }
                self.leave(voxels, voxel, lane, turns[lane]);
                voxels.end(voxel, status, self.state.best.cost.0[lane], evaluations[lane]);
                lanes[lane] = self.next(voxels, &mut waiting, lane);
                (evaluations[lane], turns[lane], is_new[lane]) = (0, 0, true);
            }
        }
    }

    /// Returns the smallest decrease of the sum of squared residuals that counts as progress in the voxel of
    /// a SIMD lane.
    fn negligible(&self, lane: usize) -> T {
        self.control.tolerance.fma(self.state.best.cost.0[lane], self.control.floor * self.squares.0[lane])
    }

    /// Returns the orientations that have no effect on the signal, such as that of a fibre population with
    /// fraction 0. If such an orientation turns by a radian, the sum of squared residuals changes negligibly.
    /// Each returned orientation has the index of its first component and a running number.
    fn without_effect(&self, lane: usize) -> impl Iterator<Item = (usize, u32)> {
        let negligible = self.negligible(lane);
        self.stage.unknowns.iter().enumerate().filter_map(move |(i, unknown)| match *unknown {
            Unknown::Turn { orientation, first, vector: 0 } => {
                let curvature = |i: usize| self.state.best.normal[triangle(i, i)].0[lane];
                let is_idle = !self.stage.resting[i] && curvature(i) + curvature(i + 1) <= negligible;
                (is_idle && u32::from(orientation) < u64::BITS / TURN_BITS)
                    .then_some((usize::from(first), u32::from(orientation)))
            }
            _ => None,
        })
    }

    /// Turns an orientation without effect on the signal to the next direction in [`TURNS`], because a
    /// parameter at a bound may decrease the cost with this direction. Returns whether a direction was left
    /// to try. The voxel's stored parameters keep the original orientation.
    fn turn_without_effect(
        &mut self,
        voxels: &mut Voxels<T>,
        voxel: usize,
        lane: usize,
        turns: &mut u64,
    ) -> bool {
        let is_left = |(_, of): &(usize, u32)| tried(*turns, *of) < TURNS.len();
        let Some((first, orientation)) = self.without_effect(lane).find(is_left) else {
            return false;
        };
        let [along, by_u, by_v] = TURNS[tried(*turns, orientation)].map(|part| Lanes::all(part));
        for (trial, number) in self.state.trial.iter_mut().zip(&self.state.numbers) {
            trial.0[lane] = number.0[lane];
        }
        let of_voxel = &mut voxels.numbers_mut(voxel)[first..first + 3];
        if tried(*turns, orientation) == 0 {
            of_voxel
                .iter_mut()
                .zip(&self.state.numbers[first..])
                .for_each(|(number, row)| *number = row.0[lane]);
        }
        let axis: [Row<T>; 3] = [of_voxel[0], of_voxel[1], of_voxel[2]].map(|number| Lanes([number; WIDTH]));
        let turned = towards(axis, axis.map(|component| along * component), by_u, by_v);
        for n in 0..3 {
            self.state.trial[first + n].0[lane] = turned[n].0[lane];
        }
        *turns += 1 << (TURN_BITS * orientation);
        true
    }

    /// Stores the fitted parameter values of a voxel. Orientations that were turned without a decrease of the
    /// cost keep their original values.
    fn leave(&self, voxels: &mut Voxels<T>, voxel: usize, lane: usize, turns: u64) {
        let mut numbers: Vec<T> = self.state.numbers.iter().map(|row| row.0[lane]).collect();
        for (first, orientation) in self.without_effect(lane) {
            if tried(turns, orientation) > 0 {
                numbers[first..first + 3].copy_from_slice(&voxels.numbers(voxel)[first..first + 3]);
            }
        }
        voxels.numbers_mut(voxel).copy_from_slice(&numbers);
    }

    /// Loads the next voxel into a lane.
    fn next(&mut self, voxels: &Voxels<T>, waiting: &mut usize, lane: usize) -> Option<usize> {
        while *waiting < voxels.len() {
            let voxel = *waiting;
            *waiting += 1;
            if !voxels.is_wanted(voxel) {
                continue;
            }
            for (row, number) in self.state.trial.iter_mut().zip(voxels.numbers(voxel)) {
                row.0[lane] = *number;
            }
            self.enter(lane);
            for (row, number) in self.maps.iter_mut().zip(voxels.maps(voxel)) {
                row.0[lane] = *number;
            }
            let mut squares = T::of(0.0);
            for (m, signal) in voxels.signals(voxel).enumerate() {
                let usable = signal.size() < T::of(f64::INFINITY);
                let signal = if usable { signal } else { T::of(0.0) };
                self.signals[m].0[lane] = signal;
                self.usable[m].0[lane] = T::of(f64::from(u8::from(usable)));
                squares = signal.fma(signal, squares);
            }
            self.squares.0[lane] = squares;
            self.all_usable = self.usable.iter().all(|row| row.0 == [T::of(1.0); WIDTH]);
            return Some(voxel);
        }
        None
    }

    /// If parameters are kept within bounds by transforms, starting values are moved away from bounds,
    /// because no step can leave a bound.
    fn enter(&mut self, lane: usize) {
        if self.control.bounds == BoundsMethod::Projection {
            return;
        }
        for (unknown, [low, high]) in self.stage.unknowns.iter().zip(&self.stage.bounds) {
            let Unknown::Number(n) = unknown else { continue };
            let number = &mut self.state.trial[usize::from(*n)].0[lane];
            *number = transform::inside(*number, *low, *high);
        }
    }

    /// Computes the normal equations of least squares at the parameter values of the trial step.
    #[inline(always)]
    fn evaluate(&mut self) {
        self.interpreter.set_inputs(&self.stage.unknowns, &self.state.trial, &self.maps);
        self.state.tried.clear(Lanes::all(0.0));
        let mut first = 0;
        while first < self.signals.len() {
            let count = self.interpreter.block(first);
            let (signals, usable) = (&self.signals[first..][..count], &self.usable[first..][..count]);
            if self.all_usable {
                self.state.tried.add::<true>(&self.interpreter, signals, usable);
            } else {
                self.state.tried.add::<false>(&self.interpreter, signals, usable);
            }
            first += count;
        }
    }

    /// Computes the next trial step. If the model has nonlinear constraints, the trial values are projected
    /// back to the constraints. If this fails, the trial values are set to those before the step. The step
    /// itself is unchanged, so that a decrease lost by the projection counts as a bad step. This prevents
    /// oscillations around the minimum.
    #[inline(always)]
    fn propose(&mut self) {
        let Some(curves) = &mut self.curves else { return self.step.propose(&mut self.state, &[]) };
        let (zero, stage) = (Lanes::all(0.0), self.stage);
        let rows = curves.evaluate(&self.state.numbers);
        self.step.propose(&mut self.state, rows);
        let State { numbers, trial, predicted, .. } = &mut self.state;
        let failed = curves.bring_back(&stage.unknowns, &stage.bounds, &self.step.scales, trial);
        for (trial, number) in trial.iter_mut().zip(numbers.iter()) {
            *trial = failed.if_above(zero, *number, *trial);
        }
        // If the predicted decrease is too small, the fit ends. After a step that the constraints rejected,
        // the fit must not end, so that the prediction is infinite.
        *predicted = failed.if_above(zero, Lanes::all(f64::INFINITY), *predicted);
    }
}

/// Returns the number of directions that were already tried for an orientation without effect on the signal.
fn tried(turns: u64, orientation: u32) -> usize {
    (turns >> (TURN_BITS * orientation) & ((1 << TURN_BITS) - 1)) as usize
}
