//! Exact Fourier sums between an image on a grid and samples, and the functions that each floating-point type
//! must provide for them. `precisions.rs` implements these functions for `f32` and `f64`.

use super::checks::check_places;
use super::scattered::{Functions, Pairs, ScatteredElement};
use crate::Shape;
use arcuate_compute::Device;
use arcuate_compute::cuda::{Buffer, Stream};
use arcuate_core::Result;
use arcuate_numbers::Real;
use arcuate_solve::LinearOperator;
use std::sync::Arc;

/// The floating-point types of Fourier sums (`f32` and `f64`), and the sums that exist for each type. Matrix
/// products on GPUs exist in single precision only. The sums are compiled in this crate for each type.
/// Without this, every crate that uses the generic code would compile it again, which takes long.
pub trait Element:
    Real + ScatteredElement + arcuate_fourier::Planned + arcuate_solve::QuadraticElement + bytemuck::Pod
{
    /// Returns the cosine and the sine of the angle 2π `turns`, for any `turns` below 2⁵⁰. They are the real
    /// and the imaginary part of e^(2πi turns).
    fn turned(turns: f64) -> [Self; 2];

    /// Implements [`FourierSums::adjoint_all`].
    #[doc(hidden)]
    fn adjoint_sums(sums: &FourierSums<Self>, data: &[Self], images: &mut [Self]);

    /// Implements [`FourierSums::adjoint_all`] for one volume on a GPU. Returns `None` if several GPUs should
    /// share the work, or if the GPU memory cannot hold the whole volume.
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

    /// Implements the forward and adjoint sums of [`ScatteredSums`](crate::ScatteredSums).
    #[doc(hidden)]
    fn scattered_sums(device: &Device, pairs: &Pairs<'_>, values: &[Self], out: &mut [Self]);
}

/// Exact Fourier sums between an image on a grid and samples, computed as a product of two matrices. The
/// factor e^(2πi k·r) is a product of one factor per axis. The first matrix contains the cosines and sines
/// along x. They are the same for all rows of the image, so they are computed once. The second matrix
/// contains the samples times their factors along y and z. The voxels of an image row are paired by mirroring
/// at the row's centre, where cosines are even and sines are odd. This halves the work to 4 real
/// multiplications and additions for a sample and two voxels.
///
/// Images and data are complex numbers, stored as pairs of a real and an imaginary part. Images have x
/// fastest, and data have the order of the samples. The terms of a sum are added with the precision `T` in
/// blocks of 128. Phases in turns are in double precision.
///
/// On a GPU, sums in single precision are products on tensor cores with 32-bit phases, in which each number
/// is split into two f16 numbers. The adjoint and the forward sums then differ from those of the CPU by less
/// than 2e-6 of their norm. All other sums on GPUs compute a sine and a cosine for each pair of voxel and
/// sample, as [`ScatteredSums`](crate::ScatteredSums) does.
#[derive(Debug, Clone)]
pub struct FourierSums<T> {
    pub(super) shape: Shape,
    pub(super) samples: Arc<[[f64; 3]]>,
    pub(super) device: Device,
    /// If it is not `None`, GPUs compute the sine and the cosine of each pair of voxel and sample with these
    /// functions. If it is `None`, sums are matrix products where possible.
    pub(super) pairs: Option<Functions>,
    precision: std::marker::PhantomData<T>,
}

impl<T: Element> FourierSums<T> {
    /// Creates sums between images of the size `shape` and samples at these k-space positions, in cycles per
    /// field of view.
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

    /// Makes GPUs compute a sine and a cosine for each pair of voxel and sample, as
    /// [`ScatteredSums`](crate::ScatteredSums) does. This is slower than matrix products. It is used for
    /// comparison with other software.
    #[must_use]
    pub fn pair_by_pair(self, functions: Functions) -> Self {
        Self { pairs: Some(functions), ..self }
    }

    /// Creates sums with other positions for an image of another size, with the same device and method.
    pub(crate) fn at(&self, shape: Shape, samples: Vec<[f64; 3]>) -> Self {
        Self { shape, samples: samples.into(), ..self.clone() }
    }

    /// Returns the device that computes the sums.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the image size.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the k-space positions of the samples, in cycles per field of view.
    pub fn samples(&self) -> &Arc<[[f64; 3]]> {
        &self.samples
    }

    /// Computes the samples of several images (volumes), which are stored one after the other. Overwrites
    /// `data`.
    ///
    /// # Panics
    /// Panics if `images` and `data` have different numbers of volumes.
    pub fn forward_all(&self, images: &[T], data: &mut [T]) {
        self.assert_fit(images, data);
        T::forward_sums(self, images, data);
    }

    /// Computes the adjoint images of the data of several volumes, which are stored one after the other.
    /// Overwrites `images`.
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

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        self.forward_all(unknowns, data);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.adjoint_all(data, unknowns);
    }
}
