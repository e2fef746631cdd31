//! Generates the GPU kernel of the Levenberg–Marquardt fit, with one thread per voxel. The operations are the
//! same as in `levenberg_marquardt.rs` and `trial_step.rs`: change all of these files together. A thread that
//! has finished a voxel takes the next voxel, so that no thread waits for the slowest thread of its warp.

use super::steps::Steps;
use super::{is_usable, kind, number, table};
use crate::fit::constants::THREADS;
use crate::fit::constraints::LinearRow;
use crate::fit::linear::{Factors, triangle};
use crate::fit::schedule::VoxelInput;
use crate::fit::stage::{
    BAD, BoundsMethod, DAMPING, GOOD, LESS, MAX_DAMPING, MIN_DAMPING, MORE, NO_CURVATURE, StagePlan,
    TURN_BITS, TURNS,
};
use crate::fit::status::Status;
use crate::fit::transform;
use crate::fit::unknowns::Unknown;
use crate::special::watson::Series;
use arcuate_compute::cuda::WrittenKernel;
use arcuate_compute::cuda::writer::{Kind, Pointer, Space, Value, Variable, Writer};
use arcuate_core::narrow;
use arcuate_numbers::across;
use std::cell::RefCell;
use std::collections::HashMap;

/// Generates the kernel for one stage of the fit. Its first arguments are the tolerance, the floor, and the
/// numbers of voxels, measurements, evaluations and values of the protocol. The inputs follow: signals,
/// factors, squares, maps and the numbers of the measurements. The last arguments are parameter values,
/// status, costs, evaluations and the counter of voxels.
pub(crate) fn minimise<T: Series>(
    stage: &StagePlan<T>,
    bounds: BoundsMethod,
    (number_count, map_count): (usize, usize),
    is_shared: bool,
) -> WrittenKernel {
    let w = Writer::new(&format!("fit_minimise_{}", T::NAME));
    let real = kind::<T>();
    let [tolerance, floor] = [(); 2].map(|()| w.parameter(real));
    let [voxels, measurements, maximum, length] = [(); 4].map(|()| w.parameter(Kind::U32));
    let [signals, factors, squares, maps, columns] = [(); 5].map(|()| w.pointer(Space::Read));
    let [all_numbers, status, costs, evaluations, next] = [(); 5].map(|()| w.pointer(Space::Global));
    let table = table(&w, columns, length, real, is_shared);
    let fit = Minimiser::new(&w, stage, bounds, number_count, map_count);

    let no = w.constant(Kind::Flag, 0.0);
    let voxel = w.variable(w.constant(Kind::U32, 0.0));
    take_next(&w, voxel, voxels, next, status);
    let count = w.variable(w.constant(Kind::U32, 0.0));
    let (zero, one) = (count.now().all(0.0), count.now().all(1.0));
    // True if the damping of Levenberg–Marquardt starts again from its initial value.
    let is_new = w.variable(w.constant(Kind::Flag, 1.0));
    w.repeat(|round| {
        round.leave_when(voxel.now().at_least(voxels));
        let of_voxel = all_numbers.further(voxel.now(), real.bytes() * narrow::<u32>(number_count));
        w.when(count.now().equals(zero), || {
            fit.enter(of_voxel, maps.further(voxel.now(), real.bytes() * narrow::<u32>(map_count)));
        });
        let own = signals.element(voxel.now().to(Kind::U64) * measurements.to(Kind::U64), Kind::F32);
        fit.evaluate(own, measurements, factors.element(voxel.now(), real).load(real), table);
        count.add(one);
        let has_cost = fit.cost.now().below(w.constant(real, f64::INFINITY));
        let failed = count.now().equals(one) & !has_cost;
        fit.judge(is_new.now());
        let scale = squares.element(voxel.now(), real).load(real);
        fit.negligible.set(tolerance.fma(fit.best_cost.now(), floor * scale));
        fit.propose();
        let ended = fit.predicted.now().size().at_most(fit.negligible.now())
            | fit.damping.now().at_least(w.constant(real, MAX_DAMPING));
        let may_go_on = !failed & count.now().below(maximum);
        is_new.set(no);
        w.when(ended & may_go_on, || is_new.set(fit.turn_without_effect(of_voxel)));
        let is_done = !(is_new.now() | (!ended & may_go_on));
        w.when(is_done, || {
            fit.leave(of_voxel);
            let of_end = |status: Status| w.constant(Kind::U32, f64::from(status as u8));
            let ended = ended.choose(of_end(Status::Converged), of_end(Status::Limit));
            status.further(voxel.now(), 1).store_byte(failed.choose(of_end(Status::NoModel), ended));
            costs.element(voxel.now(), real).store(fit.best_cost.now());
            let so_far = evaluations.element(voxel.now(), Kind::U32);
            so_far.store(so_far.load(Kind::U32) + count.now());
            count.set(zero);
            is_new.set(!no);
            take_next(&w, voxel, voxels, next, status);
        });
    });
    w.finish(THREADS, 1)
}

