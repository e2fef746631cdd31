//! Work on many items that flow through GPUs in chunks: the one engine for all that is streamed.
//!
//! A [`Job`] says what all chunks have in common (its tables), what a worker needs for so many items, and how a chunk is uploaded,
//! launched and downloaded. [`run`] does the rest: it cuts the items for the memory there is, gives each GPU two workers
//! (each a thread of the host with a stream of its own, so that one copies while the other's kernels run), lets them take the chunks in
//! order from one queue, and joins what comes of them in that order. Neither chunks nor GPUs show in a result whose items do not depend
//! on each other. Where memory runs out, [`with_fallback`](crate::with_fallback) around it does it again in smaller chunks.

mod chunk_sizes;
mod queue;

pub use chunk_sizes::ChunkSizes;

use crate::cuda::{CudaResult, Gpu, Gpus, LaunchTimes, Stream, Transfer, on_each};
use crate::memory_plan::MemoryPlan;
use arcuate_core::{Error, Result};
use chunk_sizes::Cut;
use std::ops::Range;
use std::sync::Arc;

/// What a [`Job`] has to do.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// What it is, with its verb, for the error that says how much memory it takes: "fits need".
    pub needs: &'static str,
    /// How many items there are.
    pub items: usize,
    /// How many of them a chunk may have.
    pub sizes: ChunkSizes,
}

/// Work on items that may be done some at a time.
pub trait Job: Sync {
    /// What all chunks have in common, once in each GPU: its workers read it together.
    type Tables: Send + Sync;
    /// What a worker has in its GPU, from chunk to chunk.
    type Scratch;
    /// Where on the host results of a chunk go; `()` where they are its [`Output`](Self::Output).
    type Target: Send;
    /// What else comes of a chunk.
    type Output: Send;

    /// What there is to do.
    fn work(&self) -> Work;

    /// The tables, in the memory of a GPU once what was given to the stream is done.
    fn tables(&self, gpu: &Gpu, stream: &Stream) -> CudaResult<Self::Tables>;

    /// Bytes of the tables: what making them comes to, unless that is to be known with less effort.
    fn table_bytes(&self, gpu: &Gpu) -> CudaResult<u64> {
        let stream = gpu.stream()?;
        gpu.bytes_of(|gpu| self.tables(gpu, &stream))
    }

    /// Bytes that a worker's scratch has at the least for chunks of so many items ([`Gpu::bytes_of`]).
    fn chunk_bytes(&self, gpu: &Gpu, items: usize) -> CudaResult<u64>;

    /// Gives the copies of a chunk to the worker's stream. The scratch is that of the chunk before, if there was one.
    fn upload(
        &self,
        worker: &mut Worker<'_, Self::Tables>,
        scratch: Option<Self::Scratch>,
        chunk: Range<usize>,
    ) -> Result<Self::Scratch>;

    /// Gives the chunk's kernels to the worker's stream. Where it is [timed](time) this is done several times.
    fn launch(&self, worker: &mut Worker<'_, Self::Tables>, scratch: &mut Self::Scratch) -> Result<()>;

    /// Brings what came of the chunk to the host, and waits for it.
    fn download(
        &self,
        worker: &mut Worker<'_, Self::Tables>,
        scratch: &mut Self::Scratch,
        target: Self::Target,
    ) -> Result<Self::Output>;

    /// Is told after each chunk how many items it had, by several threads: for who counts them. An error ends the work.
    fn done(&self, _items: usize) -> Result<()> {
        Ok(())
    }
}

/// What chunks go through: a stream of a GPU.
#[derive(Debug)]
pub struct Worker<'a, T> {
    /// The GPU.
    pub gpu: Gpu,
    /// The worker's own stream.
    pub stream: Arc<Stream>,
    /// Page-locked staging slots for copies of ordinary memory.
    pub transfer: Transfer,
    /// What all chunks have in common.
    pub tables: &'a T,
    /// Items of a chunk at most.
    pub most: usize,
    /// Bytes that the scratch may have: at least those for so many items.
    pub budget: u64,
}

impl<'a, T> Worker<'a, T> {
    fn new(gpu: &Gpu, tables: &'a T, most: usize, budget: u64) -> CudaResult<Self> {
        let (stream, transfer) = (Arc::new(gpu.stream()?), Transfer::new(gpu, usize::MAX)?);
        Ok(Self { gpu: gpu.clone(), stream, transfer, tables, most, budget })
    }
}

/// Does all of a job on GPUs, and answers what came of its chunks, in order. `targets` makes of these chunks, which are all items in
/// order, where on the host their results go.
///
/// Fails where the smallest chunk does not fit, where a GPU does, and where the job itself says so; of several chunks it is the first.
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

/// Times the launches of a job whose items lie in a GPU all together: for benchmarks. What came of them is answered too.
///
/// Fails where the GPU does, or has too little memory.
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

/// The tables of a job, complete in the memory of a GPU: streams that did not copy them may read them.
fn tables_in<J: Job>(job: &J, gpu: &Gpu) -> Result<J::Tables> {
    let stream = gpu.stream()?;
    let tables = job.tables(gpu, &stream)?;
    stream.synchronize()?;
    Ok(tables)
}

/// Values of all items, `of_item` of each, cut into those of chunks: targets of [`run`].
///
/// # Panics
/// Where there are fewer values than the chunks have.
pub fn parts<'v, V>(mut values: &'v mut [V], of_item: usize, chunks: &[Range<usize>]) -> Vec<&'v mut [V]> {
    let mut part = |chunk: &Range<usize>| {
        let (part, rest) = std::mem::take(&mut values).split_at_mut(chunk.len() * of_item);
        values = rest;
        part
    };
    chunks.iter().map(&mut part).collect()
}

/// The same of values in rows of `row`, each of which has all items: of each chunk its part of every row.
///
/// # Panics
/// Where a row has fewer values than the chunks.
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
