//! Sums between any places on GPUs, which share what is summed for.
#![allow(unsafe_code)]

use super::kernels::{self, ScatteredPlan};
use super::{Functions, Pairs};
use crate::memory::{fitting, halve};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Grid, Plain, Stream, on_each};
use arcuate_core::{Error, Result};

/// As in `kernels.cu`.
const THREADS: u32 = 256;
const TILE: usize = 256;
const PLACES: usize = 4;
/// Pairs of a launch, about: a part of a second.
const PAIRS: usize = 1 << 38;
/// Bits of a phase that become a number.
const KEPT: i32 = 23;

/// Places are rounded to 30 bits and more, by which phases of three axes err by up to 3 · 2^(30 − scale) of a turn.
const LEAST_SCALE: i32 = 50;

/// The precisions of sums on GPUs.
pub trait Precision: Copy + Sized + Send + Sync {
    /// A place as kernels read it.
    type Place: Plain;
    /// A complex number.
    type Number: Plain;

    /// Both sides' places, and what of phases is shifted out.
    fn places(from: &[[f64; 3]], to: &[[f64; 3]], sign: f64) -> Result<Places<Self::Place>>;

    /// Queues a launch.
    ///
    /// # Safety
    /// The plan stays within the buffers.
    unsafe fn launch(
        stream: &Stream,
        plan: Launch,
        work: &mut OnGpu<Self>,
        factor: f64,
        functions: Functions,
    ) -> CudaResult<()>;
}

/// Places of both sides as kernels read them, and the bits of phases that are shifted out.
pub struct Places<P> {
    from: Vec<P>,
    to: Vec<P>,
    shift: u32,
}

/// The places of one GPU, and the sums for them of all volumes.
type Part<'a, T> = (&'a Gpu, &'a [<T as Precision>::Place], Vec<&'a mut [<T as Precision>::Number]>);

/// What one launch sums.
#[derive(Debug, Clone, Copy)]
pub struct Launch(ScatteredPlan);

/// What lies in a GPU: places and values of one side, places of the other, and sums.
pub struct OnGpu<T: Precision> {
    from: Buffer<T::Place>,
    values: Buffer<T::Number>,
    to: Buffer<T::Place>,
    out: Buffer<T::Number>,
}

impl<T: Precision> OnGpu<T> {
    fn new(gpu: &Gpu, from: usize, to: usize) -> CudaResult<Self> {
        Ok(Self { from: gpu.alloc(from)?, values: gpu.alloc(from)?, to: gpu.alloc(to)?, out: gpu.alloc(to)? })
    }

    /// Queues the sums of `count` places over `all` of those there are from `begin` on, of which `here` lie in the GPU.
    fn run(
        &mut self,
        stream: &Stream,
        (begin, here, all): (usize, usize, usize),
        count: usize,
        (factor, functions, shift): (f64, Functions, u32),
    ) -> CudaResult<()> {
        let step = (PAIRS / count.max(1)).next_multiple_of(TILE);
        for first in (0..here).step_by(step) {
            let end = here.min(first + step);
            let plan = Launch(ScatteredPlan {
                first: first as u32,
                end: end as u32,
                to_count: count as u32,
                shift,
                resumes: u32::from(begin + first > 0),
                goes_on: u32::from(begin + end < all),
            });
            // SAFETY: so many places are there, and room for as many sums.
            unsafe { T::launch(stream, plan, self, factor, functions) }?;
        }
        Ok(())
    }
}

