//! Following samples of orientations, of posteriors, peaks or refits: streamlines, and maps of where they pass.

use crate::asked::asked;
use crate::call::{Call, Work};
use crate::errors::raise;
use crate::series::Gradients;
use crate::streamlines::Tractogram;
use crate::track::{Arrays, Given, told};
use crate::volume::Volume;
use arcuate::commands_of_programs::options_of;
use arcuate::core::{self, Mask, PeakFrame};
use arcuate::model::{BootstrapOptions, TensorOptions};
use arcuate::pipeline::orientation_files::{Peaks, SampleFiles};
use arcuate::pipeline::sample_folder::SampleFolder;
use arcuate::pipeline::stages::sampled::{everywhere, refitted_orientations, seed_fraction, warn_of_tracks};
use arcuate::pipeline::stages::seeds::Beginnings;
use arcuate::pipeline::stages::tracking::ProductName;
use arcuate::pipeline::stages::{TrackBootstrap, TrackSamples};
use arcuate::track::{
    Constraints, Fibre, OrientationSource, OrientationTable, SampleOptions, SampleOutputs, Seeds,
    track_samples,
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// Orientations that streamlines follow: samples of posteriors, peaks, or refits.
#[pyclass(frozen, module = "arcuate._arcuate")]
pub(crate) struct Orientations(Arc<OrientationTable>);

/// The voxels, the samples of each, and each fibre of these as numbers.
type Parts = (Volume, usize, Vec<Py<PyArray1<u64>>>);

#[pymethods]
impl Orientations {
    /// Fibres of a voxel at most.
    #[getter]
    fn fibres(&self) -> usize {
        self.0.fibres()
    }

    /// Samples of each.
    #[getter]
    fn samples(&self) -> usize {
        self.0.samples()
    }

    /// Everything that they hold: the voxels, the samples of each, and each fibre of these as numbers.
    fn parts(&self, py: Python<'_>) -> PyResult<Parts> {
        let table = &self.0;
        let inside = table.mask().map_err(raise)?;
        let flags = inside.flags().iter().map(|&inside| f32::from(u8::from(inside))).collect();
        let mask = core::Volume::new(*table.grid(), 1, flags).map_err(raise)?;
        let bits = |number| table.fibre(number).into_iter().map(Fibre::to_bits).collect::<Vec<u64>>();
        let fibres = (0..table.fibres()).map(|number| bits(number).into_pyarray(py).unbind()).collect();
        Ok((mask.into(), table.samples(), fibres))
    }

    /// The orientations of what [`parts`](Self::parts) gave.
    #[staticmethod]
    fn of_parts(mask: &Volume, samples: usize, fibres: Vec<PyReadonlyArray1<'_, u64>>) -> PyResult<Self> {
        let bits = |of_fibre: PyReadonlyArray1<'_, u64>| of_fibre.as_array().iter().copied().collect();
        let stored = Stored { mask: mask.mask(), samples, fibres: fibres.into_iter().map(bits).collect() };
        OrientationTable::new(&stored).map(|table| Self(Arc::new(table))).map_err(raise)
    }

    /// Mean directions of fibres, x, y, z each, as long as their mean fractions.
    fn peaks(&self, py: Python<'_>, call: &Call) -> PyResult<Volume> {
        let table = Arc::clone(&self.0);
        call.perform(py, |_| table.mean_orientations().map(Into::into))
    }
}

/// What Python's pickle has of orientations.
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

/// Reads the samples of a folder: of bedpostX, or of a fit.
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

/// Peaks as orientations: x, y, z of each along the last axis, in scanner axes, as long as their fractions.
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

/// Principal directions of tensors that are refitted to resampled residuals.
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
        let asked: TrackBootstrap = options_of(words)?;
        let options = BootstrapOptions {
            tensor: TensorOptions::default(),
            resampling: asked.resampling,
            samples: asked.replicates,
            seed: work.random_seed(),
        };
        refitted_orientations(&dwi, &gradients, &mask, &options)
    })?;
    Ok(Orientations(Arc::new(table)))
}

/// What is followed, and from where.
struct Ready {
    /// Where the rest of a map lies: the mask of the seeds, or of the orientations.
    voxels: Mask,
    seeds: Seeds,
    options: SampleOptions,
    constraints: Constraints,
}

/// Brings the words and the arrays together, as the command does its files.
fn ready(
    asked: &TrackSamples,
    given: &Given,
    table: &OrientationTable,
    work: &Work<'_>,
) -> core::Result<Ready> {
    let (propagation, preset) = (&asked.tracking.propagation, asked.tracking.preset);
    let (select, seed) = (given.select(&asked.tracking), work.random_seed());
    let options = asked.rules.options(propagation, preset, Some(table.grid()), select, seed)?;
    options.check_on(table.grid(), table.fibres())?;
    let is_anywhere = given.beginnings == Beginnings::Everywhere;
    let fraction = if is_anywhere { seed_fraction(propagation, preset) } else { 0.0 };
    let mut voxels = everywhere(fraction, table)?;
    let constraints = given.constraints(&asked.tracking.constraints);
    let seeds = given.seeds(&asked.tracking, &constraints, &voxels, true)?;
    if let Beginnings::Mask(mask) = &given.beginnings {
        voxels = mask.clone();
    }
    Ok(Ready { voxels, seeds, options, constraints })
}

/// Follows samples, peaks or refits.
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
        let asked = asked::<TrackSamples>(words)?;
        let Ready { seeds, options, constraints, .. } = ready(&asked, &given, &table, work)?;
        let mut tracks = core::Tractogram::new();
        let outputs = SampleOutputs { sink: Some(&mut tracks), ..SampleOutputs::default() };
        let device = work.device()?;
        let found = track_samples(&table, &seeds, &constraints, &options, outputs, &device, &work.control)?;
        warn_of_tracks(&found);
        Ok((tracks.into(), found.summary))
    })?;
    Ok((tracks, told(py, &summary)?))
}

/// Maps of where streamlines pass; of each target how many of each seed do: in the voxels of a map, or of each point.
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
        let asked = asked::<TrackSamples>(words)?;
        let Ready { voxels, seeds, options, constraints } = ready(&asked, &given, &table, work)?;
        let maps = &asked.tracking.maps;
        let is_masked = matches!(given.beginnings, Beginnings::Mask(_));
        let grid = if is_masked { *voxels.grid() } else { *table.grid() };
        let products = asked.tracking.products.written(asked.tracking.preset, false);
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
        let has_points = matches!(given.beginnings, Beginnings::Points(_));
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
    answer.set_item("summary", told(py, &summary)?)?;
    Ok(answer)
}

/// Counts of the voxels of a mask, in their order, as an image.
fn maps_of_counts(mask: &Mask, counts: &[u32]) -> core::Volume<f32> {
    let mut volume = core::Volume::filled(*mask.grid(), 1, 0.0);
    for (&voxel, &count) in mask.indices().iter().zip(counts) {
        volume.values_mut()[voxel] = count as f32;
    }
    volume
}
