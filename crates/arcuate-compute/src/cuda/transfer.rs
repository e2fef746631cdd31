//! Copies between GPU memory and ordinary host memory.
#![allow(unsafe_code)]

use super::buffer::{Buffer, BufferView, BufferViewMut, same};
use super::error::CudaResult;
use super::gpu::Gpu;
use super::pinned::Pinned;
use super::plain::Plain;
use super::stream::Stream;
use rayon::prelude::*;
use std::ops::Range;

/// Number of bytes that are copied as one piece. For the first transfer of 200 MB to an H200, 8 MiB is
/// fastest: page-locking a buffer of twice this size costs more time than it saves.
const PIECE: usize = 8 << 20;

/// Copies between a GPU and ordinary host memory through two page-locked buffers, which alternate. While the
/// GPU copies one buffer, all CPU threads fill or empty the other.
///
/// Page-locking takes longer than copying. So the buffers are only as large as the largest array so far
/// requires, and the GPU's next transfer reuses them.
#[derive(Debug)]
pub struct Transfer {
    gpu: Gpu,
    maximum: usize,
    buffers: [Pinned<u8>; 2],
}

impl Transfer {
    /// Prepares copies of arrays of at most `bytes` bytes. Larger arrays are copied in more pieces.
    pub fn new(gpu: &Gpu, bytes: usize) -> CudaResult<Self> {
        Ok(Self {
            gpu: gpu.clone(),
            maximum: bytes.min(PIECE),
            buffers: [gpu.page_locked_buffer(0)?, gpu.page_locked_buffer(0)?],
        })
    }

    /// Prepares copies of an array of this size and allocates the buffers for it.
    pub(super) fn with_capacity_of(gpu: &Gpu, bytes: usize) -> CudaResult<Self> {
        let mut transfer = Self::new(gpu, usize::MAX)?;
        transfer.reserve(bytes)?;
        Ok(transfer)
    }

    /// Allocates both buffers for an array of this size, or for one piece of a larger array.
    fn reserve(&mut self, bytes: usize) -> CudaResult<()> {
        if self.buffers[0].len() < bytes.min(self.maximum) {
            let enough = bytes.min(self.maximum).next_power_of_two().min(self.maximum);
            // If the second allocation fails, the first buffer is dropped too.
            self.buffers = [self.gpu.page_locked_buffer(enough)?, self.gpu.page_locked_buffer(enough)?];
        }
        Ok(())
    }

    /// Allocates memory on the stream's GPU and copies the values to it.
    pub fn upload<T: Plain>(&mut self, stream: &Stream, values: &[T]) -> CudaResult<Buffer<T>> {
        self.upload_with(stream, values.len(), 1, |start, out| {
            out.copy_from_slice(&values[start..start + out.len()]);
        })
    }

    /// Allocates memory on the stream's GPU for values that `fill` computes. Many threads call `fill` with
    /// the index of a value and a slice to fill from this value onwards. A slice has a whole number of rows
    /// of `row` values.
    ///
    /// # Panics
    /// Panics if the values are not a whole number of rows, or if a row is longer than 8 MiB.
    pub fn upload_with<T: Plain>(
        &mut self,
        stream: &Stream,
        len: usize,
        row: usize,
        fill: impl Fn(usize, &mut [T]) + Sync,
    ) -> CudaResult<Buffer<T>> {
        self.reserve((len * size_of::<T>()).max(row * size_of::<T>()))?;
        let mut buffer = stream.gpu().alloc(len)?;
        self.fill(stream, buffer.view_mut(), row, fill)?;
        Ok(buffer)
    }

    /// Writes values that `fill` computes to existing GPU memory, like [`upload_with`](Self::upload_with).
    ///
    /// # Panics
    /// Panics if the values are not a whole number of rows, or if a row is longer than 8 MiB.
    pub fn fill<T: Plain>(
        &mut self,
        stream: &Stream,
        mut buffer: BufferViewMut<'_, T>,
        row: usize,
        fill: impl Fn(usize, &mut [T]) + Sync,
    ) -> CudaResult<()> {
        let (len, of_row) = (buffer.view().len(), row * size_of::<T>());
        assert!(row > 0 && len.is_multiple_of(row) && of_row <= PIECE, "{len} values are no rows of {row}");
        self.reserve((len * size_of::<T>()).max(of_row))?;
        let piece = (self.buffers[0].len() / size_of::<T>() / row).max(1) * row;
        let share = (SHARE / size_of::<T>()).div_ceil(row) * row;
        for (n, start) in (0..len).step_by(piece).enumerate() {
            let count = piece.min(len - start);
            let page_locked_buffer = &mut self.buffers[n % 2];
            let out: &mut [T] =
                bytemuck::cast_slice_mut(&mut page_locked_buffer.as_mut_slice()?[..count * size_of::<T>()]);
            out.par_chunks_mut(share).enumerate().for_each(|(n, out)| fill(start + n * share, out));
            let mut bytes = buffer.range_mut(start..start + count).cast::<u8>();
            bytes.copy_from_pinned(stream, page_locked_buffer, 0)?;
        }
        Ok(())
    }

