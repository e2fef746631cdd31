//! Exact Fourier sums between arbitrary positions.

mod constants;
mod cuda;
mod kernels;
mod pairs;
pub(super) mod places;

pub(super) use cuda::ScatteredElement;
pub use pairs::Functions;
pub(super) use pairs::Pairs;

use super::Element;
use super::checks::check_places;
use arcuate_compute::cuda::{Gpu, Gpus, LaunchTimes};
use arcuate_compute::{Device, fall_back, with_fallback};
use arcuate_core::Result;
use arcuate_numbers::Arch;
use arcuate_solve::LinearOperator;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use std::sync::Arc;

/// Number of terms of a sum that are added separately. Their sum is then added to the total.
const BLOCK: usize = 128;
/// Number of output positions whose sums a task computes at once.
const SIDE: usize = 32;

/// Exact Fourier sums between values at arbitrary positions and samples, for images that are not on a grid.
/// Each pair of a position and a sample needs its own sine and cosine.
///
/// The forward sums, from values ρ(r) to samples, are s(k) = Σ_r ρ(r) e^(−2πi k·r) · factor. The adjoint sums
/// are ρ(r) = Σ_k s(k) e^(+2πi k·r) · factor. The phase k·r is computed in double precision, and whole turns
/// are removed before it is rounded to `T`. The terms of a sum are added with the precision `T` in blocks of
/// 128.
///
/// On GPUs, the positions for phases in single precision are split into integers and remainders. Phases are
/// accurate to 3e-7 of a turn if the product of a position and a sample is at most 16 turns along each axis.
/// The error doubles with each doubling of this number of turns. Above 1,024 turns, the CPU computes the
/// sums.
///
/// GPUs process output positions in groups of 256 neighbours. If no position is more than 6 turns from the
/// centre of its group, a third of the operations is saved. Phases are then accurate to 3e-7 of a turn for
/// each turn. By default, sine and cosine are those of the hardware, accurate to 7e-7.
#[derive(Debug, Clone)]
pub struct ScatteredSums<T> {
    positions: Arc<[[f64; 3]]>,
    samples: Arc<[[f64; 3]]>,
    factor: f64,
    device: Device,
    functions: Functions,
    precision: std::marker::PhantomData<T>,
}

impl<T: Element> ScatteredSums<T> {
    /// Creates sums between values at `positions` and samples. Positions are fractions of the field of view,
    /// and samples are in cycles per field of view. Alternatively, positions are in mm and samples in 1/mm.
    ///
    /// Returns an error if there is no position or no sample, or if a coordinate is not finite.
    pub fn new(
        positions: impl Into<Arc<[[f64; 3]]>>,
        samples: impl Into<Arc<[[f64; 3]]>>,
        factor: f64,
    ) -> Result<Self> {
        let (positions, samples) = (positions.into(), samples.into());
        check_places("positions", &positions)?;
        check_places("trajectory", &samples)?;
        let (device, functions, precision) = (Device::Cpu, Functions::default(), std::marker::PhantomData);
        Ok(Self { positions, samples, factor, device, functions, precision })
    }

    /// Sets the device that computes the sums. GPUs share the output positions. The result is bit-identical
    /// for any number of GPUs.
    #[must_use]
    pub fn on(self, device: Device) -> Self {
        Self { device, ..self }
    }

    /// Sets which sine and cosine functions GPUs use.
    #[must_use]
    pub fn with_functions(self, functions: Functions) -> Self {
        Self { functions, ..self }
    }

    pub(super) fn pairs(&self, forward: bool) -> Pairs<'_> {
        let (positions, samples): (&[_], &[_]) = (&self.positions, &self.samples);
        let (from, to) = if forward { (positions, samples) } else { (samples, positions) };
        let sign = if forward { -1.0 } else { 1.0 };
        Pairs { from, to, sign, factor: self.factor, functions: self.functions }
    }
}

