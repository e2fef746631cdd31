//! Streamlines that stay in the GPU where they were made, on their way to who counts them there.

use crate::cuda::{BufferView, CudaResult, Gpu, Stream};
use crate::element_rows::{ElementNeeds, ElementRows};
use arcuate_core::{Result, StreamlineSink};
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

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
#[derive(Clone)]
pub struct StreamlineBatchOnGpu<'a> {
    /// The work that reads them has to be given to this stream: they are there once what it holds already is done, and are
    /// overwritten by what it is given later.
    pub stream: &'a Stream,
    /// The streamlines.
    pub spans: BufferView<'a, StreamlineSpan>,
    /// The numbers of a run among which theirs are: those of the batches of a GPU ascend, until [`DeviceStreamlineSink::done_below`].
    pub numbers: Range<u64>,
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
    /// Gets ready for batches of a GPU. Answers how many consecutive numbers of a run it may follow between two calls of
    /// [`done_below`](Self::done_below), where that matters.
    fn begin_on(&mut self, _gpu: &Gpu) -> CudaResult<Option<u64>> {
        Ok(None)
    }

    /// What streamlines may meet, where a GPU may count them in rows while it follows them ([`rows_on`](Self::rows_on)), so that none
    /// comes but those that met more; nothing where all have to come.
    fn element_needs(&self) -> Option<ElementNeeds> {
        None
    }

    /// The rows in which a GPU counts the streamlines of these numbers, which ascend until [`done_below`](Self::done_below). Its work is
    /// given to this stream.
    fn rows_on(&mut self, _stream: &Stream, _numbers: Range<u64>) -> CudaResult<Option<ElementRows<'_>>> {
        Ok(None)
    }

    /// Told that so many streamlines were counted in rows.
    fn counted_in_rows(&mut self, _streamlines: u64) {}

    /// Does some of the work that is left of earlier streamlines, while GPUs are busy; answers whether more is left.
    fn meanwhile(&mut self) -> bool {
        false
    }

    /// Takes one batch. Batches of several GPUs come in any order; a GPU is the same as long as its number is.
    fn take_on_gpu(&mut self, batch: StreamlineBatchOnGpu<'_>) -> CudaResult<()>;

    /// Told that GPUs have followed all numbers of the run below this one, and that their streamlines have come.
    fn done_below(&mut self, _number: u64) -> Result<()> {
        Ok(())
    }

    /// Brings what was found in GPUs to the host: no more comes from there.
    fn collect(&mut self) -> Result<()>;

    /// Forgets all that it took: a GPU has failed, and the run begins again elsewhere.
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

/// Both take all.
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
