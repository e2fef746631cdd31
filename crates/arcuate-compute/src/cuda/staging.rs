//! Data that do not stay in the GPU: streamed through two places that take turns.
#![allow(unsafe_code)]

use super::buffer::{Buffer, BufferView, Plain};
use super::error::{CudaError, CudaResult};
use super::gpu::Gpu;
use super::stream::{Event, Stream};
use arcuate_core::Result;

/// Parts of a lot begin at multiples of this many bytes, as the driver's own allocations do.
const ALIGNMENT: u64 = 256;

/// Two places in a GPU's memory through which lots of data are streamed: while work is done on the lot in one, the next
/// lot is copied into the other. Copies overlap with the work where the data lie in page-locked memory
/// ([`Pinned`](super::Pinned)); out of other memory they overlap too, but cost the processor a copy.
#[derive(Debug)]
pub struct Staging {
    copies: Stream,
    places: [Place; 2],
}

#[derive(Debug)]
struct Place {
    memory: Buffer<u8>,
    /// The lot is in the place.
    filled: Event,
    /// The work on the lot is done.
    used: Event,
}

impl Staging {
    /// Two places of `bytes` bytes each. [`Staging::bytes_for`] says what a lot needs.
    pub fn new(gpu: &Gpu, bytes: u64) -> CudaResult<Self> {
        let place = || {
            Ok::<_, CudaError>(Place {
                memory: gpu.alloc(bytes as usize)?,
                filled: gpu.event()?,
                used: gpu.event()?,
            })
        };
        Ok(Self { copies: gpu.stream()?, places: [place()?, place()?] })
    }

    /// Bytes of a place for a lot whose parts have these lengths in bytes.
    pub fn bytes_for(parts: impl IntoIterator<Item = u64>) -> u64 {
        parts.into_iter().map(|bytes| bytes.next_multiple_of(ALIGNMENT)).sum()
    }

    /// For each of `lots` lots in order: copies its parts, given as bytes by `parts(lot)`, to the GPU and gives the work
    /// on them to `compute` by `work(lot, staged)`. The copies of a lot are made while the work on the lot before is done.
    /// Comes back when all copies are made; the work may go on.
    ///
    /// Fails where a lot does not fit a place, and where `work` does.
    pub fn stream<'h>(
        &mut self,
        compute: &Stream,
        lots: usize,
        mut parts: impl FnMut(usize) -> Vec<&'h [u8]>,
        mut work: impl FnMut(usize, &Staged<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self { copies, places } = self;
        // Declared before anything is copied: whatever happens below, the host's bytes are free again on return.
        let _finish = Finish(copies);
        for lot in 0..lots {
            let Place { memory, filled, used } = &mut places[lot % 2];
            copies.wait(used)?;
            let mut offsets = Vec::new();
            let mut end = 0;
            for part in parts(lot) {
                let len = part.len() as u64;
                if end + len > memory.bytes() {
                    return Err(CudaError::Misuse {
                        about: format!("streaming to {}", memory.gpu()),
                        problem: format!("lot {lot} does not fit {} bytes", memory.bytes()),
                    }
                    .into());
                }
                let range = end as usize..(end + len) as usize;
                // SAFETY: the bytes live for 'h, which outlives this call, and this call waits for the copies.
                unsafe { memory.range_mut(range.clone()).copy_from_unwaited(copies, part) }?;
                offsets.push(range);
                end = (end + len).next_multiple_of(ALIGNMENT);
            }
            copies.record(filled)?;
            compute.wait(filled)?;
            work(lot, &Staged { memory, parts: offsets })?;
            compute.record(used)?;
        }
        copies.synchronize()?;
        Ok(())
    }
}

/// Waits for copies under way when it is dropped.
struct Finish<'a>(&'a Stream);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        // An error here is one that the copies after it, or their wait, have reported.
        let _ = self.0.synchronize();
    }
}

/// A lot in the GPU.
#[derive(Debug)]
pub struct Staged<'a> {
    memory: &'a Buffer<u8>,
    parts: Vec<std::ops::Range<usize>>,
}

impl Staged<'_> {
    /// Part number `part` as the values it was made of.
    ///
    /// # Panics
    /// Where there is no such part, or its bytes are no whole number of values.
    pub fn part<T: Plain>(&self, part: usize) -> BufferView<'_, T> {
        self.memory.range(self.parts[part].clone()).cast()
    }
}
