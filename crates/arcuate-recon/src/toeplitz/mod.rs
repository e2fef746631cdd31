//! The product of FᴴF and an image, computed as a convolution.
//!
//! For any trajectory, FᴴF is a Toeplitz matrix: (FᴴF ρ)(r) = Σ_r′ q(r − r′) ρ(r′) with q(d) = N⁻¹ Σ_k
//! |w(k)|² e^(2πi k·d) (Wajer and Pruessmann 2001, "Major speedup of reconstruction for sensitivity encoding
//! with arbitrary trajectories"; Fessler et al. 2005, doi:10.1109/TSP.2005.853152; Stone et al. 2008,
//! doi:10.1016/j.jpdc.2008.05.013, who call the spectrum Q). On a grid of twice the size minus one, the
//! convolution is circular, and a product of spectra computes it. Opposite lags have conjugate values: q(−d)
//! = q(d)*. Therefore the spectrum of q is real, and only half of q must be summed.

mod constants;
mod cpu;
mod cuda;
mod fast_lengths;
mod kernel;
mod kernels;
mod spectrum;
#[cfg(test)]
mod tests;

pub(crate) use cuda::ToeplitzOnGpu;
pub use fast_lengths::fast_length;
pub use kernel::Kernel;

use crate::first_use::FirstUse;
use crate::sums::{Element, FourierSums};
use crate::{Shape, Weights};
use arcuate_compute::cuda::Gpu;
use arcuate_compute::{Device, fall_back, with_fallback};
use arcuate_core::{Error, Result};
use arcuate_solve::{DeviceNormal, LinearOperator, SolverOperator, normal_on_device};
use sha2::{Digest, Sha256};
use std::sync::Arc;

impl<T: Element> Kernel<T> {
    /// Computes the convolution kernel of FᴴF for the trajectory of `sums`, with optional weights of samples.
    ///
    /// # Panics
    /// Panics unless there is one weight for each sample.
    #[doc(hidden)]
    pub fn new(sums: &FourierSums<T>, weights: Option<&Weights>) -> Self {
        let shape = sums.shape();
        let lengths = doubled(shape);
        let lags = cpu::lags(sums, weights);
        let fingerprint = Self::fingerprint_of(sums, weights);
        Self { shape, lengths, fingerprint, spectrum: spectrum_on(sums.device(), shape, lengths, &lags) }
    }

    /// Creates a kernel from parts that were stored in a file. [`spectrum`](Self::spectrum) and the other
    /// methods return these parts.
    ///
    /// Returns an error if the spectrum does not have the length of the doubled grid, or if it contains a
    /// non-finite number.
    #[doc(hidden)]
    pub fn from_parts(shape: Shape, fingerprint: [u8; 32], spectrum: Vec<T>) -> Result<Self> {
        let lengths = doubled(shape);
        let count: usize = lengths.iter().product();
        if spectrum.len() != count {
            let problem =
                format!("the kernel Q has {} numbers, but a grid of {lengths:?} has {count}", spectrum.len());
            return Err(Error::invalid("Q", problem, "write the kernel again with ‘save_q’"));
        }
        if spectrum.iter().any(|value| !value.is_finite()) {
            return Err(Error::invalid(
                "Q",
                "the kernel Q has a value that is not finite",
                "write the kernel again with ‘save_q’",
            ));
        }
        Ok(Self { shape, lengths, fingerprint, spectrum })
    }

    /// Returns the image size.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the fingerprint of the kernel. It is different for different trajectories, weights of samples,
    /// image sizes and precisions.
    #[doc(hidden)]
    pub fn fingerprint(&self) -> &[u8; 32] {
        &self.fingerprint
    }

    /// Returns the real spectrum on the doubled grid, with z fastest and x slowest.
    pub fn spectrum(&self) -> &[T] {
        &self.spectrum
    }

    /// Returns the fingerprint of a trajectory's kernel: a SHA-256 checksum of the image size, the precision,
    /// the sample positions and the weights of samples.
    #[doc(hidden)]
    pub fn fingerprint_of(sums: &FourierSums<T>, weights: Option<&Weights>) -> [u8; 32] {
        let mut hash = Sha256::new();
        let mut put = |number: u64| hash.update(number.to_le_bytes());
        put(size_of::<T>() as u64);
        sums.shape().lengths().iter().for_each(|&n| put(n as u64));
        sums.samples().iter().flatten().for_each(|c| put(c.to_bits()));
        for weight in weights.map_or(&[][..], Weights::values).iter().flatten() {
            put(weight.to_bits());
        }
        hash.finalize().into()
    }
}

/// Computes the spectrum from the values of the Toeplitz kernel at all lags, on this device. If the device is
/// a GPU that fails, computes the spectrum on the CPU.
fn spectrum_on<T: Element>(device: &Device, shape: Shape, lengths: [usize; 3], lags: &[T]) -> Vec<T> {
    let done = with_fallback("Q", device, |device| match device {
        Device::Cpu => Ok(cpu::spectrum(shape, lengths, lags)),
        Device::Cuda(gpus) => spectrum::spectrum(gpus.first(), shape, lengths, lags),
    });
    done.unwrap_or_else(|error| {
        // If a test forbids falling back to the CPU, this call panics.
        fall_back(&error, "making it on the CPU");
        cpu::spectrum(shape, lengths, lags)
    })
}

/// Returns the size of the doubled grid. It is at least 2n − 1 along an axis with n voxels, so that the
/// circular convolution equals the linear one.
fn doubled(shape: Shape) -> [usize; 3] {
    shape.lengths().map(|n| fast_length(2 * n - 1))
}

