//! Determines into how many chunks the items of a computation are divided.

use crate::cuda::CudaResult;
use crate::memory_plan::{MemoryPlan, halve};
use arcuate_core::Result;
use std::ops::Range;

/// Number of workers (host threads that process chunks) per GPU. While one worker copies data, the kernels of
/// the other worker run.
const WORKERS: usize = 2;

/// Limits for the number of items of a chunk. Results do not depend on the number of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkSizes {
    /// The number of items of every chunk except the last one is a multiple of this number.
    pub minimum: usize,
    /// Number of items that is enough to use all processors of a GPU. If there are fewer items, one worker
    /// processes them in one chunk. The value [`usize::MAX`] is for work of which a part is repeated in each
    /// chunk, so that few chunks are fastest.
    pub enough: usize,
    /// Maximum number of items of a chunk.
    pub maximum: usize,
}

impl ChunkSizes {
    /// Returns limits for work that is fastest in one chunk. The work is divided only among several GPUs or
    /// if memory requires it. The number of items of a chunk is then a multiple of `minimum`.
    pub fn whole(minimum: usize) -> Self {
        Self { minimum, enough: usize::MAX, maximum: usize::MAX }
    }
}

/// A division of all items into chunks of equal size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// Number of items of a chunk.
    pub(super) chunk: usize,
    /// Number of workers of each GPU.
    pub(super) workers: usize,
}

impl Cut {
    /// Computes the division into chunks that is fastest if memory is not limited.
    pub(super) fn fastest(items: usize, gpus: usize, sizes: ChunkSizes) -> Self {
        let ChunkSizes { minimum, enough, maximum } = sizes;
        let minimum = minimum.max(1);
        let share = |parts: usize| items.div_ceil(parts.max(1));
        let target = share(WORKERS * gpus).max(enough).min(share(gpus)).min(maximum).max(1);
        // The number of items is rounded up to a multiple of `minimum`, but not beyond `maximum`.
        let rounded = target.div_ceil(minimum).saturating_mul(minimum);
        let chunk = if rounded > maximum { (maximum / minimum).max(1) * minimum } else { rounded };
        Self { chunk, workers: workers_for(items, chunk, gpus) }
    }

    /// Halves the chunks until all workers of a GPU together need at most `budget` bytes. `bytes` computes
    /// the memory of a worker from the number of items of a chunk. If two workers with the smallest chunks
    /// need too much memory, one worker is used. Returns an error if one worker needs too much memory as
    /// well.
    pub(super) fn within(
        self,
        plan: &MemoryPlan<'_>,
        budget: u64,
        (items, gpus, minimum): (usize, usize, usize),
        bytes: impl Fn(usize) -> CudaResult<u64>,
    ) -> Result<Self> {
        let needed =
            |cut: &Self| -> CudaResult<u64> { Ok((cut.workers as u64).saturating_mul(bytes(cut.chunk)?)) };
        plan.first_fit(budget, self, needed, |cut| {
            if halve(&mut cut.chunk, minimum.max(1)) {
                cut.workers = workers_for(items, cut.chunk, gpus).max(cut.workers);
                return true;
            }
            cut.workers = cut.workers.saturating_sub(1);
            cut.workers > 0
        })
    }

    /// The range of items of each chunk, for `items` items, in order.
    pub(super) fn of(self, items: usize) -> Vec<Range<usize>> {
        (0..items)
            .step_by(self.chunk)
            .map(|first| first..items.min(first.saturating_add(self.chunk)))
            .collect()
    }
}

