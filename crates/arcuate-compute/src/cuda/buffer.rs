//! Buffers (arrays of one type in GPU memory), parts of buffers, and copies between GPU and host.
#![allow(unsafe_code)]

use super::driver::call;
use super::error::{CudaError, CudaResult};
use super::gpu::Gpu;
use super::pinned::Pinned;
use super::plain::Plain;
use super::stream::Stream;
use cudarc::driver::sys;
use std::marker::PhantomData;
use std::ops::Range;

/// An array of `len` values in the memory of one GPU. Dropping the buffer waits for work that uses it and
/// then frees the memory.
pub struct Buffer<T: Plain> {
    gpu: Gpu,
    address: sys::CUdeviceptr,
    len: usize,
    element: PhantomData<T>,
}

/// A part of a [`Buffer`] that can only be read.
#[derive(Clone, Copy)]
pub struct BufferView<'a, T: Plain> {
    gpu: &'a Gpu,
    address: sys::CUdeviceptr,
    len: usize,
    element: PhantomData<&'a [T]>,
}

/// A part of a [`Buffer`] that can be read and written.
pub struct BufferViewMut<'a, T: Plain> {
    gpu: &'a Gpu,
    address: sys::CUdeviceptr,
    len: usize,
    element: PhantomData<&'a mut [T]>,
}

impl Gpu {
    /// Allocates a buffer of `len` zeros in GPU memory.
    pub fn alloc<T: Plain>(&self, len: usize) -> CudaResult<Buffer<T>> {
        let buffer = self.alloc_uninitialised::<T>(len)?;
        if buffer.address != 0 {
            let null_stream = std::ptr::null_mut();
            let bytes = len * size_of::<T>();
            // SAFETY: the call sets exactly the memory that was just allocated.
            unsafe { call!(self, cuMemsetD8Async(buffer.address, 0, bytes, null_stream)) }?;
            // The streams of this module do not wait for the work in CUDA's null stream. So the buffer must
            // be zeroed completely before other streams can use it.
            // SAFETY: the null stream belongs to the context that the allocation made current.
            unsafe { call!(self, cuStreamSynchronize(null_stream)) }?;
        }
        Ok(buffer)
    }

    /// Allocates a buffer in GPU memory and copies these values to it.
    pub fn upload<T: Plain>(&self, stream: &Stream, values: &[T]) -> CudaResult<Buffer<T>> {
        let mut buffer = self.alloc_uninitialised::<T>(values.len())?;
        buffer.copy_from(stream, values)?;
        Ok(buffer)
    }

    fn alloc_uninitialised<T: Plain>(&self, len: usize) -> CudaResult<Buffer<T>> {
        let bytes =
            (len as u64).checked_mul(size_of::<T>() as u64).ok_or_else(|| CudaError::OutOfMemory {
                call: "cuMemAlloc_v2",
                gpu: self.to_string(),
                bytes: u64::MAX,
                why: "the buffer is larger than any address space".to_owned(),
            })?;
        // An empty buffer has no memory, since the driver rejects allocations of 0 bytes.
        let address = if bytes == 0 { 0 } else { self.allocate(bytes)? };
        Ok(Buffer { gpu: self.clone(), address, len, element: PhantomData })
    }
}

impl<T: Plain> Buffer<T> {
    /// Number of values in the buffer.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the buffer has no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Size of the buffer's GPU memory in bytes.
    pub fn bytes(&self) -> u64 {
        self.len as u64 * size_of::<T>() as u64
    }

