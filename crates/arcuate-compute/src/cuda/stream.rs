//! Streams and events, which determine the order of a GPU's work.
#![allow(unsafe_code)]

use super::code;
use super::driver::call;
use super::error::{CudaError, CudaResult};
use super::gpu::Gpu;
use cudarc::driver::sys;
use std::sync::{Mutex, PoisonError};

/// A queue of work for a GPU. The work of one stream runs in order; different streams run concurrently.
pub struct Stream {
    gpu: Gpu,
    raw: sys::CUstream,
    /// Name of the last launched kernel. Errors that the driver reports later name this kernel.
    last_kernel: Mutex<Option<String>>,
}

// SAFETY: the driver takes the stream's handle from any thread, and a mutex protects the kernel's name.
unsafe impl Send for Stream {}
// SAFETY: the driver takes the stream's handle from any thread, and a mutex protects the kernel's name.
unsafe impl Sync for Stream {}

impl Gpu {
    /// Creates a stream, which does not wait for any other stream.
    pub fn stream(&self) -> CudaResult<Stream> {
        self.bind()?;
        let mut raw = std::ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the driver writes the handle of the new stream.
        unsafe { call!(self, cuStreamCreate(&raw mut raw, flags)) }?;
        Ok(Stream { gpu: self.clone(), raw, last_kernel: Mutex::new(None) })
    }

    /// Creates an event without timing, for [`Stream::record`].
    pub fn event(&self) -> CudaResult<Event> {
        Event::new(self, sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)
    }

    /// Creates an event with timing, for [`Event::milliseconds_until`].
    pub fn timed_event(&self) -> CudaResult<Event> {
        Event::new(self, sys::CUevent_flags::CU_EVENT_DEFAULT)
    }
}

impl Stream {
    /// The GPU on which the stream's work runs.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Waits until all work that is queued in the stream is done. Returns an error if a kernel failed.
    pub fn synchronize(&self) -> CudaResult<()> {
        self.gpu.bind()?;
        // SAFETY: the stream's handle lives as long as `self`.
        unsafe { call!(self.about(), cuStreamSynchronize(self.raw)) }
    }

    /// Returns whether all work that was queued in the stream is done.
    pub fn is_idle(&self) -> CudaResult<bool> {
        self.gpu.bind()?;
        // SAFETY: the stream's handle lives as long as `self`.
        ready(unsafe { call!(self.about(), cuStreamQuery(self.raw)) })
    }

    /// Records `event` at the end of the queue. The event happens when all work that was queued before is
    /// done.
    pub fn record(&self, event: &Event) -> CudaResult<()> {
        self.gpu.bind()?;
        // SAFETY: both handles live as long as their borrows.
        unsafe { call!(self.about(), cuEventRecord(event.raw, self.raw)) }
    }

    /// Makes work that is queued later wait for the last recording of `event`, which can belong to any GPU.
    /// An event that was never recorded counts as having happened.
    pub fn wait(&self, event: &Event) -> CudaResult<()> {
        self.gpu.bind()?;
        // SAFETY: both handles live as long as their borrows, and the driver keeps what it needs of the
        // event.
        unsafe { call!(self.about(), cuStreamWaitEvent(self.raw, event.raw, 0)) }
    }

    pub(super) fn raw(&self) -> sys::CUstream {
        self.raw
    }

    pub(super) fn launched(&self, kernel: &str) {
        let mut last = self.last_kernel.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_deref() != Some(kernel) {
            *last = Some(kernel.to_owned());
        }
    }

    pub(super) fn last_kernel(&self) -> Option<String> {
        self.last_kernel.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Describes the stream in error messages.
    pub(super) fn about(&self) -> String {
        match self.last_kernel() {
            Some(kernel) => format!("{}, after kernel `{kernel}`", self.gpu),
            None => self.gpu.to_string(),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.gpu.bind().is_ok() {
            // SAFETY: the stream was created once, and the driver finishes its queued work.
            let _ = unsafe { call!(self.about(), cuStreamDestroy_v2(self.raw)) };
        }
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stream({})", self.about())
    }
}

/// A point in the queue of a stream.
pub struct Event {
    gpu: Gpu,
    raw: sys::CUevent,
}

// SAFETY: the driver takes the event's handle from any thread.
unsafe impl Send for Event {}
// SAFETY: the driver takes the event's handle from any thread.
unsafe impl Sync for Event {}

impl Event {
    fn new(gpu: &Gpu, flags: sys::CUevent_flags) -> CudaResult<Self> {
        gpu.bind()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the driver writes the handle of the new event.
        unsafe { call!(gpu, cuEventCreate(&raw mut raw, flags as u32)) }?;
        Ok(Self { gpu: gpu.clone(), raw })
    }

    /// Waits until the event has happened.
    pub fn synchronize(&self) -> CudaResult<()> {
        self.gpu.bind()?;
        // SAFETY: the event's handle lives as long as `self`.
        unsafe { call!(self.gpu, cuEventSynchronize(self.raw)) }
    }

    /// Returns whether the event has happened.
    pub fn has_happened(&self) -> CudaResult<bool> {
        self.gpu.bind()?;
        // SAFETY: the event's handle lives as long as `self`.
        ready(unsafe { call!(self.gpu, cuEventQuery(self.raw)) })
    }

    /// Returns the milliseconds from this event to `later`. Both events must have timing and must have
    /// happened.
    pub fn milliseconds_until(&self, later: &Self) -> CudaResult<f64> {
        self.gpu.bind()?;
        let mut milliseconds = 0.0_f32;
        // SAFETY: the driver writes one number, and both handles live.
        unsafe { call!(self.gpu, cuEventElapsedTime(&raw mut milliseconds, self.raw, later.raw)) }?;
        Ok(f64::from(milliseconds))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.gpu.bind().is_ok() {
            // SAFETY: the event was created once, and the driver keeps the parts for which streams still
            // wait.
            let _ = unsafe { call!(self.gpu, cuEventDestroy_v2(self.raw)) };
        }
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Event({})", self.gpu)
    }
}

/// Converts the return code of a query: "not ready" becomes false.
fn ready(answer: CudaResult<()>) -> CudaResult<bool> {
    match answer {
        Ok(()) => Ok(true),
        Err(CudaError::Call { code: code::NOT_READY, .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
