//! Tracking through samples of fibre orientations. The samples come from a posterior distribution, from
//! peaks, or from tensors refitted to resampled data. Results are streamlines, or maps of the voxels that
//! they pass.

use crate::call::{Call, Work};
use crate::errors::raise;
use crate::keyword_options::keyword_options;
use crate::series::Gradients;
use crate::streamlines::Tractogram;
use crate::track::{Arrays, Given, SeedChoice, summary_dict};
use crate::volume::Volume;
use arcuate::commands_of_programs::options_of;
use arcuate_core::{self as core, Mask, PeakFrame};
use arcuate_model::{BootstrapOptions, TensorOptions};
use arcuate_pipeline::orientation_files::{Peaks, SampleFiles};
use arcuate_pipeline::sample_folder::SampleFolder;
use arcuate_pipeline::stages::sampled::{everywhere, refitted_orientations, seed_fraction, warn_of_tracks};
use arcuate_pipeline::stages::tracking::ProductName;
use arcuate_pipeline::stages::{TrackBootstrap, TrackSamples};
use arcuate_track::{
    Constraints, Fibre, OrientationSource, OrientationTable, SampleOptions, SampleOutputs, Seeds,
    track_samples,
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// Fibre orientations for tracking, from posterior samples, peaks or refitted tensors.
#[pyclass(frozen, module = "arcuate._arcuate")]
pub(crate) struct Orientations(Arc<OrientationTable>);

/// The content of the orientations: a mask of the voxels, the number of samples per voxel, and one array of
/// integers per fibre. Each integer encodes a sample.
type Parts = (Volume, usize, Vec<Py<PyArray1<u64>>>);

#[pymethods]
impl Orientations {
    /// Maximum number of fibres of a voxel.
    #[getter]
    fn fibres(&self) -> usize {
        self.0.fibres()
    }

    /// Number of samples of each voxel.
    #[getter]
    fn samples(&self) -> usize {
        self.0.samples()
    }

    /// Returns the whole content for storage: a mask of the voxels, the number of samples per voxel, and one
    /// array of integers per fibre. Each integer encodes a sample.
    fn parts(&self, py: Python<'_>) -> PyResult<Parts> {
        let table = &self.0;
        let inside = table.mask().map_err(raise)?;
        let flags = inside.flags().iter().map(|&inside| f32::from(u8::from(inside))).collect();
        let mask = core::Volume::new(*table.grid(), 1, flags).map_err(raise)?;
        let bits = |number| table.fibre(number).into_iter().map(Fibre::to_bits).collect::<Vec<u64>>();
        let fibres = (0..table.fibres()).map(|number| bits(number).into_pyarray(py).unbind()).collect();
        Ok((mask.into(), table.samples(), fibres))
    }

    /// Restores orientations from the result of [`parts`](Self::parts).
    #[staticmethod]
    fn of_parts(mask: &Volume, samples: usize, fibres: Vec<PyReadonlyArray1<'_, u64>>) -> PyResult<Self> {
        let bits = |of_fibre: PyReadonlyArray1<'_, u64>| of_fibre.as_array().iter().copied().collect();
        let stored = Stored { mask: mask.mask(), samples, fibres: fibres.into_iter().map(bits).collect() };
        OrientationTable::new(&stored).map(|table| Self(Arc::new(table))).map_err(raise)
    }

    /// Returns the mean direction of each fibre as a vector (x, y, z). The length of the vector is the mean
    /// volume fraction of the fibre.
    fn peaks(&self, py: Python<'_>, call: &Call) -> PyResult<Volume> {
        let table = Arc::clone(&self.0);
        call.perform(py, |_| table.mean_orientations().map(Into::into))
    }
}

/// Contents of orientations in a Python pickle.
struct Stored {
    mask: Mask,
    samples: usize,
    fibres: Vec<Vec<u64>>,
}

impl OrientationSource for Stored {
    fn mask(&self) -> &Mask {
        &self.mask
    }

    fn fibres(&self) -> usize {
        self.fibres.len()
    }

    fn samples(&self) -> usize {
        self.samples
    }

    fn fibre(&self, number: usize) -> core::Result<Vec<Fibre>> {
        Ok(self.fibres[number].iter().map(|&bits| Fibre::from_bits(bits)).collect())
    }
}

/// Reads the posterior samples in a folder that bedpostX or `arcuate fit` wrote.
#[pyfunction]
pub(crate) fn load_samples(
    py: Python<'_>,
    call: &Call,
    folder: PathBuf,
    fibres: Vec<String>,
    mask: Option<PathBuf>,
) -> PyResult<Orientations> {
    let table = call.perform(py, |_| {
        let folder = SampleFolder::find(&folder, &fibres, mask.as_deref())?;
        OrientationTable::new(&SampleFiles::new(folder.fibres, folder.mask.as_deref())?)
    })?;
    Ok(Orientations(Arc::new(table)))
}

/// Converts peaks to orientations for tracking. The last axis of `peaks` has the vectors (x, y, z) of all
/// peaks in scanner axes. The length of a vector is the volume fraction.
#[pyfunction]
pub(crate) fn peaks_as_orientations(
    py: Python<'_>,
    call: &Call,
    peaks: &Volume,
    mask: Option<&Volume>,
) -> PyResult<Orientations> {
    let (peaks, mask) = (Arc::clone(&peaks.0), mask.map(Volume::mask));
    let table = call.perform(py, |_| {
        OrientationTable::new(&Peaks::new((*peaks).clone(), PeakFrame::Scanner, mask.as_ref(), 0.0)?)
    })?;
    Ok(Orientations(Arc::new(table)))
}

/// Refits the diffusion tensor to several resampled versions of the data. Returns the principal directions of
/// all these tensors.
#[pyfunction]
pub(crate) fn refits_as_orientations(
    py: Python<'_>,
    call: &Call,
    dwi: &Volume,
    gradients: &Gradients,
    mask: &Volume,
    words: Vec<OsString>,
) -> PyResult<Orientations> {
    let (dwi, mask) = (Arc::clone(&dwi.0), mask.mask());
    let gradients = gradients.0.clone();
    let table = call.perform(py, |work| {
        let requested: TrackBootstrap = options_of(words)?;
        let options = BootstrapOptions {
            tensor: TensorOptions::default(),
            resampling: requested.resampling,
            samples: requested.replicates,
            seed: work.random_seed(),
        };
        refitted_orientations(&dwi, &gradients, &mask, &options)
    })?;
    Ok(Orientations(Arc::new(table)))
}

/// Inputs that are ready for tracking.
struct Ready {
    /// Mask of the voxels of the target maps. It is the mask of the seeds if there is one, and otherwise that
    /// of the orientations.
    voxels: Mask,
    seeds: Seeds,
    options: SampleOptions,
    constraints: Constraints,
}

/// Prepares the inputs of tracking from the options and the arrays, as the command does from its options and
/// files.
fn ready(
    requested: &TrackSamples,
    given: &Given,
    table: &OrientationTable,
    work: &Work<'_>,
) -> core::Result<Ready> {
    let (propagation, preset) = (&requested.tracking.propagation, requested.tracking.preset);
    let (select, seed) = (given.select(&requested.tracking), work.random_seed());
    let options = requested.rules.options(propagation, preset, Some(table.grid()), select, seed)?;
    options.check_on(table.grid(), table.fibres())?;
    let is_anywhere = given.beginnings == SeedChoice::Everywhere;
    let fraction = if is_anywhere { seed_fraction(propagation, preset) } else { 0.0 };
    let mut voxels = everywhere(fraction, table)?;
    let constraints = given.constraints(&requested.tracking.constraints);
    let seeds = given.seeds(&requested.tracking, &constraints, &voxels, true)?;
    if let SeedChoice::Mask(mask) = &given.beginnings {
        voxels = mask.clone();
    }
    Ok(Ready { voxels, seeds, options, constraints })
}

/// Tracks streamlines through samples, peaks or refits.
#[pyfunction]
pub(crate) fn through_samples<'py>(
    py: Python<'py>,
    call: &Call,
    orientations: &Orientations,
    arrays: Arrays<'py>,
    words: Vec<OsString>,
) -> PyResult<(Tractogram, Bound<'py, PyDict>)> {
    let table = Arc::clone(&orientations.0);
    let given = arrays.given().map_err(raise)?;
    let (tracks, summary) = call.perform(py, |work| {
        let requested = keyword_options::<TrackSamples>(words)?;
        let Ready { seeds, options, constraints, .. } = ready(&requested, &given, &table, work)?;
        let mut tracks = core::Tractogram::new();
        let outputs = SampleOutputs { sink: Some(&mut tracks), ..SampleOutputs::default() };
        let device = work.device()?;
        let found = track_samples(&table, &seeds, &constraints, &options, outputs, &device, &work.control)?;
        warn_of_tracks(&found);
        Ok((tracks.into(), found.summary))
    })?;
    Ok((tracks, summary_dict(py, &summary)?))
}

