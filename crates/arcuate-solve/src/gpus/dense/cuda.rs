//! A matrix stored in full on GPUs, for tests of what uses operators there.
#![allow(unsafe_code)]

use crate::{Bounds, CudaOperator, Dense, LinearOperator, Products, Real, adjoint_on_gpus, forward_on_gpus};
use arcuate_compute::cuda::{Argument, Buffer, Gpus, Grid, KernelImages, Stream};
use arcuate_compute::{arguments, kernel_images};
use arcuate_core::Result;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

static IMAGES: KernelImages = kernel_images!("kernels");

/// A = B Eᵀ with integers in E: products on GPUs leave the sums of B, which `expand` makes those of A from. Or A alone.
pub(crate) struct DenseOnGpus<T> {
    gpus: Gpus,
    columns: usize,
    rows: usize,
    matrix: Vec<f64>,
    /// B, row after row, and E, one row for each unknown.
    factors: Option<(Vec<f64>, Vec<i32>)>,
    /// The same on the processor.
    pub(crate) reference: Dense<T>,
    failed: AtomicBool,
}

impl<T: Real> DenseOnGpus<T> {
    pub(crate) fn new(gpus: Gpus, columns: usize, matrix: Vec<f64>) -> Self {
        let reference = Dense::new(columns, matrix.iter().map(|&a| T::of(a)).collect());
        let rows = matrix.len() / columns;
        Self { gpus, columns, rows, matrix, factors: None, reference, failed: AtomicBool::new(false) }
    }

    /// From B (`raw` columns) and E (a row of `raw` integers for each unknown).
    pub(crate) fn factored(gpus: Gpus, raw: usize, basis: Vec<f64>, expansion: Vec<i32>) -> Self {
        let product = |b: &[f64], e: &[i32]| b.iter().zip(e).map(|(b, &e)| b * f64::from(e)).sum::<f64>();
        let matrix = basis
            .chunks_exact(raw)
            .flat_map(|b| expansion.chunks_exact(raw).map(move |e| product(b, e)))
            .collect();
        let mut operator = Self::new(gpus, expansion.len() / raw, matrix);
        operator.factors = Some((basis, expansion));
        operator
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

impl<T: Real> LinearOperator<T> for DenseOnGpus<T> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn forward(&self, unknowns: &[T], data: &mut [T]) {
        forward_on_gpus(self, unknowns, data).unwrap();
    }

    fn adjoint(&self, data: &[T], unknowns: &mut [T]) {
        adjoint_on_gpus(self, data, unknowns).unwrap();
    }

    fn on_gpus(&self) -> Option<&dyn CudaOperator<T>> {
        (!self.has_failed()).then_some(self)
    }
}

impl<T: Real> CudaOperator<T> for DenseOnGpus<T> {
    fn gpus(&self) -> &Gpus {
        &self.gpus
    }

    /// The first GPU has one row more than its share, for shares that differ.
    fn rows_on(&self, n: usize) -> Range<usize> {
        let (rows, parts) = (self.rows, self.gpus.len());
        let begins = |n: usize| if n == 0 { 0 } else { (rows * n / parts + 1).min(rows) };
        begins(n)..if n + 1 == parts { rows } else { begins(n + 1) }
    }

    fn bounds(&self) -> Bounds {
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
        let adjoint = columns(&self.matrix, self.columns);
        let raw = self
            .factors
            .as_ref()
            .map_or(0.0, |(basis, expansion)| columns(basis, expansion.len() / self.columns));
        Bounds { image: 1.001 * rows(&self.matrix, self.columns), adjoint: 1.001 * adjoint.max(raw) }
    }

    fn raw_sums(&self) -> Option<usize> {
        self.factors.as_ref().map(|(_, expansion)| expansion.len() / self.columns)
    }

    fn expand(&self, _: usize, stream: &Stream, raw: &Buffer<u64>, sums: &mut Buffer<u64>) -> Result<()> {
        let (_, expansion) = self.factors.as_ref().expect("asked of factored operators");
        assert_eq!((raw.len(), sums.len()), (expansion.len() / self.columns, self.columns));
        let gpu = stream.gpu();
        let kernel = gpu.kernels(&IMAGES)?.get("dense_expand")?;
        let expansion = gpu.upload(stream, expansion)?;
        let grid = Grid::for_items(self.columns, 64);
        // SAFETY: arguments as the kernel has them, lengths as asserted.
        unsafe {
            stream.launch(
                &kernel,
                grid,
                &arguments![self.columns as u32, raw.len() as u32, &expansion, raw, sums],
            )
        }?;
        Ok(stream.synchronize()?)
    }

    fn norms_on(&self, n: usize) -> usize {
        self.rows_on(n).len()
    }

    fn give_up(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    fn products(&self, n: usize, stream: &Stream, what: Products<'_, T>) -> Result<()> {
        let gpu = stream.gpu();
        let rows = self.rows_on(n);
        let raw = self.raw_sums().unwrap_or(self.columns);
        let basis = self.factors.as_ref().map_or(&self.matrix, |(basis, _)| basis);
        let kernel = gpu.kernels(&IMAGES)?.get(&format!("dense_products_{}", T::NAME))?;
        let matrix = gpu.upload(stream, &self.matrix[rows.start * self.columns..rows.end * self.columns])?;
        let basis = gpu.upload(stream, &basis[rows.start * raw..rows.end * raw])?;
        assert_eq!(what.data.len(), rows.len());
        assert!(what.unknowns.is_none_or(|x| x.len() == self.columns));
        let (sums, scale) = match what.sums {
            Some((sums, scale)) => {
                assert_eq!(sums.len(), raw);
                (Argument::from(sums), Argument::from(scale))
            }
            None => (Argument::null(), Argument::null()),
        };
        let arguments = [
            (rows.len() as u32).into(),
            (self.columns as u32).into(),
            (raw as u32).into(),
            u32::from(what.carry).into(),
            (&matrix).into(),
            (&basis).into(),
            what.unknowns.map_or(Argument::null(), Argument::from),
            what.data.into(),
            sums,
            scale,
            what.norms.map_or(Argument::null(), Argument::from),
        ];
        if !rows.is_empty() {
            // SAFETY: arguments as the kernel has them, lengths as asserted.
            unsafe { stream.launch(&kernel, Grid::for_items(rows.len(), 64), &arguments) }?;
        }
        Ok(stream.synchronize()?)
    }
}
