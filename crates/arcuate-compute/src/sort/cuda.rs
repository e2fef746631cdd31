//! Host code: memory layout and launches.
#![allow(unsafe_code)]

use super::constants;
use super::kernels;
use crate::cuda::{
    Buffer, BufferView, BufferViewMut, CudaError, CudaResult, Event, Gpu, Grid, Plain, Stream,
};
use arcuate_core::narrow;
use sealed::Reduce;
use std::ops::Range;

/// Threads of a block, items of a tile and values of a digit.
const THREADS: u32 = constants::THREADS;
const TILE: usize = constants::TILE as usize;
const DIGITS: usize = constants::DIGITS as usize;

/// One block for each tile of `items` items.
fn tiles_of(items: usize) -> Grid {
    Grid { threads: [THREADS, 1, 1], ..Grid::for_items(items, narrow::<u32>(TILE)) }
}

fn misuse(problem: String) -> CudaError {
    CudaError::Misuse { about: "sort".to_owned(), problem }
}

/// Computes exclusive prefix sums.
#[derive(Debug)]
pub struct SumsBefore {
    values: usize,
    /// The sums of each tile of values.
    sums: Buffer<u32>,
    total: Buffer<u32>,
    /// The previous call, which may be in another stream, is done.
    used: Event,
}

impl SumsBefore {
    /// Prepares sums of at most `values` values.
    ///
    /// Returns an error for 2³² values or more.
    pub fn new(gpu: &Gpu, values: usize) -> CudaResult<Self> {
        if u32::try_from(values).is_err() {
            return Err(misuse(format!("{values} values are more than 4294967295")));
        }
        Ok(Self { values, sums: gpu.alloc(values.div_ceil(TILE))?, total: gpu.alloc(1)?, used: gpu.event()? })
    }

    /// Queues replacing each value by the sum of those before it, 0 for the first. Sums wrap beyond 32 bits.
    ///
    /// Returns an error for more values than in [`new`](Self::new).
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
        // SAFETY: `items` values, a sum for each tile of them; one block and one total. The previous call is
        // done.
        unsafe {
            kernels::sort_tile_sums(stream, grid, items, values.view(), &mut self.sums)?;
            let one = Grid::row(1, THREADS);
            kernels::sort_sums_before(stream, one, grid.blocks[0], &mut self.sums, &mut self.total)?;
            kernels::sort_values_before(stream, grid, items, values.range_mut(0..count), &self.sums)?;
        }
        stream.record(&self.used)
    }

    /// The sum of all values in the last call of [`apply`](Self::apply), after it is done.
    pub fn total(&self, stream: &Stream) -> CudaResult<u32> {
        stream.wait(&self.used)?;
        let mut total = [0];
        self.total.copy_to(stream, &mut total)?;
        Ok(total[0])
    }
}

/// Pairs of keys and values in GPU memory, and buffers to sort them.
#[derive(Debug)]
pub struct Pairs<V: Value> {
    keys: Buffer<u64>,
    values: Buffer<V>,
    /// The pairs in the order of the next digit; later the distinct keys and their sums.
    next_keys: Buffer<u64>,
    next_values: Buffer<V>,
    /// Counts of each tile.
    counts: Buffer<u32>,
    sums: SumsBefore,
    /// The previous call, which may be in another stream, is done.
    used: Event,
}

impl<V: Value> Pairs<V> {
    /// Maximum number of pairs: they are numbered in 32 bits, as are the counts of digits in their tiles.
    pub const MOST: u64 = 1 << 30;

    /// Allocates `pairs` pairs, all 0.
    ///
    /// Returns an error for more than [`MOST`](Self::MOST) pairs.
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

    /// Bytes of this number of pairs with all buffers, for memory plans.
    pub fn bytes(pairs: u64) -> u64 {
        let counts = pairs.div_ceil(TILE as u64) * DIGITS as u64;
        2 * pairs * (size_of::<u64>() + size_of::<V>()) as u64
            + 4 * (counts + counts.div_ceil(TILE as u64) + 1)
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys.
    pub fn keys(&self) -> BufferView<'_, u64> {
        self.keys.view()
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> BufferView<'_, V> {
        self.values.view()
    }

    /// Keys and values, writable.
    pub fn both_mut(&mut self) -> (BufferViewMut<'_, u64>, BufferViewMut<'_, V>) {
        (self.keys.view_mut(), self.values.view_mut())
    }

    /// Queues sorting by the bits `bits` of the keys. The order of pairs with equal bits is kept.
    ///
    /// # Panics
    /// Panics if the bits exceed those of a key.
    pub fn sort(&mut self, stream: &Stream, bits: Range<u32>) -> CudaResult<()> {
        self.sort_first(stream, self.len(), bits)
    }

    /// Like [`sort`](Self::sort) for the first `count` pairs; the pairs after them are undefined afterwards.
    ///
    /// # Panics
    /// Panics if there are fewer pairs, or if the bits exceed those of a key.
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
            // SAFETY: `count` pairs on both sides; the counts for each digit of each tile, and those before
            // them, address every element once. The previous call is done.
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

    /// Reduces the first `count` pairs, which must be sorted, to distinct keys with the sums of their values.
    /// Returns the number of distinct keys; the pairs after them are undefined.
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
        // SAFETY: `items` keys; a count for each tile of them.
        unsafe { kernels::sort_firsts(stream, grid, items, &self.keys, &mut self.counts) }?;
        self.sums.apply(stream, self.counts.range_mut(0..tiles))?;
        let Self { keys, values, next_keys, next_values, counts, .. } = self;
        let (from, to) = ((keys.view(), values.view()), (next_keys.view_mut(), next_values.view_mut()));
        // SAFETY: `items` pairs, the numbers of distinct keys before each tile, and buffers for as many
        // pairs.
        unsafe { V::reduce(stream, grid, items, from, counts.view(), to) }?;
        std::mem::swap(keys, next_keys);
        std::mem::swap(values, next_values);
        stream.record(&self.used)?;
        Ok(self.sums.total(stream)? as usize)
    }
}

/// A value of a pair: four bytes that can be summed.
pub trait Value: Plain + Reduce {}

impl Value for f32 {}
impl Value for u32 {}

mod sealed {
    use super::{BufferView, BufferViewMut, CudaResult, Grid, Plain, Stream};

    /// Selects the kernel that sums values.
    pub trait Reduce: Plain {
        /// Launches the kernel.
        ///
        /// # Safety
        /// `count` sorted keys and values, the numbers of distinct keys before each tile, and buffers for all
        /// distinct keys.
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
                // SAFETY: promised by the caller.
                unsafe { kernels::$kernel(stream, grid, count, keys, values, places, different, sums) }
            }
        }
    )*};
}

reduce!(f32 => sort_reduce_f32, u32 => sort_reduce_u32);
