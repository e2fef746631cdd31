//! Streamlines in GPU memory, passed to consumers on the same GPU.

use crate::cuda::{BufferView, CudaResult, Gpu, Stream};
use crate::element_rows::{ElementNeeds, ElementRows};
use arcuate_core::{Result, StreamlineSink};
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

/// The position of a streamline in an array of points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct StreamlineSpan {
    /// Index of its first point.
    pub begin: u64,
    /// Its number in the run, which identifies its origin.
    pub number: u64,
    /// Number of points.
    pub points: u32,
    /// Index of the seed among its points.
    pub seed: u32,
}

/// A batch of whole streamlines in GPU memory, in any order: a
/// [`StreamlineBatch`](arcuate_core::StreamlineBatch) that was not copied to the host.
#[derive(Clone)]
pub struct StreamlineBatchOnGpu<'a> {
    /// The stream for work that reads them. They are complete after the work already queued, and are
    /// overwritten by work queued later.
    pub stream: &'a Stream,
    /// The streamlines.
    pub spans: BufferView<'a, StreamlineSpan>,
    /// The range that contains their numbers. The ranges of a GPU's batches ascend until
    /// [`DeviceStreamlineSink::done_below`].
    pub numbers: Range<u64>,
    /// Their points in RAS mm; x, y and z of each point are adjacent.
    pub positions: BufferView<'a, f32>,
}

impl StreamlineBatchOnGpu<'_> {
    /// The GPU that holds them.
    pub fn gpu(&self) -> &Gpu {
        self.stream.gpu()
    }
}

/// Receives streamlines in host memory ([`StreamlineSink`]) or GPU memory. The result must not depend on the
/// division into batches nor, unlike for other sinks, on the order.
pub trait DeviceStreamlineSink: StreamlineSink + Send {
    /// Prepares for batches of a GPU. Returns the maximum number of consecutive streamline numbers between
    /// two calls of [`done_below`](Self::done_below), if there is a limit.
    fn begin_on(&mut self, _gpu: &Gpu) -> CudaResult<Option<u64>> {
        Ok(None)
    }

    /// The elements that streamlines may meet, if a GPU may count them in rows while it tracks
    /// ([`rows_on`](Self::rows_on)). Then only streamlines that meet more elements are passed on. `None` if
    /// all streamlines must be passed on.
    fn element_needs(&self) -> Option<ElementNeeds> {
        None
    }

    /// The rows in which a GPU counts the streamlines with these numbers, which ascend until
    /// [`done_below`](Self::done_below). Its work is queued in this stream.
    fn rows_on(&mut self, _stream: &Stream, _numbers: Range<u64>) -> CudaResult<Option<ElementRows<'_>>> {
        Ok(None)
    }

    /// Called with the number of streamlines counted in rows.
    fn counted_in_rows(&mut self, _streamlines: u64) {}

    /// Does some of the remaining work on earlier streamlines, while GPUs are busy. Returns whether there is
    /// more.
    fn meanwhile(&mut self) -> bool {
        false
    }

    /// Takes one batch. Batches of several GPUs come in any order; GPUs are identified by number.
    fn take_on_gpu(&mut self, batch: StreamlineBatchOnGpu<'_>) -> CudaResult<()>;

    /// Called when GPUs have tracked all numbers of the run below this one, and their streamlines have been
    /// passed on.
    fn done_below(&mut self, _number: u64) -> Result<()> {
        Ok(())
    }

    /// Copies the results from GPUs to the host, after the last batch.
    fn collect(&mut self) -> Result<()>;

    /// Discards all streamlines: a GPU failed, and the run starts again elsewhere.
    fn forget(&mut self);
}

impl<S: DeviceStreamlineSink + ?Sized> DeviceStreamlineSink for &mut S {
    fn begin_on(&mut self, gpu: &Gpu) -> CudaResult<Option<u64>> {
        (**self).begin_on(gpu)
    }

    fn element_needs(&self) -> Option<ElementNeeds> {
        (**self).element_needs()
    }

    fn rows_on(&mut self, stream: &Stream, numbers: Range<u64>) -> CudaResult<Option<ElementRows<'_>>> {
        (**self).rows_on(stream, numbers)
    }

    fn counted_in_rows(&mut self, streamlines: u64) {
        (**self).counted_in_rows(streamlines);
    }

    fn meanwhile(&mut self) -> bool {
        (**self).meanwhile()
    }

    fn take_on_gpu(&mut self, batch: StreamlineBatchOnGpu<'_>) -> CudaResult<()> {
        (**self).take_on_gpu(batch)
    }

    fn done_below(&mut self, number: u64) -> Result<()> {
        (**self).done_below(number)
    }

    fn collect(&mut self) -> Result<()> {
        (**self).collect()
    }

    fn forget(&mut self) {
        (**self).forget();
    }
}

/// Passes streamlines to both.
impl<A: DeviceStreamlineSink, B: DeviceStreamlineSink> DeviceStreamlineSink for (A, B) {
    fn begin_on(&mut self, gpu: &Gpu) -> CudaResult<Option<u64>> {
        let most = [self.0.begin_on(gpu)?, self.1.begin_on(gpu)?];
        Ok(most.into_iter().flatten().min())
    }

    fn take_on_gpu(&mut self, batch: StreamlineBatchOnGpu<'_>) -> CudaResult<()> {
        self.0.take_on_gpu(batch.clone())?;
        self.1.take_on_gpu(batch)
    }

    fn done_below(&mut self, number: u64) -> Result<()> {
        self.0.done_below(number)?;
        self.1.done_below(number)
    }

    fn collect(&mut self) -> Result<()> {
        self.0.collect()?;
        self.1.collect()
    }

    fn forget(&mut self) {
        self.0.forget();
        self.1.forget();
    }
}
