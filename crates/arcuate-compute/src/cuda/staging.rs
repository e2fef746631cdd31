//! Data that do not stay in the GPU: they go in, and results come out, through two staging slots that take turns.
#![allow(unsafe_code)]

use super::buffer::{Buffer, BufferView, BufferViewMut};
use super::error::{CudaError, CudaResult};
use super::gpu::Gpu;
use super::plain::Plain;
use super::stream::{Event, Stream};
use arcuate_core::Result;

/// Two slots in a GPU's memory through which chunks of data are streamed, one way at a time: while work is done on the chunk
/// in one, the next chunk is copied into the other, or the results of the one before out of it. Copies go at the speed of
/// the bus where the host's side is page-locked ([`Pinned`](super::Pinned), [`Registered`](super::Registered)); other
/// memory costs the processor a copy and four fifths of the speed.
#[derive(Debug)]
pub struct Staging {
    copies: Stream,
    slots: [Slot; 2],
}

#[derive(Debug)]
struct Slot {
    memory: Buffer<u8>,
    /// What is to be in the slot is there: the chunk, or the results of the work.
    filled: Event,
    /// The slot may be filled again: the work on the chunk is done, or its results are copied.
    used: Event,
}

impl Staging {
    /// Parts of a chunk begin at multiples of this many bytes, as the driver's own allocations do.
    pub const ALIGNMENT: u64 = 256;

    /// Two slots of `bytes` bytes each. [`Staging::bytes_for`] says what a chunk needs.
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

    /// Bytes of a slot for a chunk whose parts have these lengths in bytes.
    pub fn bytes_for(parts: impl IntoIterator<Item = u64>) -> u64 {
        parts.into_iter().map(|bytes| bytes.next_multiple_of(Self::ALIGNMENT)).sum()
    }

    /// Where in a slot each part of a chunk lies.
    pub(super) fn ranges_of(parts: &[&[u8]]) -> Vec<std::ops::Range<usize>> {
        let mut end = 0;
        let range = |part: &&[u8]| {
            let begin = usize::next_multiple_of(end, Self::ALIGNMENT as usize);
            end = begin + part.len();
            begin..end
        };
        parts.iter().map(range).collect()
    }

    /// For each of `chunks` chunks in order: copies its parts, given as bytes by `parts(chunk)`, to the GPU and gives the work
    /// on them to `compute` by `work(chunk, staged)`. The copies of a chunk are made while the work on the chunk before is done.
    /// Comes back when all copies are made; the work may go on.
    ///
    /// Fails where a chunk does not fit a slot, and where `work` does.
    pub fn stream<'h>(
        &mut self,
        compute: &Stream,
        chunks: usize,
        mut parts: impl FnMut(usize) -> Vec<&'h [u8]>,
        mut work: impl FnMut(usize, &Staged<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self { copies, slots } = self;
        // Declared before anything is copied: whatever happens below, the host's bytes are free again on return.
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

    /// The other way: for each of `chunks` chunks in order, gives the work that fills `results(chunk)` to `compute` by `work(chunk,
    /// slot)`, where the slot has as many bytes, and copies them to the host while the work on the next chunk is done.
    /// Comes back when all results are there.
    ///
    /// Fails where a chunk does not fit a slot, and where `work` does; results of that chunk and later ones are then left as
    /// they were, or hold anything.
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

/// Refuses a chunk that is larger than its slot.
fn fits(memory: &Buffer<u8>, chunk: usize, bytes: usize) -> CudaResult<()> {
    if bytes as u64 <= memory.bytes() {
        return Ok(());
    }
    Err(CudaError::Misuse {
        about: format!("streaming to or from {}", memory.gpu()),
        problem: format!("chunk {chunk} does not fit {} bytes", memory.bytes()),
    })
}

/// Waits for copies under way when it is dropped.
struct Finish<'a>(&'a Stream);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        // An error here is one that the copies after it, or their wait, have reported.
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

    /// Part number `part` as the values it was made of.
    ///
    /// # Panics
    /// Where there is no such part, or its bytes are no whole number of values.
    pub fn part<T: Plain>(&self, part: usize) -> BufferView<'_, T> {
        self.memory.range(self.parts[part].clone()).cast()
    }
}
