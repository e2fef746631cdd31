//! Geodesic tracking through diffusion tensors.

use crate::call::Call;
use crate::errors::raise;
use crate::keyword_options::keyword_options;
use crate::streamlines::Tractogram;
use crate::track::{Arrays, summary_dict};
use crate::volume::Volume;
use arcuate_core as core;
use arcuate_pipeline::stages::TrackGeodesic;
use arcuate_pipeline::stages::geodesic::{seed_voxels, warn_of_rays, warn_of_repairs, warn_of_targets};
use arcuate_pipeline::stages::tracking::groups_of;
use arcuate_pipeline::tensor_order::check_tensors;
use arcuate_track::{
    Constraints, GeodesicOptions, GeodesicTracker, Geodesics, RayFigures, SampleOutputs, Targets, Tracker,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::OsString;
use std::sync::Arc;

/// Tracks geodesic paths (rays). Without targets, returns all rays. With targets (named masks), returns only
/// rays that reach one of them, with a description of each ray.
#[pyfunction]
pub(crate) fn along_geodesics<'py>(
    py: Python<'py>,
    call: &Call,
    tensor: &Volume,
    arrays: Arrays<'py>,
    targets: Vec<(String, PyRef<'py, Volume>)>,
    words: Vec<OsString>,
) -> PyResult<(Tractogram, Bound<'py, PyDict>)> {
    let tensor = Arc::clone(&tensor.0);
    let given = arrays.given().map_err(raise)?;
    let targets: Vec<(String, core::Mask)> =
        targets.into_iter().map(|(name, image)| (name, image.mask())).collect();
    let (tracks, found, directions) = call.perform(py, |work| {
        let requested = keyword_options::<TrackGeodesic>(words)?;
        let TrackGeodesic { tracking, options, .. } = requested;
        let constraints = Constraints { targets: Vec::new(), ..given.constraints(&tracking.constraints) };
        let (mask, select, seed) = (given.mask.clone(), given.select(&tracking), work.random_seed());
        let options = tracking.propagation.of_rays(options);
        let options = GeodesicOptions { mask, select, seed, ..options };
        options.check(tensor.grid())?;
        check_tensors(&"tensor", &tensor, options.mask.as_ref(), None)?;
        let are_chosen = given.are_chosen();
        let everywhere = if are_chosen {
            core::Mask::full(*tensor.grid())
        } else {
            seed_voxels(&tensor, options.mask.as_ref(), tracking.propagation.seed_cutoff)?
        };
        let seeds = given.seeds(&tracking, &constraints, &everywhere, false)?;
        let geodesics = Geodesics::new(&tensor, &options, &work.device()?)?;
        warn_of_repairs(&"tensor", geodesics.repairs());
        let targets = if targets.is_empty() { None } else { Some(Targets::from_masks(targets)?) };
        let selection = tracking.connections.as_ref().map(|connections| connections.selection);
        let tracker = GeodesicTracker::new(geodesics, targets.as_ref().zip(selection));
        let mut tracks = core::Tractogram::new();
        let outputs = SampleOutputs { sink: Some(&mut tracks), ..SampleOutputs::default() };
        let found = tracker.track(&seeds, &constraints, outputs, &work.control)?;
        found.summary.require_rays()?;
        let rays = found.rays.clone().unwrap_or_default();
        let kept = groups_of(Some(&rays));
        tracks.groups = kept;
        warn_of_targets(&rays.targets);
        let rays_per_direction = options.rays_per_seed() / options.directions.count();
        let (all, followed) =
            (found.summary.seeds * rays_per_direction as u64, found.summary.terminated.total());
        warn_of_rays(&"tensor", [all - followed, followed], &found.summary, are_chosen);
        Ok((tracks.into(), found, options.directions.count() as u64))
    })?;
    let mut summary = found.summary;
    summary.seeds = summary.seeds.div_ceil(directions);
    let RayFigures { drift, targets: reached } = found.rays.unwrap_or_default();
    let figures = summary_dict(py, &summary)?;
    figures.set_item("median_drift", drift.median())?;
    figures.set_item("largest_drift", drift.largest())?;
    let by_name = PyDict::new(py);
    for target in reached {
        let of_target = PyDict::new(py);
        of_target.set_item("reached", target.reached)?;
        of_target.set_item("kept", target.kept)?;
        of_target.set_item("strongest", target.strongest)?;
        of_target.set_item("nearest", target.nearest_mm)?;
        by_name.set_item(target.name, of_target)?;
    }
    figures.set_item("targets", by_name)?;
    Ok((tracks, figures))
}
