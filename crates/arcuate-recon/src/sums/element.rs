use super::scattered::{Pairs, Precision};
use crate::{FourierSums, GriddingOptions, Iterative, Kernel, Reconstruction, Scan, Toeplitz};
use crate::{gridding, reconstruct};
use arcuate_compute::Device;
use arcuate_compute::cuda::{Buffer, Gpus, Stream};
use arcuate_compute::elementary::{double, single};
use arcuate_core::Result;
use arcuate_solve::QuadraticPoint;
use arcuate_solve::lanes::Lanes;
use std::sync::Arc;

/// The precisions that reconstructions are computed in: `f32` and `f64`.
pub trait Element: Lanes + Precision + rustfft::FftNum + bytemuck::Pod {
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

    /// As [`toeplitz`](crate::toeplitz).
    #[doc(hidden)]
    fn toeplitz(
        scan: &Scan<Self>,
        kernel: Option<Arc<Kernel<Self>>>,
        device: &Device,
    ) -> Result<Toeplitz<Self>>;

    /// As [`adjoint`](crate::adjoint).
    #[doc(hidden)]
    fn adjoint(scan: &Scan<Self>, device: &Device) -> Result<Reconstruction<Self>>;

    /// As [`grid`](crate::grid).
    #[doc(hidden)]
    fn grid(scan: &Scan<Self>, options: &GriddingOptions) -> Result<Reconstruction<Self>>;

    /// As [`iterate`](crate::iterate).
    #[doc(hidden)]
    fn iterate(
        scan: &Scan<Self>,
        toeplitz: &Toeplitz<Self>,
        options: &Iterative<Self>,
        watch: &mut dyn FnMut(&QuadraticPoint),
    ) -> Reconstruction<Self>;
}

/// The work, compiled here in each precision: what is generic would be compiled by every crate that asks for it, and this is
/// long.
macro_rules! compiled_here {
    () => {
        fn scattered_sums(device: &Device, pairs: &Pairs<'_>, values: &[Self], out: &mut [Self]) {
            super::scattered::sum_on(device, pairs, values, out);
        }

        fn toeplitz(
            scan: &Scan<Self>,
            kernel: Option<Arc<Kernel<Self>>>,
            device: &Device,
        ) -> Result<Toeplitz<Self>> {
            reconstruct::toeplitz_of(scan, kernel, device)
        }

        fn adjoint(scan: &Scan<Self>, device: &Device) -> Result<Reconstruction<Self>> {
            reconstruct::adjoint_of(scan, device)
        }

        fn grid(scan: &Scan<Self>, options: &GriddingOptions) -> Result<Reconstruction<Self>> {
            gridding::grid_of(scan, options)
        }

        fn iterate(
            scan: &Scan<Self>,
            toeplitz: &Toeplitz<Self>,
            options: &Iterative<Self>,
            watch: &mut dyn FnMut(&QuadraticPoint),
        ) -> Reconstruction<Self> {
            reconstruct::iterate_on(scan, toeplitz, options, watch)
        }
    };
}

impl Element for f32 {
    compiled_here!();

    fn adjoint_in(
        sums: &FourierSums<Self>,
        stream: &Stream,
        data: &[Self],
        image: &mut Buffer<Self>,
    ) -> Option<Result<()>> {
        if sums.pairs.is_some() {
            return None;
        }
        super::cuda::adjoint_in(sums, stream, data, image).transpose()
    }

    fn forward_sums(sums: &FourierSums<Self>, images: &[Self], data: &mut [Self]) {
        let on_gpus = |sums: &FourierSums<Self>, gpus: &Gpus, images: &_, data: &mut _| {
            if sums.pairs.is_none() && super::forward::forward(sums, gpus, images, data)? {
                return Ok(());
            }
            super::pair_by_pair(sums, gpus, images, data, true)
        };
        super::on_device(sums, images, data, on_gpus, super::cpu::forward);
    }

    fn adjoint_sums(sums: &FourierSums<Self>, data: &[Self], images: &mut [Self]) {
        let on_gpus = |sums: &FourierSums<Self>, gpus: &Gpus, data: &_, images: &mut _| {
            if sums.pairs.is_some() {
                return super::pair_by_pair(sums, gpus, data, images, false);
            }
            super::cuda::adjoint(sums, gpus, data, images)
        };
        super::on_device(sums, data, images, on_gpus, super::cpu::adjoint);
    }

    #[inline(always)]
    fn turned(turns: f64) -> [Self; 2] {
        // Whole turns go while there are digits for them.
        let (sin, cos) = single::sin_cos_turns((turns - nearest(turns)) as f32);
        [cos, sin]
    }
}

impl Element for f64 {
    compiled_here!();

    fn adjoint_in(_: &FourierSums<Self>, _: &Stream, _: &[Self], _: &mut Buffer<Self>) -> Option<Result<()>> {
        None
    }

    fn forward_sums(sums: &FourierSums<Self>, images: &[Self], data: &mut [Self]) {
        let on_gpus = |sums: &_, gpus: &_, images: &_, data: &mut _| {
            super::pair_by_pair(sums, gpus, images, data, true)
        };
        super::on_device(sums, images, data, on_gpus, super::cpu::forward);
    }

    fn adjoint_sums(sums: &FourierSums<Self>, data: &[Self], images: &mut [Self]) {
        let on_gpus = |sums: &_, gpus: &_, data: &_, images: &mut _| {
            super::pair_by_pair(sums, gpus, data, images, false)
        };
        super::on_device(sums, data, images, on_gpus, super::cpu::adjoint);
    }

    #[inline(always)]
    fn turned(turns: f64) -> [Self; 2] {
        let (sin, cos) = double::sin_cos_turns(turns);
        [cos, sin]
    }
}

/// The nearest whole number of one below 2⁵¹ either way, without a call, so that loops become vector code.
#[inline(always)]
pub(super) fn nearest(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    (x + ROUND) - ROUND
}
