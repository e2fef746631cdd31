//! Track densities, values along streamlines, and connectomes.

use crate::call::Call;
use crate::keyword_options::keyword_options;
use crate::streamlines::Tractogram;
use crate::volume::Volume;
use arcuate::commands_of_programs::{AlongStreamlines, options_of};
use arcuate_connect::{Sampler, TrackMap, connectome};
use arcuate_core::{Measure, StreamlineSink};
use arcuate_pipeline::parcellation::require_regions;
use arcuate_pipeline::space::warn_of_samples_outside;
use arcuate_pipeline::stages::density::warn_of_none_passing;
use arcuate_pipeline::stages::{MakeConnectome, MapDensity};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

/// Computes a map of the streamlines, for example the number of streamlines that pass each voxel.
#[pyfunction]
pub(crate) fn density(
    py: Python<'_>,
    call: &Call,
    tracks: &Tractogram,
    like: &Volume,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    words: Vec<OsString>,
) -> PyResult<Volume> {
    let (tracks, grid) = (Arc::clone(&tracks.0), *like.0.grid());
    let weights = weights.map(|weights| weights.as_array().to_vec());
    call.perform(py, |_| {
        let options = keyword_options::<MapDensity>(words)?.options;
        let mut map = TrackMap::new(grid, options, weights)?;
        map.take(tracks.as_batch())?;
        let map = map.into_volume()?;
        warn_of_none_passing(&map, !tracks.positions().is_empty(), &"‘like’");
        Ok(map.into())
    })
}

/// Samples an image along streamlines. Returns a value for each point, or one value for each streamline.
#[pyfunction]
pub(crate) fn sample_along<'py>(
    py: Python<'py>,
    call: &Call,
    tracks: &Tractogram,
    image: &Volume,
    words: Vec<OsString>,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let (tracks, image) = (Arc::clone(&tracks.0), Arc::clone(&image.0));
    let values = call.perform(py, |_| {
        let AlongStreamlines { statistic, interpolation } = options_of(words)?;
        let sampler = Sampler::new(&image, interpolation)?;
        let batch = tracks.as_batch();
        let samples = match statistic {
            None => sampler.points(batch),
            Some(statistic) => sampler.streamlines(batch, statistic),
        };
        warn_of_samples_outside(samples.outside, tracks.positions().len() as u64, &"the image");
        Ok(samples.values)
    })?;
    Ok(values.into_pyarray(py))
}

/// The regions, the matrix of each measure, and the two regions that each streamline connects (0 for no
/// region).
type Connected<'py> =
    (Vec<u64>, Vec<String>, BTreeMap<&'static str, Bound<'py, PyArray2<f64>>>, Bound<'py, PyArray2<u32>>);

/// Computes the connections between regions.
#[pyfunction]
pub(crate) fn make_connectome<'py>(
    py: Python<'py>,
    call: &Call,
    tracks: &Tractogram,
    labels: &Volume,
    names: BTreeMap<u32, String>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    words: Vec<OsString>,
) -> PyResult<Connected<'py>> {
    let tracks = Arc::clone(&tracks.0);
    let labels = labels.labels(names).map_err(crate::errors::raise)?;
    let weights = weights.map(|weights| weights.as_array().to_vec());
    let found = call.perform(py, |_| {
        require_regions(&labels, &"labels")?;
        let options = keyword_options::<MakeConnectome>(words)?.options()?;
        connectome(&tracks, &labels, weights.as_deref(), &options)
    })?;
    let axis = found.matrix.rows();
    let count = axis.len();
    let mut matrices = BTreeMap::new();
    for (name, measure) in
        [("count", Measure::Count), ("weight", Measure::Weight), ("mean_length", Measure::MeanLength)]
    {
        let mut values = vec![0.0; count * count];
        for row in 0..count {
            for column in 0..count {
                let value = found.matrix.get(&measure, row.min(column), row.max(column));
                values[row * count + column] = value.unwrap_or(0.0);
            }
        }
        matrices.insert(name, values.into_pyarray(py).reshape([count, count])?);
    }
    let names = (0..count).map(|place| axis.name(place).unwrap_or_default().to_owned()).collect();
    let joined: Vec<u32> =
        found.assignments.iter().flat_map(|pair| pair.map_or([0, 0], |(a, b)| [a, b])).collect();
    let joined = joined.into_pyarray(py).reshape([found.assignments.len(), 2])?;
    Ok((axis.numbers().to_vec(), names, matrices, joined))
}
