//! Fourier sums between arbitrary positions, computed on GPUs. The GPUs share the output positions.
#![allow(unsafe_code)]

use super::constants;
use super::kernels::{self, ScatteredPlan};
use super::places::{self, GROUP, Places};
use super::{Functions, Pairs};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Gpus, Grid, LaunchTimes, Plain, Stream};
use arcuate_compute::streaming::{self, ChunkSizes, Job, Work, Worker};
use arcuate_compute::{MemoryPlan, halve};
use arcuate_core::{Result, narrow};
use std::ops::Range;

/// These constants equal those in `kernels.cu`.
const THREADS: u32 = constants::THREADS;
const TILE: usize = constants::TILE as usize;
const PLACES: usize = 3;
const NEAR_THREADS: u32 = constants::NEAR_THREADS;
const NEAR_PLACES: usize = constants::NEAR_PLACES as usize;
/// Approximate number of pairs of input and output positions in one kernel launch. In single precision, such
/// a launch takes a fraction of a second, even on small GPUs. A longer launch may fail: if a GPU serves a
/// display, its driver may stop long kernels.
const PAIRS: usize = 1 << 38;
/// Maximum number of input positions, and of output positions, in one launch, because kernels use 32-bit
/// numbers.
const MOST: usize = 1 << 29;
/// Beginning of the error message that states the required GPU memory.
const NEEDS: &str = "sums between places need";

/// The floating-point types of sums on GPUs. The trait defines how positions are stored for each type, and
/// which kernels are used.
pub trait ScatteredElement: Copy + Sized + Send + Sync {
    /// Type of the words in which a position is stored.
    type Word: Plain;
    /// The type of a complex number.
    type Number: Plain;

    /// Number of words per position.
    const WORDS: usize;

    /// Returns the input and output positions in the memory layout of the kernels.
    fn places(pairs: &Pairs<'_>) -> Result<Places<Self::Word>>;

    /// Launches a kernel that computes sums.
    ///
    /// # Safety
    /// All positions that `plan` names must be inside the buffers of `work`.
    unsafe fn launch(
        stream: &Stream,
        plan: Launch,
        work: &mut OnGpu<Self>,
        pairs: &Pairs<'_>,
    ) -> CudaResult<()>;
}

/// The range of positions and the volume that one kernel launch processes.
#[derive(Debug, Clone, Copy)]
pub struct Launch {
    plan: ScatteredPlan,
    /// Index of the volume that is processed. `of_volume` is the distance in memory between the values of two
    /// volumes, if the values of all volumes are in memory.
    volume: usize,
    of_volume: usize,
}

impl Launch {
    /// Returns two indices: the index of the volume's first value, and the index of its first sum.
    fn begins(self) -> [usize; 2] {
        [self.volume * self.of_volume, self.volume * self.plan.to_count as usize]
    }
}

/// GPU memory for the sums of some output positions: input positions with their values, output positions, and
/// the sums.
pub struct OnGpu<T: ScatteredElement> {
    from: Buffer<T::Word>,
    /// The values of all volumes at the input positions, if all input positions fit in GPU memory.
    values: Buffer<T::Number>,
    to: Buffer<T::Word>,
    /// The centre of each group of output positions. `None` if the positions of the groups are too far from
    /// each other.
    middles: Option<Buffer<T::Word>>,
    /// The sums of all volumes.
    out: Buffer<T::Number>,
    /// Number of output positions in this chunk (the part of the work that one GPU does at a time).
    count: usize,
    /// Number of input positions that are in GPU memory at a time.
    from_at_once: usize,
    /// True if all input positions and their values are in GPU memory.
    has_all: bool,
}

/// Computes out(b) = factor Σ_a values(a) e^(2πi sign a·b) for one or several volumes. Here, a are the input
/// positions and b the output positions. `values` and `out` are in host memory. The result does not depend on
/// the GPU memory or on the number of GPUs.
///
/// Returns an error if phases have too many turns for single precision, or if a GPU fails.
pub(super) fn sum<T: ScatteredElement>(
    gpus: &Gpus,
    pairs: &Pairs<'_>,
    values: &[T::Number],
    out: &mut [T::Number],
) -> Result<()> {
    if out.is_empty() {
        return Ok(());
    }
    in_order(&T::places(pairs)?, pairs, out, |places, out| {
        streaming::run(&Sums::<T> { pairs, places, values }, gpus, |chunks| {
            streaming::rows(out, pairs.to.len(), 1, chunks)
        })?;
        Ok(())
    })
}

/// Measures the duration of sums whose positions and values are already in GPU memory.
pub(super) fn time<T: ScatteredElement>(
    gpu: &Gpu,
    pairs: &Pairs<'_>,
    values: &[T::Number],
    out: &mut [T::Number],
    repeats: usize,
) -> Result<LaunchTimes> {
    in_order(&T::places(pairs)?, pairs, out, |places, out| {
        let target = out.chunks_exact_mut(pairs.to.len()).collect();
        Ok(streaming::time(&Sums::<T> { pairs, places, values }, gpu, repeats, target)?.0)
    })
}

/// Runs `work`, which computes the sums in the order of the sorted output positions. Then puts the sums in
/// the original order of these positions.
fn in_order<W, N: Copy, R>(
    places: &Places<W>,
    pairs: &Pairs<'_>,
    out: &mut [N],
    work: impl FnOnce(&Places<W>, &mut [N]) -> Result<R>,
) -> Result<R> {
    let Some(near) = &places.near else { return work(places, out) };
    let mut sums = out.to_vec();
    let done = work(places, &mut sums)?;
    let count = pairs.to.len();
    for (out, sums) in out.chunks_exact_mut(count).zip(sums.chunks_exact(count)) {
        near.put_back(sums, out);
    }
    Ok(done)
}

/// Computes the sums at all output positions in their sorted order, for all volumes.
struct Sums<'a, T: ScatteredElement> {
    pairs: &'a Pairs<'a>,
    places: &'a Places<T::Word>,
    values: &'a [T::Number],
}

