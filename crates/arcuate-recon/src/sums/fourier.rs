//! The operator of sums on a grid, and what a precision has to have for it; `precisions.rs` says how each has it.

use super::checks::check_places;
use super::scattered::{Functions, Pairs, ScatteredElement};
use crate::Shape;
use arcuate_compute::Device;
use arcuate_compute::cuda::{Buffer, Stream};
use arcuate_compute::numbers::Vectors;
use arcuate_core::Result;
use arcuate_solve::LinearOperator;
use std::sync::Arc;

/// The precisions that Fourier sums are computed in, `f32` and `f64`, and the sums that each has: those of matrix products on GPUs
/// are there in single precision alone. They are compiled in this crate, in each precision: what is generic would be
/// compiled by every crate that asks for it, and this is long.
pub trait Element:
    Vectors + ScatteredElement + arcuate_fourier::Planned + arcuate_solve::QuadraticElement + bytemuck::Pod
{
    /// Cosine and sine of 2π `turns`, which may be any below 2⁵⁰: e^(2πi turns).
    fn turned(turns: f64) -> [Self; 2];

    /// As [`FourierSums::adjoint_all`].
    #[doc(hidden)]
    fn adjoint_sums(sums: &FourierSums<Self>, data: &[Self], images: &mut [Self]);

    /// As [`FourierSums::adjoint_all`] of one volume, left in a GPU; nothing where it is not made there in one piece.
    #[doc(hidden)]
    fn adjoint_in(
        sums: &FourierSums<Self>,
        stream: &Stream,
        data: &[Self],
        image: &mut Buffer<Self>,
    ) -> Option<Result<()>>;

    /// As [`FourierSums::forward_all`].
    #[doc(hidden)]
    fn forward_sums(sums: &FourierSums<Self>, images: &[Self], data: &mut [Self]);

    /// As products with [`ScatteredSums`](crate::ScatteredSums).
    #[doc(hidden)]
    fn scattered_sums(device: &Device, pairs: &Pairs<'_>, values: &[Self], out: &mut [Self]);
}

/// Exact Fourier sums between an image on a grid and samples, as a matrix product: e^(2πi k·r) is a product of one factor
/// for each axis, so that the sum over samples of the image's rows is one of a matrix of sines and cosines along x, made
/// once, with the samples times their other two factors. Rows are mirrored at their middle, where cosines are even and sines
/// odd, which halves the work: 4 real multiplications and additions for a sample and two voxels.
///
/// Unknowns and data are complex numbers as interleaved reals: images x fastest, samples in their order. Sums are taken in
/// the precision `T` in blocks of 128, phases in turns in double precision. On a GPU adjoints in single precision are a
/// product on tensor cores, in two halves of f16 each, with 32-bit phases: they differ from the processor's by less than
/// 2e-6 of their norm, and so do forward sums. All others are there sums with a sine and a cosine for each voxel and sample, as
/// [`ScatteredSums`](crate::ScatteredSums).
#[derive(Debug, Clone)]
pub struct FourierSums<T> {
    pub(super) shape: Shape,
    pub(super) samples: Arc<[[f64; 3]]>,
    pub(super) device: Device,
    /// Whose functions GPUs take for each voxel and sample, where they are not to multiply matrices.
    pub(super) pairs: Option<Functions>,
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

    /// The same, on GPUs with a sine and a cosine for each voxel and sample, as in [`ScatteredSums`](crate::ScatteredSums): slower,
    /// and what others do, to compare with.
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
