//! Tractograms: points, streamlines, groups, and data of all three. NumPy arrays show the points without
//! copying them.
#![allow(unsafe_code)]

use crate::call::Call;
use crate::errors::{raise, refused};
use crate::volume::Volume;
use arcuate_core::{self as core, Column, Columns, Scalars, StreamlineGroups};
use arcuate_io::{Space, TractogramOptions, read_tractogram_in, write_tractogram};
use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{IntoPyArray, PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A tractogram of the libraries. It cannot be changed.
#[pyclass(frozen, module = "arcuate._arcuate")]
pub(crate) struct Tractogram(pub(crate) Arc<core::Tractogram>);

impl From<core::Tractogram> for Tractogram {
    fn from(tractogram: core::Tractogram) -> Self {
        Self(Arc::new(tractogram))
    }
}

/// Converts an array to a data column of the tractogram, with one or several numbers for each point or
/// streamline.
fn column(array: &Bound<'_, PyAny>) -> PyResult<Column> {
    macro_rules! taken {
        ($($kind:ident: $number:ty),*) => {
            $(if let Ok(array) = array.extract::<PyReadonlyArray2<'_, $number>>() {
                let array = array.as_array();
                let values = Scalars::$kind(array.iter().copied().collect());
                return Column::new(array.ncols(), values).map_err(raise);
            })*
        };
    }
    if array.getattr("dtype")?.str()? == "float16" {
        let bits = array.call_method1("view", ("uint16",))?;
        let bits = bits.extract::<PyReadonlyArray2<'_, u16>>()?;
        let bits = bits.as_array();
        let values = Scalars::F16(bits.iter().map(|&bits| half::f16::from_bits(bits)).collect());
        return Column::new(bits.ncols(), values).map_err(raise);
    }
    taken!(F32: f32, F64: f64, I8: i8, U8: u8, I16: i16, U16: u16, I32: i32, U32: u32, I64: i64, U64: u64);
    Err(refused("data of points and streamlines are arrays of numbers, one or several a row"))
}

/// Converts a data column of the tractogram to an array of shape (rows, width). If the width is 1, the shape
/// is (rows,).
fn array_of<'py>(py: Python<'py>, column: &Column) -> PyResult<Bound<'py, PyAny>> {
    let shape = [column.rows(), column.width()];
    macro_rules! given {
        ($($kind:ident),*) => {
            match column.values() {
                $(Scalars::$kind(values) => values.clone().into_pyarray(py).into_any(),)*
                Scalars::F16(values) => {
                    let bits: Vec<u16> = values.iter().map(|value| value.to_bits()).collect();
                    bits.into_pyarray(py).call_method1("view", ("float16",))?
                }
            }
        };
    }
    let array = given!(I8, U8, I16, U16, I32, U32, I64, U64, F32, F64);
    if shape[1] == 1 { Ok(array) } else { array.call_method1("reshape", (shape,)) }
}

fn arrays_of<'py>(py: Python<'py>, columns: &Columns) -> PyResult<Bound<'py, PyDict>> {
    let arrays = PyDict::new(py);
    for (name, column) in columns {
        arrays.set_item(name, array_of(py, column)?)?;
    }
    Ok(arrays)
}

fn columns(arrays: &Bound<'_, PyDict>) -> PyResult<Columns> {
    let mut columns = Columns::default();
    for (name, array) in arrays {
        columns.insert(name.extract()?, column(&array)?);
    }
    Ok(columns)
}

#[pymethods]
impl Tractogram {
    /// Creates a tractogram from copies of arrays. `positions` has the shape (n, 3). `offsets` has the index
    /// of each streamline's first point, and the number of points at its end. Data and groups have names;
    /// each data array has two dimensions.
    #[new]
    fn new(
        positions: PyReadonlyArray2<'_, f32>,
        offsets: PyReadonlyArray1<'_, u64>,
        data_per_point: &Bound<'_, PyDict>,
        data_per_streamline: &Bound<'_, PyDict>,
        groups: BTreeMap<String, Vec<u32>>,
    ) -> PyResult<Self> {
        let positions = positions.as_array();
        if positions.ncols() != 3 {
            return Err(refused(format!("positions: {} columns where x, y, z are due", positions.ncols())));
        }
        let points: Vec<core::Point> =
            positions.rows().into_iter().map(|row| [row[0], row[1], row[2]]).collect();
        let offsets = offsets.as_array().iter().copied().collect();
        let mut tractogram = core::Tractogram::from_parts(points, offsets).map_err(raise)?;
        tractogram.check_positions().map_err(raise)?;
        tractogram.per_point = columns(data_per_point)?;
        tractogram.per_streamline = columns(data_per_streamline)?;
        tractogram.groups = StreamlineGroups { members: groups, values: BTreeMap::default() };
        tractogram.check().map_err(raise)?;
        Ok(tractogram.into())
    }