/// Sets `voxel` to the index of the next voxel without an error status. If there is no such voxel, sets
/// `voxel` to a number beyond the last voxel.
fn take_next<'w>(
    w: &'w Writer,
    voxel: Variable<'w>,
    voxels: Value<'w>,
    next: Pointer<'w>,
    status: Pointer<'w>,
) {
    let no_signal = w.constant(Kind::U32, f64::from(Status::NoSignal as u8));
    w.repeat(|round| {
        voxel.set(next.add_atomically(voxels.all(1.0)));
        round.leave_when(voxel.now().at_least(voxels));
        round.leave_when(status.further(voxel.now(), 1).load_byte().below(no_signal));
    });
}

struct Minimiser<'a, 'w, T: Series> {
    w: &'w Writer,
    stage: &'a StagePlan<T>,
    transforms: bool,
    numbers: Vec<Variable<'w>>,
    trial: Vec<Variable<'w>>,
    maps: Vec<Variable<'w>>,
    best_cost: Variable<'w>,
    best_normal: Vec<Variable<'w>>,
    best_gradient: Vec<Variable<'w>>,
    cost: Variable<'w>,
    normal: Vec<Variable<'w>>,
    gradient: Vec<Variable<'w>>,
    damping: Variable<'w>,
    predicted: Variable<'w>,
    step: Vec<Variable<'w>>,
    /// The smallest decrease of the sum of squared residuals that counts as progress.
    negligible: Variable<'w>,
    /// `idle` is a bit set of the orientations without effect on the signal. `turns` has the number of
    /// directions tried for each orientation, in `TURN_BITS` bits each.
    idle: Variable<'w>,
    turns: Variable<'w>,
}

impl<'a, 'w, T: Series> Minimiser<'a, 'w, T> {
    fn new(
        w: &'w Writer,
        stage: &'a StagePlan<T>,
        bounds: BoundsMethod,
        number_count: usize,
        map_count: usize,
    ) -> Self {
        let unknowns = stage.unknowns.len();
        let zero = w.constant(kind::<T>(), 0.0);
        let real = |count| w.variables(count, zero);
        let one = || w.variable(zero);
        let bits = || w.variable(w.constant(Kind::U64, 0.0));
        Self {
            w,
            stage,
            transforms: bounds == BoundsMethod::Transform,
            numbers: real(number_count),
            trial: real(number_count),
            maps: real(map_count),
            best_cost: one(),
            best_normal: real(triangle(unknowns, 0)),
            best_gradient: real(unknowns),
            cost: one(),
            normal: real(triangle(unknowns, 0)),
            gradient: real(unknowns),
            damping: one(),
            predicted: one(),
            step: real(unknowns),
            negligible: one(),
            idle: bits(),
            turns: bits(),
        }
    }

