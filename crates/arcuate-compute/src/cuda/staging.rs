//! Streams data through a GPU: input or results are copied through two alternating staging slots.
#![allow(unsafe_code)]

use super::buffer::{Buffer, BufferView, BufferViewMut};
use super::error::{CudaError, CudaResult};
use super::gpu::Gpu;
use super::plain::Plain;
use super::stream::{Event, Stream};
use arcuate_core::Result;

/// Two slots in a GPU's memory through which chunks of data are streamed in one direction. While the chunk in
/// one slot is processed, the next chunk is copied into the other, or the previous results are copied out of
/// it. Copies run at bus speed if the host memory is page-locked ([`Pinned`](super::Pinned),
/// [`Registered`](super::Registered)); other memory needs an additional copy on the CPU and has a fifth of
/// the speed.
#[derive(Debug)]
pub struct Staging {
    copies: Stream,
    slots: [Slot; 2],
}

#[derive(Debug)]
struct Slot {
    memory: Buffer<u8>,
    /// The slot is filled: with the chunk, or with the results of the work.
    filled: Event,
    /// The slot can be filled again: the chunk is processed, or its results are copied.
    used: Event,
}

impl Staging {
    /// Parts of a chunk are aligned to this many bytes, like the driver's own allocations.
    pub const ALIGNMENT: u64 = 256;

    /// Creates two slots of `bytes` bytes each; see [`Staging::bytes_for`] for the size of a chunk.
    pub fn new(gpu: &Gpu, bytes: u64) -> CudaResult<Self> {
        let slot = || {
            Ok::<_, CudaError>(Slot {
                memory: gpu.alloc(bytes as usize)?,
                filled: gpu.event()?,
                used: gpu.event()?,
            })
        };
        Ok(Self { copies: gpu.stream()?, slots: [slot()?, slot()?] })
    }

    /// Slot size for a chunk whose parts have these lengths, in bytes.
    pub fn bytes_for(parts: impl IntoIterator<Item = u64>) -> u64 {
        parts.into_iter().map(|bytes| bytes.next_multiple_of(Self::ALIGNMENT)).sum()
    }

    /// Byte ranges of a chunk's parts in a slot.
    pub(super) fn ranges_of(parts: &[&[u8]]) -> Vec<std::ops::Range<usize>> {
        let mut end = 0;
        let range = |part: &&[u8]| {
            let begin = usize::next_multiple_of(end, Self::ALIGNMENT as usize);
            end = begin + part.len();
            begin..end
        };
        parts.iter().map(range).collect()
    }

    /// For each of `chunks` chunks in order: copies its parts, given as bytes by `parts(chunk)`, to the GPU,
    /// and queues its work in `compute` by `work(chunk, staged)`. The chunk is copied while the previous one
    /// is processed. Returns when all copies are done; work may still be running.
    ///
    /// Returns an error if a chunk does not fit into a slot, or if `work` fails.
    pub fn stream<'h>(
        &mut self,
        compute: &Stream,
        chunks: usize,
        mut parts: impl FnMut(usize) -> Vec<&'h [u8]>,
        mut work: impl FnMut(usize, &Staged<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self { copies, slots } = self;
        // Declared before anything is copied, so that no copy uses the host's bytes after return, even after
        // an error.
        let _finish = Finish(copies);
        for chunk in 0..chunks {
            let Slot { memory, filled, used } = &mut slots[chunk % 2];
            copies.wait(used)?;
            let parts = parts(chunk);
            let ranges = Self::ranges_of(&parts);
            fits(memory, chunk, ranges.last().map_or(0, |last| last.end))?;
            for (range, part) in ranges.iter().zip(parts) {
                // SAFETY: the bytes live for 'h, which outlives this call, and this call waits for the copies.
                unsafe { memory.range_mut(range.clone()).copy_from_unwaited(copies, part) }?;
            }
            copies.record(filled)?;
            compute.wait(filled)?;
            work(chunk, &Staged::new(memory, ranges))?;
            compute.record(used)?;
        }
        copies.synchronize()?;
        Ok(())
    }

    /// The opposite direction. For each of `chunks` chunks in order: queues the work that fills
    /// `results(chunk)` in `compute` by `work(chunk, slot)`, where the slot has the same size, and copies the
    /// results to the host while the next chunk is processed. Returns when all results are on the host.
    ///
    /// Returns an error if a chunk does not fit into a slot, or if `work` fails. The results of that chunk
    /// and later ones are then undefined.
    pub fn collect<'h>(
        &mut self,
        compute: &Stream,
        chunks: usize,
        mut results: impl FnMut(usize) -> &'h mut [u8],
        mut work: impl FnMut(usize, BufferViewMut<'_, u8>) -> Result<()>,
    ) -> Result<()> {
        let Self { copies, slots } = self;
        let _finish = Finish(copies);
        for chunk in 0..chunks {
            let Slot { memory, filled, used } = &mut slots[chunk % 2];
            let results = results(chunk);
            fits(memory, chunk, results.len())?;
            compute.wait(used)?;
            work(chunk, memory.range_mut(0..results.len()))?;
            compute.record(filled)?;
            copies.wait(filled)?;
            // SAFETY: the bytes are lent for 'h, which outlives this call, and this call waits for the copies.
            unsafe { memory.range(0..results.len()).copy_to_unwaited(copies, results) }?;
            copies.record(used)?;
        }
        copies.synchronize()?;
        Ok(())
    }
}

/// Returns an error for a chunk that is larger than its slot.
fn fits(memory: &Buffer<u8>, chunk: usize, bytes: usize) -> CudaResult<()> {
    if bytes as u64 <= memory.bytes() {
        return Ok(());
    }
    Err(CudaError::Misuse {
        about: format!("streaming to or from {}", memory.gpu()),
        problem: format!("chunk {chunk} is larger than its buffer of {} bytes", memory.bytes()),
    })
}

/// Waits for pending copies when dropped.
struct Finish<'a>(&'a Stream);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        // The copies after it, or their wait, have reported this error.
        let _ = self.0.synchronize();
    }
}

/// A chunk in the GPU.
#[derive(Debug)]
pub struct Staged<'a> {
    memory: &'a Buffer<u8>,
    parts: Vec<std::ops::Range<usize>>,
}

impl<'a> Staged<'a> {
    pub(super) fn new(memory: &'a Buffer<u8>, parts: Vec<std::ops::Range<usize>>) -> Self {
        Self { memory, parts }
    }

    /// Part number `part`, as values of its original type.
    ///
    /// # Panics
    /// Panics if there is no such part, or if its bytes are not a whole number of values.
    pub fn part<T: Plain>(&self, part: usize) -> BufferView<'_, T> {
        self.memory.range(self.parts[part].clone()).cast()
    }
}
