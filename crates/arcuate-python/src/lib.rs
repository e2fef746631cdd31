//! The extension module of the Python package `arcuate`, with functions of the libraries that take arrays.
//! The Python files in `python/arcuate` define names, defaults and documentation for users. Only these files
//! use this module.

#![expect(clippy::needless_pass_by_value, reason = "functions of Python are given values")]

mod call;
mod connect;
mod errors;
mod evaluate;
mod fod;
mod geodesic;
mod keyword_options;
mod models;
mod operators;
mod phantom;
mod recon;
mod runs;
mod sampled;
mod series;
mod streamlines;
mod tissues;
mod track;
mod volume;

use pyo3::prelude::*;

/// Returns the computing devices of this machine. For each: the value of the keyword `device`, a description,
/// and the reason if the device cannot be used.
#[pyfunction]
fn devices() -> Vec<(String, String, Option<String>)> {
    let reports = arcuate_compute::available_devices();
    reports.into_iter().map(|report| (report.id, report.description, report.unusable)).collect()
}

/// Returns the file name ending of the format of data with these first bytes, or `None` if no format is known.
#[pyfunction]
fn ending_of_data(head: &[u8]) -> Option<&'static str> {
    arcuate_io::ending_of_data(head)
}

/// Returns the endings of the names of images that can be written.
#[pyfunction]
fn image_endings() -> Vec<&'static str> {
    arcuate_io::written_endings(arcuate_io::FileKind::Image)
}

#[pymodule]
mod _arcuate {
    #[pymodule_export]
    use super::call::Call;
    #[pymodule_export]
    use super::connect::{density, make_connectome, sample_along};
    #[pymodule_export]
    use super::devices;
    #[pymodule_export]
    use super::ending_of_data;
    #[pymodule_export]
    use super::evaluate::{commit_operator, evaluate_commit, evaluate_life, life_operator};
    #[pymodule_export]
    use super::fod::{estimate_responses, find_peaks, fit_csd, told_apart};
    #[pymodule_export]
    use super::geodesic::along_geodesics;
    #[pymodule_export]
    use super::image_endings;
    #[pymodule_export]
    use super::models::{Fitted, fit, fit_tensor, model_names, model_text, sample, tensor_maps};
    #[pymodule_export]
    use super::operators::{ComplexOperator, Operator, differences, fourier_sums, toeplitz};
    #[pymodule_export]
    use super::phantom::simulate_brain;
    #[pymodule_export]
    use super::recon::reconstruct;
    #[pymodule_export]
    use super::runs::{command, report};
    #[pymodule_export]
    use super::sampled::{
        Orientations, load_samples, map_visits, peaks_as_orientations, refits_as_orientations,
        through_samples,
    };
    #[pymodule_export]
    use super::series::{
        Gradients, find_mask, load_image, load_series, load_tensor, order_tensor, save_image,
    };
    #[pymodule_export]
    use super::streamlines::{Tractogram, load_tractogram, save_tractogram};
    #[pymodule_export]
    use super::tissues::{tissue_interface, tissues_of_free_surfer, tissues_of_maps};
    #[pymodule_export]
    use super::track::{through_fods, through_tensors};
    #[pymodule_export]
    use super::volume::Volume;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
