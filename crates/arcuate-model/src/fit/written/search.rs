//! Generates the GPU kernel of the grid search, with one thread per voxel. The operations are the same as in
//! `fit/search.rs`: change both files together.

use super::steps::Steps;
use super::{THREADS, kind, table};
use crate::fit::arithmetic::is_usable;
use crate::fit::candidates::Candidates;
use crate::fit::schedule::VoxelInput;
use crate::fit::search::NO_START;
use crate::fit::stage::StagePlan;
use crate::fit::status::Status;
use crate::special::watson::Series;
use arcuate_compute::cuda::WrittenKernel;
use arcuate_compute::cuda::writer::{Kind, Space, Writer};
use arcuate_core::narrow;

/// Generates the kernel for one stage of the fit. Its first arguments are the numbers of voxels,
/// measurements, combinations and values of the protocol. The inputs follow: signals, factors, maps, the
/// numbers of the measurements, and the values and groups of the combinations. The last arguments are
/// parameter values, status, costs, evaluations and kept combinations.
pub(crate) fn search<T: Series>(
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
    let table = table(&w, columns, length, real, is_shared);
    let voxel = w.block() * w.threads() + w.thread();
    w.end_when(voxel.at_least(voxels));

    let whole = |value: u32| w.constant(Kind::U32, f64::from(value));
    let (keep, searched) = (narrow::<u32>(tried.keep), narrow::<u32>(tried.searched.len()));
    let no_start = whole(NO_START);
    let kept = all_kept.further(voxel, 4 * keep);
    for k in 0..keep {
        kept.offset(4 * k).store(no_start);
    }
    let own_status = status.further(voxel, 1);
    w.end_when(own_status.load_byte().at_least(whole(u32::from(Status::NoSignal.code()))));
    let of_voxel = numbers.further(voxel, real.bytes() * narrow::<u32>(number_count));
    let trial: Vec<_> = (0..number_count)
        .map(|n| w.variable(of_voxel.offset(real.bytes() * narrow::<u32>(n)).load(real)))
        .collect();
    let own_maps = maps.further(voxel, real.bytes() * narrow::<u32>(map_count));
    let map: Vec<_> =
        (0..map_count).map(|n| own_maps.offset(real.bytes() * narrow::<u32>(n)).load(real)).collect();
    let factor = factors.element(voxel, real).load(real);
    let own_signals = signals.element(voxel.to(Kind::U64) * measurements.to(Kind::U64), Kind::F32);

    // The cost and the index of each kept combination of parameter values, in ascending order of cost.
    let endless = w.constant(real, f64::INFINITY);
    let best: Vec<_> = (0..keep).map(|_| (w.variable(endless), w.variable(no_start))).collect();
    let (of_group, winner) = (w.variable(endless), w.variable(no_start));
    let steps = Steps::<T>::new(&w, &stage.schedule);
    let bytes_of_row = real.bytes() * narrow::<u32>(stage.schedule.column_count);
    w.count(candidates, |candidate| {
        let of_candidate = values.further(candidate, real.bytes() * searched);
        for (k, place) in tried.searched.iter().enumerate() {
            trial[usize::from(*place)].set(of_candidate.offset(real.bytes() * narrow::<u32>(k)).load(real));
        }
        let of_voxel = steps.voxel(|input| match input {
            VoxelInput::Parameter(n) => trial[usize::from(n)].now(),
            VoxelInput::Map(n) => map[usize::from(n)],
            other => unreachable!("searches have no {other:?}"),
        });
        let cost = w.variable(w.constant(real, 0.0));
        let (row, signal_at) = (w.variable(table.address()), w.variable(own_signals.address()));
        w.count(measurements, |_| {
            let predicted = steps.inner(&of_voxel, table.at(row.now()), &[])[0];
            let signal = own_signals.at(signal_at.now()).load(Kind::F32).to(real) * factor;
            let difference = is_usable(signal).choose(signal - predicted, w.constant(real, 0.0));
            cost.add_product(difference, difference);
            row.add(row.now().all(f64::from(bytes_of_row)));
            signal_at.add(signal_at.now().all(4.0));
        });
        let is_better = cost.now().below(of_group.now());
        of_group.set(is_better.choose(cost.now(), of_group.now()));
        winner.set(is_better.choose(candidate, winner.now()));
        // If several combinations have the same orientations, only the combination with the lowest cost is
        // kept.
        let next = candidate + whole(1);
        let ends = w.variable(w.constant(Kind::Flag, 1.0));
        w.when(next.below(candidates), || {
            let group = |n| groups.element(n, Kind::U32).load(Kind::U32);
            ends.set(group(next).differs(group(candidate)));
        });
        w.when(ends.now(), || {
            for (cost, start) in &best {
                let is_better = of_group.now().below(cost.now());
                let (other, other_start) = (cost.copied(), start.copied());
                cost.set(is_better.choose(of_group.now(), other));
                start.set(is_better.choose(winner.now(), other_start));
                of_group.set(is_better.choose(other, of_group.now()));
                winner.set(is_better.choose(other_start, winner.now()));
            }
            of_group.set(endless);
        });
    });
    for (k, (_, start)) in best.iter().enumerate() {
        kept.offset(4 * narrow::<u32>(k)).store(start.now());
    }
    let (cost, start) = best[0];
    w.either(
        start.now().equals(no_start),
        || own_status.store_byte(whole(u32::from(Status::NoModel.code()))),
        || {
            let of_best = values.further(start.now(), real.bytes() * searched);
            for (k, place) in tried.searched.iter().enumerate() {
                let value = of_best.offset(real.bytes() * narrow::<u32>(k)).load(real);
                of_voxel.offset(real.bytes() * u32::from(*place)).store(value);
            }
            own_status.store_byte(whole(u32::from(Status::Limit.code())));
            costs.element(voxel, real).store(cost.now());
            let so_far = evaluations.element(voxel, Kind::U32);
            so_far.store(so_far.load(Kind::U32) + candidates);
        },
    );
    w.finish(THREADS, 1)
}
