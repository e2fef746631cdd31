//! Copies between a GPU and ordinary host memory.
#![allow(unsafe_code)]

use super::buffer::{Buffer, BufferView, BufferViewMut, same};
use super::error::CudaResult;
use super::gpu::Gpu;
use super::pinned::Pinned;
use super::plain::Plain;
use super::stream::Stream;
use rayon::prelude::*;
use std::ops::Range;

/// Bytes per piece. For a cold transfer of 200 MB to an H200, 8 MiB is fastest: page-locking twice as much
/// costs more than it saves.
const PIECE: usize = 8 << 20;

/// Copies between a GPU and ordinary host memory through two alternating page-locked buffers. While the GPU
/// copies one, all CPU threads fill or empty the other.
///
/// The buffers are only as large as the largest array so far requires, since page-locking takes longer than
/// copying. The GPU's next transfer reuses them.
#[derive(Debug)]
pub struct Transfer {
    gpu: Gpu,
    most: usize,
    rooms: [Pinned<u8>; 2],
}

impl Transfer {
    /// Prepares copies of arrays of at most `bytes` bytes; larger arrays are copied in more pieces.
    pub fn new(gpu: &Gpu, bytes: usize) -> CudaResult<Self> {
        Ok(Self { gpu: gpu.clone(), most: bytes.min(PIECE), rooms: [gpu.room(0)?, gpu.room(0)?] })
    }

    /// Prepares copies of an array of this size, with its buffers.
    pub(super) fn with_room(gpu: &Gpu, bytes: usize) -> CudaResult<Self> {
        let mut transfer = Self::new(gpu, usize::MAX)?;
        transfer.make_room(bytes)?;
        Ok(transfer)
    }

    /// Allocates buffers for an array of this size, or for a piece of it.
    fn make_room(&mut self, bytes: usize) -> CudaResult<()> {
        if self.rooms[0].len() < bytes.min(self.most) {
            let enough = bytes.min(self.most).next_power_of_two().min(self.most);
            // Both or none.
            self.rooms = [self.gpu.room(enough)?, self.gpu.room(enough)?];
        }
        Ok(())
    }

    /// Copies the values to new memory of the stream's GPU.
    pub fn upload<T: Plain>(&mut self, stream: &Stream, values: &[T]) -> CudaResult<Buffer<T>> {
        self.upload_with(stream, values.len(), 1, |start, out| {
            out.copy_from_slice(&values[start..start + out.len()]);
        })
    }