/// Measures the duration of adjoint sums on a GPU, with all data in GPU memory. `unknowns` receives the
/// result of the last run.
///
/// Returns an error if the GPU fails or has too little memory.
///
/// # Panics
/// Panics if the length of a vector does not match the number of positions or samples.
pub fn time_scattered<T: Element>(
    sums: &ScatteredSums<T>,
    gpu: &Gpu,
    data: &[T],
    unknowns: &mut [T],
    repeats: usize,
) -> Result<LaunchTimes> {
    let (data, unknowns) = (bytemuck::cast_slice(data), bytemuck::cast_slice_mut(unknowns));
    cuda::time::<T>(gpu, &sums.pairs(false), data, unknowns, repeats)
}

/// Computes sums on this device. If the device is a GPU that fails, computes them on the CPU.
pub(super) fn sum_on<T: Element>(device: &Device, pairs: &Pairs<'_>, values: &[T], out: &mut [T]) {
    let done = with_fallback("sums between places", device, |device| match device {
        Device::Cpu => {
            sum(pairs, values, out);
            Ok(())
        }
        Device::Cuda(gpus) => sum_on_gpus(gpus, pairs, values, out),
    });
    if let Err(error) = done {
        // If a test forbids falling back to the CPU, this call panics.
        fall_back(&error, "summing on the CPU");
        sum(pairs, values, out);
    }
}

/// Computes sums of one or several volumes on GPUs.
pub(super) fn sum_on_gpus<T: Element>(
    gpus: &Gpus,
    pairs: &Pairs<'_>,
    values: &[T],
    out: &mut [T],
) -> Result<()> {
    cuda::sum::<T>(gpus, pairs, bytemuck::cast_slice(values), bytemuck::cast_slice_mut(out))
}

impl<T: Element> LinearOperator<T> for ScatteredSums<T> {
    fn rows(&self) -> usize {
        2 * self.samples.len()
    }

    fn columns(&self) -> usize {
        2 * self.positions.len()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        T::scattered_sums(&self.device, &self.pairs(true), unknowns, data);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        T::scattered_sums(&self.device, &self.pairs(false), data, unknowns);
    }
}

/// Computes out(b) = factor Σ_a values(a) e^(2πi sign a·b) on the CPU. Here, a are the input positions and b
/// the output positions.
fn sum<T: Element>(pairs: &Pairs<'_>, values: &[T], out: &mut [T]) {
    let Pairs { from, to, sign, factor, .. } = *pairs;
    let (arch, factor) = (Arch::new(), T::of(factor));
    out.par_chunks_mut(2 * SIDE).zip(to.par_chunks(SIDE)).for_each(|(out, to)| {
        let mut places = [[0.0; SIDE]; 3];
        for (n, place) in to.iter().enumerate() {
            for axis in 0..3 {
                places[axis][n] = sign * place[axis];
            }
        }
        let all = arch.dispatch(Side { from, values, places: &places });
        for (n, out) in out.chunks_exact_mut(2).enumerate() {
            (out[0], out[1]) = (factor * all[0][n], factor * all[1][n]);
        }
    });
}

/// The real and the imaginary parts of several sums that are computed at once.
struct Side<'a, T> {
    from: &'a [[f64; 3]],
    values: &'a [T],
    places: &'a [[f64; SIDE]; 3],
}

impl<T: Element> WithSimd for Side<'_, T> {
    type Output = [[T; SIDE]; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Self { from, values, places } = self;
        let mut all = [[T::zero(); SIDE]; 2];
        for (from, values) in from.chunks(BLOCK).zip(values.chunks(2 * BLOCK)) {
            let mut block = [[T::zero(); SIDE]; 2];
            for (place, value) in from.iter().zip(values.chunks_exact(2)) {
                for n in 0..SIDE {
                    let turns = place[0] * places[0][n] + place[1] * places[1][n] + place[2] * places[2][n];
                    let [cos, sin] = T::turned(turns);
                    block[0][n] += value[0] * cos - value[1] * sin;
                    block[1][n] += value[0] * sin + value[1] * cos;
                }
            }
            for part in 0..2 {
                for n in 0..SIDE {
                    all[part][n] += block[part][n];
                }
            }
        }
        all
    }
}
