//! Fits in every voxel: of diffusion tensors, and of signal models in the model language. Also samples the
//! posterior distribution of such models with Markov chains.

use crate::call::{Call, Work};
use crate::keyword_options::keyword_options;
use crate::series::{Gradients, inside};
use crate::volume::Volume;
use arcuate_core::{self as core, Control, Error, VoxelCounts};
use arcuate_model::fit::sample::sample_model;
use arcuate_model::fit::{
    FitMap, FitOptions, MeasurementColumn, ModelFit, Override, OverrideKind, Source, fit_models,
    warn_of_guesses,
};
use arcuate_model::language::Model;
use arcuate_model::{self as model, TensorMaps, averaged_for, models};
use arcuate_pipeline::model_files::read_models;
use arcuate_pipeline::scan::Scan;
use arcuate_pipeline::stages::fit::{FitMethod, warn_of_diffusivities, warn_of_short_chains};
use arcuate_pipeline::stages::tensor::{warn_of_axes, warn_of_diffusivity};
use arcuate_pipeline::stages::{FitModels, FitTensor};
use arcuate_pipeline::tensor_order::check_tensors;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

/// A map, the unit of its values, and a description.
type Described = (Volume, String, String);
/// A map for Python: its name, its image, the unit of its values, and a description.
type PythonModel = (String, Py<PyAny>, String, String);

/// Fits diffusion tensors. Returns the maps by name.
#[pyfunction]
pub(crate) fn fit_tensor(
    py: Python<'_>,
    call: &Call,
    dwi: &Volume,
    gradients: &Gradients,
    mask: Option<&Volume>,
    words: Vec<OsString>,
) -> PyResult<BTreeMap<&'static str, Volume>> {
    let (dwi, gradients, mask) = (Arc::clone(&dwi.0), gradients.0.clone(), mask.map(Volume::mask));
    call.perform(py, |work| {
        let options = keyword_options::<FitTensor>(words)?.options;
        let mask = inside(mask, &dwi, &gradients)?;
        let device = arcuate_compute::Device::Cpu;
        let scan = Scan::look(&dwi, &gradients, &mask)?;
        let fit = model::fit_tensor(&dwi, &gradients, &mask, &device, &options)?;
        let maps = model::tensor_maps(&fit.tensor)?;
        warn_of_axes(&maps, &mask, "gradients")?;
        scan.warn(&work.control);
        warn_of_diffusivity(&maps);
        let mut maps = named(maps);
        maps.extend([
            ("tensor", fit.tensor.into()),
            ("s0", fit.s0.into()),
            ("residual", fit.residual.into()),
        ]);
        Ok(maps)
    })
}

fn named(maps: TensorMaps) -> BTreeMap<&'static str, Volume> {
    [
        ("fa", maps.fa),
        ("md", maps.md),
        ("ad", maps.ad),
        ("rd", maps.rd),
        ("eigenvalues", maps.eigenvalues),
        ("eigenvectors", maps.eigenvectors),
        ("colour_fa", maps.colour_fa),
    ]
    .map(|(name, volume)| (name, volume.into()))
    .into()
}

/// Returns the maps of tensors.
#[pyfunction]
pub(crate) fn tensor_maps(
    py: Python<'_>,
    call: &Call,
    tensor: &Volume,
) -> PyResult<BTreeMap<&'static str, Volume>> {
    let tensor = Arc::clone(&tensor.0);
    call.perform(py, |work| {
        check_tensors(&"tensor", &tensor, None, None)?;
        let maps = model::tensor_maps(&tensor)?;
        maps.counts.warn("tensor maps", &work.control);
        warn_of_diffusivity(&maps);
        Ok(named(maps))
    })
}

/// Returns the names of the built-in models.
#[pyfunction]
pub(crate) fn model_names() -> Vec<&'static str> {
    models::model_names().collect()
}

/// Returns the text of a built-in model.
#[pyfunction]
pub(crate) fn model_text(name: &str) -> PyResult<String> {
    models::model(name).map_err(crate::errors::raise)?;
    Ok(models::model_text(name).unwrap_or_default().to_owned())
}

