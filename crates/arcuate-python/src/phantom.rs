//! Simulation of a brain with known connections.

use crate::call::Call;
use crate::errors::raise;
use crate::series::Gradients;
use crate::streamlines::Tractogram;
use crate::volume::Volume;
use arcuate::commands_of_programs::{BrainOptions, options_of};
use arcuate_core::{Mask, Volume as Values};
use arcuate_phantom::{PhantomOptions, simulate};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::OsString;
use std::sync::Arc;

fn flags(mask: &Mask) -> Volume {
    mask.to_volume().map(f32::from).into()
}

/// Simulates a brain and its diffusion measurement. If no gradient table is given, the options determine it.
/// The result contains the gradient table.
#[pyfunction]
pub(crate) fn simulate_brain<'py>(
    py: Python<'py>,
    call: &Call,
    gradients: Option<&Gradients>,
    words: Vec<OsString>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = gradients.map(|gradients| gradients.0.clone());
    let phantom = call.perform(py, |work| {
        let BrainOptions { gradients, phantom } = options_of(words)?;
        let options = PhantomOptions { seed: work.random_seed(), ..phantom };
        simulate(&given.unwrap_or(gradients), &options)
    })?;
    let brain = PyDict::new(py);
    brain.set_item("gradients", Py::new(py, Gradients(phantom.gradients))?)?;
    let labels = phantom.labels.values().iter().map(|&label| label as f32).collect();
    let labels = Values::new(*phantom.labels.grid(), 1, labels).map_err(raise)?;
    brain.set_item("label_names", phantom.labels.names().clone())?;
    brain
        .set_item("bundles", phantom.bundles.iter().map(|bundle| bundle.name.clone()).collect::<Vec<_>>())?;
    brain.set_item("truth", Py::new(py, Tractogram(Arc::new(phantom.truth)))?)?;
    for (name, volume) in [
        ("mask", flags(&phantom.brain_mask)),
        ("white_matter", flags(&phantom.white_matter)),
        ("labels", labels.into()),
        ("tissue_fractions", phantom.tissue_fractions.into()),
        ("bundle_fractions", phantom.bundle_fractions.into()),
        ("peaks", phantom.peaks.into()),
        ("dwi", phantom.dwi.into()),
    ] {
        brain.set_item(name, Py::new(py, volume)?)?;
    }
    Ok(brain)
}
