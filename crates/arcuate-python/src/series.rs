//! Reads and writes images. Also handles diffusion series with their gradient tables.

use crate::call::Call;
use crate::errors::{raise, refused};
use crate::volume::Volume;
use arcuate_core::{
    self as core, Affine, GradientTable, Mask, PulseTiming, SignedAxes, image_axes_to_scanner,
};
use arcuate_io::{
    BUnit, DirectionLengths, GradientReading, Intent, WriteOptions, describe_image, read_image, write_image,
};
use arcuate_model::{MaskOptions, TensorOrder, brain_mask, tensors_in_order};
use arcuate_pipeline::gradient_deviations;
use arcuate_pipeline::series::{GradientSource, Series, Weighting};
use arcuate_pipeline::tensor_order::{order_of, read_tensor};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// The gradient table (diffusion weighting) of the measurements of a series.
#[pyclass(frozen, module = "arcuate._arcuate")]
pub(crate) struct Gradients(pub(crate) GradientTable);

/// Contents of a gradient table.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Parts {
    directions: Vec<[f64; 3]>,
    b_values: Vec<f64>,
    b0_threshold: f64,
    /// Amplitude of the diffusion gradient, separation, duration, and echo time; four values per measurement.
    timings: Option<Vec<[f64; 4]>>,
    averaged: Option<Vec<usize>>,
}

fn timing([amplitude, separation, duration, echo_time]: [f64; 4]) -> PulseTiming {
    PulseTiming { amplitude, separation, duration, echo_time }
}

/// Returns the rows of an array. Returns an error if the array does not have three columns.
fn rows(directions: &PyReadonlyArray2<'_, f64>) -> PyResult<Vec<[f64; 3]>> {
    let directions = directions.as_array();
    if directions.ncols() != 3 {
        return Err(refused(format!("directions: {} columns where x, y, z are due", directions.ncols())));
    }
    Ok(directions.rows().into_iter().map(|row| [row[0], row[1], row[2]]).collect())
}

impl Gradients {
    fn of(
        directions: &[[f64; 3]],
        b_values: &PyReadonlyArray1<'_, f64>,
        b0_threshold: Option<f64>,
    ) -> PyResult<Self> {
        let threshold = b0_threshold.unwrap_or(GradientTable::DEFAULT_B0_THRESHOLD);
        GradientTable::new(directions, b_values.as_array().to_vec(), threshold).map(Self).map_err(raise)
    }
}

#[pymethods]
impl Gradients {
    /// Creates a gradient table. `directions` has the shape (n, 3), in scanner axes. The b-values are in
    /// s/mm².
    #[new]
    fn new(
        directions: PyReadonlyArray2<'_, f64>,
        b_values: PyReadonlyArray1<'_, f64>,
        b0_threshold: Option<f64>,
    ) -> PyResult<Self> {
        Self::of(&rows(&directions)?, &b_values, b0_threshold)
    }

    /// Creates a gradient table from directions in FSL's image axes or in plain voxel axes. FSL's axes are
    /// the voxel axes of an image with this affine. If the determinant of the affine is positive, x is
    /// negated.
    #[staticmethod]
    fn of_image_axes(
        directions: PyReadonlyArray2<'_, f64>,
        b_values: PyReadonlyArray1<'_, f64>,
        b0_threshold: Option<f64>,
        affine: [[f64; 4]; 4],
        is_fsl: bool,
    ) -> PyResult<Self> {
        let affine = Affine::from_rows([affine[0], affine[1], affine[2]]).map_err(raise)?;
        let sign = if !is_fsl && affine.determinant() > 0.0 { -1.0 } else { 1.0 };
        let rows = rows(&directions)?.into_iter().map(|[x, y, z]| [sign * x, y, z]).collect::<Vec<_>>();
        let directions = image_axes_to_scanner(&rows, &affine);
        Self::of(&directions, &b_values, b0_threshold)
    }

    /// Creates the gradient table from the content that [`parts`](Self::parts) returned.
    #[staticmethod]
    fn of_parts(parts: Parts) -> PyResult<Self> {
        let Parts { directions, b_values, b0_threshold, timings, averaged } = parts;
        let table = GradientTable::from_unit_directions(directions, b_values, b0_threshold);
        let table = table.and_then(|table| match timings {
            None => Ok(table),
            Some(timings) => table.with_timings(timings.into_iter().map(timing).collect()),
        });
        let table = table.and_then(|table| match averaged {
            None => Ok(table),
            Some(counts) => table.with_averaged(counts),
        });
        table.map(Self).map_err(raise)
    }