    /// Copies the values of `buffer` to new host memory, after the work that is already queued in the stream.
    pub fn download<T: Plain>(&mut self, stream: &Stream, buffer: BufferView<'_, T>) -> CudaResult<Vec<T>> {
        let mut values = vec![T::zeroed(); buffer.len()];
        self.download_into(stream, buffer, &mut values)?;
        Ok(values)
    }

    /// Copies the values of `buffer` to existing host memory, like [`download`](Self::download).
    ///
    /// # Panics
    /// Panics if the lengths differ.
    pub fn download_into<T: Plain>(
        &mut self,
        stream: &Stream,
        buffer: BufferView<'_, T>,
        values: &mut [T],
    ) -> CudaResult<()> {
        assert_eq!(
            buffer.len(),
            values.len(),
            "there is space for {} of {} values",
            values.len(),
            buffer.len()
        );
        self.download_to(stream, buffer.cast(), bytemuck::cast_slice_mut(values))
    }

    /// Copies bytes from GPU memory to host memory of the same length.
    pub(super) fn download_to(
        &mut self,
        stream: &Stream,
        bytes: BufferView<'_, u8>,
        values: &mut [u8],
    ) -> CudaResult<()> {
        self.download_with(stream, bytes, |start, piece| copy(piece, &mut values[start..start + piece.len()]))
    }

    /// Copies the values of `buffer` to the host in pieces. Calls `take` with each piece and the index of its
    /// first value, while the GPU copies the next piece.
    pub fn download_with<T: Plain>(
        &mut self,
        stream: &Stream,
        buffer: BufferView<'_, T>,
        mut take: impl FnMut(usize, &[T]),
    ) -> CudaResult<()> {
        let len = buffer.len();
        self.reserve(len * size_of::<T>())?;
        let piece = (self.buffers[0].len() / size_of::<T>()).max(1);
        let mut under_way: Option<(usize, Range<usize>)> = None;
        for n in 0.. {
            let start = (n * piece).min(len);
            let next = start..len.min(start + piece);
            if !next.is_empty() {
                let part = buffer.range(next.clone()).cast::<u8>();
                part.copy_to_pinned(stream, &mut self.buffers[n % 2], 0)?;
            }
            if let Some((page_locked_buffer, range)) = under_way {
                let bytes = &self.buffers[page_locked_buffer].as_slice()?[..range.len() * size_of::<T>()];
                take(range.start, bytemuck::cast_slice(bytes));
            }
            if next.is_empty() {
                break;
            }
            under_way = Some((n % 2, next));
        }
        Ok(())
    }
}

/// Number of bytes that a thread copies at a time.
const SHARE: usize = 1 << 17;

/// Copies bytes with all CPU threads. One thread would be slower than the bus to the GPU, especially if the
/// system must first provide the memory pages of the target.
fn copy(from: &[u8], to: &mut [u8]) {
    to.par_chunks_mut(SHARE).zip(from.par_chunks(SHARE)).for_each(|(to, from)| to.copy_from_slice(from));
}

/// Copies from a GPU use all CPU threads if they have at least this many bytes. The driver copies with a
/// single thread, which needs 10 ms to copy 17 MB into memory pages that were never used. In this time, the
/// GPU can perform about a hundred simple operations on all of these values.
const SHARED_BYTES: usize = 4 << 20;

impl<T: Plain> BufferView<'_, T> {
    /// Copies this part of the buffer into `values`, which must have the same length, after the work that is
    /// already queued in `stream`. Returns when the copy is done.
    pub fn copy_to(&self, stream: &Stream, values: &mut [T]) -> CudaResult<()> {
        same("copy from device to host", stream, self.gpu(), self.len(), values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        // If the host cannot page-lock memory, the driver copies the values.
        if size_of_val(values) >= SHARED_BYTES
            && let Ok(mut transfer) = Transfer::with_capacity_of(self.gpu(), size_of_val(values))
        {
            return transfer.download_to(stream, self.cast(), bytemuck::cast_slice_mut(values));
        }
        // SAFETY: the values are borrowed until this function has waited for the copy.
        unsafe { self.copy_to_unwaited(stream, values) }?;
        stream.synchronize()
    }
}

impl<T: Plain> Buffer<T> {
    /// Calls [`BufferView::copy_to`] for the whole buffer.
    pub fn copy_to(&self, stream: &Stream, values: &mut [T]) -> CudaResult<()> {
        self.view().copy_to(stream, values)
    }

    /// Copies all values of the buffer to a vector, after the work that is already queued in `stream`.
    pub fn to_vec(&self, stream: &Stream) -> CudaResult<Vec<T>> {
        let mut values = vec![T::zeroed(); self.len()];
        self.copy_to(stream, &mut values)?;
        Ok(values)
    }
}
