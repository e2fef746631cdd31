//! Memory of the host that is page-locked where it lies, so that a GPU reads it by itself.
#![allow(unsafe_code)]

use super::driver::call;
use super::error::{CudaError, CudaResult};
use super::gpu::Gpu;
use cudarc::driver::sys;
use std::ffi::c_void;

/// Memory of the host that all GPUs read and write at the speed of the bus for as long as this lives: what is streamed
/// again and again is page-locked once, where it lies. ([`Pinned`](super::Pinned) memory is for what is made anew.)
pub struct Registered {
    gpu: Gpu,
    address: *mut c_void,
    bytes: usize,
}

// SAFETY: the address is the driver's name for the memory and is never read through.
unsafe impl Send for Registered {}
// SAFETY: as above.
unsafe impl Sync for Registered {}

impl Gpu {
    /// Page-locks the memory of `values`, for every GPU. Fails where the system does not allow so much of it, and where
    /// part of it is page-locked already; copies from it are as right without, at a fifth of the speed.
    ///
    /// # Safety
    /// The values stay where they are until the answer is dropped.
    pub unsafe fn register<T>(&self, values: &[T]) -> CudaResult<Registered> {
        let (address, bytes) = (values.as_ptr().cast::<c_void>().cast_mut(), size_of_val(values));
        if bytes > 0 {
            self.bind()?;
            let flags = sys::CU_MEMHOSTREGISTER_PORTABLE;
            let answer = {
                // SAFETY: memory of this process, which stays there as the caller promises.
                unsafe { call!(self, cuMemHostRegister_v2(address, bytes, flags)) }
            };
            answer.map_err(|error| match error {
                CudaError::OutOfMemory { call, gpu, .. } => CudaError::OutOfMemory {
                    call,
                    gpu,
                    bytes: bytes as u64,
                    why: "the host cannot page-lock that much memory".to_owned(),
                },
                error => error,
            })?;
        }
        Ok(Registered { gpu: self.clone(), address, bytes })
    }
}

impl Registered {
    /// Bytes that are page-locked.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        if self.bytes > 0 && self.gpu.bind().is_ok() {
            // SAFETY: registered once; the driver waits for copies under way.
            let _ = unsafe { call!(self.gpu, cuMemHostUnregister(self.address)) };
        }
    }
}

impl std::fmt::Debug for Registered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Registered({} bytes)", self.bytes)
    }
}