    /// Creates values in the memory of the stream's GPU by `fill`. It is called by many threads with the
    /// index of the first value and a slice, a whole number of rows of `row` values.
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
        self.make_room((len * size_of::<T>()).max(row * size_of::<T>()))?;
        let mut buffer = stream.gpu().alloc(len)?;
        self.fill(stream, buffer.view_mut(), row, fill)?;
        Ok(buffer)
    }

    /// Like [`upload_with`](Self::upload_with), into existing memory.
    ///
    /// # Panics
    /// Panics like [`upload_with`](Self::upload_with).
    pub fn fill<T: Plain>(
        &mut self,
        stream: &Stream,
        mut buffer: BufferViewMut<'_, T>,
        row: usize,
        fill: impl Fn(usize, &mut [T]) + Sync,
    ) -> CudaResult<()> {
        let (len, of_row) = (buffer.view().len(), row * size_of::<T>());
        assert!(row > 0 && len.is_multiple_of(row) && of_row <= PIECE, "{len} values are no rows of {row}");
        self.make_room((len * size_of::<T>()).max(of_row))?;
        let piece = (self.rooms[0].len() / size_of::<T>() / row).max(1) * row;
        let share = (SHARE / size_of::<T>()).div_ceil(row) * row;
        for (n, start) in (0..len).step_by(piece).enumerate() {
            let count = piece.min(len - start);
            let room = &mut self.rooms[n % 2];
            let out: &mut [T] = bytemuck::cast_slice_mut(&mut room.as_mut_slice()?[..count * size_of::<T>()]);
            out.par_chunks_mut(share).enumerate().for_each(|(n, out)| fill(start + n * share, out));
            let mut bytes = buffer.range_mut(start..start + count).cast::<u8>();
            bytes.copy_from_pinned(stream, room, 0)?;
        }
        Ok(())
    }

    /// Copies the values of `buffer` to the host, after the work queued in the stream.
    pub fn download<T: Plain>(&mut self, stream: &Stream, buffer: BufferView<'_, T>) -> CudaResult<Vec<T>> {
        let mut values = vec![T::zeroed(); buffer.len()];
        self.download_into(stream, buffer, &mut values)?;
        Ok(values)
    }

    /// Like [`download`](Self::download), into existing memory.
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

    /// Copies bytes of a GPU to the same number of bytes on the host.
    pub(super) fn download_to(
        &mut self,
        stream: &Stream,
        bytes: BufferView<'_, u8>,
        values: &mut [u8],
    ) -> CudaResult<()> {
        self.download_with(stream, bytes, |start, piece| copy(piece, &mut values[start..start + piece.len()]))
    }

    /// Calls `take` with the values of `buffer`, some at a time, with the index of the first. Meanwhile the
    /// GPU copies the next ones.
    pub fn download_with<T: Plain>(
        &mut self,
        stream: &Stream,
        buffer: BufferView<'_, T>,
        mut take: impl FnMut(usize, &[T]),
    ) -> CudaResult<()> {
        let len = buffer.len();
        self.make_room(len * size_of::<T>())?;
        let piece = (self.rooms[0].len() / size_of::<T>()).max(1);
        let mut under_way: Option<(usize, Range<usize>)> = None;
        for n in 0.. {
            let start = (n * piece).min(len);
            let next = start..len.min(start + piece);
            if !next.is_empty() {
                let part = buffer.range(next.clone()).cast::<u8>();
                part.copy_to_pinned(stream, &mut self.rooms[n % 2], 0)?;
            }
            if let Some((room, range)) = under_way {
                let bytes = &self.rooms[room].as_slice()?[..range.len() * size_of::<T>()];
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

/// Bytes that a thread copies at a time.
const SHARE: usize = 1 << 17;

/// Copies with all threads, since one thread is slower than the bus, especially into pages that were never
/// used.
fn copy(from: &[u8], to: &mut [u8]) {
    to.par_chunks_mut(SHARE).zip(from.par_chunks(SHARE)).for_each(|(to, from)| to.copy_from_slice(from));
}

/// Copies from a GPU of at least this size use all CPU threads. The driver's single thread needs 10 ms to
/// copy 17 MB into pages that were never used, which is as long as about a hundred operations on them.
const SHARED_BYTES: usize = 4 << 20;

impl<T: Plain> BufferView<'_, T> {
    /// Copies it into `values`, which have the same length, after the work queued in `stream`, and waits for
    /// the copy.
    pub fn copy_to(&self, stream: &Stream, values: &mut [T]) -> CudaResult<()> {
        same("copy from device to host", stream, self.gpu(), self.len(), values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        // If the host cannot lock pages, the driver copies.
        if size_of_val(values) >= SHARED_BYTES
            && let Ok(mut transfer) = Transfer::with_room(self.gpu(), size_of_val(values))
        {
            return transfer.download_to(stream, self.cast(), bytemuck::cast_slice_mut(values));
        }
        // SAFETY: the values are borrowed until the wait is over.
        unsafe { self.copy_to_unwaited(stream, values) }?;
        stream.synchronize()
    }
}

impl<T: Plain> Buffer<T> {
    /// Calls [`BufferView::copy_to`] for the whole buffer.
    pub fn copy_to(&self, stream: &Stream, values: &mut [T]) -> CudaResult<()> {
        self.view().copy_to(stream, values)
    }

    /// All values, after the work queued in `stream`.
    pub fn to_vec(&self, stream: &Stream) -> CudaResult<Vec<T>> {
        let mut values = vec![T::zeroed(); self.len()];
        self.copy_to(stream, &mut values)?;
        Ok(values)
    }
}
