//! The implementation of exact Fourier sums for each floating-point type (`f32` and `f64`) and each device.

use super::scattered::{self, Pairs};
use super::{Element, FourierSums, cpu, cuda, forward};
use arcuate_compute::cuda::{Buffer, Gpus, Stream};
use arcuate_compute::{Device, with_fallback};
use arcuate_core::Result;
use arcuate_numbers::elementary::{double, single};

impl Element for f32 {
    fn scattered_sums(device: &Device, pairs: &Pairs<'_>, values: &[Self], out: &mut [Self]) {
        scattered::sum_on(device, pairs, values, out);
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
        cuda::adjoint_in(sums, stream, data, image).transpose()
    }

    fn forward_sums(sums: &FourierSums<Self>, images: &[Self], data: &mut [Self]) {
        let on_gpus = |sums: &FourierSums<Self>, gpus: &Gpus, images: &_, data: &mut _| {
            if sums.pairs.is_none() && forward::forward(sums, gpus, images, data)? {
                return Ok(());
            }
            pair_by_pair(sums, gpus, images, data, true)
        };
        on_device(sums, images, data, on_gpus, cpu::forward);
    }

    fn adjoint_sums(sums: &FourierSums<Self>, data: &[Self], images: &mut [Self]) {
        let on_gpus = |sums: &FourierSums<Self>, gpus: &Gpus, data: &_, images: &mut _| {
            if sums.pairs.is_some() {
                return pair_by_pair(sums, gpus, data, images, false);
            }
            cuda::adjoint(sums, gpus, data, images)
        };
        on_device(sums, data, images, on_gpus, cpu::adjoint);
    }

    #[inline(always)]
    fn turned(turns: f64) -> [Self; 2] {
        // Whole turns are subtracted in double precision. The rest is then rounded to single precision.
        let (sin, cos) = single::sin_cos_turns((turns - nearest(turns)) as f32);
        [cos, sin]
    }
}

impl Element for f64 {
    fn scattered_sums(device: &Device, pairs: &Pairs<'_>, values: &[Self], out: &mut [Self]) {
        scattered::sum_on(device, pairs, values, out);
    }

    fn adjoint_in(_: &FourierSums<Self>, _: &Stream, _: &[Self], _: &mut Buffer<Self>) -> Option<Result<()>> {
        None
    }

    fn forward_sums(sums: &FourierSums<Self>, images: &[Self], data: &mut [Self]) {
        let on_gpus =
            |sums: &_, gpus: &_, images: &_, data: &mut _| pair_by_pair(sums, gpus, images, data, true);
        on_device(sums, images, data, on_gpus, cpu::forward);
    }

    fn adjoint_sums(sums: &FourierSums<Self>, data: &[Self], images: &mut [Self]) {
        let on_gpus =
            |sums: &_, gpus: &_, data: &_, images: &mut _| pair_by_pair(sums, gpus, data, images, false);
        on_device(sums, data, images, on_gpus, cpu::adjoint);
    }

    #[inline(always)]
    fn turned(turns: f64) -> [Self; 2] {
        let (sin, cos) = double::sin_cos_turns(turns);
        [cos, sin]
    }
}

/// Returns the integer nearest to a number between −2⁵¹ and 2⁵¹. The function calls no other function, so
/// that the compiler can vectorise loops.
#[inline(always)]
fn nearest(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    (x + ROUND) - ROUND
}

/// Runs `on_gpus` if the device of the sums is a GPU. If the device is the CPU, or if a GPU fails, runs
/// `here` on the CPU.
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
        // If a test forbids falling back to the CPU, this call panics.
        arcuate_compute::fall_back(&error, "summing on the CPU");
        here(sums, input, output);
    }
}

/// Computes sums of several volumes on GPUs, with a sine and a cosine for each pair of voxel and sample. The
/// sums are forward or adjoint sums.
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
