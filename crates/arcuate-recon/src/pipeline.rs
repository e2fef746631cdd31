//! Reconstruction of scans, compiled in this crate for each floating-point type. Otherwise, every crate that
//! uses this generic code would compile it again, which takes long.

use crate::{
    Element, GriddingOptions, Iterative, Kernel, Reconstruction, Scan, Toeplitz, gridding, reconstruct,
};
use arcuate_compute::Device;
use arcuate_core::{Control, Result};
use arcuate_solve::QuadraticPoint;
use std::sync::Arc;

/// The floating-point types of reconstruction: `f32` and `f64`. The trait's functions implement those of this
/// crate.
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

/// Creates the operator of a scan. Also creates its kernel, unless `kernel` is given.
///
/// Returns an error if the kernel belongs to another trajectory.
pub fn toeplitz<T: Reconstruct>(
    scan: &Scan<T>,
    kernel: Option<Arc<Kernel<T>>>,
    device: &Device,
) -> Result<Toeplitz<T>> {
    T::toeplitz(scan, kernel, device)
}

/// Computes the adjoint image Fᴴd. With coil sensitivities, returns the sum over coils. Without them, returns
/// the root of the sum of squares. `control` receives warnings about implausible scans and images.
pub fn adjoint<T: Reconstruct>(
    scan: &Scan<T>,
    device: &Device,
    control: &Control,
) -> Result<Reconstruction<T>> {
    T::adjoint(scan, device, control)
}

/// Computes the gridded image of a scan. With coil sensitivities, returns the combination Σ S* ρ / Σ |S|².
/// Without them, returns the root of the sum of squares. Data are divided by the weights of samples.
/// `control` receives warnings about implausible scans and images.
///
/// Returns an error if the oversampling is invalid, or if the number of density weights is wrong.
pub fn grid<T: Reconstruct>(
    scan: &Scan<T>,
    options: &GriddingOptions,
    control: &Control,
) -> Result<Reconstruction<T>> {
    T::grid(scan, options, control)
}

/// Solves (FᴴF + λ WᴴW) ρ = Fᴴd by conjugate gradients. With coil sensitivities, there is one equation for
/// all coils. Without them, there is one equation per coil. `watch` is called for every iteration of every
/// solve; the start of a solve is iteration 0. Each equation has up to
/// [`Lambda::solves`](crate::Lambda::solves) solves. `control` receives the number of finished iterations and
/// the maximum number of iterations. It also receives warnings about implausible scans and images, and about
/// a failed choice of λ.
///
/// Returns an error if `control` cancels the run, and the errors of [`Iterative::check`].
///
/// # Panics
/// Panics if `toeplitz` is not the operator of the scan.
pub fn iterate<T: Reconstruct>(
    scan: &Scan<T>,
    toeplitz: &Toeplitz<T>,
    options: &Iterative<T>,
    control: &Control,
    mut watch: impl FnMut(&QuadraticPoint),
) -> Result<Reconstruction<T>> {
    T::iterate(scan, toeplitz, options, control, &mut watch)
}
