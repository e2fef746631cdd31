//! Geodesic tracking through diffusion tensors.

use crate::keyword_options::asked;
use crate::call::Call;
use crate::errors::raise;
use crate::streamlines::Tractogram;
use crate::track::{Arrays, Given, told};
use crate::volume::Volume;
use arcuate::core;
use arcuate::model::tensor_maps;
use arcuate::pipeline::stages::TrackGeodesic;
use arcuate::pipeline::stages::geodesic::{
    KeptRays, seeds_of_rays, warn_of_rays, warn_of_repairs, warn_of_targets,
};
use arcuate::pipeline::stages::seeds::Beginnings;
use arcuate::pipeline::tensor_order::check_tensors;
use arcuate::track::{GeodesicOptions, Geodesics, Targets};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::OsString;
use std::sync::Arc;

/// Tracks geodesic rays: all rays, or only those that reach targets (masks by name). For targets, the rays
/// are also described one by one.
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
    let (tracks, summary, drift, reached) = call.perform(py, |work| {
        let asked = keyword_options::<TrackGeodesic>(words)?;
        let constraints = given.constraints(&asked.constraints);
        let Given { mask, beginnings, .. } = given;
        let number = asked.seed_number;
        let options = GeodesicOptions { mask, constraints, seed: work.random_seed(), ..asked.options };
        options.check(tensor.grid())?;
        check_tensors(&"tensor", &tensor, options.mask.as_ref(), None)?;
        let fa = tensor_maps(&tensor)?.fa;
        let are_chosen = beginnings != Beginnings::Everywhere;
        let seeds = seeds_of_rays(beginnings, number, &fa, options.mask.as_ref(), None)?;
        let geodesics = Geodesics::new(&tensor, &options, &work.device()?)?;
        warn_of_repairs(&"tensor", geodesics.repairs());
        let (tracks, summary, drift, reached) = match asked.kept {
            KeptRays::All => {
                let mut rays = core::Tractogram::new();
                let (summary, drift) = geodesics.all(&seeds, &mut rays, &work.control)?;
                (rays, summary, drift, Vec::new())
            }
            KeptRays::Connections { selection, .. } => {
                let targets = Targets::from_masks(targets)?;
                let found = geodesics.connect(&seeds, &targets, &selection, &work.control)?;
                warn_of_targets(&found);
                (found.tractogram, found.summary, found.drift, found.targets)
            }
        };
        warn_of_rays(&"tensor", &summary, &options, are_chosen);
        Ok((tracks.into(), summary, drift, reached))
    })?;
    let figures = told(py, &summary)?;
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
