//! Grid search: the best combinations of parameter values in a voxel (or in sixteen voxels). The search of the
//! CPU is here, and `written/search.rs` generates the GPU kernel.

use super::arithmetic::{Comparisons, Flag, Stored};
use super::candidates::Candidates;
use super::evaluation::{Evaluation, set_lane};
use super::interpreter::WIDTH;
use super::normal_equations::Sums;
use super::stage::StagePlan;
use super::status::Status;
use super::voxels::Voxels;
use arcuate_core::{narrow, saturating};
use arcuate_numbers::{Lanes, Operations, Real};

/// Index that marks a missing start of a voxel: the voxel has fewer starts than the grid search keeps.
pub(crate) const NO_START: u32 = u32::MAX;

/// The best combinations of parameter values found so far. On the CPU, the index of a combination is stored as a
/// floating-point number. Single precision is exact for the largest number of combinations.
pub(super) struct Best<V: Stored> {
    /// The cost and the index of each kept combination, in ascending order of cost. The cost of a missing
    /// combination is infinite.
    pub(super) kept: Vec<[V; 2]>,
    /// The cost and the index of the best combination of the current group.
    of_group: [V; 2],
}

impl<V: Stored> Best<V> {
    /// Prepares the search of `keep` combinations. `endless` makes costs with the value ∞, and `none` makes
    /// indices.
    pub(super) fn new(keep: usize, endless: impl Fn() -> V, none: impl Fn() -> V) -> Self {
        let pair = || [endless(), none()];
        Self { kept: (0..keep).map(|_| pair()).collect(), of_group: pair() }
    }

    /// Adds a combination to the current group. If several combinations have the same cost, the first one is
    /// used.
    #[inline(always)]
    pub(super) fn add(&mut self, cost: V::Number, candidate: V::Number) {
        let [lowest, winner] = &mut self.of_group;
        let is_better = cost.below(lowest.now());
        lowest.set(is_better.choose(cost, lowest.now()));
        winner.set(is_better.choose(candidate, winner.now()));
    }

    /// Ends a group of combinations with the same orientations. Only the best combination of the group is
    /// kept. It is inserted before all kept combinations with a higher cost.
    #[inline(always)]
    pub(super) fn end_group(&mut self) {
        let Self { kept, of_group } = self;
        for place in kept {
            let is_better = of_group[0].now().below(place[0].now());
            for (own, other) in of_group.iter_mut().zip(place) {
                let (moved, stays) = (own.now(), other.now());
                let [moved, stays] = [is_better.choose(moved, stays), is_better.choose(stays, moved)];
                other.set(moved);
                own.set(stays);
            }
        }
        let endless = of_group[0].now().known(f64::INFINITY);
        of_group[0].set(endless);
    }
}

/// Sets the parameters of all valid voxels to the best combination of values in the stage's grid search. Returns
/// the kept combinations of each voxel, best first.
#[inline(always)]
pub(crate) fn search<T: Real>(
    stage: &StagePlan<T>,
    tried: &Candidates<T>,
    voxels: &mut Voxels<T>,
) -> Vec<u32> {
    let zero = Lanes::all(0.0);
    let counts = [voxels.measurements(), voxels.map_count()];
    let mut evaluation = Evaluation::new(&stage.schedule, &stage.unknowns, counts);
    let mut numbers = vec![zero; voxels.number_count()];
    let mut sums = Sums::new(0, || zero);
    let wanted: Vec<usize> = (0..voxels.len()).filter(|&voxel| voxels.is_wanted(voxel)).collect();
    let mut kept = vec![NO_START; voxels.len() * tried.keep];
    for lanes in wanted.chunks(WIDTH) {
        for (lane, &voxel) in lanes.iter().enumerate() {
            set_lane(&mut numbers, lane, voxels.numbers(voxel));
            evaluation.load(lane, voxels.signals(voxel), voxels.maps(voxel));
        }
        let mut best = Best::new(tried.keep, || Lanes::all(f64::INFINITY), || zero);
        for candidate in 0..tried.len() {
            for (&number, &value) in tried.searched.iter().zip(tried.values(candidate)) {
                numbers[usize::from(number)] = Lanes([value; WIDTH]);
            }
            evaluation.sum(&numbers, &mut sums);
            best.add(sums.cost, Lanes::all(candidate as f64));
            if tried.groups.get(candidate + 1) != Some(&tried.groups[candidate]) {
                best.end_group();
            }
        }
        for (lane, &voxel) in lanes.iter().enumerate() {
            let kept = &mut kept[voxel * tried.keep..][..tried.keep];
            for (kept, [cost, start]) in kept.iter_mut().zip(&best.kept) {
                if cost.0[lane] < T::of(f64::INFINITY) {
                    *kept = saturating::<u32>(start.0[lane]);
                }
            }
            if kept[0] == NO_START {
                voxels.set_status(voxel, Status::NoModel);
                continue;
            }
            tried.put(kept[0] as usize, voxels.numbers_mut(voxel));
            voxels.end(voxel, Status::Limit, best.kept[0][0].0[lane], narrow::<u32>(tried.len()));
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