impl<T: ScatteredElement> Sums<'_, T> {
    fn middles(&self) -> Option<&[T::Word]> {
        self.places.near.as_ref().map(|near| &*near.middles)
    }

    /// Returns the number of memory words in which an output position is stored.
    fn to_words(&self) -> usize {
        if self.places.near.is_some() { 1 } else { T::WORDS }
    }

    fn volumes(&self) -> usize {
        self.values.len() / self.pairs.from.len()
    }

    /// Returns the maximum number of input positions that are processed at a time. It is a whole number of
    /// tiles and fits in 32 bits.
    fn most_from(&self) -> usize {
        self.pairs.from.len().next_multiple_of(TILE).min(MOST)
    }

    fn buffers(&self, gpu: &Gpu, to: usize, from: usize) -> CudaResult<OnGpu<T>> {
        let middles = self.middles().map(|_| gpu.alloc(T::WORDS * to.div_ceil(GROUP)));
        let has_room_for_all = from >= self.pairs.from.len();
        Ok(OnGpu {
            from: gpu.alloc(T::WORDS * from)?,
            values: gpu.alloc(if has_room_for_all { self.values.len() } else { from })?,
            to: gpu.alloc(self.to_words() * to)?,
            middles: middles.transpose()?,
            out: gpu.alloc(self.volumes() * to)?,
            count: 0,
            from_at_once: from,
            has_all: false,
        })
    }

    /// Allocates GPU memory, for as many input positions as fit.
    fn scratch(&self, gpu: &Gpu, items: usize, budget: u64) -> Result<OnGpu<T>> {
        let to = items.next_multiple_of(GROUP);
        let bytes = |from: &usize| gpu.bytes_of(|gpu| self.buffers(gpu, to, *from));
        let plan = MemoryPlan::new(NEEDS, 0);
        let from = plan.first_fit(budget, self.most_from(), bytes, |from| halve(from, TILE))?;
        Ok(self.buffers(gpu, to, from)?)
    }

    /// Launches the kernel that computes the sums of one volume over the `here` input positions in GPU
    /// memory. The first of these input positions has the index `begin`.
    fn sum(
        &self,
        stream: &Stream,
        work: &mut OnGpu<T>,
        volume: usize,
        begin: usize,
        here: usize,
    ) -> Result<()> {
        let all = self.pairs.from.len();
        let step = (PAIRS / work.count.max(1)).next_multiple_of(TILE);
        for first in (0..here).step_by(step) {
            let end = here.min(first + step);
            let plan = ScatteredPlan {
                first: narrow::<u32>(first),
                end: narrow::<u32>(end),
                to_count: narrow::<u32>(work.count),
                resumes: u32::from(begin + first > 0),
                goes_on: u32::from(begin + end < all),
            };
            let launch = Launch { plan, volume, of_volume: if work.has_all { all } else { 0 } };
            // SAFETY: `here` input positions are in GPU memory, and `work` has memory for the sums.
            unsafe { T::launch(stream, launch, work, self.pairs) }?;
        }
        Ok(())
    }
}

impl<'a, T: ScatteredElement> Job for Sums<'a, T> {
    type Tables = ();
    type Scratch = OnGpu<T>;
    /// Returns the sums at the output positions of a chunk, volume by volume.
    type Target = Vec<&'a mut [T::Number]>;
    type Output = ();

