//! Host code of the circular convolution.
#![allow(unsafe_code)]

use super::kernels;
use crate::DeviceNormal;
use arcuate_compute::cuda::{Buffer, CudaError, Gpu, Grid, Stream, counted};
use arcuate_compute::fall_back;
use arcuate_core::{Error, Result};

/// The circular convolution of the vector x with `taps`: y[n] = Σ_k taps[k] x[(n − k) mod count].
pub(super) struct Convolution {
    gpu: Gpu,
    count: usize,
    taps: Buffer<f64>,
    /// The autocorrelation Σ_k taps[k] taps[k + lag] for all lags from −(taps − 1) to taps − 1. A convolution
    /// with it is the product with AᵀA.
    autocorrelation: Buffer<f64>,
}

impl Convolution {
    pub(super) fn new(gpu: &Gpu, count: usize, taps: &[f64]) -> Result<Self> {
        let stream = gpu.stream()?;
        let reach = taps.len() - 1;
        let of_lag = |lag: usize| -> f64 {
            (0..taps.len())
                .filter(|&k| k + lag >= reach && k + lag - reach < taps.len())
                .map(|k| taps[k] * taps[k + lag - reach])
                .sum()
        };
        let autocorrelation: Vec<f64> = (0..=2 * reach).map(of_lag).collect();
        Ok(Self {
            gpu: gpu.clone(),
            count,
            taps: gpu.upload(&stream, taps)?,
            autocorrelation: gpu.upload(&stream, &autocorrelation)?,
        })
    }

    /// Makes `normal` return −AᵀA, for a test.
    pub(super) fn with_opposite_normal(mut self) -> Self {
        let stream = self.gpu.stream().unwrap();
        let opposite: Vec<f64> =
            self.autocorrelation.to_vec(&stream).unwrap().iter().map(|tap| -tap).collect();
        self.autocorrelation.copy_from(&stream, &opposite).unwrap();
        self
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Computes the product with A or, if `transposed` is true, with Aᵀ, for vectors in CPU memory.
    pub(super) fn apply(&self, transposed: bool, from: &[f64], to: &mut [f64]) -> Result<()> {
        let stream = self.gpu.stream()?;
        let from = self.gpu.upload(&stream, from)?;
        let mut there = self.gpu.alloc(to.len())?;
        self.launch(&stream, (&self.taps, 0, transposed), &from, &mut there)?;
        Ok(there.copy_to(&stream, to)?)
    }

    fn launch(
        &self,
        stream: &Stream,
        (taps, shift, transposed): (&Buffer<f64>, u32, bool),
        from: &Buffer<f64>,
        to: &mut Buffer<f64>,
    ) -> Result<()> {
        if (from.len(), to.len()) != (self.count, self.count) {
            let problem = format!(
                "the input vector and the output vector have {} and {} values, but both need {}",
                from.len(),
                to.len(),
                self.count
            );
            return Err(CudaError::Misuse { about: "convolution".to_owned(), problem }.into());
        }
        let [count, length] = counted("values of a convolution", [self.count, taps.len()])?;
        let grid = Grid::for_items(self.count, 64);
        // SAFETY: the kernel reads `length` taps and `count` values, and writes `count` values.
        let launched = unsafe {
            kernels::convolution_f64(
                stream,
                grid,
                count,
                length,
                shift,
                u32::from(transposed),
                taps,
                from,
                to,
            )
        };
        Ok(launched?)
    }
}

impl DeviceNormal<f64> for Convolution {
    fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    fn normal(&self, stream: &Stream, unknowns: &Buffer<f64>, out: &mut Buffer<f64>) -> Result<()> {
        let [reach] = counted("values of a convolution", [self.taps.len() - 1])?;
        self.launch(stream, (&self.autocorrelation, reach, false), unknowns, out)
    }

    fn retreat(&self, error: &Error) {
        fall_back(error, "using the CPU instead");
    }
}
