//! Images (values on a voxel grid). NumPy arrays show the values without copying them. Arrays that come from
//! NumPy are copied.
#![allow(unsafe_code)]

use crate::call::pool;
use crate::errors::{raise, refused};
use arcuate_core::{self as core, Affine, Grid, Labels, Mask};
use numpy::ndarray::{ArrayView4, Axis};
use numpy::{PyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An image of the libraries. It cannot be changed.
#[pyclass(frozen, module = "arcuate._arcuate")]
pub(crate) struct Volume(pub(crate) Arc<core::Volume<f32>>);

impl From<core::Volume<f32>> for Volume {
    fn from(volume: core::Volume<f32>) -> Self {
        Self(Arc::new(volume))
    }
}

impl Volume {
    /// Returns the mask of nonzero voxels.
    pub(crate) fn mask(&self) -> Mask {
        Mask::from_volume(&self.0)
    }

    /// Returns the values as region labels.
    pub(crate) fn labels(&self, names: BTreeMap<u32, String>) -> core::Result<Labels> {
        Labels::from_volume(&self.0, names)
    }
}

/// Returns the voxel grid of an image, from the shape of its array and its affine.
fn grid(shape: &[usize], affine: [[f64; 4]; 4]) -> PyResult<Grid> {
    if affine[3] != [0.0, 0.0, 0.0, 1.0] {
        return Err(refused("affine: its last row is not 0 0 0 1"));
    }
    let affine = Affine::from_rows([affine[0], affine[1], affine[2]]).map_err(raise)?;
    Grid::new([shape[0], shape[1], shape[2]], affine).map_err(raise)
}

#[pymethods]
impl Volume {
    /// Creates an image from a copy of an array with shape (x, y, z) or (x, y, z, channels). `placed` is true
    /// if the affine states the position of the voxels in space.
    #[new]
    #[pyo3(signature = (array, affine, placed=true))]
    fn new(
        py: Python<'_>,
        array: PyReadonlyArrayDyn<'_, f32>,
        affine: [[f64; 4]; 4],
        placed: bool,
    ) -> PyResult<Self> {
        let shape = array.shape().to_vec();
        if !(3..=4).contains(&shape.len()) {
            let problem = format!("an image has 3 or 4 dimensions, not {}", shape.len());
            return Err(refused(problem));
        }
        let grid = grid(&shape, affine)?;
        let grid = if placed { grid } else { grid.presumed() };
        let channels = shape.get(3).copied().unwrap_or(1);
        let (view, pool) = (array.as_array(), pool(0).map_err(raise)?);
        let copy = || {
            let mut values = vec![0f32; grid.len() * channels];
            let [nx, ny, _] = grid.shape();
            let rows = values.par_chunks_mut((nx * channels).max(1)).enumerate();
            rows.for_each(|(row, out)| {
                let (y, z) = (row % ny, row / ny);
                let of_row = view.index_axis(Axis(2), z);
                let of_row = of_row.index_axis(Axis(1), y);
                // In the two remaining dimensions, x varies slower than the channel.
                out.iter_mut().zip(of_row.iter()).for_each(|(out, value)| *out = *value);
            });
            values
        };
        let values = py.detach(|| pool.install(copy));
        let volume = core::Volume::new(grid, channels, values).map_err(raise)?;
        Ok(volume.into())
    }

    /// Returns a read-only view of the values. Its shape is (x, y, z), or (x, y, z, channels) if there are
    /// several channels.
    fn array<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let volume = &slf.get().0;
        let [nx, ny, nz] = volume.grid().shape();
        let view = ArrayView4::from_shape((nz, ny, nx, volume.channels()), volume.values())
            .map_err(|error| refused(error.to_string()))?
            .permuted_axes([2, 1, 0, 3])
            .into_dyn();
        let view = if volume.channels() == 1 { view.index_axis_move(Axis(3), 0) } else { view };
        // SAFETY: the values keep their address while the object exists, and the array keeps the object.
        // The values are never written: the object only gives shared references to them, and the next line
        // makes the array read-only.
        let array = unsafe { PyArray::borrow_from_array(&view, slf.clone().into_any()) };
        array.readwrite().make_nonwriteable();
        Ok(array)
    }

    /// Affine from voxel indices to RAS mm.
    #[getter]
    fn affine(&self) -> [[f64; 4]; 4] {
        let [x, y, z] = self.0.grid().affine().rows();
        [x, y, z, [0.0, 0.0, 0.0, 1.0]]
    }

    /// True if the affine states the position of the voxels in space.
    #[getter]
    fn placed(&self) -> bool {
        self.0.grid().is_placed()
    }

    /// Number of values per voxel.
    #[getter]
    fn channels(&self) -> usize {
        self.0.channels()
    }
}
