//! Nonlinear least squares in sixteen voxels side by side (Levenberg 1944; Marquardt 1963; bounds by projection after Kanzow,
//! Yamashita and Fukushima 2004, doi:10.1016/j.cam.2004.02.013).
//!
//! A voxel that has ended makes room for the next at once: registers are full whatever the number of steps that a voxel
//! needs. What happens in a lane depends on its voxel alone, so that results have the same bits in any company, and
//! `minimise.cuh` has the same operations, in the same order, for a thread of a GPU.

use super::interpreter::{Interpreter, Row, TALLEST, WIDTH};
use super::linear::{Factors, triangle};
use super::schedule::{Unknown, VoxelInput};
use super::stage::{
    BAD, BoundsMethod, Control, DAMPING, GOOD, INSIDE, LEAST_DAMPING, LESS, LinearRow, MORE, MOST_DAMPING,
    NO_CURVATURE, StagePlan, Status,
};
use super::voxels::Voxels;
use crate::special::watson::Series;
use arcuate_compute::lanes::{Lanes, Real, across};

/// Sums of a set of parameters: of squared differences, of products of derivatives, of those with differences.
#[derive(Debug, Clone)]
struct Sums<T: Real> {
    cost: Row<T>,
    /// Lower triangle, row by row.
    normal: Vec<Row<T>>,
    gradient: Vec<Row<T>>,
}

impl<T: Real> Sums<T> {
    fn new(unknowns: usize) -> Self {
        let zero = Lanes::all(0.0);
        Self { cost: zero, normal: vec![zero; triangle(unknowns, 0)], gradient: vec![zero; unknowns] }
    }
}

