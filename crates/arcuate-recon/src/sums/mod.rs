//! Exact Fourier sums between images and samples anywhere in k-space.
//!
//! An image ρ has `n` voxels along each axis, voxel `i` at r = (i − ⌊n/2⌋) / n of the field of view; samples lie at `k` in
//! cycles per field of view. Then
//!
//! - forward: s(k) = N^(−½) Σ_r ρ(r) e^(−2πi k·r), with N the number of voxels;
//! - adjoint: ρ(r) = N^(−½) Σ_k s(k) e^(+2πi k·r).
//!
//! With that factor a Cartesian scan that samples every wave number once is unitary, and data have the scale that BART gives
//! them.

mod checks;
mod constants;
mod cpu;
mod cuda;
mod element;
mod forward;
mod kernels;
mod scattered;
mod table;
#[cfg(test)]
mod tests;
mod tile;

pub use cuda::time_adjoint;
pub use element::Element;
pub use scattered::{Functions, ScatteredSums, time_scattered};

use crate::Shape;
use arcuate_compute::cuda::Gpus;
use arcuate_compute::{Device, with_fallback};
use arcuate_core::Result;
use arcuate_solve::LinearOperator;
use checks::check_places;
use scattered::Pairs;
use std::sync::Arc;

/// Exact Fourier sums between an image on a grid and samples, as a matrix product: e^(2πi k·r) is a product of one factor
/// for each axis, so that the sum over samples of the image's rows is one of a matrix of sines and cosines along x, made
/// once, with the samples times their other two factors. Rows are mirrored at their middle, where cosines are even and sines
/// odd, which halves the work: 4 real multiplications and additions for a sample and two voxels.
///
/// Unknowns and data are complex numbers as interleaved reals: images x fastest, samples in their order. Sums are taken in
/// the precision `T` in blocks of 128, phases in turns in double precision. On a GPU adjoints in single precision are a
/// product on tensor cores, in two halves of f16 each, with 32-bit phases: they differ from the processor's by less than
/// 2e-6 of their norm, and so do forward sums. All others are there sums with a sine and a cosine for each voxel and sample, as
/// [`ScatteredSums`].
#[derive(Debug, Clone)]
pub struct FourierSums<T> {
    shape: Shape,
    samples: Arc<[[f64; 3]]>,
    device: Device,
    /// Whose functions GPUs take for each voxel and sample, where they are not to multiply matrices.
    pairs: Option<Functions>,
    precision: std::marker::PhantomData<T>,
}

impl<T: Element> FourierSums<T> {
    /// Between images of `shape` and samples at these places, in cycles per field of view.
    ///
    /// Fails where there is no sample, or a place is not finite.
    pub fn new(shape: Shape, samples: impl Into<Arc<[[f64; 3]]>>) -> Result<Self> {
        let samples = samples.into();
        check_places("trajectory", &samples)?;
        let (device, pairs, precision) = (Device::Cpu, None, std::marker::PhantomData);
        Ok(Self { shape, samples, device, pairs, precision })
    }

    /// The same, computed on a device.
    #[must_use]
    pub fn on(self, device: Device) -> Self {
        Self { device, ..self }
    }

    /// The same, on GPUs with a sine and a cosine for each voxel and sample, as in [`ScatteredSums`]: slower, and what others do, to
    /// compare with.
    #[must_use]
    pub fn pair_by_pair(self, functions: Functions) -> Self {
        Self { pairs: Some(functions), ..self }
    }

    /// The same device, and the same way, for other sums.
    pub(crate) fn like(self, other: &Self) -> Self {
        Self { device: other.device.clone(), pairs: other.pairs, ..self }
    }

    /// Where it is computed.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The image's size.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Where samples lie.
    pub fn samples(&self) -> &Arc<[[f64; 3]]> {
        &self.samples
    }

    /// Samples of several images, one after the other; `data` is overwritten.
    ///
    /// # Panics
    /// Where `images` and `data` are not of the same number of volumes.
    pub fn forward_all(&self, images: &[T], data: &mut [T]) {
        self.assert_fit(images, data);
        T::forward_sums(self, images, data);
    }

    /// Images of the adjoint of several sets of data, one after the other; `images` is overwritten.
    ///
    /// # Panics
    /// Where `images` and `data` are not of the same number of volumes.
    pub fn adjoint_all(&self, data: &[T], images: &mut [T]) {
        self.assert_fit(images, data);
        T::adjoint_sums(self, data, images);
    }

    fn assert_fit(&self, images: &[T], data: &[T]) {
        let volumes = data.len() / self.rows();
        let lengths = (volumes * self.columns(), volumes * self.rows());
        assert_eq!((images.len(), data.len()), lengths, "images and data are not of as many volumes");
    }
}

impl<T: Element> LinearOperator<T> for FourierSums<T> {
    fn rows(&self) -> usize {
        2 * self.samples.len()
    }

    fn columns(&self) -> usize {
        2 * self.shape.voxels()
    }

    fn forward(&self, unknowns: &[T], data: &mut [T]) {
        self.forward_all(unknowns, data);
    }

    fn adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.adjoint_all(data, unknowns);
    }
}

/// `on_gpus` on the sums' device, and `here` where it is the processor or a GPU fails.
fn on_device<T>(
    sums: &FourierSums<T>,
    input: &[T],
    output: &mut [T],
    on_gpus: impl Fn(&FourierSums<T>, &Gpus, &[T], &mut [T]) -> Result<()>,
    here: impl Fn(&FourierSums<T>, &[T], &mut [T]),
) {
    let done = with_fallback("exact Fourier sums", &sums.device, |device| match device {
        Device::Cpu => {
            here(sums, input, output);
            Ok(())
        }
        Device::Cuda(gpus) => on_gpus(sums, gpus, input, output),
    });
    if let Err(error) = done {
        // What may not fall back is a test's to report.
        arcuate_compute::fall_back(&error, "summing on the CPU");
        here(sums, input, output);
    }
}

/// Sums voxel by voxel and sample by sample on GPUs: forward, or the adjoint, of several volumes.
fn pair_by_pair<T: Element>(
    sums: &FourierSums<T>,
    gpus: &Gpus,
    input: &[T],
    output: &mut [T],
    forward: bool,
) -> Result<()> {
    let (shape, positions) = (sums.shape, sums.shape.positions());
    let factor = 1.0 / (shape.voxels() as f64).sqrt();
    let (from, to, sign) =
        if forward { (&*positions, &*sums.samples, -1.0) } else { (&*sums.samples, &*positions, 1.0) };
    let pairs = Pairs { from, to, sign, factor, functions: sums.pairs.unwrap_or_default() };
    scattered::sum_on_gpus(gpus, &pairs, input, output)
}
