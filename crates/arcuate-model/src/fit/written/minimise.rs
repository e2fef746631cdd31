//! Generates the GPU kernel of the Levenberg–Marquardt fit, with one thread per voxel. `minimiser.rs` and
//! `trial_step.rs` contain the method, as on the CPU. A thread that has finished a voxel takes the next voxel, so
//! that no thread waits for the slowest thread of its warp.

use super::evaluation::Evaluation;
use super::{THREADS, kind};
use crate::fit::arithmetic::{Flag, InMemory};
use crate::fit::minimiser::Minimiser;
use crate::fit::stage::{BoundsMethod, StagePlan};
use crate::fit::status::Status;
use arcuate_compute::cuda::WrittenKernel;
use arcuate_compute::cuda::writer::{Kind, Pointer, Space, Value, Variable, Writer};
use arcuate_numbers::Real;

/// Generates the kernel for one stage of the fit. Its first arguments are the tolerance, the floor, and the
/// numbers of voxels, measurements, evaluations and values of the protocol. The inputs follow: signals,
/// factors, squares, maps and the numbers of the measurements. The last arguments are parameter values,
/// status, costs, evaluations and the counter of voxels.
pub(crate) fn minimise<T: Real>(
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
    let [numbers, status, costs, evaluations, next] = [(); 5].map(|()| w.pointer(Space::Global));
    let evaluation = Evaluation::new(&w, stage, measurements, (columns, length), is_shared);
    let zero = w.constant(real, 0.0);
    let mut fit = Minimiser::new(stage, bounds, number_count, zero, || w.variable(zero));

    let of_status = |status: Status| w.constant(Kind::U32, f64::from(status.code()));
    let voxel = w.variable(w.constant(Kind::U32, 0.0));
    take_next(&w, voxel, voxels, next, status);
    let count = w.variable(w.constant(Kind::U32, 0.0));
    let (none, one) = (count.now().all(0.0), count.now().all(1.0));
    // True if the damping of Levenberg–Marquardt starts again from its initial value.
    let is_new = w.variable(w.constant(Kind::Flag, 1.0));
    w.repeat(|round| {
        round.leave_when(voxel.now().at_least(voxels));
        fit.stored = InMemory::of_item(numbers, voxel.now(), real, number_count);
        let is_first = count.now().equals(none);
        if let Some(branch) = is_first.branch() {
            fit.enter(&branch);
        }
        let maps = InMemory::of_item(maps, voxel.now(), real, map_count);
        let measured = (signals, factors.element(voxel.now(), real).load(real));
        evaluation.sum(voxel.now(), measured, &maps, &fit.state.trial, &mut fit.state.tried);
        count.add(one);
        let flags = [is_new.now(), is_first, count.now().below(maximum)];
        let limits = [tolerance, floor * squares.element(voxel.now(), real).load(real)];
        let outcome = fit.advance(flags, limits, |step, state| step.propose(state, &[]));
        is_new.set(outcome.is_new | outcome.is_done);
        if let Some(branch) = outcome.is_done.branch() {
            fit.leave(outcome.is_done, &branch);
            let ended = outcome.converged.choose(of_status(Status::Converged), of_status(Status::Limit));
            let ended = outcome.failed.choose(of_status(Status::NoModel), ended);
            status.further(voxel.now(), 1).store_byte(ended);
            costs.element(voxel.now(), real).store(fit.state.best.cost.now());
            let so_far = evaluations.element(voxel.now(), Kind::U32);
            so_far.store(so_far.load(Kind::U32) + count.now());
            count.set(none);
            take_next(&w, voxel, voxels, next, status);
        }
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