    fn constant(&self, value: f64) -> Value<'w> {
        self.w.constant(kind::<T>(), value)
    }

    fn number(&self, value: T) -> Value<'w> {
        number(self.w, value)
    }

    /// Returns the orientations that can turn. Each orientation has three numbers. The first two are the
    /// index of its first component, and the position of its bits in the counter of tried directions. The
    /// third number is the index of the unknown of the orientation's first rotation.
    fn orientations(&self) -> impl Iterator<Item = (usize, u32, usize)> {
        self.stage.unknowns.iter().enumerate().filter_map(|(i, unknown)| match *unknown {
            Unknown::Turn { orientation, first, vector: 0 } => {
                let place = u32::from(orientation) * TURN_BITS;
                (place + TURN_BITS <= u64::BITS).then_some((usize::from(first), place, i))
            }
            _ => None,
        })
    }

    /// Generates code that loads the parameter values of a voxel. If transforms keep parameters within
    /// bounds, starting values are moved away from bounds, because no step can leave a bound.
    fn enter(&self, of_voxel: Pointer<'w>, maps: Pointer<'w>) {
        let real = kind::<T>();
        for (n, trial) in self.trial.iter().enumerate() {
            trial.set(of_voxel.offset(real.bytes() * narrow::<u32>(n)).load(real));
        }
        for (n, map) in self.maps.iter().enumerate() {
            map.set(maps.offset(real.bytes() * narrow::<u32>(n)).load(real));
        }
        if self.transforms {
            for (unknown, [low, high]) in self.stage.unknowns.iter().zip(&self.stage.bounds) {
                let Unknown::Number(n) = *unknown else { continue };
                let trial = self.trial[usize::from(n)];
                let [low, high] = transform::ends_inside(*low, *high).map(|end| self.number(end));
                trial.set(trial.now().larger(low).smaller(high));
            }
        }
        self.turns.set(self.w.constant(Kind::U64, 0.0));
    }

    /// Generates code that computes the normal equations of least squares at the parameter values of the
    /// trial step.
    fn evaluate(&self, signals: Pointer<'w>, measurements: Value<'w>, factor: Value<'w>, table: Pointer<'w>) {
        let (w, real) = (self.w, kind::<T>());
        let vectors = RefCell::new(HashMap::new());
        for unknown in &self.stage.unknowns {
            if let Unknown::Turn { orientation, first, vector: 0 } = *unknown {
                let (u, v) = across(axis(&self.trial, first));
                vectors.borrow_mut().insert(orientation, [u, v]);
            }
        }
        let steps = Steps::<T>::new(w, &self.stage.schedule);
        let voxel = steps.voxel(|input| match input {
            VoxelInput::Parameter(n) => self.trial[usize::from(n)].now(),
            VoxelInput::Map(n) => self.maps[usize::from(n)].now(),
            VoxelInput::Across { orientation, vector, axis } => {
                vectors.borrow()[&orientation][usize::from(vector)][usize::from(axis)]
            }
            VoxelInput::Kept(_) => unreachable!("fits keep nothing"),
        });
        for sum in self.normal.iter().chain(&self.gradient).chain([&self.cost]) {
            sum.set(self.constant(0.0));
        }
        let row = w.variable(table.address());
        let signal_at = w.variable(signals.address());
        let bytes_of_row = real.bytes() * narrow::<u32>(self.stage.schedule.column_count);
        w.count(measurements, |_| {
            let measured = signals.at(signal_at.now()).load(Kind::F32);
            let signal = measured.to(real) * factor;
            w.when(is_usable(signal), || {
                let results = steps.inner(&voxel, table.at(row.now()), &[]);
                let difference = signal - results[0];
                self.cost.add_product(difference, difference);
                let derivatives = &results[1..];
                for (i, one) in derivatives.iter().enumerate() {
                    self.gradient[i].add_product(*one, difference);
                    for (j, other) in derivatives[..=i].iter().enumerate() {
                        self.normal[triangle(i, j)].add_product(*one, *other);
                    }
                }
            });
            row.add(row.now().all(f64::from(bytes_of_row)));
            signal_at.add(signal_at.now().all(4.0));
        });
    }

    /// Generates code that accepts a trial step with a lower cost (sum of squared residuals), and updates the
    /// damping.
    fn judge(&self, is_new: Value<'w>) {
        let w = self.w;
        let damping = self.damping;
        let better = self.cost.now().below(self.best_cost.now());
        w.either(
            is_new,
            || damping.set(self.constant(DAMPING)),
            || {
                w.either(
                    better,
                    || {
                        let gain = (self.best_cost.now() - self.cost.now()) / self.predicted.now();
                        w.either(
                            gain.above(self.constant(GOOD)),
                            || {
                                let less = damping.now() * self.constant(LESS);
                                damping.set(less.larger(self.constant(MIN_DAMPING)));
                            },
                            || {
                                w.when(gain.below(self.constant(BAD)), || damping.add(damping.now()));
                            },
                        );
                    },
                    || damping.set(damping.now() * self.constant(MORE)),
                );
            },
        );
        w.when(is_new | better, || {
            let copy = |into: &[Variable<'w>], from: &[Variable<'w>]| {
                into.iter().zip(from).for_each(|(into, from)| into.set(from.now()));
            };
            copy(&self.numbers, &self.trial);
            copy(&self.best_normal, &self.normal);
            copy(&self.best_gradient, &self.gradient);
            self.best_cost.set(self.cost.now());
        });
    }

    fn best_normal(&self, i: usize, j: usize) -> Value<'w> {
        self.best_normal[if j <= i { triangle(i, j) } else { triangle(j, i) }].now()
    }

    fn slack(&self, row: &LinearRow<T>, of: &[Variable<'w>]) -> Value<'w> {
        // Terms of the constraint with a weight of 0 are omitted, because they add nothing.
        let weighted = row.weights.iter().zip(of).filter(|(weight, _)| **weight != T::of(0.0));
        weighted.fold(self.number(row.offset), |sum, (weight, number)| {
            self.number(*weight).fma(number.now(), sum)
        })
    }

    /// Generates code that computes the parameter values of the next trial step, and the decrease of the cost
    /// that this step is predicted to give.
    fn propose(&self) {
        let (w, unknowns) = (self.w, self.stage.unknowns.len());
        let (zero, one) = (self.constant(0.0), self.constant(1.0));
        let no_curvature = self.constant(NO_CURVATURE);
        let (mut own_scales, mut scales) = (Vec::new(), Vec::new());
        for i in 0..unknowns {
            let (slope, is_resting) = self.slope_and_rest(i);
            let curvature = self.best_normal(i, i) * (slope * slope);
            let scale = one / curvature.larger(no_curvature).root();
            let is_idle = is_resting | !curvature.above(no_curvature);
            let own = is_idle.choose(zero, scale);
            own_scales.push(own);
            scales.push(slope * own);
        }
        self.note_idle();
        let active: Vec<Variable<'w>> = scales.iter().map(|scale| w.variable(*scale)).collect();
        self.step.iter().for_each(|step| step.set(zero));
        self.solve(&scales, &active);
        if !self.transforms {
            let any = self.fix_those_beyond(&scales, &active);
            w.when(any, || self.solve(&scales, &active));
        }
        self.go(&own_scales, &scales);
        self.predicted.set(zero);
        for i in 0..unknowns {
            let mut sum = self.best_gradient[i].now() + self.best_gradient[i].now();
            for j in 0..unknowns {
                sum = (-self.best_normal(i, j)).fma(self.step[j].now(), sum);
            }
            self.predicted.add_product(self.step[i].now(), sum);
        }
    }

    /// Returns the derivative of an unknown with respect to its transformed variable, and whether the unknown
    /// stays at a bound.
    fn slope_and_rest(&self, i: usize) -> (Value<'w>, Value<'w>) {
        let (w, one) = (self.w, self.constant(1.0));
        let rests = self.stage.resting[i];
        let is_resting = w.constant(Kind::Flag, f64::from(u8::from(rests)));
        let Unknown::Number(n) = self.stage.unknowns[i] else { return (one, is_resting) };
        if rests {
            return (one, is_resting);
        }
        let [low, high] = self.stage.bounds[i];
        let number = self.numbers[usize::from(n)].now();
        if self.transforms {
            return (transform::slope(number, low, high), is_resting);
        }
        let (gradient, zero) = (self.best_gradient[i].now(), self.constant(0.0));
        let at_low = zero.above(gradient) & self.number(low).at_least(number);
        let at_high = gradient.above(zero) & number.at_least(self.number(high));
        (one, at_low | at_high)
    }

    /// Generates code that marks orientations without effect on the signal: the diagonal elements of the
    /// normal matrix for their rotations are negligible.
    fn note_idle(&self) {
        self.idle.set(self.w.constant(Kind::U64, 0.0));
        let none = self.w.constant(Kind::U64, 0.0);
        for (_, place, i) in self.orientations() {
            if self.stage.resting[i] {
                continue;
            }
            let curvature = self.best_normal(i, i) + self.best_normal(i + 1, i + 1);
            let bit = none.all(1.0) << place;
            self.idle.set(self.idle.now() | curvature.at_most(self.negligible.now()).choose(bit, none));
        }
    }

    /// Generates code that computes the step of the unknowns that can move (active unknowns), given the known
    /// steps of the other unknowns.
    fn solve(&self, scales: &[Value<'w>], active: &[Variable<'w>]) {
        let unknowns = scales.len();
        let (zero, one) = (self.constant(0.0), self.constant(1.0));
        let mut matrix = vec![zero; triangle(unknowns, 0)];
        for i in 0..unknowns {
            for j in 0..i {
                matrix[triangle(i, j)] = self.best_normal(i, j) * active[i].now() * active[j].now();
            }
            matrix[triangle(i, i)] = one + self.damping.now();
        }
        let is_active: Vec<Value<'w>> = active.iter().map(|one| one.now().size().above(zero)).collect();
        let known: Vec<Value<'w>> =
            (0..unknowns).map(|j| is_active[j].choose(zero, scales[j] * self.step[j].now())).collect();
        let right: Vec<Value<'w>> = (0..unknowns)
            .map(|i| {
                let sum = (0..unknowns)
                    .fold(self.best_gradient[i].now(), |sum, j| (-self.best_normal(i, j)).fma(known[j], sum));
                sum * active[i].now()
            })
            .collect();
        let mut factors = Factors::new(unknowns, zero);
        factors.factorise(&mut matrix, self.constant(MIN_DAMPING));
        let mut found = right;
        factors.solve(&mut found);
        for i in 0..unknowns {
            self.step[i].set(is_active[i].choose(found[i], self.step[i].now()));
        }
        for row in &self.stage.constraints {
            self.meet(row, &factors, scales, active, &is_active);
        }
    }

    /// Generates code that shortens steps which would pass a bound, and makes the unknowns of these steps
    /// inactive. Returns whether a step was shortened.
    fn fix_those_beyond(&self, scales: &[Value<'w>], active: &[Variable<'w>]) -> Value<'w> {
        let (zero, one) = (self.constant(0.0), self.constant(1.0));
        let mut any = self.w.constant(Kind::Flag, 0.0);
        for (i, unknown) in self.stage.unknowns.iter().enumerate() {
            let Unknown::Number(n) = *unknown else { continue };
            let [low, high] = self.stage.bounds[i].map(|end| self.number(end));
            let number = self.numbers[usize::from(n)].now();
            let moved = scales[i].fma(self.step[i].now(), number);
            let is_below = low.above(moved);
            let is_beyond = is_below | moved.above(high);
            let scale = scales[i].above(zero).choose(scales[i], one);
            let to_bound = (is_below.choose(low, high) - number) / scale;
            self.step[i].set(is_beyond.choose(to_bound, self.step[i].now()));
            active[i].set(is_beyond.choose(zero, active[i].now()));
            any = any | is_beyond;
        }
        any
    }

    /// Generates code that deflects the step so that it does not violate a constraint.
    fn meet(
        &self,
        row: &LinearRow<T>,
        factors: &Factors<Value<'w>>,
        scales: &[Value<'w>],
        active: &[Variable<'w>],
        is_active: &[Value<'w>],
    ) {
        let zero = self.constant(0.0);
        let mut after = self.slack(row, &self.numbers);
        let mut kept = vec![zero; scales.len()];
        for (i, unknown) in self.stage.unknowns.iter().enumerate() {
            let Unknown::Number(n) = *unknown else { continue };
            let weight = self.number(row.weights[usize::from(n)]);
            kept[i] = weight * active[i].now();
            after = (weight * scales[i]).fma(self.step[i].now(), after);
        }
        let mut other = kept.clone();
        factors.solve(&mut other);
        let product = kept.iter().zip(&other).fold(zero, |sum, (kept, other)| kept.fma(*other, sum));
        let no_curvature = self.constant(NO_CURVATURE);
        let mut factor = -after / product.larger(no_curvature);
        factor = product.above(no_curvature).choose(factor, zero);
        if !row.is_equality {
            factor = zero.above(after).choose(factor, zero);
        }
        for i in 0..scales.len() {
            let bent = factor.fma(other[i], self.step[i].now());
            self.step[i].set(is_active[i].choose(bent, self.step[i].now()));
        }
    }

    /// Generates code that computes the parameter values at the end of the step, and the step that remains
    /// after bounds and constraints.
    fn go(&self, own_scales: &[Value<'w>], scales: &[Value<'w>]) {
        let (zero, one) = (self.constant(0.0), self.constant(1.0));
        self.trial.iter().zip(&self.numbers).for_each(|(trial, number)| trial.set(number.now()));
        for (i, unknown) in self.stage.unknowns.iter().enumerate() {
            let Unknown::Number(n) = *unknown else { continue };
            let [low, high] = self.stage.bounds[i];
            let number = self.numbers[usize::from(n)].now();
            let step = self.step[i].now();
            let moved = if self.transforms {
                transform::moved(number, step * own_scales[i], low, high)
            } else {
                scales[i].fma(step, number)
            };
            let trial = self.trial[usize::from(n)];
            trial.set(moved.larger(self.number(low)).smaller(self.number(high)));
        }
        let mut part = one;
        for row in self.stage.constraints.iter().filter(|row| !row.is_equality) {
            let before = self.slack(row, &self.numbers).larger(zero);
            let after = self.slack(row, &self.trial);
            let shorter = before / (before - after);
            part = part.smaller(zero.above(after).choose(shorter, one));
        }
        for (i, unknown) in self.stage.unknowns.iter().enumerate() {
            match *unknown {
                Unknown::Turn { first, vector, .. } => {
                    self.step[i].set(part * (scales[i] * self.step[i].now()));
                    if vector == 1 {
                        self.turn(first, self.step[i.saturating_sub(1)].now(), self.step[i].now());
                    }
                }
                Unknown::Number(n) => {
                    let (number, trial) = (self.numbers[usize::from(n)].now(), self.trial[usize::from(n)]);
                    let mut moved = trial.now() - number;
                    if !self.stage.constraints.is_empty() {
                        moved = part * moved;
                        trial.set(number + moved);
                    }
                    self.step[i].set(if self.transforms { scales[i] * self.step[i].now() } else { moved });
                }
            }
        }
    }

    /// Generates code that turns an orientation by the angles u and v towards two vectors perpendicular to
    /// the orientation.
    fn turn(&self, first: u16, by_u: Value<'w>, by_v: Value<'w>) {
        let axis = axis(&self.numbers, first);
        let (u, v) = across(axis);
        let turned = [0, 1, 2].map(|n| by_v.fma(v[n], by_u.fma(u[n], axis[n])));
        let [x, y, z] = turned;
        let length = z.fma(z, y.fma(y, x * x)).root();
        for n in 0..3 {
            self.trial[usize::from(first) + n].set(turned[n] / length);
        }
    }

    /// Generates code that turns an orientation without effect on the signal to the next direction. Returns
    /// whether a direction was left to try. The voxel's stored parameters keep the original orientation.
    fn turn_without_effect(&self, of_voxel: Pointer<'w>) -> Value<'w> {
        let (w, real) = (self.w, kind::<T>());
        let found = w.variable(w.constant(Kind::Flag, 0.0));
        let mask = w.constant(Kind::U64, f64::from((1 << TURN_BITS) - 1));
        for (first, place, _) in self.orientations() {
            let tried = ((self.turns.now() >> place) & mask).to(Kind::U32);
            let is_idle = ((self.idle.now() >> place) & mask.all(1.0)).differs(mask.all(0.0));
            let is_left = tried.below(tried.all(TURNS.len() as f64));
            w.when(!found.now() & is_idle & is_left, || {
                found.set(w.constant(Kind::Flag, 1.0));
                self.trial.iter().zip(&self.numbers).for_each(|(trial, number)| trial.set(number.now()));
                let places = [0, 1, 2].map(|n| of_voxel.offset(real.bytes() * narrow::<u32>(first + n)));
                w.when(tried.equals(tried.all(0.0)), || {
                    for n in 0..3 {
                        places[n].store(self.numbers[first + n].now());
                    }
                });
                let axis = places.map(|place| place.load(real));
                let (u, v) = across(axis);
                let of_turn = |part: usize| {
                    let last = self.constant(TURNS[TURNS.len() - 1][part]);
                    TURNS.iter().enumerate().rev().skip(1).fold(last, |otherwise, (n, turn)| {
                        tried.equals(tried.all(n as f64)).choose(self.constant(turn[part]), otherwise)
                    })
                };
                let [along, by_u, by_v] = [0, 1, 2].map(of_turn);
                for n in 0..3 {
                    self.trial[first + n].set(by_v.fma(v[n], by_u.fma(u[n], along * axis[n])));
                }
                self.turns.add(w.constant(Kind::U64, 1.0) << place);
            });
        }
        found.now()
    }

    /// Generates code that stores the fitted parameter values of a voxel. Orientations that were turned
    /// without a decrease of the cost keep their original values.
    fn leave(&self, of_voxel: Pointer<'w>) {
        let (w, real) = (self.w, kind::<T>());
        let mut stays: Vec<Option<Value<'w>>> = vec![None; self.numbers.len()];
        let mask = w.constant(Kind::U64, f64::from((1 << TURN_BITS) - 1));
        let none = mask.all(0.0);
        for (first, place, _) in self.orientations() {
            let is_idle = ((self.idle.now() >> place) & mask.all(1.0)).differs(none);
            let was_turned = ((self.turns.now() >> place) & mask).differs(none);
            stays[first..first + 3].fill(Some(is_idle & was_turned));
        }
        for (n, (number, stays)) in self.numbers.iter().zip(stays).enumerate() {
            let store = || of_voxel.offset(real.bytes() * narrow::<u32>(n)).store(number.now());
            match stays {
                Some(stays) => w.when(!stays, store),
                None => store(),
            }
        }
    }
}

/// Returns the three components of an orientation. `first` is the index of the first component among the
/// parameter values.
fn axis<'w>(numbers: &[Variable<'w>], first: u16) -> [Value<'w>; 3] {
    [0, 1, 2].map(|n| numbers[usize::from(first) + n].now())
}
