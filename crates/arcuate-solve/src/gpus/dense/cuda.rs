//! A dense matrix on GPUs as a linear operator, for tests of code that uses operators on GPUs.
#![allow(unsafe_code)]

use super::kernels;
use crate::{Bounds, Dense, LinearOperator, Part, Placed, Products, Real, SolverOperator, SplitOperator};
use arcuate_compute::Device;
use arcuate_compute::cuda::{Buffer, Gpu, Gpus, Grid, Stream, counted};
use arcuate_core::Result;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// A linear operator A, given by its matrix or as A = B Eᵀ with a matrix B and an integer matrix E. In the
/// second case, products Aᵀ y on GPUs compute one raw sum for each column of B. The method `expand` then
/// computes the sums of the unknowns of A from the raw sums.
pub(crate) struct DenseOnGpus<T: Real> {
    placed: Placed<DenseRows<T>>,
    arrays: Arc<DenseArrays<T>>,
}

/// The arrays in CPU memory from which the buffers on a GPU are filled.
struct DenseArrays<T> {
    columns: usize,
    rows: usize,
    matrix: Vec<f64>,
    /// The matrix B, stored row by row, and the matrix E, which has one row for each unknown.
    factors: Option<(Vec<f64>, Vec<i32>)>,
    /// The same operator A on the CPU.
    reference: Dense<T>,
}

/// Name of the counted arrays in errors.
const COUNTED: &str = "rows and columns of a matrix";

/// A range of rows of the matrix on one GPU.
struct DenseRows<T> {
    rows: Range<usize>,
    matrix: Buffer<f64>,
    basis: Buffer<f64>,
    expansion: Buffer<i32>,
    precision: PhantomData<T>,
}

impl<T: Real> DenseOnGpus<T> {
    pub(crate) fn new(gpus: Gpus, columns: usize, matrix: Vec<f64>) -> Self {
        Self::made(columns, matrix, None).on(gpus)
    }

    /// Creates the operator A = B Eᵀ. The matrix B has `raw` columns. The matrix E has one row of `raw`
    /// integers for each unknown.
    pub(crate) fn factored(gpus: Gpus, raw: usize, basis: Vec<f64>, expansion: Vec<i32>) -> Self {
        let product = |b: &[f64], e: &[i32]| b.iter().zip(e).map(|(b, &e)| b * f64::from(e)).sum::<f64>();
        let matrix = basis
            .chunks_exact(raw)
            .flat_map(|b| expansion.chunks_exact(raw).map(move |e| product(b, e)))
            .collect();
        Self::made(expansion.len() / raw, matrix, Some((basis, expansion))).on(gpus)
    }

    fn made(columns: usize, matrix: Vec<f64>, factors: Option<(Vec<f64>, Vec<i32>)>) -> Self {
        let reference = Dense::new(columns, matrix.iter().map(|&a| T::of(a)).collect());
        let rows = matrix.len() / columns;
        let arrays = Arc::new(DenseArrays { columns, rows, matrix, factors, reference });
        Self { placed: Placed::default(), arrays }
    }

    fn on(mut self, gpus: Gpus) -> Self {
        self.placed = Placed::place(&self.arrays, &Device::Cuda(gpus), ()).unwrap();
        self
    }

    /// Returns the same operator on the CPU.
    pub(crate) fn reference(&self) -> &Dense<T> {
        &self.arrays.reference
    }

    /// Returns the number of owners of the reference-counted arrays.
    pub(crate) fn owners(&self) -> usize {
        Arc::strong_count(&self.arrays)
    }

    /// Returns the names of the kernels that compute the products A x and Aᵀ y.
    pub(crate) fn computed_by(&self) -> String {
        self.placed.describe()
    }
}

impl<T: Real> LinearOperator<T> for DenseOnGpus<T> {
    fn rows(&self) -> usize {
        self.arrays.rows
    }

    fn columns(&self) -> usize {
        self.arrays.columns
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        if !self.placed.forward(unknowns, data) {
            self.arrays.apply_forward(unknowns, data);
        }
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        if !self.placed.adjoint(data, unknowns) {
            self.arrays.apply_adjoint(data, unknowns);
        }
    }
}

impl<T: Real> SolverOperator<T> for DenseOnGpus<T> {
    fn on_gpus(&self) -> Option<Box<dyn SplitOperator<T> + '_>> {
        self.placed.on_gpus()
    }
}

impl<T: Real> LinearOperator<T> for DenseArrays<T> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        self.reference.apply_forward(unknowns, data);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.reference.apply_adjoint(data, unknowns);
    }
}