    /// The GPU that owns the buffer's memory.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Returns the whole buffer as a part that can be read.
    pub fn view(&self) -> BufferView<'_, T> {
        BufferView { gpu: &self.gpu, address: self.address, len: self.len, element: PhantomData }
    }

    /// Returns the whole buffer as a part that can be written.
    pub fn view_mut(&mut self) -> BufferViewMut<'_, T> {
        BufferViewMut { gpu: &self.gpu, address: self.address, len: self.len, element: PhantomData }
    }

    /// Returns the values in `range` of the buffer as a part that can be read.
    ///
    /// # Panics
    /// Panics if `range` ends after the last value, or if it ends before it starts.
    pub fn range(&self, range: Range<usize>) -> BufferView<'_, T> {
        self.view().range(range)
    }

    /// Returns the values in `range` of the buffer as a part that can be written.
    ///
    /// # Panics
    /// Panics if `range` ends after the last value, or if it ends before it starts.
    pub fn range_mut(&mut self, range: Range<usize>) -> BufferViewMut<'_, T> {
        self.view_mut().into_range(range)
    }

    /// Calls [`BufferViewMut::zero`] for the whole buffer.
    pub fn zero(&mut self, stream: &Stream) -> CudaResult<()> {
        self.view_mut().zero(stream)
    }

    /// Calls [`BufferViewMut::copy_from`] for the whole buffer.
    pub fn copy_from(&mut self, stream: &Stream, values: &[T]) -> CudaResult<()> {
        self.view_mut().copy_from(stream, values)
    }
}

impl<T: Plain> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.address != 0 {
            // SAFETY: this GPU allocated the memory with this length. Parts borrow the buffer, so no part is
            // left.
            unsafe { self.gpu.release(self.address, self.bytes()) };
        }
    }
}

impl<T: Plain> std::fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer<{}>({} on {})", std::any::type_name::<T>(), self.len, self.gpu)
    }
}

impl<'a, T: Plain> BufferView<'a, T> {
    /// Number of values in this part of the buffer.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether this part of the buffer has no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The GPU that owns the buffer's memory.
    pub fn gpu(&self) -> &'a Gpu {
        self.gpu
    }

    /// Returns the values in `range` of this part of the buffer.
    ///
    /// # Panics
    /// Panics if `range` ends after the last value, or if it ends before it starts.
    pub fn range(&self, range: Range<usize>) -> BufferView<'a, T> {
        let (address, len) = part::<T>(self.address, self.len, &range);
        BufferView { gpu: self.gpu, address, len, element: PhantomData }
    }

    /// Reinterprets the bytes of this part of the buffer as values of another type.
    ///
    /// # Panics
    /// Panics if the length in bytes is not a multiple of the other type's size, or if the alignment is wrong
    /// for the other type.
    pub fn cast<U: Plain>(&self) -> BufferView<'a, U> {
        let bytes = self.len * size_of::<T>();
        assert!(
            bytes.is_multiple_of(size_of::<U>()) && self.address.is_multiple_of(align_of::<U>() as u64),
            "{bytes} bytes at {:#x} are no values of type {}",
            self.address,
            std::any::type_name::<U>()
        );
        BufferView { gpu: self.gpu, address: self.address, len: bytes / size_of::<U>(), element: PhantomData }
    }

    /// Queues a copy of this part of a GPU buffer into `values` on the host, which must have the same length.
    /// If `values` is page-locked memory, the call returns at once. If not, the driver copies through its own
    /// page-locked buffer, and the call returns when the copy is done.
    ///
    /// # Safety
    /// `values` must live, and must not be read or written, until the stream has done the copy.
    pub unsafe fn copy_to_unwaited(&self, stream: &Stream, values: &mut [T]) -> CudaResult<()> {
        same("copy from device to host", stream, self.gpu, self.len, values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        stream.gpu().bind()?;
        let (to, bytes) = (values.as_mut_ptr().cast(), size_of_val(values));
        // SAFETY: the source and the destination have `bytes` bytes. The caller keeps the host memory.
        // The driver waits for the end of the copy before it frees GPU memory.
        unsafe { call!(stream.about(), cuMemcpyDtoHAsync_v2(to, self.address, bytes, stream.raw())) }
    }

    /// Queues a copy of this part of a GPU buffer into `values` on the host, from index `start` of `values`
    /// on. A later access to `values` waits for the copy.
    pub fn copy_to_pinned(&self, stream: &Stream, values: &mut Pinned<T>, start: usize) -> CudaResult<()> {
        let room = values.len().saturating_sub(start).min(self.len);
        same("copy from device to page-locked memory", stream, self.gpu, self.len, room)?;
        if self.is_empty() {
            return Ok(());
        }
        stream.gpu().bind()?;
        let bytes = self.len * size_of::<T>();
        let (to, address) = (values.address_of(start), self.address);
        values.written_by(stream, || {
            // SAFETY: both memories have `bytes` bytes.
            // `values` waits for the end of the copy before its memory is read, written or freed. The driver
            // waits for the end of the copy before it frees GPU memory.
            unsafe { call!(stream.about(), cuMemcpyDtoHAsync_v2(to.cast(), address, bytes, stream.raw())) }
        })
    }

    pub(super) fn address(&self) -> sys::CUdeviceptr {
        self.address
    }
}

