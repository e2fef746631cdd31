//! Copies data to or from a GPU in chunks while the GPU computes. The chunks are copied through two areas of
//! GPU memory (staging slots), which alternate.
#![allow(unsafe_code)]

use super::buffer::{Buffer, BufferView, BufferViewMut};
use super::error::{CudaError, CudaResult};
use super::gpu::Gpu;
use super::plain::Plain;
use super::stream::{Event, Stream};
use arcuate_core::Result;

/// Two slots in a GPU's memory through which chunks of data are streamed in one direction. While the chunk in
/// one slot is processed, the other slot is copied: the next chunk into it, or the previous results out of
/// it. Copies run at bus speed if the host memory is page-locked ([`Pinned`](super::Pinned),
/// [`Registered`](super::Registered)). Other memory needs an additional copy on the CPU, which reduces the
/// speed to a fifth.
#[derive(Debug)]
pub struct Staging {
    copies: Stream,
    slots: [Slot; 2],
}

#[derive(Debug)]
struct Slot {
    memory: Buffer<u8>,
    /// Event: the slot is filled with the chunk, or with the results of the work.
    filled: Event,
    /// Event: the slot can be filled again, because its chunk is processed or its results are copied.
    used: Event,
}

impl Staging {
    /// Alignment of the parts of a chunk in bytes, equal to that of the driver's own allocations.
    pub const ALIGNMENT: u64 = 256;

    /// Creates two staging slots of `bytes` bytes each. In a slot, each part of a chunk begins at a multiple of
    /// [`Staging::ALIGNMENT`].
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

    /// Computes the byte range of each part of a chunk in a slot.
    pub(super) fn ranges_of(parts: &[&[u8]]) -> Vec<std::ops::Range<usize>> {
        let mut end = 0;
        let range = |part: &&[u8]| {
            let begin = usize::next_multiple_of(end, Self::ALIGNMENT as usize);
            end = begin + part.len();
            begin..end
        };
        parts.iter().map(range).collect()
    }

    /// Streams `chunks` chunks to the GPU, in order. For each chunk, `parts(chunk)` returns the bytes of its
    /// parts, which are copied to a slot. Then `work(chunk, staged)` queues the work on the chunk in the
    /// stream `compute`. A chunk is copied while the previous one is processed. Returns when all copies are
    /// done; work may still be running.
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
        // This guard waits for pending copies when it is dropped. It is declared before the first copy
        // starts. So no copy uses the host's bytes after this function returns, even after an error.
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

    /// Streams the results of `chunks` chunks from the GPU, in order. For each chunk, `work(chunk, slot)`
    /// queues the work that fills the slot in the stream `compute`. `results(chunk)` is the host memory for
    /// the results; the slot has the same size. The results of a chunk are copied while the next one is
    /// processed. Returns when all results are on the host.
    ///
    /// Returns an error if a chunk does not fit into a slot, or if `work` fails. The results of that chunk
    /// and of later chunks are then undefined.
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
            // SAFETY: the bytes are borrowed for 'h, which outlives this call, and this call waits for the
            // copies.
            unsafe { memory.range(0..results.len()).copy_to_unwaited(copies, results) }?;
            copies.record(used)?;
        }
        copies.synchronize()?;
        Ok(())
    }
}

/// Returns an error if a chunk is larger than its slot.
fn fits(memory: &Buffer<u8>, chunk: usize, bytes: usize) -> CudaResult<()> {
    if bytes as u64 <= memory.bytes() {
        return Ok(());
    }
    Err(CudaError::Misuse {
        about: format!("streaming to or from {}", memory.gpu()),
        problem: format!(
            "the data chunk {chunk} is larger than its transfer buffer of {} bytes",
            memory.bytes()
        ),
    })
}

/// Waits for the stream's pending copies when it is dropped.
struct Finish<'a>(&'a Stream);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        // An error of this wait is ignored, since an earlier copy or wait of the caller has reported it
        // already.
        let _ = self.0.synchronize();
    }
}

/// A chunk of data that has been copied to a staging slot in GPU memory.
#[derive(Debug)]
pub struct Staged<'a> {
    memory: &'a Buffer<u8>,
    parts: Vec<std::ops::Range<usize>>,
}

impl<'a> Staged<'a> {
    pub(super) fn new(memory: &'a Buffer<u8>, parts: Vec<std::ops::Range<usize>>) -> Self {
        Self { memory, parts }
    }

    /// Returns part number `part` of the chunk, as values of its original type.
    ///
    /// # Panics
    /// Panics if the chunk has no part with this number. Also panics if the length of the part in bytes is
    /// not a multiple of the size of a value.
    pub fn part<T: Plain>(&self, part: usize) -> BufferView<'_, T> {
        self.memory.range(self.parts[part].clone()).cast()
    }
}
