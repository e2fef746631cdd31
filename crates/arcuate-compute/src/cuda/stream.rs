//! Streams and events: the order in which a GPU does what it is given.
#![allow(unsafe_code)]

use super::code;
use super::driver::call;
use super::error::{CudaError, CudaResult};
use super::gpu::Gpu;
use cudarc::driver::sys;
use std::sync::{Mutex, PoisonError};

/// A queue of work: what is given to one stream is done in that order, and streams run beside each other.
pub struct Stream {
    gpu: Gpu,
    raw: sys::CUstream,
    /// The kernel launched last, to be named when the driver reports later what went wrong in it.
    last_kernel: Mutex<Option<String>>,
}

// SAFETY: the driver takes its handle from any thread; the name is behind a mutex.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Gpu {
    /// A new stream. It waits for no other.
    pub fn stream(&self) -> CudaResult<Stream> {
        self.bind()?;
        let mut raw = std::ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: writes the handle of the new stream.
        unsafe { call!(self, cuStreamCreate(&raw mut raw, flags)) }?;
        Ok(Stream { gpu: self.clone(), raw, last_kernel: Mutex::new(None) })
    }

    /// A new event for [`Stream::record`], which says nothing of time.
    pub fn event(&self) -> CudaResult<Event> {
        Event::new(self, sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)
    }

    /// A new event that knows when it happened.
    pub fn timed_event(&self) -> CudaResult<Event> {
        Event::new(self, sys::CUevent_flags::CU_EVENT_DEFAULT)
    }
}

impl Stream {
    /// The GPU it belongs to.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Waits until everything given to the stream is done. What a kernel did wrong is reported here.
    pub fn synchronize(&self) -> CudaResult<()> {
        self.gpu.bind()?;
        // SAFETY: the stream lives as long as `self`.
        unsafe { call!(self.about(), cuStreamSynchronize(self.raw)) }
    }

    /// Whether everything given to the stream is done.
    pub fn is_idle(&self) -> CudaResult<bool> {
        self.gpu.bind()?;
        // SAFETY: the stream lives as long as `self`.
        ready(unsafe { call!(self.about(), cuStreamQuery(self.raw)) })
    }

    /// Notes in `event` where the stream stands: it happens when all given before is done.
    pub fn record(&self, event: &Event) -> CudaResult<()> {
        self.gpu.bind()?;
        // SAFETY: both handles live as long as their borrows.
        unsafe { call!(self.about(), cuEventRecord(event.raw, self.raw)) }
    }

    /// Lets what is given to the stream from now on wait until `event` (of any GPU) as recorded last has happened. An
    /// event never recorded has happened.
    pub fn wait(&self, event: &Event) -> CudaResult<()> {
        self.gpu.bind()?;
        // SAFETY: both handles live as long as their borrows; the driver keeps what it needs of the event.
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

    /// The stream in words, for errors.
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
            // SAFETY: created once; the driver finishes what is still queued.
            let _ = unsafe { call!(self.about(), cuStreamDestroy_v2(self.raw)) };
        }
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stream({})", self.about())
    }
}

/// A point in a stream's work.
pub struct Event {
    gpu: Gpu,
    raw: sys::CUevent,
}

// SAFETY: the driver takes its handle from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    fn new(gpu: &Gpu, flags: sys::CUevent_flags) -> CudaResult<Self> {
        gpu.bind()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: writes the handle of the new event.
        unsafe { call!(gpu, cuEventCreate(&raw mut raw, flags as u32)) }?;
        Ok(Self { gpu: gpu.clone(), raw })
    }

    /// Waits until it has happened.
    pub fn synchronize(&self) -> CudaResult<()> {
        self.gpu.bind()?;
        // SAFETY: the event lives as long as `self`.
        unsafe { call!(self.gpu, cuEventSynchronize(self.raw)) }
    }

    /// Whether it has happened.
    pub fn has_happened(&self) -> CudaResult<bool> {
        self.gpu.bind()?;
        // SAFETY: the event lives as long as `self`.
        ready(unsafe { call!(self.gpu, cuEventQuery(self.raw)) })
    }

    /// Milliseconds from this to `later`; both are timed and have happened.
    pub fn milliseconds_until(&self, later: &Self) -> CudaResult<f64> {
        self.gpu.bind()?;
        let mut milliseconds = 0.0_f32;
        // SAFETY: writes one number; both handles live.
        unsafe { call!(self.gpu, cuEventElapsedTime(&raw mut milliseconds, self.raw, later.raw)) }?;
        Ok(f64::from(milliseconds))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.gpu.bind().is_ok() {
            // SAFETY: created once; the driver keeps what streams still wait for.
            let _ = unsafe { call!(self.gpu, cuEventDestroy_v2(self.raw)) };
        }
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Event({})", self.gpu)
    }
}

/// The answer to whether something is done.
fn ready(answer: CudaResult<()>) -> CudaResult<bool> {
    match answer {
        Ok(()) => Ok(true),
        Err(CudaError::Call { code: code::NOT_READY, .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
