//! Linear operators that act on NumPy vectors. The solvers of SciPy and PyLops can use them.

use crate::call::Call;
use crate::errors::{raise, refused};
use arcuate_core as core;
use arcuate_recon::{self as recon, Differences, FourierSums, Kernel, Shape};
use arcuate_solve::LinearOperator;
use bytemuck::{cast_slice, cast_slice_mut};
use numpy::{Complex64, Element, IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::sync::Arc;

/// A linear operator on real vectors.
#[pyclass(frozen, module = "arcuate._arcuate")]
pub(crate) struct Operator(Box<dyn LinearOperator<f64> + Send>);

impl Operator {
    pub(crate) fn new(operator: impl LinearOperator<f64> + Send + 'static) -> Self {
        Self(Box::new(operator))
    }

    /// Creates an operator whose unknowns are in another order: unknown n is the column `columns[n]` of the
    /// given operator.
    pub(crate) fn by_columns(operator: impl LinearOperator<f64> + Send + 'static, columns: Vec<u32>) -> Self {
        Self(Box::new(Reordered { operator, columns }))
    }
}

/// An operator with reordered unknowns.
struct Reordered<A> {
    operator: A,
    columns: Vec<u32>,
}

impl<A: LinearOperator<f64>> LinearOperator<f64> for Reordered<A> {
    fn rows(&self) -> usize {
        self.operator.rows()
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn apply_forward(&self, unknowns: &[f64], data: &mut [f64]) {
        let mut ordered = vec![0.0; self.operator.columns()];
        self.columns.iter().zip(unknowns).for_each(|(&column, &unknown)| ordered[column as usize] = unknown);
        self.operator.apply_forward(&ordered, data);
    }

    fn apply_adjoint(&self, data: &[f64], unknowns: &mut [f64]) {
        let mut ordered = vec![0.0; self.operator.columns()];
        self.operator.apply_adjoint(data, &mut ordered);
        self.columns.iter().zip(unknowns).for_each(|(&column, unknown)| *unknown = ordered[column as usize]);
    }
}

/// Applies an operator to a vector. The vector must have `due` elements, and the result has `made` elements.
fn applied<'py, T: Element + Copy + Default + Send + Sync>(
    py: Python<'py>,
    call: &Call,
    vector: &PyReadonlyArray1<'py, T>,
    [due, made]: [usize; 2],
    apply: impl FnOnce(&[T], &mut [T]) + Send,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    let vector = vector.as_array().to_vec();
    if vector.len() != due {
        return Err(refused(format!("the vector has {} elements, not {due}", vector.len())));
    }
    let made = call.perform(py, |_| {
        let mut made = vec![T::default(); made];
        apply(&vector, &mut made);
        Ok(made)
    })?;
    Ok(made.into_pyarray(py))
}

#[pymethods]
impl Operator {
    /// Number of rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.0.rows(), self.0.columns())
    }

    fn matvec<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        vector: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let sizes = [self.0.columns(), self.0.rows()];
        applied(py, call, &vector, sizes, |unknowns, data| self.0.forward(unknowns, data))
    }

    fn rmatvec<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        vector: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let sizes = [self.0.rows(), self.0.columns()];
        applied(py, call, &vector, sizes, |data, unknowns| self.0.adjoint(data, unknowns))
    }
}

/// A linear operator on complex vectors. Image vectors are stored x fastest.
#[pyclass(frozen, module = "arcuate._arcuate")]
pub(crate) struct ComplexOperator(Box<dyn LinearOperator<f64> + Send>);

/// FᴴF, which is its own adjoint.
struct Normal(recon::Toeplitz<f64>);

impl LinearOperator<f64> for Normal {
    fn rows(&self) -> usize {
        self.0.sums().columns()
    }

    fn columns(&self) -> usize {
        self.0.sums().columns()
    }

    fn apply_forward(&self, unknowns: &[f64], data: &mut [f64]) {
        self.0.normal_all(unknowns, data);
    }

    fn apply_adjoint(&self, data: &[f64], unknowns: &mut [f64]) {
        self.0.normal_all(data, unknowns);
    }
}

