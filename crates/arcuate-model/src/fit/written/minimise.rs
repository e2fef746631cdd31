//! Generates the GPU kernel of the Levenberg–Marquardt fit, with one thread per voxel. `trial_step.rs` computes
//! and judges the steps, as on the CPU. A thread that has finished a voxel takes the next voxel, so that no
//! thread waits for the slowest thread of its warp.

use super::steps::Steps;
use super::{THREADS, kind, number, table};
use crate::fit::arithmetic::is_usable;
use crate::fit::linear::triangle;
use crate::fit::schedule::VoxelInput;
use crate::fit::stage::{BoundsMethod, MAX_DAMPING, StagePlan, TURN_BITS, TURNS};
use crate::fit::status::Status;
use crate::fit::transform;
use crate::fit::trial_step::{State, TrialStep, axis, towards};
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
    let mut fit = Minimiser::new(&w, stage, bounds, number_count, map_count);

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
        let has_cost = fit.state.tried.cost.now().below(w.constant(real, f64::INFINITY));
        let failed = count.now().equals(one) & !has_cost;
        fit.state.judge(is_new.now());
        let scale = squares.element(voxel.now(), real).load(real);
        fit.negligible.set(tolerance.fma(fit.state.best.cost.now(), floor * scale));
        fit.note_idle();
        fit.step.propose(&mut fit.state, &[]);
        let ended = fit.state.predicted.now().size().at_most(fit.negligible.now())
            | fit.state.damping.now().at_least(w.constant(real, MAX_DAMPING));
        let may_go_on = !failed & count.now().below(maximum);
        is_new.set(no);
        w.when(ended & may_go_on, || is_new.set(fit.turn_without_effect(of_voxel)));
        let is_done = !(is_new.now() | (!ended & may_go_on));
        w.when(is_done, || {
            fit.leave(of_voxel);
            let of_end = |status: Status| w.constant(Kind::U32, f64::from(status.code()));
            let ended = ended.choose(of_end(Status::Converged), of_end(Status::Limit));
            status.further(voxel.now(), 1).store_byte(failed.choose(of_end(Status::NoModel), ended));
            costs.element(voxel.now(), real).store(fit.state.best.cost.now());
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
    let no_signal = w.constant(Kind::U32, f64::from(Status::NoSignal.code()));
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
    state: State<Variable<'w>>,
    step: TrialStep<'a, T, Variable<'w>>,
    maps: Vec<Variable<'w>>,
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
        let zero = w.constant(kind::<T>(), 0.0);
        let one = || w.variable(zero);
        let bits = || w.variable(w.constant(Kind::U64, 0.0));
        Self {
            w,
            stage,
            transforms: bounds == BoundsMethod::Transform,
            state: State::new(number_count, stage.unknowns.len(), one),
            step: TrialStep::new(stage, bounds, zero, one),
            maps: w.variables(map_count, zero),
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
        for (n, trial) in self.state.trial.iter().enumerate() {
            trial.set(of_voxel.offset(real.bytes() * narrow::<u32>(n)).load(real));
        }
        for (n, map) in self.maps.iter().enumerate() {
            map.set(maps.offset(real.bytes() * narrow::<u32>(n)).load(real));
        }
        if self.transforms {
            for (unknown, [low, high]) in self.stage.unknowns.iter().zip(&self.stage.bounds) {
                let Unknown::Number(n) = *unknown else { continue };
                let trial = self.state.trial[usize::from(n)];
                let [low, high] = transform::ends_inside(*low, *high).map(|end| self.number(end));
                trial.set(trial.now().larger(low).smaller(high));
            }
        }
        self.turns.set(self.w.constant(Kind::U64, 0.0));
    }

    /// Generates code that computes the normal equations of least squares at the parameter values of the
    /// trial step.
    fn evaluate(
        &mut self,
        signals: Pointer<'w>,
        measurements: Value<'w>,
        factor: Value<'w>,
        table: Pointer<'w>,
    ) {
        let (w, real) = (self.w, kind::<T>());
        let vectors = RefCell::new(HashMap::new());
        for unknown in &self.stage.unknowns {
            if let Unknown::Turn { orientation, first, vector: 0 } = *unknown {
                let (u, v) = across(axis(&self.state.trial, first));
                vectors.borrow_mut().insert(orientation, [u, v]);
            }
        }
        let steps = Steps::<T>::new(w, &self.stage.schedule);
        let voxel = steps.voxel(|input| match input {
            VoxelInput::Parameter(n) => self.state.trial[usize::from(n)].now(),
            VoxelInput::Map(n) => self.maps[usize::from(n)].now(),
            VoxelInput::Across { orientation, vector, axis } => {
                vectors.borrow()[&orientation][usize::from(vector)][usize::from(axis)]
            }
            VoxelInput::Kept(_) => unreachable!("fits keep nothing"),
        });
        self.state.tried.clear(self.constant(0.0));
        let sums = &self.state.tried;
        let row = w.variable(table.address());
        let signal_at = w.variable(signals.address());
        let bytes_of_row = real.bytes() * narrow::<u32>(self.stage.schedule.column_count);
        w.count(measurements, |_| {
            let measured = signals.at(signal_at.now()).load(Kind::F32);
            let signal = measured.to(real) * factor;
            w.when(is_usable(signal), || {
                let results = steps.inner(&voxel, table.at(row.now()), &[]);
                let difference = signal - results[0];
                sums.cost.add_product(difference, difference);
                let derivatives = &results[1..];
                for (i, one) in derivatives.iter().enumerate() {
                    sums.gradient[i].add_product(*one, difference);
                    for (j, other) in derivatives[..=i].iter().enumerate() {
                        sums.normal[triangle(i, j)].add_product(*one, *other);
                    }
                }
            });
            row.add(row.now().all(f64::from(bytes_of_row)));
            signal_at.add(signal_at.now().all(4.0));
        });
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
            let curvature = self.state.best.element(i, i) + self.state.best.element(i + 1, i + 1);
            let bit = none.all(1.0) << place;
            self.idle.set(self.idle.now() | curvature.at_most(self.negligible.now()).choose(bit, none));
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
                self.state
                    .trial
                    .iter()
                    .zip(&self.state.numbers)
                    .for_each(|(trial, number)| trial.set(number.now()));
                let places = [0, 1, 2].map(|n| of_voxel.offset(real.bytes() * narrow::<u32>(first + n)));
                w.when(tried.equals(tried.all(0.0)), || {
                    for n in 0..3 {
                        places[n].store(self.state.numbers[first + n].now());
                    }
                });
                let axis = places.map(|place| place.load(real));
                let of_turn = |part: usize| {
                    let last = self.constant(TURNS[TURNS.len() - 1][part]);
                    TURNS.iter().enumerate().rev().skip(1).fold(last, |otherwise, (n, turn)| {
                        tried.equals(tried.all(n as f64)).choose(self.constant(turn[part]), otherwise)
                    })
                };
                let [along, by_u, by_v] = [0, 1, 2].map(of_turn);
                let turned = towards(axis, axis.map(|component| along * component), by_u, by_v);
                for n in 0..3 {
                    self.state.trial[first + n].set(turned[n]);
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
        let mut stays: Vec<Option<Value<'w>>> = vec![None; self.state.numbers.len()];
        let mask = w.constant(Kind::U64, f64::from((1 << TURN_BITS) - 1));
        let none = mask.all(0.0);
        for (first, place, _) in self.orientations() {
            let is_idle = ((self.idle.now() >> place) & mask.all(1.0)).differs(none);
            let was_turned = ((self.turns.now() >> place) & mask).differs(none);
            stays[first..first + 3].fill(Some(is_idle & was_turned));
        }
        for (n, (number, stays)) in self.state.numbers.iter().zip(stays).enumerate() {
            let store = || of_voxel.offset(real.bytes() * narrow::<u32>(n)).store(number.now());
            match stays {
                Some(stays) => w.when(!stays, store),
                None => store(),
            }
        }
    }
}
