//! Generates the GPU kernel of the grid search, with one thread per voxel. `fit/search.rs` contains the method.

use super::evaluation::Evaluation;
use super::{THREADS, kind};
use crate::fit::arithmetic::{InMemory, Stored};
use crate::fit::candidates::Candidates;
use crate::fit::normal_equations::Sums;
use crate::fit::search::{Best, NO_START};
use crate::fit::stage::StagePlan;
use crate::fit::status::Status;
use arcuate_compute::cuda::WrittenKernel;
use arcuate_compute::cuda::writer::{Kind, Pointer, Space, Value, Writer};
use arcuate_numbers::Real;

/// Generates the kernel for one stage of the fit. Its first arguments are the numbers of voxels,
/// measurements, combinations and values of the protocol. The inputs follow: signals, factors, maps, the
/// numbers of the measurements, and the values and groups of the combinations. The last arguments are
/// parameter values, status, costs, evaluations and kept combinations.
pub(crate) fn search<T: Real>(
    stage: &StagePlan<T>,
    tried: &Candidates<T>,
    (number_count, map_count): (usize, usize),
    is_shared: bool,
) -> WrittenKernel {
    let w = Writer::new(&format!("fit_search_{}", T::NAME));
    let real = kind::<T>();
    let [voxels, measurements, candidates, length] = [(); 4].map(|()| w.parameter(Kind::U32));
    let [signals, factors, maps, columns, values, groups] = [(); 6].map(|()| w.pointer(Space::Read));
    let [numbers, status, costs, evaluations, all_kept] = [(); 5].map(|()| w.pointer(Space::Global));
    let evaluation = Evaluation::new(&w, stage, measurements, (columns, length), is_shared);
    let voxel = w.block() * w.threads() + w.thread();
    w.end_when(voxel.at_least(voxels));

    let whole = |value: u32| w.constant(Kind::U32, f64::from(value));
    let endless = w.constant(real, f64::INFINITY);
    let mut kept = InMemory::of_item(all_kept, voxel, Kind::U32, tried.keep);
    for place in &mut kept {
        place.set(whole(NO_START));
    }
    let own_status = status.further(voxel, 1);
    w.end_when(own_status.load_byte().at_least(whole(u32::from(Status::NoSignal.code()))));
    let mut numbers = InMemory::of_item(numbers, voxel, real, number_count);
    let maps = InMemory::of_item(maps, voxel, real, map_count);
    let mut trial: Vec<_> = numbers.iter().map(|number| w.variable(number.now())).collect();
    let measured = (signals, factors.element(voxel, real).load(real));

    let mut best = Best::new(tried.keep, || w.variable(endless), || w.variable(whole(NO_START)));
    let mut sums = Sums::new(0, || w.variable(endless));
    w.count(candidates, |candidate| {
        put(tried, (values, candidate), &mut trial);
        evaluation.sum(voxel, measured, &maps, &trial, &mut sums);
        best.add(sums.cost.now(), candidate);
        let next = candidate + whole(1);
        let ends = w.variable(w.constant(Kind::Flag, 1.0));
        w.when(next.below(candidates), || {
            let group = |n| groups.element(n, Kind::U32).load(Kind::U32);
            ends.set(group(next).differs(group(candidate)));
        });
        w.when(ends.now(), || best.end_group());
    });
    for (place, [_, start]) in kept.iter_mut().zip(&best.kept) {
        place.set(start.now());
    }
    let [cost, start] = best.kept[0];
    w.either(
        cost.now().below(endless),
        || {
            put(tried, (values, start.now()), &mut numbers);
            own_status.store_byte(whole(u32::from(Status::Limit.code())));
            costs.element(voxel, real).store(cost.now());
            let so_far = evaluations.element(voxel, Kind::U32);
            so_far.store(so_far.load(Kind::U32) + candidates);
        },
        || own_status.store_byte(whole(u32::from(Status::NoModel.code()))),
    );
    w.finish(THREADS, 1)
}

/// Generates code that writes the parameter values of a combination, as [`Candidates::put`] does on the CPU.
/// `values` are the values of all combinations.
pub(super) fn put<'w, T: Real, S>(
    tried: &Candidates<T>,
    (values, candidate): (Pointer<'w>, Value<'w>),
    numbers: &mut [S],
) where
    S: Stored<Number = Value<'w>>,
{
    let of_candidate = InMemory::of_item(values, candidate, kind::<T>(), tried.searched.len());
    for (&place, value) in tried.searched.iter().zip(of_candidate) {
        numbers[usize::from(place)].set(value.now());
    }
}