pub(crate) fn places(samples: &PyReadonlyArray2<'_, f64>) -> PyResult<Vec<[f64; 3]>> {
    let samples = samples.as_array();
    if samples.ncols() != 3 {
        return Err(refused(format!("samples: {} columns where x, y, z are due", samples.ncols())));
    }
    Ok(samples.rows().into_iter().map(|row| [row[0], row[1], row[2]]).collect())
}

/// Creates an operator from non-uniform Fourier sums F, which are computed exactly. `shape` is the number of
/// voxels along x, y and z. `samples` has the shape (n, 3), with k-space positions in cycles per field of
/// view.
fn of_sums<A: LinearOperator<f64> + Send + 'static>(
    py: Python<'_>,
    call: &Call,
    shape: [usize; 3],
    samples: &PyReadonlyArray2<'_, f64>,
    make: impl FnOnce(FourierSums<f64>) -> core::Result<A> + Send,
) -> PyResult<ComplexOperator> {
    let (shape, samples) = (Shape::new(shape).map_err(raise)?, places(samples)?);
    let made = call.perform(py, |work| make(FourierSums::new(shape, samples)?.on(work.device()?)))?;
    Ok(ComplexOperator(Box::new(made)))
}

/// Returns the Fourier sums as an operator.
#[pyfunction]
pub(crate) fn fourier_sums(
    py: Python<'_>,
    call: &Call,
    shape: [usize; 3],
    samples: PyReadonlyArray2<'_, f64>,
) -> PyResult<ComplexOperator> {
    of_sums(py, call, shape, &samples, Ok)
}

/// Returns the operator FᴴF of the non-uniform Fourier sums F, which is applied as a convolution.
#[pyfunction]
pub(crate) fn toeplitz(
    py: Python<'_>,
    call: &Call,
    shape: [usize; 3],
    samples: PyReadonlyArray2<'_, f64>,
) -> PyResult<ComplexOperator> {
    of_sums(py, call, shape, &samples, |sums| {
        let kernel = Arc::new(Kernel::new(&sums, None));
        Ok(Normal(recon::Toeplitz::new(sums, None, kernel)?))
    })
}

/// Returns the operator of differences between neighbouring voxels, along each axis with more than one voxel.
/// With an anatomical image, differences across its edges have a smaller weight.
#[pyfunction]
pub(crate) fn differences(
    py: Python<'_>,
    call: &Call,
    shape: [usize; 3],
    anatomy: Option<PyReadonlyArray1<'_, f32>>,
    edge: Option<f64>,
) -> PyResult<ComplexOperator> {
    let shape = Shape::new(shape).map_err(raise)?;
    let anatomy: Option<Vec<Option<f32>>> =
        anatomy.map(|anatomy| anatomy.as_array().iter().map(|&value| Some(value)).collect());
    let made = call.perform(py, |_| match &anatomy {
        Some(anatomy) => Differences::<f64>::along_anatomy(shape, anatomy, edge),
        None => Ok(Differences::new(shape)),
    })?;
    Ok(ComplexOperator(Box::new(made)))
}

#[pymethods]
impl ComplexOperator {
    /// Number of rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        // A complex number is two real numbers.
        (self.0.rows() / 2, self.0.columns() / 2)
    }

    fn matvec<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        vector: PyReadonlyArray1<'py, Complex64>,
    ) -> PyResult<Bound<'py, PyArray1<Complex64>>> {
        let (rows, columns) = self.shape();
        applied(py, call, &vector, [columns, rows], |unknowns, data| {
            self.0.forward(cast_slice(unknowns), cast_slice_mut(data));
        })
    }

    fn rmatvec<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        vector: PyReadonlyArray1<'py, Complex64>,
    ) -> PyResult<Bound<'py, PyArray1<Complex64>>> {
        let (rows, columns) = self.shape();
        applied(py, call, &vector, [rows, columns], |data, unknowns| {
            self.0.adjoint(cast_slice(data), cast_slice_mut(unknowns));
        })
    }
}
