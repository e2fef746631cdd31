//! Streamlines that stay in the GPU where they were made, on their way to who counts them there.

use crate::cuda::{BufferView, CudaResult, Gpu, Stream};
use arcuate_core::{Result, StreamlineSink};
use bytemuck::{Pod, Zeroable};

/// Where a streamline lies among points that were put side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct StreamlineSpan {
    /// Its first point.
    pub begin: u64,
    /// Its number in the run, which says where it comes from.
    pub number: u64,
    /// How many points it has.
    pub points: u32,
    /// Which of them is its seed, counted from its own first.
    pub seed: u32,
}

/// A batch of whole streamlines in the memory of a GPU, in any order: [`StreamlineBatch`](arcuate_core::StreamlineBatch) that have not been
/// copied.
#[derive(Clone, Copy)]
pub struct StreamlineBatchOnGpu<'a> {
    /// The work that reads them has to be given to this stream: they are there once what it holds already is done, and are
    /// overwritten by what it is given later.
    pub stream: &'a Stream,
    /// The streamlines.
    pub spans: BufferView<'a, StreamlineSpan>,
    /// Their points in RAS mm, x, y and z of one after the other.
    pub positions: BufferView<'a, f32>,
}

impl StreamlineBatchOnGpu<'_> {
    /// Where they are.
    pub fn gpu(&self) -> &Gpu {
        self.stream.gpu()
    }
}

/// Takes streamlines wherever they are made: in memory of the host ([`StreamlineSink`]) or of a GPU. What becomes of them must
/// depend neither on how they are cut into batches nor, unlike for other sinks, on their order.
pub trait DeviceStreamlineSink: StreamlineSink + Send {
    /// Takes one batch. Batches of several GPUs come in any order; a GPU is the same as long as its number is.
    fn take_on_gpu(&mut self, batch: StreamlineBatchOnGpu<'_>) -> CudaResult<()>;

    /// Brings what was found in GPUs to the host: no more comes from there.
    fn collect(&mut self) -> Result<()>;

    /// Forgets all that it took: a GPU has failed, and the run begins again elsewhere.
    fn forget(&mut self);
}