/// The value of a model parameter: one number for all voxels, or an image.
#[derive(FromPyObject)]
pub(crate) enum Given<'py> {
    Number(f64),
    Image(PyRef<'py, Volume>),
}

impl Given<'_> {
    fn source(self) -> Source {
        match self {
            Self::Number(number) => Source::Number(number),
            Self::Image(image) => Source::Map(Box::new((*image.0).clone())),
        }
    }
}

/// Overrides of model parameters, and values that a model needs. Arrays replace the files of the command.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Overrides<'py> {
    fix: Vec<(String, Option<Given<'py>>)>,
    start: Vec<(String, Given<'py>)>,
    columns: Vec<(String, Vec<f64>)>,
    maps: Vec<(String, PyRef<'py, Volume>)>,
}

/// Overrides of model parameters, and values that a model needs, converted from Python objects.
struct Values {
    overrides: Vec<Override>,
    columns: Vec<MeasurementColumn>,
    maps: Vec<(String, core::Volume<f32>)>,
}

impl Overrides<'_> {
    fn values(self) -> Values {
        let change = |parameter: String, what: OverrideKind| Override { parameter, what };
        let fixed = self.fix.into_iter().map(|(name, given)| {
            change(name, given.map_or(OverrideKind::Kept, |given| OverrideKind::Fixed(given.source())))
        });
        let started = self
            .start
            .into_iter()
            .map(|(name, given)| change(name, OverrideKind::StartingAt(given.source())));
        let columns = self.columns.into_iter().map(|(name, values)| MeasurementColumn { name, values });
        Values {
            overrides: fixed.chain(started).collect(),
            columns: columns.collect(),
            maps: self.maps.into_iter().map(|(name, map)| (name, (*map.0).clone())).collect(),
        }
    }
}

impl Values {
    /// Returns the options of the fit: these values, and the options of the command.
    fn options(self, requested: &FitModels, control: &Control) -> FitOptions {
        let freed = requested.overrides.free.iter();
        let freed = freed.map(|name| Override { parameter: name.clone(), what: OverrideKind::Free });
        FitOptions {
            overrides: self.overrides.into_iter().chain(freed).collect(),
            columns: self.columns,
            maps: self.maps,
            control: control.clone(),
            ..requested.fit_options()
        }
    }
}

/// Result of a fit.
#[pyclass(frozen, get_all, module = "arcuate._arcuate")]
pub(crate) struct Fitted {
    model: String,
    maps: Vec<PythonModel>,
    standard_errors: Vec<PythonModel>,
    residual: Py<PyAny>,
    status: Py<PyAny>,
    voxels: usize,
    unknowns: usize,
}

/// Returns the maps of a fit with their names, units and descriptions.
fn described(maps: Vec<FitMap>) -> Vec<(String, Described)> {
    maps.into_iter().map(|map| (map.name, (map.volume.into(), map.unit, map.about))).collect()
}

/// Converts described maps to Python objects.
fn handed(py: Python<'_>, maps: Vec<(String, Described)>) -> PyResult<Vec<PythonModel>> {
    let each = maps
        .into_iter()
        .map(|(name, (volume, unit, about))| Ok((name, Py::new(py, volume)?.into_any(), unit, about)));
    each.collect()
}

impl Fitted {
    fn new(py: Python<'_>, fit: ModelFit) -> PyResult<Self> {
        let voxels = fit.fitted();
        Ok(Self {
            model: fit.model,
            maps: handed(py, described(fit.maps))?,
            standard_errors: handed(py, described(fit.standard_errors))?,
            residual: Py::new(py, Volume::from(fit.residual))?.into_any(),
            status: Py::new(py, Volume::from(fit.status))?.into_any(),
            voxels,
            unknowns: fit.unknowns,
        })
    }
}

/// Fits models, given by names or files. Returns the result of each.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "arrays of Python come one by one")]
pub(crate) fn fit(
    py: Python<'_>,
    call: &Call,
    models: Vec<String>,
    dwi: &Volume,
    gradients: &Gradients,
    mask: Option<&Volume>,
    overrides: Overrides<'_>,
    words: Vec<OsString>,
) -> PyResult<Vec<Fitted>> {
    let (dwi, gradients, mask) = (Arc::clone(&dwi.0), gradients.0.clone(), mask.map(Volume::mask));
    let values = overrides.values();
    let fits = call.perform(py, |work| {
        let requested = keyword_options::<FitModels>(words)?;
        if requested.method == FitMethod::Chains {
            let problem = "Markov chains give samples, and this function returns a fit";
            return Err(Error::usage("‘method’", problem, "call arcuate.sample"));
        }
        let names: Vec<&str> = models.iter().map(String::as_str).collect();
        let models = read_models(&names)?;
        let mask = inside(mask, &dwi, &gradients)?;
        let options = values.options(&requested, &work.control);
        let averaged = averaged_for(&models, &dwi, &gradients)?;
        let scan = Scan::look(&dwi, &gradients, &mask)?;
        if averaged.is_some() {
            VoxelCounts::of_series(&dwi, &mask).warn("averages over directions", &options.control);
        }
        let (dwi, gradients) = averaged.as_ref().map_or((&*dwi, &gradients), |(dwi, table)| (dwi, table));
        warn_of_guesses(&models, gradients, &options)?;
        let fits = fit_models(&models, dwi, gradients, &mask, &work.device()?, &options)?;
        warn_of_results(&models, &fits, &scan, work);
        Ok(fits)
    })?;
    fits.into_iter().map(|fit| Fitted::new(py, fit)).collect()
}

/// Warns of problems in the scan and of implausible diffusivities, as the command does.
fn warn_of_results(models: &[Model], fits: &[ModelFit], scan: &Scan, work: &Work<'_>) {
    scan.warn(&work.control);
    for (model, fit) in models.iter().zip(fits) {
        warn_of_diffusivities(model, fit);
    }
}

/// Samples the posterior distribution of a signal model. Returns the fit at the posterior mean, and the
/// samples of each parameter. A sample of an orientation has three values, and a sample of another parameter
/// has one. The samples of one chain follow those of another.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "arrays of Python come one by one")]
pub(crate) fn sample<'py>(
    py: Python<'py>,
    call: &Call,
    model: String,
    dwi: &Volume,
    gradients: &Gradients,
    mask: Option<&Volume>,
    overrides: Overrides<'_>,
    words: Vec<OsString>,
) -> PyResult<(Fitted, Bound<'py, PyDict>)> {
    let (dwi, gradients, mask) = (Arc::clone(&dwi.0), gradients.0.clone(), mask.map(Volume::mask));
    let values = overrides.values();
    let (fit, samples) = call.perform(py, |work| {
        let requested = keyword_options::<FitModels>(words)?;
        let models = requested.chains.with_priors(read_models(&[model.as_str()])?)?;
        let sampling = requested.chains.options(work.random_seed())?;
        let mask = inside(mask, &dwi, &gradients)?;
        let options = values.options(&requested, &work.control);
        let averaged = averaged_for(&models, &dwi, &gradients)?;
        let scan = Scan::look(&dwi, &gradients, &mask)?;
        if averaged.is_some() {
            VoxelCounts::of_series(&dwi, &mask).warn("averages over directions", &options.control);
        }
        let (dwi, gradients) = averaged.as_ref().map_or((&*dwi, &gradients), |(dwi, table)| (dwi, table));
        warn_of_guesses(&models, gradients, &options)?;
        let found = sample_model(&models[0], dwi, gradients, &mask, &work.device()?, &options, &sampling)?;
        if found.chains > 1 {
            warn_of_short_chains(&models[0], found.samples);
        }
        warn_of_results(&models, std::slice::from_ref(&found.fit), &scan, work);
        let samples: Vec<(String, Volume, usize)> = found
            .parameters
            .iter()
            .map(|parameter| (parameter.name.clone(), found.samples_of(parameter).into(), parameter.numbers))
            .collect();
        Ok((found.fit, samples))
    })?;
    let by_name = PyDict::new(py);
    for (name, volume, numbers) in samples {
        by_name.set_item(name, (Py::new(py, volume)?, numbers))?;
    }
    Ok((Fitted::new(py, fit)?, by_name))
}
