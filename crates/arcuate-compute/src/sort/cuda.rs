//! Host code of sorting and prefix sums on a GPU: memory layout and launches.
#![allow(unsafe_code)]

use super::constants;
use super::kernels;
use crate::cuda::{
    Buffer, BufferView, BufferViewMut, CudaError, CudaResult, Event, Gpu, Grid, Plain, Stream,
};
use arcuate_core::narrow;
use sealed::Reduce;
use std::ops::Range;

/// Number of threads of a thread block, number of items that a thread block processes (a tile), and number of
/// possible values of a key's digit.
const THREADS: u32 = constants::THREADS;
const TILE: usize = constants::TILE as usize;
const DIGITS: usize = constants::DIGITS as usize;

/// Returns a launch grid for `items` items, which has one thread block for each tile (a fixed number of
/// neighbouring items).
fn tiles_of(items: usize) -> Grid {
    Grid { threads: [THREADS, 1, 1], ..Grid::for_items(items, narrow::<u32>(TILE)) }
}

fn misuse(problem: String) -> CudaError {
    CudaError::Misuse { about: "sort".to_owned(), problem }
}

/// Computes exclusive prefix sums in GPU memory.
#[derive(Debug)]
pub struct SumsBefore {
    values: usize,
    /// The sum of the values of each tile (range of neighbouring values).
    sums: Buffer<u32>,
    total: Buffer<u32>,
    /// Event: the GPU work of the previous call, which may have been queued in another stream, is done.
    used: Event,
}

impl SumsBefore {
    /// Allocates memory for prefix sums of at most `values` values.
    ///
    /// Returns an error if there are 2³² values or more.
    pub fn new(gpu: &Gpu, values: usize) -> CudaResult<Self> {
        if u32::try_from(values).is_err() {
            return Err(misuse(format!("{values} values are more than 4294967295")));
        }
        Ok(Self { values, sums: gpu.alloc(values.div_ceil(TILE))?, total: gpu.alloc(1)?, used: gpu.event()? })
    }

    /// Queues kernels that replace each value by the sum of all values before it. The first value becomes 0.
    /// Sums are computed modulo 2³².
    ///
    /// Returns an error if there are more values than [`new`](Self::new) has prepared.
    pub fn apply(&mut self, stream: &Stream, mut values: BufferViewMut<'_, u32>) -> CudaResult<()> {
        let count = values.len();
        if count > self.values {
            return Err(misuse(format!("{count} values are more than the buffer can hold")));
        }
        stream.wait(&self.used)?;
        if count == 0 {
            self.total.zero(stream)?;
            return stream.record(&self.used);
        }
        let (grid, items) = (tiles_of(count), narrow::<u32>(count));
        // SAFETY: the buffers have `items` values, one sum for each tile, and one total. The second kernel
        // runs in one block. The previous call is done.
        unsafe {
            kernels::sort_tile_sums(stream, grid, items, values.view(), &mut self.sums)?;
            let one = Grid::row(1, THREADS);
            kernels::sort_sums_before(stream, one, grid.blocks[0], &mut self.sums, &mut self.total)?;
            kernels::sort_values_before(stream, grid, items, values.range_mut(0..count), &self.sums)?;
        }
        stream.record(&self.used)
    }

    /// Returns the sum of all values in the last call of [`apply`](Self::apply), after that call is done.
    pub fn total(&self, stream: &Stream) -> CudaResult<u32> {
        stream.wait(&self.used)?;
        let mut total = [0];
        self.total.copy_to(stream, &mut total)?;
        Ok(total[0])
    }
}

