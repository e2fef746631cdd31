//! Sums between any places on GPUs, which share what is summed for.
#![allow(unsafe_code)]

use super::constants;
use super::kernels::{self, ScatteredPlan};
use super::places::{self, GROUP, Places};
use super::{Functions, Pairs};
use crate::memory::{fitting, halve};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Grid, Plain, Stream, on_each};
use arcuate_core::Result;

/// As in `kernels.cu`.
const THREADS: u32 = constants::THREADS;
const TILE: usize = constants::TILE as usize;
const PLACES: usize = 3;
const NEAR_THREADS: u32 = constants::NEAR_THREADS;
const NEAR_PLACES: usize = constants::NEAR_PLACES as usize;
/// Pairs of a launch, about: a part of a second in single precision, on smaller cards too, whose drivers may end what takes
/// longer while they serve a screen.
const PAIRS: usize = 1 << 38;

/// The precisions of sums on GPUs, and what places and kernels each has.
pub trait ScatteredElement: Copy + Sized + Send + Sync {
    /// What places are made of.
    type Word: Plain;
    /// A complex number.
    type Number: Plain;

    /// Words of a place.
    const WORDS: usize;

    /// Both sides' places.
    fn places(pairs: &Pairs<'_>) -> Result<Places<Self::Word>>;

    /// Queues a launch.
    ///
    /// # Safety
    /// The plan stays within the buffers.
    unsafe fn launch(
        stream: &Stream,
        plan: Launch,
        work: &mut OnGpu<Self>,
        pairs: &Pairs<'_>,
    ) -> CudaResult<()>;
}

/// The places of one GPU, and the sums for them of all volumes.
struct Part<'a, T: ScatteredElement> {
    to: &'a [T::Word],
    middles: &'a [T::Word],
    out: Vec<&'a mut [T::Number]>,
}

/// What one launch sums.
#[derive(Debug, Clone, Copy)]
pub struct Launch(ScatteredPlan);

/// What lies in a GPU: places and values of one side, places of the other, and sums.
pub struct OnGpu<T: ScatteredElement> {
    from: Buffer<T::Word>,
    values: Buffer<T::Number>,
    to: Buffer<T::Word>,
    /// Of groups of these, where they are near one another.
    middles: Option<Buffer<T::Word>>,
    out: Buffer<T::Number>,
}

impl<T: ScatteredElement> OnGpu<T> {
    fn new(gpu: &Gpu, cut: Cut) -> CudaResult<Self> {
        let middles = cut.near.then(|| gpu.alloc(T::WORDS * cut.to.div_ceil(GROUP)));
        Ok(Self {
            from: gpu.alloc(T::WORDS * cut.from)?,
            values: gpu.alloc(cut.from)?,
            to: gpu.alloc(cut.to_words::<T>() * cut.to)?,
            middles: middles.transpose()?,
            out: gpu.alloc(cut.to)?,
        })
    }

    /// Puts places there that are summed for.
    fn set_to(&mut self, stream: &Stream, to: &[T::Word], middles: &[T::Word]) -> CudaResult<()> {
        if let Some(there) = &mut self.middles {
            there.range_mut(0..middles.len()).copy_from(stream, middles)?;
        }
        self.to.range_mut(0..to.len()).copy_from(stream, to)
    }

    /// Queues the sums of `count` places over `all` of those there are from `begin` on, of which `here` lie in the GPU.
    fn run(
        &mut self,
        stream: &Stream,
        (begin, here, all): (usize, usize, usize),
        count: usize,
        pairs: &Pairs<'_>,
    ) -> CudaResult<()> {
        let step = (PAIRS / count.max(1)).next_multiple_of(TILE);
        for first in (0..here).step_by(step) {
            let end = here.min(first + step);
            let plan = Launch(ScatteredPlan {
                first: first as u32,
                end: end as u32,
                to_count: count as u32,
                resumes: u32::from(begin + first > 0),
                goes_on: u32::from(begin + end < all),
            });
            // SAFETY: so many places are there, and room for as many sums.
            unsafe { T::launch(stream, plan, self, pairs) }?;
        }
        Ok(())
    }
}

