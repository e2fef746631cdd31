//! Nonlinear least squares in sixteen voxels at once (Levenberg 1944; Marquardt 1963; bounds by projection after
//! Kanzow, Yamashita and Fukushima 2004, doi:10.1016/j.cam.2004.02.013).
//!
//! When the fit of a voxel is finished, its SIMD lane takes the next voxel at once, so that all lanes stay in
//! use. The result of a voxel is bit-identical whatever the other lanes compute. `written/minimise.rs`
//! generates the same operations in the same order for a GPU thread.

use super::interpreter::{Interpreter, Row, WIDTH};
use super::linear::triangle;
use super::normal_equations::Sums;
use super::stage::{
    BAD, BoundsMethod, Control, DAMPING, GOOD, LESS, MAX_DAMPING, MIN_DAMPING, MORE, StagePlan, TURN_BITS,
    TURNS,
};
use super::status::Status;
use super::transform;
use super::trial_step::TrialStep;
use super::unknowns::Unknown;
use super::voxels::Voxels;
use crate::special::watson::Series;
use arcuate_numbers::{Lanes, Operations, across};

/// Runs one stage of a fit (a Levenberg–Marquardt minimisation) on all voxels.
pub(crate) struct Solver<'a, T: Series> {
    stage: &'a StagePlan<T>,
    control: Control<T>,
    interpreter: Interpreter<T>,
    /// The parameter values of the best step so far (`numbers`), and of the step that is tried (`trial`).
    numbers: Vec<Row<T>>,
    trial: Vec<Row<T>>,
    maps: Vec<Row<T>>,
    best: Sums<T>,
    tried: Sums<T>,
    damping: Row<T>,
    predicted: Row<T>,
    step: TrialStep<'a, T>,
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
            numbers: Vec::new(),
            trial: Vec::new(),
            maps: Vec::new(),
            best: Sums::new(unknowns),
            tried: Sums::new(unknowns),
            damping: zero,
            predicted: zero,
            step: TrialStep::new(stage, control.bounds),
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
        self.numbers = vec![zero; voxels.number_count()];
        self.trial = self.numbers.clone();
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
                let has_cost = self.tried.cost.0[lane] < T::of(f64::INFINITY);
                failed[lane] = evaluations[lane] == 1 && !has_cost;
            }
            self.judge(&is_new);
            is_new = [false; WIDTH];
            self.predicted = self.step.propose(&self.best, &self.numbers, self.damping, &mut self.trial);
            for lane in 0..WIDTH {
                let Some(voxel) = lanes[lane] else { continue };
                // A step that was shortened at a bound may increase the cost (the sum of squared residuals).
                // The step is tried anyway. If the cost increases, the damping increases.
                let ended = self.predicted.0[lane].size() <= self.negligible(lane)
                    || self.damping.0[lane] >= T::of(MAX_DAMPING);
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
                voxels.end(voxel, status, self.best.cost.0[lane], evaluations[lane]);
                lanes[lane] = self.next(voxels, &mut waiting, lane);
                (evaluations[lane], turns[lane], is_new[lane]) = (0, 0, true);
            }
        }
    }

    /// Returns the smallest decrease of the sum of squared residuals that counts as progress in the voxel of
    /// a SIMD lane.
    fn negligible(&self, lane: usize) -> T {
        self.control.tolerance.fma(self.best.cost.0[lane], self.control.floor * self.squares.0[lane])
    }

    /// Returns the orientations that have no effect on the signal, such as that of a fibre population with
    /// fraction 0. If such an orientation turns by a radian, the sum of squared residuals changes negligibly.
    /// Each returned orientation has the index of its first component and a running number.
    fn without_effect(&self, lane: usize) -> impl Iterator<Item = (usize, u32)> {
        let negligible = self.negligible(lane);
        self.stage.unknowns.iter().enumerate().filter_map(move |(i, unknown)| match *unknown {
            Unknown::Turn { orientation, first, vector: 0 } => {
                let curvature = |i: usize| self.best.normal[triangle(i, i)].0[lane];
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
        for (trial, number) in self.trial.iter_mut().zip(&self.numbers) {
            trial.0[lane] = number.0[lane];
        }
        let of_voxel = &mut voxels.numbers_mut(voxel)[first..first + 3];
        if tried(*turns, orientation) == 0 {
            of_voxel.iter_mut().zip(&self.numbers[first..]).for_each(|(number, row)| *number = row.0[lane]);
        }
        let axis: [Row<T>; 3] = [of_voxel[0], of_voxel[1], of_voxel[2]].map(|number| Lanes([number; WIDTH]));
        let (u, v) = across(axis);
        for n in 0..3 {
            let turned = by_v.fma(v[n], by_u.fma(u[n], along * axis[n]));
            self.trial[first + n].0[lane] = turned.0[lane];
        }
        *turns += 1 << (TURN_BITS * orientation);
        true
    }

    /// Stores the fitted parameter values of a voxel. Orientations that were turned without a decrease of the
    /// cost keep their original values.
    fn leave(&self, voxels: &mut Voxels<T>, voxel: usize, lane: usize, turns: u64) {
        let mut numbers: Vec<T> = self.numbers.iter().map(|row| row.0[lane]).collect();
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
            for (row, number) in self.trial.iter_mut().zip(voxels.numbers(voxel)) {
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
            let number = &mut self.trial[usize::from(*n)].0[lane];
            *number = transform::inside(*number, *low, *high);
        }
    }

    /// Computes the normal equations of least squares at the parameter values of the trial step.
    #[inline(always)]
    fn evaluate(&mut self) {
        self.interpreter.set_inputs(&self.stage.unknowns, &self.trial, &self.maps);
        self.tried.clear();
        let mut first = 0;
        while first < self.signals.len() {
            let count = self.interpreter.block(first);
            let (signals, usable) = (&self.signals[first..][..count], &self.usable[first..][..count]);
            if self.all_usable {
                self.tried.add::<true>(&self.interpreter, signals, usable);
            } else {
                self.tried.add::<false>(&self.interpreter, signals, usable);
            }
            first += count;
        }
    }

    /// Accepts trial steps that lower the cost (the sum of squared residuals), and updates the damping.
    #[inline(always)]
    fn judge(&mut self, is_new: &[bool; WIDTH]) {
        for lane in 0..WIDTH {
            let is_new = is_new[lane];
            let (before, cost) = (self.best.cost.0[lane], self.tried.cost.0[lane]);
            let damping = &mut self.damping.0[lane];
            if is_new {
                *damping = T::of(DAMPING);
            } else if cost < before {
                let gain = (before - cost) / self.predicted.0[lane];
                if gain > T::of(GOOD) {
                    *damping = (*damping * T::of(LESS)).larger(T::of(MIN_DAMPING));
                } else if gain < T::of(BAD) {
                    *damping = *damping + *damping;
                }
            } else {
                *damping *= T::of(MORE);
            }
            if is_new || cost < before {
                for (number, trial) in self.numbers.iter_mut().zip(&self.trial) {
                    number.0[lane] = trial.0[lane];
                }
                self.best.take_lane(lane, &self.tried);
            }
        }
    }
}

/// Returns the number of directions that were already tried for an orientation without effect on the signal.
fn tried(turns: u64, orientation: u32) -> usize {
    (turns >> (TURN_BITS * orientation) & ((1 << TURN_BITS) - 1)) as usize
}