    /// Returns all points in RAS mm, as a read-only view without a copy.
    fn positions<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let points = slf.get().0.positions();
        let view = ArrayView2::from_shape((points.len(), 3), points.as_flattened())
            .map_err(|error| refused(error.to_string()))?;
        // SAFETY: as in `Volume::array`.
        let array = unsafe { PyArray::borrow_from_array(&view, slf.clone().into_any()) };
        array.readwrite().make_nonwriteable();
        Ok(array)
    }

    /// Returns the index of the first point of each streamline. The last element is the number of points. The
    /// array is a read-only view without a copy.
    fn offsets<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<u64>> {
        let view = ArrayView1::from(slf.get().0.offsets());
        // SAFETY: as in `Volume::array`.
        let array = unsafe { PyArray::borrow_from_array(&view, slf.clone().into_any()) };
        array.readwrite().make_nonwriteable();
        array
    }

    fn data_per_point<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        arrays_of(py, &self.0.per_point)
    }

    fn data_per_streamline<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        arrays_of(py, &self.0.per_streamline)
    }

    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let groups = PyDict::new(py);
        for (name, members) in &self.0.groups.members {
            groups.set_item(name, members.clone().into_pyarray(py))?;
        }
        Ok(groups)
    }

    /// Returns the data of each group: for each name, an array with one row.
    fn data_per_group<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let groups = PyDict::new(py);
        for (name, columns) in &self.0.groups.values {
            groups.set_item(name, arrays_of(py, columns)?)?;
        }
        Ok(groups)
    }

    /// Returns the tractogram with values of groups.
    fn with_data_per_group(&self, groups: BTreeMap<String, Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut tractogram = (*self.0).clone();
        let of_group =
            |(name, arrays): (String, Bound<'_, PyDict>)| -> PyResult<_> { Ok((name, columns(&arrays)?)) };
        tractogram.groups.values = groups.into_iter().map(of_group).collect::<PyResult<_>>()?;
        tractogram.check().map_err(raise)?;
        Ok(tractogram.into())
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Returns a tractogram of the streamlines with the given indices, in this order, with their data and
    /// groups.
    fn select(&self, numbers: Vec<usize>) -> PyResult<Self> {
        if let Some(number) = numbers.iter().find(|&&number| number >= self.0.len()) {
            return Err(refused(format!("streamline {number} does not exist; there are {}", self.0.len())));
        }
        Ok(self.0.select(&numbers).into())
    }
}

/// Reads a tractogram from a file. Some file formats do not store their coordinate space. For these, `space`
/// is the reference image.
#[pyfunction]
pub(crate) fn load_tractogram(
    py: Python<'_>,
    call: &Call,
    path: PathBuf,
    space: Option<&Volume>,
) -> PyResult<Tractogram> {
    let grid = space.map(|image| *image.0.grid());
    call.perform(py, |_| {
        let space = grid.as_ref().map_or(Space::Unknown, Space::Likely);
        read_tractogram_in(&path, space).map(|file| file.tractogram.into())
    })
}

/// Writes a tractogram to a file. `space` is the reference image for the header of the file.
#[pyfunction]
pub(crate) fn save_tractogram(
    py: Python<'_>,
    call: &Call,
    path: PathBuf,
    tractogram: &Tractogram,
    space: Option<&Volume>,
) -> PyResult<()> {
    let (tractogram, grid) = (Arc::clone(&tractogram.0), space.map(|image| *image.0.grid()));
    let options = TractogramOptions {
        history: format!("arcuate {} (Python)", env!("CARGO_PKG_VERSION")),
        ..Default::default()
    };
    call.perform(py, |_| write_tractogram(&path, &tractogram, grid.as_ref(), &options))
}