/// out(b) = factor Σ_a values(a) e^(2πi sign a·b) of one volume or several, vectors on the host, whatever memory there is: it does
/// not show in the result, and neither does the number of GPUs.
///
/// Fails where phases have too many turns for single precision, and where a GPU does.
pub(super) fn sum<T: Precision>(
    gpus: &Gpus,
    pairs: &Pairs<'_>,
    values: &[T::Number],
    out: &mut [T::Number],
) -> Result<()> {
    if out.is_empty() {
        return Ok(());
    }
    let Places { from, to, shift } = T::places(pairs.from, pairs.to, pairs.sign)?;
    let share = to.len().div_ceil(gpus.len());
    // Of each GPU's places the sums of all volumes.
    let mut parts: Vec<_> =
        gpus.iter().zip(to.chunks(share)).map(|(gpu, to)| (gpu, to, Vec::new())).collect();
    for out in out.chunks_exact_mut(to.len()) {
        for (part, out) in parts.iter_mut().zip(out.chunks_mut(share)) {
            part.2.push(out);
        }
    }
    on_each(parts, |_, (gpu, to, mut out): Part<'_, T>| {
        let cut = Cut::new::<T>(gpu, from.len(), to.len())?;
        let stream = gpu.stream()?;
        let mut work = OnGpu::<T>::new(gpu, cut.from, cut.to)?;
        let at_once = from.len() <= cut.from;
        if at_once {
            work.from.range_mut(0..from.len()).copy_from(&stream, &from)?;
        }
        for (lot, to) in to.chunks(cut.to).enumerate() {
            work.to.range_mut(0..to.len()).copy_from(&stream, to)?;
            for (values, out) in values.chunks_exact(from.len()).zip(&mut out) {
                for (n, (from, values)) in from.chunks(cut.from).zip(values.chunks(cut.from)).enumerate() {
                    if !at_once {
                        work.from.range_mut(0..from.len()).copy_from(&stream, from)?;
                    }
                    work.values.range_mut(0..from.len()).copy_from(&stream, values)?;
                    let range = (n * cut.from, from.len(), pairs.from.len());
                    work.run(&stream, range, to.len(), (pairs.factor, pairs.functions, shift))?;
                }
                let out = &mut out[lot * cut.to..][..to.len()];
                work.out.range(0..to.len()).copy_to(&stream, out)?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// Times launches on places and values that lie in the GPU: for measurements.
pub(super) fn time<T: Precision>(
    gpu: &Gpu,
    pairs: &Pairs<'_>,
    values: &[T::Number],
    out: &mut [T::Number],
    repeats: usize,
) -> Result<Vec<f64>> {
    let Places { from, to, shift } = T::places(pairs.from, pairs.to, pairs.sign)?;
    let stream = gpu.stream()?;
    let mut work = OnGpu::<T>::new(gpu, from.len(), to.len())?;
    work.from.copy_from(&stream, &from)?;
    work.values.copy_from(&stream, values)?;
    work.to.copy_from(&stream, &to)?;
    let [before, after] = [gpu.timed_event()?, gpu.timed_event()?];
    let mut times = Vec::with_capacity(repeats);
    for _ in 0..repeats {
        stream.record(&before)?;
        work.run(&stream, (0, from.len(), from.len()), to.len(), (pairs.factor, pairs.functions, shift))?;
        stream.record(&after)?;
        stream.synchronize()?;
        times.push(1e-3 * before.milliseconds_until(&after)?);
    }
    work.out.copy_to(&stream, out)?;
    Ok(times)
}

/// How many places of either side are in the GPU at a time.
#[derive(Debug, Clone, Copy)]
struct Cut {
    from: usize,
    to: usize,
}

impl Cut {
    fn new<T: Precision>(gpu: &Gpu, from: usize, to: usize) -> Result<Self> {
        // Kernels count in 32 bits; parts are whole tiles.
        let most = 1 << 30;
        let all = Self { from: from.next_multiple_of(TILE).min(most), to: to.min(most) };
        let bytes = |cut: &Self| gpu.bytes_of(|gpu| OnGpu::<T>::new(gpu, cut.from, cut.to).map(drop));
        let smaller =
            |cut: &mut Self| halve(if cut.from > cut.to { &mut cut.from } else { &mut cut.to }, TILE);
        fitting(gpu, "sums between places", all, bytes, smaller)
    }
}

impl Precision for f32 {
    type Place = [i32; 4];
    type Number = [f32; 2];

    fn places(from: &[[f64; 3]], to: &[[f64; 3]], sign: f64) -> Result<Places<[i32; 4]>> {
        let reach =
            |places: &[[f64; 3]], axis: usize| places.iter().fold(0f64, |most, p| most.max(p[axis].abs()));
        // |place| 2^exponent is 2^30 at most.
        let exponent = |reach: f64| if reach > 0.0 { 30 - reach.log2().ceil().max(-1e3) as i32 } else { 30 };
        let finest = [0, 1, 2].map(|axis| [exponent(reach(from, axis)), exponent(reach(to, axis))]);
        let scale = finest.iter().map(|[a, b]| a + b).min().unwrap_or(0).min(KEPT + 31);
        if scale < LEAST_SCALE {
            let problem = "phases of more than 1,024 turns along an axis are beyond its single precision";
            return Err(Error::device_too_small(
                "--device",
                problem,
                "use --device cpu, or --precision double",
            ));
        }
        // What is too much is taken from both.
        let exponents = finest.map(|[a, b]| {
            let of_a = a - (a + b - scale) / 2;
            [of_a, scale - of_a]
        });
        let whole = |places: &[[f64; 3]], side: usize, sign: f64| {
            let factors = exponents.map(|of_axis| sign * 2f64.powi(of_axis[side]));
            let of_place = |p: &[f64; 3]| {
                let [x, y, z] = [0, 1, 2].map(|axis| (factors[axis] * p[axis]).round() as i32);
                [x, y, z, 0]
            };
            places.iter().map(of_place).collect()
        };
        Ok(Places { from: whole(from, 0, 1.0), to: whole(to, 1, sign), shift: (scale - KEPT) as u32 })
    }

    unsafe fn launch(
        stream: &Stream,
        Launch(plan): Launch,
        work: &mut OnGpu<Self>,
        factor: f64,
        functions: Functions,
    ) -> CudaResult<()> {
        let grid = Grid::for_items((plan.to_count as usize).div_ceil(PLACES), THREADS);
        let OnGpu { from, values, to, out } = work;
        // SAFETY: promised by the caller.
        unsafe {
            match functions {
                Functions::Hardware => kernels::scattered_hardware(
                    stream,
                    grid,
                    plan,
                    &*from,
                    &*values,
                    &*to,
                    factor as f32,
                    out,
                ),
                Functions::Own => {
                    kernels::scattered_own(stream, grid, plan, &*from, &*values, &*to, factor as f32, out)
                }
            }
        }
    }
}

impl Precision for f64 {
    type Place = [f64; 4];
    type Number = [f64; 2];

    fn places(from: &[[f64; 3]], to: &[[f64; 3]], sign: f64) -> Result<Places<[f64; 4]>> {
        let of = |places: &[[f64; 3]], sign: f64| {
            places.iter().map(|p| [sign * p[0], sign * p[1], sign * p[2], 0.0]).collect()
        };
        Ok(Places { from: of(from, 1.0), to: of(to, sign), shift: 0 })
    }

    unsafe fn launch(
        stream: &Stream,
        Launch(plan): Launch,
        work: &mut OnGpu<Self>,
        factor: f64,
        _: Functions,
    ) -> CudaResult<()> {
        let grid = Grid::for_items(plan.to_count as usize, THREADS);
        let OnGpu { from, values, to, out } = work;
        // SAFETY: promised by the caller.
        unsafe { kernels::scattered_double(stream, grid, plan, &*from, &*values, &*to, factor, out) }
    }
}
