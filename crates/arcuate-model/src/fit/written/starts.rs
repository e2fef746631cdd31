//! Generates the GPU kernel that tries the starts of a grid search one after the other, with one thread per
//! voxel. `fit/cpu.rs` does the same on the CPU.

use super::search::put;
use super::{THREADS, kind};
use crate::fit::arithmetic::{InMemory, Stored};
use crate::fit::candidates::Candidates;
use crate::fit::search::NO_START;
use crate::fit::status::Status;
use arcuate_compute::cuda::WrittenKernel;
use arcuate_compute::cuda::writer::{Kind, Space, Value, Writer};
use arcuate_core::narrow;
use arcuate_numbers::Real;

/// Generates the kernel that keeps the result of the current start if it is better than the results of the
/// earlier starts, and then loads the next start. After the last start, it loads the best result of all
/// starts. Its first arguments are the number of voxels and the index of the current start. The inputs follow:
/// the values of the combinations, the kept combinations, and the parameter values and status before the first
/// start. The last arguments are the best parameter values, status and costs, and the current ones.
pub(crate) fn next_start<T: Real>(tried: &Candidates<T>, number_count: usize) -> WrittenKernel {
    let w = Writer::new(&format!("fit_next_start_{}", T::NAME));
    let real = kind::<T>();
    let [voxels, start] = [(); 2].map(|()| w.parameter(Kind::U32));
    let [values, kept, from, from_status] = [(); 4].map(|()| w.pointer(Space::Read));
    let [best, best_status, best_costs, numbers, status, costs] = [(); 6].map(|()| w.pointer(Space::Global));
    let voxel = w.block() * w.threads() + w.thread();
    w.end_when(voxel.at_least(voxels));
    let whole = |value: u32| w.constant(Kind::U32, f64::from(value));
    let of_status = |status: Status| whole(u32::from(status.code()));
    let [from, mut best, mut numbers] =
        [from, best, numbers].map(|array| InMemory::of_item(array, voxel, real, number_count));
    let keep = narrow::<u32>(tried.keep);
    let [from_status, best_status, status] =
        [from_status, best_status, status].map(|status| status.further(voxel, 1));
    let [best_cost, cost] = [best_costs, costs].map(|costs| costs.element(voxel, real));

    let was_fitted = is_fitted(best_status.load_byte());
    let is_lower = cost.load(real).below(best_cost.load(real));
    let is_better = is_fitted(status.load_byte()) & (!was_fitted | is_lower);
    w.when(start.equals(whole(0)) | is_better, || {
        copy(&numbers, &mut best);
        best_status.store_byte(status.load_byte());
        best_cost.store(cost.load(real));
    });
    let next = start + whole(1);
    let is_last = next.equals(whole(keep));
    w.when(is_last, || {
        copy(&best, &mut numbers);
        status.store_byte(best_status.load_byte());
        cost.store(best_cost.load(real));
    });
    w.end_when(is_last);
    copy(&from, &mut numbers);
    let candidate = kept.further(voxel, 4 * keep).element(next, Kind::U32).load(Kind::U32);
    let is_missing = candidate.equals(whole(NO_START));
    status.store_byte(is_missing.choose(of_status(Status::NoModel), from_status.load_byte()));
    w.end_when(is_missing);
    put(tried, (values, candidate), &mut numbers);
    w.finish(THREADS, 1)
}

fn copy<'w>(from: &[InMemory<'w>], to: &mut [InMemory<'w>]) {
    from.iter().zip(to).for_each(|(from, to)| to.set(from.now()));
}

/// Returns whether a status is that of a voxel with a result.
fn is_fitted(status: Value<'_>) -> Value<'_> {
    let [outside, no_signal] =
        [Status::Outside, Status::NoSignal].map(|other| status.all(f64::from(other.code())));
    status.above(outside) & status.below(no_signal)
}
