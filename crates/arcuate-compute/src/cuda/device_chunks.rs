//! The items of a plan on one GPU: those that stay, and those that flow through it chunk by chunk.

use super::buffer::Buffer;
use super::error::CudaResult;
use super::gpu::Gpu;
use super::staging::{Staged, Staging};
use super::stream::Stream;
use crate::memory_plan::Chunks;
use arcuate_core::Result;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The items of a [`MemoryPlan`](crate::MemoryPlan) as they were cut for one GPU: the first chunk stays there, where anything
/// does; the others are streamed through two staging slots whenever [`each`](Self::each) is asked for. An item has several
/// parts (its indices and its values, say), which lie in arrays of the host, item after item.
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
    /// Bytes that each part of a chunk may take beyond its length: a plan counts them once for each part of the three chunks
    /// that are in the GPU together.
    pub const PADDING: u64 = 3 * Staging::ALIGNMENT;

    /// Copies what stays to the GPU, and makes the staging slots for the rest. `parts` gives the bytes of the parts of a range of
    /// items.
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

    /// The items of each chunk, in order.
    pub fn items(&self) -> &[Range<usize>] {
        &self.items
    }

    /// Number of chunks.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether some do not stay, so that [`each`](Self::each) holds up its caller.
    pub fn are_streamed(&self) -> bool {
        self.staging.is_some()
    }

    /// Gives every chunk, in order and in the GPU, to `work`, with its number: the one that stays at once, the others as
    /// [`Staging::stream`] does. `parts` is as when they were placed.
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
