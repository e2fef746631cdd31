//! The operator of exact Fourier sums on a grid, and what it needs for each floating-point type.
//! `precisions.rs` implements this for `f32` and `f64`.

use super::checks::check_places;
use super::scattered::{Functions, Pairs, ScatteredElement};
use crate::Shape;
use arcuate_compute::Device;
use arcuate_compute::cuda::{Buffer, Stream};
use arcuate_compute::numbers::Vectors;
use arcuate_core::Result;
use arcuate_solve::LinearOperator;
use std::sync::Arc;

/// The floating-point types of Fourier sums, `f32` and `f64`, and which sums exist for each. Matrix products
/// on GPUs exist in single precision only. The sums are compiled in this crate for each type, because
/// otherwise every crate that uses this generic code would compile it again, which takes long.
pub trait Element:
    Vectors + ScatteredElement + arcuate_fourier::Planned + arcuate_solve::QuadraticElement + bytemuck::Pod
{
    /// Returns the cosine and the sine of 2π `turns`, for any `turns` below 2⁵⁰. They are the parts of e^(2πi
    /// turns).
    fn turned(turns: f64) -> [Self; 2];

    /// Implements [`FourierSums::adjoint_all`].
    #[doc(hidden)]
    fn adjoint_sums(sums: &FourierSums<Self>, data: &[Self], images: &mut [Self]);

    /// Implements [`FourierSums::adjoint_all`] for one volume on a GPU. Returns `None` if the adjoint cannot
    /// be computed there at once.
    #[doc(hidden)]
    fn adjoint_in(
        sums: &FourierSums<Self>,
        stream: &Stream,
        data: &[Self],
        image: &mut Buffer<Self>,
    ) -> Option<Result<()>>;

    /// Implements [`FourierSums::forward_all`].
    #[doc(hidden)]
    fn forward_sums(sums: &FourierSums<Self>, images: &[Self], data: &mut [Self]);

    /// Implements products with [`ScatteredSums`](crate::ScatteredSums).
    #[doc(hidden)]
    fn scattered_sums(device: &Device, pairs: &Pairs<'_>, values: &[Self], out: &mut [Self]);
}

/// Exact Fourier sums between an image on a grid and samples, as a matrix product. e^(2πi k·r) is a product of one
/// factor per axis. The sum over samples for the image's rows is therefore the product of a matrix of sines and cosines
/// along x, computed once, and the samples times their other two factors. Rows are mirrored at their centre, where
/// cosines are even and sines odd. This halves the work to 4 real multiplications and additions for a sample and two
/// voxels.
///
/// Unknowns and data are complex numbers as interleaved reals: images with x fastest, samples in their order.
/// Sums use the precision `T` in blocks of 128, and phases in turns use double precision. On a GPU, adjoints
/// in single precision are products on tensor cores with 32-bit phases, and each number is split into two f16
/// numbers. They differ from the CPU's by less than 2e-6 of their norm, and so do forward sums. All other
/// sums on GPUs compute a sine and a cosine for each voxel and sample, as
/// [`ScatteredSums`](crate::ScatteredSums) does.
#[derive(Debug, Clone)]
pub struct FourierSums<T> {
    pub(super) shape: Shape,
    pub(super) samples: Arc<[[f64; 3]]>,
    pub(super) device: Device,
    /// The sine and cosine functions of pairwise sums on GPUs. If it is `None`, sums are matrix products
    /// where possible.
    pub(super) pairs: Option<Functions>,
    precision: std::marker::PhantomData<T>,
}

impl<T: Element> FourierSums<T> {
    /// Creates sums between images of `shape` and samples at these positions, in cycles per field of view.
    ///
    /// Returns an error if there is no sample, or if a position is not finite.
    pub fn new(shape: Shape, samples: impl Into<Arc<[[f64; 3]]>>) -> Result<Self> {
        let samples = samples.into();
        check_places("trajectory", &samples)?;
        let (device, pairs, precision) = (Device::Cpu, None, std::marker::PhantomData);
        Ok(Self { shape, samples, device, pairs, precision })
    }

    /// Sets the device that computes the sums.
    #[must_use]
    pub fn on(self, device: Device) -> Self {
        Self { device, ..self }
    }

    /// Computes a sine and a cosine for each voxel and sample on GPUs, as
    /// [`ScatteredSums`](crate::ScatteredSums) does. This is slower than matrix products, and exists for
    /// comparison with other software.
    #[must_use]
    pub fn pair_by_pair(self, functions: Functions) -> Self {
        Self { pairs: Some(functions), ..self }
    }

    /// Copies the device and the method from other sums.
    pub(crate) fn like(self, other: &Self) -> Self {
        Self { device: other.device.clone(), pairs: other.pairs, ..self }
    }

    /// Returns the device that computes the sums.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the image size.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the sample positions.
    pub fn samples(&self) -> &Arc<[[f64; 3]]> {
        &self.samples
    }

    /// Computes the samples of several images, one volume after the other. Overwrites `data`.
    ///
    /// # Panics
    /// Panics if `images` and `data` have different numbers of volumes.
    pub fn forward_all(&self, images: &[T], data: &mut [T]) {
        self.assert_fit(images, data);
        T::forward_sums(self, images, data);
    }

    /// Computes the adjoint images of several sets of data, one volume after the other. Overwrites `images`.
    ///
    /// # Panics
    /// Panics if `images` and `data` have different numbers of volumes.
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