/// Works through voxels with one stage.
pub(crate) struct Solver<'a, T: Series> {
    stage: &'a StagePlan<T>,
    control: Control<T>,
    interpreter: Interpreter<T>,
    /// Numbers of the best step so far and of the one that is tried.
    numbers: Vec<Row<T>>,
    trial: Vec<Row<T>>,
    maps: Vec<Row<T>>,
    best: Sums<T>,
    tried: Sums<T>,
    damping: Row<T>,
    predicted: Row<T>,
    factors: Factors<T>,
    matrix: Vec<Row<T>>,
    scales: Vec<Row<T>>,
    /// Without the derivative of what is transformed.
    own_scales: Vec<Row<T>>,
    /// 0 for unknowns whose step is known.
    active: Vec<Row<T>>,
    step: Vec<Row<T>>,
    other: Vec<Row<T>>,
    /// Measurements of the lanes' voxels, and 0 for those that are not to be used.
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
            factors: Factors::new(unknowns),
            matrix: vec![zero; triangle(unknowns, 0)],
            scales: vec![zero; unknowns],
            own_scales: vec![zero; unknowns],
            active: vec![zero; unknowns],
            step: vec![zero; unknowns],
            other: vec![zero; unknowns],
            signals: vec![zero; measurements],
            usable: vec![Lanes::all(1.0); measurements],
            all_usable: true,
            squares: zero,
        }
    }

    /// Fits all voxels that are to be fitted, from the numbers that they have.
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
        // Whether the damping begins anew; and how often orientations without effect were turned.
        let mut is_new = [true; WIDTH];
        let mut turns = [0u32; WIDTH];
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
            self.propose();
            for lane in 0..WIDTH {
                let Some(voxel) = lanes[lane] else { continue };
                // Steps that bounds have cut may lead upwards: these are tried, and damped.
                let ended = self.predicted.0[lane].size()
                    <= self
                        .control
                        .tolerance
                        .fma(self.best.cost.0[lane], self.control.floor * self.squares.0[lane])
                    || self.damping.0[lane] >= T::of(MOST_DAMPING);
                let may_go_on = evaluations[lane] < self.control.evaluations;
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

    /// Orientations on which the signal of a lane's voxel does not depend, as where a population has ended at 0: the first
    /// number of each, and its own number.
    fn without_effect(&self, lane: usize) -> impl Iterator<Item = (usize, u32)> {
        self.stage.unknowns.iter().enumerate().filter_map(move |(i, unknown)| match *unknown {
            Unknown::Turn { orientation, first, vector: 0 } => {
                let rests = |i: usize| self.own_scales[i].0[lane] == T::of(0.0);
                let is_idle = !self.stage.resting[i] && rests(i) && rests(i + 1);
                is_idle.then_some((usize::from(first), u32::from(orientation)))
            }
            _ => None,
        })
    }

    /// Tries such an orientation along the two axes across it, one after the other: what has ended at a bound may have a way
    /// down from there. Whether there is one left to try. The numbers of the voxel remember where it was.
    fn turn_without_effect(
        &mut self,
        voxels: &mut Voxels<T>,
        voxel: usize,
        lane: usize,
        turns: &mut u32,
    ) -> bool {
        let tried = |orientation: u32| *turns >> (2 * orientation) & 3;
        let Some((first, orientation)) = self.without_effect(lane).find(|(_, of)| tried(*of) < 2) else {
            return false;
        };
        for (trial, number) in self.trial.iter_mut().zip(&self.numbers) {
            trial.0[lane] = number.0[lane];
        }
        let of_voxel = &mut voxels.numbers_mut(voxel)[first..first + 3];
        let is_first = tried(orientation) == 0;
        if is_first {
            of_voxel.iter_mut().zip(&self.numbers[first..]).for_each(|(number, row)| *number = row.0[lane]);
        }
        let (u, v) = across([of_voxel[0], of_voxel[1], of_voxel[2]].map(|number| Lanes([number; WIDTH])));
        let vector: [Row<T>; 3] = if is_first { u } else { v };
        for (trial, row) in self.trial[first..].iter_mut().zip(vector) {
            trial.0[lane] = row.0[lane];
        }
        *turns += 1 << (2 * orientation);
        true
    }

    /// Gives a voxel its numbers; orientations that were turned in vain stay where they were.
    fn leave(&self, voxels: &mut Voxels<T>, voxel: usize, lane: usize, turns: u32) {
        let mut numbers: Vec<T> = self.numbers.iter().map(|row| row.0[lane]).collect();
        for (first, orientation) in self.without_effect(lane) {
            if turns >> (2 * orientation) & 3 > 0 {
                numbers[first..first + 3].copy_from_slice(&voxels.numbers(voxel)[first..first + 3]);
            }
        }
        voxels.numbers_mut(voxel).copy_from_slice(&numbers);
    }

    /// Puts the next voxel that is to be fitted into a lane.
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

    /// Where unknowns are transformed, none starts at its bounds, from which there is no way.
    fn enter(&mut self, lane: usize) {
        if self.control.bounds == BoundsMethod::Projection {
            return;
        }
        for (unknown, [low, high]) in self.stage.unknowns.iter().zip(&self.stage.bounds) {
            let Unknown::Number(n) = unknown else { continue };
            let endless = |end: &T| end.size() == T::of(f64::INFINITY);
            let length = if endless(low) || endless(high) { T::of(1.0) } else { *high - *low };
            let inside = T::of(INSIDE) * length;
            let number = &mut self.trial[usize::from(*n)].0[lane];
            *number = number.larger(*low + inside).smaller(*high - inside);
        }
    }

    /// The sums at the trial.
    #[inline(always)]
    fn evaluate(&mut self) {
        let zero = Lanes::all(0.0);
        set_inputs(&mut self.interpreter, &self.stage.unknowns, &self.trial, &self.maps);
        self.tried.cost = zero;
        self.tried.normal.fill(zero);
        self.tried.gradient.fill(zero);
        let mut first = 0;
        while first < self.signals.len() {
            let count = self.interpreter.block(first);
            if self.all_usable {
                self.add::<true>(first, count);
            } else {
                self.add::<false>(first, count);
            }
            first += count;
        }
    }

    /// Adds what a block of measurements has to the sums.
    #[inline(always)]
    fn add<const ALL_USABLE: bool>(&mut self, first: usize, count: usize) {
        let zero = Lanes::all(0.0);
        let Self { interpreter, tried, signals, usable, .. } = self;
        let (signals, usable) = (&signals[first..][..count], &usable[first..][..count]);
        let predicted = interpreter.result(0, count);
        let mut differences = [zero; TALLEST];
        for m in 0..count {
            let difference = signals[m] - predicted[m];
            differences[m] = if ALL_USABLE { difference } else { usable[m].if_above(zero, difference, zero) };
            tried.cost = differences[m].fma(differences[m], tried.cost);
        }
        for i in 0..tried.gradient.len() {
            let of_i = interpreter.result(1 + i, count);
            let mut sum = tried.gradient[i];
            for m in 0..count {
                let next = of_i[m].fma(differences[m], sum);
                sum = if ALL_USABLE { next } else { usable[m].if_above(zero, next, sum) };
            }
            tried.gradient[i] = sum;
            for j in 0..=i {
                let of_j = interpreter.result(1 + j, count);
                let mut sum = tried.normal[triangle(i, j)];
                for m in 0..count {
                    let next = of_i[m].fma(of_j[m], sum);
                    sum = if ALL_USABLE { next } else { usable[m].if_above(zero, next, sum) };
                }
                tried.normal[triangle(i, j)] = sum;
            }
        }
    }

    /// Takes trials that are better than what was before, and changes the damping.
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
                    *damping = (*damping * T::of(LESS)).larger(T::of(LEAST_DAMPING));
                } else if gain < T::of(BAD) {
                    *damping = *damping + *damping;
                }
            } else {
                *damping = *damping * T::of(MORE);
            }
            if is_new || cost < before {
                for (number, trial) in self.numbers.iter_mut().zip(&self.trial) {
                    number.0[lane] = trial.0[lane];
                }
                self.best.cost.0[lane] = cost;
                let (best, tried) = (&mut self.best, &self.tried);
                for (best, tried) in best.normal.iter_mut().zip(&tried.normal) {
                    best.0[lane] = tried.0[lane];
                }
                for (best, tried) in best.gradient.iter_mut().zip(&tried.gradient) {
                    best.0[lane] = tried.0[lane];
                }
            }
        }
    }

    /// The next trial, and by how much it should lower the cost.
    #[inline(always)]
    fn propose(&mut self) {
        let (zero, one) = (Lanes::all(0.0), Lanes::all(1.0));
        let unknowns = self.stage.unknowns.len();
        let transforms = self.control.bounds == BoundsMethod::Transform;
        // Scales that make the diagonal of the normal matrix 1, and 0 for unknowns that rest.
        for i in 0..unknowns {
            let (slope, rests) = self.slope_and_rest(i, transforms);
            let curvature = self.best.normal[triangle(i, i)] * (slope * slope);
            let scale = one / curvature.larger(Lanes::all(NO_CURVATURE)).root();
            let scale = curvature.if_above(Lanes::all(NO_CURVATURE), scale, zero);
            self.own_scales[i] = rests.if_above(zero, zero, scale);
            self.scales[i] = slope * self.own_scales[i];
        }
        for i in 0..unknowns {
            self.active[i] = self.scales[i];
            self.step[i] = zero;
        }
        self.solve();
        if !transforms && self.fix_those_beyond() {
            self.solve();
        }
        self.move_numbers(transforms);
        // Of the quadratic model, along the step as it was cut.
        self.predicted = zero;
        for i in 0..unknowns {
            let mut sum = self.best.gradient[i] + self.best.gradient[i];
            for j in 0..unknowns {
                let element = self.best.normal[if j <= i { triangle(i, j) } else { triangle(j, i) }];
                sum = (-element).fma(self.step[j], sum);
            }
            self.predicted = self.step[i].fma(sum, self.predicted);
        }
    }

    /// The step of the unknowns that are active, beside those whose step is known.
    #[inline(always)]
    fn solve(&mut self) {
        let (zero, one) = (Lanes::all(0.0), Lanes::all(1.0));
        let unknowns = self.stage.unknowns.len();
        for i in 0..unknowns {
            for j in 0..i {
                self.matrix[triangle(i, j)] =
                    self.best.normal[triangle(i, j)] * self.active[i] * self.active[j];
            }
            self.matrix[triangle(i, i)] = one + self.damping;
        }
        for i in 0..unknowns {
            // What is left of the gradient where the others have made their steps.
            let mut right = self.best.gradient[i];
            for j in 0..unknowns {
                let known = self.active[j].size().if_above(zero, zero, self.scales[j] * self.step[j]);
                let element = self.best.normal[if j <= i { triangle(i, j) } else { triangle(j, i) }];
                right = (-element).fma(known, right);
            }
            self.other[i] = right * self.active[i];
        }
        self.factors.factorise(&mut self.matrix, Lanes::all(LEAST_DAMPING));
        self.factors.solve(&mut self.other);
        for i in 0..unknowns {
            self.step[i] = self.active[i].size().if_above(zero, self.other[i], self.step[i]);
        }
        for constraint in 0..self.stage.constraints.len() {
            self.meet(constraint);
        }
    }

    /// Lets steps end at the bounds that they would pass, and these unknowns be active no more; whether there is one.
    #[inline(always)]
    fn fix_those_beyond(&mut self) -> bool {
        let (zero, one) = (Lanes::all(0.0), Lanes::all(1.0));
        let mut any = zero;
        for (i, unknown) in self.stage.unknowns.iter().enumerate() {
            let Unknown::Number(n) = *unknown else { continue };
            let [low, high] = self.stage.bounds[i].map(|bound| Lanes([bound; WIDTH]));
            let number = self.numbers[usize::from(n)];
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

    /// The derivative of a number by its transformed one, or 1; and above 0 where the number is at a bound and would go beyond.
    #[inline(always)]
    fn slope_and_rest(&self, i: usize, transforms: bool) -> (Row<T>, Row<T>) {
        let (zero, one) = (Lanes::all(0.0), Lanes::all(1.0));
        if self.stage.resting[i] {
            return (one, one);
        }
        let Unknown::Number(n) = self.stage.unknowns[i] else { return (one, zero) };
        let number = self.numbers[usize::from(n)];
        let [low, high] = self.stage.bounds[i];
        if transforms {
            return (slope(number, low, high), zero);
        }
        let gradient = self.best.gradient[i];
        let at_low = Lanes([low; WIDTH]).if_reaches(number, one, zero);
        let at_high = number.if_reaches(Lanes([high; WIDTH]), one, zero);
        let down = zero.if_above(gradient, at_low, zero);
        let up = gradient.if_above(zero, at_high, zero);
        (one, down + up)
    }

    /// Bends the step so that it ends where a constraint would be broken.
    #[inline(always)]
    fn meet(&mut self, constraint: usize) {
        let zero = Lanes::all(0.0);
        let row = &self.stage.constraints[constraint];
        let mut after = Self::slack(row, &self.numbers);
        for (i, unknown) in self.stage.unknowns.iter().enumerate() {
            self.other[i] = zero;
            if let Unknown::Number(n) = unknown {
                let weight = Lanes([row.weights[usize::from(*n)]; WIDTH]);
                self.other[i] = weight * self.active[i];
                after = (weight * self.scales[i]).fma(self.step[i], after);
            }
        }
        let kept = self.other.clone();
        self.factors.solve(&mut self.other);
        let mut product = zero;
        for (a, b) in kept.iter().zip(&self.other) {
            product = a.fma(*b, product);
        }
        let factor = (-after) / product.larger(Lanes::all(NO_CURVATURE));
        let factor = product.if_above(Lanes::all(NO_CURVATURE), factor, zero);
        let factor = if row.is_equality { factor } else { zero.if_above(after, factor, zero) };
        for i in 0..self.step.len() {
            let bent = factor.fma(self.other[i], self.step[i]);
            self.step[i] = self.active[i].size().if_above(zero, bent, self.step[i]);
        }
    }

    #[inline(always)]
    fn slack(row: &LinearRow<T>, numbers: &[Row<T>]) -> Row<T> {
        let mut slack = Lanes([row.offset; WIDTH]);
        for (number, weight) in numbers.iter().zip(&row.weights) {
            slack = Lanes([*weight; WIDTH]).fma(*number, slack);
        }
        slack
    }

    /// The trial at the end of the step; the step as it is after bounds and constraints.
    #[inline(always)]
    fn move_numbers(&mut self, transforms: bool) {
        let zero = Lanes::all(0.0);
        self.trial.copy_from_slice(&self.numbers);
        for (i, unknown) in self.stage.unknowns.iter().enumerate() {
            if let Unknown::Number(n) = *unknown {
                let n = usize::from(n);
                let [low, high] = self.stage.bounds[i];
                let moved = if transforms {
                    let step = self.step[i] * self.own_scales[i];
                    transformed(self.numbers[n], step, low, high)
                } else {
                    self.scales[i].fma(self.step[i], self.numbers[n])
                };
                self.trial[n] = moved.larger(Lanes([low; WIDTH])).smaller(Lanes([high; WIDTH]));
            }
        }
        let mut part = Lanes::all(1.0);
        for row in self.stage.constraints.iter().filter(|row| !row.is_equality) {
            let before = Self::slack(row, &self.numbers).larger(zero);
            let after = Self::slack(row, &self.trial);
            let shorter = before / (before - after);
            part = part.smaller(zero.if_above(after, shorter, Lanes::all(1.0)));
        }
        let is_cut = !self.stage.constraints.is_empty();
        let mut turns: Option<Row<T>> = None;
        for (i, unknown) in self.stage.unknowns.iter().enumerate() {
            match *unknown {
                Unknown::Number(n) => {
                    let n = usize::from(n);
                    let mut moved = self.trial[n] - self.numbers[n];
                    if is_cut {
                        moved = part * moved;
                        self.trial[n] = self.numbers[n] + moved;
                    }
                    // What transforms predict is linear in the transformed number.
                    self.step[i] = if transforms { self.scales[i] * self.step[i] } else { moved };
                }
                Unknown::Turn { first, vector, .. } => {
                    self.step[i] = part * (self.scales[i] * self.step[i]);
                    match turns.take() {
                        None => turns = Some(self.step[i]),
                        Some(u) => {
                            debug_assert_eq!(vector, 1, "both turns of an orientation come together");
                            self.turn(usize::from(first), u, self.step[i]);
                        }
                    }
                }
            }
        }
    }

    /// Turns an orientation by `u` and `v` towards the vectors across it.
    #[inline(always)]
    fn turn(&mut self, first: usize, u: Row<T>, v: Row<T>) {
        let axis = [self.numbers[first], self.numbers[first + 1], self.numbers[first + 2]];
        let (to_u, to_v) = across(axis);
        let mut turned = axis;
        for n in 0..3 {
            turned[n] = v.fma(to_v[n], u.fma(to_u[n], axis[n]));
        }
        let square = turned[2].fma(turned[2], turned[1].fma(turned[1], turned[0] * turned[0]));
        let length = square.root();
        for n in 0..3 {
            self.trial[first + n] = turned[n] / length;
        }
    }
}

/// Gives the interpreter what it asks for of a set of numbers, and has it begin.
#[inline(always)]
pub(super) fn set_inputs<T: Series>(
    interpreter: &mut Interpreter<T>,
    unknowns: &[Unknown],
    numbers: &[Row<T>],
    maps: &[Row<T>],
) {
    for n in 0..interpreter.inputs().len() {
        let (input, row) = interpreter.inputs()[n];
        let value = match input {
            VoxelInput::Parameter(n) => numbers[usize::from(n)],
            VoxelInput::Map(n) => maps[usize::from(n)],
            VoxelInput::Across { .. } => continue,
        };
        interpreter.set(row, value);
    }
    for unknown in unknowns {
        let Unknown::Turn { orientation, first, vector: 0 } = *unknown else { continue };
        let first = usize::from(first);
        let (u, v) = across([numbers[first], numbers[first + 1], numbers[first + 2]]);
        for n in 0..interpreter.inputs().len() {
            let (input, row) = interpreter.inputs()[n];
            if let VoxelInput::Across { orientation: of, vector, axis } = input
                && of == orientation
            {
                let axis = usize::from(axis);
                interpreter.set(row, if vector == 0 { u[axis] } else { v[axis] });
            }
        }
    }
    interpreter.begin();
}

/// dθ/du of a number between bounds: of θ = low + (high − low) / (1 + e⁻ᵘ), or of an exponential beside one bound.
#[inline(always)]
fn slope<T: Real>(number: Row<T>, low: T, high: T) -> Row<T> {
    let above = number - Lanes([low; WIDTH]);
    let below = Lanes([high; WIDTH]) - number;
    match (low > T::of(f64::NEG_INFINITY), high < T::of(f64::INFINITY)) {
        (true, true) => above * below * Lanes([T::of(1.0) / (high - low); WIDTH]),
        (true, false) => above,
        (false, true) => below,
        (false, false) => Lanes::all(1.0),
    }
}

/// The number whose transformed one is further by `step`.
#[inline(always)]
fn transformed<T: Real>(number: Row<T>, step: Row<T>, low: T, high: T) -> Row<T> {
    const LONGEST: f64 = 4.0;
    let (lowest, highest) = (Lanes([low; WIDTH]), Lanes([high; WIDTH]));
    let step = step.larger(Lanes::all(-LONGEST)).smaller(Lanes::all(LONGEST));
    let (above, below) = (number - lowest, highest - number);
    match (low > T::of(f64::NEG_INFINITY), high < T::of(f64::INFINITY)) {
        (true, true) => {
            let share = above * step.exponential();
            (share * highest + below * lowest) / (share + below)
        }
        (true, false) => above.fma(step.exponential(), lowest),
        (false, true) => (-below).fma((-step).exponential(), highest),
        (false, false) => number + step,
    }
}