impl<T: Real> Part for DenseRows<T> {
    type Real = T;
    type Operator = DenseArrays<T>;
    type Options = ();

    fn name(_: &DenseArrays<T>) -> &'static str {
        "dense"
    }

    /// The first GPU has one row more than the second, so that the ranges of rows have different sizes.
    fn split(operator: &DenseArrays<T>, gpus: usize) -> Vec<Range<usize>> {
        let rows = operator.rows;
        let begins = |n: usize| if n == 0 { 0 } else { (rows * n / gpus + 1).min(rows) };
        (0..gpus).map(|n| begins(n)..if n + 1 == gpus { rows } else { begins(n + 1) }).collect()
    }

    fn place(operator: &DenseArrays<T>, gpu: &Gpu, _: usize, rows: Range<usize>, (): ()) -> Result<Self> {
        let stream = gpu.stream()?;
        let of_rows = |matrix: &[f64], columns: usize| {
            gpu.upload(&stream, &matrix[rows.start * columns..rows.end * columns])
        };
        let columns = operator.columns;
        let (basis, expansion) = match &operator.factors {
            Some((basis, expansion)) => {
                (of_rows(basis, expansion.len() / columns)?, gpu.upload(&stream, expansion)?)
            }
            None => (of_rows(&operator.matrix, columns)?, gpu.alloc(0)?),
        };
        let matrix = of_rows(&operator.matrix, columns)?;
        Ok(Self { rows, matrix, basis, expansion, precision: PhantomData })
    }

    fn rows(&self, _: &DenseArrays<T>) -> Range<usize> {
        self.rows.clone()
    }

    fn norms(&self, _: &DenseArrays<T>) -> usize {
        self.rows.len()
    }

    fn bounds(operator: &DenseArrays<T>) -> Bounds {
        let rows = |matrix: &[f64], columns: usize| {
            matrix.chunks_exact(columns).map(|row| row.iter().map(|a| a.abs()).sum()).fold(0.0, f64::max)
        };
        let columns = |matrix: &[f64], columns: usize| {
            let mut sums = vec![0.0; columns];
            for (at, a) in matrix.iter().enumerate() {
                sums[at % columns] += a.abs();
            }
            sums.into_iter().fold(0.0, f64::max)
        };
        let adjoint = columns(&operator.matrix, operator.columns);
        let raw = operator
            .factors
            .as_ref()
            .map_or(0.0, |(basis, expansion)| columns(basis, expansion.len() / operator.columns));
        Bounds { image: 1.001 * rows(&operator.matrix, operator.columns), adjoint: 1.001 * adjoint.max(raw) }
    }

    fn raw_sums(operator: &DenseArrays<T>) -> Option<usize> {
        operator.factors.as_ref().map(|(_, expansion)| expansion.len() / operator.columns)
    }

    fn expand(
        &self,
        operator: &DenseArrays<T>,
        stream: &Stream,
        raw: &Buffer<u64>,
        sums: &mut Buffer<u64>,
    ) -> Result<()> {
        assert_eq!((Some(raw.len()), sums.len()), (Self::raw_sums(operator), operator.columns));
        let grid = Grid::for_items(operator.columns, 64);
        let [columns, count] = counted(COUNTED, [operator.columns, raw.len()])?;
        // SAFETY: the buffers have the lengths that the assertions above check.
        Ok(unsafe { kernels::dense_expand(stream, grid, columns, count, &self.expansion, raw, sums) }?)
    }

    fn products(&self, operator: &DenseArrays<T>, stream: &Stream, what: Products<'_, T>) -> Result<()> {
        let (rows, columns) = (self.rows.len(), operator.columns);
        let raw = Self::raw_sums(operator).unwrap_or(columns);
        assert!(what.fit(rows, columns, raw, rows));
        if rows == 0 {
            return Ok(());
        }
        let (sums, scale) = what.sums.unzip();
        let grid = Grid::for_items(rows, 64);
        let [rows, columns, raw] = counted(COUNTED, [rows, columns, raw])?;
        // SAFETY: the buffers have the lengths that the assertions above check.
        let launched = unsafe {
            kernels::dense_products::<T>(
                stream,
                grid,
                rows,
                columns,
                raw,
                u32::from(what.carry),
                &self.matrix,
                &self.basis,
                what.unknowns,
                what.data,
                sums,
                scale,
                what.norms,
            )
        };
        Ok(launched?)
    }

    fn streamed_from<'a>(&'a self, _: &'a DenseArrays<T>) -> Vec<&'a [u8]> {
        Vec::new()
    }

    fn describe(&self) -> String {
        "dense".to_owned()
    }
}