    /// The cost includes all input positions, because each chunk of output positions reads all of them. A
    /// chunk consists of whole groups of output positions.
    fn work(&self) -> Work {
        let sizes = ChunkSizes { maximum: MOST, ..ChunkSizes::whole(GROUP) };
        Work { needs: NEEDS, items: self.pairs.to.len(), sizes }
    }

    fn tables(&self, _: &Gpu, _: &Stream) -> CudaResult<()> {
        Ok(())
    }

    /// The number of input positions in GPU memory is at most the number of output positions. If memory is
    /// small, fewer of both are faster than very few of one.
    fn chunk_bytes(&self, gpu: &Gpu, items: usize) -> CudaResult<u64> {
        let to = items.next_multiple_of(GROUP);
        gpu.bytes_of(|gpu| self.buffers(gpu, to, self.most_from().min(to)))
    }

    fn upload(
        &self,
        worker: &mut Worker<'_, ()>,
        scratch: Option<OnGpu<T>>,
        chunk: Range<usize>,
    ) -> Result<OnGpu<T>> {
        let new = || self.scratch(&worker.gpu, worker.maximum, worker.budget);
        let mut work = scratch.map_or_else(new, Ok)?;
        let stream = &worker.stream;
        work.count = chunk.len();
        if let (Some(there), Some(middles)) = (&mut work.middles, self.middles()) {
            let of_chunk = &middles[T::WORDS * (chunk.start / GROUP)..T::WORDS * chunk.end.div_ceil(GROUP)];
            there.range_mut(0..of_chunk.len()).copy_from(stream, of_chunk)?;
        }
        let words = self.to_words();
        let to = &self.places.to[words * chunk.start..words * chunk.end];
        work.to.range_mut(0..to.len()).copy_from(stream, to)?;
        if !work.has_all && work.from_at_once >= self.pairs.from.len() {
            work.from.range_mut(0..self.places.from.len()).copy_from(stream, &self.places.from)?;
            work.values.copy_from(stream, self.values)?;
            work.has_all = true;
        }
        Ok(work)
    }

    /// If not all input positions fit in GPU memory, they are copied in several parts.
    fn launch(&self, worker: &mut Worker<'_, ()>, work: &mut OnGpu<T>) -> Result<()> {
        let (stream, all) = (&worker.stream, self.pairs.from.len());
        for (volume, values) in self.values.chunks_exact(all).enumerate() {
            if work.has_all {
                self.sum(stream, work, volume, 0, all)?;
                continue;
            }
            let at_once = work.from_at_once;
            let tiles = self.places.from.chunks(T::WORDS * at_once).zip(values.chunks(at_once));
            for (n, (from, values)) in tiles.enumerate() {
                work.from.range_mut(0..from.len()).copy_from(stream, from)?;
                work.values.range_mut(0..values.len()).copy_from(stream, values)?;
                self.sum(stream, work, volume, n * at_once, values.len())?;
            }
        }
        Ok(())
    }

    fn download(
        &self,
        worker: &mut Worker<'_, ()>,
        work: &mut OnGpu<T>,
        out: Vec<&'a mut [T::Number]>,
    ) -> Result<()> {
        let count = work.count;
        for (volume, out) in out.into_iter().enumerate() {
            work.out.range(volume * count..(volume + 1) * count).copy_to(&worker.stream, out)?;
        }
        Ok(())
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
        launch: Launch,
        work: &mut OnGpu<Self>,
        pairs: &Pairs<'_>,
    ) -> CudaResult<()> {
        let (plan, factor) = (launch.plan, pairs.factor as f32);
        let ([of_values, of_out], count) = (launch.begins(), plan.to_count as usize);
        let OnGpu { from, values, to, middles, out, .. } = work;
        let (from, to) = (&*from, &*to);
        let (values, out) = (values.range(of_values..values.len()), out.range_mut(of_out..of_out + count));
        let far = Grid::for_items(count.div_ceil(PLACES), THREADS);
        let near = Grid::for_items(count.div_ceil(NEAR_PLACES), NEAR_THREADS);
        // SAFETY: the caller guarantees that the positions of the plan are inside the buffers.
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
        launch: Launch,
        work: &mut OnGpu<Self>,
        pairs: &Pairs<'_>,
    ) -> CudaResult<()> {
        let ([of_values, of_out], count) = (launch.begins(), launch.plan.to_count as usize);
        let grid = Grid::for_items(count, THREADS);
        let OnGpu { from, values, to, out, .. } = work;
        let (values, out) = (values.range(of_values..values.len()), out.range_mut(of_out..of_out + count));
        // SAFETY: the caller guarantees that the positions of the plan are inside the buffers.
        unsafe {
            kernels::scattered_double(stream, grid, launch.plan, &*from, values, &*to, pairs.factor, out)
        }
    }
}
