//! Streamlines in GPU memory, which are passed to code that processes them on the same GPU (sinks).

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
    /// Number of the streamline in the tracking run, from which the seed of the streamline can be computed.
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
    /// The GPU stream (queue of work) in which all work that reads these streamlines must be queued. The
    /// streamlines are complete when the work that is already in this queue is done. Work that tracking
    /// queues later overwrites them.
    pub stream: &'a Stream,
    /// The streamlines of the batch.
    pub spans: BufferView<'a, StreamlineSpan>,
    /// A range that contains the numbers of all streamlines of the batch. For each GPU, the ranges of
    /// successive batches ascend until [`DeviceStreamlineSink::done_below`] is called.
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

/// Receives streamlines in host memory ([`StreamlineSink`]) or GPU memory, in batches. The result of a sink
/// must not depend on how the streamlines are divided into batches. The result of this kind of sink must not
/// depend on the order of the batches either.
pub trait DeviceStreamlineSink: StreamlineSink + Send {
    /// Prepares to receive batches of streamlines from a GPU. Returns the maximum number of streamlines that
    /// this sink accepts between two calls of [`done_below`](Self::done_below), or `None` if there is no
    /// limit.
    fn begin_on(&mut self, _gpu: &Gpu) -> CudaResult<Option<u64>> {
        Ok(None)
    }

    /// A GPU may count streamlines in rows of a connectivity matrix while it tracks
    /// ([`rows_on`](Self::rows_on)), if a streamline passes at most this number of matrix elements. Only the
    /// other streamlines are then passed to this sink. `None` if all streamlines must be passed to this sink.
    fn element_needs(&self) -> Option<ElementNeeds> {
        None
    }

    /// Returns the rows of the connectivity matrix in which a GPU counts the streamlines with the numbers
    /// `numbers`. In successive calls, the numbers ascend until [`done_below`](Self::done_below) is called.
    /// The GPU counts with work that is queued in `stream`.
    fn rows_on(&mut self, _stream: &Stream, _numbers: Range<u64>) -> CudaResult<Option<ElementRows<'_>>> {
        Ok(None)
    }

    /// Receives the number of streamlines that a GPU has counted in matrix rows.
    fn counted_in_rows(&mut self, _streamlines: u64) {}

    /// Processes some of the streamlines that were received earlier, while GPUs are busy with tracking.
    /// Returns whether more work remains.
    fn meanwhile(&mut self) -> bool {
        false
    }

    /// Receives one batch of streamlines. Batches of several GPUs come in any order; each batch states the
    /// GPU in whose memory it is.
    fn take_on_gpu(&mut self, batch: StreamlineBatchOnGpu<'_>) -> CudaResult<()>;

    /// Reports that the GPUs have tracked all streamlines of the run whose number is below `number`, and that
    /// these streamlines have been passed to this sink.
    fn done_below(&mut self, _number: u64) -> Result<()> {
        Ok(())
    }

    /// Copies the results from the GPUs to the host. Tracking calls this function after the last batch.
    fn collect(&mut self) -> Result<()>;

    /// Discards the results of all streamlines that were received. Tracking calls this function if a GPU
    /// failed and the run starts again on another device.
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
        let maximum = [self.0.begin_on(gpu)?, self.1.begin_on(gpu)?];
        Ok(maximum.into_iter().flatten().min())
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
