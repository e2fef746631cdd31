//! What a record says of the fit of a model.

use crate::diffusivities;
use crate::record::Record;
use arcuate_model::fit::{ModelFit, Status};
use arcuate_model::language::Model;

/// Parameters of a model whose median a reader of the report should see first.
const MOST_SHOWN_FIRST: usize = 3;

/// Notes how the fit of a model went.
pub(super) fn note(model: &Model, fit: &ModelFit, several: bool, record: &mut Record) {
    let of = |what: &str| if several { format!("{}: {what}", model.name()) } else { what.to_owned() };
    let voxels = fit.fitted();
    let is_sampled = |(status, _): &(Status, usize)| matches!(status, Status::Sampled | Status::Stuck);
    if !fit.counts.iter().any(is_sampled) {
        record.figure(&of("voxels fitted"), voxels).key();
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
    // Those across fibres may be 0, not all of a model.
    let (mut largest, mut shown_first) = (f64::NAN, 0);
    for map in fit.maps.iter().filter(|map| map.volume.channels() == 1) {
        let mut values: Vec<f32> = fit
            .status
            .values()
            .iter()
            .zip(map.volume.values())
            .filter(|(status, _)| Status::ALL[**status as usize].0.is_fitted())
            .map(|(_, value)| *value)
            .collect();
        let Some(median) = arcuate_core::statistics::median(&mut values) else { continue };
        if map.unit == "mm²/s" {
            largest = largest.max(median);
        }
        let unit = if map.unit == "1" { "" } else { map.unit.as_str() };
        let figure = record.measure(&of(&format!("median {}", map.name)), median, unit);
        if shown_first < MOST_SHOWN_FIRST && map.unit != "signal" {
            shown_first += 1;
            figure.key();
        }
    }
    diffusivities::warn_of_median(&format!("diffusivity of {}", model.name()), largest);
}
