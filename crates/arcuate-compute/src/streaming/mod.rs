//! Processes many items on GPUs in chunks, which are copied to the GPU and back while other chunks are
//! computed.
//!
//! A [`Job`] defines the data that all chunks need (its tables), and the memory that a worker needs for a
//! number of items. The job also defines the copy of a chunk to the GPU, the launch of its kernels, and the
//! copy of its results from the GPU. The function [`run`] divides the items into chunks that fit into GPU
//! memory, and gives each GPU two workers. Each worker is a host thread with its own stream. While one worker
//! copies, the other worker's kernels run. Workers take chunks in order from one queue, and the results have
//! the order of the chunks. If items are independent, the result does not depend on chunks or GPUs. If memory
//! is exhausted, an enclosing [`with_fallback`](crate::with_fallback) repeats the work in smaller chunks.

mod chunk_sizes;
mod queue;

pub use chunk_sizes::ChunkSizes;

use crate::cuda::{CudaResult, Gpu, Gpus, LaunchTimes, Stream, Transfer, on_each};
use crate::memory_plan::MemoryPlan;
use arcuate_core::{Error, Result};
use chunk_sizes::Cut;
use std::ops::Range;
use std::sync::Arc;

/// Describes how many items a [`Job`] has and how they may be divided.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Description of the work with a verb, for the error about required memory, such as "fits need".
    pub needs: &'static str,
    /// Number of items of the job.
    pub items: usize,
    /// Limits for the number of items of a chunk.
    pub sizes: ChunkSizes,
}

/// Work on many items that can be done in chunks.
pub trait Job: Sync {
    /// Data that all chunks share. Each GPU has one copy, which its workers share.
    type Tables: Send + Sync;
    /// GPU memory of a worker, which the worker reuses for all its chunks.
    type Scratch;
    /// Type of the host memory for the results of a chunk; `()` if all results are in
    /// [`Output`](Self::Output).
    type Target: Send;
    /// Further results of a chunk, which are returned.
    type Output: Send;

    /// Describes the work to do.
    fn work(&self) -> Work;

    /// Creates the tables (the data that all chunks share) on a GPU. The tables are complete when the work
    /// that is queued in the stream is done.
    fn tables(&self, gpu: &Gpu, stream: &Stream) -> CudaResult<Self::Tables>;

    /// Number of bytes of the tables (the data that all chunks share). By default, the tables are created in
    /// a mode that only counts bytes.
    fn table_bytes(&self, gpu: &Gpu) -> CudaResult<u64> {
        let stream = gpu.stream()?;
        gpu.bytes_of(|gpu| self.tables(gpu, &stream))
    }

    /// Number of bytes of GPU memory that a worker needs at least for chunks of `items` items.
    /// [`Gpu::bytes_of`] can compute this number.
    fn chunk_bytes(&self, gpu: &Gpu, items: usize) -> CudaResult<u64>;

    /// Queues the copies of a chunk to the GPU in the worker's stream. `scratch` is the GPU memory of the
    /// worker's previous chunk, if there was one.
    fn upload(
        &self,
        worker: &mut Worker<'_, Self::Tables>,
        scratch: Option<Self::Scratch>,
        chunk: Range<usize>,
    ) -> Result<Self::Scratch>;

    /// Queues the kernels of a chunk in the worker's stream. [`time`] calls this function several times for
    /// the same chunk.
    fn launch(&self, worker: &mut Worker<'_, Self::Tables>, scratch: &mut Self::Scratch) -> Result<()>;

    /// Copies the results of a chunk to the host, and returns when the copy is done.
    fn download(
        &self,
        worker: &mut Worker<'_, Self::Tables>,
        scratch: &mut Self::Scratch,
        target: Self::Target,
    ) -> Result<Self::Output>;

    /// Reports progress. Several threads call this function, after each chunk, with the number of items of
    /// the chunk. If the function returns an error, the work stops.
    fn done(&self, _items: usize) -> Result<()> {
        Ok(())
    }
}

/// A worker, which processes chunks on one GPU with its own stream.
#[derive(Debug)]
pub struct Worker<'a, T> {
    /// The GPU on which the worker runs.
    pub gpu: Gpu,
    /// The worker's own stream.
    pub stream: Arc<Stream>,
    /// Page-locked buffers through which ordinary host memory is copied.
    pub transfer: Transfer,
    /// Data that all chunks share.
    pub tables: &'a T,
    /// Maximum number of items of a chunk.
    pub maximum: usize,
    /// Number of bytes of GPU memory that the worker may use; enough for a chunk of `maximum` items.
    pub budget: u64,
}

impl<'a, T> Worker<'a, T> {
    fn new(gpu: &Gpu, tables: &'a T, maximum: usize, budget: u64) -> CudaResult<Self> {
        let (stream, transfer) = (Arc::new(gpu.stream()?), Transfer::new(gpu, usize::MAX)?);
        Ok(Self { gpu: gpu.clone(), stream, transfer, tables, maximum, budget })
    }
}

/// Runs a job on GPUs, and returns the results of its chunks, in order. `targets` receives the range of items
/// of each chunk, and returns the host memory for the results of each chunk.
///
/// Returns an error if the smallest chunk does not fit into GPU memory, or if a GPU or the job fails. If
/// several chunks fail, the error of the first one is returned.
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
        cut = cut.within(&plan, budget, (items, gpus.len(), sizes.minimum), bytes)?;
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

/// Measures, for benchmarks, how long the kernels of a job run, and also returns the results of the job. All
/// items of the job must fit into the memory of one GPU together.
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

/// Creates the tables of a job (the data that all chunks share), and waits until the tables are complete in
/// GPU memory. Then other streams may read the tables.
fn tables_in<J: Job>(job: &J, gpu: &Gpu) -> Result<J::Tables> {
    let stream = gpu.stream()?;
    let tables = job.tables(gpu, &stream)?;
    stream.synchronize()?;
    Ok(tables)
}

/// Splits an array with the values of all items into one slice for each chunk. The slices are the host memory
/// into which [`run`] copies results. Each item has `of_item` values.
///
/// # Panics
/// Panics if the array has fewer values than the items of all chunks need.
pub fn parts<'v, V>(mut values: &'v mut [V], of_item: usize, chunks: &[Range<usize>]) -> Vec<&'v mut [V]> {
    let mut part = |chunk: &Range<usize>| {
        let (part, rest) = std::mem::take(&mut values).split_at_mut(chunk.len() * of_item);
        values = rest;
        part
    };
    chunks.iter().map(&mut part).collect()
}

/// Splits a matrix in which each row has one value for every item; a row has `row` values. For each chunk,
/// the result has the chunk's part of every row.
///
/// # Panics
/// Panics if a row has fewer values than all chunks have items.
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
    fn rows_are_split_at_chunk_borders() {
        let mut values = [0, 1, 2, 3, 4, 5];
        let rows = rows(&mut values, 3, 1, &[0..2, 2..3]);
        assert_eq!(rows, [[&[0, 1][..], &[3, 4]], [&[2], &[5]]]);
    }

    #[test]
    fn values_are_split_at_chunk_borders() {
        let mut values = [0, 1, 2, 3, 4, 5, 6, 7, 8];
        let parts = parts(&mut values, 3, &[0..2, 2..3]);
        assert_eq!(parts, [&[0, 1, 2, 3, 4, 5][..], &[6, 7, 8]]);
    }
}
