//! Page-locked host memory, which a GPU can access while the CPU does other work.
#![allow(unsafe_code)]

use super::driver::call;
use super::error::{CudaError, CudaResult};
use super::gpu::Gpu;
use super::page_locked::PageLocked;
use super::plain::Plain;
use super::stream::{Event, Stream};
use cudarc::driver::sys;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// An array of `len` values in page-locked host memory. Copies from and to this memory overlap with other
/// work of this GPU and of every other GPU. Reading the values waits for pending copies into this memory.
/// Changing the values also waits for pending copies out of it.
pub struct Pinned<T: Plain> {
    gpu: Gpu,
    values: NonNull<T>,
    len: usize,
    under_way: Mutex<PendingCopies>,
    /// True if the page-locked memory is kept for reuse when this array is dropped.
    is_room: bool,
}

/// Maximum number of blocks of page-locked memory that a GPU keeps for reuse.
const ROOMS: usize = 2;

/// Copies from and to this memory that may not be done yet.
#[derive(Default)]
struct PendingCopies {
    into: Vec<Event>,
    out_of: Vec<Event>,
}

// SAFETY: the value owns its memory like a `Box`, and a mutex protects the list of copies.
unsafe impl<T: Plain> Send for Pinned<T> {}
// SAFETY: through a shared reference the values are only read, and a mutex protects the list of copies.
unsafe impl<T: Plain> Sync for Pinned<T> {}

impl Gpu {
    /// Allocates page-locked host memory with `len` zeros. Use this only for memory that is copied
    /// repeatedly, since the system cannot move page-locked memory.
    pub fn pinned<T: Plain>(&self, len: usize) -> CudaResult<Pinned<T>> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
        let too_long = || CudaError::OutOfMemory {
            call: "cuMemHostAlloc",
            gpu: self.to_string(),
            bytes: u64::MAX,
            why: "the buffer is larger than any address space".to_owned(),
        };
        let bytes = bytes.ok_or_else(too_long)?;
        let values = if bytes == 0 { NonNull::dangling() } else { self.page_lock(bytes)?.address.cast() };
        Ok(Pinned { gpu: self.clone(), values, len, under_way: Mutex::default(), is_room: false })
    }

    /// Returns `bytes` page-locked bytes with arbitrary values. The memory is kept for reuse when it is
    /// dropped.
    pub(super) fn page_locked_buffer(&self, bytes: usize) -> CudaResult<Pinned<u8>> {
        let mut page_locked_pool = self.page_locked_pool();
        let left = page_locked_pool
            .iter()
            .position(|page_locked_buffer| page_locked_buffer.bytes == bytes)
            .map(|n| page_locked_pool.swap_remove(n));
        drop(page_locked_pool);
        let address = match left {
            Some(page_locked_buffer) => page_locked_buffer.address,
            None if bytes == 0 => NonNull::dangling(),
            None => self.page_lock(bytes)?.address,
        };
        let under_way = Mutex::default();
        Ok(Pinned { gpu: self.clone(), values: address, len: bytes, under_way, is_room: true })
    }

    /// Allocates page-locked host memory, filled with zeros.
    fn page_lock(&self, bytes: usize) -> CudaResult<PageLocked> {
        let no_room = || CudaError::OutOfMemory {
            call: "cuMemHostAlloc",
            gpu: self.to_string(),
            bytes: bytes as u64,
            why: "the operating system cannot page-lock this amount of host memory".to_owned(),
        };
        self.bind()?;
        let mut raw = std::ptr::null_mut();
        // This flag of the allocation makes the memory page-locked for every GPU, not only for this GPU.
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE;
        let answer = {
            // SAFETY: the driver writes the address of the new memory.
            unsafe { call!(self, cuMemHostAlloc(&raw mut raw, bytes, flags)) }
        };
        answer.map_err(|e| if e.is_out_of_memory() { no_room() } else { e })?;
        let address = NonNull::new(raw.cast::<u8>()).ok_or_else(no_room)?;
        // SAFETY: the memory is ours, has this length, and is page-aligned. Zero is a valid value of every
        // plain type.
        unsafe { address.as_ptr().write_bytes(0, bytes) };
        Ok(PageLocked { address, bytes })
    }

    /// Allocates page-locked host memory and copies these values to it.
    pub fn pin<T: Plain>(&self, values: &[T]) -> CudaResult<Pinned<T>> {
        let mut pinned = self.pinned(values.len())?;
        pinned.as_mut_slice()?.copy_from_slice(values);
        Ok(pinned)
    }
}

