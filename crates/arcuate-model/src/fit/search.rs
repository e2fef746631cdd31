//! Grid search in sixteen voxels at once. `written/search.rs` generates the GPU implementation.

use super::candidates::Candidates;
use super::interpreter::{Interpreter, Row, WIDTH};
use super::stage::StagePlan;
use super::status::Status;
use super::voxels::Voxels;
use crate::special::watson::Series;
use arcuate_core::narrow;
use arcuate_numbers::{Lanes, Operations, Real};

/// Index that marks a missing start of a voxel: the voxel has fewer starts than the grid search keeps.
pub(crate) const NO_START: u32 = u32::MAX;

/// The best combinations of parameter values found so far, in the voxel of each SIMD lane. They are in
/// ascending order of cost.
#[derive(Debug, Clone)]
struct Best<T> {
    costs: Vec<T>,
    winners: Vec<u32>,
}

impl<T: Real> Best<T> {
    fn new(keep: usize) -> Self {
        Self { costs: vec![T::of(f64::INFINITY); keep], winners: vec![NO_START; keep] }
    }

    /// Inserts a combination of parameter values before all combinations with a higher cost.
    fn add(&mut self, mut cost: T, mut candidate: u32) {
        for (place, winner) in self.costs.iter_mut().zip(&mut self.winners) {
            if cost < *place {
                std::mem::swap(place, &mut cost);
                std::mem::swap(winner, &mut candidate);
            }
        }
    }
}

/// Sets the parameters of all valid voxels to the best combination of values in the stage's grid search. If
/// several combinations have the same cost, the first one is used. Returns the kept combinations of each
/// voxel, best first.
#[inline(always)]
pub(crate) fn search<T: Series>(
    stage: &StagePlan<T>,
    tried: &Candidates<T>,
    voxels: &mut Voxels<T>,
    measurements: usize,
) -> Vec<u32> {
    let zero = Lanes::all(0.0);
    let endless: Row<T> = Lanes::all(f64::INFINITY);
    let mut interpreter = Interpreter::new(&stage.schedule, measurements);
    let mut numbers: Vec<Row<T>> = vec![zero; voxels.number_count()];
    let mut maps: Vec<Row<T>> = vec![zero; voxels.map_count()];
    let mut signals: Vec<Row<T>> = vec![zero; measurements];
    let mut usable: Vec<Row<T>> = vec![zero; measurements];
    let voxel_indices: Vec<usize> = (0..voxels.len()).filter(|&voxel| voxels.is_wanted(voxel)).collect();
    let mut kept = vec![NO_START; voxels.len() * tried.keep];
    for lanes in voxel_indices.chunks(WIDTH) {
        for (lane, &voxel) in lanes.iter().enumerate() {
            for (row, number) in numbers.iter_mut().zip(voxels.numbers(voxel)) {
                row.0[lane] = *number;
            }
            for (row, number) in maps.iter_mut().zip(voxels.maps(voxel)) {
                row.0[lane] = *number;
            }
            for (m, signal) in voxels.signals(voxel).enumerate() {
                let is_usable = signal.size() < T::of(f64::INFINITY);
                signals[m].0[lane] = if is_usable { signal } else { T::of(0.0) };
                usable[m].0[lane] = T::of(f64::from(u8::from(is_usable)));
            }
        }
        let mut best: Vec<Best<T>> = vec![Best::new(tried.keep); WIDTH];
        let (mut of_group, mut winners) = (endless, [NO_START; WIDTH]);
        for candidate in 0..tried.len() {
            for (&number, &value) in tried.searched.iter().zip(tried.values(candidate)) {
                numbers[usize::from(number)] = Lanes([value; WIDTH]);
            }
            interpreter.set_inputs(&stage.unknowns, &numbers, &maps);
            let mut cost = zero;
            let mut first = 0;
            while first < measurements {
                let count = interpreter.block(first);
                let predicted = interpreter.result(0, count);
                for m in 0..count {
                    let difference = signals[first + m] - predicted[m];
                    let difference = usable[first + m].if_above(zero, difference, zero);
                    cost = difference.fma(difference, cost);
                }
                first += count;
            }
            let is_last = tried.groups.get(candidate + 1) != Some(&tried.groups[candidate]);
            for lane in 0..WIDTH {
                if cost.0[lane] < of_group.0[lane] {
                    of_group.0[lane] = cost.0[lane];
                    winners[lane] = narrow::<u32>(candidate);
                }
                if is_last && of_group.0[lane] < T::of(f64::INFINITY) {
                    best[lane].add(of_group.0[lane], winners[lane]);
                }
            }
            if is_last {
                of_group = endless;
            }
        }
        for (&voxel, best) in lanes.iter().zip(&best) {
            if best.winners[0] == NO_START {
                voxels.set_status(voxel, Status::NoModel);
                continue;
            }
            tried.put(best.winners[0] as usize, voxels.numbers_mut(voxel));
            voxels.end(voxel, Status::Limit, best.costs[0], narrow::<u32>(tried.len()));
            kept[voxel * tried.keep..][..tried.keep].copy_from_slice(&best.winners);
        }
    }
    kept
}

/// Restores the values `from` of the voxels, and sets the searched parameters to the kept combination with
/// the index `start`. Voxels without such a combination are skipped.
pub(crate) fn start_again<T: Real>(
    voxels: &mut Voxels<T>,
    from: &Voxels<T>,
    tried: &Candidates<T>,
    kept: &[u32],
    start: usize,
) {
    for voxel in 0..voxels.len() {
        voxels.numbers_mut(voxel).copy_from_slice(from.numbers(voxel));
        let candidate = kept[voxel * tried.keep + start];
        voxels.set_status(voxel, if candidate == NO_START { Status::NoModel } else { from.status(voxel) });
        if candidate != NO_START {
            tried.put(candidate as usize, voxels.numbers_mut(voxel));
        }
    }
}
