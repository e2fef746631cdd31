//! Streams many items through GPUs in chunks: the common engine of all streamed work.
//!
//! A [`Job`] defines the data common to all chunks (its tables), the memory that a worker needs for a number
//! of items, and how a chunk is uploaded, launched and downloaded. [`run`] does the rest. It divides the
//! items to fit into memory and gives each GPU two workers. Each worker is a host thread with its own stream,
//! so that one copies while the other's kernels run. Workers take chunks in order from one queue, and results
//! are joined in that order. If items are independent, the result does not depend on chunks or GPUs. If
//! memory is exhausted, an enclosing [`with_fallback`](crate::with_fallback) repeats the work in smaller
//! chunks.

mod chunk_sizes;
mod queue;

pub use chunk_sizes::ChunkSizes;

use crate::cuda::{CudaResult, Gpu, Gpus, LaunchTimes, Stream, Transfer, on_each};
use crate::memory_plan::MemoryPlan;
use arcuate_core::{Error, Result};
use chunk_sizes::Cut;
use std::ops::Range;
use std::sync::Arc;

/// The work of a [`Job`].
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Its description with a verb, for the error about required memory: "fits need".
    pub needs: &'static str,
    /// Number of items.
    pub items: usize,
    /// Limits for the number of items of a chunk.
    pub sizes: ChunkSizes,
}

/// Work on items that can be done in parts.
pub trait Job: Sync {
    /// Data common to all chunks, once on each GPU and shared by its workers.
    type Tables: Send + Sync;
    /// A worker's GPU memory, reused for all its chunks.
    type Scratch;
    /// The host memory for the results of a chunk; `()` if they are its [`Output`](Self::Output).
    type Target: Send;
    /// Further results of a chunk.
    type Output: Send;

    /// The work to do.
    fn work(&self) -> Work;

    /// The tables, complete in GPU memory after the work queued in the stream.
    fn tables(&self, gpu: &Gpu, stream: &Stream) -> CudaResult<Self::Tables>;

    /// Bytes of the tables. The default determines them by creating the tables in dry-run mode.
    fn table_bytes(&self, gpu: &Gpu) -> CudaResult<u64> {
        let stream = gpu.stream()?;
        gpu.bytes_of(|gpu| self.tables(gpu, &stream))
    }

    /// Minimum bytes of a worker's scratch memory for chunks of `items` items ([`Gpu::bytes_of`]).
    fn chunk_bytes(&self, gpu: &Gpu, items: usize) -> CudaResult<u64>;

    /// Queues the copies of a chunk in the worker's stream. The scratch memory is that of the previous chunk,
    /// if there was one.
    fn upload(
        &self,
        worker: &mut Worker<'_, Self::Tables>,
        scratch: Option<Self::Scratch>,
        chunk: Range<usize>,
    ) -> Result<Self::Scratch>;

    /// Queues the chunk's kernels in the worker's stream. For [timing](time), this is called several times.
    fn launch(&self, worker: &mut Worker<'_, Self::Tables>, scratch: &mut Self::Scratch) -> Result<()>;

    /// Copies the results of the chunk to the host, and waits for them.
    fn download(
        &self,
        worker: &mut Worker<'_, Self::Tables>,
        scratch: &mut Self::Scratch,
        target: Self::Target,
    ) -> Result<Self::Output>;

    /// Called after each chunk with its number of items, by several threads, for progress reports. An error
    /// stops the work.
    fn done(&self, _items: usize) -> Result<()> {
        Ok(())
    }
}

/// Processes chunks with a stream of a GPU.
#[derive(Debug)]
pub struct Worker<'a, T> {
    /// The GPU.
    pub gpu: Gpu,
    /// The worker's own stream.
    pub stream: Arc<Stream>,
    /// Page-locked staging slots for copies of ordinary memory.
    pub transfer: Transfer,
    /// Data common to all chunks.
    pub tables: &'a T,
    /// Maximum number of items of a chunk.
    pub most: usize,
    /// Bytes that the scratch memory may use: at least those for `most` items.
    pub budget: u64,
}

impl<'a, T> Worker<'a, T> {
    fn new(gpu: &Gpu, tables: &'a T, most: usize, budget: u64) -> CudaResult<Self> {
        let (stream, transfer) = (Arc::new(gpu.stream()?), Transfer::new(gpu, usize::MAX)?);
        Ok(Self { gpu: gpu.clone(), stream, transfer, tables, most, budget })
    }
}

