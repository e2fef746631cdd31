//! Adds a summary of the fit of a signal model to the record.

use crate::diffusivities;
use crate::record::Record;
use arcuate_core::statistics;
use arcuate_model::fit::{FitMap, ModelFit, Status};
use arcuate_model::language::Model;

/// Name that the record of a command uses for the number of fitted voxels. If there are several models, the
/// name of the model is put before it.
pub const VOXELS_FITTED: &str = "voxels fitted";

/// Maximum number of parameters whose median over the voxels is a key figure of the report.
const MAX_SHOWN_FIRST: usize = 3;

/// Adds the results of the fit of a signal model to the record. `several` is true if there are other models.
pub(super) fn note(model: &Model, fit: &ModelFit, several: bool, record: &mut Record) {
    let of = |what: &str| if several { format!("{}: {what}", model.name()) } else { what.to_owned() };
    let voxels = fit.fitted();
    let is_sampled = |(status, _): &(Status, usize)| matches!(status, Status::Sampled | Status::Stuck);
    if !fit.counts.iter().any(is_sampled) {
        let figure = record.figure(&of(VOXELS_FITTED), voxels);
        // If there are several models, the key figures are about their comparison.
        figure.key = !several;
    }
    for (status, count) in &fit.counts {
        if *status != Status::Outside {
            let figure = record.figure(&of(&format!("voxels {}", status.says())), *count);
            if *status == Status::Sampled {
                figure.key();
            }
        }
    }
    record.voxel_counts(&of(""), &fit.voxel_counts);
    record.figure(&of("evaluations of the signal in a voxel"), fit.evaluations as f64 / voxels.max(1) as f64);
    for bounds in &fit.at_bounds {
        for (which, _, count) in bounds.ends().filter(|(_, _, count)| *count > 0) {
            let share = 100.0 * count as f64 / voxels.max(1) as f64;
            record.measure(
                &of(&format!("voxels with {} at its {which} bound", bounds.parameter)),
                share,
                "%",
            );
        }
    }
    for at in &fit.at_constraints {
        let share = 100.0 * at.voxels as f64 / voxels.max(1) as f64;
        record.measure(&of(&format!("voxels where {} holds with equality", at.constraint)), share, "%");
    }
    let mut shown_first = 0;
    for map in fit.maps.iter().filter(|map| map.volume.channels() == 1) {
        let Some(median) = median_of(map, fit) else { continue };
        let unit = if map.unit == "1" { "" } else { map.unit.as_str() };
        let figure = record.measure(&of(&format!("median {}", map.name)), median, unit);
        if !several && shown_first < MAX_SHOWN_FIRST && map.unit != "signal" {
            shown_first += 1;
            figure.key();
        }
    }
    warn_of_diffusivities(model, fit);
}

/// Computes the median over the voxels of each diffusivity of a fit. Warns if the largest of these medians is
/// implausible for tissue. The others are not checked, because perpendicular diffusivities may be 0.
pub fn warn_of_diffusivities(model: &Model, fit: &ModelFit) {
    let of_diffusivity = |map: &&FitMap| map.volume.channels() == 1 && map.unit == "mm²/s";
    let medians = fit.maps.iter().filter(of_diffusivity).filter_map(|map| median_of(map, fit));
    let largest = medians.fold(f64::NAN, f64::max);
    diffusivities::warn_of_median(&format!("diffusivity of {}", model.name()), largest);
}

/// Returns the median of a map over the fitted voxels.
fn median_of(map: &FitMap, fit: &ModelFit) -> Option<f64> {
    let all = fit.status.values().iter().zip(map.volume.values());
    let fitted = all.filter(|(status, _)| Status::ALL[**status as usize].0.is_fitted());
    statistics::median(&mut fitted.map(|(_, value)| *value).collect::<Vec<f32>>())
}
