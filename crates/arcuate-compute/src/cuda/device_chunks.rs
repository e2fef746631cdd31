//! The data of a computation on one GPU: data that stay in GPU memory, and data that do not fit. The data
//! that do not fit are copied to the GPU in chunks, one chunk after another.

use super::buffer::Buffer;
use super::error::CudaResult;
use super::gpu::Gpu;
use super::staging::{Staged, Staging};
use super::stream::Stream;
use crate::memory_plan::Chunks;
use arcuate_core::Result;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The items of a [`MemoryPlan`](crate::MemoryPlan), divided into chunks for one GPU. If some items stay in
/// GPU memory, these items are the first chunk. Every call of [`each`](Self::each) copies the other chunks to
/// the GPU, one after another, through two reused areas of GPU memory (staging slots). An item has several
/// parts, such as its indices and its values. For each part there is a host array, which holds this part of
/// all items, in the order of the items.
#[derive(Debug)]
pub struct DeviceChunks {
    items: Vec<Range<usize>>,
    kept: Option<Kept>,
    staging: Option<Mutex<Staging>>,
}

#[derive(Debug)]
struct Kept {
    memory: Buffer<u8>,
    parts: Vec<Range<usize>>,
}

impl DeviceChunks {
    /// Maximum padding of each part of a chunk, in bytes. Three chunks are in GPU memory together: the chunk
    /// that stays there, and one in each of two staging slots. A memory plan adds this number of bytes once
    /// for each part of an item.
    pub const PADDING: u64 = 3 * Staging::ALIGNMENT;

    /// Copies the items that stay in GPU memory to the GPU, and creates the staging slots for the other
    /// items. `parts` takes a range of items, and returns, for each part of an item (such as its values), the
    /// bytes of these items.
    pub fn new<'h>(
        gpu: &Gpu,
        stream: &Stream,
        chunks: &Chunks,
        parts: impl Fn(Range<usize>) -> Vec<&'h [u8]>,
    ) -> CudaResult<Self> {
        let mut kept = None;
        if !chunks.kept.is_empty() {
            let bytes = parts(chunks.kept.clone());
            let ranges = Staging::ranges_of(&bytes);
            let mut memory = gpu.alloc(ranges.last().map_or(0, |last| last.end))?;
            for (range, bytes) in ranges.iter().zip(bytes) {
                memory.range_mut(range.clone()).copy_from(stream, bytes)?;
            }
            kept = Some(Kept { memory, parts: ranges });
        }
        let mut staging = None;
        if !chunks.all_stay() {
            let need = |items: &Range<usize>| {
                Staging::ranges_of(&parts(items.clone())).last().map_or(0, |last| last.end)
            };
            let bytes = chunks.streamed.iter().map(need).max().unwrap_or(0);
            staging = Some(Mutex::new(Staging::new(gpu, bytes as u64)?));
        }
        Ok(Self { items: chunks.all().collect(), kept, staging })
    }

    /// The range of items of each chunk, in order.
    pub fn items(&self) -> &[Range<usize>] {
        &self.items
    }

    /// Number of chunks of the plan.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether the plan has no chunks.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns whether some items are streamed. If so, [`each`](Self::each) blocks its caller.
    pub fn are_streamed(&self) -> bool {
        self.staging.is_some()
    }

    /// Calls `work` for every chunk, in order, when the chunk is in GPU memory. `work` gets the index of the
    /// chunk. The chunk that stays in GPU memory is processed at once. The other chunks are copied to the GPU
    /// like in [`Staging::stream`]. `parts` is the same function as in [`new`](Self::new).
    pub fn each<'h>(
        &self,
        stream: &Stream,
        parts: impl Fn(Range<usize>) -> Vec<&'h [u8]>,
        mut work: impl FnMut(usize, &Staged<'_>) -> Result<()>,
    ) -> Result<()> {
        if let Some(Kept { memory, parts }) = &self.kept {
            work(0, &Staged::new(memory, parts.clone()))?;
        }
        let Some(staging) = &self.staging else { return Ok(()) };
        let first = usize::from(self.kept.is_some());
        let mut staging = staging.lock().unwrap_or_else(PoisonError::into_inner);
        staging.stream(
            stream,
            self.items.len() - first,
            |n| parts(self.items[first + n].clone()),
            |n, staged| work(first + n, staged),
        )
    }
}
