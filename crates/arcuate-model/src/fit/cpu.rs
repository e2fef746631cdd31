//! Fits on the processor: rayon over pieces of the mask, sixteen voxels side by side in each.

use super::begin::begin_voxels;
use super::levenberg_marquardt::Solver;
use super::plan::{ModelPlan, Source};
use super::search::search;
use super::stage::StagePlan;
use super::voxels::Voxels;
use crate::special::watson::Series;
use pulp::{Arch, Simd, WithSimd};

/// Voxels that a task works on: enough that the last ones, beside which lanes are empty, do not count.
pub(crate) const PIECE: usize = 512;

/// Fits one model in some voxels.
pub(crate) fn fit<T: Series>(
    plan: &ModelPlan<T>,
    voxels: &mut Voxels<T>,
    earlier: &[Voxels<T>],
    items: &[usize],
) {
    let arch = Arch::new();
    arch.dispatch(Begin { plan, voxels: &mut *voxels });
    give(plan, voxels, earlier, items);
    work(plan, &plan.stages, voxels, arch);
}

/// Goes through stages; where a search keeps several starts, through those behind it from each.
fn work<T: Series>(plan: &ModelPlan<T>, stages: &[StagePlan<T>], voxels: &mut Voxels<T>, arch: Arch) {
    let Some((stage, after)) = stages.split_first() else { return };
    let kept = arch.dispatch(Work { plan, stage, voxels: &mut *voxels });
    match &stage.search {
        Some(tried) if tried.keep > 1 && !after.is_empty() => {
            let from = voxels.part(0..voxels.len());
            work(plan, after, voxels, arch);
            for start in 1..tried.keep {
                let best = voxels.part(0..voxels.len());
                voxels.start_again(&from, tried, &kept, start);
                work(plan, after, voxels, arch);
                voxels.return_where_better(&best);
            }
        }
        _ => work(plan, after, voxels, arch),
    }
}

/// Puts numbers where other fits or the user have them.
pub(crate) fn give<T: Series>(
    plan: &ModelPlan<T>,
    voxels: &mut Voxels<T>,
    earlier: &[Voxels<T>],
    items: &[usize],
) {
    for (voxel, &item) in items.iter().enumerate() {
        for &(number, other, of_other) in &plan.given {
            voxels.numbers_mut(voxel)[number] = earlier[other].numbers(voxel)[of_other];
        }
        let factor = voxels.factor(voxel).double();
        for (first, source, unit, power) in &plan.sources {
            let scale = unit * factor.powf(*power);
            match source {
                Source::Number(value) => voxels.numbers_mut(voxel)[*first] = T::of(value * scale),
                Source::Map(map) => {
                    let values = map.voxel(item);
                    let length = values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
                    // Orientations have length 1.
                    let scale = if values.len() == 3 && length > 0.0 { 1.0 / length } else { scale };
                    for (n, value) in values.iter().enumerate() {
                        voxels.numbers_mut(voxel)[first + n] = T::of(f64::from(*value) * scale);
                    }
                }
            }
        }
    }
}

struct Begin<'a, T: Series> {
    plan: &'a ModelPlan<T>,
    voxels: &'a mut Voxels<T>,
}

impl<T: Series> WithSimd for Begin<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        begin_voxels(&self.plan.begin, self.voxels);
    }
}

struct Work<'a, T: Series> {
    plan: &'a ModelPlan<T>,
    stage: &'a StagePlan<T>,
    voxels: &'a mut Voxels<T>,
}

impl<T: Series> WithSimd for Work<'_, T> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<u32> {
        let measurements = self.stage.schedule.columns.len() / self.stage.schedule.column_count.max(1);
        if let Some(tried) = &self.stage.search {
            return search(self.stage, tried, self.voxels, measurements);
        }
        Solver::new(self.stage, self.plan.control, measurements).fit(self.voxels);
        Vec::new()
    }
}
