//! What a record says of the fit of a model.

use crate::diffusivities;
use crate::record::Record;
use arcuate_model::fit::{ModelFit, Status};
use arcuate_model::language::Model;

/// Notes how the fit of a model went.
pub(super) fn note(model: &Model, fit: &ModelFit, several: bool, record: &mut Record) {
    let of = |what: &str| if several { format!("{}: {what}", model.name()) } else { what.to_owned() };
    for (status, count) in &fit.counts {
        if *status != Status::Outside {
            record.figure(&of(&format!("voxels {}", status.says())), *count);
        }
    }
    let voxels: usize =
        fit.counts.iter().filter(|(status, _)| status.is_fitted()).map(|(_, count)| count).sum();
    record.figure(&of("evaluations of the signal in a voxel"), fit.evaluations as f64 / voxels.max(1) as f64);
    // Those across fibres may be 0, not all of a model.
    let mut largest = f64::NAN;
    for map in fit.maps.iter().filter(|map| map.volume.channels() == 1) {
        let mut values: Vec<f32> = fit
            .status
            .values()
            .iter()
            .zip(map.volume.values())
            .filter(|(status, _)| Status::ALL[**status as usize].0.is_fitted())
            .map(|(_, value)| *value)
            .collect();
        if values.is_empty() {
            continue;
        }
        let middle = values.len() / 2;
        let median = f64::from(*values.select_nth_unstable_by(middle, f32::total_cmp).1);
        if map.unit == "mm²/s" {
            largest = largest.max(median);
        }
        let unit = if map.unit == "1" { "" } else { map.unit.as_str() };
        record.measure(&of(&format!("median {}", map.name)), median, unit);
    }
    diffusivities::warn_of_median(&format!("diffusivity of {}", model.name()), largest);
}
