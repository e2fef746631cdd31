//! What a record says of the fit of a model.

use crate::caller::Caller;
use crate::diffusivities;
use crate::record::Record;
use arcuate_model::fit::{ModelFit, Status};
use arcuate_model::language::Model;

/// Voxels that were fitted to the end, or sampled.
pub(super) fn finished(fit: &ModelFit) -> usize {
    let is_finished =
        |status: Status| matches!(status, Status::Converged | Status::AtBound | Status::Sampled);
    fit.counts.iter().filter(|(status, _)| is_finished(*status)).map(|(_, count)| count).sum()
}

/// Voxels whose evaluations ran out.
pub(super) fn unfinished(fit: &ModelFit) -> usize {
    fit.counts.iter().filter(|(status, _)| *status == Status::Limit).map(|(_, count)| count).sum()
}

/// From this share of voxels on it is a warning that evaluations ran out; a few do in any brain.
const MANY: f64 = 0.01;

/// Warns of voxels that have a value which is no result.
pub(super) fn warn_of_unfinished(fit: &ModelFit, voxels: usize) {
    for (status, count) in &fit.counts {
        match status {
            Status::Limit if *count as f64 >= MANY * voxels as f64 => tracing::warn!(
                "{}: in {count} of {voxels} voxels evaluations ran out before the fit came to its end (status 3): their values \
                 are where it stood; more ‘evaluations’ may help",
                fit.model
            ),
            Status::Stuck => tracing::warn!(
                "{}: in {count} of {voxels} voxels not one proposal was accepted (status 7): their samples are where chains \
                 began, and say nothing; check ‘sigma’, priors and scale",
                fit.model
            ),
            _ => {}
        }
    }
}

/// From this share of voxels on it is said that a parameter is at a bound; the record has all of them.
const TOLD: f64 = 0.001;

/// Says of each parameter how often the fit ended at one of its bounds, where the truth may lie beyond.
pub(super) fn tell_of_bounds(fit: &ModelFit, several: bool, caller: &dyn Caller) {
    let fitted =
        fit.counts.iter().filter(|(s, _)| s.is_fitted()).map(|(_, count)| count).sum::<usize>().max(1);
    for bounds in &fit.at_bounds {
        let told: Vec<String> = bounds
            .ends()
            .filter(|(_, _, voxels)| *voxels as f64 >= TOLD * fitted as f64)
            .map(|(which, value, voxels)| {
                let share = 100.0 * voxels as f64 / fitted as f64;
                format!("at its {which} bound ({value}) in {share:.1} %")
            })
            .collect();
        if !told.is_empty() {
            let of = if several { format!("{}: ", fit.model) } else { String::new() };
            caller.say(&format!("{of}{} is {} of the voxels", bounds.parameter, told.join(" and ")));
        }
    }
}

/// Parameters of a model whose median a reader of the report should see first.
const MOST_SHOWN_FIRST: usize = 3;

/// Notes how the fit of a model went.
pub(super) fn note(model: &Model, fit: &ModelFit, several: bool, record: &mut Record) {
    let of = |what: &str| if several { format!("{}: {what}", model.name()) } else { what.to_owned() };
    for (status, count) in &fit.counts {
        if *status != Status::Outside {
            let figure = record.figure(&of(&format!("voxels {}", status.says())), *count);
            if matches!(status, Status::Converged | Status::Sampled) {
                figure.key();
            }
        }
    }
    let voxels: usize =
        fit.counts.iter().filter(|(status, _)| status.is_fitted()).map(|(_, count)| count).sum();
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
        if values.is_empty() {
            continue;
        }
        let middle = values.len() / 2;
        let median = f64::from(*values.select_nth_unstable_by(middle, f32::total_cmp).1);
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