/// Number of workers of each GPU that get at least one chunk.
fn workers_for(items: usize, chunk: usize, gpus: usize) -> usize {
    if items.div_ceil(chunk) > gpus { WORKERS } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: ChunkSizes = ChunkSizes { minimum: 4, enough: 100, maximum: 400 };

    fn cut(items: usize, gpus: usize, sizes: ChunkSizes) -> [usize; 2] {
        let Cut { chunk, workers } = Cut::fastest(items, gpus, sizes);
        [chunk, workers]
    }

    #[test]
    fn chunk_sizes_are_between_the_minimum_and_the_maximum() {
        // Few items are one chunk. More items are divided between two workers. If there are still more items,
        // chunks have their maximum size.
        assert_eq!(cut(1, 1, SIZES), [4, 1]);
        assert_eq!(cut(100, 1, SIZES), [100, 1]);
        assert_eq!(cut(101, 1, SIZES), [100, 2]);
        assert_eq!(cut(601, 1, SIZES), [304, 2]);
        assert_eq!(cut(10_000, 1, SIZES), [400, 2]);
        // Each GPU gets one chunk before any GPU gets two chunks.
        assert_eq!(cut(100, 2, SIZES), [52, 1]);
        assert_eq!(cut(401, 2, SIZES), [104, 2]);
        // The chunk size stays 4, since no larger multiple of `minimum` is within the maximum.
        assert_eq!(cut(1000, 1, ChunkSizes { minimum: 4, enough: 1, maximum: 7 }), [4, 2]);
        assert_eq!(cut(0, 1, SIZES), [4, 1]);
    }

    #[test]
    fn undivided_work_is_split_only_between_gpus() {
        assert_eq!(cut(1000, 1, ChunkSizes::whole(1)), [1000, 1]);
        assert_eq!(cut(1000, 3, ChunkSizes::whole(128)), [384, 1]);
    }

    #[test]
    fn every_item_is_in_one_chunk_in_order() {
        let of = |items, chunk| Cut { chunk, workers: 1 }.of(items);
        assert_eq!(of(10, 4), vec![0..4, 4..8, 8..10]);
        assert_eq!(of(8, 4), vec![0..4, 4..8]);
        assert_eq!(of(3, 4), vec![0..3]);
        assert_eq!(of(0, 4), vec![]);
        assert_eq!(of(3, usize::MAX), vec![0..3]);
    }

    fn within(items: usize, sizes: ChunkSizes, budget: u64) -> Result<[usize; 2]> {
        // The work needs 10 bytes of GPU memory, and each worker needs 3 bytes for each item of a chunk.
        let plan = MemoryPlan::new("the test needs", 10);
        let cut = Cut::fastest(items, 1, sizes);
        let cut = cut.within(&plan, budget, (items, 1, sizes.minimum), |items| Ok(3 * items as u64))?;
        Ok([cut.chunk, cut.workers])
    }

    #[test]
    fn too_little_memory_halves_chunks_and_then_removes_a_worker() {
        // Two workers with chunks of 304 items fit exactly into memory. With one byte less, their chunks have
        // half as many items.
        assert_eq!(within(601, SIZES, 10 + 2 * 3 * 304).unwrap(), [304, 2]);
        assert_eq!(within(601, SIZES, 10 + 2 * 3 * 304 - 1).unwrap(), [152, 2]);
        // The memory is enough for the smallest chunks of two workers, then of one worker, and then of no
        // worker.
        assert_eq!(within(601, SIZES, 10 + 2 * 3 * 4).unwrap(), [4, 2]);
        assert_eq!(within(601, SIZES, 10 + 2 * 3 * 4 - 1).unwrap(), [4, 1]);
        assert_eq!(within(601, SIZES, 10 + 3 * 4).unwrap(), [4, 1]);
        let error = within(601, SIZES, 10 + 3 * 4 - 1).unwrap_err();
        assert_eq!(error.kind(), arcuate_core::ErrorKind::DeviceTooSmall);
        assert!(error.to_string().contains("the test needs at least 22 bytes"), "{error}");
        // If one worker cannot hold all items, two workers process smaller chunks.
        assert_eq!(within(1000, ChunkSizes::whole(1), 10 + 3000).unwrap(), [1000, 1]);
        assert_eq!(within(1000, ChunkSizes::whole(1), 10 + 2999).unwrap(), [250, 2]);
    }
}
