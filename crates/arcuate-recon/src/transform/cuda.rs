//! Host code of the Fourier transforms: plans and launches.
#![allow(unsafe_code)]

use super::constants;
use super::kernels::{self, TransformPlan};
use super::radices_of;
use crate::Element;
use arcuate_compute::cuda::{Buffer, BufferView, BufferViewMut, CudaResult, Gpu, Grid, Stream, counted};
use arcuate_compute::elementary::double;
use arcuate_core::{Error, Result, narrow};

/// Number of threads per block, and flags of a plan.
const THREADS: u32 = constants::THREADS;
const READS_ACROSS: u32 = constants::READS_ACROSS;
const WRITES_ACROSS: u32 = constants::WRITES_ACROSS;
const INVERSE: u32 = constants::INVERSE;
const MAPS_BEHIND: u32 = constants::MAPS_BEHIND;
/// Number of columns per block, as a power of two. These columns are neighbours and fill a cache line of 128
/// bytes. If columns are short, a block has more, so that all threads have work.
const BLOCK_COLUMNS: u32 = 4;
const MOST_COLUMNS: u32 = 7;
/// Minimum number of blocks per multiprocessor. If there are few columns, blocks have fewer columns to reach
/// it.
const BLOCKS: usize = 2;
/// Lengths whose kernels in single precision know their stages at compile time.
const KNOWN: [usize; 5] = [128, 192, 256, 384, 512];
/// Shared memory in bytes that a block uses if the number of its columns can be chosen. A multiprocessor then
/// holds three blocks.
const SHARED_BYTES: usize = 72 << 10;

/// Positions of the columns of an array. Column `outer · inner_count + inner` begins at `outer · outer_stride
/// + inner · inner_stride`. Strides are in complex numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines {
    /// Number of elements along the axis that are in memory. Other elements are read as 0 and not written.
    pub(crate) count: usize,
    /// Distance in memory between elements along the axis, in complex numbers.
    pub(crate) stride: usize,
    pub(crate) inner_stride: usize,
    pub(crate) outer_stride: usize,
}

