//! Streamlines in GPU memory, which are passed to consumers on the same GPU.

use crate::cuda::{BufferView, CudaResult, Gpu, Stream};
use crate::element_rows::{ElementNeeds, ElementRows};
use arcuate_core::{Result, StreamlineSink};
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

/// The position of a streamline's points in an array of points, and the streamline's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct StreamlineSpan {
    /// Index of the streamline's first point in the array of points.
    pub begin: u64,
    /// Number of the streamline in the tracking run, which identifies its seed.
    pub number: u64,
    /// Number of points of the streamline.
    pub points: u32,
    /// Index of the seed among the points of the streamline.
    pub seed: u32,
}

/// A batch of whole streamlines in GPU memory, in any order: a
/// [`StreamlineBatch`](arcuate_core::StreamlineBatch) that was not copied to the host.
#[derive(Clone)]
pub struct StreamlineBatchOnGpu<'a> {
    /// The stream in which consumers must queue work that reads these streamlines. The streamlines are
    /// complete after the work that is already queued, and are overwritten by work that is queued later.
    pub stream: &'a Stream,
    /// The streamlines of the batch.
    pub spans: BufferView<'a, StreamlineSpan>,
    /// The range that contains the numbers of the batch's streamlines. For each GPU, the ranges of successive
    /// batches ascend until [`DeviceStreamlineSink::done_below`] is called.
    pub numbers: Range<u64>,
    /// The points of all streamlines in RAS mm. The coordinates x, y and z of each point are adjacent.
    pub positions: BufferView<'a, f32>,
}

impl StreamlineBatchOnGpu<'_> {
    /// The GPU whose memory holds the streamlines.
    pub fn gpu(&self) -> &Gpu {
        self.stream.gpu()
    }
}

/// Receives streamlines in host memory ([`StreamlineSink`]) or GPU memory. The result must not depend on the
/// division into batches. Unlike for other sinks, it must not depend on the order of the batches either.
pub trait DeviceStreamlineSink: StreamlineSink + Send {
    /// Prepares to receive batches from a GPU. Returns the maximum number of streamlines between two calls of
    /// [`done_below`](Self::done_below). `None` means that there is no limit.
    fn begin_on(&mut self, _gpu: &Gpu) -> CudaResult<Option<u64>> {
        Ok(None)
    }

    /// The number of elements that a streamline may meet, if a GPU may count them in matrix rows while it
    /// tracks ([`rows_on`](Self::rows_on)). Then only streamlines that meet more elements are passed to this
    /// sink. `None` if all streamlines must be passed to this sink.
    fn element_needs(&self) -> Option<ElementNeeds> {
        None
    }

    /// Returns the matrix rows in which a GPU counts the streamlines with these numbers. The numbers ascend
    /// until [`done_below`](Self::done_below) is called. The GPU's work is queued in this stream.
    fn rows_on(&mut self, _stream: &Stream, _numbers: Range<u64>) -> CudaResult<Option<ElementRows<'_>>> {
        Ok(None)
    }

    /// Receives the number of streamlines that a GPU has counted in matrix rows.
    fn counted_in_rows(&mut self, _streamlines: u64) {}

    /// Does some of the remaining work on earlier streamlines while GPUs are busy. Returns whether work
    /// remains.
    fn meanwhile(&mut self) -> bool {
        false
    }

    /// Receives one batch. Batches of several GPUs come in any order; each batch has its GPU.
    fn take_on_gpu(&mut self, batch: StreamlineBatchOnGpu<'_>) -> CudaResult<()>;

    /// Reports that GPUs have tracked all streamline numbers of the run below this one, and that these
    /// streamlines have been passed to this sink.
    fn done_below(&mut self, _number: u64) -> Result<()> {
        Ok(())
    }

    /// Copies the results from GPUs to the host. It is called after the last batch.
    fn collect(&mut self) -> Result<()>;

    /// Discards all streamlines that were received, because a GPU failed and the run starts again on another
    /// device.
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

/// Passes all streamlines to both sinks.
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