impl<'a, T: Plain> BufferViewMut<'a, T> {
    /// Number of values in this part of the buffer.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether this part of the buffer has no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The GPU that owns the buffer's memory.
    pub fn gpu(&self) -> &'a Gpu {
        self.gpu
    }

    /// Returns this part of the buffer as a part that can only be read.
    pub fn view(&self) -> BufferView<'_, T> {
        BufferView { gpu: self.gpu, address: self.address, len: self.len, element: PhantomData }
    }

    /// Returns the values in `range` of this part of the buffer.
    ///
    /// # Panics
    /// Panics if `range` ends after the last value, or if it ends before it starts.
    pub fn range_mut(&mut self, range: Range<usize>) -> BufferViewMut<'_, T> {
        let (address, len) = part::<T>(self.address, self.len, &range);
        BufferViewMut { gpu: self.gpu, address, len, element: PhantomData }
    }

    /// Returns the values in `range` as a part of the buffer that has the same lifetime as this part.
    ///
    /// # Panics
    /// Panics if `range` ends after the last value, or if it ends before it starts.
    pub fn into_range(self, range: Range<usize>) -> BufferViewMut<'a, T> {
        let (address, len) = part::<T>(self.address, self.len, &range);
        BufferViewMut { gpu: self.gpu, address, len, element: PhantomData }
    }

    /// Reinterprets the bytes of this part of the buffer as values of another type. The result has the same
    /// lifetime as this part.
    ///
    /// # Panics
    /// Panics if the length in bytes is not a multiple of the other type's size, or if the alignment is wrong
    /// for the other type.
    pub fn cast<U: Plain>(self) -> BufferViewMut<'a, U> {
        let len = self.view().cast::<U>().len;
        BufferViewMut { gpu: self.gpu, address: self.address, len, element: PhantomData }
    }

    /// Queues setting every bit of this part of the buffer to 0.
    pub fn zero(&mut self, stream: &Stream) -> CudaResult<()> {
        same("zeroing of device memory", stream, self.gpu, self.len, self.len)?;
        if self.is_empty() || self.gpu.counts_only() {
            return Ok(());
        }
        stream.gpu().bind()?;
        let bytes = self.len * size_of::<T>();
        // SAFETY: the call sets exactly the memory of this part of the buffer.
        // The driver waits until the memory is set before it frees the memory.
        unsafe { call!(stream.about(), cuMemsetD8Async(self.address, 0, bytes, stream.raw())) }
    }

    /// Copies `values` from the host to this part of a GPU buffer, which must have the same length. The copy
    /// starts after the work that is already queued in `stream`, and the call returns when the copy is done.
    pub fn copy_from(&mut self, stream: &Stream, values: &[T]) -> CudaResult<()> {
        // SAFETY: the values are borrowed until this function has waited for the copy.
        unsafe { self.copy_from_unwaited(stream, values) }?;
        stream.synchronize()
    }

    /// Queues a copy of `values` from the host to this part of a GPU buffer, which must have the same length.
    /// If `values` is page-locked memory, the call returns at once. If not, the driver copies through its own
    /// page-locked buffer, and the call returns when all values have been read.
    ///
    /// # Safety
    /// `values` must live, and must not change, until the stream has done the copy.
    pub unsafe fn copy_from_unwaited(&mut self, stream: &Stream, values: &[T]) -> CudaResult<()> {
        same("copy from host to device", stream, self.gpu, self.len, values.len())?;
        if values.is_empty() || self.gpu.counts_only() {
            return Ok(());
        }
        stream.gpu().bind()?;
        let (from, bytes) = (values.as_ptr().cast(), size_of_val(values));
        // SAFETY: the source and the destination have `bytes` bytes. The caller keeps the host memory.
        // The driver waits for the end of the copy before it frees GPU memory.
        unsafe { call!(stream.about(), cuMemcpyHtoDAsync_v2(self.address, from, bytes, stream.raw())) }
    }

    /// Queues a copy of `values`, from index `start` on, from the host to this part of a GPU buffer. A later
    /// change of `values` waits for the copy.
    pub fn copy_from_pinned(&mut self, stream: &Stream, values: &Pinned<T>, start: usize) -> CudaResult<()> {
        let values_there = values.len().saturating_sub(start).min(self.len);
        same("copy from page-locked memory to device", stream, self.gpu, self.len, values_there)?;
        if self.is_empty() {
            return Ok(());
        }
        stream.gpu().bind()?;
        let bytes = self.len * size_of::<T>();
        let (from, address) = (values.address_of(start), self.address);
        values.read_by(stream, || {
            // SAFETY: both memories have `bytes` bytes.
            // `values` waits for the end of the copy before its memory is written or freed. The driver waits
            // for the end of the copy before it frees GPU memory.
            unsafe { call!(stream.about(), cuMemcpyHtoDAsync_v2(address, from.cast(), bytes, stream.raw())) }
        })
    }

    /// Queues a copy of `values`, which are in the memory of this or another GPU, to this part of a GPU
    /// buffer. Both must have the same length. If work on another GPU produces `values`, the caller must make
    /// `stream` wait for that work with an event.
    pub fn copy_from_device(&mut self, stream: &Stream, values: BufferView<'_, T>) -> CudaResult<()> {
        let owner = if stream.gpu() == values.gpu { values.gpu } else { self.gpu };
        same("copy from device to device", stream, owner, self.len, values.len)?;
        if values.is_empty() {
            return Ok(());
        }
        stream.gpu().bind()?;
        let (to, from, bytes) = (self.address, values.address, self.len * size_of::<T>());
        if self.gpu == values.gpu {
            // SAFETY: both memories have `bytes` bytes. The driver waits for the copy before it frees either
            // of them.
            return unsafe { call!(stream.about(), cuMemcpyDtoDAsync_v2(to, from, bytes, stream.raw())) };
        }
        let (to_context, from_context) = (self.gpu.raw_context(), values.gpu.raw_context());
        // SAFETY: both memories have `bytes` bytes, and each context belongs to the GPU that owns the
        // address.
        unsafe {
            call!(
                format!("{} from {}", stream.about(), values.gpu),
                cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, stream.raw())
            )
        }
    }

    pub(super) fn address(&self) -> sys::CUdeviceptr {
        self.address
    }
}

/// Returns the address and the number of the values in `range`, for an array of `len` values at `address`.
fn part<T>(address: sys::CUdeviceptr, len: usize, range: &Range<usize>) -> (sys::CUdeviceptr, usize) {
    let Range { start, end } = *range;
    assert!(start <= end && end <= len, "range {start}..{end} of a device buffer of {len} values");
    (address + (start * size_of::<T>()) as u64, end - start)
}

/// Returns an error if the stream of a copy and the GPU buffer belong to different GPUs. Also returns an
/// error if the GPU buffer and the host array have different lengths.
pub(super) fn same(what: &str, stream: &Stream, gpu: &Gpu, device: usize, host: usize) -> CudaResult<()> {
    let problem = if stream.gpu() != gpu {
        format!("the stream belongs to {}", stream.gpu())
    } else if device != host {
        format!("the GPU buffer has {device} values, the host buffer {host}")
    } else {
        return Ok(());
    };
    Err(CudaError::Misuse { about: format!("{what} of {gpu}"), problem })
}