/// Pairs of a key and a value in GPU memory, with the buffers that sorting them requires.
#[derive(Debug)]
pub struct Pairs<V: Value> {
    keys: Buffer<u64>,
    values: Buffer<V>,
    /// While pairs are sorted, this buffer receives the keys in the order of the present digit. When values
    /// are summed, it receives the distinct keys.
    next_keys: Buffer<u64>,
    next_values: Buffer<V>,
    /// For each value of a digit and each tile (range of neighbouring items), the number of keys of the tile
    /// that have this digit.
    counts: Buffer<u32>,
    sums: SumsBefore,
    /// Event: the GPU work of the previous call, which may have been queued in another stream, is done.
    used: Event,
}

impl<V: Value> Pairs<V> {
    /// Maximum number of pairs. The indices of pairs, and the numbers of keys per digit and tile, have 32
    /// bits.
    pub const MOST: u64 = 1 << 30;

    /// Allocates `pairs` pairs, all 0.
    ///
    /// Returns an error if there are more than [`MOST`](Self::MOST) pairs.
    pub fn new(gpu: &Gpu, pairs: usize) -> CudaResult<Self> {
        if pairs as u64 > Self::MOST {
            return Err(misuse(format!("{pairs} pairs are more than {}", Self::MOST)));
        }
        let counts = pairs.div_ceil(TILE) * DIGITS;
        Ok(Self {
            keys: gpu.alloc(pairs)?,
            values: gpu.alloc(pairs)?,
            next_keys: gpu.alloc(pairs)?,
            next_values: gpu.alloc(pairs)?,
            counts: gpu.alloc(counts)?,
            sums: SumsBefore::new(gpu, counts)?,
            used: gpu.event()?,
        })
    }

    /// Number of bytes of GPU memory that `pairs` pairs need, including all buffers for sorting.
    pub fn bytes(pairs: u64) -> u64 {
        let counts = pairs.div_ceil(TILE as u64) * DIGITS as u64;
        2 * pairs * (size_of::<u64>() + size_of::<V>()) as u64
            + 4 * (counts + counts.div_ceil(TILE as u64) + 1)
    }

