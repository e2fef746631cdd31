//! From scans to images, compiled here in each precision: what is generic would be compiled by every crate that asks for it, and
//! this is long.

use crate::{
    Element, GriddingOptions, Iterative, Kernel, Reconstruction, Scan, Toeplitz, gridding, reconstruct,
};
use arcuate_compute::Device;
use arcuate_core::{Control, Result};
use arcuate_solve::QuadraticPoint;
use std::sync::Arc;

/// The precisions that scans are reconstructed in: `f32` and `f64`. Its functions are those of this crate.
pub trait Reconstruct: Element {
    #[doc(hidden)]
    fn toeplitz(
        scan: &Scan<Self>,
        kernel: Option<Arc<Kernel<Self>>>,
        device: &Device,
    ) -> Result<Toeplitz<Self>>;

    #[doc(hidden)]
    fn adjoint(scan: &Scan<Self>, device: &Device, control: &Control) -> Result<Reconstruction<Self>>;

    #[doc(hidden)]
    fn grid(scan: &Scan<Self>, options: &GriddingOptions, control: &Control) -> Result<Reconstruction<Self>>;

    #[doc(hidden)]
    fn iterate(
        scan: &Scan<Self>,
        toeplitz: &Toeplitz<Self>,
        options: &Iterative<Self>,
        control: &Control,
        watch: &mut dyn FnMut(&QuadraticPoint),
    ) -> Result<Reconstruction<Self>>;
}

macro_rules! compiled_in {
    ($($precision:ty),*) => {$(
        impl Reconstruct for $precision {
            fn toeplitz(
                scan: &Scan<Self>,
                kernel: Option<Arc<Kernel<Self>>>,
                device: &Device,
            ) -> Result<Toeplitz<Self>> {
                reconstruct::toeplitz(scan, kernel, device)
            }

            fn adjoint(
                scan: &Scan<Self>,
                device: &Device,
                control: &Control,
            ) -> Result<Reconstruction<Self>> {
                reconstruct::adjoint(scan, device, control)
            }

            fn grid(
                scan: &Scan<Self>,
                options: &GriddingOptions,
                control: &Control,
            ) -> Result<Reconstruction<Self>> {
                gridding::grid(scan, options, control)
            }

            fn iterate(
                scan: &Scan<Self>,
                toeplitz: &Toeplitz<Self>,
                options: &Iterative<Self>,
                control: &Control,
                watch: &mut dyn FnMut(&QuadraticPoint),
            ) -> Result<Reconstruction<Self>> {
                reconstruct::iterate(scan, toeplitz, options, control, watch)
            }
        }
    )*};
}
compiled_in!(f32, f64);

/// The operator of a scan and its kernel, made where it is not given.
///
/// Fails where the kernel is another trajectory's.
pub fn toeplitz<T: Reconstruct>(
    scan: &Scan<T>,
    kernel: Option<Arc<Kernel<T>>>,
    device: &Device,
) -> Result<Toeplitz<T>> {
    T::toeplitz(scan, kernel, device)
}

/// Fᴴd: of coils with sensitivities the sum over them, of others the root of the sum of squares. `control` hears of a scan or an image
/// that cannot be right.
pub fn adjoint<T: Reconstruct>(
    scan: &Scan<T>,
    device: &Device,
    control: &Control,
) -> Result<Reconstruction<T>> {
    T::adjoint(scan, device, control)
}

/// The gridded image of a scan: of coils with sensitivities the combination Σ S* ρ / Σ |S|², of others the root of the sum of
/// squares. Weights of samples are divided by. `control` hears of a scan or an image that cannot be right.
///
/// Fails on an oversampling that is none, and on weights of density that are not of as many samples.
pub fn grid<T: Reconstruct>(
    scan: &Scan<T>,
    options: &GriddingOptions,
    control: &Control,
) -> Result<Reconstruction<T>> {
    T::grid(scan, options, control)
}

/// Solves (FᴴF + λ WᴴW) ρ = Fᴴd by conjugate gradients: with sensitivities one equation for all coils, without them one for
/// each. `watch` sees every iteration of every solve, the start of each with the number 0; of each equation there are up to
/// [`Lambda::solves`](crate::Lambda::solves). `control` is told how many iterations are done, and of how many at most; it hears of a
/// scan or an image that cannot be right, and of a choice of λ that did not succeed.
///
/// Fails where `control` ends it, and where [`Iterative::check`] does.
///
/// # Panics
/// Where `toeplitz` is not the scan's operator.
pub fn iterate<T: Reconstruct>(
    scan: &Scan<T>,
    toeplitz: &Toeplitz<T>,
    options: &Iterative<T>,
    control: &Control,
    mut watch: impl FnMut(&QuadraticPoint),
) -> Result<Reconstruction<T>> {
    T::iterate(scan, toeplitz, options, control, &mut watch)
}