    /// Returns the whole content of the gradient table, as a dictionary.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let table = &self.0;
        let timings = table.timings().map(|timings| {
            let numbers = |t: &PulseTiming| [t.amplitude, t.separation, t.duration, t.echo_time];
            timings.iter().map(numbers).collect::<Vec<_>>()
        });
        let parts = PyDict::new(py);
        parts.set_item("directions", table.directions().to_vec())?;
        parts.set_item("b_values", table.b_values().to_vec())?;
        parts.set_item("b0_threshold", table.b0_threshold())?;
        parts.set_item("timings", timings)?;
        parts.set_item("averaged", table.averaged().map(<[usize]>::to_vec))?;
        Ok(parts)
    }

    fn directions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let directions = self.0.directions().as_flattened().to_vec();
        directions.into_pyarray(py).reshape([self.0.len(), 3])
    }

    fn b_values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.b_values().to_vec().into_pyarray(py)
    }

    #[getter]
    fn b0_threshold(&self) -> f64 {
        self.0.b0_threshold()
    }

    /// Returns the mean b-value of each shell, and the number of measurements in the shell.
    fn shells(&self) -> Vec<(f64, usize)> {
        self.0.shells()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// Reads an image.
#[pyfunction]
pub(crate) fn load_image(py: Python<'_>, call: &Call, path: PathBuf) -> PyResult<Volume> {
    call.perform(py, |work| {
        if describe_image(&path)?.intent == Intent::SYMMETRIC_MATRIX {
            work.control.warn(&format!(
                "{}: its header states symmetric matrices (intent 1005); they stay in the order Dxx Dxy Dyy Dxz Dyz Dzz: \
                 read tensors with load_tensor",
                path.display()
            ));
        }
        read_image(&path).map(|image| image.volume.into())
    })
}

/// Reads a tensor image and converts it to Arcuate's order of tensor elements. The order in the file is
/// `order`. If `order` is `None`, it is the order that the header states.
#[pyfunction]
pub(crate) fn load_tensor(
    py: Python<'_>,
    call: &Call,
    path: PathBuf,
    order: Option<String>,
) -> PyResult<Volume> {
    call.perform(py, |_| {
        let order = order.as_deref().map(TensorOrder::named).transpose()?;
        read_tensor(&path, order).map(Into::into)
    })
}

/// Converts an image of tensors that another library has read to Arcuate's order of tensor elements. `intent`
/// is the NIfTI intent code of the image.
#[pyfunction]
pub(crate) fn order_tensor(
    py: Python<'_>,
    call: &Call,
    image: &Volume,
    intent: i64,
    name: PathBuf,
) -> PyResult<Volume> {
    let image = Arc::clone(&image.0);
    call.perform(py, |_| tensors_in_order((*image).clone(), order_of(&name, intent, None)?).map(Into::into))
}

/// Writes an image.
#[pyfunction]
pub(crate) fn save_image(py: Python<'_>, call: &Call, path: PathBuf, image: &Volume) -> PyResult<()> {
    let image = Arc::clone(&image.0);
    let description = format!("arcuate {} (Python)", env!("CARGO_PKG_VERSION"));
    let options = WriteOptions { description, ..WriteOptions::default() };
    call.perform(py, |_| write_image(&path, &*image, &options))
}

const B_UNITS: [(&str, BUnit); 3] = [
    ("s/mm2", BUnit::SecondsPerSquareMillimetre),
    ("s/m2", BUnit::SecondsPerSquareMetre),
    ("ms/um2", BUnit::MillisecondsPerSquareMicrometre),
];
const LENGTHS: [(&str, DirectionLengths); 2] =
    [("scale", DirectionLengths::Scale), ("ignore", DirectionLengths::Ignore)];

/// Returns the value that belongs to a word of the keyword `keyword`. `known` lists the possible words with
/// their values.
fn named<T: Copy>(keyword: &str, given: Option<&str>, known: &[(&str, T)]) -> PyResult<Option<T>> {
    let Some(given) = given else { return Ok(None) };
    if let Some((_, value)) = known.iter().find(|(name, _)| *name == given) {
        return Ok(Some(*value));
    }
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let problem = format!("`{given}` is none of {}", names.join(", "));
    Err(raise(core::Error::usage(keyword, problem, "give one of them")))
}

/// Reads a series and its gradient table.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
pub(crate) fn load_series(
    py: Python<'_>,
    call: &Call,
    path: PathBuf,
    bval: Option<PathBuf>,
    bvec: Option<PathBuf>,
    gradients: Option<PathBuf>,
    b0_threshold: Option<f64>,
    gradient_axes: Option<&str>,
    b_unit: Option<&str>,
    bvec_lengths: Option<&str>,
) -> PyResult<(Volume, Gradients)> {
    let fsl = match (bval, bvec) {
        (Some(bval), Some(bvec)) => Some([bval, bvec]),
        (None, None) => None,
        _ => return Err(refused("bval, bvec: one is given without the other; give both")),
    };
    let mut source = GradientSource { fsl, table: gradients, ..GradientSource::default() };
    source.reading = GradientReading {
        b0_threshold,
        b_unit: named("‘b_unit’", b_unit, &B_UNITS)?,
        lengths: named("‘bvec_lengths’", bvec_lengths, &LENGTHS)?,
    };
    if let Some(axes) = gradient_axes {
        source.axes = SignedAxes::parse(axes).map_err(|error| raise(error.about("‘gradient_axes’")))?;
    }
    let Series { dwi, gradients, .. } = call.perform(py, |_| {
        gradient_deviations::warn_unused(&path, None);
        Series::read(&path, &source, Weighting::Needed)
    })?;
    Ok((dwi.into(), Gradients(gradients)))
}

/// Returns the given mask. If none was given, computes a brain mask from the diffusion series.
pub(crate) fn inside(
    mask: Option<Mask>,
    dwi: &core::Volume<f32>,
    gradients: &GradientTable,
) -> core::Result<Mask> {
    mask.map_or_else(|| brain_mask(dwi, gradients, &MaskOptions::default()), Ok)
}

/// Computes the brain mask of a diffusion series: 1 in the brain, and 0 outside.
#[pyfunction]
pub(crate) fn find_mask(
    py: Python<'_>,
    call: &Call,
    dwi: &Volume,
    gradients: &Gradients,
) -> PyResult<Volume> {
    let (dwi, gradients) = (Arc::clone(&dwi.0), gradients.0.clone());
    call.perform(py, |_| {
        let mask = brain_mask(&dwi, &gradients, &MaskOptions::default())?;
        let values = mask.flags().iter().map(|&inside| f32::from(u8::from(inside))).collect();
        core::Volume::new(*mask.grid(), 1, values).map(Into::into)
    })
}