    /// Number of pairs for which memory was allocated, including pairs that are not used.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys of the pairs.
    pub fn keys(&self) -> BufferView<'_, u64> {
        self.keys.view()
    }

    /// The values of the pairs, in the order of their keys.
    pub fn values(&self) -> BufferView<'_, V> {
        self.values.view()
    }

    /// The keys and the values of the pairs, both writable.
    pub fn both_mut(&mut self) -> (BufferViewMut<'_, u64>, BufferViewMut<'_, V>) {
        (self.keys.view_mut(), self.values.view_mut())
    }

    /// Queues kernels that sort the pairs by the bits `bits` of their keys. Pairs in which these bits are
    /// equal keep their order.
    ///
    /// # Panics
    /// Panics if `bits` exceeds the 64 bits of a key.
    pub fn sort(&mut self, stream: &Stream, bits: Range<u32>) -> CudaResult<()> {
        self.sort_first(stream, self.len(), bits)
    }

    /// Sorts the first `count` pairs like [`sort`](Self::sort). The pairs after them are undefined
    /// afterwards.
    ///
    /// # Panics
    /// Panics if there are fewer than `count` pairs, or if `bits` exceeds the 64 bits of a key.
    pub fn sort_first(&mut self, stream: &Stream, count: usize, bits: Range<u32>) -> CudaResult<()> {
        assert!(bits.end <= u64::BITS, "keys have 64 bits, not {}", bits.end);
        assert!(count <= self.len(), "{count} pairs of {}", self.len());
        if count == 0 {
            return Ok(());
        }
        stream.wait(&self.used)?;
        let (grid, tiles) = (tiles_of(count), count.div_ceil(TILE) * DIGITS);
        let count = narrow::<u32>(count);
        for shift in bits.clone().step_by(DIGITS.ilog2() as usize) {
            let mask = narrow::<u32>((DIGITS as u64 - 1).min((1 << (bits.end - shift).min(u32::BITS)) - 1));
            let Self { keys, values, next_keys, next_values, counts, sums, .. } = self;
            let (from, to) = (values.view().cast(), next_values.view_mut().cast());
            // SAFETY: both buffers have `count` pairs, and the previous call is done.
            // The prefix sums of the numbers of keys for each digit of each tile address every pair exactly
            // once.
            unsafe {
                kernels::sort_digits(stream, grid, count, shift, mask, &*keys, &mut *counts)?;
                sums.apply(stream, counts.range_mut(0..tiles))?;
                let to_keys = &mut *next_keys;
                kernels::sort_pairs(stream, grid, count, shift, mask, &*keys, from, &*counts, to_keys, to)?;
            }
            std::mem::swap(keys, next_keys);
            std::mem::swap(values, next_values);
        }
        stream.record(&self.used)
    }

    /// Replaces the first `count` pairs, which must be sorted, by one pair for each distinct key. The value
    /// of this pair is the sum of all values with this key. Returns the number of distinct keys, which is the
    /// number of new pairs. The pairs after the new pairs are undefined.
    ///
    /// # Panics
    /// Panics if there are fewer than `count` pairs.
    pub fn add_up(&mut self, stream: &Stream, count: usize) -> CudaResult<usize> {
        assert!(count <= self.len(), "{count} of {} pairs", self.len());
        if count == 0 {
            return Ok(0);
        }
        stream.wait(&self.used)?;
        let (grid, items) = (tiles_of(count), narrow::<u32>(count));
        let tiles = grid.blocks[0] as usize;
        // SAFETY: the buffers have `items` keys and a count for each tile of keys.
        unsafe { kernels::sort_firsts(stream, grid, items, &self.keys, &mut self.counts) }?;
        self.sums.apply(stream, self.counts.range_mut(0..tiles))?;
        let Self { keys, values, next_keys, next_values, counts, .. } = self;
        let (from, to) = ((keys.view(), values.view()), (next_keys.view_mut(), next_values.view_mut()));
        // SAFETY: the buffers have `items` pairs, the number of distinct keys before each tile, and space for
        // as many pairs.
        unsafe { V::reduce(stream, grid, items, from, counts.view(), to) }?;
        std::mem::swap(keys, next_keys);
        std::mem::swap(values, next_values);
        stream.record(&self.used)?;
        Ok(self.sums.total(stream)? as usize)
    }
}

/// A type of the values of pairs: a number of four bytes that can be summed.
pub trait Value: Plain + Reduce {}

impl Value for f32 {}
impl Value for u32 {}

mod sealed {
    use super::{BufferView, BufferViewMut, CudaResult, Grid, Plain, Stream};

    /// Selects the kernel that sums values of this type.
    pub trait Reduce: Plain {
        /// Launches the kernel that sums the values of each key.
        ///
        /// # Safety
        /// `from` must have `count` sorted keys and their values. `places` must have the number of distinct
        /// keys before each tile of items. `to` must have space for all distinct keys.
        unsafe fn reduce(
            stream: &Stream,
            grid: Grid,
            count: u32,
            from: (BufferView<'_, u64>, BufferView<'_, Self>),
            places: BufferView<'_, u32>,
            to: (BufferViewMut<'_, u64>, BufferViewMut<'_, Self>),
        ) -> CudaResult<()>;
    }
}

macro_rules! reduce {
    ($($value:ty => $kernel:ident),*) => {$(
        impl Reduce for $value {
            unsafe fn reduce(
                stream: &Stream,
                grid: Grid,
                count: u32,
                (keys, values): (BufferView<'_, u64>, BufferView<'_, Self>),
                places: BufferView<'_, u32>,
                (different, sums): (BufferViewMut<'_, u64>, BufferViewMut<'_, Self>),
            ) -> CudaResult<()> {
                // SAFETY: the caller promises that the buffers have the required sizes.
                unsafe { kernels::$kernel(stream, grid, count, keys, values, places, different, sums) }
            }
        }
    )*};
}

reduce!(f32 => sort_reduce_f32, u32 => sort_reduce_u32);
