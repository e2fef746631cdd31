use super::FourierSums;
use super::scattered::{Pairs, ScatteredElement};
use arcuate_compute::Device;
use arcuate_compute::cuda::{Buffer, Gpus, Stream};
use arcuate_compute::elementary::{double, single};
use arcuate_compute::numbers::Vectors;
use arcuate_core::Result;

/// The precisions that Fourier sums are computed in, `f32` and `f64`, and the sums that each has: those of matrix products on GPUs
/// are there in single precision alone. They are compiled here, in each precision: what is generic would be compiled by every
/// crate that asks for it, and this is long.
pub trait Element: Vectors + ScatteredElement + rustfft::FftNum + bytemuck::Pod {
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

impl Element for f32 {
    fn scattered_sums(device: &Device, pairs: &Pairs<'_>, values: &[Self], out: &mut [Self]) {
        super::scattered::sum_on(device, pairs, values, out);
    }

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
    fn scattered_sums(device: &Device, pairs: &Pairs<'_>, values: &[Self], out: &mut [Self]) {
        super::scattered::sum_on(device, pairs, values, out);
    }

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