/// The coil maps that columns are multiplied by.
#[derive(Clone, Copy)]
pub(crate) enum Maps<'a, T: Element> {
    /// Columns are not multiplied by maps.
    None,
    /// The input is multiplied by maps. Consecutive outer indices have consecutive maps.
    Before(BufferView<'a, T>),
    /// The output is multiplied by conjugate maps and summed over `volumes` volumes, each with its own map.
    Behind { maps: BufferView<'a, T>, volumes: usize, volume_stride: usize, adds: bool },
}

/// The Fourier transform of one length.
pub(crate) struct AxisTransform<T: Element> {
    length: usize,
    radices: Vec<usize>,
    twiddles: Buffer<T>,
    /// Number of columns per block as a power of two, if there are enough columns.
    block_columns: u32,
    pitch: usize,
    /// Number of multiprocessors of the GPU.
    multiprocessors: usize,
}

impl<T: Element> AxisTransform<T> {
    /// Prepares Fourier transforms of 2ᵃ3ᵇ5ᶜ complex numbers.
    ///
    /// Returns an error if a column does not fit in the GPU's shared memory.
    pub(crate) fn new(gpu: &Gpu, stream: &Stream, length: usize) -> Result<Self> {
        let (pitch, radices) = (pitch(length), radices_of(length));
        let limit = gpu.shared_bytes() as usize;
        let least = shared_bytes::<T>(length, 0, 2);
        if least > limit {
            let problem = format!(
                "a Fourier transform of {length} numbers needs {least} bytes of shared memory, but the GPU \
                 has {limit}"
            );
            return Err(Error::device_too_small(format_args!("{gpu}"), problem, "use ‘device’ cpu"));
        }
        let fits = |columns: u32| shared_bytes::<T>(length, columns, 2) <= limit.min(SHARED_BYTES);
        let mut block_columns = (0..=BLOCK_COLUMNS).rev().find(|&n| fits(n)).unwrap_or(0);
        // The number of threads keeps all of them busy in the stage with the fewest butterflies.
        let butterflies = length / radices.iter().copied().max().unwrap_or(1);
        while block_columns < MOST_COLUMNS
            && butterflies << block_columns < THREADS as usize
            && fits(block_columns + 1)
        {
            block_columns += 1;
        }
        let of_turn = |n: usize| {
            let (sin, cos) = double::sin_cos_turns(n as f64 / length as f64);
            [T::of(cos), T::of(-sin)]
        };
        let twiddles: Vec<T> = (0..length).flat_map(of_turn).collect();
        let twiddles = gpu.upload(stream, &twiddles)?;
        let multiprocessors = gpu.multiprocessors() as usize;
        Ok(Self { length, radices, twiddles, block_columns, pitch, multiprocessors })
    }

    /// Returns the twiddle factors e^(−2πi n / length) for n below the length.
    pub(crate) fn twiddles(&self) -> &Buffer<T> {
        &self.twiddles
    }

    /// Launches the transform of `columns` columns, in groups of `inner_count`. If `inverse` is set, launches
    /// the unnormalised inverse transform.
    ///
    /// # Safety
    /// Columns and maps must be within their arrays, and columns that are written must not overlap.
    pub(crate) unsafe fn run(
        &self,
        stream: &Stream,
        inverse: bool,
        (columns, inner_count): (usize, usize),
        (from, of_from): (BufferView<'_, T>, &Lines),
        (to, of_to): (BufferViewMut<'_, T>, &Lines),
        maps: Maps<'_, T>,
    ) -> CudaResult<()> {
        let mut plan = self.plan(columns, inner_count, of_from, of_to)?;
        let maps = match maps {
            Maps::None => None,
            Maps::Before(maps) => {
                plan.map_stride = maps.len() as u64 / 2 / columns.div_ceil(inner_count) as u64;
                Some(maps)
            }
            Maps::Behind { maps, volumes, volume_stride, adds } => {
                plan.map_stride = maps.len() as u64 / 2 / volumes as u64;
                [plan.summed] = counted("volumes of a transform", [volumes])?;
                plan.in_summed = volume_stride as u64;
                plan.adds = u32::from(adds);
                plan.flags |= MAPS_BEHIND;
                Some(maps)
            }
        };
        plan.flags |= if inverse { INVERSE } else { 0 };
        let grid = self.grid(columns, if self.radices.len() > 2 { 2 } else { 1 });
        // SAFETY: the caller guarantees that columns and maps are within their arrays, and that written
        // columns do not overlap.
        unsafe {
            kernels::fourier_transform([self.known()], stream, grid, plan, &self.twiddles, maps, from, to)
        }
    }

    /// Launches three operations in place: the transform, the multiplication by rows of `spectrum`, and the
    /// unnormalised inverse transform. Consecutive columns use consecutive rows of the spectrum, cyclically.
    ///
    /// # Safety
    /// Columns must be within the array and must not overlap.
    pub(crate) unsafe fn convolve(
        &self,
        stream: &Stream,
        (columns, inner_count): (usize, usize),
        lines: &Lines,
        spectrum: BufferView<'_, T>,
        values: BufferViewMut<'_, T>,
    ) -> CudaResult<()> {
        let mut plan = self.plan(columns, inner_count, lines, lines)?;
        [plan.spectrum_columns] = counted(COLUMNS, [spectrum.len() / self.length])?;
        let out = arcuate_compute::cuda::Output::from(values);
        // SAFETY: a block reads its columns before it writes them. The caller guarantees that columns are
        // within the array and do not overlap.
        unsafe {
            kernels::fourier_convolve(
                [self.known()],
                stream,
                self.grid(columns, 2),
                plan,
                &self.twiddles,
                spectrum,
                out.also_read(),
                out,
            )
        }
    }

    /// Returns the plan of a launch. Returns an error if a count exceeds the range of the kernels.
    fn plan(
        &self,
        columns: usize,
        inner_count: usize,
        from: &Lines,
        to: &Lines,
    ) -> CudaResult<TransformPlan> {
        let radices = self.radices.iter().rev().fold(0, |all, &radix| all << 4 | (radix as u64 - 1));
        let across = |lines: &Lines, flag: u32| if lines.stride == 1 { 0 } else { flag };
        let [columns_in_all, inner_count, in_inner, in_element, out_inner, out_element] =
            counts(columns, inner_count, from, to)?;
        let [length, count_in, count_out, stages, pitch] = counted(
            "numbers of a column",
            [self.length, from.count, to.count, self.radices.len(), self.pitch],
        )?;
        Ok(TransformPlan {
            radices,
            in_outer: from.outer_stride as u64,
            out_outer: to.outer_stride as u64,
            in_summed: 0,
            map_stride: 0,
            length,
            count_in,
            count_out,
            stages,
            columns: columns_in_all,
            inner_count,
            in_inner,
            in_element,
            out_inner,
            out_element,
            block_columns: self.block_columns(columns),
            pitch,
            summed: 1,
            spectrum_columns: 1,
            flags: across(from, READS_ACROSS) | across(to, WRITES_ACROSS),
            adds: 0,
        })
    }

    /// Returns the number of columns per block, as a power of two. If there are few columns, it is small, so
    /// that all multiprocessors have some.
    fn block_columns(&self, columns: usize) -> u32 {
        let enough = |n: &u32| columns >> n >= BLOCKS * self.multiprocessors;
        (0..=self.block_columns).rev().find(enough).unwrap_or(0)
    }

    /// Returns the length if a specialised kernel exists for it, or 0.
    fn known(&self) -> u32 {
        let single = size_of::<T>() == size_of::<f32>();
        if single && KNOWN.contains(&self.length) { narrow::<u32>(self.length) } else { 0 }
    }

    fn grid(&self, columns: usize, buffers: usize) -> Grid {
        let block_columns = self.block_columns(columns);
        let bytes = shared_bytes::<T>(self.length, block_columns, buffers);
        Grid { threads: [THREADS, 1, 1], ..Grid::for_items(columns, 1 << block_columns) }
            .shared(narrow::<u32>(bytes))
    }
}

/// Name of the columns in error messages about their number.
const COLUMNS: &str = "columns of a transform";

/// Returns the number of columns, the size of their groups, and the strides of both arrays: between columns
/// and along them.
pub(super) fn counts<N: TryFrom<usize>>(
    columns: usize,
    inner_count: usize,
    from: &Lines,
    to: &Lines,
) -> CudaResult<[N; 6]> {
    let [in_inner, in_element] = [from.inner_stride, from.stride];
    counted(COLUMNS, [columns, inner_count, in_inner, in_element, to.inner_stride, to.stride])
}

/// Returns the distance between columns in shared memory. It has one more element in 16 and is odd. Neither
/// strides of 16 along a column nor different columns then use the same memory bank.
fn pitch(length: usize) -> usize {
    (length + length / 16) | 1
}

/// Returns the number of bytes of the column buffers and the twiddle factors. If there are stages between the
/// first and the last one, they need two buffers.
fn shared_bytes<T>(length: usize, block_columns: u32, buffers: usize) -> usize {
    (buffers * (pitch(length) << block_columns) + length) * 2 * size_of::<T>()
}