impl<T: Plain> Pinned<T> {
    /// Number of values in the page-locked memory.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the page-locked memory has no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Waits for pending copies into the memory, and returns its values.
    pub fn as_slice(&self) -> CudaResult<&[T]> {
        wait_for(&mut self.under_way.lock().unwrap_or_else(PoisonError::into_inner).into)?;
        // SAFETY: the slice has `len` initialised values, which no copy writes any more. A new copy into them
        // needs `&mut self`.
        Ok(unsafe { std::slice::from_raw_parts(self.values.as_ptr(), self.len) })
    }

    /// Waits for pending copies into and out of the memory, and returns its values, mutable.
    pub fn as_mut_slice(&mut self) -> CudaResult<&mut [T]> {
        self.wait()?;
        // SAFETY: the slice has `len` initialised values without another borrow and without a pending copy.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.values.as_ptr(), self.len) })
    }

    fn wait(&mut self) -> CudaResult<()> {
        let under_way = self.under_way.get_mut().unwrap_or_else(PoisonError::into_inner);
        wait_for(&mut under_way.into)?;
        wait_for(&mut under_way.out_of)
    }

    /// Address of the value at index `start`, which must be at most `len`.
    pub(super) fn address_of(&self, start: usize) -> *mut T {
        // SAFETY: the address is inside the memory, or at its end.
        unsafe { self.values.as_ptr().add(start) }
    }

    /// Starts a copy that reads this page-locked memory, and records the copy as pending.
    pub(super) fn read_by(&self, stream: &Stream, copy: impl FnOnce() -> CudaResult<()>) -> CudaResult<()> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        start(&mut under_way.out_of, stream, copy)
    }

    /// Starts a copy that writes to this page-locked memory, and records the copy as pending.
    pub(super) fn written_by(
        &mut self,
        stream: &Stream,
        copy: impl FnOnce() -> CudaResult<()>,
    ) -> CudaResult<()> {
        start(&mut self.under_way.get_mut().unwrap_or_else(PoisonError::into_inner).into, stream, copy)
    }
}

fn start(
    under_way: &mut Vec<Event>,
    stream: &Stream,
    copy: impl FnOnce() -> CudaResult<()>,
) -> CudaResult<()> {
    under_way.retain(|event| !matches!(event.has_happened(), Ok(true)));
    let event = stream.gpu().event()?;
    copy()?;
    // The event marks the end of the copy. If the event cannot be recorded, this function waits for the copy,
    // since later accesses to the memory cannot wait for the event.
    stream.record(&event).or_else(|_| stream.synchronize())?;
    under_way.push(event);
    Ok(())
}

fn wait_for(events: &mut Vec<Event>) -> CudaResult<()> {
    for event in events.iter() {
        event.synchronize()?;
    }
    events.clear();
    Ok(())
}

impl<T: Plain> Drop for Pinned<T> {
    fn drop(&mut self) {
        // If waiting fails, a fault has ended the GPU's context, and all copies have ended with it.
        let is_done = self.wait().is_ok();
        let bytes = self.len * size_of::<T>();
        if bytes == 0 {
            return;
        }
        let mut unused = Some(PageLocked { address: self.values.cast(), bytes });
        if self.is_room && is_done {
            let mut page_locked_pool = self.gpu.page_locked_pool();
            page_locked_pool.extend(unused.take());
            if page_locked_pool.len() > ROOMS {
                // The smallest block of memory is freed. Larger blocks are kept, since they can be used for
                // copies of all sizes.
                page_locked_pool.sort_unstable_by_key(|page_locked_buffer| page_locked_buffer.bytes);
                unused = Some(page_locked_pool.swap_remove(0));
            }
        }
        if let Some(unused) = unused
            && self.gpu.bind().is_ok()
        {
            // SAFETY: this GPU's context allocated the memory once, and no copy is pending.
            let _ = unsafe { call!(self.gpu, cuMemFreeHost(unused.address().cast())) };
        }
    }
}

impl<T: Plain> std::fmt::Debug for Pinned<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pinned<{}>({})", std::any::type_name::<T>(), self.len)
    }
}