/// Computes a map of the number of streamlines that pass each voxel. For each target, also returns the number
/// of streamlines from each seed that reach the target. It is a map, or one value per seed point if the seeds
/// are points.
#[pyfunction]
pub(crate) fn map_visits<'py>(
    py: Python<'py>,
    call: &Call,
    orientations: &Orientations,
    arrays: Arrays<'py>,
    words: Vec<OsString>,
) -> PyResult<Bound<'py, PyDict>> {
    let table = Arc::clone(&orientations.0);
    let given = arrays.given().map_err(raise)?;
    let (maps, counts, of_points, summary) = call.perform(py, |work| {
        let requested = keyword_options::<TrackSamples>(words)?;
        let Ready { voxels, seeds, options, constraints } = ready(&requested, &given, &table, work)?;
        let maps = &requested.tracking.maps;
        let is_masked = matches!(given.beginnings, SeedChoice::Mask(_));
        let grid = if is_masked { *voxels.grid() } else { *table.grid() };
        let products = requested.tracking.products.written(requested.tracking.preset, false);
        let lengths = products.contains(&ProductName::Lengths);
        let outputs = SampleOutputs { map: Some((grid, None)), lengths, ..SampleOutputs::default() };
        let device = work.device()?;
        let found = track_samples(&table, &seeds, &constraints, &options, outputs, &device, &work.control)?;
        warn_of_tracks(&found);
        let mut written: Vec<(&'static str, Volume)> = Vec::new();
        if let Some(map) = &found.map {
            written.push(("visits", map.to_volume()?.into()));
            written.push(("normalised", map.normalised(found.summary.streamlines, maps.threshold())?.into()));
            written.extend(map.lengths()?.map(|map| ("lengths", map.into())));
            written.extend(map.distance_corrected()?.map(|map| ("by_length", map.into())));
        }
        let has_points = matches!(given.beginnings, SeedChoice::Points(_));
        let (mut counts, mut of_points): (Vec<Volume>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
        for hits in found.target_hits {
            if has_points {
                of_points.push(hits);
            } else {
                counts.push(maps_of_counts(&voxels, &hits).into());
            }
        }
        Ok((written, counts, of_points, found.summary))
    })?;
    let answer = PyDict::new(py);
    for (name, map) in maps {
        answer.set_item(name, map.into_pyobject(py)?)?;
    }
    answer.set_item("target_counts", counts)?;
    answer.set_item("target_counts_of_points", of_points)?;
    answer.set_item("summary", summary_dict(py, &summary)?)?;
    Ok(answer)
}

/// Converts the counts of the voxels of a mask to an image.
fn maps_of_counts(mask: &Mask, counts: &[u32]) -> core::Volume<f32> {
    let mut volume = core::Volume::filled(*mask.grid(), 1, 0.0);
    for (&voxel, &count) in mask.indices().iter().zip(counts) {
        volume.values_mut()[voxel] = count as f32;
    }
    volume
}