/// Runs a job on GPUs, and returns the results of its chunks, in order. `targets` gets these chunks, which
/// cover all items in order, and returns the host memory for their results.
///
/// Returns an error if the smallest chunk does not fit, or if a GPU or the job fails; if several chunks fail,
/// the error of the first.
pub fn run<J: Job>(
    job: &J,
    gpus: &Gpus,
    targets: impl FnOnce(&[Range<usize>]) -> Vec<J::Target>,
) -> Result<Vec<J::Output>> {
    let Work { needs, items, sizes } = job.work();
    if items == 0 {
        return Ok(Vec::new());
    }
    let mut cut = Cut::fastest(items, gpus.len(), sizes);
    let mut shares = Vec::with_capacity(gpus.len());
    for gpu in gpus.iter() {
        let (budget, tables) = (gpu.budget()?, job.table_bytes(gpu)?);
        let plan = MemoryPlan::new(needs, tables);
        let bytes = |items| job.chunk_bytes(gpu, items);
        cut = cut.within(&plan, budget, (items, gpus.len(), sizes.least), bytes)?;
        shares.push(budget.saturating_sub(tables));
    }
    let tables = on_each(gpus.iter(), |_, gpu| tables_in(job, gpu))?;
    let chunks = cut.of(items);
    let targets = targets(&chunks);
    assert_eq!(targets.len(), chunks.len(), "a target for each chunk");
    let workers: Vec<usize> = (0..cut.workers).flat_map(|_| 0..gpus.len()).collect();
    let start = |n: usize| {
        let budget = shares[n] / cut.workers as u64;
        Ok((Worker::new(&gpus[n], &tables[n], cut.chunk.min(items), budget)?, None))
    };
    let work = |(worker, scratch): &mut (Worker<'_, _>, Option<_>), (chunk, target): (Range<usize>, _)| {
        let count = chunk.len();
        let before = scratch.take();
        let there = scratch.insert(job.upload(worker, before, chunk)?);
        job.launch(worker, there)?;
        let output = job.download(worker, there, target)?;
        job.done(count)?;
        Ok(output)
    };
    queue::work_through(workers, chunks.into_iter().zip(targets).collect(), start, work)
}

/// Times the launches of a job whose items fit on one GPU together, for benchmarks. Also returns the results.
///
/// Returns an error if the GPU fails or has too little memory.
pub fn time<J: Job>(
    job: &J,
    gpu: &Gpu,
    repeats: usize,
    target: J::Target,
) -> Result<(LaunchTimes, J::Output)> {
    let Work { items, .. } = job.work();
    let budget = gpu.budget()?.saturating_sub(job.table_bytes(gpu)?);
    if job.chunk_bytes(gpu, items)? > budget {
        let problem = "its memory does not hold all of it at a time";
        return Err(Error::device_too_small(format_args!("{gpu}"), problem, "measure on a larger one"));
    }
    let tables = tables_in(job, gpu)?;
    let mut worker = Worker::new(gpu, &tables, items, budget)?;
    let mut scratch = job.upload(&mut worker, None, 0..items)?;
    let stream = Arc::clone(&worker.stream);
    let times = stream.time(repeats, || job.launch(&mut worker, &mut scratch))?;
    let output = job.download(&mut worker, &mut scratch, target)?;
    Ok((times, output))
}

/// The tables of a job, complete in GPU memory, so that other streams may read them.
fn tables_in<J: Job>(job: &J, gpu: &Gpu) -> Result<J::Tables> {
    let stream = gpu.stream()?;
    let tables = job.tables(gpu, &stream)?;
    stream.synchronize()?;
    Ok(tables)
}

/// Splits the values of all items, `of_item` per item, into those of chunks: targets of [`run`].
///
/// # Panics
/// Panics if there are fewer values than the chunks need.
pub fn parts<'v, V>(mut values: &'v mut [V], of_item: usize, chunks: &[Range<usize>]) -> Vec<&'v mut [V]> {
    let mut part = |chunk: &Range<usize>| {
        let (part, rest) = std::mem::take(&mut values).split_at_mut(chunk.len() * of_item);
        values = rest;
        part
    };
    chunks.iter().map(&mut part).collect()
}

/// Splits values in rows of `row`, where each row has all items: each chunk gets its part of every row.
///
/// # Panics
/// Panics if a row has fewer values than the chunks.
pub fn rows<'v, V>(
    values: &'v mut [V],
    row: usize,
    of_item: usize,
    chunks: &[Range<usize>],
) -> Vec<Vec<&'v mut [V]>> {
    let mut targets: Vec<_> = chunks.iter().map(|_| Vec::new()).collect();
    for values in values.chunks_exact_mut(row) {
        let parts = parts(values, of_item, chunks);
        targets.iter_mut().zip(parts).for_each(|(target, part): (&mut Vec<_>, _)| target.push(part));
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_cut_where_chunks_are() {
        let mut values = [0, 1, 2, 3, 4, 5];
        let rows = rows(&mut values, 3, 1, &[0..2, 2..3]);
        assert_eq!(rows, [[&[0, 1][..], &[3, 4]], [&[2], &[5]]]);
    }

    #[test]
    fn values_are_cut_where_chunks_are() {
        let mut values = [0, 1, 2, 3, 4, 5, 6, 7, 8];
        let parts = parts(&mut values, 3, &[0..2, 2..3]);
        assert_eq!(parts, [&[0, 1, 2, 3, 4, 5][..], &[6, 7, 8]]);
    }
}
