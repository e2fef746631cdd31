//! Existing host memory that is page-locked in place, so that a GPU can access it directly.
#![allow(unsafe_code)]

use super::driver::call;
use super::error::{CudaError, CudaResult};
use super::gpu::Gpu;
use cudarc::driver::sys;
use std::ffi::c_void;

/// Host memory that all GPUs access at bus speed while this value lives. Use it for existing data that are
/// streamed repeatedly; they are page-locked once, in place. ([`Pinned`](super::Pinned) memory is for new
/// data.)
pub struct Registered {
    gpu: Gpu,
    address: *mut c_void,
    bytes: usize,
}

// SAFETY: the address only identifies the memory to the driver and is never dereferenced.
unsafe impl Send for Registered {}
// SAFETY: the address only identifies the memory to the driver and is never dereferenced.
unsafe impl Sync for Registered {}

impl Gpu {
    /// Page-locks the memory of `values`, for every GPU. Returns an error if the system does not allow this
    /// amount of page-locked memory, or if a part of the memory is already page-locked. Copies also work
    /// without page-locking, at a fifth of the speed.
    ///
    /// # Safety
    /// The values must not move until the returned value is dropped.
    pub unsafe fn register<T>(&self, values: &[T]) -> CudaResult<Registered> {
        let (address, bytes) = (values.as_ptr().cast::<c_void>().cast_mut(), size_of_val(values));
        if bytes > 0 {
            self.bind()?;
            let flags = sys::CU_MEMHOSTREGISTER_PORTABLE;
            let answer = {
                // SAFETY: the memory belongs to this process and does not move, as the caller promises.
                unsafe { call!(self, cuMemHostRegister_v2(address, bytes, flags)) }
            };
            answer.map_err(|error| match error {
                CudaError::OutOfMemory { call, gpu, .. } => CudaError::OutOfMemory {
                    call,
                    gpu,
                    bytes: bytes as u64,
                    why: "the operating system cannot page-lock this amount of host memory".to_owned(),
                },
                error => error,
            })?;
        }
        Ok(Registered { gpu: self.clone(), address, bytes })
    }
}

impl Registered {
    /// Number of bytes that are page-locked.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        if self.bytes > 0 && self.gpu.bind().is_ok() {
            // SAFETY: the memory was registered once, and the driver waits for pending copies.
            let _ = unsafe { call!(self.gpu, cuMemHostUnregister(self.address)) };
        }
    }
}

impl std::fmt::Debug for Registered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Registered({} bytes)", self.bytes)
    }
}
