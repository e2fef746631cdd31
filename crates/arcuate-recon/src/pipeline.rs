//! Reconstruction of scans, compiled in this crate for `f32` and `f64`. Without this module, every crate that
//! uses the generic code would compile it again, which takes long.

use crate::{
    Element, GriddingOptions, Iterative, Kernel, Reconstruction, Scan, Toeplitz, gridding, reconstruct,
};
use arcuate_compute::Device;
use arcuate_core::{Control, Result};
use arcuate_solve::QuadraticPoint;
use std::sync::Arc;

/// The floating-point types of a reconstruction: `f32` and `f64`. The functions of this trait implement the
/// functions of this crate with the same names.
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

/// Creates the Fourier operator of a scan. If no `kernel` is given, also computes the kernel of the
/// trajectory.
///
/// Returns an error if the kernel belongs to another trajectory.
pub fn toeplitz<T: Reconstruct>(
    scan: &Scan<T>,
    kernel: Option<Arc<Kernel<T>>>,
    device: &Device,
) -> Result<Toeplitz<T>> {
    T::toeplitz(scan, kernel, device)
}

/// Computes the adjoint image Fᴴd from the data d of a scan. If the coil sensitivities are known, returns the
/// sum over coils. If not, returns the root of the sum of squares over coils. `control` receives warnings
/// about implausible scans and images.
pub fn adjoint<T: Reconstruct>(
    scan: &Scan<T>,
    device: &Device,
    control: &Control,
) -> Result<Reconstruction<T>> {
    T::adjoint(scan, device, control)
}

/// Computes the image of a scan by gridding. If the coil sensitivities S are known, returns the combination Σ
/// S* ρ / Σ |S|² of the coil images ρ. If not, returns the root of the sum of squares over coils. Data are
/// divided by the weights of samples. `control` receives warnings about implausible scans and images.
///
/// Returns an error if the oversampling is invalid, or if the number of density compensation weights is not
/// the number of samples.
pub fn grid<T: Reconstruct>(
    scan: &Scan<T>,
    options: &GriddingOptions,
    control: &Control,
) -> Result<Reconstruction<T>> {
    T::grid(scan, options, control)
}

/// Solves (FᴴF + λ WᴴW) ρ = Fᴴd by conjugate gradients. If the coil sensitivities are known, there is one
/// equation for all coils. If not, there is one equation per coil. An equation is solved once for each trial
/// value of λ, up to [`Lambda::solves`](crate::Lambda::solves) times. `watch` is called for every iteration
/// of every solve; the start of a solve is iteration 0. `control` receives the number of finished iterations
/// and the maximum number of iterations. It also receives warnings about implausible scans and images, and
/// about a failed choice of λ.
///
/// Returns an error if `control` cancels the run, or for the reasons that [`Iterative::check`] states.
///
/// # Panics
/// Panics if `toeplitz` is not the Fourier operator of the scan.
pub fn iterate<T: Reconstruct>(
    scan: &Scan<T>,
    toeplitz: &Toeplitz<T>,
    options: &Iterative<T>,
    control: &Control,
    mut watch: impl FnMut(&QuadraticPoint),
) -> Result<Reconstruction<T>> {
    T::iterate(scan, toeplitz, options, control, &mut watch)
}