/// out(b) = factor Σ_a values(a) e^(2πi sign a·b) of one volume or several, vectors on the host, whatever memory there is: it does
/// not show in the result, and neither does the number of GPUs.
///
/// Fails where phases have too many turns for single precision, and where a GPU does.
pub(super) fn sum<T: ScatteredElement>(
    gpus: &Gpus,
    pairs: &Pairs<'_>,
    values: &[T::Number],
    out: &mut [T::Number],
) -> Result<()> {
    if out.is_empty() {
        return Ok(());
    }
    let places = T::places(pairs)?;
    let Some(near) = &places.near else { return sum_in_order::<T>(gpus, pairs, &places, values, out) };
    let mut sums = out.to_vec();
    sum_in_order::<T>(gpus, pairs, &places, values, &mut sums)?;
    for (out, sums) in out.chunks_exact_mut(pairs.to.len()).zip(sums.chunks_exact(pairs.to.len())) {
        near.put_back(sums, out);
    }
    Ok(())
}

/// The same with sums in the order in which places are.
fn sum_in_order<T: ScatteredElement>(
    gpus: &Gpus,
    pairs: &Pairs<'_>,
    places: &Places<T::Word>,
    values: &[T::Number],
    out: &mut [T::Number],
) -> Result<()> {
    let (from, middles) = (&places.from, places.near.as_ref().map(|near| &*near.middles));
    let all = Cut { from: pairs.from.len(), to: pairs.to.len(), near: middles.is_some() };
    let words = all.to_words::<T>();
    // Whole groups.
    let share = all.to.div_ceil(gpus.len()).next_multiple_of(GROUP);
    let of_groups = T::WORDS * share / GROUP;
    let mut parts: Vec<_> = places
        .to
        .chunks(words * share)
        .enumerate()
        .map(|(n, to)| {
            let middles =
                middles.map_or(&[][..], |all| &all[n * of_groups..all.len().min((n + 1) * of_groups)]);
            Part::<T> { to, middles, out: Vec::new() }
        })
        .collect();
    for out in out.chunks_exact_mut(all.to) {
        for (part, out) in parts.iter_mut().zip(out.chunks_mut(share)) {
            part.out.push(out);
        }
    }
    let parts: Vec<_> = gpus.iter().zip(parts).collect();
    on_each(parts, |_, (gpu, mut part): (&Gpu, Part<'_, T>)| {
        let cut = Cut { to: part.to.len() / words, ..all }.fitting::<T>(gpu)?;
        let stream = gpu.stream()?;
        let mut work = OnGpu::<T>::new(gpu, cut)?;
        let at_once = all.from <= cut.from;
        if at_once {
            work.from.range_mut(0..from.len()).copy_from(&stream, from)?;
        }
        for (lot, to) in part.to.chunks(words * cut.to).enumerate() {
            let groups = T::WORDS * cut.to / GROUP;
            let middles = part.middles.chunks(groups).nth(lot).unwrap_or_default();
            work.set_to(&stream, to, middles)?;
            let count = to.len() / words;
            for (values, out) in values.chunks_exact(all.from).zip(&mut part.out) {
                let lots = from.chunks(T::WORDS * cut.from).zip(values.chunks(cut.from));
                for (n, (from, values)) in lots.enumerate() {
                    if !at_once {
                        work.from.range_mut(0..from.len()).copy_from(&stream, from)?;
                    }
                    work.values.range_mut(0..values.len()).copy_from(&stream, values)?;
                    work.run(&stream, (n * cut.from, values.len(), all.from), count, pairs)?;
                }
                work.out.range(0..count).copy_to(&stream, &mut out[lot * cut.to..][..count])?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// Times launches on places and values that lie in the GPU: for measurements.
pub(super) fn time<T: ScatteredElement>(
    gpu: &Gpu,
    pairs: &Pairs<'_>,
    values: &[T::Number],
    out: &mut [T::Number],
    repeats: usize,
) -> Result<Vec<f64>> {
    let places = T::places(pairs)?;
    let stream = gpu.stream()?;
    let (from, to) = (pairs.from.len(), pairs.to.len());
    let mut work = OnGpu::<T>::new(gpu, Cut { from, to, near: places.near.is_some() })?;
    work.from.copy_from(&stream, &places.from)?;
    work.values.copy_from(&stream, values)?;
    work.set_to(&stream, &places.to, places.near.as_ref().map_or(&[], |near| &near.middles))?;
    let [before, after] = [gpu.timed_event()?, gpu.timed_event()?];
    let mut times = Vec::with_capacity(repeats);
    for _ in 0..repeats {
        stream.record(&before)?;
        work.run(&stream, (0, from, from), to, pairs)?;
        stream.record(&after)?;
        stream.synchronize()?;
        times.push(1e-3 * before.milliseconds_until(&after)?);
    }
    let mut sums = out.to_vec();
    work.out.copy_to(&stream, &mut sums)?;
    match &places.near {
        Some(near) => near.put_back(&sums, out),
        None => out.copy_from_slice(&sums),
    }
    Ok(times)
}

/// How many places of either side are in the GPU at a time, and whether those summed for are near one another.
#[derive(Debug, Clone, Copy)]
struct Cut {
    from: usize,
    to: usize,
    near: bool,
}

impl Cut {
    /// Words of a place that is summed for.
    fn to_words<T: ScatteredElement>(self) -> usize {
        if self.near { 1 } else { T::WORDS }
    }

    /// What fits of so many.
    fn fitting<T: ScatteredElement>(self, gpu: &Gpu) -> Result<Self> {
        // Kernels count in 32 bits; parts are whole tiles and groups.
        let part = |count: usize| count.next_multiple_of(TILE).min(1 << 29);
        let all = Self { from: part(self.from), to: part(self.to), ..self };
        let bytes = |cut: &Self| gpu.bytes_of(|gpu| OnGpu::<T>::new(gpu, *cut).map(drop));
        let smaller =
            |cut: &mut Self| halve(if cut.from > cut.to { &mut cut.from } else { &mut cut.to }, TILE);
        fitting(gpu, "sums between places", all, bytes, smaller)
    }
}

impl ScatteredElement for f32 {
    type Word = [i32; 4];
    type Number = [f32; 2];

    const WORDS: usize = 2;

    fn places(pairs: &Pairs<'_>) -> Result<Places<[i32; 4]>> {
        places::single(pairs)
    }

    unsafe fn launch(
        stream: &Stream,
        Launch(plan): Launch,
        work: &mut OnGpu<Self>,
        pairs: &Pairs<'_>,
    ) -> CudaResult<()> {
        let (count, factor) = (plan.to_count as usize, pairs.factor as f32);
        let OnGpu { from, values, to, middles, out } = work;
        let (from, values, to) = (&*from, &*values, &*to);
        let far = Grid::for_items(count.div_ceil(PLACES), THREADS);
        let near = Grid::for_items(count.div_ceil(NEAR_PLACES), NEAR_THREADS);
        // SAFETY: promised by the caller.
        unsafe {
            match (middles, pairs.functions) {
                (None, Functions::Hardware) => {
                    kernels::scattered_hardware(stream, far, plan, from, values, to, factor, out)
                }
                (None, Functions::Own) => {
                    kernels::scattered_own(stream, far, plan, from, values, to, factor, out)
                }
                (Some(middles), Functions::Hardware) => kernels::scattered_near_hardware(
                    stream, near, plan, from, values, &*middles, to, factor, out,
                ),
                (Some(middles), Functions::Own) => {
                    kernels::scattered_near_own(stream, near, plan, from, values, &*middles, to, factor, out)
                }
            }
        }
    }
}

impl ScatteredElement for f64 {
    type Word = [f64; 4];
    type Number = [f64; 2];

    const WORDS: usize = 1;

    fn places(pairs: &Pairs<'_>) -> Result<Places<[f64; 4]>> {
        Ok(places::double(pairs))
    }

    unsafe fn launch(
        stream: &Stream,
        Launch(plan): Launch,
        work: &mut OnGpu<Self>,
        pairs: &Pairs<'_>,
    ) -> CudaResult<()> {
        let grid = Grid::for_items(plan.to_count as usize, THREADS);
        let OnGpu { from, values, to, out, .. } = work;
        // SAFETY: promised by the caller.
        unsafe { kernels::scattered_double(stream, grid, plan, &*from, &*values, &*to, pairs.factor, out) }
    }
}