/// The non-uniform Fourier transform F, or W F with weights W of the samples. The product with FᴴF or FᴴWᴴWF
/// (the normal operator) is a convolution. It is computed by a forward and an inverse Fourier transform on a
/// doubled grid.
///
/// `forward` and `adjoint` compute exact Fourier sums. Products with FᴴF are computed on the device of these
/// sums. On a GPU, Arcuate's own Fourier transforms compute the products, which differ from those of the CPU
/// by rounding errors.
#[derive(Debug, Clone)]
pub struct Toeplitz<T: Element> {
    sums: FourierSums<T>,
    weights: Option<Weights>,
    kernel: Arc<Kernel<T>>,
    transforms: cpu::Transforms<T>,
    on_gpu: FirstUse<ToeplitzOnGpu<T>>,
}

impl<T: Element> Toeplitz<T> {
    /// Combines Fourier sums and a kernel. Both must belong to the same trajectory and weights of samples.
    ///
    /// Returns an error if the kernel belongs to another trajectory.
    ///
    /// # Panics
    /// Panics unless there is one weight for each sample.
    #[doc(hidden)]
    pub fn new(sums: FourierSums<T>, weights: Option<Weights>, kernel: Arc<Kernel<T>>) -> Result<Self> {
        if kernel.fingerprint != Kernel::fingerprint_of(&sums, weights.as_ref()) {
            let problem = "it was computed for another trajectory, image size, precision or sample weights";
            return Err(Error::invalid(
                "Q",
                problem,
                "give the kernel file that was saved for these data, or write the kernel again with ‘save_q’",
            ));
        }
        let transforms = cpu::Transforms::new(kernel.lengths);
        Ok(Self { sums, weights, kernel, transforms, on_gpu: FirstUse::default() })
    }

    /// Returns the exact Fourier sums of the operator.
    #[doc(hidden)]
    pub fn sums(&self) -> &FourierSums<T> {
        &self.sums
    }

    /// Returns the kernel of the operator.
    pub fn kernel(&self) -> &Kernel<T> {
        &self.kernel
    }

    /// Computes the product out = FᴴF · image for several images, which are stored one after the other.
    ///
    /// # Panics
    /// Panics unless both vectors have the same number of whole images.
    pub fn normal_all(&self, images: &[T], out: &mut [T]) {
        assert!(
            images.len() == out.len() && images.len().is_multiple_of(self.columns()),
            "vectors do not fit"
        );
        let images = images.chunks_exact(self.columns()).zip(out.chunks_exact_mut(self.columns()));
        for (image, out) in images {
            if !done_on_gpu(self.device_normal(), image, out) {
                self.normal_on_the_processor(image, out);
            }
        }
    }

    /// Computes out = FᴴF · image for one image on the CPU, even if the device of the operator is a GPU.
    pub(crate) fn normal_on_the_processor(&self, image: &[T], out: &mut [T]) {
        cpu::normal(&self.kernel, &self.transforms, image, out);
    }

    /// Computes the samples of several images, which are stored one after the other.
    ///
    /// # Panics
    /// Panics unless images and data have the same number of volumes.
    pub fn forward_all(&self, images: &[T], data: &mut [T]) {
        self.sums.forward_all(images, data);
        if let Some(weights) = &self.weights {
            data.chunks_exact_mut(self.rows()).for_each(|data| weights.apply(data));
        }
    }

    /// Computes the adjoint images of the data of several volumes, which are stored one after the other.
    ///
    /// # Panics
    /// Panics unless images and data have the same number of volumes.
    pub fn adjoint_all(&self, data: &[T], images: &mut [T]) {
        match &self.weights {
            None => self.sums.adjoint_all(data, images),
            Some(weights) => {
                let mut data = data.to_vec();
                data.chunks_exact_mut(self.rows()).for_each(|data| weights.apply_conjugated(data));
                self.sums.adjoint_all(&data, images);
            }
        }
    }
}

impl<T: Element> LinearOperator<T> for Toeplitz<T> {
    fn rows(&self) -> usize {
        self.sums.rows()
    }

    fn columns(&self) -> usize {
        self.sums.columns()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        self.forward_all(unknowns, data);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        self.adjoint_all(data, unknowns);
    }

    fn apply_normal(&self, unknowns: &[T], out: &mut [T]) {
        self.normal_all(unknowns, out);
    }
}

impl<T: Element> SolverOperator<T> for Toeplitz<T> {
    fn device_normal(&self) -> Option<&dyn DeviceNormal<T>> {
        let with_sums = |placed: ToeplitzOnGpu<T>| placed.with_sums(self.sums.clone(), self.weights.clone());
        let make = |gpu: &Gpu| ToeplitzOnGpu::new(gpu, &self.kernel, None).map(with_sums);
        let placed = self.on_gpu.on(self.sums.device(), "Toeplitz products", make);
        placed.map(|placed| placed as &dyn DeviceNormal<T>)
    }
}

/// Tries to compute out = AᵀA · image for an operator A on a GPU. `image` and `out` are in host memory.
/// Returns true if the GPU has computed the product. After a failure of the GPU, the CPU computes all further
/// products.
pub(crate) fn done_on_gpu<T: Element>(
    operator: Option<&dyn DeviceNormal<T>>,
    image: &[T],
    out: &mut [T],
) -> bool {
    let Some(operator) = operator else { return false };
    let done = normal_on_device(operator, image, out);
    done.inspect_err(|error| operator.retreat(error)).is_ok()
}
