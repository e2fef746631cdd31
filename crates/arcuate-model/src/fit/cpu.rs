//! Fits models on the CPU. rayon distributes pieces of the mask over CPU threads, and SIMD code processes
//! sixteen voxels at once.

use super::begin::begin_voxels;
use super::interchangeable::sort_interchangeable;
use super::levenberg_marquardt::minimise;
use super::options::Source;
use super::plan::{ModelPlan, Pipeline};
use super::progress::Count;
use super::search::{search, start_again};
use super::stage::StagePlan;
use super::voxels::{Voxels, joined};
use arcuate_core::{Result, Volume};
use arcuate_numbers::Real;
use rayon::prelude::*;

/// Number of voxels that a CPU thread fits as one task. It is large, because some SIMD lanes are idle at the
/// end of a task.
pub(crate) const PIECE: usize = 512;

/// Fits every requested model in all voxels of the mask. Returns an error if the run was cancelled.
pub(super) fn fit<T: Real>(
    pipeline: &Pipeline<T>,
    dwi: &Volume<f32>,
    items: &[usize],
    count: &Count<'_>,
) -> Result<Vec<Voxels<T>>> {
    let piece = |items: &[usize]| {
        count.check()?;
        let fitted = fit_piece(pipeline, dwi, items);
        count.add(items.len())?;
        Ok(fitted)
    };
    Ok(joined(items.par_chunks(PIECE).map(piece).collect::<Result<_>>()?))
}

/// Fits every requested model in these voxels.
fn fit_piece<T: Real>(pipeline: &Pipeline<T>, dwi: &Volume<f32>, items: &[usize]) -> Vec<Voxels<T>> {
    let signals = pipeline.signals_of(dwi, items);
    let mut done: Vec<Voxels<T>> = Vec::new();
    for plan in &pipeline.plans {
        done.push(fit_model(plan, signals.clone(), &done, items));
    }
    pipeline.requested_fits(done)
}

/// Fits one model in the voxels that have the given signals. `earlier` contains the fits of the preceding
/// models.
pub(super) fn fit_model<T: Real>(
    plan: &ModelPlan<T>,
    signals: Vec<f32>,
    earlier: &[Voxels<T>],
    items: &[usize],
) -> Voxels<T> {
    let measurements = signals.len() / items.len().max(1);
    let mut voxels = Voxels::new(measurements, plan.program.free_numbers, signals, plan.maps_of(items));
    with_simd!(begin_voxels(&plan.begin, &mut voxels));
    give(plan, &mut voxels, earlier, items);
    work(plan, &plan.stages, &mut voxels);
    sort_interchangeable(plan, &mut voxels);
    voxels.forget_signals();
    voxels
}

/// Runs the stages of a fit. If a grid search keeps several starts, the following stages run once from each
/// start, up to a stage with `from_best`. The function calls itself for these stages. The recursion is not
/// deep, because the searches of a model keep few starts (`Model::check_starts_kept`).
fn work<T: Real>(plan: &ModelPlan<T>, stages: &[StagePlan<T>], voxels: &mut Voxels<T>) {
    let mut stages = stages;
    while let Some((stage, behind)) = stages.split_first() {
        stages = behind;
        let Some(tried) = &stage.search else {
            with_simd!(minimise(stage, plan.control, voxels));
            continue;
        };
        let kept = with_simd!(search(stage, tried, voxels));
        let (followed, joined) = behind.split_at(StagePlan::followed(behind));
        if tried.keep <= 1 || followed.is_empty() {
            continue;
        }
        let from = voxels.part(0..voxels.len());
        work(plan, followed, voxels);
        for start in 1..tried.keep {
            let best = voxels.part(0..voxels.len());
            start_again(voxels, &from, tried, &kept, start);
            work(plan, followed, voxels);
            voxels.return_where_better(&best);
        }
        stages = joined;
    }
}

/// Sets the parameter values that come from other fits or from the user.
pub(crate) fn give<T: Real>(
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
                    // Orientations are normalised to unit length.
                    let scale = if values.len() == 3 && length > 0.0 { 1.0 / length } else { scale };
                    for (n, value) in values.iter().enumerate() {
                        voxels.numbers_mut(voxel)[first + n] = T::of(f64::from(*value) * scale);
                    }
                }
            }
        }
    }
}
