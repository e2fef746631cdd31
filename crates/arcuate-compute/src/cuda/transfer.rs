//! Copies between a GPU and the ordinary memory of the host.
#![allow(unsafe_code)]

use super::buffer::{Buffer, BufferView, BufferViewMut, same};
use super::error::CudaResult;
use super::gpu::Gpu;
use super::pinned::Pinned;
use super::plain::Plain;
use super::stream::Stream;
use rayon::prelude::*;
use std::ops::Range;

/// Bytes of each piece that is copied at once. Of 200 MB into one H200, cold, 8 MiB take the least time: page-locking twice as
/// much takes longer than it spares.
const PIECE: usize = 8 << 20;

/// Copies between a GPU and the host's ordinary memory by two rooms of page-locked memory that take turns: while the GPU
/// copies one, all threads of the processor fill or empty the other.
///
/// The rooms are as large as the largest array so far needs them to be: page-locking takes longer than copying. They are left to the
/// GPU's next transfer.
#[derive(Debug)]
pub struct Transfer {
    gpu: Gpu,
    most: usize,
    rooms: [Pinned<u8>; 2],
}

impl Transfer {
    /// For arrays of at most `bytes` bytes; larger ones are copied in more pieces.
    pub fn new(gpu: &Gpu, bytes: usize) -> CudaResult<Self> {
        Ok(Self { gpu: gpu.clone(), most: bytes.min(PIECE), rooms: [gpu.room(0)?, gpu.room(0)?] })
    }

    /// For an array of so many bytes, with room for it.
    pub(super) fn with_room(gpu: &Gpu, bytes: usize) -> CudaResult<Self> {
        let mut transfer = Self::new(gpu, usize::MAX)?;
        transfer.make_room(bytes)?;
        Ok(transfer)
    }

    /// Makes room for an array of so many bytes, or for a piece of it.
    fn make_room(&mut self, bytes: usize) -> CudaResult<()> {
        if self.rooms[0].len() < bytes.min(self.most) {
            let enough = bytes.min(self.most).next_power_of_two().min(self.most);
            // Both or none.
            self.rooms = [self.gpu.room(enough)?, self.gpu.room(enough)?];
        }
        Ok(())
    }

    /// The values in the memory of the stream's GPU.
    pub fn upload<T: Plain>(&mut self, stream: &Stream, values: &[T]) -> CudaResult<Buffer<T>> {
        self.upload_with(stream, values.len(), 1, |start, out| {
            out.copy_from_slice(&values[start..start + out.len()]);
        })
    }

    /// So many values in the memory of the stream's GPU, as `fill` says: it is given the place of the first of some and room
    /// for them, a whole number of rows of `row` values, by many threads at once.
    ///
    /// # Panics
    /// Where the values are no whole number of rows, and where a row is longer than 8 MiB.
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

    /// The same, into memory that there is.
    ///
    /// # Panics
    /// As [`upload_with`](Self::upload_with).
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

    /// The values of `buffer`, once the work given to the stream before is done.
    pub fn download<T: Plain>(&mut self, stream: &Stream, buffer: BufferView<'_, T>) -> CudaResult<Vec<T>> {
        let mut values = vec![T::zeroed(); buffer.len()];
        self.download_into(stream, buffer, &mut values)?;
        Ok(values)
    }

    /// The same, into memory that there is.
    ///
    /// # Panics
    /// Where there is not as much of it.
    pub fn download_into<T: Plain>(
        &mut self,
        stream: &Stream,
        buffer: BufferView<'_, T>,
        values: &mut [T],
    ) -> CudaResult<()> {
        assert_eq!(buffer.len(), values.len(), "room for {} values of {}", values.len(), buffer.len());
        self.download_to(stream, buffer.cast(), bytemuck::cast_slice_mut(values))
    }

    /// Bytes of a GPU into as many of the host.
    pub(super) fn download_to(
        &mut self,
        stream: &Stream,
        bytes: BufferView<'_, u8>,
        values: &mut [u8],
    ) -> CudaResult<()> {
        self.download_with(stream, bytes, |start, piece| copy(piece, &mut values[start..start + piece.len()]))
    }

    /// Gives the values of `buffer` to `take`, some at a time, with the place of the first of them: while it takes these, the GPU
    /// copies the next.
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

/// Copies with all threads: one alone does not keep up with the bus, least of all into pages never touched before.
fn copy(from: &[u8], to: &mut [u8]) {
    to.par_chunks_mut(SHARE).zip(from.par_chunks(SHARE)).for_each(|(to, from)| to.copy_from_slice(from));
}

/// From so many bytes on the processor's threads share copies from a GPU: the driver's one copies 17 MB, into pages that were never
/// touched, in 10 ms, as long as some hundred operations on them take.
const SHARED_BYTES: usize = 4 << 20;

impl<T: Plain> BufferView<'_, T> {
    /// Copies it into `values` of the same length, once the work given to `stream` before is done, and waits for that.
    pub fn copy_to(&self, stream: &Stream, values: &mut [T]) -> CudaResult<()> {
        same("copy from device to host", stream, self.gpu(), self.len(), values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        // Where the host cannot lock pages for it, the driver can.
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
    /// As [`BufferView::copy_to`], for all of it.
    pub fn copy_to(&self, stream: &Stream, values: &mut [T]) -> CudaResult<()> {
        self.view().copy_to(stream, values)
    }

    /// All values, once the work given to `stream` before is done.
    pub fn to_vec(&self, stream: &Stream) -> CudaResult<Vec<T>> {
        let mut values = vec![T::zeroed(); self.len()];
        self.copy_to(stream, &mut values)?;
        Ok(values)
    }
}
