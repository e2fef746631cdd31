//! Images: values on a grid, shared with NumPy without a copy on the way out and with one on the way in.
#![allow(unsafe_code)]

use crate::call::pool;
use crate::errors::{raise, refused};
use arcuate::core::{self, Affine, Grid, Labels, Mask};
use numpy::ndarray::{ArrayView4, Axis};
use numpy::{PyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An image of the library, which never changes.
#[pyclass(frozen, module = "arcuate._arcuate")]
pub(crate) struct Volume(pub(crate) Arc<core::Volume<f32>>);

impl From<core::Volume<f32>> for Volume {
    fn from(volume: core::Volume<f32>) -> Self {
        Self(Arc::new(volume))
    }
}

impl Volume {
    /// Where the values are not 0.
    pub(crate) fn mask(&self) -> Mask {
        Mask::from_volume(&self.0)
    }

    /// Values as numbers of regions.
    pub(crate) fn labels(&self, names: BTreeMap<u32, String>) -> core::Result<Labels> {
        Labels::from_volume(&self.0, names)
    }
}

/// The grid of an array's shape and an affine.
fn grid(shape: &[usize], affine: [[f64; 4]; 4]) -> PyResult<Grid> {
    if affine[3] != [0.0, 0.0, 0.0, 1.0] {
        return Err(refused("affine: its last row is not 0 0 0 1"));
    }
    let affine = Affine::from_rows([affine[0], affine[1], affine[2]]).map_err(raise)?;
    Grid::new([shape[0], shape[1], shape[2]], affine).map_err(raise)
}

#[pymethods]
impl Volume {
    /// Takes a copy of an array (x, y, z) or (x, y, z, values of a voxel). `placed` is whether the affine says where the voxels are.
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
                // Of what is left voxels come before their values.
                out.iter_mut().zip(of_row.iter()).for_each(|(out, value)| *out = *value);
            });
            values
        };
        let values = py.detach(|| pool.install(copy));
        let volume = core::Volume::new(grid, channels, values).map_err(raise)?;
        Ok(volume.into())
    }

    /// The values as an array (x, y, z), or (x, y, z, values of a voxel) where there are several: a view that cannot be written to.
    fn array<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let volume = &slf.get().0;
        let [nx, ny, nz] = volume.grid().shape();
        let view = ArrayView4::from_shape((nz, ny, nx, volume.channels()), volume.values())
            .map_err(|error| refused(error.to_string()))?
            .permuted_axes([2, 1, 0, 3])
            .into_dyn();
        let view = if volume.channels() == 1 { view.index_axis_move(Axis(3), 0) } else { view };
        // SAFETY: the values lie where they are as long as the object does, which the array holds; nothing writes to them: the
        // object gives out nothing but shared borrows, and the array is not writable from here on.
        let array = unsafe { PyArray::borrow_from_array(&view, slf.clone().into_any()) };
        array.readwrite().make_nonwriteable();
        Ok(array)
    }

    /// Voxel indices to RAS mm.
    #[getter]
    fn affine(&self) -> [[f64; 4]; 4] {
        let [x, y, z] = self.0.grid().affine().rows();
        [x, y, z, [0.0, 0.0, 0.0, 1.0]]
    }

    /// Whether the affine says where the voxels are.
    #[getter]
    fn placed(&self) -> bool {
        self.0.grid().is_placed()
    }

    /// Values of a voxel.
    #[getter]
    fn channels(&self) -> usize {
        self.0.channels()
    }
}
