//! A brain whose connections are known.

use crate::call::Call;
use crate::errors::raise;
use crate::series::Gradients;
use crate::streamlines::Tractogram;
use crate::volume::Volume;
use arcuate::core::{Mask, Volume as Values};
use arcuate::phantom::{PhantomOptions, default_gradients, signal_to_noise, simulate};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

fn flags(mask: &Mask) -> Volume {
    mask.to_volume().map(f32::from).into()
}

/// Directions spread evenly, all of one b-value, and so many with b = 0.
#[pyfunction]
pub(crate) fn shell_of(directions: usize, b_value: f64, b0s: usize) -> PyResult<Gradients> {
    default_gradients(directions, b_value, b0s).map(Gradients).map_err(raise)
}

/// Simulates the brain and its measurement.
#[pyfunction]
pub(crate) fn simulate_brain<'py>(
    py: Python<'py>,
    call: &Call,
    gradients: &Gradients,
    voxel_size: f64,
    snr: f64,
    streamlines_per_bundle: usize,
    tissues: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let gradients = gradients.0.clone();
    let phantom = call.perform(py, |work| {
        let options = PhantomOptions {
            voxel_size_mm: voxel_size,
            snr: signal_to_noise(snr)?,
            seed: work.random_seed(),
            streamlines_per_bundle,
            tissues,
            ..PhantomOptions::default()
        };
        simulate(&gradients, &options)
    })?;
    let brain = PyDict::new(py);
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
